package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

type benchSlotsFlags struct {
	benchFlags
	problems []string
	slots    []string
	refresh  int
}

func (a *app) benchSlotsCommand() *cobra.Command {
	var f benchSlotsFlags
	cmd := &cobra.Command{
		Use:   "slots",
		Short: "Compare every shipped policy of every slot with the defaults",
		Long: `Slots runs each problem with the default policies and then with one slot filled by another shipped
policy, slot by slot, on the same tasks and seeds. A cell's gain is the mean over the seeds of the
quality on unseen tasks, minus that of the defaults. The noise floor is what two sets of n runs would
differ by 19 times in 20 if nothing but their seeds told them apart: 2·√((s₁² + s₂²)/n), with the
standard deviations of both. A gain within it is no finding, and is printed all the same;
"same" counts the seeds on which the policy changed nothing at all.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.benchSlots(cmd.Context(), f) },
	}
	cmd.Flags().StringSliceVar(&f.problems, "problem", []string{"binpack", "landscape"}, "problems of 'adrun schema'")
	cmd.Flags().StringSliceVar(&f.slots, "slot", nil, "slots, by name (default all)")
	cmd.Flags().IntVar(&f.refresh, "refresh", 2, "rounds that a lane keeps its snapshot; at 1 no card is ever stale")
	f.register(cmd, "0:8", 0)
	return cmd
}

// slotCell is one policy on one problem. The row of the defaults has no slot; its gain is that over the
// rule that the runs start from.
type slotCell struct {
	Slot    string  `json:"slot"`
	Policy  string  `json:"policy"`
	Problem string  `json:"problem"`
	N       int     `json:"n"`
	Commits int     `json:"commits"`
	Quality float64 `json:"quality"`
	Gain    float64 `json:"gain"`
	Floor   float64 `json:"noise_floor"`
	// Same counts the seeds on which the run was that of the defaults.
	Same    int    `json:"same"`
	Finding string `json:"finding"`
}

// slotsReport is what the bench found.
type slotsReport struct {
	Tasks    string     `json:"tasks"`
	Unseen   string     `json:"unseen"`
	Seeds    string     `json:"seeds"`
	Rollouts int        `json:"budget_rollouts"`
	Refresh  int        `json:"refresh"`
	Proposer string     `json:"proposer"`
	Cells    []slotCell `json:"cells"`
}

func (a *app) benchSlots(ctx context.Context, f benchSlotsFlags) error {
	if err := f.complete(); err != nil {
		return err
	}
	r := slotsReport{
		Tasks: f.tasks, Unseen: f.unseen, Seeds: f.seeds, Rollouts: f.rollouts, Refresh: f.refresh, Proposer: f.proposer(),
	}
	for _, problem := range f.problems {
		base, err := f.runs(ctx, problem, "", "")
		if err != nil {
			return fmt.Errorf("%s: %w", problem, err)
		}
		r.Cells = append(r.Cells, base.defaults(problem))
		for _, slot := range f.slots {
			for _, name := range f.others(slot) {
				fmt.Fprintf(a.stderr, "%s: %s %s\n", problem, slot, name)
				got, err := f.runs(ctx, problem, slot, name)
				if err != nil {
					return fmt.Errorf("%s, %s %s: %w", problem, slot, name, err)
				}
				r.Cells = append(r.Cells, got.against(base, slotCell{Slot: slot, Policy: name, Problem: problem}))
			}
		}
	}
	if f.asJSON {
		return a.printJSON(r)
	}
	return a.printSlotsReport(r)
}

// complete checks the flags and fills in what was left out.
func (f *benchSlotsFlags) complete() error {
	if err := f.check(); err != nil {
		return err
	}
	if f.refresh < 1 {
		return usagef("--refresh is %d: want at least 1", f.refresh)
	}
	if len(f.slots) == 0 {
		f.slots = slots.SlotNames()
	}
	for _, name := range f.slots {
		if _, err := slots.ByName(name, "default"); err != nil {
			return usagef("--slot: %w", err)
		}
	}
	for _, name := range f.problems {
		if err := checkBenched(name); err != nil {
			return err
		}
	}
	return nil
}

// others are the policies of a slot that the defaults of this bench are compared with.
func (f *benchSlotsFlags) others(slot string) []string {
	base := slots.PolicyNames(slot)[0]
	if slot == "acceptance" {
		base = f.acceptance
	}
	return slices.DeleteFunc(slots.PolicyNames(slot), func(name string) bool { return name == base })
}

// slotRuns are the runs of one policy on one problem, a seed each.
type slotRuns struct {
	start   float64
	quality []float64
	commits int
	logs    [][sha256.Size]byte // of each run, to tell equal ones
}

// digest hashes the log of a run.
func digest(log *engine.Memory) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, e := range log.Entries() {
		fmt.Fprintf(h, "%s %s\n", e.Kind, e.Data)
	}
	h.Sum(sum[:0])
	return sum
}

// runs runs every seed with one slot filled; "" fills none.
func (f *benchSlotsFlags) runs(ctx context.Context, problem, slot, policy string) (*slotRuns, error) {
	seeds, err := parseSeeds(f.seeds)
	if err != nil {
		return nil, err
	}
	var out slotRuns
	for _, seed := range seeds {
		p, err := f.plan(problem, seed, spec.Budget{})
		if err != nil {
			return nil, err
		}
		p.config.Parallel.Refresh = f.refresh
		if slot != "" {
			bundle, err := slots.ByName(slot, policy)
			if err != nil {
				return nil, err
			}
			if bundle.Acceptance == nil {
				bundle.Acceptance = p.config.Policies.Acceptance
			}
			p.config.Policies = bundle
		}
		log := engine.NewMemory()
		p.config.Ledger.Store = log
		res, _, err := p.run(ctx)
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		out.start = res.Sealed.Before.Value
		out.quality = append(out.quality, res.Sealed.After.Value)
		out.commits += res.Outcomes[slots.Committed]
		out.logs = append(out.logs, digest(log))
	}
	return &out, nil
}

// defaults is the row of the default runs.
func (r *slotRuns) defaults(problem string) slotCell {
	c := slotCell{Policy: "defaults", Problem: problem, N: len(r.quality), Same: len(r.quality), Commits: r.commits}
	mean, variance := moments(r.quality)
	c.Quality, c.Gain = mean, mean-r.start
	c.Floor = 2 * math.Sqrt(variance/float64(c.N))
	c.Finding = "gain over the start rule"
	return c
}

// against compares runs with the defaults'.
func (r *slotRuns) against(base *slotRuns, c slotCell) slotCell {
	c.N, c.Commits = len(r.quality), r.commits
	mean, variance := moments(r.quality)
	without, noise := moments(base.quality)
	c.Quality, c.Gain = mean, mean-without
	c.Floor = 2 * math.Sqrt((variance+noise)/float64(c.N))
	for i := range r.logs {
		if r.logs[i] == base.logs[i] {
			c.Same++
		}
	}
	switch {
	case c.Same == c.N:
		c.Finding = "null: the same runs"
	case math.Abs(c.Gain) <= c.Floor:
		c.Finding = "null: within the noise"
	case c.Gain > 0:
		c.Finding = "better"
	default:
		c.Finding = "worse"
	}
	return c
}

// moments are the mean and the sample variance; the variance of one number is 0.
func moments(xs []float64) (mean, variance float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	if len(xs) < 2 {
		return mean, 0
	}
	for _, x := range xs {
		variance += (x - mean) * (x - mean) / float64(len(xs)-1)
	}
	return mean, variance
}

func (a *app) printSlotsReport(r slotsReport) error {
	fmt.Fprintf(a.stdout, "tasks %s, unseen %s, seeds %s, %d rollouts a run, lanes refresh every %d rounds; proposals: %s\n\n",
		r.Tasks, r.Unseen, r.Seeds, r.Rollouts, r.Refresh, r.Proposer)
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "problem\tslot\tpolicy\tcommits\tquality\tunseen gain\tnoise floor\tn\tsame\tfinding")
	for _, c := range r.Cells {
		slot := c.Slot
		if slot == "" {
			slot = "–"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%.4f\t%+.4f\t%.4f\t%d\t%d\t%s\n",
			c.Problem, slot, c.Policy, c.Commits, c.Quality, c.Gain, c.Floor, c.N, c.Same, c.Finding)
	}
	return w.Flush()
}
