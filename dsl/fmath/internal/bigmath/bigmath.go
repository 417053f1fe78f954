// Package bigmath evaluates exp, log, log1p, expm1, tanh and pow on
// big.Float with a relative error below 2^-Accuracy.
//
// It is the yardstick of package fmath: the table generator takes its
// constants from here and the tests take their expected values from here. It
// is written for obviousness, not speed (some 50 µs a call), and uses only
// argument reduction by exact identities followed by a power series summed
// until its terms vanish.
//
// Arguments are finite; Log and Pow panic unless x > 0, Log1p unless x > -1, and
// Exp, Expm1, Tanh want |x| < 2^20. Every result has precision Prec.
package bigmath

import (
	"math/big"
	"sync"
)

const (
	// Prec is the precision, in bits, of every result and intermediate.
	Prec = 320
	// Accuracy bounds the relative error of every result: 2^-Accuracy. The
	// reductions below lose at most 20 bits to the size of k, 12 to the
	// doublings and 8 to the roundings of the series.
	Accuracy = 256
)

// Float returns x at the working precision.
func Float(x float64) *big.Float { return newFloat().SetFloat64(x) }

// Ln2 returns log 2. The caller must not modify it.
func Ln2() *big.Float { return ln2() }

// ln2 is 2 atanh(1/3), from log((1+s)/(1-s)) = 2 atanh(s).
var ln2 = sync.OnceValue(func() *big.Float {
	return twice(atanh(newFloat().Quo(Float(1), Float(3))))
})

// Exp returns e**x = 2**k (1 + expm1(x - k log 2)).
func Exp(x *big.Float) *big.Float {
	q := newFloat().Quo(x, ln2())
	k, _ := q.Add(q, Float(0.5)).Int64() // any k near x/log 2 serves
	r := newFloat().Mul(newFloat().SetInt64(k), ln2())
	r.Sub(x, r)
	e := expm1(r)
	return e.SetMantExp(e.Add(e, Float(1)), int(k))
}

// Expm1 returns e**x - 1 without cancellation near 0.
func Expm1(x *big.Float) *big.Float {
	if magnitude(x) < 1 {
		return expm1(x)
	}
	e := Exp(x)
	return e.Sub(e, Float(1))
}

// Log returns log x = k log 2 + 2 atanh((m-1)/(m+1)) with x = 2**k m and
// m in [2/3, 4/3), so that the two terms never cancel.
func Log(x *big.Float) *big.Float {
	if x.Sign() <= 0 {
		panic("bigmath: logarithm of a number that is not positive")
	}
	m := newFloat()
	k := x.MantExp(m)
	if m.Cmp(Float(2.0/3)) < 0 {
		m.SetMantExp(m, 1)
		k--
	}
	f := newFloat().Sub(m, Float(1))
	y := logOnePlus(f)
	return y.Add(y, newFloat().Mul(newFloat().SetInt64(int64(k)), ln2()))
}

// Log1p returns log(1 + x) without cancellation near 0.
func Log1p(x *big.Float) *big.Float {
	if magnitude(x) < 0 {
		return logOnePlus(x)
	}
	return Log(newFloat().Add(x, Float(1)))
}

// Tanh returns tanh x = e/(e+2) with e = expm1(2x).
func Tanh(x *big.Float) *big.Float {
	e := Expm1(twice(newFloat().Set(x)))
	d := newFloat().Add(e, Float(2))
	return e.Quo(e, d)
}

// Pow returns x**y = exp(y log x). |y log x| < 2^20.
func Pow(x, y *big.Float) *big.Float {
	l := Log(x)
	return Exp(l.Mul(l, y))
}

// expm1 sums the Taylor series at x/2^12 and doubles the argument back by
// expm1(2t) = e (2 + e), e = expm1(t). |x| < 2.
func expm1(x *big.Float) *big.Float {
	const doublings = 12
	t := newFloat().Set(x)
	if t.Sign() != 0 {
		t.SetMantExp(t, -doublings)
	}
	sum, term := newFloat().Set(t), newFloat().Set(t)
	for n := int64(2); !negligible(term, sum); n++ {
		term.Mul(term, t)
		term.Quo(term, newFloat().SetInt64(n))
		sum.Add(sum, term)
	}
	for range doublings {
		sum.Mul(sum, newFloat().Add(sum, Float(2)))
	}
	return sum
}

// logOnePlus returns log(1+f) = 2 atanh(f/(2+f)), for -1/2 <= f <= 1.
func logOnePlus(f *big.Float) *big.Float {
	return twice(atanh(newFloat().Quo(f, newFloat().Add(f, Float(2)))))
}

// atanh sums s + s³/3 + s⁵/5 + …, |s| <= 1/3.
func atanh(s *big.Float) *big.Float {
	s2 := newFloat().Mul(s, s)
	sum, power, term := newFloat().Set(s), newFloat().Set(s), newFloat().Set(s)
	for n := int64(3); !negligible(term, sum); n += 2 {
		power.Mul(power, s2)
		term.Quo(power, newFloat().SetInt64(n))
		sum.Add(sum, term)
	}
	return sum
}

func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || magnitude(term) < magnitude(sum)-Prec
}

// magnitude returns e with 2^(e-1) <= |x| < 2^e (0 for x = 0).
func magnitude(x *big.Float) int { return x.MantExp(nil) }

func twice(x *big.Float) *big.Float { return x.Add(x, x) }

func newFloat() *big.Float { return new(big.Float).SetPrec(Prec) }
