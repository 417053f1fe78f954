package engine_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// acceptAll commits every candidate.
type acceptAll struct{}

func (acceptAll) Accept(ctx slots.MergeContext) (slots.AcceptDecision, error) {
	return slots.AcceptDecision{Accept: true, Category: slots.Committed, Prior: ctx.Prior}, nil
}

// flat is a problem that costs nothing: what a run over it takes is the engine's own.
func flat(tasks int) engine.Callables {
	p := engine.Callables{Name: "flat", Initial: "0"}
	for i := range tasks {
		p.Tasks = append(p.Tasks, slots.Task{ID: "t" + strconv.Itoa(i)})
	}
	p.Run = func(_ context.Context, rendered string, _ slots.Task) (string, error) { return rendered, nil }
	p.Reward = func(slots.Task, string) float64 { return 0.5 }
	return p
}

// BenchmarkRounds measures the engine without evaluation: 4 lanes, a commit a round, in memory. The Beta
// sub-benchmark pays for the exact P(candidate > base) too.
func BenchmarkRounds(b *testing.B) {
	for _, bench := range []struct {
		name       string
		acceptance func() slots.Acceptance
	}{
		{"commit", func() slots.Acceptance { return acceptAll{} }},
		{"beta", func() slots.Acceptance { return &betaAndAccept{} }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			const rounds = 500
			start, total := time.Now(), 0
			for b.Loop() {
				c := engine.Config{
					Tasks:    engine.Tasks{Problem: flat(20)},
					Policies: slots.Policies{Acceptance: bench.acceptance(), Staleness: takeAll{}},
					Actor: engine.Actor{Proposer: slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
						return &slots.Proposal{Text: strconv.Itoa(pc.Lease + 1)}, nil
					})},
					Parallel: engine.Parallel{Lanes: 4, Workers: 2},
					Budget:   engine.Budget{Rounds: rounds},
				}
				res, err := engine.Run(context.Background(), c)
				if err != nil {
					b.Fatal(err)
				}
				if res.Outcomes[slots.Committed] != rounds {
					b.Fatalf("outcomes %v", res.Outcomes)
				}
				total += rounds
			}
			b.ReportMetric(float64(total)/time.Since(start).Seconds(), "rounds/s")
		})
	}
}

type takeAll struct{}

func (takeAll) Decide(int, int, bool) slots.StaleAction { return slots.Accept }

// betaAndAccept computes what the default acceptance computes, then commits.
type betaAndAccept struct{ slots.DefaultAcceptance }

func (p *betaAndAccept) Accept(ctx slots.MergeContext) (slots.AcceptDecision, error) {
	ctx.CandCounts.Successes += 1e-6 // equal counts have a closed answer
	d, err := p.DefaultAcceptance.Accept(ctx)
	d.Accept, d.Category = true, slots.Committed
	return d, err
}

// BenchmarkTrials measures what an evaluation costs a proposer beyond the problem's own work: each is of a
// candidate that nobody has seen.
func BenchmarkTrials(b *testing.B) {
	b.ReportAllocs()
	const trials = 5000
	start, total := time.Now(), 0
	for b.Loop() {
		c := engine.Config{
			Tasks: engine.Tasks{Problem: flat(20)},
			Actor: engine.Actor{Trials: trials, Proposer: slots.ProposerFunc(func(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
				for i := 0; pc.Trial.Left() >= 10; i++ {
					id := strconv.Itoa(pc.Lease*trials + i)
					c, _ := pc.Trial.AdmitText(id)
					if _, err := pc.Trial.Try(ctx, c, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}); err != nil {
						return nil, err
					}
				}
				return nil, nil
			})},
			Parallel: engine.Parallel{Lanes: 4, Workers: 2},
			Budget:   engine.Budget{Rounds: 5},
		}
		res, err := engine.Run(context.Background(), c)
		if err != nil {
			b.Fatal(err)
		}
		total += res.Spend.Rollouts
	}
	b.ReportMetric(float64(total)/time.Since(start).Seconds(), "evaluations/s")
}
