package reflector

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// Mutant proposes one random change of the artifact's rule, the breeder's but untried: it spends nothing,
// and whether the change is any good is for the run to find out. It is what a proposer has to be better than.
type Mutant struct {
	// MaxOps bounds the operators and calls of a rule; 0 is DefaultMaxOps, or what the artifact's has if that is more.
	MaxOps int
}

var _ slots.Proposer = Mutant{}

// Propose changes the rule; it proposes nothing when no change of several comes to another rule.
func (m Mutant) Propose(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	if pc.Signature == nil || pc.Candidate == nil || pc.Candidate.Rule == nil {
		return nil, errors.New("the mutant needs an artifact that is a rule")
	}
	rng := rand.New(rand.NewPCG(pc.Seed, 0x6d7574616e74))
	change := mutator{vocabulary: newVocabulary(pc.Signature), rng: rng}
	most := Breeder{MaxOps: m.MaxOps}.normalize(pc.Candidate.Rule).MaxOps
	for range mutantTries {
		r := dsl.CloneRule(pc.Candidate.Rule)
		origin := change.change(r, nil)
		simplify(r)
		if origin != "" && dsl.Ops(r) <= most && dsl.Identity(r) != pc.Candidate.Identity {
			return &slots.Proposal{Rule: r, Note: origin}, nil
		}
	}
	return nil, nil
}

// mutantTries is how many changes a mutant makes before it gives up.
const mutantTries = 32
