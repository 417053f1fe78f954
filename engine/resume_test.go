package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// mortal is a ledger and an evaluator of one process that dies after so many durable writes: from then on
// nothing is written and no evaluation begins.
type mortal struct {
	*engine.Memory
	mu    sync.Mutex
	left  int
	calls int
}

func (m *mortal) alive() error {
	if m.left <= 0 {
		return errKilled
	}
	return nil
}

func (m *mortal) Write(ctx context.Context, b engine.Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.alive(); err != nil {
		return err
	}
	m.left--
	return m.Memory.Write(ctx, b)
}

func (m *mortal) PutOutcome(ctx context.Context, key string, o engine.Outcome) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.alive(); err != nil {
		return err
	}
	m.left--
	return m.Memory.PutOutcome(ctx, key, o)
}

// dear counts the evaluations that begin while the process lives.
func (m *mortal) dear() engine.Problem {
	h := hill{n: 20, sealed: 5}
	return scripted{
		Callables: engine.Callables{Name: "hill", Tasks: h.Describe().Tasks, Sealed: h.Describe().Sealed, Initial: "0"},
		dear:      true,
		answer: func(c *slots.Candidate, task slots.Task) (engine.Outcome, error) {
			m.mu.Lock()
			if err := m.alive(); err != nil {
				m.mu.Unlock()
				return engine.Outcome{}, err
			}
			m.calls++
			m.mu.Unlock()
			return h.Evaluate(context.Background(), c, task, 0)
		},
	}
}

func (m *mortal) config(mutate func(*engine.Config)) engine.Config {
	return hillConfig(func(c *engine.Config) {
		c.Budget.Rounds = 3
		c.Actor.Trials = 4
		c.Parallel.Workers = 16
		mutate(c)
		c.Tasks.Problem = m.dear()
		c.Ledger.Store = m
		c.Gate.Retries = 1
		c.Gate.Wait = func(int) error { m.mu.Lock(); defer m.mu.Unlock(); return m.alive() }
	})
}

func TestDearEvaluationsAreHardlyRepeated(t *testing.T) {
	for name, m := range map[string]func(*engine.Config){
		"rounds": func(*engine.Config) {},
		"window": func(c *engine.Config) { c.Parallel.Async.On = true },
	} {
		t.Run(name, func(t *testing.T) {
			whole := &mortal{Memory: engine.NewMemory(), left: 1 << 30}
			if _, err := engine.Run(context.Background(), whole.config(m)); err != nil {
				t.Fatal(err)
			}
			writes := 1<<30 - whole.left
			if writes < 100 {
				t.Fatalf("the run takes only %d durable writes", writes)
			}
			const lanes = 4
			for n := 0; n < writes; n++ {
				first := &mortal{Memory: engine.NewMemory(), left: n}
				if _, err := engine.Run(context.Background(), first.config(m)); !errors.Is(err, errKilled) {
					t.Fatalf("killed after %d writes: %v", n, err)
				}
				second := &mortal{Memory: first.Memory, left: 1 << 30}
				if _, err := engine.Run(context.Background(), second.config(m)); err != nil {
					t.Fatalf("resumed after %d writes: %v", n, err)
				}
				if diff := firstDiff(logOf(whole.Memory), logOf(first.Memory)); diff != "" {
					t.Fatalf("resumed after %d writes:\n%s", n, diff)
				}
				if got := first.calls + second.calls; got > whole.calls+lanes {
					t.Fatalf("killed after %d writes: %d + %d evaluations, undisturbed %d", n, first.calls, second.calls, whole.calls)
				}
			}
		})
	}
}

func TestArrivalOrderIsRecordedAndRepeated(t *testing.T) {
	// Lease 0 waits for another to be merged, so that the order of arrival is not that of the leases.
	config := func(store engine.Ledger, slow bool) engine.Config {
		return hillConfig(func(c *engine.Config) {
			c.Parallel.Async = engine.Async{On: true, Order: engine.Arrival}
			c.Ledger.Store = store
			c.Policies.Acceptance = &slots.PairedAcceptance{}
			var once sync.Once
			later := make(chan struct{})
			c.Actor.Proposer = slots.ProposerFunc(func(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
				if slow && pc.Lease == 0 {
					<-later
				}
				return climb(ctx, pc)
			})
			c.Observe.Events.Lease = func(engine.LeaseEvent) { once.Do(func() { close(later) }) }
		})
	}
	m := engine.NewMemory()
	if _, err := engine.Run(context.Background(), config(m, true)); err != nil {
		t.Fatal(err)
	}
	want := logOf(m)
	if first := strings.Index(want, "\nlease {"); strings.HasPrefix(want[first:], "\nlease {\"lease\":0,") {
		t.Fatal("lease 0 arrived first")
	}
	for n := range 10 {
		k := &killed{Memory: engine.NewMemory(), left: n}
		if _, err := engine.Run(context.Background(), config(k, true)); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		prefix := logOf(k.Memory)
		if _, err := engine.Run(context.Background(), config(k.Memory, false)); err != nil {
			t.Fatalf("resume after %d writes: %v", n, err)
		}
		if got := logOf(k.Memory); !strings.HasPrefix(got, prefix) {
			t.Fatalf("what was acknowledged after %d writes was lost or changed", n)
		}
		seen := map[string]int{}
		for _, line := range strings.Split(logOf(k.Memory), "\n") {
			if id, _, ok := strings.Cut(line, `,"round"`); ok && strings.HasPrefix(id, "lease ") {
				seen[id]++
			}
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("%s was merged %d times", id, n)
			}
		}
	}
}

func TestAResumeThatWouldDivergeIsRefused(t *testing.T) {
	m := engine.NewMemory()
	c := hillConfig()
	c.Ledger.Store = m
	if _, err := engine.Run(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	for name, set := range map[string]func(*engine.Config){
		"acceptance": func(c *engine.Config) { c.Policies.Acceptance = &slots.PairedAcceptance{Alpha: 1e-9} },
		"lanes":      func(c *engine.Config) { c.Parallel.Lanes = 2 },
		"tasks":      func(c *engine.Config) { c.Tasks.Problem = hill{n: 30, sealed: 5} },
	} {
		c := hillConfig(set)
		c.Ledger.Store = m
		_, err := engine.Run(context.Background(), c)
		var diverged *engine.DivergedError
		if !errors.As(err, &diverged) {
			t.Errorf("another %s: %v, want a divergence", name, err)
		}
	}
	c = hillConfig(func(c *engine.Config) { c.Seed = 8 })
	c.Ledger.Store = m
	_, err := engine.Run(context.Background(), c)
	var identity *engine.IdentityError
	if !errors.As(err, &identity) {
		t.Errorf("another seed: %v, want an identity error", err)
	}
}

func TestAnInitialStateBesideCommitsIsRefused(t *testing.T) {
	m := engine.NewMemory()
	commit := engine.Commit{RunID: "earlier", Artifact: "hill", Version: 1, State: slots.State{slots.RuleKey: "1"}}
	if err := commit.Seal(); err != nil {
		t.Fatal(err)
	}
	if err := m.Write(context.Background(), engine.Batch{Commits: []engine.Commit{commit}}); err != nil {
		t.Fatal(err)
	}
	c := hillConfig(func(c *engine.Config) {
		c.Ledger.Store = m
		c.Artifacts = []engine.ArtifactConfig{{ID: "hill", Initial: slots.State{slots.RuleKey: "2"}}}
	})
	_, err := engine.Run(context.Background(), c)
	if err == nil || !strings.Contains(err.Error(), "initial state") || !strings.Contains(err.Error(), "1 commits") {
		t.Errorf("error %v, want one that names both", err)
	}
	c = hillConfig(func(c *engine.Config) { c.Ledger.Store = m })
	res, err := engine.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if res.HeldOut.Before.Value < 0.1 {
		t.Errorf("the run did not start from the ledger's head: %+v", res.HeldOut)
	}
}

func TestACancelledRunResumes(t *testing.T) {
	_, want := mustRun(t, hillConfig())
	for _, at := range []int{3, 57, 200, 391} {
		m := engine.NewMemory()
		ctx, cancel := context.WithCancel(context.Background())
		var mu sync.Mutex
		calls := 0
		c := hillConfig(func(c *engine.Config) {
			c.Ledger.Store = m
			c.Tasks.Problem = hill{n: 20, sealed: 5, calls: func(string, string) error {
				mu.Lock()
				defer mu.Unlock()
				if calls++; calls >= at {
					cancel()
					return context.Canceled
				}
				return nil
			}}
		})
		res, err := engine.Run(ctx, c)
		if !errors.Is(err, context.Canceled) || res.Stop != engine.StopCancelled {
			t.Fatalf("cancelled at call %d: %v, %s", at, err, res.Stop)
		}
		c = hillConfig()
		c.Ledger.Store = m
		if _, err := engine.Run(context.Background(), c); err != nil {
			t.Fatal(err)
		}
		if diff := firstDiff(want, logOf(m)); diff != "" {
			t.Errorf("cancelled at call %d:\n%s", at, diff)
		}
	}
}

func TestARunStoppedByTimeIsAPrefix(t *testing.T) {
	_, want := mustRun(t, hillConfig())
	m := engine.NewMemory()
	limited := func(limit int) *engine.Result {
		var ticks atomic.Int64
		c := hillConfig(func(c *engine.Config) {
			c.Ledger.Store = m
			c.Budget.MaxTime = time.Duration(limit)
			c.Observe.Clock = func() time.Duration { return time.Duration(ticks.Add(1)) }
		})
		res, err := engine.Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	const never = math.MaxInt32 // more ticks than the run takes
	for _, limit := range []int{150, 400, never} {
		res := limited(limit)
		got := logOf(m)
		if !strings.HasPrefix(want, got) {
			t.Fatalf("after %d ticks the log is no prefix of the unlimited one:\n%s", limit, firstDiff(want, got))
		}
		if done := got == want; done != (limit == never) || done != (res.Stop == engine.StopRounds) {
			t.Errorf("after %d ticks: stopped by %s with %d of %d bytes", limit, res.Stop, len(got), len(want))
		}
	}
	if !strings.Contains(fmt.Sprint(m.Entries()), "clock") {
		t.Error("no reading of the clock is recorded")
	}
}

// TestARunStoppedWithoutBarriersResumes stops a barrier-free run at every turn of it, by request or by its limit
// of time.
func TestARunStoppedWithoutBarriersResumes(t *testing.T) {
	for _, order := range []engine.Order{engine.Window, engine.Arrival} {
		t.Run(string(order), func(t *testing.T) { testStops(t, order, engine.StopRounds, func(*engine.Config) {}) })
		t.Run(string(order)+", capped", func(t *testing.T) {
			testStops(t, order, engine.StopTokens, func(c *engine.Config) {
				capped(order, 20_000, c.Seed)(c)
				c.Budget.Rounds = 100
			})
		})
	}
}

func testStops(t *testing.T, order engine.Order, end engine.StopReason, set func(*engine.Config)) {
	const rounds = 6
	config := func(c *engine.Config) {
		c.Parallel.Async = engine.Async{On: true, Order: order}
		c.Tasks.Source = &growing{}
		c.Budget.Rounds = rounds
		set(c)
	}
	_, want := mustRun(t, hillConfig(config))
	for name, tt := range map[string]struct {
		limit func(c *engine.Config, now *atomic.Int64, at int64)
		stop  engine.StopReason
	}{
		"asked": {func(c *engine.Config, now *atomic.Int64, at int64) {
			c.Budget.Stop = func() bool { return now.Load() == at }
		}, engine.StopCancelled},
		"time": {func(c *engine.Config, now *atomic.Int64, at int64) {
			c.Budget.MaxTime = time.Hour
			if at < 0 {
				c.Budget.MaxTime *= 100
			}
			c.Observe.Clock = func() time.Duration {
				if now.Load() == at {
					return 2 * time.Hour
				}
				return 0
			}
		}, engine.StopTime},
	} {
		for at := range int64(rounds) {
			m := engine.NewMemory()
			run := func(at int64) engine.StopReason {
				var now atomic.Int64
				res, err := engine.Run(t.Context(), hillConfig(config, func(c *engine.Config) {
					c.Ledger.Store = m
					c.Parallel.Workers = 2
					c.Observe.Events.Round = func(engine.Row) { now.Add(1) }
					tt.limit(c, &now, at)
				}))
				if err != nil {
					t.Fatalf("%s, stopped at turn %d: %v", name, at, err)
				}
				return res.Stop
			}
			stop, before := run(at), logOf(m)
			if stop == end && at > 0 {
				break // it was over before that: in the order of arrival, that may be soon
			}
			if stop != tt.stop {
				t.Fatalf("%s at turn %d: stopped by %s", name, at, stop)
			}
			stop, after := run(-1), logOf(m)
			if !strings.HasPrefix(after, before) || stop != end {
				t.Fatalf("%s at turn %d, stopped by %s: the log is no prefix:\n%s", name, at, stop, firstDiff(after, before))
			}
			if diff := firstDiff(want, after); order == engine.Window && diff != "" {
				t.Fatalf("%s at turn %d and resumed:\n%s", name, at, diff)
			}
		}
	}
}
