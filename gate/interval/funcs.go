package interval

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// slack is by how many ulps the functions of dsl/fmath may make a bound wrong: the bound itself
// and the value it bounds are each within one of the correctly rounded result.
const slack = 2

// Exp returns e to the power a.
func Exp(a Value) Value {
	if a.IsEmpty() {
		return onlyNaN(a.NaN)
	}
	if a.Lo == 0 && a.Hi == 0 {
		return Value{Lo: 1, Hi: 1, NaN: a.NaN}
	}
	lo := math.Max(down(fmath.Exp(a.Lo), slack), 0)
	return Value{Lo: lo, Hi: widenUp(fmath.Exp(a.Hi), a.Hi), NaN: a.NaN}
}

// widenUp widens an upper bound; the function's value at -∞ is exact.
func widenUp(y, x float64) float64 {
	if x == ninf {
		return y
	}
	return up(y, slack)
}

// Log returns the natural logarithm: -∞ at zero, NaN below.
func Log(a Value) Value {
	return logLike(a, 0, 1, fmath.Log)
}

// Log1p returns log(1 + a): -∞ at -1, NaN below.
func Log1p(a Value) Value {
	v := logLike(a, -1, 0, fmath.Log1p)
	v.NegZero = a.NegZero
	return v
}

// logLike bounds a logarithm with its pole at pole and its root at root. A relative error leaves
// the sign of the result alone, so a bound at the root stays zero.
func logLike(a Value, pole, root float64, f func(float64) float64) Value {
	if a.IsEmpty() || a.Hi < pole {
		return onlyNaN(a.NaN || a.Hi < pole)
	}
	out := Value{Lo: ninf, NaN: a.NaN || a.Lo < pole}
	if a.Lo > pole {
		out.Lo = outward(f(a.Lo), a.Lo == root, down)
	}
	out.Hi = outward(f(a.Hi), a.Hi == root || a.Hi == pole, up)
	return out
}

// outward moves the bound y by the slack unless it is exact or infinite.
func outward(y float64, exact bool, move func(float64, int) float64) float64 {
	if exact || math.IsInf(y, 0) {
		return y
	}
	return move(y, slack)
}

// Tanh returns the hyperbolic tangent.
func Tanh(a Value) Value {
	if a.IsEmpty() {
		return onlyNaN(a.NaN)
	}
	return Value{
		Lo:  math.Max(outward(fmath.Tanh(a.Lo), a.Lo == 0, down), -1),
		Hi:  math.Min(outward(fmath.Tanh(a.Hi), a.Hi == 0, up), 1),
		NaN: a.NaN, NegZero: a.NegZero || (a.Lo < 0 && a.Hi >= 0),
	}
}

// Pow returns a to the power b. Exponents 2 and 3 known at that point are products in the
// language; callers use Square and Cube for the operator.
func Pow(a, b Value) Value {
	if a.IsEmpty() || b.IsEmpty() {
		// pow(NaN, 0) and pow(1, NaN) are 1.
		return Any()
	}
	if a.IsPoint() && b.IsPoint() && !a.hasZero() {
		return pointPow(a.Lo, b.Lo)
	}
	out := Empty()
	if pos := (Value{Lo: math.Max(a.Lo, 0), Hi: a.Hi}); !pos.IsEmpty() {
		out = Join(out, powPositive(pos, b))
	}
	if a.Lo < 0 || a.NegZero {
		out = Join(out, powNegative(Value{Lo: a.Lo, Hi: math.Min(a.Hi, 0)}, b))
	}
	if a.NaN || b.NaN {
		out.NaN = true
		if a.NaN && b.hasZero() || b.NaN && a.Contains(1) {
			out = Join(out, Point(1))
		}
	}
	return out
}

// pointPow bounds the power of two numbers: exactly where the result is, as for small whole powers.
func pointPow(x, y float64) Value {
	r := fmath.Pow(x, y)
	if math.IsInf(r, 0) || r != r || y == 0 || x == 1 || exactPow(x, y, r) {
		return Point(r)
	}
	v := Value{Lo: down(r, slack), Hi: up(r, slack)}
	v.NegZero = v.hasZero() && x < 0
	return v
}

// exactPow reports whether r is x multiplied by itself y times without a rounding.
func exactPow(x, y, r float64) bool {
	if y != math.Trunc(y) || y < 0 || y > 64 {
		return false
	}
	p := 1.0
	for ; y > 0; y-- {
		q := p * x
		if math.FMA(p, x, -q) != 0 || math.Abs(q) < 0x1p-900 {
			return false
		}
		p = q
	}
	return p == r
}

// powPositive bounds x**y for x ≥ +0: monotone in either operand while the other stays, so the
// extremes are at corners.
func powPositive(x, y Value) Value {
	lo, hi := inf, ninf
	for _, a := range [2]float64{x.Lo, x.Hi} {
		for _, b := range [2]float64{y.Lo, y.Hi} {
			r := fmath.Pow(a, b)
			if b == 0 || a == 1 {
				r = 1
			}
			lo, hi = hull(lo, hi, r)
		}
	}
	// An infinite exponent: |x| = 1 gives 1 between the limits at either side.
	if y.mayBeInf() && x.Contains(1) {
		lo, hi = hull(lo, hi, 1)
	}
	exactLo, exactHi := lo == 0, math.IsInf(hi, 0) || hi == 0
	if y.IsPoint() && y.Lo == 0 {
		exactLo, exactHi = true, true
	}
	if !exactLo {
		lo = math.Max(down(lo, slack), 0)
	}
	if !exactHi {
		hi = up(hi, slack)
	}
	return Value{Lo: lo, Hi: hi}
}

// powNegative bounds x**y for x ≤ -0: the power of the magnitude with the sign of a whole
// exponent's parity, NaN for an exponent that is not whole.
func powNegative(x, y Value) Value {
	mag := powPositive(Neg(x), y)
	if !y.IsPoint() {
		return Value{Lo: -mag.Hi, Hi: mag.Hi, NaN: true, NegZero: true}
	}
	switch {
	case math.IsInf(y.Lo, 0):
		return mag
	case y.Lo != math.Trunc(y.Lo):
		return Value{Lo: math.Min(mag.Lo, 0), Hi: mag.Hi, NaN: x.Lo < 0}
	case math.Mod(y.Lo, 2) != 0:
		out := Neg(mag)
		out.NegZero = true
		return out
	}
	return mag
}
