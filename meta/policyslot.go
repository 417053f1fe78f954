package meta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/internal/recent"
	"github.com/agentdescent/adrun/slots"
)

// PolicyConfig configures a PolicySlot.
type PolicyConfig struct {
	// Slot is the slot that the policy fills.
	Slot string
	// Initial is the policy that an evolution starts from; default SeedPolicy of the slot.
	Initial string
	// Gate judges policies; its Slot is filled in, and the slot's smoke trace where there is none.
	Gate gate.PolicyConfig
}

// PolicySlot evolves a policy of the rule language. The state has the text under slots.RuleKey and the
// parameters that were moved since under "param.NAME". Moves of parameters never touch the text and unite;
// a rewrite of the text contradicts them all. Use NewPolicy.
type PolicySlot struct {
	cfg     PolicyConfig
	decl    *dsl.Slot
	gate    *gate.PolicyGate
	checked *recent.Map[string, judged] // by text
}

// judged is what the gate said about a text.
type judged struct {
	policy *dsl.Policy
	err    error
}

// policiesKept bounds how many verdicts are remembered.
const policiesKept = 4096

// paramPrefix begins the keys of moved parameters.
const paramPrefix = "param."

var (
	_ SlotSpec   = (*PolicySlot)(nil)
	_ Parametric = (*PolicySlot)(nil)
	_ Family     = (*PolicySlot)(nil)
)

// NewPolicy returns the spec of policies that fill a slot.
func NewPolicy(c PolicyConfig) (*PolicySlot, error) {
	if err := CheckSlot(c.Slot); err != nil {
		return nil, err
	}
	decl, err := slots.Declaration(c.Slot)
	if err != nil {
		return nil, err
	}
	g, err := slots.NewGate(c.Slot, c.Gate)
	if err != nil {
		return nil, err
	}
	if c.Initial == "" {
		if c.Initial, err = SeedPolicy(c.Slot); err != nil {
			return nil, err
		}
	}
	return &PolicySlot{cfg: c, decl: decl, gate: g, checked: recent.New[string, judged](policiesKept)}, nil
}

// Slot returns the slot's name.
func (s *PolicySlot) Slot() string { return s.cfg.Slot }

// Initial holds the text that an evolution starts from.
func (s *PolicySlot) Initial() slots.State { return slots.State{slots.RuleKey: s.cfg.Initial} }

// policy passes a text through the gate, or remembers having done so.
func (s *PolicySlot) policy(text string) (*dsl.Policy, error) {
	j, ok := s.checked.Get(text)
	if ok {
		return j.policy, j.err
	}
	if v := s.gate.Check(text); !v.OK {
		first := v.Diags[0]
		j.err = &engine.Refusal{Code: first.Code, Detail: first.Message}
	} else if _, err := slots.Compile(v.Policy, []*dsl.Slot{s.decl}, nil); err != nil { // such as one with two hooks of which a slot takes one
		j.err = &engine.Refusal{Code: CodeInvalid, Detail: err.Error()}
	} else {
		j.policy = v.Policy
	}
	s.checked.Put(text, j)
	return j.policy, j.err
}

// Parameters returns the params of the policy with the values that they have in a state.
func (s *PolicySlot) Parameters(st slots.State) ([]Param, error) {
	p, err := s.policy(st[slots.RuleKey])
	if err != nil {
		return nil, err
	}
	moved := st.Clone()
	delete(moved, slots.RuleKey)
	return held(paramsOf(p), paramPrefix, moved)
}

func paramsOf(p *dsl.Policy) []Param {
	params := make([]Param, len(p.Params))
	for i, q := range p.Params {
		params[i] = Param{Name: q.Name.Text, Value: q.Value, Lo: q.Lo, Hi: q.Hi, Int: q.Int}
	}
	return params
}

// Move sets params without touching the text.
func (s *PolicySlot) Move(st slots.State, values map[string]float64) (slots.Diff, error) {
	params, err := s.Parameters(st)
	if err != nil {
		return nil, err
	}
	return moved(params, paramPrefix, values)
}

// Diff reads a policy, or assignments "name = value" of its params, in a fence or not. A policy that differs
// from the present one in the values of its params alone is a move of those.
func (s *PolicySlot) Diff(st slots.State, p slots.Proposal) (slots.Diff, error) {
	text := unfenced(p.Text)
	if text != "" && !strings.Contains(text, "policy") {
		values, err := assignments(text)
		if err != nil {
			return nil, err
		}
		return s.Move(st, values)
	}
	next, err := s.policy(text)
	if err != nil {
		return nil, err
	}
	now, err := s.policy(st[slots.RuleKey])
	if err != nil { // there is no value yet
		return slots.Write(slots.RuleKey, dsl.FormatDecl(next)), nil
	}
	if dsl.FormatDecl(withParams(next, paramsOf(now))) == dsl.FormatDecl(now) {
		values := map[string]float64{}
		for _, q := range paramsOf(next) {
			values[q.Name] = q.Value
		}
		return s.Move(st, values)
	}
	edits := []slots.Edit{{Key: slots.RuleKey, Value: dsl.FormatDecl(next)}}
	for _, q := range now.Params {
		edits = append(edits, slots.Edit{Key: paramPrefix + q.Name.Text, Delete: true})
	}
	return slots.NewDiff(edits...), nil
}

// withParams is the policy with the values of params of the same names.
func withParams(p *dsl.Policy, params []Param) *dsl.Policy {
	out := *p
	out.Params = slices.Clone(p.Params)
	for i, q := range out.Params {
		for _, v := range params {
			if v.Name == q.Name.Text && v.Value != q.Value {
				moved := *q
				moved.Value, moved.ValueText = v.Value, ""
				out.Params[i] = &moved
			}
		}
	}
	return &out
}

// effective is the policy of a state with its params where they are.
func (s *PolicySlot) effective(st slots.State) (*dsl.Policy, error) {
	p, err := s.policy(st[slots.RuleKey])
	if err != nil {
		return nil, err
	}
	params, err := s.Parameters(st)
	if err != nil {
		return nil, err
	}
	return withParams(p, params), nil
}

// Ready passes the policy through the gate and checks its params.
func (s *PolicySlot) Ready(artifact string, st slots.State) (*slots.Candidate, error) {
	p, err := s.effective(st)
	if err != nil {
		return nil, err
	}
	return &slots.Candidate{Artifact: artifact, State: st, Text: dsl.FormatDecl(p), Identity: dsl.Identity(p)}, nil
}

// Render writes the policy with its params where they are.
func (s *PolicySlot) Render(st slots.State) string {
	p, err := s.effective(st)
	if err != nil {
		return st[slots.RuleKey]
	}
	return dsl.FormatDecl(p)
}

// Compile installs the policy. One that ranks nodes also drives tree searches.
func (s *PolicySlot) Compile(c *slots.Candidate) (Value, error) {
	p, err := s.effective(c.State)
	if err != nil {
		return Value{}, err
	}
	decls := []*dsl.Slot{s.decl}
	v := Value{Slot: s.cfg.Slot, Policies: func() (slots.Policies, error) { return slots.Compile(p, decls, nil) }}
	for _, h := range p.Hooks {
		if s.cfg.Slot != "selection" || h.Name.Text != "priority" || len(p.States) > 0 {
			continue
		}
		i := slices.IndexFunc(s.decl.Hooks, func(d *dsl.HookDecl) bool { return d.Name.Text == h.Name.Text })
		program, err := dsl.CompileHook(p, h, s.decl.Hooks[i], nil)
		if err != nil {
			return Value{}, err
		}
		v.Priority = program
	}
	return v, nil
}

// Describe prints the slot's declaration, which documents hooks, inputs and domains.
func (s *PolicySlot) Describe() string {
	return fmt.Sprintf("A value is one policy that fills this slot:\n\n%s", dsl.FormatDecl(s.decl))
}

// Fingerprint identifies the slot's declaration and what the gate asks.
func (s *PolicySlot) Fingerprint() string {
	return fmt.Sprintf("policy %s %s %v %d", s.cfg.Slot, dsl.Identity(s.decl), s.cfg.Gate.Constraints, s.cfg.Gate.GridPoints)
}

// Family returns the shipped policies of the slot that a rule can express. An evolution that starts from a policy
// that ranks nodes has flat PUCT with the weights that people would try beside them, as a RuleSlot has.
func (s *PolicySlot) Family() []Member {
	var all []Member
	if s.ranks() {
		for _, c := range puctWeights() {
			all = append(all, Member{"flat_puct c=" + c, slots.State{slots.RuleKey: puctPolicyText(c)}})
		}
	}
	for _, name := range slots.PolicyNames(s.cfg.Slot) {
		text, ok := slots.Twin(s.cfg.Slot, name)
		if !ok {
			continue
		}
		st := slots.State{slots.RuleKey: text}
		if _, err := s.Ready(s.cfg.Slot, st); err == nil {
			all = append(all, Member{name, st})
		}
	}
	return all
}

// ranks reports whether the policy that an evolution starts from ranks nodes.
func (s *PolicySlot) ranks() bool {
	p, err := s.policy(s.cfg.Initial)
	return err == nil && slices.ContainsFunc(p.Hooks, func(h *dsl.Hook) bool { return h.Name.Text == "priority" })
}

func puctPolicyText(c string) string {
	return fmt.Sprintf("policy flat_puct fills selection {\n  priority(rank, visits, total, prior) { return %s }\n}\n", puctValue(c))
}
