package reflector_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/slots"
)

// counter is a problem whose text is a number, worth more the larger it is.
func counter() engine.Problem {
	c := engine.Callables{
		Name: "counter", Fingerprint: "1", Initial: "0",
		Run: func(_ context.Context, text string, _ slots.Task) (string, error) { return text, nil },
		Reward: func(_ slots.Task, text string) float64 {
			n, err := strconv.Atoi(text)
			if err != nil {
				return 0
			}
			return min(1, float64(n)/200)
		},
	}
	for i := range 12 {
		c.Tasks = append(c.Tasks, slots.Task{ID: fmt.Sprint(i)})
	}
	return c
}

// counting proposes one more, with a chance, for so many tokens.
func counting(chance float64, tokens int) slots.Proposer {
	return slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
		p := &slots.Proposal{Spend: slots.Spend{Calls: 1, Tokens: tokens}, Replies: map[string]int{"used": 1}}
		if n, err := strconv.Atoi(pc.Candidate.Text); err == nil && derive.Rand(pc.Seed, "luck").Float64() < chance {
			p.Text = strconv.Itoa(n + 1)
		}
		return p, nil
	})
}

// mixConfig is a run of a mix of four on a store.
func mixConfig(store engine.Ledger, rounds, workers int) engine.Config {
	down := slots.ProposerFunc(func(context.Context, *slots.ProposalContext) (*slots.Proposal, error) {
		return nil, errors.New("connection refused")
	})
	mix := reflector.Mix{
		Sources: []reflector.Source{
			{Name: "cheap", Proposer: counting(0.5, 10)}, {Name: "dear", Proposer: counting(0.5, 100)},
			{Name: "idle", Proposer: counting(0, 10)}, {Name: "down", Proposer: down},
		},
		Caps: reflector.Caps{Spend: slots.Spend{Tokens: 100_000}},
	}
	return engine.Config{
		Seed: 5, Tasks: engine.Tasks{Problem: counter()}, Actor: engine.Actor{Proposer: mix, NoVerify: true},
		Policies: slots.Policies{Acceptance: &slots.StrictImprovement{}},
		Parallel: engine.Parallel{Lanes: 4, Workers: workers},
		Budget:   engine.Budget{Rounds: rounds, MaxTokens: 100_000}, Ledger: engine.LedgerConfig{Store: store},
	}
}

// runMix runs it and returns the result and the log.
func runMix(t testing.TB, store engine.Ledger, rounds, workers int) (*engine.Result, string) {
	t.Helper()
	res, err := engine.Run(t.Context(), mixConfig(store, rounds, workers))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := store.Begin(t.Context(), engine.Header{RunID: "run", Problem: "counter", Fingerprint: "1", Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for _, e := range stored.Entries {
		fmt.Fprintf(&log, "%s %s\n", e.Kind, e.Data)
	}
	return res, log.String()
}

// TestMixRuns makes one run with 1, 2 and 8 workers, and once more in two parts: the same leases go to the same
// sources, and the tallies are those of the log.
func TestMixRuns(t *testing.T) {
	const rounds = 40
	res, want := runMix(t, engine.NewMemory(), rounds, 1)
	for _, workers := range []int{2, 8} {
		other, log := runMix(t, engine.NewMemory(), rounds, workers)
		if log != want {
			t.Errorf("%d workers: another log\n%s", workers, cmp.Diff(want, log))
		}
		if d := cmp.Diff(res.Sources, other.Sources); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
	}
	by := map[string]slots.SourceTally{}
	leases, commits := 0, 0
	for _, s := range res.Sources {
		t.Logf("%+v", s)
		by[s.Source] = s
		leases, commits = leases+s.Leases, commits+s.Commits
	}
	if leases != 4*rounds || commits != len(res.Log) || commits == 0 {
		t.Errorf("%d leases and %d commits, want %d and %d", leases, commits, 4*rounds, len(res.Log))
	}
	if by["cheap"].Leases <= by["dear"].Leases || by["cheap"].Leases <= by["idle"].Leases {
		t.Error("the cheap source that improves is not preferred")
	}
	if d := by["down"]; d.Failed != d.Leases || d.Leases == 0 || d.Leases > rounds || res.Unmeasured != d.Failed {
		t.Errorf("the source that is down: %+v, %d unmeasured", d, res.Unmeasured)
	}
	if c := by["dear"]; c.Own.Tokens != 100*c.Leases || c.Own.Calls != c.Leases || c.Replies["used"] != c.Leases {
		t.Errorf("the dear source spent %+v", c)
	}
}

// Without barriers, in order by window, the same holds.
func TestMixRunsWithoutBarriers(t *testing.T) {
	var want []slots.SourceTally
	for _, workers := range []int{1, 2, 8} {
		c := mixConfig(engine.NewMemory(), 20, workers)
		c.Parallel.Async = engine.Async{On: true, Order: engine.Window}
		res, err := engine.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = res.Sources
		}
		if d := cmp.Diff(want, res.Sources); d != "" || len(want) < 3 {
			t.Errorf("%d workers: %v\n%s", workers, res.Sources, d)
		}
	}
}

// interrupted is a ledger that fails after so many writes.
type interrupted struct {
	*engine.Memory
	left int
}

func (l *interrupted) Write(ctx context.Context, b engine.Batch) error {
	if l.left--; l.left < 0 {
		return errors.New("killed")
	}
	return l.Memory.Write(ctx, b)
}

// A run that is killed at any of its writes and resumed gives the leases to the same sources.
func TestMixResumes(t *testing.T) {
	const rounds = 8
	_, want := runMix(t, engine.NewMemory(), rounds, 2)
	for left := 1; left < 30; left++ {
		store := &interrupted{engine.NewMemory(), left}
		if _, err := engine.Run(t.Context(), mixConfig(store, rounds, 2)); err == nil {
			if left < rounds {
				t.Errorf("%d writes are the whole run", left)
			}
			break
		}
		store.left = 1 << 30
		if _, log := runMix(t, store, rounds, 2); log != want {
			t.Fatalf("killed after %d writes: %s", left, cmp.Diff(want, log))
		}
	}
}

// A source answers for its own failures: that the evaluator cannot measure what it proposed is none.
func TestMixBlamesNoSourceForTheEvaluator(t *testing.T) {
	c := mixConfig(engine.NewMemory(), 6, 2)
	problem := c.Tasks.Problem.(engine.Callables)
	problem.Run = func(_ context.Context, text string, _ slots.Task) (string, error) {
		if text != "0" {
			return "", errors.New("the evaluator is down")
		}
		return text, nil
	}
	c.Tasks.Problem, c.Actor.NoVerify = problem, false
	res, err := engine.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	proposals := 0
	for _, s := range res.Sources {
		proposals += s.Proposals
		if s.Failed > 0 && s.Source != "down" {
			t.Errorf("%s failed in %d of %d leases", s.Source, s.Failed, s.Leases)
		}
	}
	if proposals == 0 || res.Unmeasured < proposals {
		t.Errorf("%d proposals, %d unmeasured", proposals, res.Unmeasured)
	}
}
