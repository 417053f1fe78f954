package reflector

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// search is one lease's breeding.
type search struct {
	Breeder
	mutator
	pc        *slots.ProposalContext
	tasks     []int
	incumbent *individual
	pool      []*individual
	seen      map[string]bool
	idle      int // children since the last evaluation
	allowance int // trials of the lease
	improved  int // trials that were left when the best last changed
}

func newSearch(b Breeder, pc *slots.ProposalContext) *search {
	rng := rand.New(rand.NewPCG(pc.Seed, 0x6272656564))
	s := &search{Breeder: b.normalize(pc.Candidate.Rule), pc: pc, seen: map[string]bool{}, allowance: pc.Trial.Left(), improved: pc.Trial.Left()}
	s.mutator = mutator{vocabulary: newVocabulary(pc.Signature, b.Inputs...), rng: rng}
	for i := range pc.Trial.Tasks() {
		s.tasks = append(s.tasks, i)
	}
	return s
}

// start fills the pool: the artifact's rule, the best of the population, and random rules.
func (s *search) start(ctx context.Context) error {
	s.incumbent = &individual{rule: s.pc.Candidate.Rule, cand: s.pc.Candidate, ops: dsl.Ops(s.pc.Candidate.Rule), origin: "incumbent"}
	s.seen[s.pc.Candidate.Identity] = true
	if err := s.complete(ctx, s.incumbent); err != nil {
		return err
	}
	s.pool = append(s.pool, s.incumbent)
	elites := 0
	if s.pc.Population != nil {
		for _, e := range s.pc.Population.Elites {
			if e.Rule == nil || elites >= s.Pool/2 {
				continue
			}
			if _, err := s.try(ctx, dsl.CloneRule(e.Rule), "elite", nil); err != nil {
				return err
			}
			elites++
		}
	}
	random := s.Random
	if s.Constants {
		random = 0
	}
	if elites > 0 {
		random /= 8
	}
	for range random {
		if _, err := s.try(ctx, s.grower(nil).rule(), "random", nil); err != nil {
			return err
		}
	}
	return nil
}

// step breeds one rule and tries it.
func (s *search) step(ctx context.Context) error {
	if s.idle++; s.idle > maxIdle {
		return errExhausted
	}
	if s.Constants {
		return s.tune(ctx, s.untuned(), s.pc.Trial.Left())
	}
	if s.improved-s.pc.Trial.Left() > s.allowance/stalled {
		s.improved = s.pc.Trial.Left()
		if trials := s.allowance / tuneShare; trials >= leastTuning*min(len(s.tasks), fewestTasks) && !s.off.tuning {
			return s.tune(ctx, s.untuned(), trials)
		}
	}
	parent := s.tournament()
	var mate *dsl.Rule
	if other := s.pool[s.rng.IntN(len(s.pool))]; other != parent {
		mate = other.rule
	}
	child := dsl.CloneRule(parent.rule)
	origin := s.change(child, mate)
	for s.rng.IntN(3) == 0 {
		s.change(child, mate)
		origin = "several"
	}
	if origin == "" {
		return nil
	}
	_, err := s.try(ctx, child, origin, parent)
	return err
}

// stalled is the share of the lease's trials, as one in so many, without a better rule after which the search turns to
// the constants of the rules that it has, if it has the trials for it.
const stalled = 4

// maxIdle is how many children in a row may come to nothing before the search has nothing left to try.
const maxIdle = 10000

// errExhausted says that the search finds nothing new.
var errExhausted = errors.New("nothing new to breed")
