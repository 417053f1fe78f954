// Package interval computes what a float64 program can yield: for operands known to lie in
// intervals, an interval that holds every result the language's evaluators can return for them.
//
// It bounds the floating-point operation, not the real one. The operators and sqrt round
// correctly, hence monotonically, so their bounds are the rounded bounds and nothing is widened:
// a value that is exact stays a point. The functions of dsl/fmath are within one ulp of the
// correctly rounded result, so their bounds move outwards by two ulps, except where the result
// is exact.
//
// All functions are pure and allocate nothing.
package interval

import "math"

// Value is a set of float64 values: everything in [Lo, Hi], which may include the infinities, NaN
// if NaN is set, and negative zero only if NegZero is set. Lo > Hi means that no number is in the
// set. A truth value is an interval within [0, 1]: 0 is false, 1 is true.
type Value struct {
	Lo, Hi  float64
	NaN     bool
	NegZero bool
}

var (
	inf  = math.Inf(1)
	ninf = math.Inf(-1)
)

// Point returns the set that holds x alone.
func Point(x float64) Value {
	if x != x {
		return Value{Lo: inf, Hi: ninf, NaN: true}
	}
	if x == 0 {
		return Value{NegZero: math.Signbit(x)}
	}
	return Value{Lo: x, Hi: x}
}

// Of returns the set of the numbers in [lo, hi] without negative zero.
func Of(lo, hi float64) Value { return Value{Lo: lo, Hi: hi} }

// Truth returns the point 1 for true and 0 for false.
func Truth(b bool) Value {
	if b {
		return Value{Lo: 1, Hi: 1}
	}
	return Value{}
}

// Maybe is a truth value of which nothing is known.
func Maybe() Value { return Value{Lo: 0, Hi: 1} }

// Empty returns the set that holds nothing.
func Empty() Value { return Value{Lo: inf, Hi: ninf} }

// Any returns the set of all float64 values.
func Any() Value { return Value{Lo: ninf, Hi: inf, NaN: true, NegZero: true} }

// IsEmpty reports whether no number is in the set; NaN may be.
func (v Value) IsEmpty() bool { return v.Lo > v.Hi }

// IsPoint reports whether the set holds exactly one number and no NaN.
func (v Value) IsPoint() bool { return v.Lo == v.Hi && !v.NaN }

// Finite reports whether every value of the set is a finite number.
func (v Value) Finite() bool {
	return !v.NaN && v.Lo >= -math.MaxFloat64 && v.Hi <= math.MaxFloat64
}

// Contains reports whether x is in the set.
func (v Value) Contains(x float64) bool {
	switch {
	case x != x:
		return v.NaN
	case x == 0 && math.Signbit(x):
		return v.NegZero && v.Lo <= 0 && v.Hi >= 0
	}
	return v.Lo <= x && x <= v.Hi
}

// IsTrue and IsFalse report a decided truth value.
func (v Value) IsTrue() bool { return v.Lo == 1 && v.Hi == 1 }

// IsFalse reports whether the truth value is false.
func (v Value) IsFalse() bool { return v.Lo == 0 && v.Hi == 0 }

// Join returns the smallest set that holds both.
func Join(a, b Value) Value {
	return Value{
		Lo: math.Min(a.Lo, b.Lo), Hi: math.Max(a.Hi, b.Hi),
		NaN: a.NaN || b.NaN, NegZero: a.NegZero || b.NegZero,
	}
}

// hasZero reports whether a zero of either sign is in the set.
func (v Value) hasZero() bool { return v.Lo <= 0 && v.Hi >= 0 }

// mayBeInf reports whether an infinity is in the set.
func (v Value) mayBeInf() bool { return v.Lo == ninf || v.Hi == inf }

// nonNegative reports that no member carries a minus sign.
func (v Value) nonNegative() bool { return v.Lo >= 0 && !v.NegZero }

// nonPositive reports that no member is above zero and positive zero is not a member.
func (v Value) nonPositive() bool { return v.Hi < 0 }

// onlyNaN is the result of an operation whose operands hold no numbers.
func onlyNaN(nan bool) Value { return Value{Lo: inf, Hi: ninf, NaN: nan} }

// hull widens [lo, hi] to hold x, where a NaN x stands for a product 0·∞ that bounds nothing.
func hull(lo, hi, x float64) (float64, float64) {
	if x < lo {
		lo = x
	}
	if x > hi {
		hi = x
	}
	return lo, hi
}

// down and up move a bound outwards by n ulps. Zero and the infinity on the far side stay;
// a bound at the near infinity becomes finite, which is what an overflow that was rounded
// down would have been.
func down(x float64, n int) float64 {
	for ; n > 0; n-- {
		x = math.Nextafter(x, ninf)
	}
	return x
}

func up(x float64, n int) float64 {
	for ; n > 0; n-- {
		x = math.Nextafter(x, inf)
	}
	return x
}
