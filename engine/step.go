package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/slots"
)

// step is the barrier: it merges what the pool holds, promotes, selects the heads of the next lanes and
// writes a row of the history.
func (r *run) step(ctx context.Context, round int) error {
	start := r.now()
	reports, err := r.mergeAll(ctx, round)
	if err != nil {
		return err
	}
	if err := r.teach(); err != nil {
		return err
	}
	if err := r.promote(reports); err != nil {
		return err
	}
	if r.aggregate == nil {
		if err := r.selectAll(ctx, round); err != nil {
			return err
		}
	}
	if err := r.row(round, reports); err != nil {
		return err
	}
	r.meters.add(StageMerge, r.now()-start, 1, slots.Spend{})
	start = r.now()
	err = r.journal.settle(ctx)
	r.meters.add(StageLedger, r.now()-start, 1, slots.Spend{})
	return err
}

func (r *run) mergeAll(ctx context.Context, round int) ([]slots.Report, error) {
	if r.aggregate != nil {
		return r.stepAggregator(ctx, round)
	}
	var reports []slots.Report
	for _, c := range r.pool.orphans(func(id string) bool { return r.byID[id] != nil }) {
		rep := slots.Report{
			Artifact: c.Artifact, Outcome: slots.UnknownArtifact, Considered: 1, Lease: c.Lease,
			Reason: "the run has no such artifact",
		}
		if err := r.journal.note(MergeEntry, rep); err != nil {
			return nil, err
		}
		reports = append(reports, rep)
	}
	for _, a := range r.artifacts {
		cards := r.pool.take(a.id)
		if len(cards) == 0 {
			continue
		}
		rep, err := r.merge(ctx, a, cards, round)
		if err != nil {
			return nil, err
		}
		reports = append(reports, rep)
	}
	for _, rep := range reports {
		r.outcomes[rep.Outcome]++
		if rep.Outcome == slots.Unmeasured {
			r.cfg.Observe.Log.Warn("a merge could not be measured", "artifact", rep.Artifact, "cause", rep.Reason)
		}
		if r.cfg.Observe.Events.Merge != nil {
			r.cfg.Observe.Events.Merge(rep)
		}
	}
	return reports, nil
}

// adoption is a change that is to become dev.
type adoption struct {
	diff    slots.Diff
	outcome slots.MergeOutcome
	round   int
	lease   int
}

// adopt commits a diff to dev by compare-and-swap. A lost race applies the diff to where dev is now; after
// too many, or when the diff may not run there, it gives up and reports false.
func (r *run) adopt(ctx context.Context, a *artifact, ad adoption) (bool, error) {
	for range r.cfg.Gate.Merge.CASRetries + 1 {
		won, err := r.tryCommit(ctx, a, ad)
		var no *Refusal
		if errors.As(err, &no) {
			return false, nil
		}
		if won || err != nil {
			return won, err
		}
	}
	return false, nil
}

// tryCommit commits, or follows dev to where another writer has moved it and reports false.
func (r *run) tryCommit(ctx context.Context, a *artifact, ad adoption) (bool, error) {
	if r.journal.upcoming(RaceEntry) {
		head, err := effect(r.journal, RaceEntry, func() (raceRecord, error) { return raceRecord{}, nil })
		if err != nil {
			return false, err
		}
		return false, r.follow(a, head)
	}
	c := Commit{
		RunID: r.cfg.Ledger.RunID, Artifact: a.id, Version: a.dev.Version + 1, Parent: a.dev.Hash,
		Outcome: ad.outcome, Round: ad.round, Lease: ad.lease, Diff: ad.diff,
		State:    a.dev.State.Apply(ad.diff),
		Proposal: r.cfg.Ledger.RunID + "/" + a.id + "/" + strconv.Itoa(a.dev.Version+1),
	}
	candidate, err := a.strategy.Ready(a.id, c.State)
	if err != nil {
		return false, err
	}
	if err := c.Seal(); err != nil {
		return false, err
	}
	err = r.journal.commit(ctx, c)
	var race *RaceError
	if errors.As(err, &race) {
		return false, r.lose(a, race.Head)
	}
	if err != nil {
		return false, err
	}
	a.dev = Ref{Artifact: a.id, Version: c.Version, Hash: c.Hash, State: c.State}
	a.candidate = candidate
	r.log = append(r.log, c)
	if r.cfg.Observe.Events.Commit != nil {
		r.cfg.Observe.Events.Commit(c)
	}
	return true, nil
}

// raceRecord is where another writer moved dev.
type raceRecord struct {
	Artifact string      `json:"artifact"`
	Version  int         `json:"version"`
	Hash     string      `json:"hash"`
	State    slots.State `json:"state"`
}

// lose records a lost race and goes on from where dev is.
func (r *run) lose(a *artifact, head Ref) error {
	rec := raceRecord{Artifact: a.id, Version: head.Version, Hash: head.Hash, State: head.State}
	if err := r.journal.note(RaceEntry, rec); err != nil {
		return err
	}
	return r.follow(a, rec)
}

func (r *run) follow(a *artifact, head raceRecord) error {
	c, err := a.strategy.Ready(a.id, head.State)
	if err != nil {
		return fmt.Errorf("another writer committed version %d of %s, which may not run here: %w", head.Version, a.id, err)
	}
	a.dev = Ref{Artifact: a.id, Version: head.Version, Hash: head.Hash, State: head.State}
	a.candidate = c
	r.archive(a, nil, 0, -1)
	return nil
}

// promote asks the promotion and moves stable.
func (r *run) promote(reports []slots.Report) error {
	for _, id := range r.policies.Promotion.Observe(reports) {
		a := r.byID[id]
		if a == nil {
			return &slots.ContractError{
				Slot: "promotion", Rule: "Observe returns artifacts of the run", Got: strconv.Quote(id),
			}
		}
		if err := r.stabilize(a); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) stabilize(a *artifact) error {
	if a.stable.Hash == a.dev.Hash {
		return nil
	}
	a.stable = a.dev
	return r.journal.promote(a.dev)
}

// selectAll asks the selection from which heads the next lanes start; the first becomes dev.
func (r *run) selectAll(ctx context.Context, round int) error {
	for _, a := range r.artifacts {
		if !a.populated {
			continue
		}
		if err := r.measureHead(ctx, a); err != nil {
			return err
		}
		plan, err := r.policies.Selection.Select(slots.SelectionContext{
			Head: a.heads[a.devHead], Heads: slices.Clone(a.heads), Round: round, Lanes: r.cfg.Parallel.Lanes,
			Seed: derive.Seed(r.cfg.Seed, "select", uint64(round), uint64(a.index)),
		}, r.cfg.Parallel.Lanes)
		if err != nil {
			return err
		}
		if err := checkPlan(plan, len(a.heads), r.cfg.Parallel.Lanes); err != nil {
			return err
		}
		for _, id := range plan {
			a.heads[id].Selected++
		}
		if err := r.moveTo(ctx, a, plan[0], round); err != nil {
			return err
		}
		a.plan = plan
	}
	return nil
}

func checkPlan(plan []int, heads, lanes int) error {
	broken := &slots.ContractError{Slot: "selection"}
	if len(plan) == 0 || len(plan) > lanes {
		broken.Rule, broken.Got = fmt.Sprintf("Select returns 1 to %d heads", lanes), strconv.Itoa(len(plan))
		return broken
	}
	for _, id := range plan {
		if id < 0 || id >= heads {
			broken.Rule, broken.Got = "Select returns heads of the archive", fmt.Sprintf("head %d of %d", id, heads)
			return broken
		}
	}
	return nil
}

// measureHead fills in the score of dev after a race left it unmeasured.
func (r *run) measureHead(ctx context.Context, a *artifact) error {
	h := &a.heads[a.devHead]
	if h.Score.Known {
		return nil
	}
	s, err := r.judge.sweep(ctx, a, a.dev.State)
	if err != nil {
		return err
	}
	if s.Error == "" {
		h.Score, h.TaskScores = slots.Known(s.rate()), s.Rewards
	}
	return nil
}

// moveTo makes an archived head dev.
func (r *run) moveTo(ctx context.Context, a *artifact, id, round int) error {
	if id == a.devHead {
		return nil
	}
	ok, err := r.adopt(ctx, a, adoption{
		diff: between(a.dev.State, a.heads[id].State), outcome: slots.PopulationPick, round: round, lease: -1,
	})
	if err != nil || !ok {
		return err
	}
	r.outcomes[slots.PopulationPick]++
	r.archive(a, nil, round, -1)
	return nil
}

// between is the diff from one state to another.
func between(from, to slots.State) slots.Diff {
	var edits []slots.Edit
	for _, k := range from.Keys() {
		if _, kept := to[k]; !kept {
			edits = append(edits, slots.Edit{Key: k, Delete: true})
		}
	}
	for _, k := range to.Keys() {
		if v, had := from[k]; !had || v != to[k] {
			edits = append(edits, slots.Edit{Key: k, Value: to[k]})
		}
	}
	return slots.NewDiff(edits...)
}

// row writes a row of the history.
func (r *run) row(round int, reports []slots.Report) error {
	row := Row{Round: round, HeldOut: r.artifacts[0].score(), Categories: map[slots.MergeOutcome]int{}}
	for _, rep := range reports {
		row.Considered += rep.Considered
		row.DiscardedStale += rep.DiscardedStale
		row.ConflictsDropped += rep.ConflictsDropped
		row.Oversized += rep.Oversized
		row.Categories[rep.Outcome]++
		if rep.Fused {
			row.Fused++
		}
		if rep.Outcome == slots.Committed {
			row.Commits++
		}
	}
	row.Spend = r.spend.Minus(r.lastStep)
	r.lastStep = r.spend
	r.history = append(r.history, row)
	r.idle++
	if row.Commits > 0 {
		r.idle = 0
	}
	if r.cfg.Observe.Events.Round != nil {
		r.cfg.Observe.Events.Round(row)
	}
	return r.journal.note(RoundEntry, row)
}
