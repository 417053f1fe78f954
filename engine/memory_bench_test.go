package engine_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// BenchmarkCandidates passes a million different rules through the gate of one run, each tried on four tasks, and reports the
// live heap after a tenth of them and after all: what a run remembers of candidates is bounded.
func BenchmarkCandidates(b *testing.B) {
	const all, lanes, rounds = 1_000_000, 4, 10
	const each = all / lanes / rounds
	for b.Loop() {
		c := fitConfig(b)
		var done atomic.Int64
		var early, late float64
		c.Actor.Trials = 4 * each
		c.Budget.Rounds = rounds
		c.Parallel.Lanes = lanes
		c.Actor.Proposer = slots.ProposerFunc(func(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
			for i := range each {
				candidate, ok := pc.Trial.Admit(line(float64(pc.Lease*each+i) / all))
				if !ok {
					b.Error("a line was refused")
				}
				if _, err := pc.Trial.Try(ctx, candidate, []int{0, 3, 6, 9}); err != nil {
					return nil, err
				}
				switch done.Add(1) {
				case all / 10:
					early = liveMB()
				case all:
					late = liveMB()
				}
			}
			return nil, nil
		})
		res, err := engine.Run(context.Background(), c)
		if err != nil {
			b.Fatal(err)
		}
		if res.Gated != all {
			b.Fatalf("%d gated", res.Gated)
		}
		b.ReportMetric(early, "MB-after-100k")
		b.ReportMetric(late, "MB-after-1M")
	}
}

// liveMB is the heap that is in use after a collection.
func liveMB() float64 {
	runtime.GC()
	runtime.GC() // pools are emptied by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

// line is the rule 3·x + y.
func line(y float64) *dsl.Rule {
	return &dsl.Rule{Name: dsl.Ident{Text: "fit"}, Body: &dsl.Block{Stmts: []dsl.Stmt{&dsl.Return{Value: &dsl.Binary{
		Op: dsl.Add,
		X:  &dsl.Binary{Op: dsl.Mul, X: &dsl.Num{Value: 3}, Y: &dsl.Ref{Name: "x"}},
		Y:  &dsl.Num{Value: y},
	}}}}}
}
