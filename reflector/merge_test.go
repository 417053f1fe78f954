package reflector_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/dsltest"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/slots"
)

// failer is what *testing.T and *rapid.T share.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func decl(t failer, text string) dsl.Decl {
	t.Helper()
	f, err := dsl.Parse("", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f.Decls[0]
}

// TestMerge merges bodies of rules; want "" is changes that cannot stand together.
func TestMerge(t *testing.T) {
	for _, tc := range []struct{ name, base, a, b, want string }{
		{"terms of both", "return x", "return x + y", "return x - z", "return x + y - z"},
		{"a term and a factor", "return x + y", "return 2 * x + y", "return x + y * z", "return 2 * x + y * z"},
		{"a term dropped, another changed", "return x + y + z", "return x + z", "return x + y + sqrt(z)", "return x + sqrt(z)"},
		{"dropped and changed", "return x + y", "return x", "return x + y * z", ""},
		{"both replace", "return x", "return y", "return z", ""},
		{"put around", "return x * y", "return max(x * y, 0)", "return x * y * 2", "return max(x * y * 2, 0)"},
		{"put around twice", "return x", "return sqrt(x)", "return abs(x)", "return sqrt(abs(x))"},
		{"a case added", "return x", "return y > 1 ? z : x", "return x * 2", "return y > 1 ? z : x * 2"},
		{"arguments", "return clamp(x, 0, 1)", "return clamp(x, 0.5, 1)", "return clamp(x, 0, 2)", "return clamp(x, 0.5, 2)"},
		{"literals half-way", "return x * 2", "return x * 3", "return x * 4", "return x * 3.5"},
		{"a literal of one", "return x * 2 + y", "return x * 3 + y", "return x * 2 + z", "return x * 3 + z"},
		{"conditions", "return x > 1 ? y : z", "return x > 1 && y > 0 ? y : z", "return x > 1 ? y + 1 : z", "return x > 1 && y > 0 ? y + 1 : z"},
		{"alternatives", "return x > 1 ? y : z", "return x > 1 || y > 0 ? y : z", "return x > 1 || z > 2 ? y : z", "return x > 1 || y > 0 || z > 2 ? y : z"},
		{"statements of both", "return x", "let d = x - y\nreturn x", "if z > 1 { return 0 }\nreturn x", "let d = x - y\nif z > 1 { return 0 }\nreturn x"},
		{"a statement and an expression", "return x", "if z > 1 { return 0 }\nreturn x", "return x + y", "if z > 1 { return 0 }\nreturn x + y"},
		{"inside a let", "let d = x - y\nreturn d", "let d = x - y - z\nreturn d", "let d = x - y\nreturn d * 2", "let d = x - y - z\nreturn d * 2"},
		{"arms", "if x > 1 { return y }\nreturn z", "if x > 1 { return y } else if y > 1 { return x }\nreturn z",
			"if x > 2 { return y }\nreturn z", "if x > 2 { return y } else if y > 1 { return x }\nreturn z"},
		{"an arm dropped", "if x > 1 { return y }\nreturn z", "return z", "if x > 1 { return y }\nreturn z * 2", "return z * 2"},
		{"else", "if x > 1 { return y } else { return z }", "if x > 1 { return y } else { return z + 1 }",
			"if x > 1 { return y * 2 } else { return z }", "if x > 1 { return y * 2 } else { return z + 1 }"},
		{"subtracted first", "return x - y", "return -y", "return x - y * 2", "return -(y * 2)"},
		{"both drop, one adds", "let d = x - y\nreturn d + z", "if x > 1 { return 3 }\nreturn z", "return z / (1 + abs(x))", "if x > 1 { return 3 }\nreturn z / (1 + abs(x))"},
		{"both put something in its place", "let d = x - y\nreturn z", "if x > 1 { return 3 }\nreturn z", "if y > 1 { return 4 }\nreturn z", ""},
		{"nothing in common", "return x", "if y > 1 { return z }\nreturn 0", "return x * x + y", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rule := func(body string) string { return "rule r(x, y, z) {\n" + body + "\n}\n" }
			base, a, b := decl(t, rule(tc.base)), decl(t, rule(tc.a)), decl(t, rule(tc.b))
			for _, side := range []dsl.Decl{a, b} {
				if got, ok := reflector.Merge(base, base, side); !ok || dsl.Identity(named(got)) != dsl.Identity(named(side)) {
					t.Errorf("a side alone is not kept: %v", ok)
				}
			}
			got, ok := reflector.Merge(base, a, b)
			if !ok {
				if tc.want != "" {
					t.Error("no merge")
				}
				return
			}
			want := dsl.FormatDecl(named(decl(t, rule(tc.want))))
			if text := dsl.FormatDecl(named(got)); text != want {
				t.Errorf("got\n%swant\n%s", text, want)
			}
		})
	}
}

// Changes that cannot stand together are found to be so at once, as deep as the language lets them nest: a
// time that doubles with every parenthesis is years.
func TestMergeOfDeepConflicts(t *testing.T) {
	deep := func(leaf string) string {
		for i := range 31 {
			leaf = "(" + leaf + [...]string{" + 1)", " * 2)"}[i%2]
		}
		return "rule r { return " + leaf + " }\n"
	}
	if _, err := reflector.MergeTexts(deep("x"), []string{deep("y"), deep("z")}); err == nil {
		t.Error("two names in one place are merged")
	}
}

// named is a rule without its list of inputs, which a merge leaves out.
func named(d dsl.Decl) dsl.Decl {
	r := dsl.CloneRule(d.(*dsl.Rule))
	r.Inputs, r.HasInputs = nil, false
	return r
}

// TestMergePolicies merges params, states and hooks by name.
func TestMergePolicies(t *testing.T) {
	const base = `policy p fills task_sampler {
  param c = 0.2 in [0, 1]
  state seen = 0 in [0, 9]
  weight { return c * total }
  on record { seen += 1 }
}`
	a := strings.NewReplacer("0.2", "0.4", "c * total", "c * total + index # better\n").Replace(base)
	b := strings.NewReplacer("0.2", "0.6", "c * total", "max(c * total, 0)").Replace(base)
	want := strings.NewReplacer("0.2", "0.5", "c * total", "max(c * total, 0) + index").Replace(base)
	got, err := reflector.MergeTexts(base, []string{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if dsl.Identity(decl(t, got)) != dsl.Identity(decl(t, want)) || strings.Contains(got, "#") {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	c := strings.Replace(base, "  state seen = 0 in [0, 9]\n", "", 1)
	d := strings.Replace(base, "seen = 0", "seen = 1", 1)
	if got, err := reflector.MergeTexts(base, []string{c, d}); err == nil {
		t.Errorf("a state that one side drops and the other changes is merged:\n%s", got)
	}
	reply, err := reflector.MergeOffline(t.Context(), slots.MergeRequest{Current: base, Proposals: []string{c, d}})
	if err != nil || reply.Error == "" || reply.Text != "" {
		t.Errorf("%+v, %v", reply, err)
	}
}

// mutated is a rule with one or two random changes.
func mutated(t failer, r *dsl.Rule, sig *dsl.Signature, seed uint64) *dsl.Rule {
	t.Helper()
	for i := range 1 + seed%2 {
		pc := &slots.ProposalContext{
			Signature: sig, Seed: seed + i<<32, Candidate: &slots.Candidate{Rule: r, Identity: dsl.Identity(r)},
		}
		p, err := reflector.Mutant{MaxOps: 256}.Propose(context.Background(), pc)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if p != nil {
			r = p.Rule
		}
	}
	return r
}

// TestMergeProperties holds merges of random rules to what every three-way merge is: neutral in the base, and the
// change itself when both sides made it. What comes out parses as it was built, and none of the three is changed.
func TestMergeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sig := dsltest.Signature(t)
		base := dsltest.Rule(t, sig)
		a, b := mutated(t, base, sig, rapid.Uint64().Draw(t, "a")), mutated(t, base, sig, rapid.Uint64().Draw(t, "b"))
		before := dsl.FormatRule(base) + dsl.FormatRule(a) + dsl.FormatRule(b)
		for _, c := range []struct{ base, a, b, want *dsl.Rule }{{base, base, a, a}, {base, a, base, a}, {base, a, a, a}, {base, base, base, base}} {
			got, ok := reflector.Merge(c.base, c.a, c.b)
			if !ok || dsl.Identity(named(got)) != dsl.Identity(named(c.want)) {
				t.Fatalf("not the change itself: %v", ok)
			}
		}
		merged, ok := reflector.Merge(base, a, b)
		if before != dsl.FormatRule(base)+dsl.FormatRule(a)+dsl.FormatRule(b) {
			t.Fatal("a merge changed what it merges")
		}
		if !ok {
			return
		}
		text := dsl.FormatDecl(merged)
		if back := decl(t, text); dsl.FormatDecl(back) != text {
			t.Fatalf("%s reads as %s", text, dsl.FormatDecl(back))
		}
	})
}

// Changes in different places are both there, whatever they are.
func TestMergeOfDisjointChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sig := dsltest.Signature(t)
		then, other := dsltest.Rule(t, sig).Body, dsltest.Rule(t, sig).Body
		newThen, newOther := dsltest.Rule(t, sig).Body, dsltest.Rule(t, sig).Body
		rule := func(then, other *dsl.Block) *dsl.Rule {
			cond := &dsl.Bool{Value: true}
			return dsl.CloneRule(&dsl.Rule{Name: dsl.Ident{Text: "r"}, Body: &dsl.Block{Stmts: []dsl.Stmt{
				&dsl.If{Arms: []*dsl.Arm{{Cond: cond, Body: then}}, Else: other},
			}}})
		}
		got, ok := reflector.Merge(rule(then, other), rule(newThen, other), rule(then, newOther))
		if want := rule(newThen, newOther); !ok || dsl.Identity(got) != dsl.Identity(want) {
			t.Fatalf("merged %t\n%s\nwant\n%s", ok, dsl.FormatDecl(got), dsl.FormatDecl(want))
		}
	})
}

// TestMergesHappen counts how many pairs of random changes of shipped rules merge into a third value: a merge that
// always gives up would hold every property.
func TestMergesHappen(t *testing.T) {
	sig := decl(t, "signature s(x: num in [0, 1], y: num in [0, 1], z: num in [1, 9]) -> num").(*dsl.Signature)
	base := decl(t, `rule s(x, y, z) {
  let d = x - y * 0.5
  if d > 0.25 { return sqrt(z) + d }
  return clamp(x + y, 0.1, 0.9) / z
}`).(*dsl.Rule)
	merged, third := 0, 0
	const pairs = 400
	for i := range uint64(pairs) {
		a, b := mutated(t, base, sig, 2*i), mutated(t, base, sig, 2*i+1)
		got, ok := reflector.Merge(base, a, b)
		if !ok {
			continue
		}
		merged++
		if text := dsl.FormatDecl(named(got)); text != dsl.FormatDecl(named(a)) && text != dsl.FormatDecl(named(b)) {
			third++
		}
		if err := dsl.Check(&dsl.File{Decls: []dsl.Decl{got}}, []*dsl.Signature{sig}, dsl.CheckOptions{}).Diags.Err(); err != nil {
			t.Logf("a merge that the gate refuses: %v", err)
		}
	}
	t.Logf("%d of %d pairs merge, %d into a third value", merged, pairs, third)
	if third < pairs/4 {
		t.Errorf("only %d of %d pairs merge into a third value", third, pairs)
	}
}
