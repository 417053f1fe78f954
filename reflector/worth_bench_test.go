package reflector

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/problems/binpack"
	"github.com/agentdescent/adrun/problems/landscape"
	"github.com/agentdescent/adrun/slots"
)

// worthSeeds are the runs of each cell of the table.
const worthSeeds = 6

// BenchmarkBreeder prints what each part of the breeder is worth: runs of one number of trials, with everything and
// with one part left out, on three problems. A cell is the mean reward on tasks that the lease never saw, times 100, of
// seed after seed; behind it stand the operators of the rules, and what the part adds with its standard error.
//
//	go test ./reflector -run '^$' -bench Breeder -benchtime 1x
func BenchmarkBreeder(b *testing.B) {
	variants := []struct {
		name string
		off  parts
	}{
		{"everything", parts{}},
		{"no twins", parts{twins: true}},
		{"no strict", parts{strict: true}},
		{"no parsimony", parts{parsimony: true}},
		{"no tuning", parts{tuning: true}},
	}
	for _, p := range worthProblems(b) {
		var whole []float64
		for _, v := range variants {
			b.Run(p.name+"/"+v.name, func(b *testing.B) {
				for b.Loop() {
					var rewards []float64
					var ops int
					for seed := uint64(1); seed <= worthSeeds; seed++ {
						r, o := p.run(b, seed, v.off)
						rewards = append(rewards, 100*r)
						ops += o
					}
					if v.off == (parts{}) {
						whole = rewards
					}
					gain := stats.Moments{}
					for i := range whole {
						gain.Add(whole[i] - rewards[i])
					}
					fmt.Printf("%-12s %-12s %.2f  mean %.2f  ops %d", p.name, v.name, rewards, stats.Mean(rewards), ops/worthSeeds)
					if len(whole) > 0 && v.off != (parts{}) {
						fmt.Printf("  the part adds %+.2f ± %.2f", gain.Mean, gain.SampleSD()/math.Sqrt(worthSeeds))
					}
					fmt.Println()
				}
			})
		}
	}
}

// worthProblem is a lease on one problem.
type worthProblem struct {
	name    string
	problem engine.Problem
	breeder Breeder
	trials  int
}

func worthProblems(b *testing.B) []worthProblem {
	packing := func(family binpack.Family, seeds, sealed int, items ...int) engine.Problem {
		p, err := binpack.NewProblem(binpack.Config{Family: family, Items: items, Seeds: seedsFrom(1, seeds), Sealed: seedsFrom(1001, sealed)})
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	search, err := landscape.NewProblem(landscape.Config{Family: landscape.Target(), Seeds: seedsFrom(1, 240), Sealed: seedsFrom(5001, 2000)})
	if err != nil {
		b.Fatal(err)
	}
	inputs := []string{"item", "bin", "cap", "max_bin"}
	return []worthProblem{
		{"or", packing(binpack.OR, 48, 200, 120, 250, 500, 1000), Breeder{Inputs: inputs}, 20000},
		{"weibull", packing(binpack.Weibull, 24, 40, 500), Breeder{Inputs: inputs}, 20000},
		{"landscape", search, Breeder{}, 20000},
	}
}

func seedsFrom(first, n int) []int64 {
	seeds := make([]int64, n)
	for i := range seeds {
		seeds[i] = int64(first + i)
	}
	return seeds
}

// run breeds for one lease and returns the mean reward of what it proposes on the sealed tasks, and its operators.
// There is no gate: the breeder is measured, not what is made of its proposals.
func (p worthProblem) run(b *testing.B, seed uint64, off parts) (reward float64, ops int) {
	d := p.problem.Describe()
	t := &problemTrial{bench: &bench{gate: newGate(b, d.Signature), tasks: d.Tasks, left: p.trials}, problem: p.problem}
	start := t.gate.Check(d.Initial).Rule
	c, _ := t.Admit(start)
	p.breeder.off = off
	proposal, err := p.breeder.Propose(b.Context(), &slots.ProposalContext{
		Signature: d.Signature, Candidate: c, Seed: seed, Trial: t, Population: &slots.Population{},
	})
	if err != nil {
		b.Fatal(err)
	}
	if proposal.Rule != nil {
		c, _ = t.Admit(proposal.Rule)
	}
	rewards, err := t.measure(b.Context(), c, d.Sealed)
	if err != nil {
		b.Fatal(err)
	}
	return stats.Mean(rewards), dsl.Ops(c.Rule)
}

// problemTrial tries rules on a problem.
type problemTrial struct {
	*bench
	problem engine.Problem
}

func (t *problemTrial) Try(ctx context.Context, c *slots.Candidate, tasks []int) ([]float64, error) {
	if len(tasks) > t.left {
		return nil, slots.ErrTrialsSpent
	}
	t.left -= len(tasks)
	chosen := make([]slots.Task, len(tasks))
	for i, k := range tasks {
		chosen[i] = t.tasks[k]
	}
	return t.measure(ctx, c, chosen)
}

func (t *problemTrial) measure(ctx context.Context, c *slots.Candidate, tasks []slots.Task) ([]float64, error) {
	rewards := make([]float64, len(tasks))
	for i, task := range tasks {
		o, err := t.problem.Evaluate(ctx, c, task, 0)
		if err != nil {
			return nil, err
		}
		rewards[i] = o.Reward
	}
	return rewards, nil
}
