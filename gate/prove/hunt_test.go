package prove

import (
	"strings"
	"testing"

	"github.com/agentdescent/adrun/dsl"
)

// Witnesses off the beaten track: each needs inputs that stand in a relation, or one value in a million.
func TestWitnessesAreHunted(t *testing.T) {
	sig := signature(t, priorityText)
	for _, body := range []string{
		"return 1 / (visits - 123456)",
		"return 1 / (visits + depth - 123456)",
		"return 1 / (total - 3 * visits - 17)",
		"return visits > 500 ? 1 / (visits - 777) : 0",
		"if rank > 0.25 { if rank < 0.5 { return log(rank - 0.375) } } return 0",
		"return sqrt(visits - 999998)",
		"return log1p(-visits + 40)",
		"return 5 % (depth - 9000)",
		"return pow(visits - 4242, -2)",
		"return pow(depth - 4242, 0.5)",
		"return pow(visits + 2, total)",
		"return pow(rank / 1e6, -visits / 10)",
		"return exp(visits - 999000)",
		"return -exp(depth) * exp(depth)",
		"return exp(visits / 1500) * exp(visits / 1500)",
		"return exp(visits / 1409) + exp(visits / 1409)",
		"return -exp(visits / 1409) - exp(visits / 1409)",
		"return exp(visits / 2000) ** 2",
		"return -exp(visits / 3000) ** 3",
		"return 1e300 / (rank / 1e300)",
		"return 1e308 * total",
		"return 1 / max(0, visits - 5)",
		"return 1 / min(visits, 50 - visits)",
		"return 1 / abs(visits - 77)",
		"return 1 / ((visits - 77) * (depth + 1))",
		"return 1 / ((visits - 77) ** 2)",
		"return 1 / (exp(rank) - 1)",
		"return 1 / log(1 + depth)",
		"return 1 / sqrt(visits - 3 > 0 ? visits - 4 : 9)",
		"return 1 / (floor(rank * 10) - 7)",
		"return 1 / (ceil(rank * 10) - 7)",
		"return 1 / (visits / (depth + 1) - 3)",
		"let x = visits if x > 10 { x = x - 40 } else { x = 1 } return 1 / x",
		"let x = 1 if visits > 10 { x -= visits } x *= 2 x /= 4 x += 6 return rank / x",
	} {
		r := rule(t, body)
		if p := finite(t, sig, r, 2000); p.Answer != Refuted {
			t.Errorf("%s: %v after %d boxes (%s)", body, p.Answer, p.Boxes, p.Reason)
		}
	}
}

// Words, truth values and inputs that the rule does not read.
func TestWordsAndTruthValues(t *testing.T) {
	sig := signature(t, `signature priority(kind: a | b | c, hot: bool, x: num in [-4, 4]) -> num { assume kind != c || x > 0 }`)
	for body, want := range map[string]Answer{
		"return kind == c ? 1 / x : 0":                            Refuted, // x can be 5e-324
		"return kind == c ? sqrt(x) : 0":                          Proved,
		"return kind == b ? sqrt(x) : 0":                          Refuted,
		"return hot ? 1 : 1 / (hot ? 1 : 2)":                      Proved,
		"return hot && kind == a ? 1 / x : 0":                     Refuted,
		"let w = hot ? a : b return w == c ? 1 / 0 : 1":           Proved,
		"if !hot { return 1 } if hot { return 2 } return 1 / 0":   Proved,
		"let y = x ** 3 if y > 8 { return 1 / (x - 1) } return 0": Proved,
		"return x > 1 || x < -1 ? log(abs(x)) : log(2 - abs(x))":  Proved,
		// Comparisons with NaN are false, and say nothing about their operands.
		"let y = log(x) if y < 0 { return 0 } return y >= 0 ? 1 : 1 / 0":               Refuted,
		"let y = log(x) if !(y <= 0) { return y > 0 ? 1 : 1 / 0 } return 0":            Refuted,
		"let y = sqrt(x) if y != y { return 1 / 0 } return 0":                          Refuted,
		"let y = sqrt(x) if y == 1 { return 0 } return y < 1 || y > 1 ? 0 : 1 / 0":     Refuted,
		"let y = log(x) if y <= x { return 0 } return y - x >= 0 ? 1 : 1 / 0":          Refuted,
		"return x % 2 >= 0 ? sqrt(x % 2) : 1 / 0":                                      Proved,
		"return sqrt(clamp(x, 0, 1)) + sqrt(max(x, -x)) + log1p(max(-0.5, min(x, 2)))": Proved,
	} {
		r := rule(t, body)
		if p := finite(t, sig, r, GateBoxes); p.Answer != want {
			t.Errorf("%s: %v (%s), want %v; witness %v", body, p.Answer, p.Reason, want, p.Witness)
		}
	}
}

func TestProverSaysWhatItCannot(t *testing.T) {
	sig := signature(t, priorityText)
	p := New(sig, nil)
	r := rule(t, "return rank")
	for _, in := range []string{"nope", ""} {
		if got := p.Shape(r, in, Increasing, nil, nil, 10); got.Answer != Unknown || !strings.Contains(got.Reason, "not an input") {
			t.Errorf("%q: %+v", in, got)
		}
	}
	var many strings.Builder
	for range 8 {
		many.WriteString("if rank > prior * visits { x = x + depth } else { x = x * 2 }\n")
	}
	twisty := rule(t, "let x = rank\n"+strings.ReplaceAll(many.String(), "visits", "(visits + x)")+"return x")
	if got := p.Shape(twisty, "rank", Increasing, evaluator(sig, twisty), nil, 10); got.Answer == Proved {
		t.Errorf("%+v", got)
	}
	unbound := rule(t, "return rank + nope")
	if got := p.Finite(unbound, nil, 10); got.Answer != Unknown || !strings.Contains(got.Reason, "does not know") {
		t.Errorf("%+v", got)
	}
	e, _ := dsl.ParseExpr("c", "nope(1) > result")
	if got := p.Ensure(r, e, nil, nil, 10); got.Answer != Unknown {
		t.Errorf("%+v", got)
	}
	for a, want := range map[Answer]string{Unknown: "unknown", Proved: "proved", Refuted: "refuted"} {
		if a.String() != want {
			t.Errorf("%v", a)
		}
	}
}

// The 12 sequential branches of 649 bytes that became 49,143 nodes elsewhere cost one pass here.
func TestSequentialBranchesAreLinear(t *testing.T) {
	body := "let x = rank\n" + strings.Repeat("if x > 0.5 { if prior > 0.5 { x = x * 0.5 } else { x = x + 0.1 } }\n", 12) + "return x"
	p := New(signature(t, priorityText), nil)
	w := p.lowerer()
	w.statements(rule(t, body).Body.Stmts)
	if n := len(w.nodes); n > 200 {
		t.Errorf("%d nodes", n)
	}
	if got := finite(t, signature(t, priorityText), rule(t, body), 1); got.Answer != Proved {
		t.Errorf("%+v", got)
	}
}

func TestShapesUnderAssumptions(t *testing.T) {
	tests := []struct {
		sig, body, input string
		dir              Direction
		want             Answer
	}{
		// The assumption that is convex in x is used: below x = 2 the parabola falls.
		{"signature priority(x: num in [0, 9]) -> num { assume x <= 2 }", "return (x - 2) ** 2", "x", Decreasing, Proved},
		{"signature priority(x: num in [0, 9], y: num in [0, 9]) -> num { assume x + y <= 2 && 2 * x <= 4 }", "return (x - 2) ** 2", "x", Decreasing, Proved},
		// One that is not convex in x is not, though it holds at both ends: the step crosses its hole.
		{"signature priority(x: num in [0, 9]) -> num { assume x < 1 || x > 8 }", "return x < 1 ? 0 : x > 8 ? 5 : x", "x", Increasing, Proved},
		{"signature priority(x: num in [0, 9], y: num in [1, 2]) -> num { assume x * x <= y }", "return x * y", "x", Increasing, Proved},
		{"signature priority(x: int in [0, 1]) -> num", "return x == 0 ? 1 : 0", "x", Decreasing, Proved},
		{"signature priority(x: int in [0, 1]) -> num", "return x == 0 ? 1 : 0", "x", Increasing, Refuted},
		{"signature priority(x: int in [3, 3]) -> num", "return x", "x", Decreasing, Proved},
		{"signature priority(x: int in [0, 1000]) -> num", "return (x - 7) * (x - 8)", "x", Increasing, Refuted},
		{"signature priority(x: int in [8, 1000]) -> num", "return (x - 7) * (x - 8)", "x", Increasing, Proved},
		{"signature priority(x: num in [1, 9]) -> num", "return x - log(x)", "x", Increasing, Proved},
		{"signature priority(x: num in [1, 9]) -> num", "return log(x) - x", "x", Decreasing, Proved},
		{"signature priority(x: num in [-9, -1]) -> num", "return 1 / x", "x", Decreasing, Proved},
		{"signature priority(x: num in [-9, -1]) -> num", "return abs(x) + -x / 3", "x", Decreasing, Proved},
		{"signature priority(x: num in [-9, 9]) -> num", "return x ** 3 + x / 4", "x", Increasing, Proved},
		{"signature priority(x: num in [1, 9]) -> num", "return pow(x, -1.5)", "x", Decreasing, Proved},
		{"signature priority(x: num in [1, 9]) -> num", "return pow(x, x)", "x", Decreasing, Refuted},
		{"signature priority(x: num in [0, 9], y: num in [0, 9]) -> num", "return max(x, y) - min(y, 9)", "x", Increasing, Proved},
		{"signature priority(x: num in [0, 9], y: num in [0, 9]) -> num", "return y * x - x * y * 0.5", "x", Increasing, Proved},
		{"signature priority(x: num in [0, 9]) -> num", "return min(x, 9 - x)", "x", Increasing, Refuted},
		{"signature priority(x: num in [0, 9]) -> num", "return max(x, 9 - x)", "x", Increasing, Refuted},
		{"signature priority(x: num in [0, 9]) -> num", "return min(x, 9 + x)", "x", Increasing, Proved},
		{"signature priority(x: num in [0, 9], y: num in [0, 9]) -> num", "return x < y", "x", Increasing, Refuted},
		{"signature priority(x: num in [0, 9], y: num in [0, 9]) -> num", "return x % (y + 1)", "x", Increasing, Refuted},
		{"signature priority(hot: bool, y: num in [0, 9]) -> num", "return hot ? y + 1 : y", "hot", Increasing, Proved},
		{"signature priority(w: a | b, y: num in [0, 9]) -> num", "return y", "w", Increasing, Unknown},
	}
	for _, tt := range tests {
		p := shape(t, signature(t, tt.sig), rule(t, tt.body), tt.input, tt.dir, 500)
		if p.Answer != tt.want {
			t.Errorf("%s\n\t%s %+d in %s: %v after %d boxes (%s), want %v; %v %v", tt.sig, tt.body, tt.dir, tt.input, p.Answer, p.Boxes, p.Reason, tt.want, p.Witness, p.Other)
		}
	}
}

// What docs/gate.md says of the prover.
func TestDocumentedAnswers(t *testing.T) {
	sig := signature(t, "signature priority(x: num in [0, 1], n: int in [0, 9]) -> num")
	for body, want := range map[string]Answer{
		"return x > 0 ? 1 / x : 0":     Refuted,
		"return x > 0.001 ? 1 / x : 0": Proved,
		"return n > 0 ? 1 / n : 0":     Proved,
		"return 1 / (ceil(x) - 0.5)":   Unknown,
		"return sqrt(x - x ** 2)":      Unknown,
	} {
		if p := finite(t, sig, rule(t, body), GateBoxes); p.Answer != want {
			t.Errorf("%s: %v, want %v; witness %v", body, p.Answer, want, p.Witness)
		}
	}
}
