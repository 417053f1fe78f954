package fmath

import (
	"math"
	"math/big"

	"github.com/agentdescent/adrun/dsl/fmath/internal/bigmath"
)

// subject is a function under test with its references and its inputs. Unary
// functions ignore y.
type subject struct {
	name string
	f    func(x, y float64) float64
	fast func(x, y float64) scaled
	slow func(x, y *big.Float) *big.Float
	// The domain is x > above.
	above float64
	// regions draw an input each; the tests take them in turn.
	regions []func(*stream) (x, y float64)
	// edges are thresholds and seams; the tests look at the floats around them.
	edges []point
}

type point struct{ x, y float64 }

func subjects() []subject {
	return []subject{expSubject(), logSubject(), log1pSubject(), tanhSubject(), powSubject()}
}

func expSubject() subject {
	s := unary("Exp", Exp, bigmath.Exp, func(x float64) scaled { return refExp(dd{hi: x}) })
	step := math.Ln2 / (1 << expTableBits)
	s.regions = []func(*stream) (x, y float64){
		func(s *stream) (x, y float64) { return s.within(-745, 709.7), 0 },
		func(s *stream) (x, y float64) { return s.within(-1, 1), 0 },
		func(s *stream) (x, y float64) { return s.sign(s.between(0x1p-60, 709)), 0 },
		func(s *stream) (x, y float64) { return s.within(-745.2, -708), 0 }, // subnormal
		func(s *stream) (x, y float64) { return s.within(709, 709.79), 0 },
		func(s *stream) (x, y float64) { // seams
			return s.near(float64((s.within(-1e5, 1e5) + 0.5) * step)), 0
		},
	}
	for k := -137000; k < 131000; k += 467 {
		s.edges = append(s.edges, point{x: float64((float64(k) + 0.5) * step)})
	}
	for _, x := range []float64{0x1p-1074, 0x1p-54, 1, 512, -512, -708.3964185322641, -745.1332191019411, -745.1332191019412, 709.782712893384} {
		s.edges = append(s.edges, point{x: x})
	}
	return s
}

func logSubject() subject {
	s := unary("Log", Log, bigmath.Log, func(x float64) scaled { return scaled{m: refLog(dd{hi: x})} })
	s.regions = []func(*stream) (x, y float64){
		func(s *stream) (x, y float64) { return s.between(0x1p-1074, math.MaxFloat64), 0 },
		func(s *stream) (x, y float64) { return s.within(0, 100), 0 },
		func(s *stream) (x, y float64) { return s.within(0.98, 1.02), 0 },
		func(s *stream) (x, y float64) { return 1 + s.sign(s.between(0x1p-52, 0.01)), 0 },
		func(s *stream) (x, y float64) { return s.between(0.5, 2), 0 },
		func(s *stream) (x, y float64) { return s.between(0x1p-1074, 0x1p-1022), 0 },
		func(s *stream) (x, y float64) { return s.near(logSeam(int(s.next() % 128))), 0 },
	}
	s.above = 0
	for i := range 1 << logTableBits {
		s.edges = append(s.edges, point{x: logSeam(i)}, point{x: math.Ldexp(logSeam(i), 3*i-200)})
	}
	for _, x := range []float64{0x1p-1074, 0x1p-1022, 1, 2, math.MaxFloat64} {
		s.edges = append(s.edges, point{x: x})
	}
	return s
}

// logSeam returns the start of the i-th interval of the logarithm's table.
func logSeam(i int) float64 {
	return math.Float64frombits(logOffset + uint64(i)<<(52-logTableBits))
}

func log1pSubject() subject {
	s := unary("Log1p", Log1p, bigmath.Log1p, func(x float64) scaled { return scaled{m: refLog1p(x)} })
	s.regions = []func(*stream) (x, y float64){
		func(s *stream) (x, y float64) { return s.between(0x1p-1074, math.MaxFloat64), 0 },
		func(s *stream) (x, y float64) { return -s.between(0x1p-1074, 1-0x1p-53), 0 },
		func(s *stream) (x, y float64) { return s.within(-1+0x1p-53, 1), 0 },
		func(s *stream) (x, y float64) { return s.within(0, 100), 0 },
		func(s *stream) (x, y float64) { return s.sign(s.between(0x1p-56, 0.02)), 0 },
		func(s *stream) (x, y float64) { return s.between(1, 0x1p70), 0 },
		func(s *stream) (x, y float64) { return s.between(0x1p-53, 1) - 1, 0 },
		func(s *stream) (x, y float64) { return s.near(logSeam(int(s.next()%128)) - 1), 0 },
	}
	s.above = -1
	for i := range 1 << logTableBits {
		s.edges = append(s.edges, point{x: logSeam(i) - 1}, point{x: math.Ldexp(logSeam(i), i/2) - 1})
	}
	for _, x := range []float64{0x1p-1074, 0x1p-54, -0x1p-54, 0x1p-8, -0x1p-8, 1, -0.5, 0x1p53, 0x1p62, -1 + 0x1p-40, math.MaxFloat64} {
		s.edges = append(s.edges, point{x: x})
	}
	return s
}

func tanhSubject() subject {
	s := unary("Tanh", Tanh, bigmath.Tanh, func(x float64) scaled { return scaled{m: refTanh(x)} })
	s.regions = []func(*stream) (x, y float64){
		func(s *stream) (x, y float64) { return s.sign(s.between(0x1p-1074, 20)), 0 },
		func(s *stream) (x, y float64) { return s.within(-20, 20), 0 },
		func(s *stream) (x, y float64) { return s.within(-2, 2), 0 },
		func(s *stream) (x, y float64) { return s.within(-0.6, 0.6), 0 },
		func(s *stream) (x, y float64) { return s.sign(s.between(0x1p-30, 0x1p-3)), 0 },
		func(s *stream) (x, y float64) { return s.within(18, 19.1), 0 },
	}
	step := math.Ln2 / (2 << expTableBits)
	for k := 92; k < 7000; k += 17 {
		s.edges = append(s.edges, point{x: float64((float64(k) + 0.5) * step)})
	}
	for _, x := range []float64{0x1p-1074, 0x1p-28, -0x1p-28, tanhSmall, -tanhSmall, 1, 19.0625, 19.061547465398498} {
		s.edges = append(s.edges, point{x: x})
	}
	return s
}

func powSubject() subject {
	s := subject{name: "Pow", f: Pow, fast: refPow, slow: bigmath.Pow}
	// reaching returns x with the y that takes log(x**y) to t. It uses the Log
	// under test: the inputs must be the same everywhere.
	reaching := func(x, t float64) (float64, float64) {
		l := Log(x)
		if l == 0 {
			return 2, 1
		}
		return x, max(-0x1p62, min(t/l, 0x1p62))
	}
	s.regions = []func(*stream) (x, y float64){
		func(s *stream) (x, y float64) { return s.within(0, 100), s.within(-10, 10) },
		func(s *stream) (x, y float64) { // every result from every base
			return reaching(s.between(0x1p-1074, math.MaxFloat64), s.within(-745, 709.7))
		},
		func(s *stream) (x, y float64) { // great exponents
			return reaching(1+s.sign(s.between(0x1p-52, 0.02)), s.within(-745, 709.7))
		},
		func(s *stream) (x, y float64) { return reaching(s.within(0.5, 2), s.within(-745.2, -708)) }, // subnormal
		func(s *stream) (x, y float64) { return reaching(s.within(0, 50), s.within(709.7, 709.79)) },
		func(s *stream) (x, y float64) { // results near 1
			return reaching(s.between(0x1p-1074, math.MaxFloat64), s.sign(s.between(0x1p-60, 0.01)))
		},
		func(s *stream) (x, y float64) { // negative bases
			return -s.within(0.0001, 10000), math.Round(s.within(-70, 70))
		},
		func(s *stream) (x, y float64) { // roots and small powers
			ys := [...]float64{0.5, -0.5, 1.5, 2, 3, -1, -2, 4, 0.25, 1 / 3., 2 / 3., 0.1}
			return s.between(0x1p-255, 0x1p255), ys[s.next()%uint64(len(ys))]
		},
		func(s *stream) (x, y float64) { return s.within(0, 1), s.within(0, 5) },
		func(s *stream) (x, y float64) { return s.near(logSeam(int(s.next() % 128))), s.within(-1000, 1000) },
	}
	for i := range 1 << logTableBits {
		s.edges = append(s.edges, point{logSeam(i), 3.7}, point{logSeam(i), -0.5})
	}
	for _, y := range []float64{0.5, 1, -1, 1.0000000000000002, 1e15, -1e15, 1024, -1074, -1075} {
		for _, x := range []float64{1, 2, 10, 0.5} {
			if l := y * math.Log(x); l > -746 && l < 710 {
				s.edges = append(s.edges, point{x, y})
			}
		}
	}
	return s
}

func unary(name string, f func(float64) float64, slow func(*big.Float) *big.Float, fast func(float64) scaled) subject {
	return subject{
		name:  name,
		above: -inf,
		f:     func(x, _ float64) float64 { return f(x) },
		fast:  func(x, _ float64) scaled { return fast(x) },
		slow:  func(x, _ *big.Float) *big.Float { return slow(x) },
	}
}
