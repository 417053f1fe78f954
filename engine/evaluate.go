package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/agentdescent/adrun/slots"
)

// evaluator runs evaluations: checked, retried, cached, at most so many at once.
type evaluator struct {
	problem Problem
	remote  Executor
	desc    Description
	prefix  string // of cache keys: what an outcome depends on beside candidate, task and seed
	store   Ledger
	retries int
	wait    func(attempt int) error
	log     *slog.Logger
	made    atomic.Int64  // evaluations really made, retries included
	tokens  chan struct{} // one for each evaluation that may be under way

	mu    sync.Mutex
	cache map[evalKey]*flight
	order []evalKey // of insertion, to forget the oldest
}

// evalKey names an evaluation within one run.
type evalKey struct {
	identity, task string
	seed           uint64
}

// flight is an evaluation under way or done. done is closed when the rest may be read.
type flight struct {
	done    chan struct{}
	outcome Outcome
	err     error
}

// cacheSize bounds the outcomes that a run remembers. It changes no result, only how often an evaluation
// is repeated.
const cacheSize = 1 << 16

func newEvaluator(p Problem, d Description, c Config) *evaluator {
	workers := c.Parallel.Workers
	if d.Dear {
		// What is lost when the process dies is what was under way: a resume promises at most one
		// evaluation a lane.
		workers = min(workers, c.Parallel.Lanes)
	}
	return &evaluator{
		problem: p, remote: c.Parallel.Executor, desc: d, prefix: d.Name + "\x00" + d.Fingerprint + "\x00",
		store: c.Ledger.Store, retries: c.Gate.Retries, wait: c.Gate.Wait, log: c.Observe.Log,
		tokens: make(chan struct{}, workers), cache: map[evalKey]*flight{},
	}
}

// UnmeasuredError is an infrastructure failure that retries did not mend.
type UnmeasuredError struct {
	Task     string
	Attempts int
	Err      error
}

func (e *UnmeasuredError) Error() string {
	return fmt.Sprintf("task %s could not be evaluated in %d attempts: %v", e.Task, e.Attempts, e.Err)
}

// Unwrap returns the last attempt's error.
func (e *UnmeasuredError) Unwrap() error { return e.Err }

// outcome evaluates the candidate on a task, or remembers doing so. Callers that ask for the same
// evaluation at once share one. Failures of the infrastructure are not remembered.
func (e *evaluator) outcome(ctx context.Context, c *slots.Candidate, task slots.Task, seed uint64) (Outcome, error) {
	key := evalKey{identity: identityOf(c), task: task.ID, seed: seed}
	for {
		e.mu.Lock()
		f, ok := e.cache[key]
		if !ok {
			f = &flight{done: make(chan struct{})}
			e.remember(key, f)
			e.mu.Unlock()
			return e.lead(ctx, key, f, c, task, seed)
		}
		e.mu.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return Outcome{}, ctx.Err()
		}
		if f.err == nil {
			return f.outcome, nil
		}
		if ctx.Err() != nil {
			return Outcome{}, ctx.Err()
		}
		if !errors.Is(f.err, context.Canceled) {
			return Outcome{}, f.err
		}
	}
}

// lead evaluates for everybody who waits on f.
func (e *evaluator) lead(ctx context.Context, key evalKey, f *flight, c *slots.Candidate, task slots.Task, seed uint64) (Outcome, error) {
	f.outcome, f.err = e.stored(ctx, key, c, task, seed)
	if f.err != nil {
		e.mu.Lock()
		delete(e.cache, key)
		e.mu.Unlock()
	}
	close(f.done)
	return f.outcome, f.err
}

// remember adds a flight and forgets the oldest when there are too many. The caller holds mu.
func (e *evaluator) remember(key evalKey, f *flight) {
	e.cache[key] = f
	e.order = append(e.order, key)
	for len(e.order) > cacheSize {
		delete(e.cache, e.order[0])
		e.order = e.order[1:]
	}
}

// stored evaluates through the ledger when evaluations are dear.
func (e *evaluator) stored(ctx context.Context, key evalKey, c *slots.Candidate, task slots.Task, seed uint64) (Outcome, error) {
	if !e.desc.Dear {
		if err := e.admit(ctx); err != nil {
			return Outcome{}, err
		}
		defer e.dismiss()
		return e.attempt(ctx, c, task, seed)
	}
	name := hashBytes([]byte(e.prefix + key.identity + "\x00" + key.task + "\x00" + strconv.FormatUint(seed, 10)))
	if o, ok, err := e.store.Outcome(ctx, name); ok || err != nil {
		return o, err
	}
	// Until it is stored, an outcome counts as under way: it would be lost with the process.
	if err := e.admit(ctx); err != nil {
		return Outcome{}, err
	}
	defer e.dismiss()
	o, err := e.attempt(ctx, c, task, seed)
	if err != nil {
		return o, err
	}
	// An outcome that was paid for is kept even when the run is being stopped.
	return o, e.store.PutOutcome(context.WithoutCancel(ctx), name, o)
}

// admit waits until another evaluation may be under way, dismiss says that one no longer is.
func (e *evaluator) admit(ctx context.Context) error {
	select {
	case e.tokens <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *evaluator) dismiss() { <-e.tokens }

// attempt evaluates, again after an infrastructure failure.
func (e *evaluator) attempt(ctx context.Context, c *slots.Candidate, task slots.Task, seed uint64) (Outcome, error) {
	var last error
	for n := 0; n <= e.retries; n++ {
		if n > 0 && e.wait != nil {
			if err := e.wait(n); err != nil {
				return Outcome{}, err
			}
		}
		o, err := e.once(ctx, c, task, seed)
		if err == nil {
			return checked(o), nil
		}
		if ctx.Err() != nil {
			return Outcome{}, ctx.Err()
		}
		last = err
	}
	return Outcome{}, &UnmeasuredError{Task: task.ID, Attempts: e.retries + 1, Err: last}
}

// once calls the problem. A panic is the candidate's failure, as any other that it causes: its evaluation
// must not end the run.
func (e *evaluator) once(ctx context.Context, c *slots.Candidate, task slots.Task, seed uint64) (o Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			e.log.Error("evaluator panicked", "task", task.ID, "panic", p, "stack", string(debug.Stack()))
			o, err = Outcome{Failure: fmt.Sprintf("the evaluator panicked: %v", p)}, nil
		}
	}()
	e.made.Add(1)
	if e.remote == nil {
		return e.problem.Evaluate(ctx, c, task, seed)
	}
	return e.remote.Evaluate(ctx, Job{
		Problem: e.desc.Name, Fingerprint: e.desc.Fingerprint, Artifact: c.Artifact,
		Text: c.Text, State: c.State, Task: task.ID, Seed: seed, Candidate: c,
	})
}

// checked makes an outcome that breaks its contract a recorded failure, never a silent 0.
func checked(o Outcome) Outcome {
	switch {
	case o.Failure != "":
		o.Reward = 0
	case math.IsNaN(o.Reward) || math.IsInf(o.Reward, 0):
		o.Failure, o.Reward = fmt.Sprintf("the reward is %v, not a number in [0, 1]", o.Reward), 0
	case o.Reward < 0 || o.Reward > 1:
		o.Failure, o.Reward = fmt.Sprintf("the reward %v is outside [0, 1]", o.Reward), 0
	}
	if math.IsNaN(o.Spend.Cost) || math.IsInf(o.Spend.Cost, 0) || o.Spend.Cost < 0 {
		o.Failure, o.Reward, o.Spend.Cost = fmt.Sprintf("the cost is %v", o.Spend.Cost), 0, 0
	}
	return o
}

// identityOf names a candidate together with the artifacts it runs with.
func identityOf(c *slots.Candidate) string {
	if len(c.Others) == 0 {
		return c.Identity
	}
	name := c.Identity
	for _, id := range sortedKeys(c.Others) {
		name += "\x00" + id + "\x00" + c.Others[id].Identity
	}
	return name
}

// each runs do for every index below n, on up to workers goroutines, and waits. It returns the error of
// the lowest index that failed. A failure of the infrastructure does not keep the others from running, so
// that which one is returned does not depend on timing; any other error ends the run, so nothing further is
// begun.
func each(workers, n int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var abort atomic.Bool
	work := func() {
		for !abort.Load() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if errs[i] = do(i); errs[i] != nil && !unmeasured(errs[i]) {
				abort.Store(true)
			}
		}
	}
	if workers = min(workers, n); workers <= 1 {
		work()
		return first(errs)
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(work)
	}
	wg.Wait()
	return first(errs)
}

func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
