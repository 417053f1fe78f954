package slots

import (
	"fmt"
	"math"

	"github.com/agentdescent/adrun/internal/stats"
)

// pseudoCap bounds what one card's own before/after difference weighs, pseudoScale turns it into
// pseudo-observations: min(1, 4·|delta|). A commit is worth two successes to the artifact's prior.
const (
	pseudoCap    = 1
	pseudoScale  = 4
	commitReward = 2
)

// fold adds a before/after difference to a posterior.
func fold(b Beta, delta float64) Beta {
	w := math.Min(pseudoCap, pseudoScale*math.Abs(delta))
	if delta > 0 {
		return b.Plus(w, 0)
	}
	return b.Plus(0, w)
}

// settle returns the artifact's prior after a decision: a commit adds successes, a refusal folds what was
// observed.
func settle(prior Beta, accepted bool, delta float64) Beta {
	if accepted {
		return prior.Plus(commitReward, 0)
	}
	return fold(prior, delta)
}

// DefaultAcceptance compares two Beta posteriors, of base and candidate, each the artifact's prior plus the
// whole held-out measurement; the cards that contributed add a little of what they observed to the
// candidate's. It accepts when P(candidate > base) > 1 − r(version), r = max(MinDelta,
// BaseDelta·2^(−version/HalfLife)), and the held-out rate did not fall. The zero value takes all three
// numbers from the run.
type DefaultAcceptance struct {
	BaseDelta, MinDelta, HalfLife float64
	// Shift, if set, returns pseudo-observations that enter the candidate's prior before the posteriors
	// are compared: a positive number its successes, a negative one its failures.
	Shift func(ctx MergeContext) float64

	run once
}

// Start takes the instance for a run.
func (p *DefaultAcceptance) Start(uint64) error { return p.run.take("DefaultAcceptance") }

// Warnings tells of thresholds that the policy holds and the run would have otherwise.
func (p *DefaultAcceptance) Warnings(c MergeConfig) []string {
	c = c.Normalize()
	var out []string
	for _, f := range []struct {
		name      string
		own, runs float64
	}{{"BaseDelta", p.BaseDelta, c.BaseDelta}, {"MinDelta", p.MinDelta, c.MinDelta}, {"HalfLife", p.HalfLife, c.HalfLife}} {
		if f.own != 0 && f.own != f.runs {
			out = append(out, fmt.Sprintf("the acceptance keeps its own %s of %v where the run says %v: "+
				"leave it out to follow the run", f.name, f.own, f.runs))
		}
	}
	return out
}

// Configure takes the numbers that were not set from the run.
func (p *DefaultAcceptance) Configure(c MergeConfig) {
	c = c.Normalize()
	def(&p.BaseDelta, c.BaseDelta)
	def(&p.MinDelta, c.MinDelta)
	def(&p.HalfLife, c.HalfLife)
}

// PolicyName returns "default".
func (p *DefaultAcceptance) PolicyName() string { return "default" }

// Threshold is 1 − r(version).
func (p *DefaultAcceptance) Threshold(version int) float64 {
	return 1 - math.Max(p.MinDelta, p.BaseDelta*math.Exp2(-float64(version)/p.HalfLife))
}

// PImprove is P(candidate > base) as the policy computes it.
func (p *DefaultAcceptance) PImprove(ctx MergeContext) float64 {
	base := ctx.Prior.Plus(ctx.BaseCounts.Successes, ctx.BaseCounts.Failures)
	cand := ctx.Prior.Plus(ctx.CandCounts.Successes, ctx.CandCounts.Failures)
	for _, c := range ctx.Cards {
		if c.Delta.Known {
			cand = fold(cand, c.Delta.Value)
		}
	}
	if p.Shift != nil {
		if s := p.Shift(ctx); s > 0 {
			cand = cand.Plus(s, 0)
		} else {
			cand = cand.Plus(0, -s)
		}
	}
	return stats.Improve(cand.A, cand.B, base.A, base.B)
}

// Accept decides.
func (p *DefaultAcceptance) Accept(ctx MergeContext) (AcceptDecision, error) {
	if p.BaseDelta == 0 || p.MinDelta == 0 || p.HalfLife == 0 {
		return AcceptDecision{}, &UnboundError{Policy: "DefaultAcceptance", Needs: "the run's thresholds"}
	}
	delta := ctx.CandCounts.Rate() - ctx.BaseCounts.Rate()
	improve, threshold := p.PImprove(ctx), p.Threshold(ctx.Version)
	accept := improve > threshold && delta >= 0
	d := AcceptDecision{
		Accept:        accept,
		Category:      Committed,
		PImprove:      Known(improve),
		Threshold:     Known(threshold),
		ObservedDelta: delta,
		Prior:         settle(ctx.Prior, accept, delta),
	}
	switch {
	case accept:
	case delta < 0:
		d.Category, d.Reason = BelowThreshold, fmt.Sprintf("the held-out rate fell by %.4g", -delta)
	default:
		d.Category, d.Reason = BelowThreshold, fmt.Sprintf("P(improve) %.4f is not above %.4f", improve, threshold)
	}
	return d, nil
}

// SmallestGain is the smallest whole number of further solved tasks, from half of them solved, that is
// accepted at version 0, over n.
func (p *DefaultAcceptance) SmallestGain(n int) (Maybe, string) {
	half := float64(n) / 2
	for k := 1; float64(k) <= half; k++ {
		won := float64(k)
		if stats.Improve(1+half+won, 1+half-won, 1+half, 1+half) > p.Threshold(0) {
			gain := won / float64(n)
			return Known(gain), fmt.Sprintf("from half the tasks solved, %d more of %d (%+.3f) are accepted at version 0", k, n, gain)
		}
	}
	return Maybe{}, fmt.Sprintf("%d held-out tasks cannot show any gain at the threshold %.3f", n, p.Threshold(0))
}

// PairedAcceptance tests the signs of the per-task differences by betting (stats.SignEValue): it accepts
// when the evidence that a win is likelier than a loss reaches 1/Alpha and the mean reward rose. Ties are
// dropped and sizes do not count, so the scale of the reward does not matter; the Beta test is nearly blind
// where rewards are graded and change little. It is valid under optional stopping. The zero value takes
// Alpha from the run.
type PairedAcceptance struct {
	Alpha float64

	run once
}

// Start takes the instance for a run.
func (p *PairedAcceptance) Start(uint64) error { return p.run.take("PairedAcceptance") }

// Configure takes Alpha from the run unless it was set.
func (p *PairedAcceptance) Configure(c MergeConfig) { def(&p.Alpha, c.Normalize().Alpha) }

// PolicyName returns "paired".
func (p *PairedAcceptance) PolicyName() string { return "paired" }

// Accept decides.
func (p *PairedAcceptance) Accept(ctx MergeContext) (AcceptDecision, error) {
	if p.Alpha == 0 {
		return AcceptDecision{}, &UnboundError{Policy: "PairedAcceptance", Needs: "the run's alpha"}
	}
	if len(ctx.BaseRewards) != len(ctx.CandRewards) {
		return AcceptDecision{}, &ContractError{
			Slot: "acceptance", Rule: "PairedAcceptance needs the same tasks on both sides",
			Got: fmt.Sprintf("%d and %d", len(ctx.BaseRewards), len(ctx.CandRewards)),
		}
	}
	wins, losses := stats.Signs(ctx.BaseRewards, ctx.CandRewards)
	e, threshold := stats.SignEValue(wins, losses), 1/p.Alpha
	delta := ctx.CandCounts.Rate() - ctx.BaseCounts.Rate()
	accept := e >= threshold && delta > 0
	d := AcceptDecision{
		Accept:        accept,
		Category:      Committed,
		EValue:        Known(e),
		Threshold:     Known(threshold),
		ObservedDelta: delta,
		Prior:         settle(ctx.Prior, accept, delta),
	}
	if !accept {
		d.Category = BelowThreshold
		d.Reason = fmt.Sprintf("%d wins and %d losses of %d tasks: e-value %.4g against %.4g, mean change %+.4g",
			wins, losses, len(ctx.BaseRewards), e, threshold, delta)
	}
	return d, nil
}

// SmallestGain is the smallest share of tasks that must get better, none getting worse.
func (p *PairedAcceptance) SmallestGain(n int) (Maybe, string) {
	for w := 1; w <= n; w++ {
		if stats.SignEValue(w, 0) >= 1/p.Alpha {
			return Known(float64(w) / float64(n)), fmt.Sprintf("%d of %d tasks must get better and none worse, by however little", w, n)
		}
	}
	return Maybe{}, fmt.Sprintf("%d held-out tasks cannot reach an e-value of %.4g even if all get better", n, 1/p.Alpha)
}

var (
	_ Sensitive  = (*DefaultAcceptance)(nil)
	_ Sensitive  = (*PairedAcceptance)(nil)
	_ Acceptance = (*DefaultAcceptance)(nil)
	_ Acceptance = (*PairedAcceptance)(nil)
	_ Configurer = (*DefaultAcceptance)(nil)
	_ Configurer = (*PairedAcceptance)(nil)
)
