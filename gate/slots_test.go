package gate_test

import (
	"testing"

	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/slots"
)

// Every slot of the product has a gate, and the policy of the language reference passes its own.
func TestShippedSlotsHaveGates(t *testing.T) {
	decls, err := slots.Declarations()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range decls {
		g, err := gate.NewPolicyGate(gate.PolicyConfig{Slot: s})
		if err != nil {
			t.Errorf("%s: %v", s.Name.Text, err)
			continue
		}
		if s.Name.Text != "task_sampler" {
			continue
		}
		v := g.Check(`policy difficulty_weighted fills task_sampler {
  param c     = 0.2 in [0.05, 1]
  param prior = 0.5 in [0, 1]
  state passes = 0 in [0, 1e9]
  state trials = 0 in [0, 1e9]

  on record(score) {
    passes += score >= 0.5 ? 1 : 0
    trials += 1
  }

  weight(total) {
    let p = trials > 0 ? passes / trials : prior
    let bonus = trials > 0 ? c * sqrt(log(total + 1) / trials) : 1e9
    return 4 * p * (1 - p) + 0.001 + bonus
  }
}`)
		if !v.OK {
			t.Errorf("%v %v", v.Stage, v.Diags)
		}
	}
}

// The grid of the product's priority signature begins with its five declared points.
func TestPrioritySignatureHasAGate(t *testing.T) {
	sig, err := slots.PrioritySignature()
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(gate.Config{Signature: sig})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{0.5, 0, 0, 1, 0, 1}, {0, 0, 1, 0.5, 0, 2}, {1, 3, 7, 0.25, 1, 4}, {0.33, 12, 40, 0.01, 6, 25}, {0.9, 1, 300, 0, 12, 120}}
	for i, p := range want {
		for k, x := range g.Grid().Point(i) {
			if x != p[k] {
				t.Errorf("grid point %d is %v, want %v", i, g.Grid().Point(i), p)
				break
			}
		}
	}
	if v := g.Check("rule priority { return rank + (1 / n_nodes) * sqrt(total) / (1 + visits) }"); !v.OK {
		t.Errorf("%v", v.Diags)
	}
}
