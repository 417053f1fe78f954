package budget

import (
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// The defaults of a ValueBudgetAllocator.
const (
	DefaultBudgetStart     = 0.5
	DefaultMinObservations = 5
	DefaultMinWeight       = 0.01
	DefaultEpsilonStart    = 0.3
	DefaultEpsilonEnd      = 0.05
	DefaultEpsilonAnneal   = 40
)

// even is the predicted chance of a commit below which a candidate is not worth its self-verification.
const even = 0.5

// ValueBudgetAllocator spends self-verification, once the budget is tight, on the candidates that its
// model expects to be committed. Some of the others are looked at all the same: without these
// counterfactuals a wrong model would never find out. The zero value has the default numbers. One value
// serves one run.
type ValueBudgetAllocator struct {
	// BudgetStart is the fraction of the budget left below which it begins to act; 0 is the default, and
	// at 1 it acts as soon as it has learned something. In [0, 1].
	BudgetStart float64
	// MinObservations and MinWeight say when the model has learned something: that many decisions, and a
	// weight of that magnitude.
	MinObservations int
	MinWeight       float64
	// Epsilon is the chance that a candidate that would be skipped is looked at.
	Epsilon Epsilon
	Model   LearningValueModel
}

// Epsilon falls from Start to End, linearly over the first Anneal observations; 0 is the default of each.
// A tiny End is next to none.
type Epsilon struct {
	Start, End float64
	Anneal     int
}

var (
	_ engine.Allocator = (*ValueBudgetAllocator)(nil)
	_ engine.Decider   = (*ValueBudgetAllocator)(nil)
)

// At is the chance after n observations.
func (e Epsilon) At(n int) float64 {
	start, end := or(e.Start, DefaultEpsilonStart), or(e.End, DefaultEpsilonEnd)
	done := min(1, float64(n)/float64(or(e.Anneal, DefaultEpsilonAnneal)))
	return start + float64((end-start)*done)
}

// Snapshot returns the allocator as it is now.
func (a *ValueBudgetAllocator) Snapshot() engine.Decider {
	now := *a
	return &now
}

// Observe lets the model learn from a decision.
func (a *ValueBudgetAllocator) Observe(ctx engine.AllocatorContext, committed bool) {
	a.Model.Learn(ctx.Features, committed)
}

// State is the model's.
func (a *ValueBudgetAllocator) State() []float64 { return a.Model.State() }

// Decide answers for one candidate. Its uncertainty is the variance of a commit over its maximum: 1 for an
// even chance, 0 for none.
func (a *ValueBudgetAllocator) Decide(ctx engine.AllocatorContext) engine.Allocation {
	p := a.Model.Predict(ctx.Features)
	d := engine.Allocation{Uncertainty: slots.Known(4 * p * (1 - p))}
	switch {
	case ctx.Remaining >= or(a.BudgetStart, DefaultBudgetStart):
	case a.Model.Observations() < or(a.MinObservations, DefaultMinObservations):
	case a.Model.Strongest() < or(a.MinWeight, DefaultMinWeight):
	case p >= even:
	case unit(ctx.Seed) < a.Epsilon.At(a.Model.Observations()):
		d.Counterfactual = true
	default:
		d.Skip = true
	}
	return d
}

// unit turns the seed of a decision into a number in [0, 1).
func unit(seed uint64) float64 { return float64(seed>>11) / (1 << 53) }
