package prove

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentdescent/adrun/dsl"
)

const priorityText = `signature selection.priority(
  rank: num in [0, 1], visits: int in [0, 1e6], total: int in [0, 1e8],
  prior: num in [0, 1], depth: int in [0, 1e4], n_nodes: int in [1, 1e6],
) -> num {
  assume visits <= total
  assume depth < n_nodes
}
`

const binpackText = `signature binpack.priority(
  item: num in [1, 1e6], bin: num in [0, 1e6], cap: num in [1, 1e6], prev: num in [0, 1e6],
  has_prev: int in [0, 1], idx: int in [0, 1e6], max_bin: num in [0, 1e6],
) -> num {
  assume item <= bin
  assume bin <= max_bin
  assume max_bin <= cap
}
`

func parse(t testing.TB, src string) *dsl.File {
	t.Helper()
	f, err := dsl.Parse("test.rule", src)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func signature(t testing.TB, src string) *dsl.Signature {
	t.Helper()
	return parse(t, src).Decls[0].(*dsl.Signature)
}

func rule(t testing.TB, body string) *dsl.Rule {
	t.Helper()
	return parse(t, "rule priority {\n"+body+"\n}\n").Decls[0].(*dsl.Rule)
}

// finite proves a rule and checks that a witness is one.
func finite(t testing.TB, sig *dsl.Signature, r *dsl.Rule, boxes int) Proof {
	t.Helper()
	eval := evaluator(sig, r)
	p := New(sig, allowed(sig)).Finite(r, eval, boxes)
	if p.Answer == Refuted {
		checkPoint(t, sig, p.Witness)
		if v := eval(p.Witness); !math.IsNaN(v) && !math.IsInf(v, 0) {
			t.Errorf("witness %v gives %v", p.Witness, v)
		}
	}
	return p
}

// checkPoint checks that a witness is a point of the signature.
func checkPoint(t testing.TB, sig *dsl.Signature, point []float64) {
	t.Helper()
	if !allowed(sig)(point) {
		t.Errorf("witness %v breaks an assumption", point)
	}
	for i, in := range sig.Inputs {
		lo, hi := in.Lo, in.Hi
		if in.Type.Kind == dsl.BoolKind {
			hi = 1
		}
		if x := point[i]; in.Type.Kind != dsl.WordKind && (x < lo || x > hi) || in.Int && x != math.Trunc(x) {
			t.Errorf("witness has %s = %v", in.Name.Text, x)
		}
	}
}

func TestFinite(t *testing.T) {
	tests := []struct {
		body  string
		want  Answer
		boxes int // at most, when proved
	}{
		{"return rank", Proved, 1},
		{"return rank / (visits - 7)", Refuted, 0},
		{"return rank + 1 / (1 + visits)", Proved, 1},
		{"return sqrt(total - visits)", Proved, 1},
		{"let d = total - visits return sqrt(d)", Proved, 1},
		{"return log(1 + total - visits)", Proved, 1},
		{"return sqrt(n_nodes - depth - 1)", Proved, 1},
		{"return 1 / (n_nodes - depth)", Proved, 1},
		{"return sqrt(visits - total)", Refuted, 0},
		{"return sqrt(total - visits) + sqrt(visits - total)", Refuted, 0},
		{"return total / (visits + 1) + sqrt((total + 1) / (visits + 1) - (visits + 1) / (total + 1))", Proved, 1},
		{"return sqrt((visits + 1) / (total + 1) - (total + 1) / (visits + 1))", Refuted, 0},
		{"return (visits < total ? 1 : 0) / (total < visits ? 0 : 1)", Proved, 1},
		{"return 1 / ((visits < total) == (total < visits) ? 1 : 0)", Refuted, 0},
		{"return log(1 - visits / (total + 1))", Proved, 1},
		{"return sqrt(1 - visits / (total + 1))", Proved, 1},
		{"if total > 0 { return sqrt(1 - visits / total) } return 0", Proved, 1},
		{"if visits == 0 { return 1 } return 1 / visits", Proved, 1},
		{"if visits != 0 { return 1 / visits } return 0", Proved, 1},
		{"return visits > 0 ? 1 / visits : 0", Proved, 1},
		{"return visits > 3 && rank > 0.5 ? log(visits - 3) : 0", Proved, 1},
		{"return visits < 3 || rank < 0.5 ? 0 : log(visits - 2)", Proved, 1},
		{"return !(visits > 3) ? 0 : log(visits - 3)", Proved, 1},
		{"if rank > prior { return sqrt(rank - prior) } return 0", Proved, 1},
		{"let gap = rank - prior if gap > 0 { return log(gap) } return 0", Proved, 1},
		{"let t = visits * total if t > 0 { return log(visits * total) } return 0", Proved, 1},
		{"let x = visits - 1 if x < 0 { x = 0 } return sqrt(x)", Proved, 1},
		{"let x = 0 if visits > 0 { x = 1 / visits } else { x = 1 } return log(1 + x)", Proved, 1},
		{"return 1 / (rank - rank + 1)", Proved, 1},
		{"let t = rank * prior return sqrt(t - t)", Proved, 1},
		{"return sqrt((rank - prior) ** 2)", Proved, 1},
		{"return sqrt((rank - prior) * (rank - prior))", Proved, 1},
		{"return sqrt(max(rank - prior, 0))", Proved, 1},
		{"return min(1, 1 / visits)", Proved, 1},
		{"return tanh(log(rank))", Proved, 1},
		{"return exp(-visits)", Proved, 1},
		{"return exp(visits)", Refuted, 0},
		{"return log(rank)", Refuted, 0},
		{"return log1p(-rank)", Refuted, 0},
		{"return 1 / rank", Refuted, 0},
		{"return 1 / (rank - prior)", Refuted, 0},
		{"return 1 / (visits - 3 * depth)", Refuted, 0},
		{"return 1 / (rank * 2 - 0.625)", Refuted, 0},
		{"return pow(rank, -1)", Refuted, 0},
		{"return pow(rank - 0.5, 0.5)", Refuted, 0},
		{"return pow(rank, prior)", Proved, 1},
		{"return visits ** 60", Refuted, 0},
		{"return visits * total * visits * total * visits * total ** 40", Refuted, 0},
		{"return rank % depth", Refuted, 0},
		{"return total % (depth + 1)", Proved, 1},
		{"return 1 / (1 + floor(rank))", Proved, 1},
		{"return 1 / floor(rank)", Refuted, 0},
		{"return 1 / (ceil(rank) - 0.5)", Unknown, 0},
		{"return log(rank - 0.25 * rank + 0.01)", Proved, 16},
		{"if visits > 10 { if total > 5 { return 1 } } return 1 / (11 - visits)", Proved, 1}, // total > 10 there
		{"if visits > 10 { if prior > 0.5 { return 1 } } return 1 / (11 - visits)", Refuted, 0},
		{"if visits > 10 { return 1 } elif visits > 5 { return 2 } return 1 / (6 - visits)", Proved, 1},
		{"let x = 0 if rank > prior { x = 1 } else { return 0 } return sqrt(rank - prior) + x", Proved, 1},
		{"let x = 0 if rank > prior { x = 1 } else { return 0 } return sqrt(prior - rank) + x", Refuted, 0},
		{"let x = 0 if rank > prior { return 0 } elif rank < 0.5 { x = 1 } else { return 1 } return sqrt(prior - rank) + x", Proved, 1},
		{"return sqrt(rank * (1 - rank))", Proved, 1},
		{"return sqrt(rank - rank ** 2)", Unknown, 0},
	}
	sig := signature(t, priorityText)
	for _, tt := range tests {
		p := finite(t, sig, rule(t, tt.body), GateBoxes)
		if p.Answer != tt.want || p.Answer == Proved && p.Boxes > tt.boxes {
			t.Errorf("%s\n\t%v after %d boxes (%s), want %v in %d; witness %v", tt.body, p.Answer, p.Boxes, p.Reason, tt.want, tt.boxes, p.Witness)
		}
	}
}

func TestShippedRulesAreFiniteInOneBox(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/rules/*.rule")
	if len(files) == 0 {
		if os.Getenv("AGENTDESCENT_REQUIRE_DATA") == "1" {
			t.Fatal("../shared/rules is absent")
		}
		t.Skip("../shared/rules is absent")
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sig := signature(t, priorityText)
		if filepath.Base(name)[:3] == "bin" {
			sig = signature(t, binpackText)
		}
		p := finite(t, sig, parse(t, string(src)).Decls[0].(*dsl.Rule), 1)
		if p.Answer != Proved {
			t.Errorf("%s: %v: %s %v", filepath.Base(name), p.Answer, p.Reason, p.Witness)
		}
	}
}

// Sums of whole numbers that pass 2^53 round: their terms do not cancel.
func TestLargeSumsRound(t *testing.T) {
	sig := signature(t, "signature priority(a: int in [0, 1e16], b: int in [0, 1e16]) -> num")
	if p := finite(t, sig, rule(t, "return sqrt(a + b - b - a)"), GateBoxes); p.Answer == Proved {
		t.Errorf("%+v", p)
	}
	small := signature(t, "signature priority(a: int in [0, 1e15], b: int in [0, 1e15]) -> num")
	if p := finite(t, small, rule(t, "return sqrt(a + b - b - a)"), 1); p.Answer != Proved {
		t.Errorf("%+v", p)
	}
}

func TestRefutedWitnessIsThePole(t *testing.T) {
	p := finite(t, signature(t, priorityText), rule(t, "return rank / (visits - 7)"), GateBoxes)
	if p.Answer != Refuted || p.Witness[1] != 7 {
		t.Errorf("%v %v, want visits = 7", p.Answer, p.Witness)
	}
}

// Rules that are not finite somewhere, where a proof is tempted to lose the place.
func TestNothingIsProvedTooMuch(t *testing.T) {
	wide := signature(t, "signature s.priority(x: num in [-1000, 1000]) -> num")
	below := signature(t, "signature s.priority(visits: int in [0, 1000], total: int in [0, 1000]) -> num { assume visits < total }")
	for body, sig := range map[string]*dsl.Signature{
		"let y = 1 / x if floor(y) >= 3 { return y } return 0":                                   wide,
		"let y = 1 / x if ceil(y) <= -3 { return y } return 0":                                   wide,
		"if floor(1e16 * x) == 1e18 { return 1 / (x - 100) } return 0":                           wide,
		"if x * x == 0 && x > 1e-200 { return 1 / (x * x) } return 0":                            wide,
		"if exp(x) > 0 && x < -744.9 { return 1 / (x + 745) } return 0":                          wide,
		"if -(visits / total) <= -1 { return 0 } return 1 / (total - 5)":                         below,
		"let q = -(visits / (total + 1)) if q > -1 { return 1 / (total - visits - 1) } return 0": below,
	} {
		if p := finite(t, sig, rule(t, body), 200); p.Answer == Proved {
			t.Errorf("%s: %v (%s)", body, p.Answer, p.Reason)
		}
	}
}
