package fmath

import "math"

// Tanh returns the hyperbolic tangent of x.
//
//	Tanh(±0) = ±0, Tanh(±Inf) = ±1, Tanh(NaN) = NaN
//
// Method: near 0 a polynomial; elsewhere 1 - 2/(e**2x + 1), with the
// exponential in two parts and the quotient in two parts.
func Tanh(x float64) float64 {
	const (
		tiny = 0x1p-28 // below this tanh x rounds to x; the sum would lose the sign of -0
		one  = 19.0625 // from here tanh x rounds to 1
	)
	a := math.Abs(x)
	if a < tanhSmall {
		if a < tiny {
			return x
		}
		return x + tanhPoly(x)
	}
	if !(a < one) {
		if a != a {
			return math.NaN()
		}
		return math.Copysign(1, x)
	}
	return math.Copysign(tanhExp(a), x)
}

// tanhExp returns 1 - 2/(e**2a + 1) for tanhSmall <= a < 20.
func tanhExp(a float64) float64 {
	p, bits := expReduce(a+a, 0)
	scale := math.Float64frombits(bits)
	prod := float64(scale * p)

	// The denominator d + low: the sum with 1 loses at most a bit (scale > 1).
	d := scale + 1
	low := ((scale - d) + 1) + prod
	q := 2 / (d + low)
	// 1 - 2/(d+low), with the upper half of q and what that leaves of the
	// division. The product of halves is exact, and so is its difference from 2.
	qhi, dhi := upperHalf(q), upperHalf(d)
	rest := (2 - float64(qhi*dhi)) - float64(qhi*((d-dhi)+low))
	t := 1 - qhi
	return t + (((1 - t) - qhi) - float64(rest*(0.5*q)))
}

// tanhPoly returns tanh x - x for |x| <= tanhSmall.
func tanhPoly(x float64) float64 {
	y := float64(x * x)
	y2 := float64(y * y)
	p := (tanhC3 + float64(y*tanhC5)) + float64(y2*((tanhC7+float64(y*tanhC9))+float64(y2*(tanhC11+float64(y*tanhC13)))))
	return float64(x * y * p)
}
