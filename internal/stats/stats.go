// Package stats holds the few statistics that the engine and its policies decide by. Everything is exact
// or computed to a stated accuracy; nothing is sampled.
package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Improve returns P(X > Y) for independent X ~ Beta(xa, xb) and Y ~ Beta(ya, yb), to about 1e-10. All
// parameters are positive and finite, else the result is NaN.
//
// The integral of one density times the other's distribution function is taken on the logit scale, where
// the density is analytic and falls off exponentially, so the trapezoidal rule
// converges geometrically (Trefethen and Weideman, SIAM Review 56, 2014). It runs over the narrower of
// the two, so that the step resolves both factors.
func Improve(xa, xb, ya, yb float64) float64 {
	for _, v := range [...]float64{xa, xb, ya, yb} {
		if !(v > 0) || math.IsInf(v, 1) {
			return math.NaN()
		}
	}
	if xa == ya && xb == yb {
		return 0.5
	}
	if logitSD(xa, xb) <= logitSD(ya, yb) {
		return clamp01(integrate(xa, xb, ya, yb))
	}
	return clamp01(1 - integrate(ya, yb, xa, xb))
}

// logitSD is the standard deviation of logit X for X ~ Beta(a, b): the trigamma function is ζ(2, ·).
func logitSD(a, b float64) float64 {
	return math.Sqrt(mathext.Zeta(2, a) + mathext.Zeta(2, b))
}

// integrate returns E[F(X)] for X ~ Beta(a, b) and F the distribution function of Beta(c, d).
func integrate(a, b, c, d float64) float64 {
	const (
		negligible = 34 // e^-34 of the peak is left out on either side
		// The transform of the density falls off as |Γ(a+iω)Γ(b+iω)|, at worst as e^(−πω/2) while ω is
		// below the larger parameter; at ω = 2π/h that is 5e-14 for this step.
		maxStep = 0.32
	)
	h := math.Min(logitSD(a, b)/2, maxStep)
	mode := math.Log(a / b)
	peak := logDensity(a, b, mode)
	sum, mass := 0.0, 0.0
	add := func(t float64) bool {
		l := logDensity(a, b, t) - peak
		if l < -negligible {
			return false
		}
		w := math.Exp(l)
		mass += w
		sum += float64(w * mathext.RegIncBeta(c, d, logistic(t)))
		return true
	}
	add(mode)
	for i := 1; add(mode + float64(float64(i)*h)); i++ {
	}
	for i := 1; add(mode - float64(float64(i)*h)); i++ {
	}
	return sum / mass
}

// logDensity is the log density of logit X at t, up to a constant: a·log σ(t) + b·log σ(−t).
func logDensity(a, b, t float64) float64 {
	return float64(-a*softplus(-t)) - float64(b*softplus(t))
}

// softplus is log(1 + e^t).
func softplus(t float64) float64 {
	return math.Max(t, 0) + math.Log1p(math.Exp(-math.Abs(t)))
}

func logistic(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

func clamp01(p float64) float64 { return math.Min(1, math.Max(0, p)) }

// SignEValue returns the evidence against "a win is no likelier than a loss" after the given numbers of
// wins and losses (ties are left out by the caller): the wealth of a bettor who spreads a unit evenly over
// the win probabilities p in (½, 1],
//
//	2 ∫_½^1 (2p)^wins (2(1−p))^losses dp.
//
// Every such bet is a non-negative supermartingale under the null whatever the order and number of
// observations, so by Ville's inequality the chance that the value ever reaches 1/α is at most α
// (Shafer, "Testing by betting", JRSS A 184, 2021).
func SignEValue(wins, losses int) float64 {
	if wins < 0 || losses < 0 {
		return math.NaN()
	}
	a, b := float64(wins)+1, float64(losses)+1
	upper := mathext.RegIncBeta(b, a, 0.5) // P(Beta(a, b) > ½) by symmetry, without cancellation
	if upper == 0 {
		return 0
	}
	n := float64(wins + losses)
	return math.Exp(float64((n+1)*math.Ln2) + mathext.Lbeta(a, b) + math.Log(upper))
}

// SignTest returns the exact one-sided p-value of at least wins wins in wins + losses fair tosses; 1 when
// there are none.
func SignTest(wins, losses int) float64 {
	if wins <= 0 {
		return 1
	}
	return mathext.RegIncBeta(float64(wins), float64(losses)+1, 0.5)
}

// Signs counts the pairs in which cand is above base and those in which it is below; ties count for neither.
// The slices have equal length.
func Signs(base, cand []float64) (wins, losses int) {
	for i, b := range base {
		switch {
		case cand[i] > b:
			wins++
		case cand[i] < b:
			losses++
		}
	}
	return wins, losses
}

// Moments accumulates a mean and a variance (Welford, Technometrics 4, 1962). The zero value is empty.
type Moments struct {
	N    int
	Mean float64
	m2   float64
}

// Add takes in one observation.
func (m *Moments) Add(x float64) {
	m.N++
	d := x - m.Mean
	m.Mean += d / float64(m.N)
	m.m2 += float64(d * (x - m.Mean))
}

// SD is the population standard deviation; 0 for fewer than two observations.
func (m Moments) SD() float64 {
	if m.N < 2 {
		return 0
	}
	return math.Sqrt(math.Max(0, m.m2/float64(m.N)))
}

// ZScore returns how many standard deviations x is above the mean; ok is false when there are fewer than
// least observations or they do not vary.
func (m Moments) ZScore(x float64, least int) (z float64, ok bool) {
	sd := m.SD()
	if m.N < least || !(sd > 1e-12) {
		return 0, false
	}
	return (x - m.Mean) / sd, true
}
