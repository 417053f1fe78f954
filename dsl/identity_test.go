package dsl

import "testing"

const identified = "rule priority(a, b) {\n  let x = a * 0.5\n  if x > 1 { let y = x return y } else { let z = b x = z }\n  return -1 * x\n}"

func TestIdentityIgnoresWhatDoesNotCount(t *testing.T) {
	want := Identity(parseRule(t, identified))
	for name, src := range map[string]string{
		"comments and layout":     "# about\nrule priority(a,b) { let x = a*.5 # half\n if x>1 {\nlet y=x\nreturn y} else {let z=b\n\n x=z} return -1*x }",
		"names of locals":         "rule priority(a, b) { let p = a * 0.5 if p > 1 { let x = p return x } else { let x = b p = x } return -1 * p }",
		"spelling of literals":    "rule priority(a, b) { let x = a * 5e-1 if x > 1.0 { let y = x return y } else { let z = b x = z } return -1.00 * x }",
		"order of the list":       "rule priority(b, a) { let x = a * 0.5 if x > 1 { let y = x return y } else { let z = b x = z } return -1 * x }",
		"needless parentheses":    "rule priority(a, b) { let x = (a) * 0.5 if (x > 1) { let y = x return y } else { let z = b x = z } return (-1) * x }",
		"a semicolon where legal": "rule priority(a, b) { let x = a * 0.5; if x > 1 { let y = x; return y; } else { let z = b; x = z; } return -1 * x; }",
	} {
		if got := Identity(parseRule(t, src)); got != want {
			t.Errorf("%s: another identity", name)
		}
	}
	built := parseRule(t, identified)
	product := built.Body.Stmts[2].(*Return).Value.(*Binary)
	product.X = &Unary{Op: Neg, X: &Num{Value: 1}}
	if got := Identity(built); got != want {
		t.Error("a built minus before a literal: another identity")
	}
}

func TestIdentityTellsApart(t *testing.T) {
	seen := map[string]string{}
	for _, src := range []string{
		identified,
		"rule priority(a, b) { return a }", "rule priority(a, b) { return b }", "rule priority(a) { return a }",
		"rule priority { return a }", "rule other(a, b) { return a }",
		"rule priority(a, b) { return a + b }", "rule priority(a, b) { return b + a }", "rule priority(a, b) { return a - b }",
		"rule priority(a, b) { let x = a return x }", "rule priority(a, b) { let x = a let y = b return x }", "rule priority(a, b) { let x = a let y = b return y }",
		"rule priority(a, b) { return 0 }", "rule priority(a, b) { return -0.0 }", "rule priority(a, b) { return 0.1 }", "rule priority(a, b) { return 0.10000000000000002 }",
		"rule priority(a, b) { return a + b + 1 }", "rule priority(a, b) { return a + (b + 1) }",
		"rule priority(a, b) { return min(a, b) }", "rule priority(a, b) { return max(a, b) }", "rule priority(a, b) { return min(a, b, b) }",
		"rule priority(a, b) { if a > b { return a } return b }", "rule priority(a, b) { if a > b { return a } else { return b } }",
		"rule priority(a, b) { let x = a x += b return x }", "rule priority(a, b) { let x = a x = b return x }",
		"rule priority(a, b) { return a > b ? a : b }", "rule priority(a, b) { return true ? a : b }", "rule priority(a, b) { return false ? a : b }",
	} {
		id := Identity(parseRule(t, src))
		if other, ok := seen[id]; ok {
			t.Errorf("one identity for\n%s\n%s", src, other)
		}
		seen[id] = src
	}
}

func TestIdentityOfOtherDeclarations(t *testing.T) {
	texts := []string{
		"signature s(a: num in [0, 1]) -> num", "signature s(a: int in [0, 1]) -> num", "signature s(a: num in [0, 2]) -> num",
		"signature s(a: num in [0, 1]) -> bool", "signature s(a: num in [0, 1]) -> x | y", "signature s(a: num in [0, 1]) -> y | x",
		"signature s(a: num in [0, 1]) -> num { assume a > 0 }", "signature s(a: num in [0, 1]) -> num { ensure result > 0 }",
		"signature s(a: num in [0, 1]) -> num { ensure increasing(a) }", "signature s(a: num in [0, 1]) -> num { ensure decreasing(a) }",
		"signature s(a: num in [0, 1]) -> num { case (a = 1) }",
		"slot s { h(a: num in [0, 1]) -> num }", "slot s { on h(a: num in [0, 1]) }", "slot s per task { h(a: num in [0, 1]) -> num }",
		"case r(a = 1) == 2", "case r(a = 1) == 2 ± 0.5", "case r(a = 2) == 2",
		"policy p fills s { param c = 1 in [0, 2] h(a) { return c } }", "policy p fills s { param c = 1 in [0, 3] h(a) { return c } }",
		"policy p fills s { param c: int = 1 in [0, 2] h(a) { return c } }",
		"policy p fills s { pick top h(a) { return 1 } }", "policy p fills s { pick sample h(a) { return 1 } }",
		"policy p fills s { state n = 1 in [0, 2] h(a) { return n } }", "policy p fills s { state n = 0 in [0, 2] h(a) { return n } }",
		`society t(d) { node a { instruction "x" budget 1 } }`, `society t(d) { node a { instruction "y" budget 1 } }`,
		`society t(d) { node a { instruction "x" budget 2 } }`,
		`society t(d) { node a { instruction "x" budget 1 } node b { instruction "x" budget 1 } a -> b }`,
		`society t(d) { node a { instruction "x" budget 1 } node b { instruction "x" budget 1 } a -> b when d > 1 }`,
	}
	seen := map[string]string{}
	for _, src := range texts {
		file, err := Parse("test.rule", src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		id := Identity(file.Decls[0])
		if other, ok := seen[id]; ok {
			t.Errorf("one identity for\n%s\n%s", src, other)
		}
		seen[id] = src
	}
}

func TestShapeIdentity(t *testing.T) {
	policy := func(src string) *Policy {
		file, err := Parse("test.rule", src)
		if err != nil {
			t.Fatal(err)
		}
		return file.Decls[0].(*Policy)
	}
	a := policy("policy p fills s { param c = 1 in [0, 2] h(x) { return c * 2 } }")
	b := policy("policy p fills s { param c = 1.5 in [0, 2] h(x) { return c * 2 } }")
	c := policy("policy p fills s { param c = 1 in [0, 2] h(x) { return c * 3 } }")
	if Identity(a) == Identity(b) {
		t.Error("two values of a param have one identity")
	}
	if ShapeIdentity(a) != ShapeIdentity(b) {
		t.Error("two values of a param have two shapes")
	}
	if ShapeIdentity(a) == ShapeIdentity(c) {
		t.Error("two bodies have one shape")
	}
}
