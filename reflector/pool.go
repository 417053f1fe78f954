package reflector

import (
	"slices"

	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/slots"
)

func (s *search) tournament() *individual {
	best := s.pool[s.rng.IntN(len(s.pool))]
	for range 2 {
		if other := s.pool[s.rng.IntN(len(s.pool))]; better(other, best) {
			best = other
		}
	}
	return best
}

// untuned is one of the better rules whose constants were tuned least often.
func (s *search) untuned() *individual {
	least := s.pool[0]
	for _, in := range s.pool[:(len(s.pool)+1)/2] {
		if in.tuned < least.tuned {
			least = in
		}
	}
	return least
}

// keep inserts the individual into the pool in order, and drops the last of a full pool. Of equal
// values with equal rewards the one with fewer operators stays.
func (s *search) keep(in *individual) {
	for i, other := range s.pool {
		if slices.Equal(in.rewards, other.rewards) {
			if in.ops < other.ops {
				s.pool[i] = in
			}
			return
		}
	}
	at := len(s.pool)
	for at > 0 && better(in, s.pool[at-1]) {
		at--
	}
	s.pool = append(s.pool, nil)
	copy(s.pool[at+1:], s.pool[at:])
	s.pool[at] = in
	if at == 0 {
		s.improved = s.pc.Trial.Left()
	}
	if len(s.pool) > s.Pool {
		s.pool = s.pool[:s.Pool]
	}
}

// proposal hands on the pool, and proposes its best if that is not the incumbent.
func (s *search) proposal() *slots.Proposal {
	p := &slots.Proposal{}
	for _, in := range s.pool {
		if in == s.incumbent {
			continue
		}
		p.Elites = append(p.Elites, slots.Elite{Rule: in.rule, Identity: in.cand.Identity, Score: in.mean(), N: len(in.rewards), Ops: in.ops})
	}
	if in := s.choice(); in != nil && in != s.incumbent {
		p.Rule, p.Note = in.rule, in.origin
	}
	return p
}

// equals is the number of standard errors within which two rules are taken for equal. A whole one gives gains away.
const equals = 0.5

// choice is the smallest rule of those that are better than the incumbent and not behind the best.
func (s *search) choice() *individual {
	if len(s.pool) == 0 || s.pool[0] == s.incumbent {
		return nil
	}
	least := s.pool[0]
	for _, in := range s.pool {
		if in == s.incumbent || s.off.parsimony {
			break
		}
		if in.ops < least.ops && !stats.Behind(in.rewards, s.pool[0].rewards, equals) {
			least = in
		}
	}
	return least
}
