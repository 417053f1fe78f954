package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agentdescent/adrun/slots"
)

// merge is one merge under way: the cards of one artifact, what became of them, and the candidate that
// came out.
type merge struct {
	run    *run
	art    *artifact
	round  int
	report slots.Report

	taken  []*slots.Card // from the pool
	cards  []*slots.Card // still in
	choice slots.Choice
	winner *slots.Card
	state  slots.State
	base   *sweep
	cand   *sweep

	distance slots.Maybe // of the candidate from stable
}

// merge takes an artifact's cards from the pool through to a commit or a refusal.
func (r *run) merge(ctx context.Context, a *artifact, cards []*slots.Card, round int) (slots.Report, error) {
	m := &merge{run: r, art: a, round: round, taken: cards, cards: cards}
	m.report = slots.Report{Artifact: a.id, Considered: len(cards), Lease: -1, Version: a.dev.Version}
	stages := []func(context.Context) (slots.MergeOutcome, error){
		m.trust, m.staleness, m.conflict, m.fuse, m.measure, m.audit, m.decide,
	}
	for _, stage := range stages {
		outcome, err := stage(ctx)
		if unmeasured(err) {
			outcome, err = slots.Unmeasured, nil
			m.report.Reason = "a policy's measurement failed"
		}
		if err != nil {
			return m.report, err
		}
		if outcome != "" {
			m.report.Outcome = outcome
			break
		}
	}
	m.settle()
	m.report.Version = a.dev.Version
	return m.report, r.journal.note(MergeEntry, m.report)
}

// trust drops the cards that change more than the trust region allows.
func (m *merge) trust(context.Context) (slots.MergeOutcome, error) {
	var in []*slots.Card
	for _, c := range m.cards {
		if m.art.region.allows(c.Diff) {
			in = append(in, c)
		}
	}
	m.report.Oversized = len(m.cards) - len(in)
	m.cards = in
	if len(in) == 0 {
		m.report.Reason = fmt.Sprintf("every diff exceeds %d keys or %d characters", m.art.region.keys(), m.art.region.chars())
		return slots.Oversized, nil
	}
	return "", nil
}

// Tolerances of staleness by layer, in versions.
const (
	alphaL1 = 5
	alphaL2 = 1
)

// staleness keeps, verifies again or discards the cards that lag behind dev.
func (m *merge) staleness(ctx context.Context) (slots.MergeOutcome, error) {
	var in []*slots.Card
	for _, c := range m.cards {
		keep, err := m.fresh(ctx, c)
		if err != nil {
			return "", err
		}
		if keep {
			in = append(in, c)
			continue
		}
		m.report.DiscardedStale++
		m.art.returnEvidence(c)
	}
	m.cards = in
	if len(in) == 0 {
		m.report.Reason = "every card lagged too far behind"
		return slots.AllStale, nil
	}
	return "", nil
}

func (m *merge) fresh(ctx context.Context, c *slots.Card) (bool, error) {
	eta := 0
	for _, t := range c.Touched {
		if a := m.run.byID[t.Artifact]; a != nil {
			eta = max(eta, a.dev.Version-t.Version)
		}
	}
	alpha := alphaL2
	switch {
	case c.ContractBreaking:
		alpha = 0
	case m.art.layer == slots.L1:
		alpha = alphaL1
	}
	switch act := m.run.policies.Staleness.Decide(eta, alpha, c.ContractBreaking); act {
	case slots.Accept:
		return true, nil
	case slots.Discard:
		return false, nil
	case slots.Rebase:
		m.report.Rebased++
		return m.rebase(ctx, c)
	default:
		return false, &slots.ContractError{
			Slot: "staleness", Rule: "Decide returns Accept, Rebase or Discard", Got: fmt.Sprintf("%d", act),
		}
	}
}

// rebaseRecord is what verifying a lagging card again showed.
type rebaseRecord struct {
	Lease int         `json:"lease"`
	Delta slots.Maybe `json:"delta"`
	Error string      `json:"error,omitempty"`
	Spend slots.Spend `json:"spend"`
}

// rebase applies the card to dev and measures it on its evidence; it stays if it still gains.
func (m *merge) rebase(ctx context.Context, c *slots.Card) (bool, error) {
	r := m.run
	rec, err := effect(r.journal, RebaseEntry, func() (rebaseRecord, error) { return m.verifyAgain(ctx, c) })
	if err != nil {
		return false, err
	}
	r.spend = r.spend.Plus(rec.Spend)
	c.Delta = rec.Delta
	return rec.Delta.Known && rec.Delta.Value > 0, nil
}

func (m *merge) verifyAgain(ctx context.Context, c *slots.Card) (rebaseRecord, error) {
	r, rec := m.run, rebaseRecord{Lease: c.Lease}
	next, err := r.judge.candidate(m.art, m.art.dev.State.Apply(c.Diff))
	var no *Refusal
	if errors.As(err, &no) {
		rec.Error = no.Error()
		return rec, nil
	}
	if err != nil {
		return rec, err
	}
	dev, err := r.judge.candidate(m.art, m.art.dev.State)
	if err != nil {
		return rec, err
	}
	before, err := m.onEvidence(ctx, c, dev, &rec)
	if err != nil {
		return rec, err
	}
	after, err := m.onEvidence(ctx, c, next, &rec)
	if before.Known && after.Known {
		rec.Delta = slots.Known(after.Value - before.Value)
	}
	return rec, err
}

// onEvidence is the mean reward of a candidate on a card's failing tasks; absent when one of them could not
// be evaluated.
func (m *merge) onEvidence(ctx context.Context, c *slots.Card, cand *slots.Candidate, rec *rebaseRecord) (slots.Maybe, error) {
	r := m.run
	seeds := r.seedsFor(c.Lease)
	sum, n := 0.0, 0
	for _, id := range c.Failing {
		i, known := r.train[id]
		if !known {
			continue
		}
		o, err := r.eval.outcome(ctx, cand, r.split.Train[i], seeds[i])
		if unmeasured(err) {
			rec.Error = err.Error()
			return slots.Maybe{}, nil
		}
		if err != nil {
			return slots.Maybe{}, err
		}
		sum += o.Reward
		n++
		rec.Spend = rec.Spend.Plus(r.rolloutSpend(cand, o))
	}
	if n == 0 {
		return slots.Maybe{}, nil
	}
	return slots.Known(sum / float64(n)), nil
}

// conflict lets one of contradicting cards survive.
func (m *merge) conflict(ctx context.Context) (slots.MergeOutcome, error) {
	kept, dropped, err := m.run.policies.Conflict.Resolve(ctx, m.art.seen(), slices.Clone(m.cards))
	if err != nil {
		return "", err
	}
	broken := &slots.ContractError{Slot: "conflict"}
	switch {
	case len(kept) == 0:
		broken.Rule, broken.Got = "Resolve keeps at least one card", "none"
		return "", broken
	case len(kept) > len(m.cards) || dropped != len(m.cards)-len(kept):
		broken.Rule, broken.Got = "the dropped count is what is not kept",
			fmt.Sprintf("%d kept and %d dropped of %d", len(kept), dropped, len(m.cards))
		return "", broken
	}
	for _, c := range kept {
		if !slices.Contains(m.cards, c) {
			broken.Rule, broken.Got = "Resolve returns cards it was handed", fmt.Sprintf("another card (lease %d)", c.Lease)
			return "", broken
		}
	}
	if a, b := m.contradiction(kept); a != nil {
		broken.Rule = "the survivors do not contradict each other unless the fusion merges contradictions"
		broken.Got = fmt.Sprintf("leases %d and %d", a.Lease, b.Lease)
		return "", broken
	}
	m.cards, m.report.ConflictsDropped = kept, dropped
	return "", nil
}

// contradiction finds two cards that contradict each other, unless the fusion can merge such.
func (m *merge) contradiction(cards []*slots.Card) (a, b *slots.Card) {
	if f, ok := m.run.policies.Fusion.(slots.ContradictionMerger); ok && f.MergesContradictions() {
		return nil, nil
	}
	for i, b := range cards {
		for _, a := range cards[:i] {
			if a.Diff.Contradicts(b.Diff) {
				return a, b
			}
		}
	}
	return nil, nil
}

// seen is the artifact as policies see it.
func (a *artifact) seen() slots.Artifact {
	return slots.Artifact{ID: a.id, State: a.dev.State, Version: a.dev.Version, BlastRadius: a.radius}
}

// fuse makes one candidate of the survivors and attributes it to a card: the one whose diff it is, or the
// first contributor of a union.
func (m *merge) fuse(ctx context.Context) (slots.MergeOutcome, error) {
	if f, ok := m.run.policies.Fusion.(slots.Thrifty); ok && m.run.cfg.Budget.Governor != nil {
		left := m.run.cfg.Budget.fractionLeft(m.run.spend)
		f.Thrift(!m.run.cfg.Budget.Governor.Tournament(left))
	}
	diffs := make([]slots.Diff, len(m.cards))
	for i, c := range m.cards {
		diffs[i] = c.Diff
	}
	choice, err := m.run.policies.Fusion.Select(ctx, m.art.seen(), diffs)
	if err != nil {
		return "", err
	}
	if len(choice.Diff) == 0 {
		return "", &slots.ContractError{Slot: "fusion", Rule: "Select returns a diff", Got: "an empty one"}
	}
	m.choice, m.report.Fused, m.report.Diff = choice, choice.Union, choice.Diff
	m.winner = attribute(m.cards, choice)
	m.report.Lease = m.winner.Lease
	m.state = m.art.dev.State.Apply(choice.Diff)
	if m.state.Equal(m.art.dev.State) {
		m.report.Reason = "the diff changes nothing on the head"
		return slots.BelowThreshold, nil
	}
	return "", nil
}

// attribute finds the card that an outcome belongs to.
func attribute(cards []*slots.Card, choice slots.Choice) *slots.Card {
	for _, c := range cards {
		if !choice.Union && c.Diff.Equal(choice.Diff) {
			return c
		}
	}
	for _, c := range cards {
		if c.Diff.Meets(choice.Diff) {
			return c
		}
	}
	return cards[0]
}

// measure measures base and candidate on the whole held-out set.
func (m *merge) measure(ctx context.Context) (slots.MergeOutcome, error) {
	var err error
	if m.base, err = m.run.judge.sweep(ctx, m.art, m.art.dev.State); err != nil {
		return "", err
	}
	m.cand, err = m.run.judge.sweep(ctx, m.art, m.state)
	var no *Refusal
	if errors.As(err, &no) {
		m.run.refused[no.Code]++
		m.run.gated++
		m.report.Reason = "the merged state may not run: " + no.Error()
		return slots.BelowThreshold, nil
	}
	if err != nil {
		return "", err
	}
	for _, s := range []*sweep{m.base, m.cand} {
		if s.Error != "" {
			m.report.Reason = s.Error
			return slots.Unmeasured, nil
		}
	}
	m.report.Identity = m.cand.Identity
	m.report.BaseRate, m.report.CandRate = slots.Known(m.base.rate()), slots.Known(m.cand.rate())
	m.report.ObservedDelta = slots.Known(m.cand.rate() - m.base.rate())
	return "", nil
}

// decide asks the acceptance and commits.
func (m *merge) decide(ctx context.Context) (slots.MergeOutcome, error) {
	mc := m.context()
	d, err := m.run.policies.Acceptance.Accept(mc)
	if err != nil {
		return "", err
	}
	if !d.Category.Valid() || d.Accept != (d.Category == slots.Committed) {
		return "", &slots.ContractError{
			Slot: "acceptance", Rule: "the category is committed for a yes and another word of the vocabulary for a no",
			Got: fmt.Sprintf("accept %v with %q", d.Accept, d.Category),
		}
	}
	if d.Prior.A > 0 && d.Prior.B > 0 {
		m.art.prior = d.Prior
	}
	m.report.PImprove, m.report.EValue, m.report.Threshold = d.PImprove, d.EValue, d.Threshold
	m.report.ObservedDelta, m.report.Reason = slots.Known(d.ObservedDelta), d.Reason
	if !d.Accept {
		return d.Category, nil
	}
	return m.commit(ctx)
}

// commit makes the candidate dev and archives it.
func (m *merge) commit(ctx context.Context) (slots.MergeOutcome, error) {
	parent := m.art.devHead
	if m.art.populated {
		parent = m.winner.Head
	}
	ok, err := m.run.adopt(ctx, m.art, adoption{
		diff: m.choice.Diff, outcome: slots.Committed, round: m.round, lease: m.report.Lease,
	})
	if err != nil {
		return "", err
	}
	if !ok {
		m.report.Reason = "other writers kept moving the head"
		return slots.CASConflict, nil
	}
	m.art.commits++
	m.run.elites.commits++
	m.run.sources.commit(m.winner.Source, m.report.ObservedDelta)
	// After a lost race the head is not what was measured; it is measured again when it is needed.
	measured := m.cand
	if !m.art.dev.State.Equal(m.state) {
		measured = nil
	}
	m.run.archive(m.art, measured, m.round, parent)
	return slots.Committed, nil
}

// context gathers what an acceptance is handed.
func (m *merge) context() slots.MergeContext {
	mc := slots.MergeContext{
		Artifact: m.art.seen(), Candidate: m.state,
		BaseCounts: slots.Count(m.base.Rewards), CandCounts: slots.Count(m.cand.Rewards),
		BaseRewards: m.base.Rewards, CandRewards: m.cand.Rewards,
		BaseCheap: m.run.judge.subset(m.base), CandCheap: m.run.judge.subset(m.cand),
		Prior: m.art.prior, Version: m.art.commits, Fused: m.choice.Union, Advantage: m.winner.Advantage,
	}
	for _, c := range m.cards {
		if c.Diff.Meets(m.choice.Diff) {
			mc.Cards = append(mc.Cards, c)
		}
	}
	if d, ok := m.art.strategy.(Distancer); ok {
		mc.StableDistance = d.Distance(m.art.stable.State, m.state)
		m.distance = slots.Known(mc.StableDistance)
	}
	return mc
}

// settle does what follows from the outcome.
func (m *merge) settle() {
	m.art.region.learn(m.report)
	m.run.decide(m.report, Audit{Delta: m.delta(), StableDistance: m.distance})
	back := m.report.Outcome == slots.Unmeasured || m.report.Outcome == slots.CASConflict
	if back {
		m.run.pool.giveBack(m.cards)
	}
	for _, c := range m.taken {
		if !back || !slices.Contains(m.cards, c) {
			delete(m.art.questions, c.Lease)
		}
	}
}

// delta is what the card that the outcome belongs to saw on its own task.
func (m *merge) delta() slots.Maybe {
	if m.winner == nil {
		return slots.Maybe{}
	}
	return m.winner.Delta
}
