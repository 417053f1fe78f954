package dsl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpsOfExpressions(t *testing.T) {
	for _, tc := range []struct {
		expr string
		want int
	}{
		{"x", 0}, {"3", 0}, {"-3", 0}, {"+x", 0}, {"(x)", 0},
		{"-x", 1}, {"--x", 2}, {"!b", 1}, {"x + 1", 1}, {"x ** 2", 1}, {"x % 2", 1},
		{"x < 1 && !b", 3}, {"b ? x : 1", 1}, {"sqrt(x)", 1}, {"min(x, y)", 1}, {"max(x, y, z, 1)", 3},
		{"clamp(x, 0, 1)", 1}, {"x + y * -2", 2},
	} {
		e, err := ParseExpr("test", tc.expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := Ops(e); got != tc.want {
			t.Errorf("%s has %d ops, want %d", tc.expr, got, tc.want)
		}
	}
	if got := Ops(&Unary{Op: Neg, X: &Num{Value: 3}}); got != 0 {
		t.Errorf("a built minus before a literal is %d ops, want 0", got)
	}
}

const measured = `rule priority(x, y, z) {
  let a = min(x, y, 2) + -1
  a *= 2
  if a > 1 { return a } elif y > 2 && x > 1 { return sqrt(a) } else { a = 3 }
  return a
}`

func TestMeasure(t *testing.T) {
	r := parseRule(t, measured)
	const ops = 2 + 1 + // min of three, +
		1 + // *=
		1 + 1 + // if, >
		1 + 3 + // elif, > && >
		1 // sqrt
	want := Cost{
		Rule: "priority", Ops: ops, Nodes: ops - 1, // min of three is one node
		Depth: 2, Calls: 2, Inputs: 2, Bytes: len(FormatRule(r)), Identity: Identity(r),
	}
	if diff := cmp.Diff(want, Measure(r)); diff != "" {
		t.Error(diff)
	}
	if got := Ops(r); got != ops {
		t.Errorf("%d ops, want %d", got, ops)
	}
	if got := Measure(parseRule(t, "rule p { let v = a return v + b + a }")).Inputs; got != 2 {
		t.Errorf("%d inputs without a list, want a and b", got)
	}
}

// TestOpsOfTheSeed is the figure that LANGUAGE.md section 10 states.
func TestOpsOfTheSeed(t *testing.T) {
	r := parseRule(t, "rule priority(rank, visits, total, n_nodes) { let c = 1.0 return rank + c * (1 / n_nodes) * sqrt(total) / (1 + visits) }")
	if got := Ops(r); got != 7 {
		t.Errorf("the seed has %d ops, want 7", got)
	}
}

func TestOpsOfAPolicyIsTheSumOfItsHooks(t *testing.T) {
	file, err := Parse("test.rule", `policy p fills s {
  state n = 0 in [0, 9]
  on record(score) { n += score > 0.5 ? 1 : 0 }
  weight(total) { return -total / (n + 1) }
}`)
	if err != nil {
		t.Fatal(err)
	}
	p := file.Decls[0].(*Policy)
	if a, b, all := Ops(p.Hooks[0]), Ops(p.Hooks[1]), Ops(p); a != 3 || b != 3 || all != 6 {
		t.Errorf("hooks of %d and %d ops, policy of %d; want 3, 3, 6", a, b, all)
	}
}

func TestOpsNeedsNoStack(t *testing.T) {
	var e Expr = &Num{Value: 1}
	for range 200_000 {
		e = &Binary{Op: Add, X: e, Y: &Num{Value: 1}}
	}
	if got := Ops(e); got != 200_000 {
		t.Errorf("%d ops", got)
	}
}
