package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/gate/prove"
)

// explainBoxes bounds each proof of a direction: a person waits for all of them.
const explainBoxes = 2000

// jsonExplained is a rule for a person, as --json prints it.
type jsonExplained struct {
	Rule      string      `json:"rule"`
	Signature string      `json:"signature"`
	Meaning   string      `json:"meaning"`
	Ops       int         `json:"ops"`
	Inputs    []jsonMove  `json:"inputs"`
	Claims    []jsonProof `json:"claims"`
	// Base is where the inputs that do not move stay in the table.
	Base  string        `json:"base"`
	Table []jsonTableOf `json:"table"`
}

// jsonMove says how the result moves with one input.
type jsonMove struct {
	jsonInput
	Read bool `json:"read"`
	// Direction is rises, falls, mixed or none; Evidence is proved or seen on the grid.
	Direction string `json:"direction"`
	Evidence  string `json:"evidence"`
}

// jsonTableOf holds values of the result while one input moves and the others stay.
type jsonTableOf struct {
	Input   string   `json:"input"`
	Values  []string `json:"values"`
	Results []string `json:"results"`
}

func (a *app) explainCommand() *cobra.Command {
	var rule, signature string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain FILE",
		Short: "Explain a rule to the person who signs it off",
		Long: `Explain prints what a rule reads, what it costs, which way its result moves with each input
(proved, or seen on the grid), its contracts, and a small table of values.`,
		Args: exactly(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			src, err := a.mustLoad(args[0], signature)
			if err != nil {
				return err
			}
			r, sig, err := src.rule(rule)
			if err != nil {
				return err
			}
			e, err := explain(r, sig)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(e)
			}
			return a.printExplained(r, sig, e)
		},
	}
	cmd.Flags().StringVar(&rule, "rule", "", "the rule, when the file holds several")
	cmd.Flags().StringVar(&signature, "signature", "", "the signature that the rule binds to, when several fit")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// explainer looks at one rule.
type explainer struct {
	rule    *dsl.Rule
	sig     *dsl.Signature
	gate    *gate.Gate
	program *dsl.Program
}

func explain(r *dsl.Rule, sig *dsl.Signature) (*jsonExplained, error) {
	g, err := gate.New(gate.Config{Signature: sig, Prove: gate.ProveOff})
	if err != nil {
		return nil, err
	}
	p, err := dsl.Compile(r, sig)
	if err != nil {
		return nil, err
	}
	x := &explainer{r, sig, g, p}
	e := &jsonExplained{Rule: r.Name.Text, Signature: sig.Name.Text, Meaning: r.Doc(), Ops: dsl.Ops(r), Base: gate.FormatPoint(sig, x.base(), nil), Inputs: []jsonMove{}, Table: []jsonTableOf{}}
	for i, in := range describe(sig).Inputs {
		m := jsonMove{jsonInput: in, Read: p.Reads(i)}
		if m.Read && sig.Result.Kind == dsl.NumKind {
			if m.Direction, m.Evidence, err = x.direction(i); err != nil {
				return nil, err
			}
		}
		if m.Read {
			e.Table = append(e.Table, x.table(i))
		}
		e.Inputs = append(e.Inputs, m)
	}
	e.Claims, err = proofsOf(r, sig, explainBoxes)
	return e, err
}

// direction tells which way the result moves with input i: proved for all inputs, else as seen on the grid.
func (x *explainer) direction(i int) (direction, evidence string, err error) {
	in := x.sig.Inputs[i]
	if in.Type.Kind == dsl.WordKind {
		return "", "", nil
	}
	up, err := x.gate.Moves(x.rule, in.Name.Text, prove.Increasing, explainBoxes)
	if err != nil {
		return "", "", err
	}
	down, err := x.gate.Moves(x.rule, in.Name.Text, prove.Decreasing, explainBoxes)
	if err != nil {
		return "", "", err
	}
	switch {
	case up.Answer == prove.Proved && down.Answer == prove.Proved:
		return "none", "proved", nil
	case up.Answer == prove.Proved:
		return "rises", "proved", nil
	case down.Answer == prove.Proved:
		return "falls", "proved", nil
	case up.Answer == prove.Refuted && down.Answer == prove.Refuted:
		return "mixed", "proved", nil
	}
	return x.seen(i), "seen on the grid", nil
}

// seen compares the results at grid points with those where input i alone has another point's value.
func (x *explainer) seen(i int) string {
	grid := x.gate.Grid()
	rises, falls := false, false
	for k := range grid.Len() {
		p := grid.Point(k)
		at, before := p[i], x.program.Num(p)
		for step := 1; step <= 8; step++ {
			p[i] = grid.Point((k + step*7) % grid.Len())[i]
			if p[i] == at || !x.gate.Allows(p) {
				continue
			}
			after := x.program.Num(p)
			if p[i] < at {
				before, after = after, before
			}
			rises = rises || prove.WrongMove(prove.Decreasing, before, after)
			falls = falls || prove.WrongMove(prove.Increasing, before, after)
			if p[i] < at {
				before = after
			}
		}
	}
	switch {
	case rises && falls:
		return "mixed"
	case rises:
		return "rises"
	case falls:
		return "falls"
	}
	return "none"
}

// tableSteps is the number of values of an input in its row of the table.
const tableSteps = 5

// base is the point around which the table moves: the signature's own case with the fewest inputs at
// an end of their domain, else the first point of the grid.
func (x *explainer) base() []float64 {
	best, fewest := x.gate.Grid().Point(0), len(x.sig.Inputs)+1
	k := 0
	for _, c := range x.sig.Clauses {
		if c.Kind != dsl.CaseClause || k >= x.gate.Grid().Len() {
			continue
		}
		p, ends := x.gate.Grid().Point(k), 0
		for i, in := range x.sig.Inputs {
			if p[i] == in.Lo || p[i] == in.Hi {
				ends++
			}
		}
		if ends < fewest {
			best, fewest = p, ends
		}
		k++
	}
	return best
}

// table moves input i through the values that the assumptions leave it, the others staying at the base.
func (x *explainer) table(i int) jsonTableOf {
	in, point := x.sig.Inputs[i], x.base()
	var allowed []float64
	for _, v := range spread(in, point[i]) {
		point[i] = v
		if x.gate.Allows(point) {
			allowed = append(allowed, v)
		}
	}
	slices.Sort(allowed)
	allowed = slices.Compact(allowed)
	t := jsonTableOf{Input: in.Name.Text, Values: []string{}, Results: []string{}}
	steps := min(tableSteps, len(allowed))
	for k := range steps {
		point[i] = allowed[k*(len(allowed)-1)/max(steps-1, 1)]
		t.Values = append(t.Values, gate.FormatValue(in.Type, point[i]))
		t.Results = append(t.Results, gate.FormatValue(x.sig.Result, shorten(x.sig.Result, x.program.Num(point))))
	}
	return t
}

// shorten keeps four significant digits of a number that a person compares with its neighbours.
func shorten(t dsl.Type, v float64) float64 {
	if t.Kind != dsl.NumKind || v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v
	}
	return short
}

// spread returns values of a domain: all words, both truth values, and numbers evenly across it, by equal
// factors where it is wide, and around the value at.
func spread(in *dsl.Input, at float64) []float64 {
	switch in.Type.Kind {
	case dsl.BoolKind:
		return []float64{0, 1}
	case dsl.WordKind:
		vs := make([]float64, len(in.Type.Words))
		for i := range vs {
			vs[i] = float64(i)
		}
		return vs
	}
	var vs []float64
	add := func(v float64) {
		if in.Int {
			v = math.Round(v)
		}
		if v >= in.Lo && v <= in.Hi {
			vs = append(vs, shorten(dsl.NumType, v))
		}
	}
	for k := range 9 {
		share := float64(k) / 8
		add(share * 2 * at)
		if in.Lo >= 0 && in.Hi > 1000 {
			add(in.Lo + fmath.Exp(share*fmath.Log(1+in.Hi-in.Lo)) - 1)
		} else {
			add(in.Lo + share*(in.Hi-in.Lo))
		}
	}
	return vs
}

func (a *app) printExplained(r *dsl.Rule, sig *dsl.Signature, e *jsonExplained) error {
	fmt.Fprintf(a.stdout, "%s\n%s, %d operators and calls\n\n", dsl.FormatRule(r), e.Signature, e.Ops)
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "input\tdomain\tas it grows the result\tmeaning")
	for i, in := range e.Inputs {
		move := "does not change: it is not read"
		switch {
		case in.Read && in.Direction == "":
			move = "-"
		case in.Read && in.Direction == "none":
			move = "does not change (" + in.Evidence + ")"
		case in.Read && in.Direction == "mixed":
			move = "moves both ways (" + in.Evidence + ")"
		case in.Read:
			move = in.Direction + " (" + in.Evidence + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", in.Name, domainText(sig.Inputs[i]), move, in.Meaning)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	for _, c := range e.Claims {
		fmt.Fprintf(a.stdout, "%s: %s\n", c.Claim, strings.TrimSpace(c.Answer+" "+witnessText(c)))
	}
	return a.printTable(e)
}

func witnessText(c jsonProof) string {
	if c.Witness == "" {
		return ""
	}
	return fmt.Sprintf("(at %s the result is %s)", c.Witness, c.Value)
}

func domainText(in *dsl.Input) string {
	_, text, _ := strings.Cut(dsl.FormatInput(in), ": ")
	return text
}

func (a *app) printTable(e *jsonExplained) error {
	fmt.Fprintf(a.stdout, "\nvalues, one input moving, the others at: %s\n", e.Base)
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	for _, t := range e.Table {
		fmt.Fprintf(w, "  %s\t%s\t\n", t.Input, strings.Join(t.Values, "\t"))
		fmt.Fprintf(w, "  result\t%s\t\n", strings.Join(t.Results, "\t"))
	}
	return w.Flush()
}
