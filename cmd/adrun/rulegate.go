package main

import (
	"fmt"
	"time"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/gate"
)

// newRuleGate builds the gate that a spec describes, as the engine takes it.
func newRuleGate(sig *dsl.Signature, s spec.Gate) (engine.RuleGate, error) {
	g, err := ruleGate(sig, s)
	if err != nil {
		return nil, err
	}
	return engine.Gated(g), nil
}

func ruleGate(sig *dsl.Signature, s spec.Gate) (*gate.Gate, error) {
	c := gate.Config{Signature: sig, GridPoints: s.Grid}
	if s.Constraints != "" {
		c.Constraints = []string{s.Constraints}
	}
	g, err := gate.New(c)
	if err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	return g, nil
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
