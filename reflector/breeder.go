// Package reflector holds the proposers of a run. The [Breeder] works offline: it breeds rules of a
// signature by typed mutation and crossover and tries them on the run's training tasks. It knows no
// problem: what it needs, it reads off the signature and off the rewards.
package reflector

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// Breeder proposes rules that it bred. The zero value breeds rules of at most DefaultMaxOps operators. It
// keeps no state: what it knows of earlier leases is in the population that the engine hands it.
type Breeder struct {
	// MaxOps bounds the operators and calls of a bred rule; 0 is DefaultMaxOps.
	MaxOps int
	// Random is the number of random rules that a lease without a population starts with; 0 is DefaultRandom.
	Random int
	// Pool is the number of rules that a lease breeds from; 0 is DefaultPool.
	Pool int
	// Inputs are the inputs that new material reads; nil means all of the signature. What costs the
	// evaluator much and brings little can be left out.
	Inputs []string
}

// The defaults of a Breeder.
const (
	DefaultMaxOps = 40
	DefaultRandom = 64
	DefaultPool   = 16
)

var _ slots.Proposer = Breeder{}

// Propose breeds until the lease's trials are spent, and proposes the best rule that it found if it is
// better on the training tasks than the artifact's.
func (b Breeder) Propose(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	if pc.Signature == nil || pc.Candidate == nil || pc.Candidate.Rule == nil {
		return nil, errors.New("the breeder needs an artifact that is a rule")
	}
	if pc.Trial == nil {
		return nil, errors.New("the breeder needs trials: grant the run some")
	}
	s := newSearch(b, pc)
	err := s.start(ctx)
	for err == nil && ctx.Err() == nil {
		err = s.step(ctx)
	}
	if err != nil && !errors.Is(err, slots.ErrTrialsSpent) && !errors.Is(err, errExhausted) {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.proposal(), nil
}

func (b Breeder) normalize() Breeder {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&b.MaxOps, DefaultMaxOps)
	def(&b.Random, DefaultRandom)
	def(&b.Pool, DefaultPool)
	return b
}

// individual is a rule with its rewards on the first tasks.
type individual struct {
	rule    *dsl.Rule
	cand    *slots.Candidate
	rewards []float64
	ops     int
	origin  string
}

func (in *individual) mean() float64 { return mean(in.rewards) }

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(max(len(xs), 1))
}

// better orders by mean reward, then by fewer operators.
func better(a, b *individual) bool {
	if x, y := a.mean(), b.mean(); x != y {
		return x > y
	}
	return a.ops < b.ops
}

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
}

func newSearch(b Breeder, pc *slots.ProposalContext) *search {
	rng := rand.New(rand.NewPCG(pc.Seed, 0x6272656564))
	s := &search{Breeder: b.normalize(), pc: pc, seen: map[string]bool{}}
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
			if err := s.try(ctx, dsl.CloneRule(e.Rule), "elite", nil); err != nil {
				return err
			}
			elites++
		}
	}
	random := s.Random
	if elites > 0 {
		random /= 8
	}
	for range random {
		if err := s.try(ctx, s.grower(nil).rule(), "random", nil); err != nil {
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
	return s.try(ctx, child, origin, parent)
}

// maxIdle is how many children in a row may come to nothing before the search has nothing left to try.
const maxIdle = 10000

// errExhausted says that the search finds nothing new.
var errExhausted = errors.New("nothing new to breed")

func (s *search) tournament() *individual {
	best := s.pool[s.rng.IntN(len(s.pool))]
	for range 2 {
		if other := s.pool[s.rng.IntN(len(s.pool))]; better(other, best) {
			best = other
		}
	}
	return best
}

// try admits a rule and evaluates it on more and more tasks while it keeps up with its rival: its
// parent, or the last of a full pool.
func (s *search) try(ctx context.Context, r *dsl.Rule, origin string, rival *individual) error {
	simplify(r)
	if ops := dsl.Ops(r); ops > s.MaxOps {
		return nil
	}
	id := dsl.Identity(r)
	if s.seen[id] {
		return nil
	}
	s.seen[id] = true
	cand, ok := s.pc.Trial.Admit(r)
	if !ok {
		return nil
	}
	in := &individual{rule: r, cand: cand, ops: dsl.Ops(r), origin: origin}
	if rival == nil && len(s.pool) >= s.Pool {
		rival = s.pool[len(s.pool)-1]
	}
	for n := firstRung; len(in.rewards) < len(s.tasks); n *= 2 {
		if err := s.extend(ctx, in, n); err != nil {
			return err
		}
		if rival != nil && behind(in.rewards, rival.rewards) {
			return nil
		}
	}
	s.keep(in)
	return nil
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

// behind reports whether rewards fall short of the rival's on the same tasks by more than one standard
// error of the difference.
func behind(rewards, rival []float64) bool {
	n := min(len(rewards), len(rival))
	if n == 0 {
		return false
	}
	sum, squares := 0.0, 0.0
	for i := range n {
		d := rewards[i] - rival[i]
		sum += d
		squares += d * d
	}
	d := sum / float64(n)
	variance := math.Max(squares/float64(n)-d*d, 0)
	return d < -math.Sqrt(variance/float64(n))
}

// keep inserts the individual into the pool in order, and drops the last of a full pool. Of equal
// values with equal rewards the one with fewer operators stays.
func (s *search) keep(in *individual) {
	for i, other := range s.pool {
		if sameRewards(in.rewards, other.rewards) {
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
	if len(s.pool) > s.Pool {
		s.pool = s.pool[:s.Pool]
	}
}

func sameRewards(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
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
	if len(s.pool) > 0 && s.pool[0] != s.incumbent {
		p.Rule, p.Note = s.pool[0].rule, s.pool[0].origin
	}
	return p
}
