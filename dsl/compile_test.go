package dsl

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// numbersOf is a signature of numbers.
func numbersOf(names ...string) *Signature {
	sig := &Signature{Name: Ident{Text: "test.priority"}, Result: NumType}
	for _, n := range names {
		sig.Inputs = append(sig.Inputs, &Input{Name: Ident{Text: n}, Type: NumType, Lo: -100, Hi: 100})
	}
	return sig
}

// parseRule parses a text whose first declaration is a rule.
func parseRule(t testing.TB, src string) *Rule {
	t.Helper()
	file, err := Parse("test.rule", src)
	if err != nil {
		t.Fatal(err)
	}
	return file.Decls[0].(*Rule)
}

// compileText compiles a rule under the signature of its input list.
func compileText(t testing.TB, src string) *Program {
	t.Helper()
	r := parseRule(t, src)
	p, err := Compile(r, signatureOf(r))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func signatureOf(r *Rule) *Signature {
	names := make([]string, len(r.Inputs))
	for i, in := range r.Inputs {
		names[i] = in.Text
	}
	return numbersOf(names...)
}

// TestInstructions pins what rules are compiled to.
func TestInstructions(t *testing.T) {
	for _, dir := range []string{"bench", "compile"} {
		files, err := filepath.Glob(filepath.Join("testdata", dir, "*.rule"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no rules in %s: %v", dir, err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := compileText(t, string(src)).String()
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
				t.Errorf("%s: instructions changed (-want +got); -update if meant:\n%s", file, diff)
			}
		}
	}
}

// nestedIfs is n sequential ifs of two levels, which a compiler that expands paths turns into 4^n of them.
func nestedIfs(n int) string {
	var b strings.Builder
	b.WriteString("rule priority(a, b) {\n  let x = a\n")
	for i := range n {
		fmt.Fprintf(&b, "  if x > %d { if b > %d { x = x + 1 } else { x = x * 2 } }\n", i, i)
	}
	b.WriteString("  return x\n}\n")
	return b.String()
}

func instructions(p *Program) int { return strings.Count(p.String(), "\n") }

func TestSizeIsLinear(t *testing.T) {
	twelve := instructions(compileText(t, nestedIfs(12)))
	if twelve > 12*9 {
		t.Errorf("12 nested ifs are %d instructions", twelve)
	}
	if more := instructions(compileText(t, nestedIfs(24))); more > 2*twelve+2 {
		t.Errorf("12 nested ifs are %d instructions, 24 are %d", twelve, more)
	}
	var chain strings.Builder
	chain.WriteString("rule priority(a, b) {\n  let x = 0\n  let y = 0\n")
	for i := range 40 {
		fmt.Fprintf(&chain, "  if a > %d { if b > %d { return y } y = exp(x) } elif b < a { x += y } else { x = %d }\n", i, i, i)
	}
	chain.WriteString("  return x\n}\n")
	if n := instructions(compileText(t, chain.String())); n > 40*25 {
		t.Errorf("40 ifs with returns in them are %d instructions", n)
	}
}

func TestReads(t *testing.T) {
	for _, tc := range []struct {
		body string
		want []bool
	}{
		{"return a", []bool{true, false, false}},
		{"return a * 0 + c", []bool{true, false, true}}, // a may be NaN
		{"let unused = b return a", []bool{true, false, false}},
		{"return b > 0 ? a : a", []bool{true, false, false}},
		{"if 1 < 2 { return a } return b", []bool{true, false, false}},
		{"if c > 0 { return 1 } return 2", []bool{false, false, true}},
	} {
		p := compileText(t, "rule priority(a, b, c) { "+tc.body+" }")
		var got []bool
		for i := range p.Inputs() {
			got = append(got, p.Reads(i))
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.body, diff)
		}
	}
}

func TestCommonValuesAreComputedOnce(t *testing.T) {
	p := compileText(t, "rule priority(a, b) { let x = log(a + b) if a > b { return x * log(a + b) } return log(b + a) }")
	if n := strings.Count(p.String(), "log"); n != 1 {
		t.Errorf("log(a + b) is computed %d times:\n%s", n, p)
	}
}

func TestCompileRefusesBrokenTrees(t *testing.T) {
	num := &Num{Value: 1}
	cycle := &Unary{Op: Neg}
	cycle.X = cycle
	ret := func(e Expr) *Block { return &Block{Stmts: []Stmt{&Return{Value: e}}} }
	stmts := func(s ...Stmt) *Block { return &Block{Stmts: s} }
	for name, body := range map[string]*Block{
		"no body":            nil,
		"no statement":       stmts(nil),
		"typed nil":          stmts((*Return)(nil)),
		"no expression":      ret(nil),
		"typed nil literal":  ret((*Num)(nil)),
		"cycle":              ret(cycle),
		"unknown name":       ret(&Ref{Name: "nothing"}),
		"unknown operator":   ret(&Binary{Op: Neg, X: num, Y: num}),
		"unknown unary":      ret(&Unary{Op: Add, X: num}),
		"unknown function":   ret(&Call{Fn: Ident{Text: "sin"}, Args: []Expr{num}}),
		"wrong arity":        ret(&Call{Fn: Ident{Text: "pow"}, Args: []Expr{num}}),
		"no operand":         ret(&Binary{Op: Add, X: num}),
		"no arm":             stmts(&If{}, &Return{Value: num}),
		"nil arm":            stmts(&If{Arms: []*Arm{nil}}, &Return{Value: num}),
		"arm without body":   stmts(&If{Arms: []*Arm{{Cond: &Bool{}}}}, &Return{Value: num}),
		"no return":          stmts(&Let{Name: Ident{Text: "x"}, Value: num}),
		"half a return":      stmts(&If{Arms: []*Arm{{Cond: &Bool{}, Body: ret(num)}}}),
		"assigned input":     stmts(&Assign{Name: Ident{Text: "a"}, Value: num}, &Return{Value: num}),
		"undeclared local":   stmts(&Assign{Name: Ident{Text: "x"}, Value: num}, &Return{Value: num}),
		"unknown assignment": stmts(&Let{Name: Ident{Text: "x"}, Value: num}, &Assign{Name: Ident{Text: "x"}, Op: 9, Value: num}, &Return{Value: num}),
	} {
		r := &Rule{Name: Ident{Text: "priority"}, Body: body}
		if p, err := Compile(r, numbersOf("a")); err == nil {
			t.Errorf("%s: compiled to\n%s", name, p)
		}
	}
	if _, err := Compile(nil, numbersOf()); err == nil {
		t.Error("no rule: compiled")
	}
	if _, err := Compile(&Rule{Body: ret(num), HasInputs: true, Inputs: []Ident{{Text: "zz"}}}, numbersOf("a")); err == nil {
		t.Error("an input that the signature lacks: compiled")
	}
	words := &Signature{Result: Type{WordKind, []string{"b", "a"}}, Inputs: []*Input{{Name: Ident{Text: "x"}, Type: Type{WordKind, []string{"a", "b"}}}}}
	if _, err := Compile(&Rule{Body: ret(&Ref{Name: "a"})}, words); err == nil {
		t.Error("one set of words in two orders: compiled")
	}
}

func TestClamp(t *testing.T) {
	sig := &Signature{Inputs: []*Input{
		{Type: NumType, Lo: 0, Hi: 1},
		{Type: NumType, Int: true, Lo: 1, Hi: 9},
		{Type: BoolType},
		{Type: Type{WordKind, []string{"x", "y", "z"}}},
		{Type: NumType, Lo: -2, Hi: 2},
	}}
	inf := math.Inf(1)
	args := []float64{1.5, 2.5, 7, 9, math.NaN()}
	if n := sig.Clamp(args); n != 5 {
		t.Errorf("%d changed, want 5", n)
	}
	if diff := cmp.Diff([]float64{1, 2, 1, 2, -2}, args); diff != "" {
		t.Error(diff)
	}
	args = []float64{-inf, 3, 0, 1, 0.25}
	if n := sig.Clamp(args); n != 1 {
		t.Errorf("%d changed, want 1", n)
	}
	if diff := cmp.Diff([]float64{0, 3, 0, 1, 0.25}, args); diff != "" {
		t.Error(diff)
	}
}
