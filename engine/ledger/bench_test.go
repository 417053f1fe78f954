package ledger_test

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/ledger"
	"github.com/agentdescent/adrun/slots"
)

// acceptAll commits every candidate.
type acceptAll struct{}

func (acceptAll) Accept(ctx slots.MergeContext) (slots.AcceptDecision, error) {
	return slots.AcceptDecision{Accept: true, Category: slots.Committed, Prior: ctx.Prior}, nil
}

// flat is a problem that costs nothing.
func flat() engine.Callables {
	p := engine.Callables{Name: "flat", Initial: "0"}
	for i := range 20 {
		p.Tasks = append(p.Tasks, slots.Task{ID: "t" + strconv.Itoa(i)})
	}
	p.Run = func(_ context.Context, rendered string, _ slots.Task) (string, error) { return rendered, nil }
	p.Reward = func(slots.Task, string) float64 { return 0.5 }
	return p
}

// BenchmarkDurableRounds sets durable rounds (4 lanes, evaluations that cost nothing, a commit a round)
// beside bare one-row commits to a SQLite file with the same settings, measured in turns in the same run.
func BenchmarkDurableRounds(b *testing.B) {
	b.ReportAllocs()
	const each = 300
	var rounds, bare time.Duration
	n := 0
	for b.Loop() {
		dir := b.TempDir()
		rounds += timeRounds(b, filepath.Join(dir, "l.db"), each)
		bare += timeBare(b, filepath.Join(dir, "bare.db"), each)
		n += each
	}
	b.ReportMetric(float64(n)/rounds.Seconds(), "rounds/s")
	b.ReportMetric(float64(n)/bare.Seconds(), "bare-commits/s")
	b.ReportMetric(bare.Seconds()/rounds.Seconds()*100, "%-of-bare")
}

func timeRounds(b *testing.B, path string, n int) time.Duration {
	s := open(b, path)
	c := engine.Config{
		Tasks:    engine.Tasks{Problem: flat()},
		Policies: slots.Policies{Acceptance: acceptAll{}},
		Actor: engine.Actor{Proposer: slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
			return &slots.Proposal{Text: strconv.Itoa(pc.Lease + 1)}, nil
		})},
		Parallel: engine.Parallel{Lanes: 4, Workers: 2},
		Budget:   engine.Budget{Rounds: n},
		Ledger:   engine.LedgerConfig{Store: s},
	}
	start := time.Now()
	res, err := engine.Run(context.Background(), c)
	if err != nil {
		b.Fatal(err)
	}
	took := time.Since(start)
	if res.Outcomes[slots.Committed] != n {
		b.Fatalf("outcomes %v", res.Outcomes)
	}
	return took
}

func timeBare(b *testing.B, path string, n int) time.Duration {
	s := open(b, path)
	ledger.Exec(b, s, `CREATE TABLE bare (n INTEGER PRIMARY KEY, v TEXT)`)
	start := time.Now()
	for i := range n {
		ledger.Exec(b, s, `INSERT INTO bare (v) VALUES (?)`, strconv.Itoa(i))
	}
	return time.Since(start)
}
