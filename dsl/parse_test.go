package dsl

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "rewrite golden files")

// ignorePlaces compares trees by what they say, not by where it was written.
var ignorePlaces = cmp.Options{
	cmpopts.IgnoreTypes(Span{}, Comments{}),
	cmpopts.IgnoreFields(Num{}, "Text"),
	cmpopts.IgnoreFields(File{}, "Source", "Name", "Foot"),
	cmpopts.IgnoreFields(Block{}, "Foot"),
}

func num(v float64) *Num                { return &Num{Value: v} }
func ref(n string) *Ref                 { return &Ref{Name: n} }
func un(op Op, x Expr) *Unary           { return &Unary{Op: op, X: x} }
func bin(x Expr, op Op, y Expr) *Binary { return &Binary{Op: op, X: x, Y: y} }

func TestParseExprGroups(t *testing.T) {
	a, b, c, d := ref("a"), ref("b"), ref("c"), ref("d")
	tests := []struct {
		src  string
		want Expr
	}{
		{"a - b - c", bin(bin(a, Sub, b), Sub, c)},
		{"a ** b ** c", bin(a, Pow, bin(b, Pow, c))},
		{"-a ** b", un(Neg, bin(a, Pow, b))},
		{"2 ** -a ** b", bin(num(2), Pow, un(Neg, bin(a, Pow, b)))},
		{"-2 ** a", un(Neg, bin(num(2), Pow, a))},
		{"(-2) ** a", bin(num(-2), Pow, a)},
		{"-1", num(-1)},
		{"- -1", un(Neg, num(-1))},
		{"-a * b", bin(un(Neg, a), Mul, b)},
		{"a + b * c % d", bin(a, Add, bin(bin(b, Mul, c), Mod, d))},
		{"a || b && c", bin(a, Or, bin(b, And, c))},
		{"a or b and not c == d", bin(a, Or, bin(b, And, un(Not, bin(c, Eq, d))))},
		{"!a == b", bin(un(Not, a), Eq, b)},
		{"a < b + c", bin(a, Lt, bin(b, Add, c))},
		{"a < b < c", bin(bin(a, Lt, b), Lt, c)},
		{"+a", un(Plus, a)},
		{".5 + 1. - 1E+5", bin(bin(num(.5), Add, num(1)), Sub, num(1e5))},
		{"a ? b : c ? d : a", &Cond{If: a, Then: b, Else: &Cond{If: c, Then: d, Else: a}}},
		{"a ? b ? c : d : a", &Cond{If: a, Then: &Cond{If: b, Then: c, Else: d}, Else: a}},
		{"math.sqrt(a)", &Call{Fn: Ident{Text: "sqrt"}, Args: []Expr{a}}},
		{"max(a, b, c,)", &Call{Fn: Ident{Text: "max"}, Args: []Expr{a, b, c}}},
		{"f()", &Call{Fn: Ident{Text: "f"}}},
		{"true", &Bool{Value: true}},
		{"math.pi", ref("math.pi")},
	}
	for _, tt := range tests {
		got, err := ParseExpr("e", tt.src)
		if err != nil {
			t.Errorf("%s: %v", tt.src, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got, ignorePlaces); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.src, diff)
		}
	}
}

func TestFormatExprWritesNeededParens(t *testing.T) {
	for src, want := range map[string]string{
		"(a)":                         "a",
		"(a + b) * c":                 "(a + b) * c",
		"a + (b * c)":                 "a + b * c",
		"a - (b - c)":                 "a - (b - c)",
		"a / (b * c)":                 "a / (b * c)",
		"(a ** b) ** c":               "(a ** b) ** c",
		"(-a) ** b":                   "(-a) ** b",
		"(-1) ** b":                   "(-1) ** b",
		"-(a ** b)":                   "-a ** b",
		"-(a + b)":                    "-(a + b)",
		"a ** (-b)":                   "a ** -b",
		"not (a or b)":                "!(a || b)",
		"not a < b":                   "!(a < b)",
		"(a ? b : c) ? d : e":         "(a ? b : c) ? d : e",
		"a ? (b ? c : d) : e":         "a ? b ? c : d : e",
		"a ? b : (c ? d : e)":         "a ? b : c ? d : e",
		"(a ? b : c) + 1":             "(a ? b : c) + 1",
		"(a < b) == (c < d)":          "(a < b) == (c < d)",
		"a - -1":                      "a - -1",
		"- -a":                        "--a",
		"min(a, (b))":                 "min(a, b)",
		".5 * 1. + 1E-05 + 007e0 * 0": "", // leading zeros are refused
	} {
		e, err := ParseExpr("e", src)
		if want == "" {
			if err == nil {
				t.Errorf("%s: parsed", src)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := FormatExpr(e); got != want {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
	}
}

func TestFormatNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", -2.5: "-2.5", 1e6: "1000000", 1e21: "1e21", 1e-7: "0.0000001", 1.5e-300: "1.5e-300", 0.1: "0.1",
		1.0 / 3: "0.3333333333333333", 123456789012345: "1.23456789012345e14",
	} {
		if got := FormatNumber(v); got != want {
			t.Errorf("%v: got %s, want %s", v, got, want)
		}
	}
}

func TestSpansAreInCodePoints(t *testing.T) {
	f, err := Parse("u.rule", "# é\nrule r { # é é\n  return visits / (é)\n}\n")
	if err == nil {
		t.Fatalf("parsed %v", f)
	}
	want := "u.rule:3:20: unexpected character 'é' [bad-character]"
	if got := err.Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSpansCoverTheNode(t *testing.T) {
	src := "rule r(a, b) {\n  let x = (a + b) * 2\n  return -x ** 2\n}\n"
	f, err := Parse("r", src)
	if err != nil {
		t.Fatal(err)
	}
	text := func(n Node) string { return src[n.Range().Start.Offset:n.Range().End.Offset] }
	r := f.Decls[0].(*Rule)
	let := r.Body.Stmts[0].(*Let)
	mul := let.Value.(*Binary)
	for node, want := range map[Node]string{
		r: strings.TrimSpace(src), let: "let x = (a + b) * 2", mul: "(a + b) * 2", mul.X: "a + b", mul.OpSpan: "*",
		r.Inputs[1]: "b", r.Body.Stmts[1].(*Return).Value: "-x ** 2",
	} {
		if got := text(node); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if let.Start.Line != 2 || let.Start.Col != 3 {
		t.Errorf("let stands at %d:%d", let.Start.Line, let.Start.Col)
	}
}

// Golden layout: every testdata/format/*.rule formats to its .golden, which formats to itself.
func TestFormatGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/format/*.rule")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(file, string(src))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got := Format(f)
		golden := strings.TrimSuffix(file, ".rule") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		checkRoundTrip(t, f, got)
	}
}

// checkRoundTrip holds that printed text parses to the same tree, with the same comments, and prints the same.
func checkRoundTrip(t *testing.T, f *File, text string) {
	t.Helper()
	again, err := Parse(f.Name, text)
	if err != nil {
		t.Fatalf("the printed text does not parse: %v\n%s", err, text)
	}
	if diff := cmp.Diff(f, again, ignorePlaces); diff != "" {
		t.Fatalf("printing changed the tree (-parsed +again):\n%s\n%s", diff, text)
	}
	if twice := Format(again); twice != text {
		t.Fatalf("printing twice differs:\n%s", cmp.Diff(text, twice))
	}
}

func TestSyntaxErrorsAreAllReported(t *testing.T) {
	src := "rule a {\n  let = 3\n  y + 2\n  return (1 +) 3\n}\nrule b { return 1 ^ 2 }\nrule c {\n  return 1\n"
	_, diags := ParseLimits("f.rule", src[:len(src)-len("rule c {\n  return 1\n")], Limits{})
	var got []string
	for _, d := range diags {
		got = append(got, d.Error())
	}
	want := []string{
		`f.rule:2:7: unexpected "=" [syntax]`,
		`f.rule:3:5: unexpected "+" [syntax]`,
		`f.rule:4:14: unexpected ")" [syntax]`,
		`f.rule:6:19: ^ is not an operator [caret-power]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, diags = ParseLimits("f.rule", src, Limits{})
	if len(diags) != 1 || diags[0].Code != CodeBracket || diags[0].Start.Line != 7 {
		t.Errorf("an open brace: %v", diags)
	}
}

func TestHabitsHaveFixes(t *testing.T) {
	for _, tt := range []struct{ src, code, want string }{
		{"rule r {\n  return a // b\n}", CodeFloorDivision, "rule r {\n  return floor(a / b)\n}"},
		{"rule r {\n  return (a + 1) // b + c\n}", CodeFloorDivision, "rule r {\n  return floor((a + 1) / b) + c\n}"},
		{"rule r {\n  return a ^ 2\n}", CodeCaret, "rule r {\n  return a ** 2\n}"},
		{"rule r(a: num, b: int in [0, 1]) -> num { return a }", CodeAnnotation, "rule r(a, b) { return a }"},
		{"rule r { let x: num = 1 return x }", CodeAnnotation, "rule r { let x = 1 return x }"},
		{"rule r { return 1 if a > 2 else 3 }", CodePythonCond, "rule r { return a > 2 ? 1 : 3 }"},
		{"rule r { return 1 + (a if b else c) * 2 }", CodePythonCond, "rule r { return 1 + (b ? a : c) * 2 }"},
		{"rule r { return max(a if b else c, 2) }", CodePythonCond, "rule r { return max(b ? a : c, 2) }"},
		{"rule r {\n  let x = 1\n  x += 1 if a else 2\n  return x\n}", CodePythonCond, "rule r {\n  let x = 1\n  x += a ? 1 : 2\n  return x\n}"},
		{"rule r {\n  if a > 1:\n    return 1\n  return 2\n}", CodePythonIf, "rule r {\n  if a > 1 {\n    return 1 }\n  return 2\n}"},
		{"rule r {\n  let b = 1\n  if a: return 1\n  else: return 2\n}", CodePythonIf, "rule r {\n  let b = 1\n  if a { return 1 }\n  else { return 2 }\n}"},
	} {
		f, diags := ParseLimits("f", tt.src, Limits{})
		if len(diags) == 0 || f == nil {
			t.Errorf("%q: nothing found", tt.src)
			continue
		}
		for _, d := range diags {
			if d.Code != tt.code || d.Fix == nil {
				t.Errorf("%q: got %v, fix %v", tt.src, d, d.Fix)
			}
		}
		got, n := ApplyFixes(tt.src, diags)
		if n != len(diags) || got != tt.want {
			t.Errorf("%d fixes of %d: got\n%s\nwant\n%s", n, len(diags), got, tt.want)
		}
		if _, err := Parse("f", got); err != nil {
			t.Errorf("the fixed text does not parse: %v", err)
		}
	}
}

// hostile are texts that must be refused without much time, memory or stack.
func hostile() map[string]string {
	nested := strings.Repeat("if a > 1 { ", 64) + "return 1" + strings.Repeat(" }", 64)
	return map[string]string{
		"10 MB of (":          strings.Repeat("(", 10<<20),
		"200 kB of (":         strings.Repeat("(", 200<<10),
		"1 MB name":           "rule " + strings.Repeat("x", 1<<20) + " { return 1 }",
		"200 kB name":         "rule r { return " + strings.Repeat("x", 200<<10) + " }",
		"NUL":                 "rule r { return a\x00 }",
		"NUL in a comment":    "# \x00\nrule r { return a }",
		"invalid UTF-8":       "rule r { return \xff }",
		"bidi override":       "rule r { return a # \u202e b\n}",
		"byte order mark":     "\ufeffrule r { return a }",
		"64 nested ifs":       "rule r { " + nested + " }",
		"unary minuses":       "rule r { return " + strings.Repeat("-", 4000) + "1 }",
		"unary nots":          "rule r { return " + strings.Repeat("not ", 900) + "true }",
		"power chain":         "rule r { return 2" + strings.Repeat("**2", 900) + " }",
		"conditionals":        "rule r { return " + strings.Repeat("a?", 900) + "1" + strings.Repeat(":1", 900) + " }",
		"grouped conditions":  "rule r { return " + strings.Repeat("a?(a)?", 300) + "1" + strings.Repeat(":1", 600) + " }",
		"Python's ifs":        "policy p fills s { " + strings.Repeat("if x:", 1500) + strings.Repeat("{}", 4000) + " }",
		"Python's conditions": strings.Repeat("policy p fills s { "+strings.Repeat("a if b else ", 1300)+" }\n", 16),
		"10,000-term sum":     "rule r { return 1" + strings.Repeat("+1", 10000) + " }",
		"200 kB of rubbish":   strings.Repeat("} rule ", 30000),
		"many bad bytes":      strings.Repeat("@", 200<<10),
		"unterminated":        `society s(a) { node n { instruction "` + strings.Repeat("x", 2000),
		"number of 1 kB":      "rule r { return " + strings.Repeat("1", 1000) + " }",
		"number too large":    "rule r { return 1e999 }",
		"escape that is none": `society s(a) { node n { instruction "\q" budget 1 } }`,
	}
}

func TestHostileTextIsRefused(t *testing.T) {
	for name, src := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, diags := ParseLimits("h", src, Limits{})
		runtime.ReadMemStats(&after)
		if !diags.HasErrors() {
			t.Errorf("%s: accepted", name)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 50<<20 {
			t.Errorf("%s: allocated %d MB", name, n>>20)
		}
		for _, d := range diags {
			if len(d.Render(src)) > 2000 {
				t.Errorf("%s: a diagnostic of %d bytes", name, len(d.Render(src)))
			}
		}
	}
}

// With every limit raised, what is flat must parse; what is deep meets MaxNesting.
func TestRaisedLimitsKeepTheStackShallow(t *testing.T) {
	raised := Limits{FileBytes: 1 << 30, RuleBytes: 1 << 30, DeclBytes: 1 << 30, Nodes: 1 << 30, Nesting: 1 << 30, Locals: 1 << 30}
	for name, src := range map[string]string{
		"sum":          "rule r { return 1" + strings.Repeat(" + 1", 20000) + " }",
		"conditionals": "rule r { return " + strings.Repeat("a ? 1 : ", 10000) + "2 }",
		"else ifs":     "rule r { if a { return 1 }" + strings.Repeat(" else if a { return 1 }", 4000) + " else { return 2 } }",
		"statements":   "rule r { " + strings.Repeat("x = 1 ", 10000) + " return x }",
	} {
		if _, diags := ParseLimits(name, src, raised); diags.HasErrors() {
			t.Errorf("%s: %v", name, diags[0])
		}
	}
	for name, src := range map[string]string{
		"parentheses": "rule r { return " + strings.Repeat("(", 1<<18),
		"minuses":     "rule r { return " + strings.Repeat("-", 1<<16) + "1 }",
		"groups":      "rule r { return " + strings.Repeat("a ? (a) ? ", 1<<16) + "1" + strings.Repeat(" : 1", 1<<17) + " }",
		"powers":      "rule r { return 2" + strings.Repeat(" ** 2", 1<<14) + " }",
	} {
		_, diags := ParseLimits(name, src, raised)
		if len(diags) == 0 || diags[0].Code != CodeNesting {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	src, err := os.ReadFile("testdata/bench/r2.rule")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("r2", string(src)); err != nil {
			b.Fatal(err)
		}
	}
}

// A run of operators before an operand nests as parentheses do, and is refused at the first that is too deep.
func TestRunsOfPrefixesNest(t *testing.T) {
	for prefix, want := range map[string]int{"-": 21 + 32, "!": 21 + 32, "not ": 21 + 4*32} {
		_, diags := ParseLimits("h", "rule r { return 1 - "+strings.Repeat(prefix, 31)+"a }", Limits{})
		if diags.HasErrors() {
			t.Errorf("31 times %q: %v", prefix, diags)
		}
		_, diags = ParseLimits("h", "rule r { return 1 - "+strings.Repeat(prefix, 40)+"a }", Limits{})
		if len(diags) != 1 || diags[0].Code != CodeNesting || diags[0].Start.Col != want {
			t.Errorf("40 times %q: %v, want one at column %d", prefix, diags, want)
		}
	}
}
