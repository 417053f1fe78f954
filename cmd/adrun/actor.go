package main

import (
	"fmt"
	"log/slog"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/problems/command"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/slots"
)

// actor is who proposes.
func (p *plan) actor() (a engine.Actor, err error) {
	s := p.spec.Propose
	a.Solved = p.spec.Evolve.Solved
	switch {
	case s.Program != nil:
		a.Proposer, err = p.program(*s.Program)
	case s.Model != nil:
		var v value
		if v, err = p.value(); err == nil {
			a.Proposer, err = p.addModel("$.propose.model", s.Model.Model, s.Model, v)
		}
	case s.Mix != nil:
		a.Proposer, a.Trials, err = p.mix()
	default:
		a.Proposer, a.Trials, err = p.breeder(s.Breeder)
	}
	return a, err
}

// program asks a program of the user's.
func (p *plan) program(s spec.Program) (slots.Proposer, error) {
	proposer, err := command.NewProposer(command.ProposerConfig{
		Spec: p.process(s), Tasks: p.tasks, Encode: command.RuleForms(p.sig), Log: slog.New(p.failures),
	})
	if err != nil {
		return nil, p.spec.At("$.propose.program", err)
	}
	p.closers = append(p.closers, proposer)
	return proposer, nil
}

// breeder is the offline proposer of what evolves, and the trials that it needs; b may be nil.
func (p *plan) breeder(b *spec.Breeder) (slots.Proposer, int, error) {
	if b == nil {
		b = &spec.Breeder{}
	}
	if err := p.checkInputs(b.Inputs); err != nil {
		return nil, 0, err
	}
	trials := defaultTrials
	if b.Trials > 0 {
		trials = b.Trials
	}
	breeder := reflector.Breeder{MaxOps: b.MaxOps, Random: b.Random, Inputs: b.Inputs}
	if p.meta == nil {
		return breeder, trials, nil
	}
	proposer, err := p.offline(breeder)
	return proposer, trials, err
}

// mix proposes through several sources. What the breeder may try, the values of models are tried with too.
func (p *plan) mix() (slots.Proposer, int, error) {
	v, err := p.value()
	if err != nil {
		return nil, 0, err
	}
	trials := 0
	m := reflector.Mix{Explore: p.spec.Propose.Explore, Caps: p.caps()}
	for i, s := range p.spec.Propose.Mix {
		source := reflector.Source{Name: s.SourceName()}
		path := fmt.Sprintf("$.propose.mix[%d]", i)
		if s.Model != nil {
			source.Proposer, err = p.addModel(path+".model", source.Name, s.Model, v)
		} else {
			source.Proposer, trials, err = p.breeder(s.Breeder)
		}
		if err != nil {
			return nil, 0, err
		}
		m.Sources = append(m.Sources, source)
	}
	return m, trials, p.atSpec("$.propose.mix", m.Validate())
}

// caps are what the run may use of each thing.
func (p *plan) caps() reflector.Caps {
	b := p.spec.Budget
	return reflector.Caps{Leases: p.leases(), Spend: slots.Spend{
		Rollouts: b.MaxRollouts, Calls: b.MaxCalls, Tokens: b.MaxTokens, Cost: b.MaxCost,
	}}
}

// value is what a model is told about what evolves.
func (p *plan) value() (value, error) {
	v := value{about: p.spec.Description}
	if c := p.spec.Gate.Constraints; c != "" {
		v.constraints = []string{c}
	}
	var err error
	switch {
	case p.spec.Kind == spec.KindText:
		v.description = textDescription(p.spec.Strategy)
	case p.sig == nil:
		err = p.describePolicy(&v)
	default:
		v.gate, err = ruleGate(p.sig, p.spec.Gate)
	}
	return v, err
}

// textDescription says what a proposal does to a text.
func textDescription(strategy string) string {
	switch strategy {
	case spec.AppendRules:
		return "The value is a text that grows by lines.\n\nReply with one line that is to be added, and nothing else.\n"
	case spec.KeyedRules:
		return "The value is a text of lines \"name: text\".\n\nReply with one line \"name: text\", which takes the place of the line " +
			"of that name or is added, and nothing else.\n"
	}
	return "The value is a text.\n\nReply with the whole new text and nothing else.\n"
}
