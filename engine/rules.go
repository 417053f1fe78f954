package engine

import (
	"errors"
	"fmt"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/internal/recent"
	"github.com/agentdescent/adrun/slots"
)

// RuleGate decides which rules may run.
type RuleGate interface {
	// Text admits a source text with one rule, Tree a tree that a program built. A rule that may not run
	// is a *Refusal; any other error ends the run.
	Text(src string) (Admitted, error)
	Tree(r *dsl.Rule) (Admitted, error)
}

// Admitted is a rule that may run.
type Admitted struct {
	Rule     *dsl.Rule
	Program  *dsl.Program
	Identity string
}

// Rules is the strategy of an artifact that is one rule: a proposal, a text or a tree, replaces it. Use
// NewRules.
type Rules struct {
	gate  RuleGate
	ready *recent.Map[string, *slots.Candidate] // by text
}

// rulesKept bounds how many compiled rules are remembered by their text.
const rulesKept = 1024

var (
	_ Strategy = (*Rules)(nil)
	_ Admitter = (*Rules)(nil)
)

// NewRules returns the strategy of a rule that passes through gate.
func NewRules(gate RuleGate) *Rules {
	return &Rules{gate: gate, ready: recent.New[string, *slots.Candidate](rulesKept)}
}

// Diff writes the proposed rule in canonical text.
func (s *Rules) Diff(_ slots.State, p slots.Proposal) (slots.Diff, error) {
	var (
		a   Admitted
		err error
	)
	if p.Rule != nil {
		a, err = s.gate.Tree(p.Rule)
	} else {
		a, err = s.gate.Text(p.Text)
	}
	if err != nil {
		return nil, err
	}
	text := dsl.FormatRule(a.Rule)
	// The tree is read back from the text, so that a run and its resume hand out the same one.
	if a.Rule, err = parseRule(text); err != nil {
		return nil, fmt.Errorf("reading back an admitted rule: %w", err)
	}
	s.keep(text, a)
	return slots.Write(slots.RuleKey, text), nil
}

// Ready compiles the text, or remembers having done so.
func (s *Rules) Ready(artifact string, st slots.State) (*slots.Candidate, error) {
	text := st[slots.RuleKey]
	c, ok := s.ready.Get(text)
	if !ok {
		a, err := s.gate.Text(text)
		if err != nil {
			return nil, err
		}
		c = s.keep(text, a)
	}
	out := *c
	out.Artifact, out.State = artifact, st
	return &out, nil
}

// Admit passes a tree through the gate. The candidate has no text: printing is for what is stored.
func (s *Rules) Admit(artifact string, r *dsl.Rule) (*slots.Candidate, error) {
	a, err := s.gate.Tree(r)
	if err != nil {
		return nil, err
	}
	return &slots.Candidate{Artifact: artifact, Identity: a.Identity, Rule: a.Rule, Program: a.Program}, nil
}

func (s *Rules) keep(text string, a Admitted) *slots.Candidate {
	c := &slots.Candidate{Text: text, Identity: a.Identity, Rule: a.Rule, Program: a.Program}
	s.ready.Put(text, c)
	return c
}

// parseRule reads back a rule that was printed.
func parseRule(text string) (*dsl.Rule, error) {
	f, err := dsl.Parse("", text)
	if err != nil {
		return nil, err
	}
	if r, ok := dsl.First[*dsl.Rule](f); ok {
		return r, nil
	}
	return nil, errors.New("the text holds no rule")
}

// refusalOf makes diagnostics a refusal.
func refusalOf(err error) error {
	var ds *dsl.DiagnosticsError
	if errors.As(err, &ds) {
		return &Refusal{Code: ds.List[0].Code, Detail: ds.List[0].Message}
	}
	return &Refusal{Code: "no-rule", Detail: err.Error()}
}
