package budget_test

import (
	"math"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/budget"
	"github.com/agentdescent/adrun/slots"
)

// taught has learned from n refusals and, in turn with them, n commits of another kind of candidate.
func taught(a *budget.ValueBudgetAllocator, n int) *budget.ValueBudgetAllocator {
	for range n {
		a.Observe(engine.AllocatorContext{Features: features(-1, 1, 0.2)}, false)
		a.Observe(engine.AllocatorContext{Features: features(1, 1, 0.2)}, true)
	}
	return a
}

// never draws no counterfactual for the seed of a test.
const never = math.MaxUint64

func TestASkipNeedsEveryReason(t *testing.T) {
	poor := engine.AllocatorContext{Features: features(-1, 1, 0.2), Remaining: 0.49, Seed: never}
	for _, tt := range []struct {
		name      string
		allocator *budget.ValueBudgetAllocator
		change    func(*engine.AllocatorContext)
		want      engine.Allocation
	}{
		{"all reasons", taught(&budget.ValueBudgetAllocator{}, 3), nil, engine.Allocation{Skip: true}},
		{"enough budget", taught(&budget.ValueBudgetAllocator{}, 3), func(c *engine.AllocatorContext) { c.Remaining = 0.5 }, engine.Allocation{}},
		{"four observations", taught(&budget.ValueBudgetAllocator{}, 2), nil, engine.Allocation{}},
		{"weights too small", taught(&budget.ValueBudgetAllocator{MinWeight: 10}, 3), nil, engine.Allocation{}},
		{"a likely commit", taught(&budget.ValueBudgetAllocator{}, 3), func(c *engine.AllocatorContext) { c.Advantage = slots.Known(1) }, engine.Allocation{}},
		{"the draw says look", taught(&budget.ValueBudgetAllocator{}, 3), func(c *engine.AllocatorContext) { c.Seed = 0 }, engine.Allocation{Counterfactual: true}},
		{"an own start", taught(&budget.ValueBudgetAllocator{BudgetStart: 0.9}, 3), func(c *engine.AllocatorContext) { c.Remaining = 0.8 }, engine.Allocation{Skip: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := poor
			if tt.change != nil {
				tt.change(&ctx)
			}
			got := tt.allocator.Decide(ctx)
			p := tt.allocator.Model.Predict(ctx.Features)
			if want := 4 * p * (1 - p); got.Uncertainty != slots.Known(want) {
				t.Errorf("uncertainty %v, want %v", got.Uncertainty, want)
			}
			got.Uncertainty = slots.Maybe{}
			if got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestEpsilonAnneals(t *testing.T) {
	for n, want := range map[int]float64{0: 0.3, 20: 0.175, 40: 0.05, 1000: 0.05} {
		if got := (budget.Epsilon{}).At(n); math.Abs(got-want) > 1e-15 {
			t.Errorf("after %d observations %v, want %v", n, got, want)
		}
	}
}

// A candidate that would be skipped is looked at with probability ε, and the draw is the seed's alone.
func TestCounterfactualsComeAtTheirRate(t *testing.T) {
	a := taught(&budget.ValueBudgetAllocator{}, 5) // ten observations: ε = 0.2375
	const n = 20000
	looked := 0
	for i := range uint64(n) {
		// Multiplying by an odd constant spreads the seeds evenly over the numbers (Weyl).
		ctx := engine.AllocatorContext{Features: features(-1, 1, 0.2), Remaining: 0.1, Seed: i * 0x9e3779b97f4a7c15}
		d := a.Decide(ctx)
		if d != a.Decide(ctx) {
			t.Fatal("the same question has two answers")
		}
		if d.Counterfactual {
			looked++
		}
	}
	if got := float64(looked) / n; math.Abs(got-0.2375) > 0.005 {
		t.Errorf("looked at %.4f of the candidates, want 0.2375", got)
	}
}

func TestSnapshotsDoNotLearn(t *testing.T) {
	a := taught(&budget.ValueBudgetAllocator{}, 3)
	then := a.Snapshot()
	ctx := engine.AllocatorContext{Features: features(-1, 1, 0.2), Remaining: 0.1, Seed: never}
	before := then.Decide(ctx)
	for range 40 {
		a.Observe(ctx, true)
	}
	if after := then.Decide(ctx); after != before || !before.Skip {
		t.Errorf("the snapshot said %+v, then %+v", before, after)
	}
	if a.Decide(ctx).Skip {
		t.Error("forty commits have taught the allocator nothing")
	}
}
