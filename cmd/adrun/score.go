package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/dsl"
)

type scoreFlags struct {
	rule, name, data, seeds string
	set                     []string
	asJSON                  bool
}

func (a *app) scoreCommand() *cobra.Command {
	var f scoreFlags
	cmd := &cobra.Command{
		Use:   "score PROBLEM|SPEC --rule FILE",
		Short: "Measure a rule on a problem",
		Long: `Score measures a rule on a problem: on the instances of --data, or on generated ones. --seeds A:B
names the generated instances from A up to but not including B. 'adrun schema' lists the problems
and their settings. With a SPEC (a file that ends in .yaml, .yml or .json) the start of the spec, or the
rule or text of --rule, is measured on the tasks that are not sealed: this tries an evaluator of your own
without a run. A table is read with the signature that the rule's file declares; without one its
columns make it.`,
		Args: exactly(1, "one PROBLEM or SPEC"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.score(cmd, args[0], f) },
	}
	cmd.Flags().StringVar(&f.rule, "rule", "", "the file with the rule (required, but for a SPEC, which has a start)")
	cmd.Flags().StringVar(&f.name, "name", "", "the rule, when the file holds several")
	cmd.Flags().StringVar(&f.data, "data", "", "a file of instances")
	cmd.Flags().StringVar(&f.seeds, "seeds", "", "the generated instances, A:B")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "a setting of the problem, key=value (repeatable)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the score as JSON")
	return cmd
}

func (a *app) score(cmd *cobra.Command, name string, f scoreFlags) error {
	if namesSpec(name) {
		return a.scoreSpec(cmd.Context(), name, f)
	}
	problem, q, err := scoreRequest(name, f)
	if err != nil {
		return &usageError{err}
	}
	if f.rule == "" {
		return usagef("score needs --rule FILE")
	}
	if problem, q.Program, err = a.compileFor(problem, q, f); err != nil {
		return err
	}
	values, err := problem.Score(cmd.Context(), q)
	if err != nil {
		return err
	}
	return a.printValues(values, f.asJSON)
}

func (a *app) printValues(values []catalog.Value, asJSON bool) error {
	if asJSON {
		return a.printJSON(orderedValues(values))
	}
	for _, v := range values {
		fmt.Fprintf(a.stdout, "%-12s %v\n", v.Name, v.Value)
	}
	return nil
}

func scoreRequest(name string, f scoreFlags) (catalog.Problem, catalog.Request, error) {
	q := catalog.Request{Data: f.data}
	problem, err := catalog.ByName(name)
	if err != nil {
		return problem, q, err
	}
	if q.Settings, err = catalog.ParseSettings(f.set); err != nil {
		return problem, q, err
	}
	if err := problem.CheckSettings(q.Settings); err != nil {
		return problem, q, err
	}
	switch {
	case problem.Score == nil && problem.Open == nil:
		return problem, q, fmt.Errorf("%s is scored by the program that a spec names: 'adrun score SPEC' asks it", problem.Name)
	case f.data == "" && problem.Open != nil:
		return problem, q, fmt.Errorf("%s needs --data FILE: %s", problem.Name, problem.Data)
	case f.data != "" && problem.Data == "":
		return problem, q, fmt.Errorf("%s reads no data", problem.Name)
	case f.seeds != "" && problem.SeedMeaning == "":
		return problem, q, fmt.Errorf("%s has no seeds: what is scored is in --data", problem.Name)
	case f.data != "" && problem.SeedMeaning != "" && (f.seeds != "" || len(f.set) > 0):
		return problem, q, fmt.Errorf("--data names the instances; --seeds and --set are about generated ones")
	}
	q.Seeds = problem.DefaultSeeds
	if f.seeds != "" {
		q.Seeds, err = catalog.ParseRange(f.seeds)
	}
	return problem, q, err
}

// compileFor loads a rule file and compiles its rule for the signature of a problem. A problem of a file is opened with
// the signature that the rule file declares, else with the one that it makes.
func (a *app) compileFor(problem catalog.Problem, q catalog.Request, f scoreFlags) (catalog.Problem, *dsl.Program, error) {
	name, text, err := a.readSource(f.rule)
	if err != nil {
		return problem, nil, err
	}
	var more []*dsl.Signature
	if problem.Open != nil {
		if problem, err = openFor(problem, q, name, text); err != nil {
			return problem, nil, err
		}
	}
	sig, err := problem.Signature()
	if err != nil {
		return problem, nil, err
	}
	if problem.Open != nil {
		more = append(more, sig)
	}
	src, diags, err := check(name, text, sig.Name.Text, more...)
	if err != nil {
		return problem, nil, err
	}
	a.printDiagnostics(text, diags)
	if diags.HasErrors() {
		return problem, nil, errFindings
	}
	r, _, err := src.rule(f.name)
	if err != nil {
		return problem, nil, err
	}
	program, err := dsl.Compile(r, sig)
	return problem, program, err
}

// openFor opens a problem of a file for the rules of a text.
func openFor(problem catalog.Problem, q catalog.Request, name, text string) (catalog.Problem, error) {
	files := catalog.Files{Path: q.Data, Settings: q.Settings}
	file, diags := dsl.ParseLimits(name, text, dsl.Limits{})
	declares := func(d dsl.Decl) bool { _, ok := d.(*dsl.Signature); return ok }
	if !diags.HasErrors() && slices.ContainsFunc(file.Decls, declares) {
		var err error
		if files.Signature, err = chooseSignature(file, ""); err != nil {
			return problem, fmt.Errorf("%s: %w", name, err)
		}
	}
	return problem.Open(files)
}

// orderedValues prints as a JSON object in the order of the list.
type orderedValues []catalog.Value

func (vs orderedValues) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, v := range vs {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(v.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		fmt.Fprintf(&b, "%q:%s", v.Name, text)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}
