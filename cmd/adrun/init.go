package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
)

type initFlags struct {
	kind, data, out string
	asJSON          bool
}

func (a *app) initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init TARGET",
		Short: "Write a commented spec that runs as it is",
		Long: `Init writes a spec for TARGET, the signature of the rule that is to evolve, such as binpack.priority.
--data names the problem on which it evolves; a target that only one problem evolves needs none.
'adrun schema' lists problems and signatures. The file is NAME.yaml, with the problem's name, and is
never written over.`,
		Args: exactly(1, "one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.init(args[0], f) },
	}
	cmd.Flags().StringVar(&f.kind, "kind", "rule", "what evolves: rule")
	cmd.Flags().StringVar(&f.data, "data", "", "the problem")
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "the file to write (default NAME.yaml)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print what was written as JSON")
	return cmd
}

func (a *app) init(target string, f initFlags) error {
	if f.kind != "rule" {
		return usagef("--kind is %q: what evolves is a rule", f.kind)
	}
	p, err := problemFor(target, f.data)
	if err != nil {
		return &usageError{err}
	}
	var text bytes.Buffer
	if err := specTemplate().Execute(&text, p); err != nil {
		return err
	}
	if _, err := spec.Load("the spec of "+p.Name, text.Bytes()); err != nil {
		return err
	}
	if f.out == "" {
		f.out = p.Name + ".yaml"
	}
	file, err := os.OpenFile(f.out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: choose another --out, or remove it", f.out)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(text.Bytes())
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if f.asJSON {
		return a.printJSON(struct {
			File    string `json:"file"`
			Problem string `json:"problem"`
		}{f.out, p.Name})
	}
	_, err = fmt.Fprintf(a.stdout, "%s is written: 'adrun plan %s' says what it would do, 'adrun evolve %s' does it\n", f.out, f.out, f.out)
	return err
}

// problemFor finds the problem whose rules are functions of the signature.
func problemFor(target, name string) (catalog.Problem, error) {
	if name != "" {
		p, err := catalog.ByName(name)
		if err == nil && p.SignatureName != target {
			err = fmt.Errorf("%s evolves %s, not %s", p.Name, p.SignatureName, target)
		}
		return p, err
	}
	var fits []catalog.Problem
	var names, targets []string
	for _, p := range catalog.All() {
		if p.SignatureName == "" {
			continue // the spec or the data say what its rules are functions of
		}
		targets = append(targets, p.SignatureName)
		if p.SignatureName == target {
			fits = append(fits, p)
			names = append(names, p.Name)
		}
	}
	switch len(fits) {
	case 0:
		return catalog.Problem{}, fmt.Errorf("no problem evolves %q: there are %s", target, strings.Join(targets, ", "))
	case 1:
		return fits[0], nil
	}
	return catalog.Problem{}, fmt.Errorf("several problems evolve %s: choose one with --data: %s", target, strings.Join(names, ", "))
}

func specTemplate() *template.Template {
	return template.Must(template.New("spec").Parse(`# Evolves {{.SignatureName}}. {{.Name}}: {{.Meaning}}.
# 'adrun plan FILE' says what a run would do, 'adrun schema --spec' what else may stand here.
version: 1
kind: rule
name: {{.Name}}
target: {{.SignatureName}}
data:
  problem: {{.Name}}
{{- if .Settings}}
  settings:
{{- range .Settings}}
    {{.Name}}: {{.Default}} # {{.Meaning}}
{{- end}}
{{- end}}
  seeds: "1:61" # {{.SeedMeaning}} each, up to but not including the last
  sealed: "1001:1021" # measured once, at the end, and never used before
  held_out: 0.4 # the share of the seeds that judges candidates, and is never trained on

# The rule to start from; without one, the problem's own.
# start: |
#   rule … { return … }

propose:
  breeder: # offline, without a model
    trials: 400 # evaluations that a proposal may spend on training tasks
    max_ops: 40 # operators and calls of a rule, at most

evolve:
  rounds: 10
  lanes: 4 # rollouts a round; part of what the run is, unlike --workers
  seed: 1
  solved: 1.1 # above 1, every rollout asks for a proposal
  # patience: 5 # rounds without a commit that end the run

# budget:
#   max_rollouts: 100000
#   max_seconds: 600

policies:
  acceptance: paired # for graded rewards; default for rewards of 0 or 1

gate:
  min_gate: 8 # warn under so many held-out tasks
  # constraints: ops <= 20 && !('pow' in calls)
`))
}
