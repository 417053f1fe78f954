package engine

import "github.com/agentdescent/adrun/slots"

// Governor shuts off optional spend as the budget runs out. remaining is the fraction of the budget that
// was left at the last barrier, 1 without a cap. Both methods are called from several goroutines and
// depend on their argument alone.
type Governor interface {
	// SelfVerify says whether a proposal may be measured on its own task.
	SelfVerify(remaining float64) bool
	// Tournament says whether fusion may buy scores to rank the survivors.
	Tournament(remaining float64) bool
}

// Stopper is implemented by governors that end a run whose returns diminish.
type Stopper interface {
	// StopEarly is asked at every barrier and depends on the history alone.
	StopEarly(history []Row) bool
}

// Features are what is known about a candidate before anything is spent on it. They are all that an
// allocator may learn from.
type Features struct {
	Advantage   slots.Maybe `json:"advantage"`
	Keys        int         `json:"keys"`
	BlastRadius float64     `json:"blast_radius"`
}

// AllocatorContext is one question to an allocator.
type AllocatorContext struct {
	Features
	Lease     int
	Remaining float64
	// Seed starts the random stream of this decision; it depends on the run's seed and the lease.
	Seed uint64
}

// Audit is what is known after the fact, for the record. It is a type of its own, so that a model that
// decides before the fact cannot be given it.
type Audit struct {
	Delta, PImprove, StableDistance slots.Maybe
}

// Allocation is an allocator's answer. Counterfactual says that the candidate is looked at although the
// allocator would have skipped it. Skip is only ever a refusal: what the governor refused stays refused.
type Allocation struct {
	Skip           bool
	Counterfactual bool
	// Uncertainty is recorded with the decision.
	Uncertainty slots.Maybe
}

// Allocator decides, a candidate, whether its self-verification is worth the spend.
type Allocator interface {
	// Decide answers; it is called from several goroutines and changes nothing.
	Decide(ctx AllocatorContext) Allocation
	// Observe reports a measured decision on a candidate that a lane decided about: committed, or refused
	// by the oracle, the acceptance or a race. Called at the barrier, in lease order, once a decision.
	Observe(ctx AllocatorContext, audit Audit, committed bool)
}

// fractionLeft is how much of the tightest cap is left, in [0, 1]; 1 without a cap.
func (b Budget) fractionLeft(s slots.Spend) float64 {
	left := 1.0
	use := func(used, most float64) {
		if most > 0 {
			left = min(left, max(0, 1-used/most))
		}
	}
	use(float64(s.Rollouts), float64(b.MaxRollouts))
	use(float64(s.Calls), float64(b.MaxCalls))
	use(float64(s.Tokens), float64(b.MaxTokens))
	use(s.Cost, b.MaxCost)
	return left
}

// fits reports whether another amount can be spent under every cap, and names the cap that it breaks.
func (b Budget) fits(spent, more slots.Spend) (reason StopReason, ok bool) {
	t := spent.Plus(more)
	switch {
	case b.MaxRollouts > 0 && t.Rollouts > b.MaxRollouts:
		return StopRollouts, false
	case b.MaxCalls > 0 && t.Calls > b.MaxCalls:
		return StopCalls, false
	case b.MaxTokens > 0 && t.Tokens > b.MaxTokens:
		return StopTokens, false
	case b.MaxCost > 0 && t.Cost > b.MaxCost:
		return StopCost, false
	}
	return "", true
}
