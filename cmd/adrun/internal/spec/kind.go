package spec

// The kinds of what evolves.
const (
	KindRule = "rule"
	KindText = "text"
	// KindPolicySlot evolves the value of one of the engine's own slots.
	KindPolicySlot = "policy_slot"
)

// The strategies of a text: what a proposal does to it.
const (
	SingleSlot  = "single_slot"
	AppendRules = "append_rules"
	KeyedRules  = "keyed_rules"
)

// kind checks the keys that only a rule or only a text has.
func (v *validator) kind(s *Spec) {
	if s.Kind == "" {
		v.report("$.kind", "kind is missing: what evolves, one of %s, %s, %s", KindRule, KindText, KindPolicySlot)
	} else {
		v.oneOf("$.kind", s.Kind, KindRule, KindText, KindPolicySlot)
	}
	v.slot(s)
	v.propose(s)
	if s.Kind != KindText {
		if s.Strategy != "" {
			v.report("$.strategy", "only a text has a strategy: a proposal replaces a rule")
		}
		return
	}
	if s.Strategy != "" {
		v.oneOf("$.strategy", s.Strategy, SingleSlot, AppendRules, KeyedRules)
	}
	if s.Data.Problem != "" && s.Data.Problem != Command {
		v.report("$.data.problem", "%s scores rules: a text is scored by problem command", s.Data.Problem)
	}
	v.rulesOnly(s)
	if p := s.Propose; p.Program == nil && p.Model == nil && p.Mix == nil {
		v.report("$.kind", "nothing proposes texts: the breeder makes rules only, so name a program of your own in propose.program, or a model in propose.model")
	}
}

// rulesOnly reports keys that mean nothing for a text.
func (v *validator) rulesOnly(s *Spec) {
	for _, k := range []struct {
		path string
		set  bool
	}{
		{"$.target", s.Target != ""},
		{"$.data.signature", s.Data.Signature != ""},
		{"$.propose.breeder", s.Propose.Breeder != nil},
		{"$.gate.constraints", s.Gate.Constraints != ""},
		{"$.gate.grid", s.Gate.Grid != 0},
	} {
		if k.set {
			v.report(k.path, "this key is about rules, and the spec evolves a text")
		}
	}
}
