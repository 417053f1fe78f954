package interval

import "math"

// Neg returns -a.
func Neg(a Value) Value {
	return Value{Lo: 0 - a.Hi, Hi: 0 - a.Lo, NaN: a.NaN, NegZero: a.Lo <= 0 && a.Hi >= 0}
}

// Add returns a + b.
func Add(a, b Value) Value {
	nan := a.NaN || b.NaN
	if a.IsEmpty() || b.IsEmpty() {
		return onlyNaN(nan)
	}
	if (a.Lo == ninf && b.Hi == inf) || (a.Hi == inf && b.Lo == ninf) {
		nan = true
	}
	lo, hi := a.Lo+b.Lo, a.Hi+b.Hi
	if lo != lo {
		lo = ninf
	}
	if hi != hi {
		hi = inf
	}
	return Value{Lo: lo, Hi: hi, NaN: nan, NegZero: a.NegZero && b.NegZero}
}

// Sub returns a - b.
func Sub(a, b Value) Value {
	d := Add(a, Value{Lo: 0 - b.Hi, Hi: 0 - b.Lo, NaN: b.NaN})
	// -0 - +0 is the only difference that is negative zero; +0 may hide in any set around zero.
	d.NegZero = a.NegZero && b.hasZero()
	return d
}

// Mul returns a * b for operands that vary independently; Square is the product of equal ones.
func Mul(a, b Value) Value {
	nan := a.NaN || b.NaN
	if a.IsEmpty() || b.IsEmpty() {
		return onlyNaN(nan)
	}
	if (a.mayBeInf() && b.hasZero()) || (b.mayBeInf() && a.hasZero()) {
		nan = true
	}
	lo, hi := inf, ninf
	for _, x := range [4]float64{a.Lo * b.Lo, a.Lo * b.Hi, a.Hi * b.Lo, a.Hi * b.Hi} {
		if x != x { // 0·∞: the finite neighbours of ∞ give 0
			x = 0
		}
		lo, hi = hull(lo, hi, x)
	}
	return Value{Lo: lo, Hi: hi, NaN: nan, NegZero: negativeZero(a, b, lo, hi)}
}

// negativeZero reports whether a product or quotient with bounds lo and hi can be -0: it can be
// zero, by a zero factor or by underflow, and the operands may differ in sign.
func negativeZero(a, b Value, lo, hi float64) bool {
	if lo > 0 || hi < 0 {
		return false
	}
	return !(a.nonNegative() && b.nonNegative()) && !(a.nonPositive() && b.nonPositive())
}

// Square returns x * x.
func Square(x Value) Value {
	if x.IsEmpty() {
		return onlyNaN(x.NaN)
	}
	lo, hi := x.Lo*x.Lo, x.Hi*x.Hi
	switch {
	case x.hasZero():
		lo, hi = 0, math.Max(lo, hi)
	case lo > hi:
		lo, hi = hi, lo
	}
	return Value{Lo: lo, Hi: hi, NaN: x.NaN}
}

// Cube returns x * x * x.
func Cube(x Value) Value {
	if x.IsEmpty() {
		return onlyNaN(x.NaN)
	}
	cube := func(x float64) float64 { s := x * x; return s * x }
	lo, hi := cube(x.Lo), cube(x.Hi)
	return Value{Lo: lo, Hi: hi, NaN: x.NaN, NegZero: lo <= 0 && hi >= 0 && !x.nonNegative()}
}

// Div returns a / b for operands that vary independently.
func Div(a, b Value) Value {
	nan := a.NaN || b.NaN
	if a.IsEmpty() || b.IsEmpty() {
		return onlyNaN(nan)
	}
	if (a.hasZero() && b.hasZero()) || (a.mayBeInf() && b.mayBeInf()) {
		nan = true
	}
	lo, hi := quotients(a, b)
	return Value{Lo: lo, Hi: hi, NaN: nan, NegZero: negativeZero(a, b, lo, hi)}
}

// quotients bounds a/b. A zero inside b, or a zero bound that may carry either sign, sends the
// quotient to both infinities.
func quotients(a, b Value) (lo, hi float64) {
	blo, bhi := b.Lo, b.Hi
	if b.hasZero() {
		switch {
		case blo == 0 && bhi == 0 && !b.NegZero:
			bhi, blo = 0, 0
		case blo == 0 && !b.NegZero:
			blo = 0 // +0
		case bhi == 0 && b.NegZero && blo < 0:
			// A set below zero may still hold +0: Value has no flag to exclude it.
			return ninf, inf
		default:
			return ninf, inf
		}
	}
	lo, hi = inf, ninf
	for _, x := range [4]float64{a.Lo / blo, a.Lo / bhi, a.Hi / blo, a.Hi / bhi} {
		if x != x {
			continue
		}
		lo, hi = hull(lo, hi, x)
	}
	if a.hasZero() { // 0/b, where 0/0 and 0/∞ at the corners were skipped
		lo, hi = hull(lo, hi, 0)
	}
	if a.mayBeInf() && b.mayBeInf() { // finite/∞ beside the skipped ∞/∞
		lo, hi = hull(lo, hi, 0)
		if b.Lo >= 0 && a.Hi == inf || b.Hi <= 0 && a.Lo == ninf {
			hi = inf
		}
		if b.Lo >= 0 && a.Lo == ninf || b.Hi <= 0 && a.Hi == inf {
			lo = ninf
		}
	}
	return lo, hi
}

// Mod returns a % b: the remainder that has the sign of the divisor.
func Mod(a, b Value) Value {
	nan := a.NaN || b.NaN
	if a.IsEmpty() || b.IsEmpty() {
		return onlyNaN(nan)
	}
	if b.hasZero() || a.mayBeInf() {
		nan = true
	}
	out := Value{Lo: math.Min(b.Lo, 0), Hi: math.Max(b.Hi, 0), NaN: nan, NegZero: true}
	if b.mayBeInf() { // x % ∞ is x when the signs agree, ∞ when they differ
		out = Join(out, Value{Lo: a.Lo, Hi: a.Hi})
		return out
	}
	if b.Lo > 0 && a.Lo >= 0 {
		out.NegZero = a.NegZero
		out.Hi = math.Min(out.Hi, a.Hi)
		if a.Hi < b.Lo { // smaller than every divisor: the remainder is the number itself
			out.Lo = a.Lo
		} else if b.IsPoint() && sameCell(a, b.Lo) {
			out.Lo, out.Hi = math.Mod(a.Lo, b.Lo), math.Mod(a.Hi, b.Lo)
		}
	}
	return out
}

// sameCell reports whether all of a ≥ 0 lies between two neighbouring multiples of m > 0, where
// the remainder grows with the number. The remainder of floats is exact.
func sameCell(a Value, m float64) bool {
	return a.Hi-a.Lo < m && math.Mod(a.Hi, m) >= math.Mod(a.Lo, m) && a.Hi < 1<<53
}

// Abs returns |a|.
func Abs(a Value) Value {
	if a.IsEmpty() {
		return onlyNaN(a.NaN)
	}
	lo, hi := math.Abs(a.Lo), math.Abs(a.Hi)
	switch {
	case a.hasZero():
		lo, hi = 0, math.Max(lo, hi)
	case lo > hi:
		lo, hi = hi, lo
	}
	return Value{Lo: lo, Hi: hi, NaN: a.NaN}
}

// Min returns the smaller operand; NaN if either is NaN.
func Min(a, b Value) Value {
	if a.IsEmpty() || b.IsEmpty() {
		return onlyNaN(a.NaN || b.NaN)
	}
	return Value{
		Lo: math.Min(a.Lo, b.Lo), Hi: math.Min(a.Hi, b.Hi),
		NaN: a.NaN || b.NaN, NegZero: a.NegZero || b.NegZero,
	}
}

// Max returns the larger operand; NaN if either is NaN.
func Max(a, b Value) Value {
	if a.IsEmpty() || b.IsEmpty() {
		return onlyNaN(a.NaN || b.NaN)
	}
	return Value{
		Lo: math.Max(a.Lo, b.Lo), Hi: math.Max(a.Hi, b.Hi),
		NaN: a.NaN || b.NaN, NegZero: a.NegZero || b.NegZero,
	}
}

// Floor returns the largest whole number that is not above a.
func Floor(a Value) Value {
	return Value{Lo: math.Floor(a.Lo), Hi: math.Floor(a.Hi), NaN: a.NaN, NegZero: a.NegZero}
}

// Ceil returns the smallest whole number that is not below a.
func Ceil(a Value) Value {
	return Value{
		Lo: math.Ceil(a.Lo), Hi: math.Ceil(a.Hi), NaN: a.NaN,
		NegZero: a.NegZero || (a.Lo < 0 && a.Hi > -1),
	}
}

// Sqrt returns the square root, NaN below zero.
func Sqrt(a Value) Value {
	if a.Hi < 0 || a.IsEmpty() {
		return onlyNaN(a.NaN || a.Hi < 0)
	}
	return Value{
		Lo: math.Sqrt(math.Max(a.Lo, 0)), Hi: math.Sqrt(a.Hi),
		NaN: a.NaN || a.Lo < 0, NegZero: a.NegZero,
	}
}
