package slots

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// AdvantageConflict breaks a contradiction by the group-relative advantage of the rollouts: when both are
// known and differ by at least Margin, the higher one survives; else Inner decides. A diff from a rollout
// that beat a hard group carries more evidence than the ranking sub-sample can see.
type AdvantageConflict struct {
	// Margin is in standard deviations; default 0.5.
	Margin float64
	// Inner decides the others; default DefaultConflict.
	Inner Conflict
}

// PolicyName returns "advantage".
func (p *AdvantageConflict) PolicyName() string { return "advantage" }

func (p *AdvantageConflict) inner() Conflict {
	if p.Inner == nil {
		p.Inner = &DefaultConflict{}
	}
	return p.Inner
}

// Start forwards to Inner.
func (p *AdvantageConflict) Start(seed uint64) error { return start(p.inner(), seed) }

// Bind forwards to Inner.
func (p *AdvantageConflict) Bind(v Verifier) error { return bind(p.inner(), v) }

// Configure forwards to Inner.
func (p *AdvantageConflict) Configure(c MergeConfig) { configure(p.inner(), c) }

// Resolve resolves.
func (p *AdvantageConflict) Resolve(ctx context.Context, a Artifact, cards []*Card) ([]*Card, int, error) {
	margin := p.Margin
	def(&margin, 0.5)
	return ResolvePairs(cards, func(newcomer, kept *Card) (bool, error) {
		n, k := newcomer.Advantage, kept.Advantage
		if n.Known && k.Known && math.Abs(n.Value-k.Value) >= margin {
			return n.Value > k.Value, nil
		}
		left, _, err := p.inner().Resolve(ctx, a, []*Card{kept, newcomer})
		return !slices.Contains(left, kept), err
	})
}

// AdvantageAcceptance is DefaultAcceptance with a shift: the advantage of the card to which the candidate is
// attributed enters its prior as Strength pseudo-observations a standard deviation, successes above the
// group's mean and failures below. A card without an advantage shifts nothing. The regression guard stays.
type AdvantageAcceptance struct {
	// Strength defaults to 1.
	Strength float64
	// Inner holds thresholds that are not the run's; best left alone.
	Inner DefaultAcceptance
}

// PolicyName returns "advantage".
func (p *AdvantageAcceptance) PolicyName() string { return "advantage" }

// Start forwards to Inner.
func (p *AdvantageAcceptance) Start(seed uint64) error { return p.Inner.Start(seed) }

// Configure forwards to Inner.
func (p *AdvantageAcceptance) Configure(c MergeConfig) { p.Inner.Configure(c) }

// Warnings forwards to Inner.
func (p *AdvantageAcceptance) Warnings(c MergeConfig) []string { return p.Inner.Warnings(c) }

// SmallestGain is that of Inner, for a candidate without an advantage.
func (p *AdvantageAcceptance) SmallestGain(n int) (Maybe, string) { return p.Inner.SmallestGain(n) }

// Accept decides.
func (p *AdvantageAcceptance) Accept(ctx MergeContext) (AcceptDecision, error) {
	strength := p.Strength
	def(&strength, 1)
	p.Inner.Shift = func(ctx MergeContext) float64 { return strength * ctx.Advantage.Or(0) }
	return p.Inner.Accept(ctx)
}

// StableDistanceAcceptance asks more of a candidate the further it behaves from stable: what Inner accepts
// must gain at least Strength · distance on the held-out set. For rules the distance is the mean change of
// rank on the grid.
type StableDistanceAcceptance struct {
	// Strength is in held-out rate for the whole distance of 1; default 0.1.
	Strength float64
	// Inner decides first; default DefaultAcceptance.
	Inner Acceptance
}

// PolicyName returns "stable_distance".
func (p *StableDistanceAcceptance) PolicyName() string { return "stable_distance" }

func (p *StableDistanceAcceptance) inner() Acceptance {
	if p.Inner == nil {
		p.Inner = &DefaultAcceptance{}
	}
	return p.Inner
}

// Start forwards to Inner.
func (p *StableDistanceAcceptance) Start(seed uint64) error { return start(p.inner(), seed) }

// Bind forwards to Inner.
func (p *StableDistanceAcceptance) Bind(v Verifier) error { return bind(p.inner(), v) }

// Configure forwards to Inner.
func (p *StableDistanceAcceptance) Configure(c MergeConfig) { configure(p.inner(), c) }

// Warnings forwards to Inner.
func (p *StableDistanceAcceptance) Warnings(c MergeConfig) []string {
	if w, ok := p.inner().(Warner); ok {
		return w.Warnings(c)
	}
	return nil
}

// Accept decides.
func (p *StableDistanceAcceptance) Accept(ctx MergeContext) (AcceptDecision, error) {
	d, err := p.inner().Accept(ctx)
	strength := p.Strength
	def(&strength, 0.1)
	required := strength * ctx.StableDistance
	if err != nil || !d.Accept || d.ObservedDelta >= required {
		return d, err
	}
	d.Accept, d.Category = false, BelowThreshold
	d.Reason = fmt.Sprintf("a gain of %+.4g is below the %.4g that a distance of %.3g from stable asks for",
		d.ObservedDelta, required, ctx.StableDistance)
	d.Prior = settle(ctx.Prior, false, d.ObservedDelta)
	return d, nil
}

// StrictImprovement commits whatever has a higher mean held-out reward, by however little: an example of a
// rule that replaces the shipped one and its guards against noise.
type StrictImprovement struct{}

// PolicyName returns "strict_improvement".
func (StrictImprovement) PolicyName() string { return "strict_improvement" }

// Accept decides.
func (StrictImprovement) Accept(ctx MergeContext) (AcceptDecision, error) {
	delta := ctx.CandCounts.Rate() - ctx.BaseCounts.Rate()
	d := AcceptDecision{Accept: delta > 0, Category: Committed, ObservedDelta: delta, Prior: settle(ctx.Prior, delta > 0, delta)}
	if !d.Accept {
		d.Category, d.Reason = BelowThreshold, "the held-out rate did not rise"
	}
	return d, nil
}

// start, bind and configure offer a policy what it has a hook for.
func start(policy any, seed uint64) error {
	if q, ok := policy.(Starter); ok {
		return q.Start(seed)
	}
	return nil
}

func bind(policy any, v Verifier) error {
	if q, ok := policy.(Binder); ok {
		return q.Bind(v)
	}
	return nil
}

func configure(policy any, c MergeConfig) {
	if q, ok := policy.(Configurer); ok {
		q.Configure(c)
	}
}

var (
	_ Conflict   = (*AdvantageConflict)(nil)
	_ Acceptance = (*AdvantageAcceptance)(nil)
	_ Acceptance = (*StableDistanceAcceptance)(nil)
	_ Acceptance = StrictImprovement{}
	_ Sensitive  = (*AdvantageAcceptance)(nil)
)
