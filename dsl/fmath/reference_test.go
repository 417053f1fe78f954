package fmath

import (
	"math"
	"math/big"
	"sync"

	"github.com/agentdescent/adrun/dsl/fmath/internal/bigmath"
)

// The fast reference: each function as an unevaluated sum of two float64 with
// a relative error below 2^-refBits, some fifty times faster than math/big.
//
// Bounds. Each sum, product and quotient below has a relative error below
// 2^-101 (Joldes, Muller, Popescu, Tight and rigorous error bounds for basic
// building blocks of double-word arithmetic, ACM TOMS 44, 2017). exp adds a
// truncation of 2^-113 and some 40 operations whose errors, but for the last
// six doublings, enter scaled down: below 2^-96. log by Newton's step inherits
// that as an absolute error while |log| >= 2^-6: below 2^-90, and near 1 its
// series is good to 2^-96. In pow |y log x| < 2^10 turns 2^-90 into 2^-80.
// The tests compare a sample of all points with bigmath to the same bound.
const refBits = 80

// dd is hi + lo, |lo| <= ulp(hi)/2.
type dd struct{ hi, lo float64 }

// scaled is m 2^k.
type scaled struct {
	m dd
	k int
}

func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

func twoProd(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) add(b dd) dd {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = twoSum(s.hi, s.lo+t.hi)
	return twoSum(s.hi, s.lo+t.lo)
}

func (a dd) mul(b dd) dd {
	p := twoProd(a.hi, b.hi)
	return twoSum(p.hi, p.lo+math.FMA(a.hi, b.lo, float64(a.lo*b.hi)))
}

func (a dd) div(b dd) dd {
	q := dd{hi: a.hi / b.hi}
	for range 2 {
		rest := a.add(q.mul(b).times(-1))
		q = q.add(dd{hi: rest.hi / b.hi})
	}
	return q
}

// times returns a scaled by a power of two, or minus one.
func (a dd) times(f float64) dd { return dd{float64(a.hi * f), float64(a.lo * f)} }

// ddOf rounds x to two parts.
func ddOf(x *big.Float) dd {
	hi, _ := x.Float64()
	lo, _ := new(big.Float).Sub(x, bigmath.Float(hi)).Float64()
	return dd{hi, lo}
}

type refConstants struct {
	ln2     dd
	ln2Rest float64 // third part of log 2
	inverse [16]dd  // 1/n
}

var ref = sync.OnceValue(func() *refConstants {
	c := &refConstants{ln2: ddOf(bigmath.Ln2())}
	rest := new(big.Float).Sub(bigmath.Ln2(), bigmath.Float(c.ln2.hi))
	c.ln2Rest, _ = rest.Sub(rest, bigmath.Float(c.ln2.lo)).Float64()
	for n := 1; n < len(c.inverse); n++ {
		c.inverse[n] = dd{hi: 1}.div(dd{hi: float64(n)})
	}
	return c
})

// refExpm1 returns e**a - 1, |a| < 0.4, with a relative error.
func refExpm1(a dd) dd {
	const doublings = 6
	r := a.times(1.0 / (1 << doublings)) // below 2^-7
	inverse := &ref().inverse
	p := dd{hi: 1}
	for n := 13; n >= 2; n-- { // 1 + r/2 (1 + r/3 (1 + …))
		p = p.mul(r).mul(inverse[n]).add(dd{hi: 1})
	}
	e := p.mul(r)
	for range doublings {
		e = e.mul(e.add(dd{hi: 2}))
	}
	return e
}

// refExp returns e**a, |a| < 2^11.
func refExp(a dd) scaled {
	c := ref()
	k := math.RoundToEven(a.hi / c.ln2.hi)
	r := a.add(twoProd(-k, c.ln2.hi)).add(twoProd(-k, c.ln2.lo)).add(dd{hi: float64(-k * c.ln2Rest)})
	return scaled{refExpm1(r).add(dd{hi: 1}), int(k)}
}

// refLog returns log x, x.hi positive.
func refLog(x dd) dd {
	m, k := math.Frexp(x.hi)
	if m < math.Sqrt2/2 {
		k--
	}
	z := dd{math.Ldexp(x.hi, -k), math.Ldexp(x.lo, -k)}
	f := z.add(dd{hi: -1})
	if k == 0 && math.Abs(f.hi) < 0x1p-5 {
		return refLogNearOne(f)
	}
	// Newton: y + log(1+t), t = z e**-y - 1 near 2^-52. Any y will do.
	y := math.Log(z.hi)
	e := refExp(dd{hi: -y})
	t := z.mul(e.m).times(math.Ldexp(1, e.k)).add(dd{hi: -1})
	t = t.add(t.mul(t).times(-0.5)).add(dd{hi: y})
	return twoProd(float64(k), ref().ln2.hi).add(twoProd(float64(k), ref().ln2.lo)).add(t)
}

// refLogNearOne returns log(1+f) = 2 atanh(f/(2+f)), |f| < 2^-5.
func refLogNearOne(f dd) dd {
	s := f.div(f.add(dd{hi: 2}))
	s2 := s.mul(s)
	inverse := &ref().inverse
	p := inverse[15].mul(s2).add(inverse[13])
	for n := 11; n >= 1; n -= 2 {
		p = p.mul(s2).add(inverse[n])
	}
	// Terms through s^15/15; what is left is below 2^-99 of the sum, since
	// |s| < 2^-5.9.
	return p.mul(s).times(2)
}

// refTiny: below it the second term of log1p and tanh is all that is needed,
// and products in two parts would underflow.
const refTiny = 0x1p-60

func refLog1p(x float64) dd {
	switch {
	case math.Abs(x) < refTiny:
		return dd{x, float64(-x * x / 2)}
	case math.Abs(x) < 0x1p-5:
		return refLogNearOne(dd{hi: x})
	case x > 0x1p100:
		return refLog(dd{hi: x})
	}
	return refLog(twoSum(1, x))
}

func refTanh(x float64) dd {
	a := math.Abs(x)
	var t dd
	switch {
	case a < refTiny:
		t = dd{a, float64(-a * a * a / 3)}
	case a < 0.125:
		e := refExpm1(dd{hi: 2 * a})
		t = e.div(e.add(dd{hi: 2}))
	default:
		s := refExp(dd{hi: 2 * a})
		e := s.m.times(math.Ldexp(1, s.k))
		t = e.add(dd{hi: -1}).div(e.add(dd{hi: 1}))
	}
	return t.times(math.Copysign(1, x))
}

// refPow returns |x|**y for |y log|x|| < 2^10.
func refPow(x, y float64) scaled {
	return refExp(refLog(dd{hi: math.Abs(x)}).mul(dd{hi: y}))
}
