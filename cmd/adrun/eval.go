package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/dsl"
)

type evalFlags struct {
	rule, signature, csv string
	asJSON               bool
}

func (a *app) evalCommand() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval FILE [name=value...]",
		Short: "Evaluate a rule on given inputs",
		Long: `Eval prints the value of a rule, numbers in the shortest form that reads back the same (NaN, +Inf
and -Inf where it is no number). An input outside its domain is clamped, with a warning. With --csv
it reads rows under a header of input names, from a file or "-", and prints a value a line.`,
		Args: atLeast(1, "a FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.eval(args[0], args[1:], f) },
	}
	cmd.Flags().StringVar(&f.rule, "rule", "", "the rule, when the file holds several")
	cmd.Flags().StringVar(&f.signature, "signature", "", "the signature that the rule binds to, when several fit")
	cmd.Flags().StringVar(&f.csv, "csv", "", "read rows of inputs from this file, - for standard input")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the value, its rule and the inputs as JSON")
	return cmd
}

// evaluator evaluates one rule on inputs given as text.
type evaluator struct {
	app     *app
	rule    *dsl.Rule
	sig     *dsl.Signature
	program *dsl.Program
	// needed are the inputs that have to be given.
	needed []string
}

func (a *app) newEvaluator(path, rule, signature string) (*evaluator, error) {
	src, err := a.mustLoad(path, signature)
	if err != nil {
		return nil, err
	}
	r, sig, err := src.rule(rule)
	if err != nil {
		return nil, err
	}
	p, err := dsl.Compile(r, sig)
	if err != nil {
		return nil, err
	}
	e := &evaluator{app: a, rule: r, sig: sig, program: p}
	for _, in := range sig.Inputs {
		if !r.HasInputs || slices.ContainsFunc(r.Inputs, func(id dsl.Ident) bool { return id.Text == in.Name.Text }) {
			e.needed = append(e.needed, in.Name.Text)
		}
	}
	return e, nil
}

func (a *app) eval(path string, pairs []string, f evalFlags) error {
	e, err := a.newEvaluator(path, f.rule, f.signature)
	if err != nil {
		return err
	}
	if f.csv != "" {
		if len(pairs) > 0 {
			return usagef("inputs are given by --csv or as name=value, not both")
		}
		return e.rows(f.csv, f.asJSON)
	}
	names, values := make([]string, len(pairs)), make([]string, len(pairs))
	for i, p := range pairs {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return usagef("%q is not name=value", p)
		}
		names[i], values[i] = name, value
	}
	if err := e.checkNames(names); err != nil {
		return &usageError{err}
	}
	args, err := e.args(names, values)
	if err != nil {
		return &usageError{err}
	}
	clamped := e.clamp(args, "")
	value := e.value(args)
	if f.asJSON {
		return a.printJSON(struct {
			Rule    string   `json:"rule"`
			Value   any      `json:"value"`
			Clamped []string `json:"clamped"`
		}{e.rule.Name.Text, e.jsonValue(value), clamped})
	}
	fmt.Fprintln(a.stdout, value)
	return nil
}

// checkNames reports unknown, repeated and missing names, all at once.
func (e *evaluator) checkNames(names []string) error {
	var errs []error
	for i, n := range names {
		known := slices.ContainsFunc(e.sig.Inputs, func(in *dsl.Input) bool { return in.Name.Text == n })
		switch {
		case !known:
			errs = append(errs, fmt.Errorf("unknown input %q: %s has %s", n, e.sig.Name.Text, inputList(e.sig)))
		case slices.Contains(names[:i], n):
			errs = append(errs, fmt.Errorf("input %q is given twice", n))
		}
	}
	for _, n := range e.needed {
		if !slices.Contains(names, n) {
			errs = append(errs, fmt.Errorf("missing input %q", n))
		}
	}
	return errors.Join(errs...)
}

func inputList(sig *dsl.Signature) string {
	var names []string
	for _, in := range sig.Inputs {
		names = append(names, in.Name.Text)
	}
	return strings.Join(names, ", ")
}

// args puts values into the order of the signature. An input that the rule does not list takes the
// low end of its domain.
func (e *evaluator) args(names, values []string) ([]float64, error) {
	args := make([]float64, len(e.sig.Inputs))
	var errs []error
	for i, in := range e.sig.Inputs {
		args[i] = in.Lo
		if j := slices.Index(names, in.Name.Text); j >= 0 {
			v, err := inputValue(in, strings.TrimSpace(values[j]))
			if err != nil {
				errs = append(errs, err)
			}
			args[i] = v
		}
	}
	return args, errors.Join(errs...)
}

func inputValue(in *dsl.Input, text string) (float64, error) {
	switch in.Type.Kind {
	case dsl.BoolKind:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return 0, fmt.Errorf("input %q: %q is neither true nor false", in.Name.Text, text)
		}
		if b {
			return 1, nil
		}
		return 0, nil
	case dsl.WordKind:
		i := slices.Index(in.Type.Words, text)
		if i < 0 {
			return 0, fmt.Errorf("input %q: %q is none of %s", in.Name.Text, text, strings.Join(in.Type.Words, ", "))
		}
		return float64(i), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) {
		return 0, fmt.Errorf("input %q: %q is not a number", in.Name.Text, text)
	}
	return v, nil
}

// clamp moves inputs into their domains and warns about each; where names the row.
func (e *evaluator) clamp(args []float64, where string) []string {
	before := slices.Clone(args)
	clamped := []string{}
	if e.sig.Clamp(args) == 0 {
		return clamped
	}
	for i, in := range e.sig.Inputs {
		if before[i] != args[i] {
			clamped = append(clamped, in.Name.Text)
			fmt.Fprintf(e.app.stderr, "adrun: warning: %sinput %q: %s is outside its domain, clamped to %s\n", where, in.Name.Text, number(before[i]), number(args[i]))
		}
	}
	return clamped
}

// number is the shortest text that reads back as v.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// value evaluates the rule and prints its value.
func (e *evaluator) value(args []float64) string {
	switch e.program.Type().Kind {
	case dsl.BoolKind:
		return strconv.FormatBool(e.program.Bool(args))
	case dsl.WordKind:
		return e.program.Word(args)
	}
	return number(e.program.Num(args))
}

// jsonValue turns printed text into what JSON has for it; words, and what JSON has no number for, stay text.
func (e *evaluator) jsonValue(text string) any {
	switch e.program.Type().Kind {
	case dsl.BoolKind:
		return text == "true"
	case dsl.WordKind:
		return text
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
		return v
	}
	return text
}

// rows evaluates every row of a CSV file.
func (e *evaluator) rows(path string, asJSON bool) error {
	name, in := path, e.app.stdin
	if path == "-" {
		name = "<stdin>"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	r := csv.NewReader(in)
	r.TrimLeadingSpace = true
	header, err := r.Read()
	if err == io.EOF {
		return fmt.Errorf("%s: empty: the first line holds the names of the inputs", name)
	} else if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i := range header {
		header[i] = strings.TrimSpace(strings.TrimPrefix(header[i], "\ufeff"))
	}
	if err := e.checkNames(header); err != nil {
		return fmt.Errorf("%s:1: %w", name, err)
	}
	values := []any{}
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		line, _ := r.FieldPos(0)
		args, err := e.args(header, row)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
		e.clamp(args, fmt.Sprintf("%s:%d: ", name, line))
		text := e.value(args)
		if asJSON {
			values = append(values, e.jsonValue(text))
		} else {
			fmt.Fprintln(e.app.stdout, text)
		}
	}
	if asJSON {
		return e.app.printJSON(struct {
			Rule   string `json:"rule"`
			Values []any  `json:"values"`
		}{e.rule.Name.Text, values})
	}
	return nil
}
