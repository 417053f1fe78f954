package main

import (
	"context"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/slots"
)

type benchAllocatorFlags struct {
	benchFlags
	problem string
	maxCost float64
	yes     bool
}

func (a *app) benchAllocatorCommand() *cobra.Command {
	var f benchAllocatorFlags
	cmd := &cobra.Command{
		Use:   "allocator --problem P --max-cost N",
		Short: "Compare runs with and without the value allocator at equal budgets",
		Long: `Allocator runs each seed twice, on the same work with the same budget: once with the governor alone
(off), once with the value allocator beside it (on). It prints the quality on unseen tasks, the spend and
how often the allocator fired: skipped a self-verification, or looked although it would have skipped.
Where it never fired the two arms are one run, and nothing was compared.

--max-cost is the cap that the allocator divides, in operators evaluated; it acts when less than half is
left, so a cap that a run does not reach half of compares nothing. Without --yes the plan is printed and
nothing is run.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.benchAllocator(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.problem, "problem", "", "a problem of 'adrun schema' (required)")
	cmd.Flags().Float64Var(&f.maxCost, "max-cost", 0, "units of cost that a run may spend (required)")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "run it")
	f.register(cmd, "0,1,2", 0)
	return cmd
}

// allocatorReport is what the bench found.
type allocatorReport struct {
	Problem  string         `json:"problem"`
	Tasks    string         `json:"tasks"`
	Unseen   string         `json:"unseen"`
	Rollouts int            `json:"budget_rollouts"`
	MaxCost  float64        `json:"max_cost"`
	Proposer string         `json:"proposer"`
	Runs     []allocatorRun `json:"runs"`
	// Start is the quality of the rule that the runs start from, Off and On are means over the seeds.
	Start   float64      `json:"start"`
	Off     allocatorArm `json:"off"`
	On      allocatorArm `json:"on"`
	Fired   int          `json:"fired"`
	Win     bool         `json:"win"`
	Verdict string       `json:"verdict"`
}

// allocatorRun is one run. Allocation is null without an allocator.
type allocatorRun struct {
	Seed       uint64                  `json:"seed"`
	Arm        string                  `json:"arm"`
	Start      float64                 `json:"start"`
	Quality    float64                 `json:"quality"`
	Spend      float64                 `json:"spend"`
	Rounds     int                     `json:"rounds"`
	Commits    int                     `json:"commits"`
	Stop       engine.StopReason       `json:"stop"`
	Allocation *engine.AllocationStats `json:"allocation"`
}

// allocatorArm is the mean of an arm.
type allocatorArm struct {
	Quality float64 `json:"quality"`
	Spend   float64 `json:"spend"`
}

func (a *app) benchAllocator(ctx context.Context, f benchAllocatorFlags) error {
	if f.problem == "" || f.maxCost <= 0 {
		return usagef("bench allocator needs --problem P and --max-cost N: without a cap an allocator never acts")
	}
	if err := checkBenched(f.problem); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	seeds, err := parseSeeds(f.seeds)
	if err != nil {
		return err
	}
	if _, err := f.plan(f.problem, seeds[0], f.budget("value")); err != nil {
		return err
	}
	if !f.yes {
		_, err := fmt.Fprintf(a.stdout, "%d seeds, with and without the allocator: %d runs of at most %d rollouts and %g units of cost each "+
			"on %s; proposals: %s.\nNothing was run: add --yes.\n", len(seeds), 2*len(seeds), f.rollouts, f.maxCost, f.problem, f.proposer())
		return err
	}
	r := allocatorReport{
		Problem: f.problem, Tasks: f.tasks, Unseen: f.unseen, Rollouts: f.rollouts, MaxCost: f.maxCost, Proposer: f.proposer(),
	}
	for _, seed := range seeds {
		for _, arm := range []string{"off", "on"} {
			run, err := f.arm(ctx, seed, arm)
			if err != nil {
				return fmt.Errorf("seed %d, %s: %w", seed, arm, err)
			}
			r.Runs = append(r.Runs, run)
			fmt.Fprintf(a.stderr, "seed %d, %s: quality %.4f, spend %.0f\n", seed, arm, run.Quality, run.Spend)
		}
	}
	r.judge()
	if f.asJSON {
		return a.printJSON(r)
	}
	return a.printAllocatorReport(r)
}

func (f *benchAllocatorFlags) budget(allocator string) spec.Budget {
	return spec.Budget{MaxCost: f.maxCost, Allocator: allocator}
}

// arm runs one seed.
func (f *benchAllocatorFlags) arm(ctx context.Context, seed uint64, arm string) (allocatorRun, error) {
	p, err := f.plan(f.problem, seed, f.budget(map[string]string{"off": "none", "on": "value"}[arm]))
	if err != nil {
		return allocatorRun{}, err
	}
	res, cost, err := p.run(ctx)
	if err != nil {
		return allocatorRun{}, err
	}
	return allocatorRun{
		Seed: seed, Arm: arm, Start: res.Sealed.Before.Value, Quality: res.Sealed.After.Value, Spend: cost, Rounds: len(res.History),
		Commits: res.Outcomes[slots.Committed], Stop: res.Stop, Allocation: res.Allocation,
	}, nil
}

// equalSpend is how far apart, as a share of the cap, two spends are that count as equal: a cap stops a run
// before a round that does not fit, so no two runs spend the same.
const equalSpend = 0.01

// tally is what the pairs of runs say, in numbers of seeds.
type tally struct {
	better, worse int
	found         int // seeds on which either run found a better rule than it started from
}

// means takes the means of the arms and counts.
func (r *allocatorReport) means() (t tally) {
	n := float64(len(r.Runs) / 2)
	for i := 0; i < len(r.Runs); i += 2 {
		off, on := r.Runs[i], r.Runs[i+1]
		r.Start += off.Start / n
		r.Off.Quality += off.Quality / n
		r.Off.Spend += off.Spend / n
		r.On.Quality += on.Quality / n
		r.On.Spend += on.Spend / n
		r.Fired += on.Allocation.Fired()
		switch {
		case on.Quality > off.Quality:
			t.better++
		case on.Quality < off.Quality:
			t.worse++
		}
		if max(off.Quality, on.Quality) > off.Start {
			t.found++
		}
	}
	return t
}

// judge decides whether the allocator won: quality no worse at less spend, or better at equal spend. A win
// needs something to lose: where no run found anything, the quality could not suffer.
func (r *allocatorReport) judge() {
	t := r.means()
	if r.Fired == 0 {
		r.Verdict = "control against control: the allocator never fired, so nothing was compared"
		return
	}
	quality, spend, equal := r.On.Quality-r.Off.Quality, r.On.Spend-r.Off.Spend, r.MaxCost*equalSpend
	r.Win = t.found > 0 && (quality >= 0 && spend < -equal || quality > 0 && spend <= equal)
	word := "no win"
	switch {
	case r.Win:
		word = "win"
	case t.found == 0:
		word = "no win, since no run found anything that the savings could have cost"
	}
	r.Verdict = fmt.Sprintf("%s: quality %+.5f (of %d seeds %d better, %d worse, sign test p = %.2g), spend %+.1f %%",
		word, quality, len(r.Runs)/2, t.better, t.worse, stats.SignTest(t.better, t.worse), 100*spend/r.Off.Spend)
}

func (a *app) printAllocatorReport(r allocatorReport) error {
	fmt.Fprintf(a.stdout, "%s: tasks %s, unseen %s, at most %d rollouts and %g units of cost a run; proposals: %s\n\n",
		r.Problem, r.Tasks, r.Unseen, r.Rollouts, r.MaxCost, r.Proposer)
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "seed\tarm\tquality\tspend\tobserved\tskipped\tcounterfactual\tfired\trounds\tcommits\tstopped by")
	for _, run := range r.Runs {
		fmt.Fprintf(w, "%d\t%s\t%.4f\t%.0f\t", run.Seed, run.Arm, run.Quality, run.Spend)
		for _, n := range allocationColumns(run.Allocation) {
			fmt.Fprintf(w, "%s\t", n)
		}
		fmt.Fprintf(w, "%d\t%d\t%s\n", run.Rounds, run.Commits, run.Stop)
	}
	fmt.Fprintf(w, "mean\tstart\t%.4f\t0\n", r.Start)
	fmt.Fprintf(w, "mean\toff\t%.4f\t%.0f\n", r.Off.Quality, r.Off.Spend)
	fmt.Fprintf(w, "mean\ton\t%.4f\t%.0f\n", r.On.Quality, r.On.Spend)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "\n%s\n", r.Verdict)
	return err
}

// allocationColumns are observed, skipped, counterfactual and fired, dashes without an allocator.
func allocationColumns(s *engine.AllocationStats) []string {
	if s == nil {
		return []string{"–", "–", "–", "–"}
	}
	var out []string
	for _, n := range []int{s.Observed, s.Skipped, s.Counterfactual, s.Fired()} {
		out = append(out, strconv.Itoa(n))
	}
	return out
}
