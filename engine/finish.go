package engine

import (
	"context"
	"math"

	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/slots"
)

// sealedRecord is the measurement on the sealed tasks, of where the run started and where it ended.
type sealedRecord struct {
	Before *sweep `json:"before"`
	After  *sweep `json:"after"`
}

// endRecord says why a run is done.
type endRecord struct {
	Reason StopReason  `json:"reason"`
	Rounds int         `json:"rounds"`
	Spend  slots.Spend `json:"spend"`
}

// finish ends a run that is done: the best head of a population becomes dev, dev becomes stable, and the
// sealed tasks are measured, for the only time.
func (r *run) finish(ctx context.Context, reason StopReason) error {
	for _, a := range r.artifacts {
		if a.populated {
			if err := r.moveTo(ctx, a, best(a.heads), len(r.history)); err != nil {
				return err
			}
		}
		if err := r.stabilize(a); err != nil {
			return err
		}
	}
	if len(r.desc.Sealed) > 0 {
		if err := r.seal(ctx); err != nil {
			return err
		}
	}
	err := r.journal.note(EndEntry, endRecord{Reason: reason, Rounds: len(r.history), Spend: r.spend})
	if err != nil {
		return err
	}
	return r.journal.flush(ctx)
}

// best is the head with the highest score, the earliest of equals; one that was never measured loses.
func best(heads []slots.Head) int {
	b, at := math.Inf(-1), 0
	for _, h := range heads {
		if h.Score.Known && h.Score.Value > b {
			b, at = h.Score.Value, h.ID
		}
	}
	return at
}

// seal measures the first artifact on the sealed tasks.
func (r *run) seal(ctx context.Context) error {
	rec, err := effect(r.journal, SealedEntry, func() (sealedRecord, error) {
		var rec sealedRecord
		seeds := make([]uint64, len(r.desc.Sealed))
		for i := range seeds {
			seeds[i] = derive.Seed(r.cfg.Seed, "sealed", uint64(i))
		}
		a := r.artifacts[0]
		for _, side := range []struct {
			state slots.State
			out   **sweep
		}{{a.first, &rec.Before}, {a.dev.State, &rec.After}} {
			c, err := r.judge.candidate(a, side.state)
			if err != nil {
				return rec, err
			}
			if *side.out, err = r.measure(ctx, r.eval, c, r.desc.Sealed, seeds); err != nil {
				return rec, err
			}
		}
		return rec, nil
	})
	if err != nil {
		return err
	}
	r.spend = r.spend.Plus(rec.Before.Spend).Plus(rec.After.Spend)
	m := compare(rec.Before, rec.After)
	r.sealed = &m
	return nil
}

// compare sets two sweeps of the same tasks side by side.
func compare(before, after *sweep) Measure {
	var m Measure
	if before != nil && before.Error == "" {
		m.N, m.Before = len(before.Rewards), slots.Known(before.rate())
	}
	if after != nil && after.Error == "" {
		m.N, m.After = len(after.Rewards), slots.Known(after.rate())
	}
	if m.Before.Known && m.After.Known {
		m.Wins, m.Losses = stats.Signs(before.Rewards, after.Rewards)
	}
	return m
}

// result gathers what the run gave.
func (r *run) result(reason StopReason, err error) *Result {
	first := r.artifacts[0]
	r.meters.add(StageEvaluate, 0, int(r.eval.made.Load()), slots.Spend{})
	res := &Result{
		State: first.dev.State, Rendered: first.candidate.Text, History: r.history,
		Outcomes: r.outcomes, Refused: r.refused, Gated: r.gated,
		Failures: r.failures, Unmeasured: r.unmeasured + r.outcomes[slots.Unmeasured],
		HeldOut: compare(first.start, first.devSweep()), Sealed: r.sealed, Fusion: r.fusionStats(),
		Log: r.log, Sources: r.sources.list(), Spend: r.spend, Stop: reason, Meters: r.meters, Faults: r.policies.Faults(),
	}
	if r.cfg.Budget.Allocator != nil {
		res.Allocation = &r.allocation
	}
	if err != nil {
		res.Error = err.Error()
	}
	for _, a := range r.artifacts {
		ar := ArtifactResult{
			ID: a.id, Dev: a.dev, Stable: a.stable, State: a.dev.State, Rendered: a.candidate.Text,
			StableState: a.stable.State, Trust: a.trust, Prior: a.prior,
		}
		if c, err := a.strategy.Ready(a.id, a.stable.State); err == nil {
			ar.StableRendered = c.Text
		}
		if a.populated {
			ar.Heads = a.heads
		}
		res.Artifacts = append(res.Artifacts, ar)
	}
	return res
}

// devSweep is the held-out measurement of dev, nil when there is none.
func (a *artifact) devSweep() *sweep {
	if a.devHead >= len(a.heads) || !a.heads[a.devHead].Score.Known {
		return nil
	}
	return &sweep{Rewards: a.heads[a.devHead].TaskScores}
}

// fusionStats summarises the contests of a fusion that keeps a record of them.
func (r *run) fusionStats() *FusionStats {
	f, ok := r.policies.Fusion.(slots.FusionTrialer)
	if !ok {
		return nil
	}
	var s FusionStats
	won := 0
	for _, t := range f.FusionTrials() {
		s.Trials++
		if t.Ranked {
			s.Ranked++
		}
		if t.SynthesisFailed {
			s.SynthesisFailed++
		}
		if t.Contested && t.Ranked {
			s.Contested++
			if t.UnionWon {
				won++
			}
		}
	}
	if s.Contested > 0 {
		s.WinRate = slots.Known(float64(won) / float64(s.Contested))
	}
	return &s
}
