package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/slots"
)

// Run evolves the artifacts of a run until its budget ends it, or goes on with a run that its ledger
// holds. It returns a result also when ctx is cancelled or something failed after the start: the result
// then says how far the run came, and the ledger can resume it. The error is nil when the run ended by its
// own limits or by Budget.Stop.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r, err := open(ctx, c.normalize())
	if err != nil {
		return nil, err
	}
	reason, err := r.begin(ctx)
	if err == nil {
		reason, err = r.loop(ctx)
	}
	if err == nil && reason.Final() {
		err = r.finish(ctx, reason)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		reason = StopCancelled
	default:
		reason = StopError
	}
	// What leases have brought so far is kept even when the run is being cancelled.
	if ferr := r.journal.flush(context.WithoutCancel(ctx)); err == nil {
		err = ferr
	}
	return r.result(reason, err), err
}

// run is one run. Everything in it belongs to the goroutine of Run; lanes see only their lease.
type run struct {
	cfg      Config
	policies slots.Policies
	desc     Description
	split    Split
	train    map[string]int // index of a training task by id
	seeds    []uint64       // evaluation seeds of the training tasks, for problems that are not stochastic
	eval     *evaluator
	judge    *judge
	journal  *journal

	artifacts  []*artifact
	byID       map[string]*artifact
	views      []view // what each lane sees
	pool       pool
	groups     map[group]*stats.Moments
	elites     population
	sources    tallies
	audits     auditTrail
	aggregate  Aggregator
	decisions  []decided // of this step, that the allocator is to be told of
	allocation AllocationStats

	spend      slots.Spend
	opening    slots.Spend // before the first lease
	prepared   int         // leases
	absorbed   int         // of them
	promised   slots.Spend // to the others
	lastStep   slots.Spend // spend at the last history row
	elapsed    time.Duration
	earlier    time.Duration // the last recorded reading of an interrupted run
	barriers   int
	idle       int // steps since the last commit
	log        []Commit
	history    []Row
	outcomes   map[slots.MergeOutcome]int
	refused    map[string]int
	gated      int
	failures   int // rollouts in which the candidate failed
	unmeasured int // leases that the infrastructure failed
	sealed     *Measure
	meters     Meters
}

// group is what an advantage is relative to.
type group struct {
	artifact string
	version  int
	cluster  string
}

// open builds a run without doing anything yet.
func open(ctx context.Context, c Config) (*run, error) {
	r := &run{
		cfg: c, policies: c.Policies.Fill(), desc: c.Tasks.Problem.Describe(),
		byID: map[string]*artifact{}, groups: map[group]*stats.Moments{},
		outcomes: map[slots.MergeOutcome]int{}, refused: map[string]int{}, meters: Meters{},
		views: make([]view, c.Parallel.Lanes),
	}
	r.elites = population{limit: c.Actor.Elites}
	if r.desc.Signature != nil {
		r.elites.print, r.elites.parse = dsl.FormatRule, parseRule
	}
	r.split = SplitTasks(r.desc.Tasks, c.Tasks.HeldOut)
	r.indexTasks()
	r.eval = newEvaluator(c.Tasks.Problem, r.desc, c)
	r.judge = newJudge(r)
	stored, err := c.Ledger.Store.Begin(ctx, Header{
		RunID: c.Ledger.RunID, Spec: c.Ledger.Spec,
		Problem: r.desc.Name, Fingerprint: r.desc.Fingerprint, Seed: c.Seed,
	})
	if err != nil {
		return nil, fmt.Errorf("opening the ledger: %w", err)
	}
	if r.journal, err = newJournal(c.Ledger.Store, stored.Entries); err != nil {
		return nil, err
	}
	if err := r.openArtifacts(stored); err != nil {
		return nil, err
	}
	if err := r.policies.Start(c.Seed); err != nil {
		return nil, err
	}
	if err := r.policies.Install(r.judge, c.Gate.Merge); err != nil {
		return nil, err
	}
	r.policies.Record(replies{r})
	if c.Gate.Aggregator != nil {
		if r.aggregate, err = c.Gate.Aggregator(r.kit()); err != nil {
			return nil, fmt.Errorf("building the aggregator: %w", err)
		}
	}
	return r, nil
}

// indexTasks numbers the training tasks and derives what they are evaluated with.
func (r *run) indexTasks() {
	r.train = make(map[string]int, len(r.split.Train))
	// Leases under way keep the slice they were given.
	r.seeds = make([]uint64, len(r.split.Train))
	for i, t := range r.split.Train {
		r.train[t.ID] = i
		r.seeds[i] = derive.Seed(r.cfg.Seed, "train", uint64(i))
	}
}

// seedsFor are the seeds with which a lease evaluates the training tasks. Everything that a lease compares
// is evaluated with the same one; a stochastic problem gets others in another lease.
func (r *run) seedsFor(lease int) []uint64 {
	if !r.desc.Stochastic {
		return r.seeds
	}
	seeds := make([]uint64, len(r.seeds))
	for i := range seeds {
		seeds[i] = derive.Seed(r.cfg.Seed, "train", uint64(i), uint64(lease))
	}
	return seeds
}

// startRecord is what the first entry of a log says.
type startRecord struct {
	Problem   string          `json:"problem"`
	Seed      uint64          `json:"seed"`
	Lanes     int             `json:"lanes"`
	Refresh   int             `json:"refresh,omitempty"`
	Async     *Async          `json:"async,omitempty"`
	Train     int             `json:"train"`
	HeldOut   int             `json:"held_out"`
	Sealed    int             `json:"sealed"`
	Artifacts []startArtifact `json:"artifacts"`
	// Allocator is what the allocator knew already: nothing, unless another run taught it.
	Allocator []float64 `json:"allocator,omitempty"`
}

type startArtifact struct {
	ID          string      `json:"id"`
	BlastRadius float64     `json:"blast_radius"`
	Version     int         `json:"version"`
	Hash        string      `json:"hash,omitempty"`
	State       slots.State `json:"state"`
}

// begin records what the run is and measures where it starts.
func (r *run) begin(ctx context.Context) (StopReason, error) {
	rec := startRecord{
		Problem: r.desc.Name, Seed: r.cfg.Seed, Lanes: r.cfg.Parallel.Lanes,
		Train: len(r.split.Train), HeldOut: len(r.split.HeldOut), Sealed: len(r.desc.Sealed),
	}
	if n := r.cfg.Parallel.Refresh; n > 1 {
		rec.Refresh = n
	}
	if r.cfg.Parallel.Async.On {
		rec.Async = &r.cfg.Parallel.Async
	}
	for _, a := range r.artifacts {
		rec.Artifacts = append(rec.Artifacts, startArtifact{
			ID: a.id, BlastRadius: a.radius, Version: a.dev.Version, Hash: a.dev.Hash, State: a.dev.State,
		})
	}
	if r.cfg.Budget.Allocator != nil {
		rec.Allocator = r.cfg.Budget.Allocator.State()
	}
	if err := r.journal.note(StartEntry, rec); err != nil {
		return "", err
	}
	for _, a := range r.artifacts {
		s, err := r.judge.sweep(ctx, a, a.dev.State)
		if err != nil {
			return "", err
		}
		a.start = s
		r.archive(a, s, 0, -1)
	}
	r.opening = r.spend
	return "", r.journal.flush(ctx)
}

// loop runs rounds until something ends the run.
func (r *run) loop(ctx context.Context) (StopReason, error) {
	if r.cfg.Parallel.Async.On {
		return r.stream(ctx)
	}
	for round := 0; ; round++ {
		if reason, err := r.barrier(ctx); reason != "" || err != nil {
			return reason, err
		}
		if err := r.appendTasks(round); err != nil {
			return "", err
		}
		if err := r.round(ctx, round); err != nil {
			return "", err
		}
	}
}

// round is one synchronous round: every lane rolls out, then the barrier.
func (r *run) round(ctx context.Context, round int) error {
	lanes := r.cfg.Parallel.Lanes
	leases := make([]*lease, lanes)
	for lane := range lanes {
		l, err := r.prepare(round*lanes+lane, round, lane)
		if err != nil {
			return err
		}
		leases[lane] = l
	}
	done := make([]finished, lanes)
	failed := each(r.cfg.Parallel.Workers, lanes, func(i int) error {
		done[i] = r.lease(ctx, leases[i])
		return done[i].err
	})
	for i, l := range leases {
		if done[i].err != nil || done[i].rec.Task == "" {
			return failed
		}
		if err := r.absorb(l, done[i]); err != nil {
			return err
		}
	}
	return r.step(ctx, round)
}

// barrier reads the clock and the spend, and says whether another round may begin.
func (r *run) barrier(ctx context.Context) (StopReason, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := r.readClock(); err != nil {
		return "", err
	}
	b, n := r.cfg.Budget, len(r.history)
	mean := r.meanSpend()
	switch {
	case b.Rounds > 0 && n >= b.Rounds:
		return StopRounds, nil
	case b.Target > 0 && r.artifacts[0].score().Known && r.artifacts[0].score().Value >= b.Target:
		return StopTarget, nil
	case b.Patience > 0 && r.idle >= b.Patience:
		return StopPatience, nil
	}
	if reason, ok := b.fits(r.claim(), mean.Max(b.reserved(r.cfg.Parallel.Lanes))); !ok {
		return reason, nil
	}
	if s, ok := b.Governor.(Stopper); ok && s.StopEarly(r.history) {
		return StopBudget, nil
	}
	if b.MaxTime > 0 && r.elapsed+r.meanTime() > b.MaxTime {
		return StopTime, nil
	}
	if b.Stop != nil && !r.journal.replaying() && b.Stop() {
		return StopCancelled, nil
	}
	return "", nil
}

// meanSpend is what a round has cost so far; before the first, what a round costs at least.
func (r *run) meanSpend() slots.Spend {
	n := len(r.history)
	if n == 0 {
		return slots.Spend{Rollouts: r.cfg.Parallel.Lanes}
	}
	return over(r.spend, n)
}

func (r *run) meanTime() time.Duration {
	if r.barriers <= 1 {
		return 0
	}
	return r.elapsed / time.Duration(r.barriers-1)
}

// clockRecord is a reading of the clock.
type clockRecord struct {
	Elapsed time.Duration `json:"elapsed"`
}

// readClock records how long the run has been under way, when anything depends on it.
func (r *run) readClock() error {
	r.barriers++
	if r.cfg.Budget.MaxTime <= 0 {
		return nil
	}
	replayed := r.journal.replaying()
	rec, err := effect(r.journal, ClockEntry, func() (clockRecord, error) {
		return clockRecord{Elapsed: r.earlier + r.cfg.Observe.Clock()}, nil
	})
	r.elapsed = rec.Elapsed
	if replayed {
		r.earlier = rec.Elapsed
	}
	return err
}

// appendTasks asks the task source for further training tasks.
func (r *run) appendTasks(round int) error {
	if r.cfg.Tasks.Source == nil {
		return nil
	}
	more := r.cfg.Tasks.Source.Next(round)
	if len(more) == 0 {
		return nil
	}
	for _, t := range more {
		if _, known := r.train[t.ID]; known {
			return fmt.Errorf("the task source appended %q in round %d, which is a training task already", t.ID, round)
		}
	}
	if err := r.journal.note(TasksEntry, more); err != nil {
		return err
	}
	r.split.Train = append(r.split.Train[:len(r.split.Train):len(r.split.Train)], more...)
	r.indexTasks()
	return nil
}

// now is the time since the run began, zero without a clock. It feeds meters only.
func (r *run) now() time.Duration {
	if r.cfg.Observe.Clock == nil {
		return 0
	}
	return r.cfg.Observe.Clock()
}
