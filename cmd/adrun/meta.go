package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/slots"
)

func (a *app) metaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "meta",
		Short: "Evolve the engine's own decisions, and say what that is worth",
		Long: `Meta works with specs of kind policy_slot: what evolves is the value of one of the engine's own slots,
and a task is a whole inner search from a seed. 'adrun schema' lists the slots and the inner problems.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q for %s", args[0], cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.metaRunCommand(), a.metaEvolveCommand(), a.metaValidateCommand(), a.metaDoctorCommand())
	return cmd
}

func (a *app) metaRunCommand() *cobra.Command {
	return a.metaEvolving(&cobra.Command{
		Use:   "run SPEC",
		Short: "Evolve a slot's value, judge it on unseen problems, and adopt or reject it",
		Long: `Run evolves as 'adrun evolve' does, then measures the value and its seed again, paired, on the pairs it
was trained on, on unseen seeds, and on the problems of data.val_problems. Beside it stand two controls,
values tuned by hand and the best of many proposals from the seed at the same budget, and what an oracle
could still gain.`,
	}, false)
}

func (a *app) metaEvolveCommand() *cobra.Command {
	return a.metaEvolving(&cobra.Command{
		Use:   "evolve SPEC",
		Short: "Evolve a slot's value without judging it",
		Long:  `Evolve makes the outer run alone, without the verdict and the controls of 'adrun meta run'.`,
	}, true)
}

// metaEvolving makes cmd a verb that evolves a spec of kind policy_slot.
func (a *app) metaEvolving(cmd *cobra.Command, unjudged bool) *cobra.Command {
	f := evolveFlags{unjudged: unjudged}
	cmd.Args = exactly(1, "one SPEC")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f.check = func(s *spec.Spec) error {
			if s.Kind != spec.KindPolicySlot {
				return wrongKind(args[0], s)
			}
			if !unjudged && len(s.Data.ValProblems) == 0 {
				return fmt.Errorf("%s: data.val_problems is missing: a verdict needs problems that were not trained on ('adrun meta evolve' does without)", args[0])
			}
			return nil
		}
		return a.evolve(cmd, args[0], f)
	}
	runsFlag(cmd, &f.store)
	workersFlag(cmd, &f.workers)
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "the seed of the run, instead of the spec's")
	cmd.Flags().StringVar(&f.out, "out", "", "the directory to write (default runs/NAME-SEED)")
	replayFlag(cmd, &f)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	return cmd
}

func wrongKind(path string, s *spec.Spec) error {
	return fmt.Errorf("%s: kind is %s: meta works with kind %s", path, s.Kind, spec.KindPolicySlot)
}

type metaValueFlags struct {
	value, against, seeds string
	problems              []string
	workers               int
	asJSON                bool
}

func (a *app) metaValidateCommand() *cobra.Command {
	var f metaValueFlags
	cmd := &cobra.Command{
		Use:   "validate SPEC --value FILE",
		Short: "Compare two values of a slot on the same searches",
		Long: `Validate measures the value of a file against the seed value of the spec, or against --against, on each
problem of data.val_problems with data.val_seeds, or on other problems and seeds. Pairs belong together by problem
and seed.`,
		Args: exactly(1, "one SPEC"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.metaValidate(cmd, args[0], f) },
	}
	workersFlag(cmd, &f.workers)
	cmd.Flags().StringVar(&f.value, "value", "", "the file with the value (required)")
	cmd.Flags().StringVar(&f.against, "against", "", "the file with the value to compare with (default the spec's seed value)")
	cmd.Flags().StringSliceVar(&f.problems, "problems", nil, "inner problems, instead of the spec's")
	cmd.Flags().StringVar(&f.seeds, "seeds", "", "the seeds, A:B, instead of the spec's")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the comparison as JSON")
	return cmd
}

func (a *app) metaValidate(cmd *cobra.Command, path string, f metaValueFlags) (err error) {
	if f.value == "" {
		return usagef("validate needs --value FILE")
	}
	if err := checkWorkers(f.workers); err != nil {
		return err
	}
	p, err := a.metaPlan(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	c := p.meta
	v := meta.ValidateConfig{
		Spec: c.Spec, Before: c.Spec.Initial(), Problems: c.Validation, Seeds: c.JudgingSeeds(), Score: c.Score, Workers: f.workers,
	}
	if len(v.Problems) == 0 {
		v.Problems = c.Problems
	}
	if len(f.problems) > 0 {
		if v.Problems, err = p.innerProblems(f.problems); err != nil {
			return &usageError{err}
		}
	}
	if f.seeds != "" {
		if v.Seeds, err = seedsOf(f.seeds, ""); err != nil {
			return &usageError{err}
		}
	}
	if v.After, err = a.metaValue(c.Spec, f.value); err != nil {
		return err
	}
	if f.against != "" {
		if v.Before, err = a.metaValue(c.Spec, f.against); err != nil {
			return err
		}
	}
	r, err := meta.Validate(cmd.Context(), v)
	if err != nil {
		return err
	}
	if f.asJSON {
		return a.printJSON(r)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "problem\tn\tbefore\tafter\tgain\tsd\t95 % interval\tt p\twins\tlosses\tsign p")
	for _, p := range r.Problems {
		pairedRow(w, p.Problem, p.Paired)
	}
	if len(r.Problems) > 1 {
		pairedRow(w, "all", r.Paired)
	}
	return w.Flush()
}

// metaPlan reads a spec of kind policy_slot and builds what its values are measured on. The plan is to be closed.
func (a *app) metaPlan(path string) (*plan, error) {
	s, _, err := a.loadSpec(path)
	if err != nil {
		return nil, err
	}
	if s.Kind != spec.KindPolicySlot {
		return nil, wrongKind(path, s)
	}
	p := blankPlan(s, path)
	p.failures.to = a.stderr
	p.meta, err = p.metaConfig()
	return p, err
}

// metaValue reads the value of a slot from a file. The signature that best.rule carries may stand beside it.
func (a *app) metaValue(s meta.SlotSpec, path string) (slots.State, error) {
	_, text, err := a.readSource(path)
	if err != nil {
		return nil, err
	}
	state, err := meta.ParseValue(s, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return state, nil
}

func (a *app) metaDoctorCommand() *cobra.Command {
	var workers int
	var asJSON bool
	var values []string
	cmd := &cobra.Command{
		Use:   "doctor SPEC",
		Short: "Say whether the inner problems of a spec can carry an outer run",
		Long: `Doctor runs the inner problems of a spec with the seed value and with values tuned by hand, and checks what
an outer run on them needs: the same value twice gives the same numbers; the seed moves the run; values
differ by more than their noise; there is headroom. --value adds a value of your own to those tuned by hand. Exit
code 1 says that a check failed.`,
		Args: exactly(1, "one SPEC"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := checkWorkers(workers); err != nil {
				return err
			}
			p, err := a.metaPlan(args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.close()) }()
			c := p.meta
			d := meta.DoctorConfig{
				Spec: c.Spec, Problems: append(c.Problems, c.Validation...), Seeds: c.Seeds, Score: c.Score, Workers: workers,
			}
			for _, path := range values {
				state, err := a.metaValue(c.Spec, path)
				if err != nil {
					return err
				}
				d.Values = append(d.Values, meta.Member{Name: baseName(path), State: state})
			}
			checks, err := meta.Doctor(cmd.Context(), d)
			if err != nil {
				return err
			}
			return a.printChecks(checks, asJSON)
		},
	}
	workersFlag(cmd, &workers)
	cmd.Flags().StringArrayVar(&values, "value", nil, "a file with a value to compare with (repeatable)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the checks as JSON")
	return cmd
}

func (a *app) printChecks(checks []meta.Check, asJSON bool) error {
	if asJSON {
		if err := a.printJSON(checks); err != nil {
			return err
		}
	}
	failed := false
	for _, c := range checks {
		word := "ok"
		if !c.OK {
			word, failed = "FAILED", true
		}
		if !asJSON {
			fmt.Fprintf(a.stdout, "%-6s  %s: %s: %s\n", word, c.Problem, c.Name, c.Detail)
		}
	}
	if failed {
		return errFindings
	}
	return nil
}
