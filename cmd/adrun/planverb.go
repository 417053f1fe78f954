package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/engine"
)

func (a *app) planCommand() *cobra.Command {
	var seed uint64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plan SPEC",
		Short: "Say what a run would do, and whether its gate can see anything",
		Long: `Plan checks a spec without running it: how the tasks are split, which groups of tasks stand on one side
of the split only, what the first round costs, and the smallest gain that the gate can see with so many
held-out tasks. It warns about too few held-out tasks: below 4, or below the spec's gate.min_gate.`,
		Args: exactly(1, "one SPEC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _, err := a.loadSpec(args[0])
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("seed") {
				s.Evolve.Seed = &seed
			}
			p, err := newPlan(s, args[0])
			if err != nil {
				return err
			}
			if err := p.checkKeys(); err != nil {
				return err
			}
			what, err := engine.NewPlan(p.config)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(p.asked(what))
			}
			return a.printPlan(p, what)
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 0, "the seed of the run, instead of the spec's")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the plan as JSON")
	return cmd
}

func (a *app) printPlan(p *plan, what *engine.Plan) error {
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "run\t%s, seed %d\n", p.name, p.config.Seed)
	fmt.Fprintf(w, "problem\t%s: %s\n", p.problem.Name, p.problem.Meaning)
	fmt.Fprintf(w, "training\t%s\n", tasksLine(what.Train))
	fmt.Fprintf(w, "held out\t%s\n", tasksLine(what.HeldOut))
	fmt.Fprintf(w, "sealed\t%s\n", tasksLine(what.Sealed))
	fmt.Fprintf(w, "lanes\t%d\n", what.Lanes)
	fmt.Fprintf(w, "first round\tat least %d rollouts\n", what.FirstRound.Rollouts)
	p.printModels(w)
	if what.SmallestGain.Known {
		fmt.Fprintf(w, "smallest gain\t%.4g of the held-out tasks\n", what.SmallestGain.Value)
	}
	if what.Sees != "" {
		fmt.Fprintf(w, "the gate\t%s\n", what.Sees)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, warning := range what.Warnings {
		fmt.Fprintf(a.stderr, "adrun: warning: %s\n", warning)
	}
	return nil
}

// tasksLine counts tasks and names the first and the last.
func tasksLine(ids []string) string {
	switch n := len(ids); n {
	case 0:
		return "none"
	case 1:
		return "1 task, " + ids[0]
	default:
		return fmt.Sprintf("%d tasks, %s to %s", n, ids[0], ids[n-1])
	}
}
