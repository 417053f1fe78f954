package meta

import (
	"context"
	"fmt"

	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/slots"
)

// Offline returns who proposes values of a spec without a model, and who draws them for the control best-of-N:
// the breeder for rules, the breeder and a climber in turn for policies with params, a climber for params. A
// spec of any other kind has none.
func Offline(spec SlotSpec, b reflector.Breeder) (propose, draw slots.Proposer, err error) {
	switch s := spec.(type) {
	case *RuleSlot:
		return b, reflector.Mutant{MaxOps: b.MaxOps}, nil
	case *PolicySlot:
		p := offlinePolicy{reflector.PolicyBreeder{Breeder: b, Slot: s.decl}, Climber{s}}
		return p, slots.ProposerFunc(p.breed.Vary), nil
	case Parametric:
		return Climber{s}, scatter{s}, nil
	}
	return nil, nil, fmt.Errorf("nothing proposes values of slot %s without a model: set a proposer", spec.Slot())
}

// climbEvery is how often a lease on a policy with params climbs instead of breeding.
const climbEvery = 3

// offlinePolicy breeds the hooks of a policy and climbs on its params in turn.
type offlinePolicy struct {
	breed reflector.PolicyBreeder
	climb Climber
}

// Propose breeds, or climbs when it is the lease's turn and there is something to climb on.
func (o offlinePolicy) Propose(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	if pc.Lease%climbEvery == climbEvery-1 {
		params, err := o.climb.Spec.Parameters(pc.Artifact.State)
		if err != nil {
			return nil, err
		}
		if len(params) > 0 {
			return o.climb.Propose(ctx, pc)
		}
	}
	return o.breed.Propose(ctx, pc)
}

// scatter draws parameters evenly within their bounds.
type scatter struct {
	spec Parametric
}

// Propose draws.
func (s scatter) Propose(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	params, err := s.spec.Parameters(pc.Artifact.State)
	if err != nil {
		return nil, err
	}
	rng := derive.Rand(pc.Seed, "scatter")
	values := make([]float64, len(params))
	for i, p := range params {
		if values[i] = rounded(p.Lo + float64((p.Hi-p.Lo)*rng.Float64())); p.Int {
			values[i] = p.Lo + float64(rng.IntN(int(p.Hi-p.Lo)+1))
		}
		values[i] = min(max(values[i], p.Lo), p.Hi)
	}
	return &slots.Proposal{Text: assignText(params, values)}, nil
}
