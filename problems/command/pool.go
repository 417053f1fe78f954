package command

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Pool serves calls with up to Workers processes of one evaluator. Make one with [New], end it with [Pool.Close].
type Pool struct {
	spec    Spec
	program string
	slots   chan struct{} // holds a token for each call under way
	lastID  atomic.Uint64

	mu     sync.Mutex
	closed bool
	idle   []*worker        // the most recently used one last
	live   map[*worker]bool // busy or idle
	calls  sync.WaitGroup
}

// New validates the spec and returns a pool that starts its workers when calls need them.
func New(spec Spec) (*Pool, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if err := shimMissed(); err != nil {
		return nil, err
	}
	program, err := spec.program()
	if err != nil {
		return nil, err
	}
	spec = spec.withDefaults()
	return &Pool{spec: spec, program: program, slots: make(chan struct{}, spec.Workers), live: map[*worker]bool{}}, nil
}

// Call scores a candidate on a task, any JSON or nil. The error is a [*Failure], the context's error, [ErrClosed], or
// says that the AST or the task is not JSON. When Call returns an error, the process tree that caused it is gone ([Failure.Left] says
// when it could not be). Cancelling ctx kills the worker and its tree.
func (p *Pool) Call(ctx context.Context, c Candidate, task json.RawMessage) (Reply, error) {
	var reply Reply
	err := p.do(ctx, exchange{
		encode: func(buf *bytes.Buffer, id uint64) error { return appendRequest(buf, id, c, task) },
		parse: func(line []byte, id uint64) (f *Failure) {
			reply, f = parseReply(line, id)
			return f
		},
	})
	if err != nil {
		return Reply{}, err
	}
	return reply, nil
}

// exchange is a request and what becomes of its reply, in terms of the id that both carry.
type exchange struct {
	encode func(buf *bytes.Buffer, id uint64) error
	parse  func(line []byte, id uint64) *Failure
}

// do makes a call, with fresh workers after failures that an earlier call may have caused.
func (p *Pool) do(ctx context.Context, x exchange) error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.calls.Done()
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var request bytes.Buffer
	for attempt := 1; ; attempt++ {
		id := p.lastID.Add(1)
		if err := x.encode(&request, id); err != nil {
			return err
		}
		err := p.attempt(ctx, request.Bytes(), attempt > 1, func(line []byte) *Failure { return x.parse(line, id) })
		f, failed := errors.AsType[*Failure](err)
		if !failed {
			return err
		}
		f.Attempts = attempt
		if !f.Kind.ambiguous() || attempt > p.spec.Retries {
			return f
		}
	}
}

// enter counts a call, so that Close can wait for it.
func (p *Pool) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	p.calls.Add(1)
	return nil
}

// attempt makes one call on an idle worker, or on a fresh one. A worker that kept the protocol comes back.
func (p *Pool) attempt(ctx context.Context, request []byte, fresh bool, parse func(line []byte) *Failure) error {
	w, err := p.take(fresh)
	if err != nil {
		return err
	}
	err = w.call(ctx, request, parse)
	f, failed := errors.AsType[*Failure](err)
	orderly := err == nil || failed && (f.Kind == Rejected || f.Kind == BadScore)
	left := false
	if orderly && w.reusable() {
		p.giveBack(w)
	} else {
		left = w.end(orderly)
		p.drop(w)
	}
	if failed {
		f.Stderr, f.Left = w.stderr.String(), left
	}
	if errors.Is(err, errInterrupted) {
		err = ErrClosed
	}
	return err
}

// take returns an idle worker that can serve a call, or starts one.
func (p *Pool) take(fresh bool) (*worker, error) {
	for !fresh {
		w := p.pop()
		if w == nil {
			break
		}
		if w.reusable() {
			return w, nil
		}
		w.end(true) // it ended, or said something that nobody asked for, since its last call
		p.drop(w)
	}
	w, err := startWorker(p.spec, p.program, rand.Text())
	if err != nil {
		return nil, failf(NotStarted, "%v", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live[w] = true
	if p.closed {
		w.interrupt() // Close did not see it
	}
	return w, nil
}

func (p *Pool) pop() *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	w := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return w
}

func (p *Pool) giveBack(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w)
}

func (p *Pool) drop(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.live, w)
}

// Close interrupts the calls under way, which then return [ErrClosed], gives idle workers a moment to end by themselves when
// they read the end of their stdin, kills what is left and waits for it. Closing twice is harmless. It reports
// processes that could not be killed.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	idle := p.takeIdle()
	for w := range p.live {
		w.interrupt()
	}
	p.mu.Unlock()
	left := endAll(idle)
	p.calls.Wait()
	p.mu.Lock()
	idle = p.takeIdle() // of calls that ended meanwhile
	p.mu.Unlock()
	if endAll(idle) || left {
		return fmt.Errorf("evaluator %s: some of its processes could not be killed", p.spec.Command[0])
	}
	return nil
}

// takeIdle takes all idle workers out of a pool that is locked.
func (p *Pool) takeIdle() []*worker {
	idle := p.idle
	p.idle = nil
	for _, w := range idle {
		delete(p.live, w)
	}
	return idle
}

// endAll ends idle workers and reports whether something could not be killed.
func endAll(idle []*worker) bool {
	var left atomic.Bool
	var ends sync.WaitGroup
	for _, w := range idle {
		ends.Go(func() {
			if w.end(true) {
				left.Store(true)
			}
		})
	}
	ends.Wait()
	return left.Load()
}
