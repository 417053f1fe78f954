package reflector

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// The strategy finds the optimum of functions on which it is known to work, within evaluations of the order that
// Hansen's tutorial reports: the sphere, an ellipsoid with axes 1 to 1000 that no coordinate is alone in, and Rosenbrock's
// valley.
func TestCMAFindsOptima(t *testing.T) {
	for name, tt := range map[string]struct {
		f      func(x []float64) float64
		budget int
	}{
		"sphere": {func(x []float64) float64 { return dot(x, x) }, 2000},
		"ellipsoid": {func(x []float64) float64 {
			sum, run := 0.0, 0.0
			for i, v := range x {
				run += v
				sum += math.Pow(1000, 2*float64(i)/float64(len(x)-1)) * run * run
			}
			return sum
		}, 8000},
		"rosenbrock": {func(x []float64) float64 {
			sum := 0.0
			for i := range len(x) - 1 {
				a, b := x[i+1]-x[i]*x[i], 1-x[i]
				sum += 100*a*a + b*b
			}
			return sum
		}, 8000},
	} {
		start, scale := []float64{3, -2, 1, 0.5, -0.5, 2}, []float64{1, 1, 1, 1, 1, 1}
		s := newCMA(start, scale, rand.New(rand.NewPCG(1, 2)))
		asked := 0
		for asked < tt.budget && tt.f(s.mean) > 1e-9 {
			points := s.ask()
			worth := make([]float64, len(points))
			for i, x := range points {
				worth[i] = -tt.f(x)
			}
			s.tell(worth)
			asked += len(points)
		}
		if best := tt.f(s.mean); best > 1e-9 {
			t.Errorf("%s: %g after %d evaluations", name, best, asked)
		}
	}
}

// One coordinate is a search too, and a plateau is no reason for numbers to run out.
func TestCMAOnALineAndAPlateau(t *testing.T) {
	s := newCMA([]float64{5}, []float64{0.1}, rand.New(rand.NewPCG(1, 2)))
	for range 60 {
		points := s.ask()
		worth := make([]float64, len(points))
		for i, x := range points {
			worth[i] = -math.Abs(x[0] - 2)
		}
		s.tell(worth)
	}
	if math.Abs(s.mean[0]-2) > 1e-3 {
		t.Errorf("the minimum of |x - 2| is at %g?", s.mean[0])
	}
	for range 500 {
		s.tell(make([]float64, len(s.ask())))
	}
	if math.IsNaN(s.mean[0]) || math.Abs(s.mean[0]-2) > 1 {
		t.Errorf("a plateau moved the mean to %g", s.mean[0])
	}
}

// What may move, and how: not exponents; whole values where they are compared with whole ones.
func TestTunables(t *testing.T) {
	sig := parseSignature(t, testSignature)
	g := newGate(t, sig)
	v := g.Check("rule pick(a, b, x) {\n  if b - a <= 7 { return 0.5 }\n  if 2 < x { return x ** 2 }\n  return pow(abs(x), 1.5) * 3\n}\n")
	if !v.OK {
		t.Fatal(v.Diags)
	}
	var got []float64
	for _, c := range tunables(newVocabulary(sig), v.Rule) {
		got = append(got, c.at.Value)
		if c.whole != (c.at.Value == 7) {
			t.Errorf("%v: whole is %v", c.at.Value, c.whole)
		}
	}
	want := []float64{7, 0.5, 2, 3}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

// A breeder of constants finds those of a rule whose form is right, and leaves the form alone.
func TestBreederOfConstants(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		pc, b := newLease(t, seed, 12000)
		v := b.gate.Check("rule pick(a, b, x) { return abs(b - a - 15) + 0.5 * x }\n")
		if !v.OK {
			t.Fatal(v.Diags)
		}
		pc.Candidate = &slots.Candidate{Identity: dsl.Identity(v.Rule), Rule: v.Rule, Program: v.Program}
		p, err := Breeder{Constants: true}.Propose(context.Background(), pc)
		if err != nil || p.Rule == nil {
			t.Fatalf("seed %d: %v, %v", seed, p, err)
		}
		r := b.gate.Check(dsl.FormatRule(p.Rule)).Rule
		consts := tunables(newVocabulary(pc.Signature), r)
		if len(consts) != 2 || math.Abs(consts[0].at.Value-7) > 0.1 || math.Abs(consts[1].at.Value-2) > 0.1 {
			t.Errorf("seed %d: %s", seed, dsl.FormatRule(p.Rule))
		}
		for _, r := range b.admits {
			if dsl.Ops(r) != dsl.Ops(v.Rule) {
				t.Fatalf("another form was bred:\n%s", dsl.FormatRule(r))
			}
		}
	}
}

// A rule without constants has nothing to tune: the breeder of constants says so without an error.
func TestBreederOfConstantsWithout(t *testing.T) {
	pc, b := newLease(t, 1, 500)
	v := b.gate.Check("rule pick(a, b) { return b - a }\n")
	pc.Candidate = &slots.Candidate{Identity: dsl.Identity(v.Rule), Rule: v.Rule, Program: v.Program}
	p, err := Breeder{Constants: true}.Propose(context.Background(), pc)
	if err != nil || p.Rule != nil {
		t.Errorf("got %v, %v", p, err)
	}
}
