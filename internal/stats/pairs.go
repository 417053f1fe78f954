package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// StudentUpper returns P(T > t) for Student's t with df degrees of freedom; NaN when df is not positive.
func StudentUpper(t, df float64) float64 {
	if !(df > 0) || math.IsNaN(t) {
		return math.NaN()
	}
	half := 0.5 * mathext.RegIncBeta(df/2, 0.5, df/(df+float64(t*t)))
	if t < 0 {
		return 1 - half
	}
	return half
}

// StudentQuantile returns the t above which Student's t with df degrees of freedom lies with probability
// upper in (0, ½].
func StudentQuantile(upper, df float64) float64 {
	if !(df > 0) || !(upper > 0) || upper > 0.5 {
		return math.NaN()
	}
	x := mathext.InvRegIncBeta(df/2, 0.5, 2*upper)
	return math.Sqrt(df * (1 - x) / x)
}

// SampleSD is the standard deviation with n − 1 in the denominator; 0 for fewer than two observations.
func (m Moments) SampleSD() float64 {
	if m.N < 2 {
		return 0
	}
	return math.Sqrt(math.Max(0, m.m2/float64(m.N-1)))
}
