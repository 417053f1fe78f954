package dsl

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestCheckMessages shows what a person reads for each kind of mistake.
func TestCheckMessages(t *testing.T) {
	sigs, opts := host(t)
	tests := []struct{ name, src, want string }{
		{"unknown name", "rule priority(rank, visits, depth) {\n  return rank / vists\n}", `a.rule:2:17: undefined name "vists" [undefined-name]
    2 |   return rank / vists
      |                 ^^^^^
  hint: did you mean "visits"?
`},
		{"unknown function", "rule priority(rank, depth) { return sqr(rank) }", `a.rule:1:37: undefined function "sqr" [undefined-function]
    1 | rule priority(rank, depth) { return sqr(rank) }
      |                                     ^^^
  hint: did you mean "sqrt"?
`},
		{"columns count code points", "rule priority(rank, depth) {\n  # é\n  return rank + vists # é\n}", `a.rule:3:17: undefined name "vists" [undefined-name]
    3 |   return rank + vists # é
      |                 ^^^^^
  hint: did you mean "visits"?
`},
		{"missing return", "rule priority(rank, depth) {\n  if rank > 0 { return 1 }\n}", `a.rule:3:1: the rule does not return on every path [missing-return]
    3 | }
      | ^
  hint: end every path with return
`},
		{"several signatures", "rule priority(rank) { return rank }", `a.rule:1:6: rule "priority" fits several signatures: selection.priority, binpack.priority [several-signatures]
    1 | rule priority(rank) { return rank }
      |      ^^^^^^^^
  hint: name more inputs, or decide with --signature
`},
		{"no signature", "rule priority(item, visits) { return item }", `a.rule:1:6: no signature fits rule "priority" [no-signature]
    1 | rule priority(item, visits) { return item }
      |      ^^^^^^^^
  hint: selection.priority has no item; binpack.priority has no visits
`},
		{"misspelt rule", "rule rout { return search }", `a.rule:1:6: no signature is named "rout" [no-signature]
    1 | rule rout { return search }
      |      ^^^^
  hint: did you mean "route"?
`},
		{"an input of the signature that is not listed", "rule priority(rank, depth) { return visits }", `a.rule:1:37: undefined name "visits" [undefined-name]
    1 | rule priority(rank, depth) { return visits }
      |                                     ^^^^^^
  hint: it is an input of the signature: list it in the rule's inputs
`},
		{"a conflict with the host", "signature route(difficulty: num in [0, 2]) -> direct | search | reflect", `a.rule:1:11: signature "route" differs from the host's [signature-conflict]
    1 | signature route(difficulty: num in [0, 2]) -> direct | search | reflect
      |           ^^^^^
  hint: the host has difficulty: num in [0, 1]
`},
		{"a name with dots", "rule priority(rank, depth) { return self.rank }", `a.rule:1:37: undefined name "self.rank" [undefined-name]
    1 | rule priority(rank, depth) { return self.rank }
      |                                     ^^^^^^^^^
  hint: names have no dots here
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ds := Check(mustParse(t, tt.src), sigs, opts).Diags
			if len(ds) != 1 {
				t.Fatalf("%d findings, want 1: %v", len(ds), ds)
			}
			if diff := cmp.Diff(tt.want, ds[0].Render(tt.src)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// hints maps what is written to a part of the hint that it gets.
func TestHints(t *testing.T) {
	sigs, _ := host(t)
	c := NewChecker(sigs[0], Limits{}, nil)
	for body, want := range map[string]string{
		"return sqrt":                        "sqrt is a function: call it",
		"return None":                        "there is no such value: use a number",
		"return int(rank)":                   "numbers need no conversion",
		"return math.round(rank)":            "write floor(x + 0.5)",
		"return rank(visits)":                `"rank" is an input, not a function; write * to multiply`,
		"return frobnicate(rank)":            "functions: abs, ceil, clamp",
		"let a = 1 ab = 2 return a":          `did you mean "a"? Otherwise declare it with let`,
		"q = 2 return q":                     "declare it with let",
		"if rank > 1 { let a = 1 } return a": "the local of that name, declared at line 1 ended with its block; declare it before the block",
		"return totals":                      `did you mean "total"?`,
	} {
		r := mustParse(t, "rule priority { "+body+" }").Decls[0].(*Rule)
		if ds := c.Text(r); len(ds) == 0 || !strings.Contains(ds[0].Hint, want) {
			t.Errorf("%s: got %+v, want a hint with %q", body, ds, want)
		}
	}
}

// TestShadowingIsNotRepairedAcrossBlocks holds that a let that hides a local of an outer block is not turned into an
// assignment: that would change what the outer one is afterwards.
func TestShadowingIsNotRepairedAcrossBlocks(t *testing.T) {
	c := NewChecker(numSignature("x"), Limits{}, nil)
	ds := c.Text(mustParse(t, "rule r { let a = 1 if x > 0 { let a = 2 if a > 1 { return a } } return a }").Decls[0].(*Rule))
	if len(ds) != 1 || ds[0].Code != CodeShadowing || ds[0].Fix != nil {
		t.Errorf("got %+v", ds)
	}
}

func TestHostMayAllowFewerFunctions(t *testing.T) {
	sigs, opts := host(t)
	opts.Functions = []string{"sqrt", "min"}
	f := mustParse(t, "rule priority(rank, depth) { return sqrt(rank) + exp(min(depth, 1)) + mn(1, 2) }")
	var got []string
	for _, d := range Check(f, sigs, opts).Diags {
		got = append(got, d.Code+" / "+d.Message+" / "+d.Hint)
	}
	want := []string{`function-not-allowed / function "exp" is not allowed here / allowed: min, sqrt`, `undefined-function / undefined function "mn" / did you mean "min"?`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	c := NewChecker(sigs[0], Limits{}, opts.Functions)
	if c.AST(mustParse(t, "rule priority { return exp(rank) }").Decls[0].(*Rule)) == nil {
		t.Error("the forbidden function was accepted in a built tree")
	}
}

func TestBinding(t *testing.T) {
	sigs, _ := host(t)
	const own = "signature x.priority(rank: num in [0, 1]) -> num\n"
	tests := []struct {
		name, src, decided string
		want               string // the full name of the signature, or a code
	}{
		{"by inputs", "rule priority(visits, rank) { return rank + visits }", "", "selection.priority"},
		{"by inputs of the other", "rule priority(bin, rank) { return rank + bin }", "", "binpack.priority"},
		{"no list fits all", "rule priority { return rank }", "", CodeManySignatures},
		{"decided", "rule priority { return rank }", "binpack.priority", "binpack.priority"},
		{"decided against the inputs", "rule priority(visits) { return visits }", "binpack.priority", CodeUnknownInput},
		{"the decision is for another rule", "rule route { return search }", "binpack.priority", "route"},
		{"the decision is unknown", "rule route { return search }", "binpack.priorit", CodeUnknownSignature},
		{"the file's own comes first", own + "rule priority(rank) { return rank }", "", "x.priority"},
		{"the file's own does not fit", own + "rule priority(visits) { return visits }", "", "selection.priority"},
		{"two of the file", own + "signature y.priority(rank: num in [0, 1]) -> num\nrule priority(rank) { return rank }", "", CodeManySignatures},
		{"misspelt input of the nearest", "rule priority(visits, total, rnak) { return visits + total }", "", CodeUnknownInput},
		{"nothing of that name", "rule prio { return 1 }", "", CodeNoSignature},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := mustParse(t, tt.src)
			info := Check(f, sigs, CheckOptions{Signature: tt.decided})
			rule := f.Decls[len(f.Decls)-1].(*Rule)
			if sig := info.Signatures[rule]; sig != nil && sig.Name.Text == tt.want && len(info.Diags) == 0 {
				return
			}
			if len(info.Diags) == 0 || info.Diags[0].Code != tt.want {
				t.Errorf("got %v, %v; want %s", info.Signatures[rule], info.Diags, tt.want)
			}
		})
	}
}

func TestAnEqualSignatureOfTheFileIsTheFiles(t *testing.T) {
	sigs, _ := host(t)
	src := "signature route(difficulty: num in [0, 1], budget_left: num in [0, 1], reward: num in [0, 1.0]) -> direct | search | reflect {\n  ensure result != reflect || reward < 1\n}\nrule route { return search }"
	f := mustParse(t, src)
	info := Check(f, sigs, CheckOptions{})
	if len(info.Diags) > 0 || info.Signatures[f.Decls[1].(*Rule)] != f.Decls[0].(*Signature) {
		t.Errorf("bound to %p, want %p; %v", info.Signatures[f.Decls[1].(*Rule)], f.Decls[0], info.Diags)
	}
}

func TestSignatureDifferences(t *testing.T) {
	sig := func(s string) *Signature { return mustParse(t, "signature s"+s).Decls[0].(*Signature) }
	base := sig("(x: num in [0, 1], b: bool) -> num")
	for head, want := range map[string]string{
		"(x: num in [0, 1], b: bool) -> bool":             "the result num",
		"(x: int in [0, 1], b: bool) -> num":              "x: num in [0, 1]",
		"(x: num in [0, 1]) -> num":                       "b: bool",
		"(x: num in [0, 1.0], c: bool) -> num":            "b: bool",
		"(x: num in [0, 1], b: bool, d: bool) -> num":     "no input d",
		"(x: num in [0, 1], b: bool) -> up | down":        "the result num",
		"(x: num in [0, 1], b: yes | no) -> num":          "b: bool",
		"(x: num in [-1, 1], b: bool) -> num":             "x: num in [0, 1]",
		"(b: bool, x: num in [0, 1]) -> num":              "x: num in [0, 1]",
		"(x: num in [0, 1e0], b: bool) -> num":            "",
		"(x: num in [0, 1], b: bool) -> num { ensure b }": "",
	} {
		other := sig(head)
		if same := base.same(other); same != (want == "") {
			t.Errorf("%s: same = %v", head, same)
		}
		if got := difference(base, other); want != "" && got != want {
			t.Errorf("%s: the host has %q, want %q", head, got, want)
		}
	}
}

func TestInputsRead(t *testing.T) {
	sigs, _ := host(t)
	f := mustParse(t, "rule priority(depth, visits, rank) { let x = visits if x > 2 { return -min(x, rank) } return 1 }\nrule nowhere(b, a) { return a }")
	info := Check(f, sigs, CheckOptions{})
	if got, want := info.InputsRead(f.Decls[0].(*Rule)), []string{"rank", "visits"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := info.InputsRead(f.Decls[1].(*Rule)), []string{"a"}; !slices.Equal(got, want) {
		t.Errorf("without a signature: got %v, want %v", got, want)
	}
	h := mustParse(t, "policy p fills s { state n = 0 in [0, 1] on e(a, b, c) { n += a if b > 1 { n = 2 } } }").Decls[0].(*Policy).Hooks[0]
	if got, want := NamesRead(h.Body, []string{"c", "b", "a", "n"}), []string{"b", "a", "n"}; !slices.Equal(got, want) {
		t.Errorf("hook: got %v, want %v", got, want)
	}
}

// sum is x + x + … + x of n terms, as the left spine that the parser builds.
func sum(n int) Expr {
	var e Expr = ref("x")
	for range n - 1 {
		e = bin(e, Add, ref("x"))
	}
	return e
}

func oneReturnRule(e Expr) *Rule {
	return &Rule{Name: Ident{Text: "r"}, Body: &Block{Stmts: []Stmt{&Return{Value: e}}}}
}

func numSignature(inputs ...string) *Signature {
	s := &Signature{Name: Ident{Text: "r"}, Result: NumType}
	for _, name := range inputs {
		s.Inputs = append(s.Inputs, &Input{Name: Ident{Text: name}, Type: NumType, Hi: 1})
	}
	return s
}

func nested(n int, wrap func(Expr) Expr) Expr {
	var e Expr = ref("x")
	for range n {
		e = wrap(e)
	}
	return e
}

func codeOf(err error) string {
	var list *DiagnosticsError
	if errors.As(err, &list) {
		return list.List[0].Code
	}
	return ""
}

// TestBuiltTrees checks trees that no text holds, or not within the limits: each is refused, none panics.
func TestBuiltTrees(t *testing.T) {
	var nilNum *Num
	shared := Expr(ref("x"))
	for range 60 {
		shared = bin(shared, Add, shared) // 2^60 nodes for whoever walks it
	}
	free := Expr(ref("x"))
	for range 40 {
		free = &Call{Fn: Ident{Text: "min"}, Args: []Expr{free}}
	}
	tests := []struct {
		name string
		rule *Rule
		want string
	}{
		{"good", oneReturnRule(bin(ref("x"), Add, num(1))), ""},
		{"256 operators", oneReturnRule(sum(257)), ""},
		{"257 operators", oneReturnRule(sum(258)), CodeTooManyOps},
		{"a spine of 100,000", oneReturnRule(sum(100_000)), CodeTooManyOps},
		{"shared nodes", oneReturnRule(shared), CodeTooManyOps},
		{"100,000 pluses", oneReturnRule(nested(100_000, func(e Expr) Expr { return un(Plus, e) })), CodeNesting},
		{"32 minuses", oneReturnRule(nested(31, func(e Expr) Expr { return un(Neg, e) })), ""},
		{"33 minuses", oneReturnRule(nested(33, func(e Expr) Expr { return un(Neg, e) })), CodeNesting},
		{"calls", oneReturnRule(nested(40, func(e Expr) Expr { return &Call{Fn: Ident{Text: "sqrt"}, Args: []Expr{e}} })), CodeNesting},
		{"free calls", oneReturnRule(free), CodeNesting},
		{"a chain of conditionals", oneReturnRule(nested(200, func(e Expr) Expr { return &Cond{If: &Bool{Value: true}, Then: num(1), Else: e} })), ""},
		{"conditionals within", oneReturnRule(nested(40, func(e Expr) Expr { return &Cond{If: &Bool{Value: true}, Then: e, Else: num(1)} })), CodeNesting},
		{"conditions within", oneReturnRule(nested(40, func(e Expr) Expr {
			return &Cond{If: bin(&Cond{If: &Bool{}, Then: e, Else: num(1)}, Gt, num(0)), Then: num(2), Else: num(1)}
		})), CodeNesting},
		{"sums on the right", oneReturnRule(nested(40, func(e Expr) Expr { return bin(num(1), Sub, e) })), CodeNesting},
		{"comparisons on the left", oneReturnRule(&Cond{If: nested(40, func(e Expr) Expr { return bin(e, Eq, &Bool{}) }), Then: num(1), Else: num(2)}), CodeNesting},
		{"no body", &Rule{}, CodeInvalidTree},
		{"no value", oneReturnRule(nil), CodeInvalidTree},
		{"a hole", oneReturnRule(bin(ref("x"), Add, nil)), CodeInvalidTree},
		{"a nil statement", &Rule{Body: &Block{Stmts: []Stmt{nil}}}, CodeInvalidTree},
		{"a nil literal", oneReturnRule(nilNum), CodeInvalidTree},
		{"an infinite literal", oneReturnRule(num(math.Inf(1))), CodeInvalidTree},
		{"a literal that is none", oneReturnRule(num(math.NaN())), CodeInvalidTree},
		{"an unknown operator", oneReturnRule(bin(ref("x"), Op(99), ref("x"))), CodeInvalidTree},
		{"a unary as binary", oneReturnRule(bin(ref("x"), Neg, ref("x"))), CodeInvalidTree},
		{"a binary as unary", oneReturnRule(un(Add, ref("x"))), CodeInvalidTree},
		{"an unknown assignment", &Rule{Body: &Block{Stmts: []Stmt{&Assign{Name: Ident{Text: "x"}, Op: 9, Value: num(1)}}}}, CodeInvalidTree},
		{"an if without arms", &Rule{Body: &Block{Stmts: []Stmt{&If{}}}}, CodeInvalidTree},
		{"an arm without a block", &Rule{Body: &Block{Stmts: []Stmt{&If{Arms: []*Arm{{Cond: &Bool{}}}}}}}, CodeInvalidTree},
		{"a name that no text holds", &Rule{Body: &Block{Stmts: []Stmt{&Let{Name: Ident{Text: "a b"}, Value: num(1)}}}}, CodeInvalidName},
		{"a reserved name", &Rule{Body: &Block{Stmts: []Stmt{&Let{Name: Ident{Text: "else"}, Value: num(1)}}}}, CodeInvalidName},
		{"an undefined name", oneReturnRule(ref("z")), CodeUndefinedName},
		{"an undefined function", oneReturnRule(&Call{Fn: Ident{Text: "sin"}, Args: []Expr{ref("x")}}), CodeUndefinedFunction},
		{"branches of two types", oneReturnRule(&Cond{If: &Bool{}, Then: num(1), Else: &Bool{}}), CodeTypeMismatch},
		{"no return", &Rule{Body: &Block{}}, CodeMissingReturn},
		{"an unknown input", &Rule{HasInputs: true, Inputs: []Ident{{Text: "y"}}, Body: &Block{}}, CodeUnknownInput},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := codeOf(CheckRule(tt.rule, numSignature("x"), Limits{})); got != tt.want {
				t.Errorf("AST: got %q, want %q", got, tt.want)
			}
			NewChecker(numSignature("x"), Limits{}, nil).Text(tt.rule) // whatever it says, it does not panic
		})
	}
}

func TestLongListsAreCut(t *testing.T) {
	var src strings.Builder
	for i := range 30 {
		fmt.Fprintf(&src, "signature s%02d.r(x: num in [0, 1]) -> num\n", i)
	}
	src.WriteString("rule zzz { return 1 }")
	ds := Check(mustParse(t, src.String()), nil, CheckOptions{Signature: "none.such.name"}).Diags
	if len(ds) != 2 || !strings.HasSuffix(ds[0].Hint, "s19.r and 10 more") || !strings.HasSuffix(ds[1].Hint, "s19.r and 10 more") {
		t.Errorf("got %+v", ds)
	}
}

// TestLanguageExampleIsClean checks the example of every declaration that the formatter's golden holds.
func TestLanguageExampleIsClean(t *testing.T) {
	_, opts := host(t)
	src, err := os.ReadFile("testdata/format/language.rule")
	if err != nil {
		t.Fatal(err)
	}
	f := mustParse(t, string(src))
	info := Check(f, nil, opts)
	if len(info.Diags) > 0 {
		t.Error(info.Diags)
	}
	if len(info.Signatures) != 2 || len(info.Slots) != 1 || len(info.Cases) != 1 {
		t.Errorf("%d rules, %d policies and %d cases are bound, want 2, 1 and 1", len(info.Signatures), len(info.Slots), len(info.Cases))
	}
}

// TestSequentialNestedIfs holds that statements are checked one by one: as one nested conditional these would be
// some fifty thousand nodes, and this test would take seconds.
func TestSequentialNestedIfs(t *testing.T) {
	c := NewChecker(numSignature("x"), Limits{}, nil)
	src := "rule r {\n  let a = x\n" + strings.Repeat("  if a > 1 { if a > 2 { a = a + 1 } else { a = a - 1 } }\n", 12) + "  return a\n}"
	r := mustParse(t, src).Decls[0].(*Rule)
	if ds := c.Text(r); len(ds) > 0 {
		t.Error(ds)
	}
	if err := c.AST(r); err != nil {
		t.Error(err)
	}
}

// TestPrintedTreesAreWithinTheLimits holds that a built tree of the deepest sort that is accepted is accepted as text.
func TestPrintedTreesAreWithinTheLimits(t *testing.T) {
	sig := numSignature("x")
	shapes := []func(Expr) Expr{
		func(e Expr) Expr { return un(Neg, e) },
		func(e Expr) Expr { return bin(num(1), Sub, e) },
		func(e Expr) Expr { return bin(e, Pow, num(2)) },
		func(e Expr) Expr { return bin(num(2), Pow, e) },
		func(e Expr) Expr { return bin(bin(e, Add, num(1)), Mul, num(2)) },
		func(e Expr) Expr { return &Call{Fn: Ident{Text: "sqrt"}, Args: []Expr{e}} },
		func(e Expr) Expr { return &Cond{If: bin(e, Gt, num(0)), Then: num(1), Else: num(2)} },
		func(e Expr) Expr { return &Cond{If: &Bool{}, Then: e, Else: num(2)} },
		func(e Expr) Expr { return bin(&Cond{If: &Bool{}, Then: num(1), Else: e}, Add, num(1)) },
	}
	limits := Limits{Nesting: 8}
	c := NewChecker(sig, limits, nil)
	rapid.Check(t, func(t *rapid.T) {
		var e Expr = ref("x")
		for range rapid.IntRange(0, 12).Draw(t, "depth") {
			e = rapid.SampledFrom(shapes).Draw(t, "shape")(e)
		}
		r := oneReturnRule(e)
		if c.AST(r) != nil {
			return
		}
		f, ds := ParseLimits("r", FormatRule(r), limits)
		if ds.HasErrors() || c.Text(f.Decls[0].(*Rule)).HasErrors() {
			t.Fatalf("accepted as a tree, refused as a text:\n%s%v", FormatRule(r), ds)
		}
	})
}

func TestTooManyOpsCountsThem(t *testing.T) {
	c := NewChecker(numSignature("x"), Limits{Nodes: 3}, nil)
	for body, want := range map[string]string{
		"return x + x + x + x":      "",
		"return x + x + x + x + x":  "the rule has 4 operators and calls; at most 3 are allowed",
		"return min(x, 1, 2, 3)":    "",
		"return +x - -1 + sqrt(-x)": "the rule has 4 operators and calls; at most 3 are allowed",
		"let a = x a += 1 if a > 2 { return 1 } return !(a > 1) ? 1 : 2": "the rule has 6 operators and calls; at most 3 are allowed",
	} {
		r := mustParse(t, "rule r { "+body+" }").Decls[0].(*Rule)
		got := ""
		if ds := c.Text(r); len(ds) > 0 {
			got = ds[0].Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
	raised := NewChecker(numSignature("x"), Limits{Nodes: 1 << 30}, nil)
	if ds := raised.Text(oneReturnRule(sum(MaxNodes + 2))); len(ds) != 1 || ds[0].Code != CodeTooManyOps {
		t.Errorf("above MaxNodes: %v", ds)
	}
	if ds := raised.Text(oneReturnRule(sum(10_000))); len(ds) > 0 {
		t.Errorf("10,000 terms within raised limits: %v", ds)
	}
	if err := raised.AST(oneReturnRule(sum(10_000))); err != nil {
		t.Errorf("10,000 terms as a tree: %v", err)
	}
}

func TestLocalsAreCounted(t *testing.T) {
	c := NewChecker(numSignature("x"), Limits{Locals: 3}, nil)
	src := func(n int) string {
		return "rule r {\n" + strings.Repeat("  if x > 0 { let a = 1 if a > 1 { return a } }\n", n) + "  return vists\n}"
	}
	if ds := c.Text(mustParse(t, src(3)).Decls[0].(*Rule)); len(ds) != 1 || ds[0].Code != CodeUndefinedName {
		t.Errorf("three locals: %v", ds)
	}
	ds := c.Text(mustParse(t, src(9)).Decls[0].(*Rule))
	if len(ds) != 1 || ds[0].Code != CodeTooManyLocals || ds[0].Start.Line != 5 {
		t.Errorf("nine locals: %v", ds)
	}
}

func TestCheckPolicy(t *testing.T) {
	_, opts := host(t)
	policy := func(src string) *Policy {
		return mustParse(t, "policy p fills task_sampler { "+src+" }").Decls[0].(*Policy)
	}
	if err := CheckPolicy(policy("param c = 1 in [0, 1] weight { return c * total }"), opts.Slots[0], Limits{}); err != nil {
		t.Error(err)
	}
	if got := codeOf(CheckPolicy(policy("weight { return c * total }"), opts.Slots[0], Limits{})); got != CodeUndefinedName {
		t.Errorf("got %q", got)
	}
	many := policy("weight { return total }")
	for i := range 17 {
		q := &Param{Name: Ident{Text: string(rune('a' + i))}, Hi: 1}
		many.Params = append(many.Params, q)
		many.States = append(many.States, &State{Name: Ident{Text: q.Name.Text + "s"}, Hi: math.Inf(1)})
	}
	err := CheckPolicy(many, opts.Slots[0], Limits{})
	var list *DiagnosticsError
	if !errors.As(err, &list) {
		t.Fatal("17 params were accepted")
	}
	codes := map[string]int{}
	for _, d := range list.List {
		codes[d.Code]++
	}
	if diff := cmp.Diff(map[string]int{CodeTooManyParams: 1, CodeTooManyStates: 1, CodeBadDomain: 17}, codes); diff != "" {
		t.Error(diff)
	}
}
