package reflector

import (
	"context"
	"slices"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/slots"
)

// individual is a rule with its rewards on the first tasks.
type individual struct {
	rule    *dsl.Rule
	cand    *slots.Candidate
	rewards []float64
	ops     int
	origin  string
	tuned   int // how often its constants were tuned
}

func (in *individual) mean() float64 { return stats.Mean(in.rewards) }

// better orders by mean reward, then by fewer operators.
func better(a, b *individual) bool {
	if x, y := a.mean(), b.mean(); x != y {
		return x > y
	}
	return a.ops < b.ops
}

// try admits a rule and evaluates it on more and more tasks while it keeps up with its rival: its
// parent, or the last of a full pool. It returns the rule if it came to the end.
func (s *search) try(ctx context.Context, r *dsl.Rule, origin string, rival *individual) (*individual, error) {
	simplify(r)
	if ops := dsl.Ops(r); ops > s.MaxOps {
		return nil, nil
	}
	id := dsl.Identity(r)
	if s.seen[id] {
		return nil, nil
	}
	s.seen[id] = true
	cand, ok := s.pc.Trial.Admit(r)
	if !ok {
		return nil, nil
	}
	in := &individual{rule: r, cand: cand, ops: dsl.Ops(r), origin: origin}
	if rival == nil && len(s.pool) >= s.Pool {
		rival = s.pool[len(s.pool)-1]
	}
	for n := firstRung; len(in.rewards) < len(s.tasks); n *= 2 {
		if err := s.extend(ctx, in, n); err != nil {
			return nil, err
		}
		if rival != nil && s.drop(in, rival) {
			return nil, nil
		}
	}
	s.keep(in)
	return in, nil
}

// firstRung is how many tasks every admitted rule is tried on.
const firstRung = 6

// extend evaluates the individual on tasks until it has n rewards, or all.
func (s *search) extend(ctx context.Context, in *individual, n int) error {
	n = min(n, len(s.tasks))
	rewards, err := s.pc.Trial.Try(ctx, in.cand, s.tasks[len(in.rewards):n])
	if err != nil {
		return err
	}
	in.rewards = append(in.rewards, rewards...)
	s.idle = 0
	return nil
}

func (s *search) complete(ctx context.Context, in *individual) error {
	return s.extend(ctx, in, len(s.tasks))
}

// drop reports whether a rule has lost its race so far: it is behind, or after the first rung no better at all, or has
// earned the rival's rewards to the bit with no fewer operators, so that it is most likely the same in other words.
func (s *search) drop(in, rival *individual) bool {
	n := len(in.rewards)
	if in.ops >= rival.ops && !s.off.twins && slices.Equal(in.rewards, rival.rewards[:n]) {
		return true
	}
	if n > firstRung && !s.off.strict {
		return in.mean() < stats.Mean(rival.rewards[:n])
	}
	return stats.Behind(in.rewards, rival.rewards, 1)
}
