package prove

import (
	"math"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/dsltest"
	"pgregory.net/rapid"
)

// inDomain draws a point of the signature.
func inDomain(t *rapid.T, sig *dsl.Signature) []float64 {
	args := dsltest.Args(t, sig.Inputs)
	sig.Clamp(args)
	for i, in := range sig.Inputs {
		if in.Int {
			args[i] = math.Min(math.Max(math.Round(args[i]), math.Ceil(in.Lo)), math.Floor(in.Hi))
		}
		args[i] += 0 // hosts pass no negative zero
	}
	return args
}

// related adds assumptions to a signature: some inputs are ordered.
func related(t *rapid.T, sig *dsl.Signature) {
	for i := 1; i < len(sig.Inputs); i++ {
		a, b := sig.Inputs[i-1], sig.Inputs[i]
		if a.Type.Kind != dsl.NumKind || b.Type.Kind != dsl.NumKind || !rapid.Bool().Draw(t, "ordered") {
			continue
		}
		sig.Clauses = append(sig.Clauses, &dsl.Clause{Kind: dsl.AssumeClause, Expr: &dsl.Binary{
			Op: rapid.SampledFrom([]dsl.Op{dsl.Le, dsl.Lt, dsl.Ge}).Draw(t, "order"),
			X:  &dsl.Ref{Name: a.Name.Text}, Y: &dsl.Ref{Name: b.Name.Text},
		}})
	}
}

// allowedPoints draws points that satisfy the assumptions.
func allowedPoints(t *rapid.T, sig *dsl.Signature, n int) [][]float64 {
	allow := allowed(sig)
	var out [][]float64
	for range n {
		if p := inDomain(t, sig); allow(p) {
			out = append(out, p)
		}
	}
	return out
}

// What is proved finite is finite at every point, and a witness is one.
func TestFiniteIsSound(t *testing.T) {
	answers := map[Answer]int{}
	rapid.Check(t, func(rt *rapid.T) {
		sig := dsltest.NumSignature(rt)
		related(rt, sig)
		r := dsltest.Rule(rt, sig)
		p := finite(t, sig, r, 32)
		answers[p.Answer]++
		if p.Answer != Proved {
			return
		}
		eval := evaluator(sig, r)
		for _, point := range allowedPoints(rt, sig, 40) {
			if v := eval(point); math.IsInf(v, 0) || v != v {
				rt.Fatalf("proved finite, but %v at %v\n%s\n%s", v, point, dsl.FormatDecl(sig), dsl.FormatRule(r))
			}
		}
	})
	t.Log(answers)
}

// A proved bound holds at every point, where the bound is a value that the rule takes.
func TestEnsureIsSound(t *testing.T) {
	answers := map[Answer]int{}
	rapid.Check(t, func(rt *rapid.T) {
		sig := dsltest.Signature(rt)
		related(rt, sig)
		if sig.Result.Kind == dsl.WordKind {
			sig.Result = dsl.NumType
		}
		r := dsltest.Rule(rt, sig)
		eval := evaluator(sig, r)
		points := allowedPoints(rt, sig, 40)
		if len(points) == 0 {
			return
		}
		c := eval(points[0])
		if c != c || math.IsInf(c, 0) {
			return
		}
		var e dsl.Expr = &dsl.Binary{Op: rapid.SampledFrom([]dsl.Op{dsl.Le, dsl.Ge, dsl.Eq, dsl.Ne, dsl.Lt}).Draw(rt, "op"), X: &dsl.Ref{Name: "result"}, Y: &dsl.Num{Value: c}}
		if sig.Result.Kind == dsl.BoolKind {
			e = &dsl.Binary{Op: dsl.Eq, X: &dsl.Ref{Name: "result"}, Y: &dsl.Bool{Value: c != 0}}
		}
		check := condition(sig, e)
		p := New(sig, allowed(sig)).Ensure(r, e, eval, check, 32)
		answers[p.Answer]++
		if p.Answer == Refuted {
			checkPoint(t, sig, p.Witness)
			if check(p.Witness, eval(p.Witness)) {
				rt.Fatalf("%s holds at the witness %v\n%s\n%s", dsl.FormatExpr(e), p.Witness, dsl.FormatDecl(sig), dsl.FormatRule(r))
			}
		}
		if p.Answer != Proved {
			return
		}
		for _, point := range points {
			if v := eval(point); !check(point, v) {
				rt.Fatalf("proved %s, but the result is %v at %v\n%s\n%s", dsl.FormatExpr(e), v, point, dsl.FormatDecl(sig), dsl.FormatRule(r))
			}
		}
	})
	t.Log(answers)
}

// A proved direction has no wrong move between any two points.
func TestShapeIsSound(t *testing.T) {
	answers := map[Answer]int{}
	rapid.Check(t, func(rt *rapid.T) {
		sig := dsltest.NumSignature(rt)
		related(rt, sig)
		r := dsltest.Rule(rt, sig)
		at := rapid.IntRange(0, len(sig.Inputs)-1).Draw(rt, "input")
		dir := rapid.SampledFrom([]Direction{Increasing, Decreasing}).Draw(rt, "direction")
		p := shape(t, sig, r, sig.Inputs[at].Name.Text, dir, 32)
		answers[p.Answer]++
		if p.Answer != Proved {
			return
		}
		eval, allow := evaluator(sig, r), allowed(sig)
		for _, a := range allowedPoints(rt, sig, 40) {
			b := append([]float64(nil), a...)
			b[at] = inDomain(rt, sig)[at]
			if !allow(b) {
				continue
			}
			if a[at] > b[at] {
				a, b = b, a
			}
			if WrongMove(dir, eval(a), eval(b)) {
				rt.Fatalf("proved %+d in %s, but %v at %v and %v at %v\n%s\n%s", dir, sig.Inputs[at].Name.Text, eval(a), a, eval(b), b, dsl.FormatDecl(sig), dsl.FormatRule(r))
			}
		}
	})
	t.Log(answers)
}
