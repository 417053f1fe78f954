package fmath

import "math"

// Pow returns x**y.
//
//	Pow(x, ±0) = 1 and Pow(1, y) = 1, even for NaN
//	Pow(x, NaN) = Pow(NaN, y) = NaN otherwise
//	Pow(±0, y) = ±Inf for a negative odd whole y, +Inf for other y < 0
//	Pow(±0, y) = ±0 for a positive odd whole y, +0 for other y > 0
//	Pow(-1, ±Inf) = 1
//	Pow(x, +Inf) = +Inf and Pow(x, -Inf) = +0 for |x| > 1
//	Pow(x, +Inf) = +0 and Pow(x, -Inf) = +Inf for |x| < 1
//	Pow(+Inf, y) = +Inf for y > 0, +0 for y < 0
//	Pow(-Inf, y) = Pow(-0, -y)
//	Pow(x, y) = NaN for finite x < 0 and finite y that is not whole
//
// Method: log x in two parts with a relative error near 2^-68, the product
// with y in two parts, and Exp's method with the lower part added to r.
func Pow(x, y float64) float64 {
	xbits := math.Float64bits(x)
	if xbits-minNormBits >= infBits-minNormBits || math.Float64bits(y)&^signBit >= powGreatBits {
		return powEdge(x, y)
	}
	return powNormal(xbits, y, 0)
}

// From |y| = 2^63 on y is even and x**y is 0, 1 or infinite for every x, since
// log x is 0 or at least 2^-54 in magnitude.
const (
	powGreat     = 0x1p63
	powGreatBits = (0x3ff + 63) << 52
)

// powEdge is Pow for x zero, negative, subnormal or not finite and for y great
// or not finite.
func powEdge(x, y float64) float64 {
	a := math.Abs(x)
	switch {
	case x == 1 || y == 0:
		return 1
	case x != x || y != y:
		return math.NaN()
	case math.Abs(y) >= powGreat:
		return powLimit(a == 1, (a > 1) == (y > 0))
	}
	whole := y == math.Trunc(y)
	var sign uint64
	if whole && int64(y)&1 != 0 {
		sign = math.Float64bits(x) & signBit
	}
	switch bits := math.Float64bits(a); {
	case a == 0 || bits == infBits:
		limit := powLimit(false, (a > 1) == (y > 0))
		return math.Float64frombits(math.Float64bits(limit) | sign)
	case x < 0 && !whole:
		return math.NaN()
	case bits < minNormBits:
		return powNormal(math.Float64bits(float64(a*0x1p52))-52<<52, y, sign)
	default:
		return powNormal(bits, y, sign)
	}
}

// powLimit returns the limit of a growing or vanishing power, or 1.
func powLimit(one, grows bool) float64 {
	switch {
	case one:
		return 1
	case grows:
		return math.Inf(1)
	}
	return 0
}

// powNormal returns x**y with the given sign bit, for the x > 0 of the given
// bits (whose exponent may be below the normal range) and |y| < powGreat.
func powNormal(xbits uint64, y float64, sign uint64) float64 {
	hi, lo := powLog(xbits)
	// (hi + lo) y: the products of halves are exact (Dekker).
	yhi, lhi := upperHalf(y), upperHalf(hi)
	ehi := float64(yhi * lhi)
	elo := float64((y-yhi)*lhi) + float64(y*((hi-lhi)+lo))
	return expSum(ehi, elo, sign)
}

// powLog returns log x as hi + lo, with an error below 2^-67 of it.
func powLog(xbits uint64) (hi, lo float64) {
	e, k, rhi, rlo := logReduce(xbits)
	t := float64(k*ln2Hi) + e.logc + rhi // exact: multiples of 2^-42 below 2^11

	// Add the terms of first order and -rhi²/2, exact too, keeping what each sum
	// loses; the rest of the series is small enough for plain float64.
	t1 := t + rlo
	lo1 := (t - t1) + rlo
	square := float64(-0.5 * rhi * rhi)
	t2 := t1 + square
	lo2 := (t1 - t2) + square

	r := rhi + rlo
	r2 := float64(r * r)
	p := (logC3 + float64(r*logC4)) + float64(r2*((logC5+float64(r*logC6))+float64(r2*(logC7+float64(r*logC8)))))
	rest := float64(r*r2*p) - float64(0.5*rlo*(r+rhi)) + (float64(k*ln2Lo) + e.tail) + lo1 + lo2
	hi = t2 + rest
	return hi, (t2 - hi) + rest
}

// upperHalf returns x with the lower 27 bits of its significand cleared.
func upperHalf(x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) &^ (1<<27 - 1))
}
