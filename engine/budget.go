package engine

import (
	"math"
	"slices"

	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/slots"
)

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

// Allocation is an allocator's answer. Counterfactual says that the candidate is looked at although the
// allocator would have skipped it. Skip is only ever a refusal: what the governor refused stays refused.
type Allocation struct {
	Skip           bool
	Counterfactual bool
	// Uncertainty is recorded with the decision.
	Uncertainty slots.Maybe
}

// Decider answers for an allocator.
type Decider interface {
	// Decide says whether a candidate is worth its self-verification. It is called from a lane's goroutine,
	// for what the governor allows, and depends on its argument alone.
	Decide(ctx AllocatorContext) Allocation
}

// Allocator decides, a candidate, whether its self-verification is worth the spend, and learns from what
// becomes of candidates. One value serves one run. It belongs to the run's goroutine; lanes see snapshots.
type Allocator interface {
	// Snapshot returns the allocator as it is now, for one lease. Later observations do not change it.
	Snapshot() Decider
	// Observe reports a measured decision on a candidate that a lane decided about: committed, or refused
	// by the oracle, the acceptance or a race. Called at the barrier, in lease order, once a decision, and
	// again during a resume.
	Observe(ctx AllocatorContext, committed bool)
	// State is all that was learned, as finite numbers. It is recorded after each observation, so that a
	// resume with another allocator is noticed.
	State() []float64
}

// Observation is what an allocator was told of a decision, for the record.
type Observation struct {
	Lease    int    `json:"lease"`
	Artifact string `json:"artifact"`
	Features
	Remaining float64 `json:"remaining"`
	Committed bool    `json:"committed"`
	Audit     Audit   `json:"audit"`
	// State is what the allocator had learned after it.
	State []float64 `json:"state,omitempty"`
}

// Audit is what is known after the fact. It is recorded beside the features and never handed to the
// allocator: a model that decides before the fact must not learn from it.
type Audit struct {
	Delta          slots.Maybe `json:"delta"`
	PImprove       slots.Maybe `json:"p_improve"`
	StableDistance slots.Maybe `json:"stable_distance"`
	Uncertainty    slots.Maybe `json:"uncertainty"`
}

// AllocationStats count what an allocator did in a run.
type AllocationStats struct {
	// Allowed, Skipped and Counterfactual count its decisions; the first and the last were spent.
	Allowed        int `json:"allowed"`
	Skipped        int `json:"skipped"`
	Counterfactual int `json:"counterfactual"`
	// Observed counts the decisions it learned from.
	Observed int `json:"observed"`
}

// Fired is how often the allocator judged otherwise than the governor, which allows everything that comes
// to it. A run in which that never happened is a run without an allocator.
func (s AllocationStats) Fired() int { return s.Skipped + s.Counterfactual }

// question is what an allocator is asked about a lease, and told when it is decided.
type question struct {
	AllocatorContext
	uncertainty slots.Maybe
}

// question makes the question of a lease.
func (r *run) question(rec LeaseRecord, radius, remaining float64) question {
	return question{
		AllocatorContext: AllocatorContext{
			Features:  Features{Advantage: rec.Advantage, Keys: len(rec.Diff), BlastRadius: radius},
			Lease:     rec.Lease,
			Remaining: remaining,
			Seed:      derive.Seed(r.cfg.Seed, "allocate", uint64(rec.Lease)),
		},
		uncertainty: rec.Uncertainty,
	}
}

// decided is a decision that the allocator is to be told of.
type decided struct {
	question
	record Observation
}

// decide notes what became of the card that a report is about. Only what was measured says something about
// it: a card that was stale, oversized or could not be measured does not.
func (r *run) decide(rep slots.Report, audit Audit) {
	a := r.byID[rep.Artifact]
	if r.cfg.Budget.Allocator == nil || a == nil || !rep.CandRate.Known {
		return
	}
	switch rep.Outcome {
	case slots.Committed, slots.BelowThreshold, slots.OracleRejected, slots.CASConflict:
	default:
		return
	}
	q, asked := a.questions[rep.Lease]
	if !asked {
		return
	}
	audit.PImprove, audit.Uncertainty = rep.PImprove, q.uncertainty
	r.decisions = append(r.decisions, decided{q, Observation{
		Lease: rep.Lease, Artifact: a.id, Features: q.Features, Remaining: q.Remaining,
		Committed: rep.Outcome == slots.Committed, Audit: audit,
	}})
}

// teach tells the allocator of a step's decisions, in lease order.
func (r *run) teach() error {
	slices.SortStableFunc(r.decisions, func(a, b decided) int { return a.Lease - b.Lease })
	for _, d := range r.decisions {
		r.cfg.Budget.Allocator.Observe(d.AllocatorContext, d.record.Committed)
		d.record.State = r.cfg.Budget.Allocator.State()
		if err := r.journal.note(ObserveEntry, d.record); err != nil {
			return err
		}
		r.allocation.Observed++
	}
	r.decisions = r.decisions[:0]
	return nil
}

// count counts what the allocator said of a lease.
func (s *AllocationStats) count(v Verification) {
	switch v {
	case VerifyAllowed:
		s.Allowed++
	case VerifySkipped:
		s.Skipped++
	case VerifyCounterfactual:
		s.Counterfactual++
	}
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

// reserved is what a round must find left of the caps.
func (b Budget) reserved(lanes int) slots.Spend {
	return b.Reserve.Lease.Times(lanes).Plus(b.Reserve.Merge)
}

// allowance is a lease's share of what is left of the caps once a merge has its reserve; nil without a cap.
func (b Budget) allowance(spent slots.Spend, leases int) *slots.Spend {
	if b.MaxCalls+b.MaxTokens == 0 && b.MaxCost == 0 {
		return nil
	}
	spent = spent.Plus(b.Reserve.Merge)
	share := func(most, used int) int {
		if most == 0 {
			return math.MaxInt
		}
		return max(0, most-used) / leases
	}
	a := slots.Spend{
		Rollouts: math.MaxInt, Calls: share(b.MaxCalls, spent.Calls), Tokens: share(b.MaxTokens, spent.Tokens), Cost: math.Inf(1),
	}
	if b.MaxCost > 0 {
		a.Cost = max(0, b.MaxCost-spent.Cost) / float64(leases)
	}
	return &a
}

// promise is the most that the requests of a lease with this allowance cost, where a cap bounds them.
func (b Budget) promise(a *slots.Spend) slots.Spend {
	p := b.Reserve.Lease
	if b.MaxCalls > 0 && p.Calls > 0 {
		p.Calls = max(p.Calls, a.Calls)
	}
	if b.MaxTokens > 0 && p.Tokens > 0 {
		p.Tokens = max(p.Tokens, a.Tokens)
	}
	if b.MaxCost > 0 && p.Cost > 0 {
		p.Cost = max(p.Cost, a.Cost)
	}
	return p
}

// claim is what was spent and what will be before the run can end: at a barrier nothing more. Without barriers
// there are leases under way and a last merge of what they bring: they keep what they were promised, and cost as
// much a lease as all that followed the opening has cost so far.
func (r *run) claim() slots.Spend {
	if !r.cfg.Parallel.Async.On {
		return r.spend
	}
	mean := over(r.spend.Minus(r.opening).Times(r.prepared-r.absorbed), r.absorbed)
	return r.spend.Plus(mean.Max(r.promised.Plus(r.cfg.Budget.Reserve.Merge)))
}

// affords reports whether the budget holds another lease beside what is under way.
func (r *run) affords() bool {
	_, ok := r.cfg.Budget.fits(r.claim(), r.cfg.Budget.reserved(1))
	return ok
}

// over is a part of a spend; the whole for 0.
func over(s slots.Spend, n int) slots.Spend {
	n = max(1, n)
	return slots.Spend{Rollouts: s.Rollouts / n, Calls: s.Calls / n, Tokens: s.Tokens / n, Cost: s.Cost / float64(n)}
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
