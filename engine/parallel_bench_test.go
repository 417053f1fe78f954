package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// sleepy is a problem whose evaluations wait for something else.
type sleepy struct {
	fitted
	nap time.Duration
}

func (s sleepy) Evaluate(ctx context.Context, c *slots.Candidate, task slots.Task, seed uint64) (engine.Outcome, error) {
	select {
	case <-time.After(s.nap):
	case <-ctx.Done():
		return engine.Outcome{}, ctx.Err()
	}
	return s.fitted.Evaluate(ctx, c, task, seed)
}

// BenchmarkWorkers runs the same spec with 1 and 8 workers on an evaluator that sleeps 20 ms, and reports
// how many times sooner 8 finish.
//
//	go test ./engine -run '^$' -bench Workers -benchtime 1x
func BenchmarkWorkers(b *testing.B) {
	run := func(workers int) time.Duration {
		c := fitConfig(b)
		c.Tasks.Problem = sleepy{newFitted(b), 20 * time.Millisecond}
		c.Parallel = engine.Parallel{Lanes: 8, Workers: workers}
		c.Actor.Trials = 0
		c.Actor.Proposer = slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
			return &slots.Proposal{Text: "rule fit(x) { return x * " + string(rune('1'+pc.Lease%9)) + " }\n"}, nil
		})
		c.Budget = engine.Budget{Rounds: 4}
		start := time.Now()
		if _, err := engine.Run(context.Background(), c); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	for b.Loop() {
		one, eight := run(1), run(8)
		b.ReportMetric(float64(one)/float64(eight), "times-sooner")
	}
}
