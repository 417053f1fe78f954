package engine_test

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// ledgerOfDecisions is an allocator that skips every third lease and counts.
type ledgerOfDecisions struct {
	observed  []int
	keys      []int // that the observed candidates wrote
	committed int
}

func (a *ledgerOfDecisions) Decide(ctx engine.AllocatorContext) engine.Allocation {
	return engine.Allocation{Skip: ctx.Lease%3 == 0, Counterfactual: ctx.Lease%3 == 1}
}

func (a *ledgerOfDecisions) Snapshot() engine.Decider { return a }
func (a *ledgerOfDecisions) State() []float64         { return []float64{float64(len(a.observed))} }

func (a *ledgerOfDecisions) Observe(ctx engine.AllocatorContext, committed bool) {
	a.observed, a.keys = append(a.observed, ctx.Lease), append(a.keys, ctx.Keys)
	if committed {
		a.committed++
	}
}

// floors refuses self-verification below a fraction of the budget.
type floors struct{ hard float64 }

func (f floors) SelfVerify(remaining float64) bool { return remaining > f.hard }
func (f floors) Tournament(remaining float64) bool { return remaining > f.hard }

func TestEveryMeasuredDecisionIsObservedOnce(t *testing.T) {
	alloc := &ledgerOfDecisions{}
	c := hillConfig(func(c *engine.Config) {
		c.Budget.MaxRollouts = 100000
		c.Budget.Allocator = alloc
	})
	verify := map[int]engine.Verification{}
	var want []int
	commits := 0
	c.Observe.Events.Lease = func(e engine.LeaseEvent) {
		rec := e.Record
		if len(rec.Diff) > 0 {
			verify[rec.Lease] = rec.Verify
		}
	}
	c.Observe.Events.Merge = func(r slots.Report) {
		switch r.Outcome {
		case slots.Committed:
			commits++
			want = append(want, r.Lease)
		case slots.BelowThreshold, slots.OracleRejected, slots.CASConflict:
			want = append(want, r.Lease)
		}
	}
	mustRun(t, c)
	if diff := cmp.Diff(want, alloc.observed); diff != "" || commits != alloc.committed || commits == 0 {
		t.Errorf("%d commits, %d observed; leases (-measured +observed):\n%s", commits, alloc.committed, diff)
	}
	for lease, v := range verify {
		w := []engine.Verification{engine.VerifySkipped, engine.VerifyCounterfactual, engine.VerifyAllowed}[lease%3]
		if v != w {
			t.Fatalf("lease %d: verification %q, want %q", lease, v, w)
		}
	}
}

// picks is a fusion that picks one of the diffs, or all.
type picks func(artifact string, n int) int

const all = -1

func (p picks) Select(_ context.Context, a slots.Artifact, diffs []slots.Diff) (slots.Choice, error) {
	i := p(a.ID, len(diffs))
	if i == all {
		return slots.Choice{Diff: slots.Union(diffs...), Union: len(diffs) > 1}, nil
	}
	return slots.Choice{Diff: diffs[i]}, nil
}

// A label belongs to what a lane decided about: the card that was chosen, or the first of a union, with the
// keys that this card writes; several artifacts are told in lease order.
func TestALabelBelongsToTheCardThatWasChosen(t *testing.T) {
	first := func(string, int) int { return 0 }
	last := func(_ string, n int) int { return n - 1 }
	two := func(c *engine.Config) {
		c.Parallel.Lanes = 4
		c.Artifacts = []engine.ArtifactConfig{
			{ID: "a", Strategy: engine.AppendRules{}}, {ID: "b", Strategy: engine.AppendRules{}},
		}
	}
	for name, tt := range map[string]struct {
		pick picks
		set  func(*engine.Config)
		want []int
	}{
		"the first alone": {first, nil, []int{0}},
		"the last alone":  {last, nil, []int{2}},
		"a union":         {func(string, int) int { return all }, nil, []int{0}},
		"two artifacts": {func(id string, n int) int {
			if id == "a" {
				return n - 1 // lease 2
			}
			return 0 // lease 1
		}, two, []int{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			alloc := &ledgerOfDecisions{}
			c := goldConfig(slots.Policies{Fusion: tt.pick, Acceptance: &refuseEverything{}})
			c.Parallel.Lanes = 3
			c.Budget = engine.Budget{Rounds: 1, MaxRollouts: 1000, Allocator: alloc}
			if tt.set != nil {
				tt.set(&c)
			}
			mustRun(t, c)
			if diff := cmp.Diff(tt.want, alloc.observed); diff != "" {
				t.Errorf("leases (-want +observed):\n%s", diff)
			}
			for _, n := range alloc.keys {
				if n != 1 {
					t.Errorf("observed %v keys, every card writes one", alloc.keys)
				}
			}
		})
	}
}

func TestAnAggregatorsReportsAreObserved(t *testing.T) {
	for name, rate := range map[string]slots.Maybe{"measured": slots.Known(0.5), "not measured": {}} {
		t.Run(name, func(t *testing.T) {
			alloc := &ledgerOfDecisions{}
			c := goldConfig(slots.Policies{})
			c.Budget.MaxRollouts, c.Budget.Allocator = 1000, alloc
			c.Gate.Aggregator = func(engine.Kit) (engine.Aggregator, error) { return reporting(rate), nil }
			res, _ := mustRun(t, c)
			want := 0
			if rate.Known {
				want = res.Outcomes[slots.BelowThreshold]
			}
			if len(alloc.observed) != want || res.Outcomes[slots.BelowThreshold] == 0 {
				t.Errorf("observed %v, outcomes %v", alloc.observed, res.Outcomes)
			}
		})
	}
}

// reporting is an aggregator that refuses every card.
type reporting slots.Maybe

func (a reporting) Step(_ context.Context, _ int, cards []*slots.Card) ([]slots.Report, error) {
	var out []slots.Report
	for _, c := range cards {
		out = append(out, slots.Report{Artifact: c.Artifact, Lease: c.Lease, Outcome: slots.BelowThreshold, CandRate: slots.Maybe(a)})
	}
	return out, nil
}

func TestTheAllocatorNeverSpendsWhatTheGovernorRefused(t *testing.T) {
	c := hillConfig(func(c *engine.Config) {
		c.Budget.MaxRollouts = 400
		c.Budget.Rounds = 0
		c.Budget.Governor = floors{hard: 0.5}
		c.Budget.Allocator = &ledgerOfDecisions{}
	})
	refused, spent := 0, 0
	c.Observe.Events.Lease = func(e engine.LeaseEvent) {
		rec := e.Record
		switch {
		case rec.Verify == engine.VerifyGovernor:
			refused++
			if rec.Delta.Known {
				t.Errorf("lease %d was verified although the governor refused", rec.Lease)
			}
		case refused > 0 && rec.Asked && rec.Verify != engine.VerifyNone:
			spent++
		}
	}
	res, _ := mustRun(t, c)
	if refused == 0 || spent > 0 {
		t.Errorf("%d refused, %d verified afterwards", refused, spent)
	}
	if res.Stop != engine.StopRollouts || res.Spend.Rollouts > 400 {
		t.Errorf("stopped by %s at %d rollouts", res.Stop, res.Spend.Rollouts)
	}
}

func TestStops(t *testing.T) {
	var tick atomic.Int64
	for name, tt := range map[string]struct {
		set  func(*engine.Config)
		want engine.StopReason
	}{
		"rounds":   {func(c *engine.Config) { c.Budget.Rounds = 2 }, engine.StopRounds},
		"target":   {func(c *engine.Config) { c.Budget.Target = 0.2 }, engine.StopTarget},
		"patience": {func(c *engine.Config) { c.Budget.Patience = 2; c.Policies.Acceptance = &refuseEverything{} }, engine.StopPatience},
		"rollouts": {func(c *engine.Config) { c.Budget.MaxRollouts = 300 }, engine.StopRollouts},
		"cost":     {func(c *engine.Config) { c.Budget.MaxCost = 300 }, engine.StopCost},
		"calls":    {func(c *engine.Config) { c.Budget.MaxCalls = 1; c.Actor.Proposer = caller{} }, engine.StopCalls},
		"tokens":   {func(c *engine.Config) { c.Budget.MaxTokens = 500; c.Actor.Proposer = caller{} }, engine.StopTokens},
		"time": {func(c *engine.Config) {
			c.Budget.MaxTime = 50
			c.Observe.Clock = func() time.Duration { return time.Duration(tick.Add(1)) }
		}, engine.StopTime},
		"asked": {func(c *engine.Config) { c.Budget.Stop = func() bool { return true } }, engine.StopCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			c := hillConfig(func(c *engine.Config) { c.Budget.Rounds = 200 }, tt.set)
			res, log := mustRun(t, c)
			if res.Stop != tt.want || len(res.History) >= 200 {
				t.Fatalf("stopped by %q after %d rounds, want %q", res.Stop, len(res.History), tt.want)
			}
			if ended := strings.Contains(log, "\nend "); ended != tt.want.Final() {
				t.Errorf("the log says the run is done: %v, want %v", ended, tt.want.Final())
			}
		})
	}
}

// caller proposes nothing for a price.
type caller struct{}

func (caller) Propose(context.Context, *slots.ProposalContext) (*slots.Proposal, error) {
	return &slots.Proposal{Text: "0", Spend: slots.Spend{Calls: 1, Tokens: 100}}, nil
}

// A lease's allowance is its share of what is left once a merge has its reserve; parts without a cap are free.
func TestAllowance(t *testing.T) {
	reserved := engine.Reserve{Lease: slots.Spend{Calls: 1, Tokens: 100}, Merge: slots.Spend{Tokens: 200}}
	for name, tt := range map[string]struct {
		budget engine.Budget
		want   []int // tokens of the allowances, round by round; −1 is none
	}{
		"without a cap":   {engine.Budget{Rounds: 2, Reserve: reserved}, []int{-1, -1}},
		"another cap":     {engine.Budget{Rounds: 2, MaxCost: 50, Reserve: reserved}, []int{math.MaxInt, math.MaxInt}},
		"a cap":           {engine.Budget{MaxTokens: 1000, Reserve: reserved}, []int{400, 300, 200, 100}},
		"without reserve": {engine.Budget{MaxTokens: 500}, []int{250, 150}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []int
			res, err := engine.Run(t.Context(), hillConfig(func(c *engine.Config) {
				c.Parallel.Lanes, c.Parallel.Workers, c.Budget = 2, 1, tt.budget
				c.Actor.Proposer = slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
					if pc.Lane == 0 {
						n := -1
						if pc.Allowance != nil {
							n = pc.Allowance.Tokens
						}
						got = append(got, n)
					}
					return &slots.Proposal{Source: "s", Spend: slots.Spend{Calls: 1, Tokens: 100}}, nil
				})
			}))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("stopped by %s after %d tokens: %s", res.Stop, res.Spend.Tokens, d)
			}
			if most := tt.budget.MaxTokens; most > 0 && res.Spend.Tokens > most {
				t.Errorf("%d tokens, more than %d", res.Spend.Tokens, most)
			}
			if len(res.Sources) != 1 || res.Sources[0].Own.Tokens != res.Spend.Tokens || res.Sources[0].Leases != 2*len(got) {
				t.Errorf("%+v", res.Sources)
			}
		})
	}
}

// Where cost is money the operators of rules cost nothing.
func TestMoney(t *testing.T) {
	for money, want := range map[bool]bool{false: true, true: false} {
		res, err := engine.Run(t.Context(), func() engine.Config {
			c := fitConfig(t)
			c.Budget = engine.Budget{Rounds: 1, Money: money}
			return c
		}())
		if err != nil {
			t.Fatal(err)
		}
		if (res.Spend.Cost > 0) != want {
			t.Errorf("money %t: cost %g", money, res.Spend.Cost)
		}
	}
}
