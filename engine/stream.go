package engine

import (
	"context"
	"sync"
)

// stream is the barrier-free loop. Up to W = Ratio·Lanes leases are under way; a lease that is merged
// makes room for the next, which starts from the heads as they are then, if the budget holds it. A merge happens
// when enough cards have gathered or enough leases have gone by. Only this goroutine touches the run.
func (r *run) stream(ctx context.Context) (StopReason, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &streamer{run: r, window: r.cfg.Parallel.underWay()}
	s.done = make(chan arrived, s.window)
	s.free = make(chan struct{}, r.cfg.Parallel.Workers)
	defer s.wg.Wait()
	defer cancel()
	return s.loop(ctx)
}

// streamer is the state of a barrier-free loop.
type streamer struct {
	run     *run
	window  int
	idle    bool            // leases are started, to count as under way, and not worked on
	ended   bool            // none are
	live    int             // started and worked on
	waiting map[int]arrived // finished leases whose turn has not come
	done    chan arrived
	free    chan struct{} // one for each lease that may be worked on
	wg      sync.WaitGroup
	since   int // leases merged since the last step
	round   int
}

// arrived is a lease that came back from its goroutine.
type arrived struct {
	lease *lease
	finished
}

func (s *streamer) loop(ctx context.Context) (StopReason, error) {
	s.waiting = map[int]arrived{}
	if reason, err := s.turn(ctx); reason != "" || err != nil {
		return reason, err
	}
	for {
		due, err := s.take(ctx)
		if err != nil {
			return "", err
		}
		if !due {
			continue
		}
		if err := s.step(ctx); err != nil {
			return "", err
		}
		reason, err := s.turn(ctx)
		if err != nil {
			return "", err
		}
		if reason != "" {
			return reason, s.drain(ctx, reason)
		}
	}
}

// take starts what there is room for and takes a lease in. It reports whether a merge is due, as it is when the
// budget holds no further lease.
func (s *streamer) take(ctx context.Context) (due bool, err error) {
	for !s.ended && s.run.prepared < s.run.absorbed+s.window && s.run.affords() {
		if err := s.start(ctx); err != nil {
			return false, err
		}
	}
	if s.run.absorbed == s.live {
		return true, nil
	}
	got, err := s.next(ctx)
	if err != nil {
		return false, err
	}
	return s.absorb(got)
}

// absorb takes a lease in and reports whether a merge is due.
func (s *streamer) absorb(got arrived) (due bool, err error) {
	if err := s.run.absorb(got.lease, got.finished); err != nil {
		return false, err
	}
	s.since++
	a := s.run.cfg.Parallel.Async
	return len(s.run.pool.cards) >= a.MergeAt || s.since >= a.MergeWait*s.run.cfg.Parallel.Lanes, nil
}

func (s *streamer) step(ctx context.Context) error {
	s.since = 0
	s.round++
	return s.run.step(ctx, s.round-1)
}

// drain finishes what is under way. A run that is done merges it once more; one that may go on merges what
// would have been merged anyway, up to the turn at which it would have been done, so that its log is a prefix of
// the unlimited run's.
func (s *streamer) drain(ctx context.Context, reason StopReason) error {
	s.idle, s.ended = true, reason.Final()
	for s.run.absorbed < s.live {
		due, err := s.take(ctx)
		if err != nil {
			return err
		}
		if !due || s.ended {
			continue
		}
		if err := s.step(ctx); err != nil {
			return err
		}
		next, err := s.turn(ctx)
		if err != nil {
			return err
		}
		s.ended = next.Final()
	}
	if !reason.Final() {
		return nil
	}
	return s.step(ctx)
}

// turn is the barrier between two steps. A run that may go on records what follows a barrier that stops it.
func (s *streamer) turn(ctx context.Context) (StopReason, error) {
	reason, err := s.run.barrier(ctx)
	if reason.Final() || err != nil {
		return reason, err
	}
	return reason, s.run.appendTasks(s.round)
}

// start begins the next lease.
func (s *streamer) start(ctx context.Context) error {
	id, lanes := s.run.prepared, s.run.cfg.Parallel.Lanes
	l, err := s.run.prepare(id, id/lanes, id%lanes)
	if err != nil {
		return err
	}
	if s.idle {
		return nil
	}
	s.live++
	s.wg.Go(func() {
		select {
		case s.free <- struct{}{}:
			defer func() { <-s.free }()
		case <-ctx.Done():
			s.done <- arrived{lease: l, finished: finished{err: ctx.Err()}}
			return
		}
		s.done <- arrived{lease: l, finished: s.run.lease(ctx, l)}
	})
	return nil
}

// next waits for the lease whose turn it is: the next by number, or by the recorded order, or whichever
// comes.
func (s *streamer) next(ctx context.Context) (arrived, error) {
	want := s.run.absorbed
	if s.run.cfg.Parallel.Async.Order == Arrival {
		want = -1
		if order := s.run.journal.order; s.run.absorbed < len(order) {
			want = order[s.run.absorbed]
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
