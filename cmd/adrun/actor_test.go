package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/slots"
)

// A mix weighs its sources by every cap of the spec.
func TestCaps(t *testing.T) {
	p := &plan{spec: &spec.Spec{
		Evolve: spec.Evolve{Rounds: 5, Lanes: 6},
		Budget: spec.Budget{MaxRollouts: 1, MaxCalls: 2, MaxTokens: 3, MaxCost: 4},
	}}
	want := reflector.Caps{Leases: 30, Spend: slots.Spend{Rollouts: 1, Calls: 2, Tokens: 3, Cost: 4}}
	if d := cmp.Diff(want, p.caps()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
