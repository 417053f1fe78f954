package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/slots"
)

// lease is one rollout to be made: all that its lane may know. It is prepared in lease order, so it does
// not depend on what happens at the same time.
type lease struct {
	id, round, lane int
	artifact        *artifact
	base            sight
	view            view
	task            slots.Task
	taskIndex       int
	train           []slots.Task
	seeds           []uint64 // of the training tasks
	group           stats.Moments
	population      *slots.Population
	allowance       *slots.Spend
	promise         slots.Spend // see Budget.promise
	remaining       float64
	decider         Decider // nil without an allocator
}

// LeaseRecord is what came of a lease.
type LeaseRecord struct {
	Lease    int    `json:"lease"`
	Round    int    `json:"round"`
	Lane     int    `json:"lane"`
	Artifact string `json:"artifact"`
	// Touched are the versions that the rollout saw, Head the archive's ID of the base.
	Touched []slots.Touch `json:"touched"`
	Head    int           `json:"head,omitempty"`
	Task    string        `json:"task"`
	Reward  float64       `json:"reward"`
	// Failure is the candidate's own, Error one of the infrastructure: then there is no reward.
	Failure   string      `json:"failure,omitempty"`
	Error     string      `json:"error,omitempty"`
	Advantage slots.Maybe `json:"advantage"`
	// Asked says that a proposer was asked, Note where the proposal came from.
	Asked bool   `json:"asked,omitempty"`
	Note  string `json:"note,omitempty"`
	// Source names who proposed where a run has several, Replies counts what became of the replies of a model,
	// Proposing is what the source itself spent; it is part of Spend.
	Source    string         `json:"source,omitempty"`
	Replies   map[string]int `json:"replies,omitempty"`
	Proposing slots.Spend    `json:"proposing,omitzero"`

	Diff     slots.Diff `json:"diff,omitempty"`
	Identity string     `json:"identity,omitempty"`
	// Gated counts what passed the gate or was refused, Refused the refusals by code.
	Gated   int            `json:"gated,omitempty"`
	Refused map[string]int `json:"refused,omitempty"`
	// Verify says what became of the self-verification, Delta what it showed.
	Verify      Verification  `json:"verify,omitempty"`
	Uncertainty slots.Maybe   `json:"uncertainty"`
	Delta       slots.Maybe   `json:"delta"`
	Trials      int           `json:"trials,omitempty"`
	Elites      []eliteRecord `json:"elites,omitempty"`
	Spend       slots.Spend   `json:"spend"`
}

// Verification says what became of the rollout that measures a proposal on its own task.
type Verification string

// The verifications. Allowed and Counterfactual were made, the first because the allocator (if any) agreed.
const (
	VerifyNone           Verification = ""
	VerifyOff            Verification = "off"
	VerifyGovernor       Verification = "governor"
	VerifySkipped        Verification = "skipped"
	VerifyAllowed        Verification = "allowed"
	VerifyCounterfactual Verification = "counterfactual"
)

// finished is a lease that was made, or played back.
type finished struct {
	rec      LeaseRecord
	outcome  Outcome // zero when played back
	replayed bool
	meters   Meters
	err      error // the run cannot go on
}

// prepare makes the next lease. Leases are prepared in order.
func (r *run) prepare(id, round, lane int) (*lease, error) {
	v := r.look(round, lane)
	n := id % len(r.artifacts)
	l := &lease{
		id: id, round: round, lane: lane, artifact: r.artifacts[n], base: v[n], view: v,
		population: r.population(), remaining: r.cfg.Budget.fractionLeft(r.spend),
		allowance: r.cfg.Budget.allowance(r.claim(), r.cfg.Parallel.underWay()),
	}
	l.promise = r.cfg.Budget.promise(l.allowance)
	if r.cfg.Budget.Allocator != nil {
		l.decider = r.cfg.Budget.Allocator.Snapshot()
	}
	keys := shard(r.split.Train, lane, r.cfg.Parallel.Lanes)
	pick := r.policies.TaskSampler.Pick(slices.Clone(keys), round)
	if !slices.Contains(keys, pick) {
		return nil, &slots.ContractError{
			Slot: "task_sampler", Rule: "Pick returns one of the ids it is handed", Got: fmt.Sprintf("%q", pick),
		}
	}
	l.taskIndex = r.train[pick]
	l.train, l.seeds = r.split.Train, r.seedsFor(id)
	l.task = l.train[l.taskIndex]
	if m := r.groups[l.key()]; m != nil {
		l.group = *m
	}
	r.prepared++
	r.promised = r.promised.Plus(l.promise)
	return l, nil
}

func (l *lease) key() group {
	return group{artifact: l.artifact.id, version: l.base.epoch, cluster: l.task.Cluster}
}

// lease makes one rollout and what follows from it up to a card. It runs in its lane's goroutine.
func (r *run) lease(ctx context.Context, l *lease) finished {
	if rec, ok, err := r.journal.lease(l.id); ok || err != nil {
		return finished{rec: rec, replayed: true, err: err}
	}
	w := &worker{run: r, lease: l, meters: Meters{}}
	w.rec = LeaseRecord{
		Lease: l.id, Round: l.round, Lane: l.lane, Artifact: l.artifact.id,
		Touched: l.touched(), Head: l.base.head, Task: l.task.ID,
	}
	err := w.work(ctx)
	return finished{rec: w.rec, outcome: w.outcome, meters: w.meters, err: err}
}

// touched lists the versions that the lease sees, that of its own artifact first.
func (l *lease) touched() []slots.Touch {
	t := []slots.Touch{{Artifact: l.artifact.id, Version: l.base.epoch}}
	for _, s := range l.view {
		if s.id != l.artifact.id {
			t = append(t, slots.Touch{Artifact: s.id, Version: s.epoch})
		}
	}
	return t
}

// worker works on one lease.
type worker struct {
	run     *run
	lease   *lease
	rec     LeaseRecord
	outcome Outcome
	meters  Meters
}

func (w *worker) work(ctx context.Context) error {
	o, err := w.evaluate(ctx, StageRollout, w.lease.base.candidate)
	if unmeasured(err) {
		w.rec.Error = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	w.outcome = o
	w.rec.Reward, w.rec.Failure = o.Reward, o.Failure
	w.rec.Advantage = w.advantage()
	if o.Reward >= w.run.cfg.Actor.Solved {
		return nil
	}
	p, err := w.propose(ctx)
	if p == nil || err != nil {
		return err
	}
	c, err := w.admit(*p)
	if c == nil || err != nil {
		return err
	}
	return w.verify(ctx, c)
}

// evaluate runs a candidate on the lease's own task, and charges it.
func (w *worker) evaluate(ctx context.Context, stage Stage, c *slots.Candidate) (Outcome, error) {
	start := w.run.now()
	o, err := w.run.eval.outcome(ctx, c, w.lease.task, w.lease.seeds[w.lease.taskIndex])
	w.charge(stage, start, 1, w.run.rolloutSpend(c, o))
	return o, err
}

// rolloutSpend is what an evaluation is charged: one rollout, what the evaluator reports and, for a rule,
// its operators and calls in units of cost (at least one), unless cost is money.
func (r *run) rolloutSpend(c *slots.Candidate, o Outcome) slots.Spend {
	s := o.Spend
	s.Rollouts++
	if c.Rule != nil && !r.cfg.Budget.Money {
		s.Cost += float64(max(1, dsl.Ops(c.Rule)))
	}
	return s
}

func (w *worker) charge(stage Stage, start time.Duration, calls int, s slots.Spend) {
	w.rec.Spend = w.rec.Spend.Plus(s)
	w.meters.add(stage, w.run.now()-start, calls, s)
}

// leastGroup is how many rewards a group needs before one of them has an advantage.
const leastGroup = 4

// advantage is the z-score of the lease's reward among those of its group, itself included.
func (w *worker) advantage() slots.Maybe {
	g := w.lease.group
	g.Add(w.rec.Reward)
	if z, ok := g.ZScore(w.rec.Reward, leastGroup); ok {
		return slots.Known(z)
	}
	return slots.Maybe{}
}

// propose asks for a proposal; nil means that there is none.
func (w *worker) propose(ctx context.Context) (*slots.Proposal, error) {
	r, l := w.run, w.lease
	w.rec.Asked = true
	t := &trial{worker: w, left: r.cfg.Actor.Trials, admitted: map[*slots.Candidate]bool{l.base.candidate: true}}
	pc := &slots.ProposalContext{
		Artifact:  slots.Artifact{ID: l.artifact.id, State: l.base.state, Version: l.base.epoch, BlastRadius: l.artifact.radius},
		Candidate: l.base.candidate, Signature: r.desc.Signature, Task: l.task, Outcome: w.outcome,
		Advantage: w.rec.Advantage, Solved: r.cfg.Actor.Solved, Round: l.round, Lane: l.lane, Lease: l.id,
		Seed: derive.Seed(r.cfg.Seed, "propose", uint64(l.id)), Population: l.population, Allowance: l.allowance, K: 1,
	}
	if r.cfg.Actor.Trials > 0 {
		pc.Trial = t
	}
	start := r.now()
	got, err := w.ask(ctx, pc)
	if unmeasured(err) {
		w.rec.Error, w.rec.Source = err.Error(), sourceOf(err)
		return nil, nil
	}
	if err != nil || len(got) == 0 {
		w.charge(StagePropose, start, 1, slots.Spend{})
		return nil, err
	}
	if len(got) > 1 {
		return nil, &slots.ContractError{
			Slot: "proposal", Rule: "Propose returns zero or one proposal", Got: fmt.Sprintf("%d", len(got)),
		}
	}
	w.charge(StagePropose, start, 1, got[0].Spend)
	w.rec.Note, w.rec.Source, w.rec.Replies, w.rec.Proposing = got[0].Note, got[0].Source, got[0].Replies, got[0].Spend
	w.rec.Elites, err = r.elites.records(got[0].Elites)
	if err != nil || got[0].Empty() {
		return nil, err
	}
	return &got[0], nil
}

// ask calls the proposal policy, again after an infrastructure failure.
func (w *worker) ask(ctx context.Context, pc *slots.ProposalContext) ([]slots.Proposal, error) {
	var last error
	for n := 0; n <= w.run.cfg.Gate.Retries; n++ {
		if n > 0 && w.run.cfg.Gate.Wait != nil {
			if err := w.run.cfg.Gate.Wait(n); err != nil {
				return nil, err
			}
		}
		got, err := w.run.policies.Proposal.Propose(ctx, pc, w.run.cfg.Actor.Proposer)
		var broken *slots.ContractError
		switch {
		case err == nil, errors.As(err, &broken):
			return got, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		last = err
	}
	return nil, &UnmeasuredError{Task: w.lease.task.ID, Attempts: w.run.cfg.Gate.Retries + 1, Err: fmt.Errorf("proposer: %w", last)}
}

// admit turns a proposal into a diff and a candidate; nil means that it was refused, which is counted.
func (w *worker) admit(p slots.Proposal) (*slots.Candidate, error) {
	a, base := w.lease.artifact, w.lease.base.state
	d := p.Diff
	var err error
	if d == nil {
		if d, err = a.strategy.Diff(base, p); err != nil {
			return nil, w.refuse(err)
		}
	}
	next := base.Apply(d)
	if next.Equal(base) {
		return nil, w.refuse(&Refusal{Code: "unchanged", Detail: "the proposal is what the artifact is already"})
	}
	c, err := a.strategy.Ready(a.id, next)
	if err != nil {
		return nil, w.refuse(err)
	}
	w.rec.Gated++
	w.rec.Diff, w.rec.Identity = d, c.Identity
	return w.lease.view.with(c), nil
}

// refuse counts a refusal; another error is the run's.
func (w *worker) refuse(err error) error {
	var no *Refusal
	if !errors.As(err, &no) {
		return err
	}
	if w.rec.Refused == nil {
		w.rec.Refused = map[string]int{}
	}
	w.rec.Gated++
	w.rec.Refused[no.Code]++
	return nil
}

// verify measures the proposal on the lease's own task, unless that is saved.
func (w *worker) verify(ctx context.Context, c *slots.Candidate) error {
	r := w.run
	switch {
	case r.cfg.Actor.NoVerify:
		w.rec.Verify = VerifyOff
		return nil
	case r.cfg.Budget.Governor != nil && !r.cfg.Budget.Governor.SelfVerify(w.lease.remaining):
		w.rec.Verify = VerifyGovernor
		return nil
	}
	w.rec.Verify = VerifyAllowed
	if w.lease.decider != nil {
		d := w.lease.decider.Decide(r.question(w.rec, w.lease.artifact.radius, w.lease.remaining).AllocatorContext)
		w.rec.Uncertainty = d.Uncertainty
		switch {
		case d.Skip:
			w.rec.Verify = VerifySkipped
			return nil
		case d.Counterfactual:
			w.rec.Verify = VerifyCounterfactual
		}
	}
	o, err := w.evaluate(ctx, StageVerify, c)
	if unmeasured(err) {
		w.rec.Error = err.Error()
		return nil
	}
	if err == nil {
		w.rec.Delta = slots.Known(o.Reward - w.rec.Reward)
	}
	return err
}

// unmeasured reports whether err is an infrastructure failure that retries did not mend.
func unmeasured(err error) bool {
	var u *UnmeasuredError
	return errors.As(err, &u)
}

// trial lets a proposer evaluate on training tasks, within the lease's allowance.
type trial struct {
	worker   *worker
	left     int
	admitted map[*slots.Candidate]bool
}

var _ slots.Trial = (*trial)(nil)

// Tasks are the training tasks.
func (t *trial) Tasks() []slots.Task { return t.worker.lease.train }

// Left is what is left of the allowance.
func (t *trial) Left() int { return t.left }

// Admit passes a rule through the gate.
func (t *trial) Admit(rule *dsl.Rule) (*slots.Candidate, bool) {
	a := t.worker.lease.artifact
	gate, ok := a.strategy.(Admitter)
	if !ok {
		return nil, false
	}
	return t.admit(gate.Admit(a.id, rule))
}

// AdmitText passes a text through the strategy.
func (t *trial) AdmitText(text string) (*slots.Candidate, bool) {
	l := t.worker.lease
	d, err := l.artifact.strategy.Diff(l.base.state, slots.Proposal{Text: text})
	if err != nil {
		return t.admit(nil, err)
	}
	return t.admit(l.artifact.strategy.Ready(l.artifact.id, l.base.state.Apply(d)))
}

// admit counts a candidate that may run, or a refusal.
func (t *trial) admit(c *slots.Candidate, err error) (*slots.Candidate, bool) {
	if err != nil {
		if t.worker.refuse(err) != nil {
			_ = t.worker.refuse(&Refusal{Code: "internal", Detail: err.Error()})
		}
		return nil, false
	}
	t.worker.rec.Gated++
	c = t.worker.lease.view.with(c)
	t.admitted[c] = true
	return c, true
}

// Try evaluates.
func (t *trial) Try(ctx context.Context, c *slots.Candidate, tasks []int) ([]float64, error) {
	if !t.admitted[c] {
		return nil, &slots.ContractError{Slot: "proposal", Rule: "Try is given a candidate that was admitted", Got: "another one"}
	}
	if len(tasks) > t.left {
		return nil, slots.ErrTrialsSpent
	}
	t.left -= len(tasks)
	w := t.worker
	w.rec.Trials += len(tasks)
	start, spent := w.run.now(), slots.Spend{}
	rewards := make([]float64, len(tasks))
	for k, i := range tasks {
		o, err := w.run.eval.outcome(ctx, c, w.lease.train[i], w.lease.seeds[i])
		if err != nil {
			return nil, err
		}
		rewards[k] = o.Reward
		spent = spent.Plus(w.run.rolloutSpend(c, o))
	}
	w.charge(StageTrial, start, len(tasks), spent)
	return rewards, nil
}

// absorb takes a finished lease into the run. It uses nothing but the record, so that a record that is
// played back has the same effect.
func (r *run) absorb(l *lease, f finished) error {
	rec := f.rec
	if rec.Lease != l.id || rec.Task != l.task.ID || rec.Artifact != l.artifact.id {
		return &DivergedError{
			Seq:  r.journal.next,
			Want: fmt.Sprintf("lease %d on %s", rec.Lease, rec.Task), Got: fmt.Sprintf("lease %d on %s", l.id, l.task.ID),
		}
	}
	if err := r.journal.note(LeaseEntry, rec); err != nil {
		return err
	}
	r.spend, r.promised = r.spend.Plus(rec.Spend), r.promised.Minus(l.promise)
	r.absorbed++
	for s, m := range f.meters {
		r.meters.add(s, m.Wall, m.Calls, m.Spend)
	}
	if rec.Failure != "" {
		r.failures++
	}
	if rec.Error != "" {
		r.unmeasured++
		r.cfg.Observe.Log.Warn("a lease could not be measured", "lease", rec.Lease, "task", rec.Task, "cause", rec.Error)
	}
	r.gated += rec.Gated
	for code, n := range rec.Refused {
		r.refused[code] += n
	}
	if rec.Error == "" {
		r.learn(l, rec)
	}
	r.sources.lease(rec)
	if err := r.elites.add(rec.Elites); err != nil {
		return err
	}
	if len(rec.Diff) > 0 {
		r.pool.add(r.card(l, rec))
	}
	if r.cfg.Observe.Events.Lease != nil {
		r.cfg.Observe.Events.Lease(LeaseEvent{Record: rec, Outcome: f.outcome, Replayed: f.replayed})
	}
	return nil
}

// learn tells everything that learns from rewards.
func (r *run) learn(l *lease, rec LeaseRecord) {
	r.policies.TaskSampler.Record(rec.Task, rec.Reward, rec.Round)
	if r.cfg.Tasks.Source != nil {
		r.cfg.Tasks.Source.Record(rec.Task, rec.Reward, rec.Round)
	}
	k := l.key()
	if r.groups[k] == nil {
		r.groups[k] = &stats.Moments{}
	}
	r.groups[k].Add(rec.Reward)
}

// card makes the card of a lease that proposed something.
func (r *run) card(l *lease, rec LeaseRecord) *slots.Card {
	c := &slots.Card{
		Lease: rec.Lease, Lane: rec.Lane, Round: rec.Round, Head: rec.Head,
		Artifact: rec.Artifact, Diff: rec.Diff, Identity: rec.Identity, Touched: rec.Touched,
		Task: rec.Task, Reward: rec.Reward, Delta: rec.Delta, Advantage: rec.Advantage, Source: rec.Source, Spend: rec.Spend,
		Failing: []string{rec.Task},
	}
	for _, id := range l.artifact.takeEvidence() {
		if id != rec.Task {
			c.Failing = append(c.Failing, id)
		}
	}
	if b, ok := l.artifact.strategy.(Breaker); ok {
		c.ContractBreaking = b.Breaks(l.base.state, rec.Diff)
	}
	if r.cfg.Budget.Allocator != nil {
		r.allocation.count(rec.Verify)
		l.artifact.questions[rec.Lease] = r.question(rec, l.artifact.radius, l.remaining)
	}
	return c
}
