package gate

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/dsltest"
	"github.com/agentdescent/adrun/gate/prove"
)

const samplerText = `slot task_sampler per task {
  weight(total: int in [0, 1e9], index: int in [0, 1e6], n_keys: int in [1, 1e6]) -> num { assume index < n_keys }
  on record(score: num in [0, 1], round: int in [0, 1e6])
}
`

const difficultyText = `# Prefer what is half solved.
policy difficulty_weighted fills task_sampler {
  param c     = 0.2 in [0.05, 1] # exploration
  param prior = 0.5 in [0, 1]
  state passes = 0 in [0, 1e9]
  state trials = 0 in [0, 1e9]

  on record(score) {
    passes += score >= 0.5 ? 1 : 0
    trials += 1
  }

  weight(total) {
    let p = trials > 0 ? passes / trials : prior
    let bonus = trials > 0 ? c * sqrt(log(total + 1) / trials) : 1e9
    return 4 * p * (1 - p) + 0.001 + bonus # the variance
  }
}
`

func samplerSlot(t testing.TB) *dsl.Slot {
	t.Helper()
	f, err := dsl.Parse("slot.rule", samplerText)
	if err != nil {
		t.Fatal(err)
	}
	return f.Decls[0].(*dsl.Slot)
}

func policyGate(t testing.TB, cfg PolicyConfig) *PolicyGate {
	t.Helper()
	if cfg.Slot == nil {
		cfg.Slot = samplerSlot(t)
	}
	g, err := NewPolicyGate(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestPolicyAdmitted(t *testing.T) {
	v := policyGate(t, PolicyConfig{Constraints: []string{`ops < 30 && "log" in calls && inputs == ["score", "total"]`}}).Check(difficultyText)
	if !v.OK || v.Stage != Admitted || len(v.Diags) != 0 {
		t.Fatalf("%v %v", v.Stage, v.Diags)
	}
	if text := dsl.FormatDecl(v.Policy); strings.Contains(text, "#") {
		t.Errorf("comments were admitted:\n%s", text)
	}
	if v.Cost.Ops != dsl.Ops(v.Policy) || len(v.Hooks) != 2 || v.Hooks[0].Name != "record" || v.Hooks[1].Name != "weight" {
		t.Errorf("%+v %+v", v.Cost, v.Hooks)
	}
	// The counts are whole, so that trials > 0 means at least 1: passes / trials is finite for all of them.
	if a := v.Hooks[1].Proof.Answer; a != prove.Proved {
		t.Errorf("weight: %v (%s)", a, v.Hooks[1].Proof.Reason)
	}
	state := []float64{0, 0}
	v.Hooks[0].Program.Apply([]float64{1, 0}, state)
	if state[0] != 1 || state[1] != 1 {
		t.Errorf("state %v after a pass", state)
	}
}

func TestPolicyRefused(t *testing.T) {
	policy := func(state, record, weight string) string {
		return "policy p fills task_sampler {\n" + state + "\non record(score, round) {" + record + "}\nweight(total, index, n_keys) {" + weight + "}\n}\n"
	}
	tests := []struct {
		name  string
		cfg   PolicyConfig
		src   string
		stage Stage
		code  string
		text  string
	}{
		{"size", PolicyConfig{Limits: dsl.Limits{FileBytes: 10}}, difficultyText, Size, "too-large", ""},
		{"syntax", PolicyConfig{}, "policy p fills task_sampler { weight { return } }", Syntax, "syntax", ""},
		{"another slot", PolicyConfig{}, "policy p fills nothing { weight { return 1 } }", Names, "unknown-slot", ""},
		{"no policy", PolicyConfig{}, "rule r { return 1 }", Names, "not-one-rule", ""},
		{"types", PolicyConfig{}, policy("", "", "return total > 3"), Types, "bool-as-number", ""},
		{"inputs", PolicyConfig{}, policy("", "", "return 1 / index"), OnGrid, "not-finite", "index = 0"},
		{"params", PolicyConfig{}, policy("param k = 1 in [0, 2]", "", "return 1 / k"), OnGrid, "not-finite", "k = 0"},
		{"states", PolicyConfig{}, policy("state n = 1 in [0, 9]", "n += 1", "return 1 / n"), OnGrid, "not-finite", "n = 0"},
		{"writes", PolicyConfig{}, policy("state n = 1 in [0, 9]", "n = 0 / round", "return n"), OnGrid, "not-finite", "on record writes NaN"},
		{"proof", PolicyConfig{GridPoints: 5}, policy("", "", "return 1 / (total - 7)"), Proving, "not-finite", "total = 7"},
		{"proof over whole states", PolicyConfig{GridPoints: 5}, policy("state n = 0 in [0, 1e6]", "n += 1", "return 1 / (n - 777)"), Proving, "not-finite", "n = 777"},
		{"no proof", PolicyConfig{Prove: ProveRequire}, policy("param k = 0.5 in [0, 1]", "", "return sqrt(k - k ** 2)"), Proving, "not-proved", ""},
		{"constraint", PolicyConfig{Constraints: []string{"ops < 3"}}, difficultyText, Constraints, "constraint-not-met", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := policyGate(t, tt.cfg).Check(tt.src)
			if v.OK || v.Stage != tt.stage || len(v.Diags) == 0 || v.Diags[0].Code != tt.code || !strings.Contains(v.Diags[0].Message, tt.text) {
				t.Errorf("%v %v %v, want %v %v", v.OK, v.Stage, v.Diags, tt.stage, tt.code)
			}
		})
	}
}

// A state that need not be whole can hold numbers that no history reaches: the proof only warns.
func TestPolicyWarnsOfUnreachedStates(t *testing.T) {
	src := "policy p fills task_sampler {\nstate s = 0 in [0, 9]\non record(score) { s += score }\nweight { return s > 0 ? 1 / s : 0 }\n}"
	v := policyGate(t, PolicyConfig{}).Check(src)
	if !v.OK || len(v.Diags) != 1 || v.Diags[0].Severity != dsl.Warning || v.Hooks[1].Proof.Answer != prove.Refuted {
		t.Fatalf("%v %v %+v", v.Stage, v.Diags, v.Hooks)
	}
	if v := policyGate(t, PolicyConfig{Prove: ProveRequire}).Check(src); v.OK || v.Stage != Proving {
		t.Errorf("a required proof is missing, and the policy passes: %v", v.Stage)
	}
}

// A warning about one hook does not hide that another is refused.
func TestPolicyRefusedBesideAWarning(t *testing.T) {
	f, err := dsl.Parse("slot.rule", "slot two {\na(x: int in [0, 1e6]) -> num\nb(x: int in [0, 1e6]) -> num\non tell(x: num in [0, 1])\n}")
	if err != nil {
		t.Fatal(err)
	}
	pole, unreached := "(x) { return 1 / (x - 777) }\n", "(x) { return s > 0 ? 1 / s : 0 }\n"
	for _, hooks := range []string{"a" + pole + "b" + unreached, "a" + unreached + "b" + pole} {
		v := policyGate(t, PolicyConfig{Slot: f.Decls[0].(*dsl.Slot), GridPoints: 5}).
			Check("policy p fills two {\nstate s = 0 in [0, 9]\non tell(x) { s += x }\n" + hooks + "}")
		if v.OK || v.Stage != Proving || len(v.Diags) != 2 {
			t.Errorf("%v %v %v", v.OK, v.Stage, v.Diags)
		}
	}
}

func TestSmokeTrace(t *testing.T) {
	event := func(hook, key string, args ...float64) Event { return Event{hook, key, args} }
	// Finite at every grid point; the pole needs three passes in a row of one key.
	src := "policy p fills task_sampler {\nstate n = 0.5 in [0, 9]\non record(score) { n = score >= 0.5 ? n + 0.25 : 0.5 }\nweight { return 1 / (n - 1.25) }\n}"
	pass, fail := func(key string) Event { return event("record", key, 1, 0) }, func(key string) Event { return event("record", key, 0, 0) }
	base := PolicyConfig{Prove: ProveOff, GridPoints: 16}
	for _, tt := range []struct {
		name  string
		trace Trace
		ok    bool
	}{
		{"reached", Trace{pass("a"), pass("a"), pass("a")}, false},
		{"two keys", Trace{pass("a"), pass("b"), pass("a"), pass("b")}, true},
		{"failures between", Trace{pass("a"), pass("a"), fail("a"), pass("a")}, true},
		{"hooks that decide", Trace{event("weight", "a", 0, 0, 1), pass("a"), event("weight", "a", 0, 0, 1)}, true},
		{"empty", Trace{}, true},
	} {
		cfg := base
		cfg.Trace = tt.trace
		v := policyGate(t, cfg).Check(src)
		if v.OK != tt.ok || !tt.ok && (v.Stage != Smoke || !strings.Contains(v.Diags[0].Message, "n = 1.25")) {
			t.Errorf("%s: %v %v", tt.name, v.Stage, v.Diags)
		}
	}
	// NaN needs the key's second event: the grid does not show it.
	nan := "policy p fills task_sampler {\nstate n = 0.5 in [0, 9]\non record(score) { n = n == 0.75 ? log(-1) : 0.75 }\nweight { return n }\n}"
	cfg := base
	cfg.Trace = Trace{pass("a"), pass("a")}
	if v := policyGate(t, cfg).Check(nan); v.OK || v.Stage != Smoke || !strings.Contains(v.Diags[0].Message, "event 1") {
		t.Errorf("%v %v", v.Stage, v.Diags)
	}
	// Params at their ends are replayed too.
	ends := "policy p fills task_sampler {\nparam k = 1 in [0.5, 1.5]\nstate n = 0.25 in [0, 9]\non record { n += k }\nweight { return 1 / (n - 1.75) }\n}"
	cfg.Trace = Trace{pass("a")}
	if v := policyGate(t, cfg).Check(ends); v.OK || v.Stage != Smoke {
		t.Errorf("%v %v", v.Stage, v.Diags)
	}
}

func TestNewPolicyGateReportsEverything(t *testing.T) {
	_, err := NewPolicyGate(PolicyConfig{Slot: samplerSlot(t), Trace: Trace{{Hook: "nope"}, {Hook: "weight", Args: []float64{1}}}})
	for _, want := range []string{"no hook \"nope\"", "hook weight has 3 inputs, not 1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
	if _, err := NewPolicyGate(PolicyConfig{Slot: samplerSlot(t), Boxes: -1}); err == nil {
		t.Error("boxes below 0")
	}
	if _, err := NewPolicyGate(PolicyConfig{}); err == nil {
		t.Error("a gate without a slot")
	}
	if _, err := NewPolicyGate(PolicyConfig{Slot: samplerSlot(t), Constraints: []string{"1 +"}}); err == nil {
		t.Error("a constraint that is no expression")
	}
}

func TestWholeStates(t *testing.T) {
	src := `policy p fills task_sampler {
  state count = 0 in [0, 100]
  state chain = 1 in [0, 100]
  state half = 0.5 in [0, 100]
  state mean = 0 in [0, 100]
  state follows = 0 in [0, 100]
  state kept = 3 in [0, 100]
  on record(score) {
    count += score > 0.5 ? 1 : 2
    if count > 3 { chain = count * chain - floor(score) }
    mean = (mean + score) / 2
    follows = mean
  }
  weight { return count }
}`
	f, err := dsl.Parse("p.rule", src)
	if err != nil {
		t.Fatal(err)
	}
	slot := samplerSlot(t)
	got := prove.WholeStates(f.Decls[0].(*dsl.Policy), func(name string) *dsl.HookDecl { return findHook(slot, name) })
	want := []bool{true, true, false, false, false, true}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("state %d: whole %v, want %v", i, got[i], want[i])
		}
	}
}

// Random policies pass or are refused without a fault, the same from text and from a tree; what is admitted is finite
// wherever random histories lead.
func TestRandomPolicies(t *testing.T) {
	admitted := 0
	rapid.Check(t, func(rt *rapid.T) {
		p, slot := dsltest.Policy(rt)
		g, err := NewPolicyGate(PolicyConfig{Slot: slot, GridPoints: 32, Boxes: 8})
		if err != nil {
			rt.Fatal(err)
		}
		text := dsl.FormatDecl(p)
		a, b := g.CheckAST(p), g.Check(text)
		if a.OK != b.OK || a.Stage != b.Stage {
			rt.Fatalf("the tree: %v %v\nits text: %v %v\n%s", a.Stage, a.Diags, b.Stage, b.Diags, text)
		}
		if a.OK {
			admitted++
		}
	})
	if admitted == 0 {
		t.Error("no random policy was admitted")
	}
}
