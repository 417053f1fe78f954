package prove

import (
	"math"
	"testing"

	"github.com/agentdescent/adrun/dsl"
)

// shape proves a direction and checks that a refutation is one.
func shape(t testing.TB, sig *dsl.Signature, r *dsl.Rule, input string, dir Direction, boxes int) Proof {
	t.Helper()
	eval := evaluator(sig, r)
	p := New(sig, allowed(sig)).Shape(r, input, dir, eval, nil, boxes)
	if p.Answer != Refuted {
		return p
	}
	checkPoint(t, sig, p.Witness)
	checkPoint(t, sig, p.Other)
	for i, in := range sig.Inputs {
		a, b := p.Witness[i], p.Other[i]
		if in.Name.Text == input && !(a < b) || in.Name.Text != input && a != b {
			t.Errorf("%s: the points have %s = %v and %v", input, in.Name.Text, a, b)
		}
	}
	if a, b := eval(p.Witness), eval(p.Other); a != p.Value || b != p.OtherValue || !WrongMove(dir, a, b) {
		t.Errorf("%v and %v are no wrong move", a, b)
	}
	return p
}

func TestShape(t *testing.T) {
	tests := []struct {
		body  string
		input string
		dir   Direction
		want  Answer
	}{
		{"return rank + 1 / (1 + visits)", "visits", Decreasing, Proved},
		{"return rank + 1 / (1 + visits)", "visits", Increasing, Refuted},
		{"return rank + 1 / (1 + visits)", "rank", Increasing, Proved},
		{"return rank + visits", "visits", Decreasing, Refuted},
		{"return rank + visits", "depth", Decreasing, Proved},
		{"return rank + visits", "depth", Increasing, Proved},
		{"return visits / (1 + visits)", "visits", Increasing, Proved},
		{"return visits / (visits + total + 1)", "visits", Increasing, Proved},
		{"return rank - 0.5 * rank", "rank", Increasing, Proved},
		{"return total - visits + rank", "visits", Decreasing, Proved},
		{"let c = 1.0 return rank + c * (1 / n_nodes) * sqrt(total) / (1 + visits)", "visits", Decreasing, Proved},
		{"let c = 1.0 return rank + c * (1 / n_nodes) * sqrt(total) / (1 + visits)", "total", Increasing, Proved},
		{"return rank * prior", "rank", Increasing, Proved},
		{"return prior * rank - rank * prior", "rank", Increasing, Proved},
		{"return rank ** 2", "rank", Increasing, Proved},
		{"return (rank - 0.5) ** 2", "rank", Increasing, Refuted},
		{"return (rank - 0.5) ** 3", "rank", Increasing, Proved},
		{"return abs(rank - 0.5)", "rank", Decreasing, Refuted},
		{"return abs(rank + 0.5)", "rank", Increasing, Proved},
		{"return log(1 + visits) - log1p(depth)", "visits", Increasing, Proved},
		{"return exp(-rank)", "rank", Decreasing, Proved},
		{"return tanh(visits)", "visits", Increasing, Proved},
		{"return pow(rank, 0.5)", "rank", Increasing, Proved},
		{"return pow(rank - 0.5, -1)", "rank", Decreasing, Refuted},
		{"return pow(rank + 0.5, -1)", "rank", Decreasing, Proved},
		{"return pow(2, rank)", "rank", Increasing, Proved},
		{"return pow(0.5, rank)", "rank", Decreasing, Proved},
		{"return floor(10 * rank)", "rank", Increasing, Proved},
		{"return -ceil(10 * rank)", "rank", Decreasing, Proved},
		{"return min(rank, 0.3) + max(prior, rank)", "rank", Increasing, Proved},
		{"return clamp(rank, 0.2, 0.8)", "rank", Increasing, Proved},
		{"return visits % 4", "visits", Increasing, Refuted},
		{"if visits == 0 { return rank + 1 } return rank + 1 / (1 + visits)", "visits", Decreasing, Proved},
		{"if visits == 0 { return rank } return rank + 1 / (1 + visits)", "visits", Decreasing, Refuted},
		{"return visits > 10 ? rank : rank - 1", "visits", Increasing, Proved},
		{"return visits > 10 ? rank : rank + 1", "visits", Increasing, Refuted},
		{"return prior > 0.5 ? rank : 2 * rank", "rank", Increasing, Proved},
		{"if rank > 0.5 { return 2 * rank } return rank", "rank", Increasing, Proved},
		{"return rank > prior", "rank", Increasing, Proved},
		{"return prior > rank", "rank", Increasing, Refuted},
		{"return !(prior > rank) && rank >= 0.5", "rank", Increasing, Proved},
		{"return prior < rank || visits == 3", "visits", Increasing, Refuted},
		{"return rank - rank ** 2", "rank", Increasing, Refuted},
		{"return visits * visits - visits", "visits", Increasing, Proved},
	}
	sig := signature(t, priorityText)
	for _, tt := range tests {
		p := shape(t, sig, rule(t, tt.body), tt.input, tt.dir, 2000)
		if p.Answer != tt.want {
			t.Errorf("%s %+d\n\t%s\n\t%v after %d boxes (%s), want %v", tt.input, tt.dir, tt.body, p.Answer, p.Boxes, p.Reason, tt.want)
		}
		t.Log(p.Answer, p.Boxes, tt.body)
	}
}

// A wrong move that rounding explains does not refute.
func TestShapeForgivesRounding(t *testing.T) {
	if WrongMove(Increasing, 1, 1-1e-12) || WrongMove(Increasing, 1e12, 1e12-1) || WrongMove(Decreasing, 0, 1e-10) {
		t.Error("a move below 1e-9·max(1, |f|) counts as wrong")
	}
	if !WrongMove(Increasing, 1, 1-1e-8) || !WrongMove(Decreasing, 1e12, 1e12+1e4) {
		t.Error("a move above 1e-9·max(1, |f|) is forgiven")
	}
	if WrongMove(Increasing, math.NaN(), 1) || WrongMove(Increasing, math.Inf(1), 0) {
		t.Error("a value that is not finite moves")
	}
}

func TestEnsure(t *testing.T) {
	tests := []struct {
		body, contract string
		want           Answer
	}{
		{"return rank", "result >= 0", Proved},
		{"return rank", "result <= 1 && result >= 0", Proved},
		{"return rank", "result < 1", Refuted},
		{"return rank + prior", "result >= rank", Proved},
		{"return total - visits", "result >= 0", Proved},
		{"return rank - prior", "result >= 0", Refuted},
		{"if rank > 0.5 { return rank } return 0.5", "result >= 0.5", Proved},
		{"return rank * prior", "result <= rank", Unknown},
		{"return rank * rank - rank * prior", "result <= 1", Proved},
		{"return log1p(visits)", "visits > 0 || result == 0", Proved},
		{"return visits + 1", "result != visits", Proved},
		{"return rank + 0.25", "result == 0.25 ? rank < 0.5 : true", Proved},
		{"return visits * 3", "!(result == 21)", Refuted},
	}
	sig := signature(t, priorityText)
	for _, tt := range tests {
		e, err := dsl.ParseExpr("contract", tt.contract)
		if err != nil {
			t.Fatal(err)
		}
		r := rule(t, tt.body)
		check := condition(sig, e)
		p := New(sig, allowed(sig)).Ensure(r, e, evaluator(sig, r), check, 2000)
		if p.Answer != tt.want {
			t.Errorf("%s ensure %s: %v after %d boxes (%s), want %v", tt.body, tt.contract, p.Answer, p.Boxes, p.Reason, tt.want)
		}
		if p.Answer == Refuted {
			checkPoint(t, sig, p.Witness)
			if check(p.Witness, p.Value) {
				t.Errorf("%s ensure %s: holds at the witness %v", tt.body, tt.contract, p.Witness)
			}
		}
	}
}
