// Package reflector holds the proposers of a run. The [Breeder] works offline: it breeds rules of a
// signature by typed mutation and crossover and tries them on the run's training tasks. It knows no
// problem: what it needs, it reads off the signature and off the rewards.
package reflector

import (
	"cmp"
	"context"
	"errors"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// Breeder proposes rules that it bred. It keeps no state: what it knows of earlier leases is in the population that the engine hands it.
type Breeder struct {
	// MaxOps bounds the operators and calls of a bred rule; 0 is DefaultMaxOps, or what the artifact's rule has if
	// that is more.
	MaxOps int
	// Random is the number of random rules that a lease without a population starts with; 0 is DefaultRandom.
	Random int
	// Pool is the number of rules that a lease breeds from; 0 is DefaultPool.
	Pool int
	// Inputs are the inputs that new material reads; nil means all of the signature. What costs the
	// evaluator much and brings little can be left out.
	Inputs []string

	// Constants moves the constants of the artifact's rule and leaves its form alone.
	Constants bool

	off parts
}

// parts of the breeder that a benchmark leaves out, to see what they are worth.
type parts struct {
	twins     bool // dropping what earns the rewards of another
	strict    bool // dropping what is no better after the first rung
	parsimony bool // proposing the smaller of equals
	tuning    bool // of constants
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

// normalize fills in the defaults for an artifact's rule.
func (b Breeder) normalize(artifact *dsl.Rule) Breeder {
	if b.MaxOps == 0 || b.Constants {
		b.MaxOps = max(b.MaxOps, DefaultMaxOps, dsl.Ops(artifact))
	}
	b.Random, b.Pool = cmp.Or(b.Random, DefaultRandom), cmp.Or(b.Pool, DefaultPool)
	return b
}
