package fmath

import (
	"math"
	"testing"
)

var (
	inf  = math.Inf(1)
	nan  = math.NaN()
	zero = math.Copysign(0, -1) // minus zero
)

// same compares bits, so that it tells -0 from 0 and holds NaN to the canonical
// one.
func same(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }

type unaryCase struct{ x, want float64 }

func TestSpecialValues(t *testing.T) {
	odd := math.Float64frombits(0xfff8000000abcdef) // a NaN with sign and payload
	signalling := math.Float64frombits(0x7ff0000000000001)
	for name, tc := range map[string]struct {
		f     func(float64) float64
		cases []unaryCase
	}{
		"Exp": {Exp, []unaryCase{
			{0, 1}, {zero, 1}, {inf, inf}, {-inf, 0}, {0x1p-1074, 1}, {-0x1p-60, 1},
			// The largest argument that does not overflow, the smallest that does,
			// and the same for underflow to 0 (fdlibm's e_exp.c names both).
			{math.Nextafter(0x1.62e42fefa39efp9, inf), inf}, {1e308, inf},
			{-0x1.74910d52d3051p9, 0x1p-1074}, {-0x1.74910d52d3052p9, 0}, {-1e308, 0},
		}},
		"Log": {Log, []unaryCase{
			{1, 0}, {0, -inf}, {zero, -inf}, {inf, inf}, {-1, nan}, {-inf, nan}, {-0x1p-1074, nan},
		}},
		"Log1p": {Log1p, []unaryCase{
			{0, 0}, {zero, zero}, {inf, inf}, {-1, -inf}, {-inf, nan}, {math.Nextafter(-1, -2), nan},
			{0x1p-1074, 0x1p-1074}, {-0x1p-1074, -0x1p-1074}, {0x1p-60, 0x1p-60},
		}},
		"Tanh": {Tanh, []unaryCase{
			{0, 0}, {zero, zero}, {inf, 1}, {-inf, -1}, {20, 1}, {-20, -1}, {1e308, 1},
			{0x1p-1074, 0x1p-1074}, {-0x1p-1022, -0x1p-1022},
		}},
	} {
		for _, c := range append(tc.cases, unaryCase{nan, nan}, unaryCase{odd, nan}, unaryCase{-odd, nan}, unaryCase{signalling, nan}) {
			if got := tc.f(c.x); !same(got, c.want) {
				t.Errorf("%s(%v) = %v (%#x), want %v", name, c.x, got, math.Float64bits(got), c.want)
			}
		}
	}
}

// The cases of C99 F.9.4.4.
func TestPowSpecialValues(t *testing.T) {
	const big, even, odd = 0x1p1000, 0x1p53, 0x1p53 - 1
	for _, c := range []struct{ x, y, want float64 }{
		{0, -3, inf}, {zero, -3, -inf}, {zero, -odd, -inf}, {zero, -even, inf}, {zero, -2.5, inf}, {0, -inf, inf}, {zero, -inf, inf},
		{0, 3, 0}, {zero, 3, zero}, {zero, odd, zero}, {zero, even, 0}, {zero, 2.5, 0}, {zero, inf, 0}, {zero, big, 0},
		{-1, inf, 1}, {-1, -inf, 1}, {-1, big, 1}, {-1, even, 1}, {-1, odd, -1}, {-1, -3, -1}, {-1, 2.5, nan},
		{1, nan, 1}, {1, inf, 1}, {1, big, 1}, {nan, 0, 1}, {nan, zero, 1}, {inf, 0, 1}, {0, 0, 1}, {-2, zero, 1},
		{nan, 1, nan}, {2, nan, nan}, {nan, nan, nan}, {-1, nan, nan}, {inf, nan, nan}, {0, nan, nan},
		{-2, 0.5, nan}, {-0x1p-1074, -1.5, nan}, {-big, 1 / 3., nan},
		{0.5, -inf, inf}, {-0.5, -inf, inf}, {2, -inf, 0}, {-2, -inf, 0},
		{0.5, inf, 0}, {-0.5, inf, 0}, {2, inf, inf}, {-2, inf, inf},
		{-inf, -3, zero}, {-inf, -2, 0}, {-inf, -2.5, 0}, {-inf, 3, -inf}, {-inf, 2, inf}, {-inf, 2.5, inf},
		{inf, 0x1p-1074, inf}, {inf, -0x1p-1074, 0}, {inf, inf, inf}, {inf, -inf, 0}, {-inf, inf, inf}, {-inf, -inf, 0},
		// Overflow and underflow keep the sign of an odd power.
		{-2, 1025, -inf}, {-2, -1077, zero}, {-2, 1024, inf}, {-big, odd, -inf}, {-big, -odd, zero}, {-0x1p-1074, odd, zero},
		{math.Nextafter(1, 0), big, 0}, {math.Nextafter(1, 2), big, inf}, {math.Nextafter(1, 0), -big, inf}, {math.Nextafter(-1, -2), big, inf},
		{3, 0x1p-1074, 1}, {0x1p-1074, 0x1p-1074, 1}, {math.MaxFloat64, -0x1p-1000, 1},
	} {
		if got := Pow(c.x, c.y); !same(got, c.want) {
			t.Errorf("Pow(%v, %v) = %v (%#x), want %v", c.x, c.y, got, math.Float64bits(got), c.want)
		}
	}
}

// Where the true value is a float64 it is returned.
func TestPowExact(t *testing.T) {
	check := func(x, y, want float64) {
		t.Helper()
		if got := Pow(x, y); !same(got, want) {
			t.Errorf("Pow(%v, %v) = %v, want %v", x, y, got, want)
		}
	}
	for n := -1074; n <= 1023; n++ {
		check(2, float64(n), math.Ldexp(1, n))
		check(0.5, float64(-n), math.Ldexp(1, n))
		sign := float64(1 - 2*(n&1))
		check(-2, float64(n), math.Ldexp(sign, n))
	}
	for base := 2.0; base <= 1000; base++ {
		power := base
		for n := 1.0; power < 0x1p53; n++ {
			check(base, n, power)
			check(-base, n, math.Copysign(power, math.Pow(-1, n)))
			power *= base
		}
		check(base*base, 0.5, base)
		check(base*base, -0.5, 1/base)
		check(base*base*base*base, 0.25, base)
		check(base*base, 1.5, base*base*base)
	}
	s := stream(3)
	for range 10000 {
		x := s.between(0x1p-1074, math.MaxFloat64)
		check(x, 1, x)
		check(-x, 1, -x)
	}
}
