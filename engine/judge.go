package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/internal/recent"
	"github.com/agentdescent/adrun/slots"
)

// sweep is a measurement on every held-out (or sealed) task.
type sweep struct {
	Artifact string `json:"artifact"`
	Identity string `json:"identity"`
	// Rewards in the order of the tasks; nil when Error says why there are none.
	Rewards  []float64   `json:"rewards,omitempty"`
	Failures int         `json:"failures,omitempty"`
	Error    string      `json:"error,omitempty"`
	Spend    slots.Spend `json:"spend"`
}

func (s *sweep) rate() float64 { return slots.Count(s.Rewards).Rate() }

// judge measures states on the held-out tasks. It is the Verifier that policies are handed, and belongs to
// the run's goroutine.
type judge struct {
	run   *run
	seeds []uint64
	cheap []int // the held-out tasks of the ranking sub-sample
	memo  *recent.Map[string, *sweep]
}

var (
	_ slots.Verifier = (*judge)(nil)
	_ slots.Vetter   = (*judge)(nil)
)

// memoSize bounds the sweeps that a run remembers.
const memoSize = 4096

func newJudge(r *run) *judge {
	j := &judge{run: r, memo: recent.New[string, *sweep](memoSize)}
	for i := range r.split.HeldOut {
		j.seeds = append(j.seeds, derive.Seed(r.cfg.Seed, "held", uint64(i)))
	}
	// The sub-sample is spread evenly, since tasks often come ordered.
	n := len(r.split.HeldOut)
	k := min(r.cfg.Gate.Merge.CheapTasks, n)
	for i := range k {
		j.cheap = append(j.cheap, i*n/k)
	}
	return j
}

// candidate makes a state of an artifact ready, among the other artifacts' devs.
func (j *judge) candidate(a *artifact, s slots.State) (*slots.Candidate, error) {
	c := a.candidate
	if !s.Equal(a.dev.State) {
		var err error
		if c, err = a.strategy.Ready(a.id, s); err != nil {
			return nil, err
		}
	}
	return j.run.devs().with(c), nil
}

// devs is a view of every artifact's dev.
func (r *run) devs() view {
	v := make(view, len(r.artifacts))
	for i, a := range r.artifacts {
		v[i] = sight{id: a.id, state: a.dev.State, candidate: a.candidate}
	}
	return v
}

// sweep measures a state on every held-out task, once. The error is a *Refusal when the state may not run
// and the run's otherwise; a measurement that could not be made is a sweep with an Error, and is not
// remembered.
func (j *judge) sweep(ctx context.Context, a *artifact, s slots.State) (*sweep, error) {
	c, err := j.candidate(a, s)
	if err != nil {
		return nil, err
	}
	key := a.id + "\x00" + identityOf(c)
	if known, ok := j.memo.Get(key); ok {
		return known, nil
	}
	start := j.run.now()
	got, err := effect(j.run.journal, SweepEntry, func() (*sweep, error) {
		return j.run.measure(ctx, j.run.eval, c, j.run.split.HeldOut, j.seeds)
	})
	if err != nil {
		return nil, err
	}
	j.run.spend = j.run.spend.Plus(got.Spend)
	j.run.meters.add(StageMeasure, j.run.now()-start, 1, got.Spend)
	if got.Error == "" {
		j.memo.Put(key, got)
	}
	return got, nil
}

// measure evaluates a candidate on tasks, several at once.
func (r *run) measure(ctx context.Context, e *evaluator, c *slots.Candidate, tasks []slots.Task, seeds []uint64) (*sweep, error) {
	s := &sweep{Artifact: c.Artifact, Identity: c.Identity, Rewards: make([]float64, len(tasks))}
	outcomes := make([]Outcome, len(tasks))
	err := each(r.cfg.Parallel.Workers, len(tasks), func(i int) (err error) {
		outcomes[i], err = e.outcome(ctx, c, tasks[i], seeds[i])
		return err
	})
	if err != nil && (ctx.Err() != nil || !unmeasured(err)) {
		return nil, err
	}
	for i, o := range outcomes {
		s.Rewards[i] = o.Reward
		s.Spend = s.Spend.Plus(r.rolloutSpend(c, o))
		if o.Failure != "" {
			s.Failures++
		}
	}
	if err != nil {
		s.Rewards, s.Error = nil, err.Error()
	}
	return s, nil
}

// subset is the mean of the ranking sub-sample of a sweep.
func (j *judge) subset(s *sweep) slots.CheapScore {
	if len(j.cheap) == 0 {
		return 0
	}
	sum := 0.0
	for _, i := range j.cheap {
		sum += s.Rewards[i]
	}
	return slots.CheapScore(sum / float64(len(j.cheap)))
}

// CheapEval ranks a state. It sweeps only the sub-sample.
func (j *judge) CheapEval(ctx context.Context, artifact string, s slots.State) (slots.CheapScore, error) {
	a, err := j.artifact(artifact)
	if err != nil {
		return 0, err
	}
	c, err := j.candidate(a, s)
	var no *Refusal
	if errors.As(err, &no) {
		return 0, nil // what may not run ranks last
	}
	if err != nil {
		return 0, err
	}
	if known, ok := j.memo.Get(a.id + "\x00" + identityOf(c)); ok {
		return j.subset(known), nil
	}
	if len(j.cheap) == len(j.run.split.HeldOut) {
		full, err := j.sweep(ctx, a, s)
		if err != nil || full.Error != "" {
			return 0, err
		}
		return j.subset(full), nil
	}
	key := a.id + "\x00cheap\x00" + identityOf(c)
	got, ok := j.memo.Get(key)
	if !ok {
		if got, err = j.rank(ctx, c); err != nil {
			return 0, err
		}
		if got.Error == "" {
			j.memo.Put(key, got)
		}
	}
	return slots.CheapScore(got.rate()), nil
}

// rank measures a candidate on the sub-sample.
func (j *judge) rank(ctx context.Context, c *slots.Candidate) (*sweep, error) {
	r := j.run
	tasks, seeds := make([]slots.Task, len(j.cheap)), make([]uint64, len(j.cheap))
	for k, i := range j.cheap {
		tasks[k], seeds[k] = r.split.HeldOut[i], j.seeds[i]
	}
	start := r.now()
	got, err := effect(r.journal, RankEntry, func() (*sweep, error) {
		return r.measure(ctx, r.eval, c, tasks, seeds)
	})
	if err != nil {
		return nil, err
	}
	r.spend = r.spend.Plus(got.Spend)
	r.meters.add(StageMeasure, r.now()-start, 1, got.Spend)
	return got, nil
}

// EvalCounts measures a state on the whole held-out set.
func (j *judge) EvalCounts(ctx context.Context, artifact string, s slots.State) (slots.Counts, error) {
	a, err := j.artifact(artifact)
	if err != nil {
		return slots.Counts{}, err
	}
	got, err := j.sweep(ctx, a, s)
	if err != nil {
		return slots.Counts{}, err
	}
	if got.Error != "" {
		return slots.Counts{}, &UnmeasuredError{Task: "held-out", Attempts: j.run.cfg.Gate.Retries + 1, Err: errors.New(got.Error)}
	}
	return slots.Count(got.Rewards), nil
}

// Admits reports whether a state may run.
func (j *judge) Admits(artifact string, s slots.State) (bool, error) {
	a, err := j.artifact(artifact)
	if err != nil {
		return false, err
	}
	_, err = j.candidate(a, s)
	var no *Refusal
	if errors.As(err, &no) {
		return false, nil
	}
	return err == nil, err
}

func (j *judge) artifact(id string) (*artifact, error) {
	if a := j.run.byID[id]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("the run has no artifact %q", id)
}
