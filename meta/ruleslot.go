package meta

import (
	"errors"
	"fmt"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/slots"
)

// RuleConfig configures a RuleSlot.
type RuleConfig struct {
	// Initial is the rule that an evolution starts from; default flat PUCT with c = 1.
	Initial string
	// Gate judges rules; its Signature is filled in.
	Gate gate.Config
}

// RuleSlot is the slot selection of a tree search: a value is one rule of selection.priority. The host does
// the bookkeeping of the tree, so that a rule can only be wrong about priority. Use NewPriority.
type RuleSlot struct {
	*engine.Rules
	sig     *dsl.Signature
	gate    *gate.Gate
	initial slots.State
}

var (
	_ SlotSpec        = (*RuleSlot)(nil)
	_ Typed           = (*RuleSlot)(nil)
	_ Family          = (*RuleSlot)(nil)
	_ engine.Admitter = (*RuleSlot)(nil)
)

// NewPriority returns the spec of rules that drive a tree search.
func NewPriority(c RuleConfig) (*RuleSlot, error) {
	sig, err := treesearch.PrioritySignature()
	if err != nil {
		return nil, err
	}
	c.Gate.Signature = sig
	g, err := gate.New(c.Gate)
	if err != nil {
		return nil, err
	}
	if c.Initial == "" {
		c.Initial = treesearch.FlatPuctText()
	}
	return &RuleSlot{
		Rules: engine.NewRules(engine.Gated(g)), sig: sig, gate: g,
		initial: slots.State{slots.RuleKey: c.Initial},
	}, nil
}

// Slot returns "selection".
func (s *RuleSlot) Slot() string { return "selection" }

// Signature is that of selection.priority.
func (s *RuleSlot) Signature() *dsl.Signature { return s.sig }

// Initial returns the rule that an evolution starts from.
func (s *RuleSlot) Initial() slots.State { return s.initial.Clone() }

// Diff takes a rule, in a fence or not.
func (s *RuleSlot) Diff(st slots.State, p slots.Proposal) (slots.Diff, error) {
	p.Text = unfenced(p.Text)
	return s.Rules.Diff(st, p)
}

// Render returns the rule's text.
func (s *RuleSlot) Render(st slots.State) string { return st[slots.RuleKey] }

// Compile installs the rule.
func (s *RuleSlot) Compile(c *slots.Candidate) (Value, error) {
	if c.Program == nil {
		return Value{}, errors.New("the value is not a compiled rule")
	}
	return Value{Slot: s.Slot(), Priority: c.Program}, nil
}

// Describe returns the signature, which documents inputs, domains and contracts.
func (s *RuleSlot) Describe() string {
	return "A value is one rule of this signature:\n\n" + treesearch.PrioritySignatureText()
}

// Fingerprint identifies the gate.
func (s *RuleSlot) Fingerprint() string { return "rule selection.priority " + s.gate.Identity() }

// Family returns flat PUCT with the weights of exploration that people would try.
func (s *RuleSlot) Family() []Member {
	var all []Member
	for _, c := range puctWeights() {
		all = append(all, Member{Name: "flat_puct c=" + c, State: slots.State{slots.RuleKey: puctText(c)}})
	}
	return all
}

func puctWeights() []string { return []string{"0", "0.05", "0.1", "0.25", "0.5", "1", "2"} }

// puctText is flat PUCT with a weight of exploration.
func puctText(c string) string {
	return fmt.Sprintf("rule priority(rank, visits, total, prior) {\n  return %s\n}\n", puctValue(c))
}

func puctValue(c string) string { return "rank + " + c + " * prior * sqrt(total) / (1 + visits)" }
