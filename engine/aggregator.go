package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentdescent/adrun/slots"
)

// Aggregator replaces the merge of a run: a pool with its own admission rule, an archive of its own. It
// does its own selecting, so a selection policy beside it is refused, and merge-side policies belong into
// its constructor.
type Aggregator interface {
	// Step is called once a step with the cards of the step, in lease order, and reports what it did. It
	// is called during a resume too, and does the same again. A report that names a lease and its
	// candidate's rate is what the run's allocator learns from.
	Step(ctx context.Context, round int, cards []*slots.Card) ([]slots.Report, error)
}

// Kit is what the engine hands the constructor of an aggregator.
type Kit struct {
	// Verifier measures, Config holds the run's thresholds.
	Verifier slots.Verifier
	Config   slots.MergeConfig
	// Artifact returns dev of an artifact.
	Artifact func(id string) (slots.Artifact, error)
	// Commit moves dev by compare-and-swap; false means that other writers kept moving it. lease is the
	// card's to which the commit is attributed, or −1.
	Commit func(ctx context.Context, artifact string, d slots.Diff, lease int) (bool, error)
}

func (r *run) kit() Kit {
	return Kit{
		Verifier: r.judge,
		Config:   r.cfg.Gate.Merge,
		Artifact: func(id string) (slots.Artifact, error) {
			a, err := r.judge.artifact(id)
			if err != nil {
				return slots.Artifact{}, err
			}
			return a.seen(), nil
		},
		Commit: r.commitFor,
	}
}

// commitFor commits for an aggregator.
func (r *run) commitFor(ctx context.Context, id string, d slots.Diff, lease int) (bool, error) {
	a, err := r.judge.artifact(id)
	if err != nil {
		return false, err
	}
	s, err := r.judge.sweep(ctx, a, a.dev.State.Apply(d))
	var no *Refusal
	if errors.As(err, &no) {
		return false, &slots.ContractError{Slot: "aggregator", Rule: "Commit is given a diff that may run", Got: no.Error()}
	}
	if err != nil {
		return false, err
	}
	ok, err := r.adopt(ctx, a, adoption{diff: d, outcome: slots.Committed, round: len(r.history), lease: lease})
	if err != nil || !ok {
		return false, err
	}
	a.commits++
	r.elites.commits++
	if s.Identity != a.candidate.Identity {
		s = nil
	}
	r.archive(a, s, len(r.history), a.devHead)
	return true, nil
}

// stepAggregator lets the aggregator do a step.
func (r *run) stepAggregator(ctx context.Context, round int) ([]slots.Report, error) {
	cards := r.pool.cards
	r.pool.cards = nil
	if len(cards) == 0 {
		return nil, nil
	}
	reports, err := r.aggregate.Step(ctx, round, cards)
	if err != nil {
		return nil, err
	}
	for _, rep := range reports {
		if !rep.Outcome.Valid() {
			return nil, &slots.ContractError{
				Slot: "aggregator", Rule: "an outcome is a word of the vocabulary", Got: fmt.Sprintf("%q", rep.Outcome),
			}
		}
		if err := r.journal.note(MergeEntry, rep); err != nil {
			return nil, err
		}
		r.decide(rep, Audit{})
		r.outcomes[rep.Outcome]++
		if r.cfg.Observe.Events.Merge != nil {
			r.cfg.Observe.Events.Merge(rep)
		}
	}
	return reports, nil
}
