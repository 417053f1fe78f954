package engine

import (
	"context"
	"sync"
)

// stream is the barrier-free loop. Up to W = Ratio·Lanes leases are under way; a lease that is merged
// makes room for the next, which starts from the heads as they are then. A merge happens when enough cards
// have gathered or enough leases have gone by. Only this goroutine touches the run.
func (r *run) stream(ctx context.Context) (StopReason, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &streamer{run: r, window: r.cfg.Parallel.Async.Ratio * r.cfg.Parallel.Lanes}
	s.done = make(chan arrived, s.window)
	s.free = make(chan struct{}, r.cfg.Parallel.Workers)
	s.order = r.journal.leaseOrder()
	defer s.wg.Wait()
	defer cancel()
	return s.loop(ctx)
}

// streamer is the state of a barrier-free loop.
type streamer struct {
	run     *run
	window  int
	started int
	merged  int
	waiting map[int]arrived // finished leases whose turn has not come
	done    chan arrived
	free    chan struct{} // one for each lease that may be worked on
	wg      sync.WaitGroup
	order   []int // leases in the order in which the log has them
	since   int   // leases merged since the last step
	round   int
}

// arrived is a lease that came back from its goroutine.
type arrived struct {
	lease *lease
	finished
}

func (s *streamer) loop(ctx context.Context) (StopReason, error) {
	r, a := s.run, s.run.cfg.Parallel.Async
	s.waiting = map[int]arrived{}
	if reason, err := s.turn(ctx); reason != "" || err != nil {
		return reason, err
	}
	for {
		for s.started < s.merged+s.window {
			if err := s.start(ctx); err != nil {
				return "", err
			}
		}
		got, err := s.next(ctx)
		if err != nil {
			return "", err
		}
		if err := r.absorb(got.lease, got.finished); err != nil {
			return "", err
		}
		s.merged++
		s.since++
		if len(r.pool.cards) < a.MergeAt && s.since < a.MergeWait*r.cfg.Parallel.Lanes {
			continue
		}
		s.since = 0
		if err := r.step(ctx, s.round); err != nil {
			return "", err
		}
		s.round++
		if reason, err := s.turn(ctx); reason != "" || err != nil {
			return reason, err
		}
	}
}

// turn is the barrier between two steps.
func (s *streamer) turn(ctx context.Context) (StopReason, error) {
	if reason, err := s.run.barrier(ctx); reason != "" || err != nil {
		return reason, err
	}
	return "", s.run.appendTasks(s.round)
}

// start begins the next lease.
func (s *streamer) start(ctx context.Context) error {
	id, lanes := s.started, s.run.cfg.Parallel.Lanes
	l, err := s.run.prepare(id, id/lanes, id%lanes)
	if err != nil {
		return err
	}
	s.started++
	s.wg.Go(func() {
		select {
		case s.free <- struct{}{}:
			defer func() { <-s.free }()
		case <-ctx.Done():
			s.done <- arrived{lease: l, finished: finished{err: ctx.Err()}}
			return
		}
		f, err := s.run.lease(ctx, l)
		f.err = err
		s.done <- arrived{lease: l, finished: f}
	})
	return nil
}

// next waits for the lease whose turn it is: the next by number, or by the recorded order, or whichever
// comes.
func (s *streamer) next(ctx context.Context) (arrived, error) {
	want := s.merged
	if s.run.cfg.Parallel.Async.Order == Arrival {
		want = -1
		if s.merged < len(s.order) {
			want = s.order[s.merged]
		}
	}
	for {
		if got, ok := s.waiting[want]; ok {
			delete(s.waiting, want)
			return got, got.err
		}
		if want < 0 {
			// Leases that came while the recorded order was played back, the lowest first.
			for _, id := range sortedKeys(s.waiting) {
				got := s.waiting[id]
				delete(s.waiting, id)
				return got, got.err
			}
		}
		select {
		case got := <-s.done:
			if want < 0 {
				return got, got.err
			}
			s.waiting[got.lease.id] = got
		case <-ctx.Done():
			return arrived{}, ctx.Err()
		}
	}
}
