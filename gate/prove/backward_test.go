package prove

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/gate/interval"
)

// edges are numbers at which roundings, the subnormal range and the infinities begin.
var edges = []float64{
	0, 5e-324, 1e-323, 0x1p-1022, 1e-200, 1e-170, 1.5e-162, 2.2e-162, 1e-8, 0.5, 1, 1.5, 2, 3, 36, 709.5, 710, 744.1, 744.9, 745.1, 746,
	0x1p52, 0x1p53 - 1, 0x1p53, 0x1p53 + 2, 0x1p53 + 4, 0x1p60, 1e100, 1.3e154, 1.4e154, 1e200, math.MaxFloat64, math.Inf(1),
}

// What an operation yields for two numbers must, narrowed to that, leave the two numbers in reach.
func TestNarrowingKeepsTheOperands(t *testing.T) {
	ops := map[op]func(x, y float64) float64{
		opNeg:    func(x, _ float64) float64 { return -x },
		opAdd:    func(x, y float64) float64 { return x + y },
		opSub:    func(x, y float64) float64 { return x - y },
		opMul:    func(x, y float64) float64 { return x * y },
		opDiv:    func(x, y float64) float64 { return x / y },
		opMin:    func(x, y float64) float64 { return min(x, y) },
		opMax:    func(x, y float64) float64 { return max(x, y) },
		opAbs:    func(x, _ float64) float64 { return math.Abs(x) },
		opSquare: func(x, _ float64) float64 { return x * x },
		opSqrt:   func(x, _ float64) float64 { return math.Sqrt(x) },
		opLog:    func(x, _ float64) float64 { return fmath.Log(x) },
		opLog1p:  func(x, _ float64) float64 { return fmath.Log1p(x) },
		opExp:    func(x, _ float64) float64 { return fmath.Exp(x) },
		opFloor:  func(x, _ float64) float64 { return math.Floor(x) },
		opCeil:   func(x, _ float64) float64 { return math.Ceil(x) },
	}
	rng := rand.New(rand.NewPCG(1, 2))
	number := func() float64 {
		x := edges[rng.IntN(len(edges))]
		if rng.IntN(3) == 0 {
			x = math.Float64frombits(rng.Uint64() &^ (1 << 63))
		}
		if rng.IntN(2) == 0 {
			x = -x
		}
		return x + 0 // hosts pass no negative zero
	}
	sig := signature(t, "signature s.priority(x: num in [0, 1], y: num in [0, 1]) -> num")
	for o, f := range ops {
		w := New(sig, nil).lowerer()
		id := w.binary(o, 0, 1)
		if o == opNeg || o == opSquare || o >= opAbs {
			id = w.unary(o, 0)
		}
		for range 20000 {
			x, y := number(), number()
			z := f(x, y)
			if x != x || y != y || z != z {
				continue
			}
			s := state{fuel: narrowFuel}
			s.reset(w.graph)
			s.vals[0], s.vals[1] = interval.Any(), interval.Any()
			if rng.IntN(2) == 0 {
				s.vals[1] = interval.Point(y)
			}
			s.define(id)
			if !s.narrow(id, z, z) || !s.vals[0].Contains(x) || !s.vals[1].Contains(y) {
				t.Fatalf("operation %d of %v and %v is %v; narrowed to that, the operands are %v and %v", o, x, y, z, s.vals[0], s.vals[1])
			}
		}
	}
}
