// Package trig has a sine and a cosine that return the same bits on every machine.
//
// The standard library's do not: on processors with a fused multiply-add the compiler
// contracts their polynomials, which rounds once where others round twice. Here every
// product that is added to something is rounded first.
//
// The method is Cody and Waite's: subtract the nearest multiple of π/2, held in pieces
// short enough for exact products, then evaluate the minimax polynomials of fdlibm
// (Sun Microsystems, 1993) on [−π/4, π/4]. Results are within one unit in the last place
// of the true value for |x| up to 10^5.
package trig

import "math"

// π/2 in pieces: three of 33 bits, whose products with a 20-bit integer are exact, and
// the rest.
const (
	halfPi1 = 1.57079632673412561417e+00
	halfPi2 = 6.07710050630396597660e-11
	halfPi3 = 2.02226624871116645580e-21
	halfPi4 = 8.47842766036889956997e-32
)

// reducible bounds the arguments whose multiple of π/2 fits 20 bits.
const reducible = 1 << 20

// Sincos returns the sine and the cosine of x, in radians; NaN for NaN and infinities.
// Beyond about 10^6 the argument is first taken modulo the float nearest 2π: the bits are
// still the same everywhere, their accuracy fades.
func Sincos(x float64) (sin, cos float64) {
	if math.Abs(x) > reducible {
		x = math.Mod(x, 2*math.Pi)
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return math.NaN(), math.NaN()
	}
	high, low, quadrant := reduce(x)
	s, c := kernelSin(high, low), kernelCos(high, low)
	switch quadrant {
	case 0:
		return s, c
	case 1:
		return c, -s
	case 2:
		return -s, -c
	default:
		return -c, s
	}
}

// Cos returns the cosine of x as Sincos does.
func Cos(x float64) float64 {
	_, cos := Sincos(x)
	return cos
}

// reduce returns x minus the nearest multiple of π/2 as high + low, and that multiple
// modulo 4.
func reduce(x float64) (high, low float64, quadrant int) {
	if math.Abs(x) <= math.Pi/4 {
		return x, 0, 0 // keeps the sign of a zero too
	}
	n := math.RoundToEven(x * (2 / math.Pi))
	first := x - float64(n*halfPi1)            // exact: the terms are within a factor of two
	second := float64(n * halfPi2)             // exact: 33 + 20 bits
	t := first - second                        // rounded, by exactly
	lost := subtractionError(first, second, t) // this much
	tail := lost - float64(n*halfPi3)
	tail -= float64(n * halfPi4)
	high = t + tail
	low = (t - high) + tail
	return high, low, int(n) & 3
}

// subtractionError returns (a − b) − d exactly, where d is a − b rounded (Knuth's two-sum).
func subtractionError(a, b, d float64) float64 {
	bRounded := a - d
	aRounded := d + bRounded
	return (a - aRounded) + (bRounded - b)
}

// kernelSin is the sine of high + low on [−π/4, π/4].
func kernelSin(high, low float64) float64 {
	const (
		s1 = -1.66666666666666324348e-01
		s2 = 8.33333333332248946124e-03
		s3 = -1.98412698298579493134e-04
		s4 = 2.75573137070700676789e-06
		s5 = -2.50507602534068634195e-08
		s6 = 1.58969099521155010221e-10
	)
	z := high * high
	cube := z * high
	tail := s5 + float64(z*s6)
	tail = s4 + float64(z*tail)
	tail = s3 + float64(z*tail)
	tail = s2 + float64(z*tail)
	inner := float64(0.5*low) - float64(cube*tail)
	return high - (float64(z*inner) - low - float64(cube*s1))
}

// kernelCos is the cosine of high + low on [−π/4, π/4].
func kernelCos(high, low float64) float64 {
	const (
		c1 = 4.16666666666666019037e-02
		c2 = -1.38888888888741095749e-03
		c3 = 2.48015872894767294178e-05
		c4 = -2.75573143513906633035e-07
		c5 = 2.08757232129817482790e-09
		c6 = -1.13596475577881948265e-11
	)
	z := high * high
	tail := c5 + float64(z*c6)
	tail = c4 + float64(z*tail)
	tail = c3 + float64(z*tail)
	tail = c2 + float64(z*tail)
	tail = c1 + float64(z*tail)
	tail = z * tail
	half := float64(0.5 * z) // exact; rounded all the same, so that the listing shows no fused product
	whole := 1 - half
	rest := (1 - whole) - half // what rounding took from 1 − z/2
	return whole + (rest + (float64(z*tail) - float64(high*low)))
}
