package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/dsl"
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
		return engine.ArtifactConfig{}, p.spec.At("$.gate.constraints", err)
	}
	if err := p.checkStart(gate); err != nil {
		at := "$.start"
		if p.spec.Start == "" { // the problem's own: the spec asks for something else
			at = "$.gate"
		}
		return engine.ArtifactConfig{}, p.spec.At(at, err)
	}
	return engine.ArtifactConfig{Strategy: engine.NewRules(gate), Initial: slots.State{slots.RuleKey: p.start}}, nil
}

// checkStart says all that is wrong with the rule to start from, with places in its text.
func (p *plan) checkStart(gate engine.RuleGate) error {
	_, diags, err := check("start", p.start, p.sig.DeclName(), p.sig)
	if err != nil {
		return err
	}
	var errs []error
	for _, d := range diags {
		switch {
		case d.Severity != dsl.Error:
		case d.Hint != "":
			errs = append(errs, fmt.Errorf("%w; %s", d, d.Hint))
		default:
			errs = append(errs, d)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if _, err := gate.Text(p.start); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	return nil
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
