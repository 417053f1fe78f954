package main

import (
	"fmt"
	"strings"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// artifact is what evolves, from where it starts.
func (p *plan) artifact() (engine.ArtifactConfig, error) {
	if p.spec.Kind == spec.KindText {
		strategy := textStrategy(p.spec.Strategy)
		state, err := textState(strategy, p.start)
		if err != nil {
			return engine.ArtifactConfig{}, p.spec.At("$.start", err)
		}
		return engine.ArtifactConfig{Strategy: strategy, Initial: state}, nil
	}
	gate, err := newRuleGate(p.sig, p.spec.Gate)
	if err != nil {
		return engine.ArtifactConfig{}, err
	}
	if _, err := gate.Text(p.start); err != nil {
		return engine.ArtifactConfig{}, fmt.Errorf("start: %w", err)
	}
	return engine.ArtifactConfig{Strategy: engine.NewRules(gate), Initial: slots.State{slots.RuleKey: p.start}}, nil
}

func textStrategy(name string) engine.Strategy {
	switch name {
	case spec.AppendRules:
		return engine.AppendRules{}
	case spec.KeyedRules:
		return engine.KeyedRules{}
	}
	return engine.SingleSlot{}
}

// textState is the state that proposals of a text, or of each of its lines, make.
func textState(strategy engine.Strategy, text string) (slots.State, error) {
	parts := []string{text}
	if _, whole := strategy.(engine.SingleSlot); !whole {
		parts = strings.Split(text, "\n")
	}
	state := slots.State{}
	for _, part := range parts {
		if strings.TrimSpace(part) == "" {
			continue
		}
		d, err := strategy.Diff(state, slots.Proposal{Text: part})
		if err != nil {
			return nil, fmt.Errorf("start: %q: %w", part, err)
		}
		state = state.Apply(d)
	}
	return state, nil
}

// ready makes a state of the artifact ready to be evaluated, through the gate of the spec.
func (p *plan) ready(state slots.State) (*slots.Candidate, error) {
	a := p.config.Artifacts[0]
	return a.Strategy.Ready(a.ID, state)
}
