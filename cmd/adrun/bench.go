package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/reflector"
)

// benchFlags describe the runs that a bench compares. Runs of one seed differ in what is compared alone.
type benchFlags struct {
	set           []string
	tasks, unseen string
	seeds         string
	rollouts      int
	trials        int
	acceptance    string
	workers       int
	asJSON        bool
}

func (a *app) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure whether a part of the engine is worth having",
		Long: `Bench runs the same work with and without a part of the engine and prints what came of it, nulls and
losses too. It works offline: the proposals are bred, or made by chance.`,
		Args: exactly(0, "a sub-command"),
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.benchAllocatorCommand(), a.benchSlotsCommand(), a.benchAcceptanceCommand())
	return cmd
}

func (f *benchFlags) register(cmd *cobra.Command, seeds string, trials int) {
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "a setting of the problem, key=value (repeatable)")
	cmd.Flags().StringVar(&f.tasks, "tasks", "1:21", "the seeds of the tasks of a run, A:B")
	cmd.Flags().StringVar(&f.unseen, "unseen", "1001:1101", "the seeds of the tasks that measure what a run found, A:B")
	cmd.Flags().StringVar(&f.seeds, "seeds", seeds, "the seeds of the runs, such as 0,1,2 or 0:8")
	cmd.Flags().IntVar(&f.rollouts, "budget-rollouts", 96, "rollouts of a run's four lanes, trials and measurements not counted")
	cmd.Flags().IntVar(&f.trials, "trials", trials, "evaluations that the breeder may spend a proposal; 0 proposes random changes, untried")
	cmd.Flags().StringVar(&f.acceptance, "acceptance", "default", "default or paired")
	cmd.Flags().IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "evaluations at once; changes nothing but the time")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the report as JSON")
}

// benchLanes is the number of lanes of the runs of a bench.
const benchLanes = 4

// alwaysPropose is a reward that no rollout reaches: each asks for a proposal.
const alwaysPropose = 1.1

// benchRandom is the number of random rules that a proposal's search starts with: each is tried on every
// training task, which leaves little of a few hundred trials to breed with.
const benchRandom = 1

// check reports flags that name nothing.
func (f *benchFlags) check() error {
	switch {
	case f.rollouts < 1 || f.trials < 0 || f.workers < 1:
		return usagef("--budget-rollouts and --workers are at least 1, --trials at least 0")
	case f.acceptance != "default" && f.acceptance != "paired":
		return usagef("--acceptance is %q: want default or paired", f.acceptance)
	}
	if _, err := parseSeeds(f.seeds); err != nil {
		return usagef("--seeds: %w", err)
	}
	return nil
}

// checkBenched refuses problems that do not make their tasks from seeds.
func checkBenched(name string) error {
	p, err := catalog.ByName(name)
	if err != nil {
		return usagef("--problem: %w", err)
	}
	if p.SeedMeaning == "" {
		return usagef("--problem: %s has no seeds to make tasks from: its work is in files", name)
	}
	return nil
}

// parseSeeds reads "0,1,2", each of which may be a range A:B.
func parseSeeds(text string) ([]uint64, error) {
	var seeds []uint64
	for part := range strings.SplitSeq(text, ",") {
		r, err := catalog.ParseRange(part)
		if err != nil {
			return nil, err
		}
		if r.From < 0 {
			return nil, fmt.Errorf("seed %d is negative", r.From)
		}
		for _, s := range r.Seeds() {
			seeds = append(seeds, uint64(s))
		}
	}
	return seeds, nil
}

// proposer says in words who proposes.
func (f *benchFlags) proposer() string {
	if f.trials == 0 {
		return "random changes, untried"
	}
	return fmt.Sprintf("the breeder, %d trials a proposal", f.trials)
}

// rounds is the number of rounds in which the lanes make the rollouts.
func (f *benchFlags) rounds() int { return (f.rollouts + benchLanes - 1) / benchLanes }

// plan makes a run on a problem ready.
func (f *benchFlags) plan(problem string, seed uint64, b spec.Budget) (*plan, error) {
	settings, err := catalog.ParseSettings(f.set)
	if err != nil {
		return nil, &usageError{err}
	}
	s := &spec.Spec{
		Version: 1, Kind: "rule", Name: "bench",
		Data:     spec.Data{Problem: problem, Settings: settings, Seeds: f.tasks, Sealed: f.unseen},
		Evolve:   spec.Evolve{Rounds: f.rounds(), Lanes: benchLanes, Seed: &seed, Solved: alwaysPropose},
		Propose:  spec.Propose{Breeder: &spec.Breeder{Trials: f.trials, Random: benchRandom}},
		Policies: spec.Policies{Acceptance: f.acceptance},
		Budget:   b,
	}
	p, err := newPlan(s, "bench")
	if err != nil {
		return nil, err
	}
	if f.trials == 0 {
		p.config.Actor.Proposer, p.config.Actor.Trials = reflector.Mutant{}, 0
	}
	p.config.Parallel.Workers = f.workers
	return p, nil
}

// run runs a plan in memory. The measurement on the unseen tasks is not part of the spend.
func (p *plan) run(ctx context.Context) (res *engine.Result, cost float64, err error) {
	res, err = engine.Run(ctx, p.config)
	if err != nil {
		return nil, 0, err
	}
	if res.Sealed == nil || !res.Sealed.After.Known {
		return nil, 0, fmt.Errorf("the unseen tasks could not be measured (stopped by %s)", res.Stop)
	}
	for _, row := range res.History {
		cost += row.Spend.Cost
	}
	return res, cost, nil
}
