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
	v.oneOf("$.kind", s.Kind, KindRule, KindText, KindPolicySlot)
	v.slot(s)
	if p := s.Propose.Program; p != nil {
		v.program("$.propose.program", *p)
		if s.Propose.Breeder != nil {
			v.report("$.propose", "propose.breeder or propose.program: one of them proposes, remove the other")
		}
	}
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
	if s.Propose.Program == nil {
		v.report("$.kind", "nothing proposes texts: the breeder makes rules only, so name a program of your own in propose.program")
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
