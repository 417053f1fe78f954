package main

import (
	"encoding/json"
	"fmt"
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
		Use:   "score PROBLEM --rule FILE",
		Short: "Measure a rule on a problem",
		Long: `Score measures a rule on a problem: on the instances of --data, or on generated ones. --seeds A:B
names the generated instances from A up to but not including B. 'adrun schema' lists the problems
and their settings.`,
		Args: exactly(1, "one PROBLEM"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.score(cmd, args[0], f) },
	}
	cmd.Flags().StringVar(&f.rule, "rule", "", "the file with the rule (required)")
	cmd.Flags().StringVar(&f.name, "name", "", "the rule, when the file holds several")
	cmd.Flags().StringVar(&f.data, "data", "", "a file of instances")
	cmd.Flags().StringVar(&f.seeds, "seeds", "", "the generated instances, A:B")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "a setting of the problem, key=value (repeatable)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the score as JSON")
	return cmd
}

func (a *app) score(cmd *cobra.Command, name string, f scoreFlags) error {
	problem, q, err := scoreRequest(name, f)
	if err != nil {
		return &usageError{err}
	}
	if f.rule == "" {
		return usagef("score needs --rule FILE")
	}
	q.Program, err = a.compileFor(problem, f.rule, f.name)
	if err != nil {
		return err
	}
	values, err := problem.Score(cmd.Context(), q)
	if err != nil {
		return err
	}
	if f.asJSON {
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
	if f.data != "" && (problem.Data == "" || f.seeds != "" || len(f.set) > 0) {
		if problem.Data == "" {
			return problem, q, fmt.Errorf("%s reads no data", problem.Name)
		}
		return problem, q, fmt.Errorf("--data names the instances; --seeds and --set are about generated ones")
	}
	q.Seeds = problem.DefaultSeeds
	if f.seeds != "" {
		q.Seeds, err = catalog.ParseRange(f.seeds)
	}
	return problem, q, err
}

// compileFor loads a rule file and compiles its rule for the signature of a problem.
func (a *app) compileFor(problem catalog.Problem, path, name string) (*dsl.Program, error) {
	sig, err := problem.Signature()
	if err != nil {
		return nil, err
	}
	src, err := a.mustLoad(path, sig.Name.Text)
	if err != nil {
		return nil, err
	}
	r, _, err := src.rule(name)
	if err != nil {
		return nil, err
	}
	return dsl.Compile(r, sig)
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
