package slots

import (
	"context"
	"maps"
	"slices"
)

// SingleHead goes on from the head: no population.
type SingleHead struct{}

// PolicyName returns "single_head".
func (SingleHead) PolicyName() string { return "single_head" }

// HeadOnly returns true.
func (SingleHead) HeadOnly() bool { return true }

// Select returns the head alone.
func (SingleHead) Select(ctx SelectionContext, _ int) ([]int, error) { return []int{ctx.Head.ID}, nil }

// RoundRobin takes the tasks of a shard in turn.
type RoundRobin struct{}

// PolicyName returns "round_robin".
func (RoundRobin) PolicyName() string { return "round_robin" }

// Pick returns key number round, counted around the shard.
func (RoundRobin) Pick(keys []string, round int) string { return keys[round%len(keys)] }

// Record learns nothing.
func (RoundRobin) Record(string, float64, int) {}

// AskActor asks the actor's own proposer every time.
type AskActor struct{}

// PolicyName returns "ask_actor".
func (AskActor) PolicyName() string { return "ask_actor" }

// Propose forwards to the actor's proposer.
func (AskActor) Propose(ctx context.Context, pc *ProposalContext, ask Proposer) ([]Proposal, error) {
	p, err := ask.Propose(ctx, pc)
	if err != nil || p == nil {
		return nil, err
	}
	return []Proposal{*p}, nil
}

// Full accepts every card but a contract-breaking one that lags.
type Full struct{}

// PolicyName returns "full".
func (Full) PolicyName() string { return "full" }

// Decide decides.
func (Full) Decide(eta, _ int, contractBreaking bool) StaleAction {
	if contractBreaking && eta > 0 {
		return Discard
	}
	return Accept
}

// Reflective verifies every card that lags again; a contract-breaking one is discarded.
type Reflective struct{}

// PolicyName returns "reflective".
func (Reflective) PolicyName() string { return "reflective" }

// Decide decides.
func (Reflective) Decide(eta, _ int, contractBreaking bool) StaleAction {
	switch {
	case eta <= 0:
		return Accept
	case contractBreaking:
		return Discard
	}
	return Rebase
}

// Guarded accepts a fresh card, rebases one within the tolerance and discards the others.
type Guarded struct{}

// PolicyName returns "guarded".
func (Guarded) PolicyName() string { return "guarded" }

// Decide decides.
func (Guarded) Decide(eta, alpha int, contractBreaking bool) StaleAction {
	switch {
	case eta <= 0:
		return Accept
	case contractBreaking || eta > alpha:
		return Discard
	}
	return Rebase
}

// DefaultConflict lets the better of two contradicting diffs survive, by their score on the ranking
// sub-sample; the earlier one keeps a tie.
type DefaultConflict struct {
	verifier Verifier
}

// PolicyName returns "default".
func (p *DefaultConflict) PolicyName() string { return "default" }

// Bind takes the verifier that ranks.
func (p *DefaultConflict) Bind(v Verifier) error { return bindOnce(&p.verifier, v, "DefaultConflict") }

// Resolve resolves.
func (p *DefaultConflict) Resolve(ctx context.Context, a Artifact, cards []*Card) ([]*Card, int, error) {
	return ResolvePairs(cards, func(newcomer, kept *Card) (bool, error) {
		n, k, err := scorePair(ctx, p.verifier, "DefaultConflict", a, newcomer, kept)
		return n > k, err
	})
}

// scorePair ranks dev with either diff.
func scorePair(ctx context.Context, v Verifier, policy string, a Artifact, newcomer, kept *Card) (n, k CheapScore, err error) {
	if v == nil {
		return 0, 0, &UnboundError{Policy: policy, Needs: "a verifier"}
	}
	if n, err = v.CheapEval(ctx, a.ID, a.State.Apply(newcomer.Diff)); err != nil {
		return 0, 0, err
	}
	k, err = v.CheapEval(ctx, a.ID, a.State.Apply(kept.Diff))
	return n, k, err
}

// ResolvePairs is the bookkeeping of a conflict policy. Cards come in one by one; one that contradicts
// survivors must win against each of them, and then displaces all; else it is dropped. prefer says whether
// the newcomer wins. Two equal diffs do not contradict.
func ResolvePairs(cards []*Card, prefer func(newcomer, kept *Card) (bool, error)) ([]*Card, int, error) {
	var kept []*Card
	for _, c := range cards {
		rivals, wins := 0, true
		for _, k := range kept {
			if !wins || !c.Diff.Contradicts(k.Diff) {
				continue
			}
			rivals++
			var err error
			if wins, err = prefer(c, k); err != nil {
				return nil, 0, err
			}
		}
		if !wins {
			continue
		}
		if rivals > 0 {
			kept = without(kept, c)
		}
		kept = append(kept, c)
	}
	return kept, len(cards) - len(kept), nil
}

// without returns the cards that do not contradict c.
func without(kept []*Card, c *Card) []*Card {
	out := kept[:0:0]
	for _, k := range kept {
		if !c.Diff.Contradicts(k.Diff) {
			out = append(out, k)
		}
	}
	return out
}

// DefaultPromotion makes a head stable that has survived After steps: a commit and an oracle rejection
// start the count again, and an artifact without a report ages too. The zero value takes After from the run.
type DefaultPromotion struct {
	After int

	run      once
	survived map[string]int
}

// PolicyName returns "default".
func (p *DefaultPromotion) PolicyName() string { return "default" }

// Start takes the instance for a run.
func (p *DefaultPromotion) Start(uint64) error { return p.run.take("DefaultPromotion") }

// Configure takes After from the run unless it was set.
func (p *DefaultPromotion) Configure(c MergeConfig) { def(&p.After, c.Normalize().PromoteAfter) }

// Observe counts the step.
func (p *DefaultPromotion) Observe(reports []Report) []string {
	if p.survived == nil {
		p.survived = map[string]int{}
	}
	reset := map[string]bool{}
	for _, r := range reports {
		if _, known := p.survived[r.Artifact]; !known {
			p.survived[r.Artifact] = 0
		}
		if r.Outcome == Committed || r.Outcome == OracleRejected {
			reset[r.Artifact] = true
		}
	}
	var out []string
	for _, id := range slices.Sorted(maps.Keys(p.survived)) {
		if reset[id] {
			p.survived[id] = 0
			continue
		}
		p.survived[id]++
		if p.After > 0 && p.survived[id] >= p.After {
			out = append(out, id)
			p.survived[id] = 0
		}
	}
	return out
}

// Survival returns the count of steps by artifact.
func (p *DefaultPromotion) Survival() map[string]int { return maps.Clone(p.survived) }

// bindOnce stores a verifier in an unbound policy.
func bindOnce(slot *Verifier, v Verifier, policy string) error {
	if *slot != nil {
		return taken(policy)
	}
	*slot = v
	return nil
}

// once marks an instance that keeps state, or numbers of a run, as that run's.
type once struct{ taken bool }

func (o *once) take(policy string) error {
	if o.taken {
		return taken(policy)
	}
	o.taken = true
	return nil
}

func taken(policy string) error {
	return &ContractError{
		Slot: policy, Rule: "an instance belongs to one run; build a fresh one for each", Got: "a second one",
	}
}
