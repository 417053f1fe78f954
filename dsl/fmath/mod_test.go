package fmath

import (
	"math"
	"math/big"
	"testing"
)

// Expected values are CPython's: [x % y for ...] on floats.
func TestModIsPythons(t *testing.T) {
	for _, c := range []struct{ x, y, want float64 }{
		{5, 3, 2}, {-5, 3, 1}, {5, -3, -1}, {-5, -3, -2}, {6, 3, 0}, {-6, 3, 0}, {6, -3, zero}, {-6, -3, zero},
		{0, 3, 0}, {zero, 3, 0}, {0, -3, zero}, {zero, -3, zero},
		{-1e-20, 3, 3}, {1e-20, -3, -3}, // the addition rounds
		{1, inf, 1}, {-1, inf, inf}, {1, -inf, -inf}, {-1, -inf, -1}, {0, -inf, zero}, {zero, inf, 0},
		{5.5, 1, 0.5}, {-5.5, 1, 0.5}, {1e308, 3, 2}, {1, 0x1p-1074, 0},
		{0x1.8p-1060, 0x1p-1060, 0x1p-1061}, {3 * 0x1p-1074, 0x1p-1073, 0x1p-1074},
	} {
		if got := Mod(c.x, c.y); !same(got, c.want) {
			t.Errorf("Mod(%v, %v) = %v, want %v", c.x, c.y, got, c.want)
		}
	}
	for _, c := range [][2]float64{{1, 0}, {1, zero}, {0, 0}, {inf, 1}, {-inf, 1}, {inf, inf}, {nan, 1}, {1, nan}, {nan, nan}, {inf, nan}, {nan, 0}, {1, -nan}} {
		if got := Mod(c[0], c[1]); !same(got, nan) {
			t.Errorf("Mod(%v, %v) = %v (%#x), want the canonical NaN", c[0], c[1], got, math.Float64bits(got))
		}
	}
}

func TestModIsExact(t *testing.T) {
	s := stream(4)
	for i := range 20000 {
		y := s.between(0x1p-1074, math.MaxFloat64)
		var x float64
		if i%2 == 0 {
			x = s.between(0x1p-1074, math.MaxFloat64)
		} else { // a quotient of ordinary size
			x = min(y*math.Ldexp(s.unit(), int(s.next()%60)), math.MaxFloat64)
		}
		if s.next()&1 != 0 {
			x = -x
		}
		if s.next()&1 != 0 {
			y = -y
		}
		if got, want := Mod(x, y), bigMod(x, y); !same(got, want) {
			t.Fatalf("Mod(%v, %v) = %v, want %v", x, y, got, want)
		}
	}
}

// bigMod is Mod over whole multiples of 2^-1074.
func bigMod(x, y float64) float64 {
	whole := func(f float64) *big.Int {
		i, _ := new(big.Float).SetMantExp(big.NewFloat(f), 1074).Int(nil)
		return i
	}
	r := new(big.Int).Rem(whole(x), whole(y))
	f, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(r), -1074).Float64()
	if f == 0 {
		return math.Copysign(0, y)
	}
	if (f < 0) != (y < 0) {
		f += y
	}
	return f
}
