package reflector

import (
	"fmt"
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
// with one part left out, on three problems. A cell is the mean reward on tasks that the run never saw, times 100, of
// seed after seed, and behind it the mean of what the part adds.
//
//	go test ./reflector -run '^$' -bench Breeder -benchtime 1x
func BenchmarkBreeder(b *testing.B) {
	variants := []struct {
		name string
		off  parts
	}{
		{"everything", parts{}},
		{"no tuning", parts{tuning: true}},
		{"no twins", parts{twins: true}},
		{"no strict", parts{strict: true}},
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
					fmt.Printf("%-12s %-12s %.2f  mean %.2f  ops %d", p.name, v.name, rewards, mean(rewards), ops/worthSeeds)
					if len(whole) > 0 && v.off != (parts{}) {
						fmt.Printf("  the part adds %+.2f ± %.2f", gain.Mean, gain.SampleSD())
					}
					fmt.Println()
				}
			})
		}
	}
}

// worthProblem is a small run of one problem.
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
	search, err := landscape.NewProblem(landscape.Config{Family: landscape.Target(), Seeds: seedsFrom(1, 400), Sealed: seedsFrom(5001, 2000)})
	if err != nil {
		b.Fatal(err)
	}
	inputs := []string{"item", "bin", "cap", "max_bin"}
	return []worthProblem{
		{"or", packing(binpack.OR, 80, 80, 120, 250, 500, 1000), Breeder{Inputs: inputs}, 2500},
		{"weibull", packing(binpack.Weibull, 40, 20, 2000), Breeder{Inputs: inputs}, 2500},
		{"landscape", search, Breeder{}, 10000},
	}
}

func seedsFrom(first, n int) []int64 {
	seeds := make([]int64, n)
	for i := range seeds {
		seeds[i] = int64(first + i)
	}
	return seeds
}

// run makes a run and returns the mean reward on the sealed tasks, and the operators of the rule.
func (p worthProblem) run(b *testing.B, seed uint64, off parts) (reward float64, ops int) {
	p.breeder.off = off
	res, err := engine.Run(b.Context(), engine.Config{
		Seed:     seed,
		Tasks:    engine.Tasks{Problem: p.problem},
		Actor:    engine.Actor{Proposer: p.breeder, Solved: 1.1, Trials: p.trials},
		Policies: slots.Policies{Acceptance: &slots.PairedAcceptance{Alpha: 0.05}},
		Parallel: engine.Parallel{Lanes: 1},
		Budget:   engine.Budget{Rounds: 12},
		Gate:     engine.Gate{Merge: slots.MergeConfig{CheapTasks: 16}},
	})
	if err != nil {
		b.Fatal(err)
	}
	return res.Sealed.After.Value, opsOf(b, res.Rendered)
}

func opsOf(b *testing.B, text string) int {
	f, err := dsl.Parse("", text)
	if err != nil {
		b.Fatal(err)
	}
	r, _ := dsl.First[*dsl.Rule](f)
	return dsl.Ops(r)
}
