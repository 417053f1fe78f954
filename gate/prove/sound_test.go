package prove

import (
	"math"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/dsltest"
	"github.com/agentdescent/adrun/gate/interval"
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

// sample is a random rule with points of its signature that satisfy the assumptions, and with choices for a test.
type sample struct {
	sig     *dsl.Signature
	rule    *dsl.Rule
	points  [][]float64
	choices []int
}

// soundSamples is how many rules each test of soundness looks at: enough that ten faults put into the prover by
// hand are each found.
const soundSamples = 1500

// samples draws the same rules every time.
func samples(t *testing.T, signature func(*rapid.T) *dsl.Signature, check func(t *testing.T, s sample)) {
	gen := rapid.Custom(func(rt *rapid.T) sample {
		s := sample{sig: signature(rt)}
		related(rt, s.sig)
		s.rule = dsltest.Rule(rt, s.sig)
		allow := allowed(s.sig)
		for range 30 {
			if p := inDomain(rt, s.sig); allow(p) {
				s.points = append(s.points, p)
			}
		}
		s.choices = []int{rapid.IntRange(0, 1<<20).Draw(rt, "a"), rapid.IntRange(0, 1<<20).Draw(rt, "b")}
		return s
	})
	for seed := range soundSamples {
		check(t, gen.Example(seed))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func text(s sample) string { return dsl.FormatDecl(s.sig) + dsl.FormatRule(s.rule) }

// What is proved finite is finite at every point, and a witness is one.
func TestFiniteIsSound(t *testing.T) {
	answers := map[Answer]int{}
	samples(t, dsltest.NumSignature, func(t *testing.T, s sample) {
		p := finite(t, s.sig, s.rule, 32)
		answers[p.Answer]++
		if p.Answer != Proved {
			return
		}
		eval := evaluator(s.sig, s.rule)
		for _, point := range s.points {
			if v := eval(point); math.IsInf(v, 0) || v != v {
				t.Fatalf("proved finite, but %v at %v\n%s", v, point, text(s))
			}
		}
	})
	t.Log(answers)
}

// A proved bound holds at every point, where the bound is a value that the rule takes.
func TestEnsureIsSound(t *testing.T) {
	answers := map[Answer]int{}
	ops := []dsl.Op{dsl.Le, dsl.Ge, dsl.Eq, dsl.Ne, dsl.Lt}
	signature := func(rt *rapid.T) *dsl.Signature {
		sig := dsltest.Signature(rt)
		if sig.Result.Kind == dsl.WordKind {
			sig.Result = dsl.NumType
		}
		return sig
	}
	samples(t, signature, func(t *testing.T, s sample) {
		if len(s.points) == 0 {
			return
		}
		eval := evaluator(s.sig, s.rule)
		c := eval(s.points[0])
		if c != c || math.IsInf(c, 0) {
			return
		}
		var e dsl.Expr = &dsl.Binary{Op: ops[s.choices[0]%len(ops)], X: &dsl.Ref{Name: "result"}, Y: &dsl.Num{Value: c}}
		if s.sig.Result.Kind == dsl.BoolKind {
			e = &dsl.Binary{Op: dsl.Eq, X: &dsl.Ref{Name: "result"}, Y: &dsl.Bool{Value: c != 0}}
		}
		check := condition(s.sig, e)
		p := New(s.sig, allowed(s.sig)).Ensure(s.rule, e, eval, check, 32)
		answers[p.Answer]++
		if p.Answer == Refuted {
			checkPoint(t, s.sig, p.Witness)
			if check(p.Witness, eval(p.Witness)) {
				t.Fatalf("%s holds at the witness %v\n%s", dsl.FormatExpr(e), p.Witness, text(s))
			}
		}
		for _, point := range s.points {
			if v := eval(point); p.Answer == Proved && !check(point, v) {
				t.Fatalf("proved %s, but the result is %v at %v\n%s", dsl.FormatExpr(e), v, point, text(s))
			}
		}
	})
	t.Log(answers)
}

// A proved direction has no wrong move between any two points.
func TestShapeIsSound(t *testing.T) {
	answers := map[Answer]int{}
	samples(t, dsltest.NumSignature, func(t *testing.T, s sample) {
		at := s.choices[0] % len(s.sig.Inputs)
		dir := Direction(1 - 2*(s.choices[1]%2))
		name := s.sig.Inputs[at].Name.Text
		p := shape(t, s.sig, s.rule, name, dir, 32)
		answers[p.Answer]++
		if p.Answer != Proved {
			return
		}
		eval, allow := evaluator(s.sig, s.rule), allowed(s.sig)
		for i, a := range s.points {
			b := append([]float64(nil), a...)
			b[at] = s.points[(i+1)%len(s.points)][at]
			if !allow(b) {
				continue
			}
			if a[at] > b[at] {
				a, b = b, a
			}
			if WrongMove(dir, eval(a), eval(b)) {
				t.Fatalf("proved %+d in %s, but %v at %v and %v at %v\n%s", dir, name, eval(a), a, eval(b), b, text(s))
			}
		}
	})
	t.Log(answers)
}

// The two halves of a box hold every point of it: a whole number in one of them, and in a shape proof
// the end at which they meet in both.
func TestHalvesCoverTheBox(t *testing.T) {
	sig := signature(t, "signature priority(a: int in [0, 1e6], b: int in [-9, 9], c: num in [-1e6, 1e6], d: num in [0, 1]) -> num")
	p := New(sig, nil)
	rapid.Check(t, func(rt *rapid.T) {
		box := make([]interval.Value, 4)
		point := make([]float64, 4)
		for i, in := range sig.Inputs {
			x, y, z := inDomain(rt, sig)[i], inDomain(rt, sig)[i], inDomain(rt, sig)[i]
			lo, hi := math.Min(x, math.Min(y, z)), math.Max(x, math.Max(y, z))
			box[i], point[i] = interval.Of(lo, hi), x
			if in.Int && rapid.Bool().Draw(rt, "narrow") {
				box[i].Hi = math.Min(hi, lo+float64(rapid.IntRange(0, 3).Draw(rt, "width")))
				point[i] = math.Min(x, box[i].Hi)
			}
		}
		inside := func(b []interval.Value) bool {
			for i := range b {
				if !b[i].Contains(point[i]) {
					return false
				}
			}
			return true
		}
		size := func(b []interval.Value) (n int) {
			for i := range b {
				if b[i] != box[i] {
					n++
				}
			}
			return n
		}
		a, b, ok := p.split(append([]interval.Value(nil), box...), 0, 0)
		if ok && (!inside(a) && !inside(b) || size(a) == 0 || size(b) == 0) {
			rt.Fatalf("%v is split into %v and %v, which lose %v", box, a, b, point)
		}
		at := rapid.IntRange(0, 3).Draw(rt, "at")
		a, b, ok = p.splitPair(append([]interval.Value(nil), box...), at)
		if ok && (!inside(a) && !inside(b) || size(a) == 0 || size(b) == 0) {
			rt.Fatalf("paired, %v is split into %v and %v, which lose %v", box, a, b, point)
		}
		if ok && a[at] != b[at] && a[at].Hi != b[at].Lo {
			rt.Fatalf("paired, %v is split into %v and %v, which do not meet", box[at], a[at], b[at])
		}
	})
}

// Nor is a number lost between two so close that the logarithms by which a wide domain is divided are equal.
func TestHalvesOfANarrowBoxMeet(t *testing.T) {
	p := New(signature(t, "signature priority(x: num in [-1e8, 1e8]) -> num"), nil)
	for _, lo := range []float64{-9.9e7, -12345678, -0.1, 0, 5e-324, 1e-9, 3, 12345678, 9.9e7} {
		hi := lo
		for range 9 {
			hi = math.Nextafter(hi, math.Inf(1))
			a, b, ok := p.split([]interval.Value{interval.Of(lo, hi)}, 0, 0)
			if !ok || a[0].Lo != lo || b[0].Hi != hi || a[0].Hi < b[0].Lo && math.Nextafter(a[0].Hi, math.Inf(1)) != b[0].Lo {
				t.Errorf("[%v, %v] is split into %v and %v", lo, hi, a, b)
			}
		}
	}
}
