package meta_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/slots"
)

// Every slot has a seed value that passes its own gate, smoke trace included, and fills the slot, and so has
// every value of its family.
func TestEverySlotHasASeed(t *testing.T) {
	for _, slot := range slots.SlotNames() {
		s, err := meta.NewPolicy(meta.PolicyConfig{Slot: slot})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range append(s.Family(), meta.Member{Name: "the seed", State: s.Initial()}) {
			c, err := s.Ready("a", m.State)
			if err != nil {
				t.Errorf("%s, %s: %v", slot, m.Name, err)
				continue
			}
			v, err := s.Compile(c)
			if err != nil {
				t.Fatal(err)
			}
			p, err := v.Policies()
			if err != nil {
				t.Errorf("%s, %s: %v", slot, m.Name, err)
			}
			if got := filled(p); got != slot {
				t.Errorf("%s, %s fills %q", slot, m.Name, got)
			}
		}
		if len(s.Family()) == 0 {
			t.Errorf("%s: nobody would try anything", slot)
		}
		if d := s.Describe(); !strings.Contains(d, "slot "+slot) {
			t.Errorf("%s is described as %q", slot, d)
		}
	}
}

func filled(p slots.Policies) string {
	var names []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"selection", p.Selection != nil}, {"task_sampler", p.TaskSampler != nil}, {"proposal", p.Proposal != nil},
		{"staleness", p.Staleness != nil}, {"conflict", p.Conflict != nil}, {"fusion", p.Fusion != nil},
		{"acceptance", p.Acceptance != nil}, {"promotion", p.Promotion != nil},
	} {
		if f.set {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

const puct = `policy search fills selection {
  param c = 1 in [0, 10]
  param d: int = 2 in [0, 4]

  priority(rank, total, visits, depth) { return rank + c * sqrt(total) / (1 + visits) - d * depth }
}
`

func policySlot(t testing.TB, initial string) *meta.PolicySlot {
	t.Helper()
	s, err := meta.NewPolicy(meta.PolicyConfig{Slot: "selection", Initial: initial})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func diff(t testing.TB, s meta.SlotSpec, st slots.State, text string) slots.Diff {
	t.Helper()
	d, err := s.Diff(st, slots.Proposal{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// code is the code of the refusal that err is, "" for none.
func code(err error) string {
	var no *engine.Refusal
	if errors.As(err, &no) {
		return no.Code
	}
	return ""
}

func TestParamsOfAPolicyUniteAndTheTextContradictsThem(t *testing.T) {
	s := policySlot(t, puct)
	st := s.Initial()
	c, d := diff(t, s, st, "c = 0.5"), diff(t, s, st, "```\nd = 3\n```")
	if c.Contradicts(d) || len(slots.Union(c, d)) != 2 {
		t.Errorf("%v and %v do not unite", c, d)
	}
	if !c.Contradicts(diff(t, s, st, "c = 0.25")) {
		t.Error("two values of one param do not contradict")
	}
	text := diff(t, s, st, strings.Replace(puct, "- d * depth", "- d", 1))
	for _, move := range []slots.Diff{c, d, slots.Union(c, d)} {
		if !text.Contradicts(move) || move.Keys()[0] == slots.RuleKey {
			t.Errorf("the text %v does not contradict %v", text, move)
		}
	}
	// The same policy with another value is a move, not a rewrite.
	if same := diff(t, s, st, strings.Replace(puct, "c = 1", "c = 0.5", 1)); !same.Equal(c) {
		t.Errorf("%v, want %v", same, c)
	}
	moved := st.Apply(slots.Union(c, d))
	if r := s.Render(moved); !strings.Contains(r, "param c = 0.5 in") || !strings.Contains(r, "param d: int = 3 in") {
		t.Errorf("rendered as\n%s", r)
	}
	// A rewrite starts from the values in its own text.
	if r := s.Render(moved.Apply(text)); !strings.Contains(r, "param c = 1 in") {
		t.Errorf("after a rewrite\n%s", r)
	}
}

func TestRefusals(t *testing.T) {
	policy := policySlot(t, puct)
	params, err := meta.NewParams(meta.ParamConfig{
		Slot:   "task_sampler",
		Params: []meta.Param{{Name: "c", Value: 0.2, Lo: 0.05, Hi: 1}, {Name: "k", Value: 2, Lo: 1, Hi: 4, Int: true}},
		Build: func(v []float64) (slots.Policies, error) {
			return slots.Policies{TaskSampler: &slots.DifficultyWeighted{C: v[0]}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	source := &meta.SourceSlot{Name: "selection", Text: "ok", Validate: func(text string) error {
		if text != "ok" && text != "fine" {
			return errors.New("neither ok nor fine")
		}
		return nil
	}}
	for _, tt := range []struct {
		spec meta.SlotSpec
		text string
		want string
	}{
		{policy, "e = 1", meta.CodeUnknownParam}, {policy, "c = 11", meta.CodeOutOfBounds}, {policy, "d = 1.5", meta.CodeOutOfBounds},
		{policy, "c = x", meta.CodeNotAssigned}, {policy, "faster", meta.CodeNotAssigned}, {policy, "c = 1", "unchanged"},
		{policy, "policy p fills selection { priority(visits) { return 1 / visits } }", "not-finite"},
		{policy, "policy p fills promotion { promote(survived) { return true } }", "unknown-slot"},
		{policy, "policy p fills selection { priority(rank) { return rank } score(score) { return score } }", meta.CodeInvalid},
		{policy, "", "not-one-rule"},
		{params, "q = 1", meta.CodeUnknownParam}, {params, "c = 2", meta.CodeOutOfBounds}, {params, "k = 2.5", meta.CodeOutOfBounds},
		{params, "c = NaN", meta.CodeNotAssigned}, {params, "", "empty"},
		{source, "bad", meta.CodeInvalid}, {source, "  ", "empty"},
	} {
		d, err := tt.spec.Diff(tt.spec.Initial(), slots.Proposal{Text: tt.text})
		if code(err) != tt.want {
			t.Errorf("%q gives %v, %v (%s), want %s", tt.text, d, err, code(err), tt.want)
		}
	}
	// What skips Diff is refused by Ready.
	for _, bad := range []slots.Diff{slots.Write("param.e", "1"), slots.Write("param.c", "11"), slots.Write("x", "1")} {
		if _, err := policy.Ready("a", policy.Initial().Apply(bad)); code(err) == "" {
			t.Errorf("%v is ready: %v", bad, err)
		}
	}
	if d := diff(t, source, source.Initial(), "```text\nfine\n```"); !d.Equal(slots.Write(slots.RuleKey, "fine")) {
		t.Errorf("%v", d)
	}
	if d := diff(t, params, params.Initial(), "c = 0.5\nk = 3"); len(d) != 2 {
		t.Errorf("%v", d)
	}
}

// Of several things that are wrong the same one is named each time.
func TestRefusalsDoNotDependOnTheMap(t *testing.T) {
	s := policySlot(t, puct)
	st := s.Initial().Apply(slots.NewDiff(
		slots.Edit{Key: "param.c", Value: "11"}, slots.Edit{Key: "param.d", Value: "x"}, slots.Edit{Key: "param.e", Value: "1"},
	))
	for range 50 {
		if _, err := s.Ready("a", st); code(err) != meta.CodeOutOfBounds {
			t.Fatalf("%v", err)
		}
		_, err := s.Diff(s.Initial(), slots.Proposal{Text: "g = 1\nf = 1\ne = 1"})
		if code(err) != meta.CodeUnknownParam || !strings.Contains(err.Error(), `"e"`) {
			t.Fatalf("%v", err)
		}
	}
}

// An evolution from a policy that ranks nodes is compared with the same values as one from a rule.
func TestThePolicyFamilyHoldsTheRules(t *testing.T) {
	rules, policies := spec(t, "").Family(), policySlot(t, puct).Family()
	for i, m := range rules {
		if policies[i].Name != m.Name {
			t.Fatalf("member %d is %s, want %s", i, policies[i].Name, m.Name)
		}
		args := []float64{0.9, 3, 12, 0.2, 1, 5}
		if got, want := priorityOf(t, policySlot(t, puct), policies[i].State, args), priorityOf(t, spec(t, ""), m.State, args); got != want {
			t.Errorf("%s: %v as a policy, %v as a rule", m.Name, got, want)
		}
	}
}

func priorityOf(t testing.TB, s meta.SlotSpec, st slots.State, args []float64) float64 {
	t.Helper()
	c, err := s.Ready("a", st)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return v.Priority.Num(args)
}
