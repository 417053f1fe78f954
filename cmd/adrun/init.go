package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

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
--data names the problem on which it evolves; a target that only one problem evolves needs none. With
--data FILE, a CSV file of logged decisions, TARGET is the signature of its columns, or just "table".
With --kind policy_slot TARGET is a slot of the engine, such as selection, and --data an inner problem.
With --data command the work is your own: TARGET is a name for the signature, such as jobs.priority, and beside
the spec stand an evaluator in Python and tasks, to be replaced by yours; with --kind text TARGET is a name,
and a proposer stands there too.
'adrun schema' lists problems and signatures. The file is NAME.yaml; no file is ever written over.`,
		Args: exactly(1, "one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.init(args[0], f) },
	}
	cmd.Flags().StringVar(&f.kind, "kind", "rule", "what evolves: rule, text, or policy_slot")
	cmd.Flags().StringVar(&f.data, "data", "", "the problem, command for work of your own, or a file of decisions")
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "the file to write (default NAME.yaml)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print what was written as JSON")
	return cmd
}

func (a *app) init(target string, f initFlags) error {
	if f.out == "-" {
		return usagef("--out names a file: init writes nothing to standard output")
	}
	if f.kind == spec.KindText || f.kind == spec.KindRule && f.data == spec.Command {
		return a.initOwn(target, f)
	}
	d, err := draftOf(target, f)
	if err != nil {
		return &usageError{err}
	}
	var text bytes.Buffer
	if d.Kind == spec.KindPolicySlot {
		err = slotTemplate().Execute(&text, d.slot)
	} else {
		err = specTemplate().Execute(&text, d)
	}
	if err != nil {
		return err
	}
	if _, err := spec.Load("the spec of "+d.Name, text.Bytes()); err != nil {
		return err
	}
	if f.out == "" {
		f.out = d.Name + ".yaml"
	}
	if err := writeOut(f.out, text.Bytes()); err != nil {
		return err
	}
	if f.asJSON {
		return a.printJSON(jsonInit{File: f.out, Problem: d.Problem})
	}
	_, err = fmt.Fprintf(a.stdout, "%s is written: 'adrun plan %s' says what it would do, 'adrun evolve %s' does it\n", f.out, f.out, f.out)
	return err
}

// writeOut writes a file of init's, which must be new.
func writeOut(path string, text []byte) error {
	err := writeNew(path, text, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: choose another --out, or remove it", path)
	}
	return err
}

// jsonInit is what init wrote as --json prints it.
type jsonInit struct {
	File    string   `json:"file"`
	Problem string   `json:"problem"`
	Beside  []string `json:"beside,omitempty"` // the other files
}

// initOwn writes a spec with an evaluator and tasks.
func (a *app) initOwn(target string, f initFlags) error {
	s, err := starterOf(target, f)
	if err != nil {
		return &usageError{err}
	}
	paths, err := s.write(f.out)
	if err != nil {
		return err
	}
	file, beside := paths[0], paths[1:]
	if f.asJSON {
		return a.printJSON(jsonInit{file, spec.Command, beside})
	}
	_, err = fmt.Fprintf(a.stdout, "%s is written, and beside it %s: 'adrun score %s' tries the evaluator, 'adrun evolve %s' evolves\n",
		file, strings.Join(beside, ", "), file, file)
	return err
}

// draftOf finds out what the spec is to say.
func draftOf(target string, f initFlags) (draft, error) {
	switch f.kind {
	case spec.KindPolicySlot:
		return slotDraft(target, f.data)
	case spec.KindRule:
	default:
		return draft{}, fmt.Errorf("--kind is %q: init writes specs of %s, %s and %s", f.kind, spec.KindRule, spec.KindText, spec.KindPolicySlot)
	}
	if f.data != "" && exists(f.data) {
		return tableDraft(target, f)
	}
	p, err := problemFor(target, f.data)
	return draft{
		Kind: f.kind, Name: p.Name, Target: target, Problem: p.Name, Meaning: p.Meaning,
		Settings: p.Settings, Seed: p.SeedMeaning,
	}, err
}

// tableDraft is a spec on a file of decisions, whose name stands in the spec relative to it.
func tableDraft(target string, f initFlags) (draft, error) {
	p, err := catalog.ByName(spec.Table)
	if err != nil {
		return draft{}, err
	}
	opened, err := p.Open(catalog.Files{Path: f.data})
	if err != nil {
		return draft{}, err
	}
	if target != opened.SignatureName && target != spec.Table {
		return draft{}, fmt.Errorf("%s evolves %s, not %s", f.data, opened.SignatureName, target)
	}
	path, err := filepath.Rel(filepath.Dir(f.out), f.data)
	if filepath.IsAbs(f.data) {
		path, err = f.data, nil
	}
	return draft{
		Kind: f.kind, Name: baseName(f.data), Target: opened.SignatureName, Problem: p.Name, Meaning: p.Meaning, Path: path,
	}, err
}

// slotDraft is a spec that evolves one of the engine's own slots on an inner problem where it matters.
func slotDraft(target, data string) (draft, error) {
	w, err := innersFor(target, data)
	return draft{Kind: spec.KindPolicySlot, Name: target, Target: target, Problem: w.Train.Name, slot: w}, err
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
		return catalog.Problem{}, fmt.Errorf("no problem evolves %q: there are %s; --data command is for work of your own", target, strings.Join(targets, ", "))
	case 1:
		return fits[0], nil
	}
	return catalog.Problem{}, fmt.Errorf("several problems evolve %s: choose one with --data: %s", target, strings.Join(names, ", "))
}
