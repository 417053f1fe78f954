package slots

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/agentdescent/adrun/internal/stats"
)

// staleness compiles a policy of slot staleness.
func (b *builder) staleness() Staleness {
	return &stalenessRule{rule: b.rule, decide: b.must("decide", "eta", "alpha", "contract_breaking", "shipped")}
}

type stalenessRule struct {
	rule
	decide *hook
}

// Decide asks the rule. Stale contract-breaking diffs are discarded before.
func (p *stalenessRule) Decide(eta, alpha int, contractBreaking bool) StaleAction {
	shipped := Guarded{}.Decide(eta, alpha, contractBreaking)
	if contractBreaking && eta > 0 {
		return Discard
	}
	v := p.value(p.decide, p.start, []float64{
		float64(max(eta, 0)), float64(alpha), indicator(contractBreaking), float64(shipped),
	})
	return StaleAction(v)
}

// conflict compiles a policy of slot conflict.
func (b *builder) conflict() Conflict {
	p := &conflictRule{rule: b.rule, prefer: b.must("prefer", "new_score", "kept_score", "new_advantage",
		"kept_advantage", "has_advantage", "new_size", "kept_size", "shipped")}
	p.buys = p.prefer.reads("new_score", "kept_score", "shipped")
	return p
}

type conflictRule struct {
	rule
	prefer   *hook
	buys     bool // the rule reads what a score decides
	verifier Verifier
}

// Bind takes the verifier that ranks.
func (p *conflictRule) Bind(v Verifier) error { return bindOnce(&p.verifier, v, p.name) }

// Resolve asks the rule about each contradicting pair.
func (p *conflictRule) Resolve(ctx context.Context, a Artifact, cards []*Card) ([]*Card, int, error) {
	return ResolvePairs(cards, func(newcomer, kept *Card) (bool, error) {
		var n, k CheapScore
		if p.buys {
			var err error
			if n, k, err = scorePair(ctx, p.verifier, p.name, a, newcomer, kept); err != nil {
				return false, err
			}
		}
		return p.yes(p.prefer, p.start, float64(n), float64(k),
			newcomer.Advantage.Or(0), kept.Advantage.Or(0), indicator(newcomer.Advantage.Known && kept.Advantage.Known),
			float64(len(newcomer.Diff)), float64(len(kept.Diff)), indicator(n > k)), nil
	})
}

// fusion compiles a policy of slot fusion.
func (b *builder) fusion() Fusion {
	p := &fusionRule{rule: b.rule, merit: b.must("merit", "is_union", "size", "members", "score", "base_score")}
	p.buysBase, p.buysScore = p.merit.reads("base_score"), p.merit.reads("score")
	return p
}

type fusionRule struct {
	rule
	merit               *hook
	buysBase, buysScore bool
	verifier            Verifier
	thrifty             bool
	trials              []FusionTrial
}

// Bind takes the verifier that ranks.
func (p *fusionRule) Bind(v Verifier) error { return bindOnce(&p.verifier, v, p.name) }

// Thrift leaves the decision to the default while scores cannot be afforded.
func (p *fusionRule) Thrift(on bool) { p.thrifty = on }

// FusionTrials returns the record of the contests.
func (p *fusionRule) FusionTrials() []FusionTrial { return p.trials }

// Select returns the diff of the highest merit.
func (p *fusionRule) Select(ctx context.Context, a Artifact, diffs []Diff) (Choice, error) {
	in := contestants(diffs)
	buys := p.buysBase || p.buysScore
	if len(in) == 1 || buys && p.thrifty {
		p.trials = append(p.trials, trial(in, union(in), false))
		return in[union(in)].choice(), nil
	}
	base, err := p.buy(ctx, a, p.buysBase, nil)
	if err != nil {
		return Choice{}, err
	}
	best, most := 0, 0.0
	for i, c := range in {
		score, err := p.buy(ctx, a, p.buysScore, c.diff)
		if err != nil {
			return Choice{}, err
		}
		v := p.num(p.merit, p.start, indicator(c.whole), float64(len(c.diff)), float64(c.members), score, base)
		if i == 0 || v > most {
			best, most = i, v
		}
	}
	p.trials = append(p.trials, trial(in, best, buys))
	return in[best].choice(), nil
}

// buy ranks dev with a diff, if the rule reads that.
func (p *fusionRule) buy(ctx context.Context, a Artifact, reads bool, d Diff) (float64, error) {
	if !reads {
		return 0, nil
	}
	if p.verifier == nil {
		return 0, &UnboundError{Policy: p.name, Needs: "a verifier"}
	}
	s, err := p.verifier.CheapEval(ctx, a.ID, a.State.Apply(d))
	return float64(s), err
}

// acceptance compiles a policy of slot acceptance.
func (b *builder) acceptance() Acceptance {
	p := &acceptanceRule{
		rule: b.rule,
		accept: b.must("accept", "base_rate", "cand_rate", "n", "wins", "losses", "p_improve", "e_value", "observed_delta",
			"threshold", "version", "stable_distance", "advantage", "has_advantage", "shipped"),
		shift: b.hook("shift", "advantage", "has_advantage"),
	}
	p.evidence = p.accept.reads("e_value", "wins", "losses")
	if p.shift != nil {
		p.shipped.Shift = p.shiftOf
	}
	return p
}

// acceptanceRule asks a rule; the arithmetic, the default's verdict and the prior are DefaultAcceptance's.
type acceptanceRule struct {
	rule
	accept, shift *hook
	evidence      bool // the rule reads what the signs show
	shipped       DefaultAcceptance
}

// Start takes the instance for a run.
func (p *acceptanceRule) Start(uint64) error { return p.shipped.run.take(p.name) }

// Configure takes the thresholds from the run.
func (p *acceptanceRule) Configure(c MergeConfig) { p.shipped.Configure(c) }

func (p *acceptanceRule) shiftOf(ctx MergeContext) float64 {
	v := p.num(p.shift, p.start, ctx.Advantage.Or(0), indicator(ctx.Advantage.Known))
	if math.IsInf(v, 0) {
		return 0
	}
	return min(max(v, -maxShift), maxShift)
}

// maxShift bounds pseudo-observations; it is more than any held-out set.
const maxShift = 1e6

// Accept asks the rule.
func (p *acceptanceRule) Accept(ctx MergeContext) (AcceptDecision, error) {
	d, err := p.shipped.Accept(ctx)
	if err != nil {
		return d, err
	}
	wins, losses, e := 0, 0, 1.0
	if p.evidence && len(ctx.BaseRewards) == len(ctx.CandRewards) {
		wins, losses = stats.Signs(ctx.BaseRewards, ctx.CandRewards)
		e = stats.SignEValue(wins, losses)
		d.EValue = Known(e)
	}
	yes := p.yes(p.accept, p.start,
		ctx.BaseCounts.Rate(), ctx.CandCounts.Rate(), float64(len(ctx.BaseRewards)), float64(wins), float64(losses),
		d.PImprove.Value, e, d.ObservedDelta, d.Threshold.Value, float64(ctx.Version), ctx.StableDistance,
		ctx.Advantage.Or(0), indicator(ctx.Advantage.Known), indicator(d.Accept))
	if yes == d.Accept {
		return d, nil
	}
	d.Accept, d.Category, d.Reason = yes, Committed, ""
	if !yes {
		d.Category, d.Reason = BelowThreshold, "policy "+p.name+" refuses"
	}
	d.Prior = settle(ctx.Prior, yes, d.ObservedDelta)
	return d, nil
}

// promotion compiles a policy of slot promotion.
func (b *builder) promotion() Promotion {
	return &promotionRule{
		rule:   b.rule,
		ask:    b.must("promote", "survived", "commits", "oracle_rejections", "after_k"),
		report: b.hook("report", "committed", "oracle_rejected", "promoted"),
		states: keyed{}, lives: map[string]*life{},
	}
}

type promotionRule struct {
	rule
	run         once
	ask, report *hook
	after       int
	states      keyed
	lives       map[string]*life
}

// life is what the host counts of an artifact.
type life struct{ survived, commits, rejections int }

// Start takes the instance for a run.
func (p *promotionRule) Start(uint64) error { return p.run.take(p.name) }

// Configure takes the survival that the run asks for.
func (p *promotionRule) Configure(c MergeConfig) { p.after = c.Normalize().PromoteAfter }

// Survival returns the count of steps by artifact.
func (p *promotionRule) Survival() map[string]int {
	out := map[string]int{}
	for id, l := range p.lives {
		out[id] = l.survived
	}
	return out
}

// Observe counts the step, asks the rule for each artifact, and tells it what happened.
func (p *promotionRule) Observe(reports []Report) []string {
	committed, rejected := map[string]bool{}, map[string]bool{}
	for _, r := range reports {
		if p.lives[r.Artifact] == nil {
			p.lives[r.Artifact] = &life{}
		}
		committed[r.Artifact] = committed[r.Artifact] || r.Outcome == Committed
		rejected[r.Artifact] = rejected[r.Artifact] || r.Outcome == OracleRejected
	}
	var out []string
	for _, id := range slices.Sorted(maps.Keys(p.lives)) {
		l := p.lives[id]
		l.step(committed[id], rejected[id])
		promoted := p.yes(p.ask, p.states.of(id, &p.rule),
			float64(l.survived), float64(l.commits), float64(l.rejections), float64(max(p.after, 1)))
		if promoted {
			out = append(out, id)
			l.survived = 0
		}
		p.tell(p.report, p.states.of(id, &p.rule), indicator(committed[id]), indicator(rejected[id]), indicator(promoted))
	}
	return out
}

// step counts: a commit and an oracle rejection start the survival again.
func (l *life) step(committed, rejected bool) {
	l.survived++
	if committed {
		l.commits++
	}
	if rejected {
		l.rejections++
	}
	if committed || rejected {
		l.survived = 0
	}
}

var (
	_ Binder        = (*conflictRule)(nil)
	_ Binder        = (*fusionRule)(nil)
	_ Thrifty       = (*fusionRule)(nil)
	_ FusionTrialer = (*fusionRule)(nil)
	_ Configurer    = (*acceptanceRule)(nil)
	_ Configurer    = (*promotionRule)(nil)
	_ Survivor      = (*promotionRule)(nil)
)
