package prove

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/gate/interval"
)

// loosen is the relative slack of the backward steps that invert a rounded function. Backward
// narrowing may keep too much, never too little.
const loosen = 1e-12

// backward narrows the operands of a node known to lie in [lo, hi].
func (s *state) backward(n *node, lo, hi float64) bool {
	ninf, inf := math.Inf(-1), math.Inf(1)
	switch n.op {
	case opNeg:
		return s.narrow(n.a, -hi, -lo)
	case opAdd:
		return s.backwardAdd(n, lo, hi)
	case opSub:
		return s.backwardSub(n, lo, hi)
	case opMul:
		return s.backwardMul(n, lo, hi)
	case opDiv:
		return s.backwardDiv(n, lo, hi)
	case opMin:
		return s.backwardMin(n, lo, hi)
	case opMax:
		return s.backwardMax(n, lo, hi)
	case opAbs:
		return s.backwardEven(n.a, lo, hi)
	case opSquare:
		lo, hi = around(lo, hi)
		return s.backwardEven(n.a, shrink(math.Sqrt(math.Max(lo, 0))), grow(math.Sqrt(math.Max(hi, 0))))
	case opSqrt:
		return s.narrow(n.a, shrink(math.Max(lo, 0)*math.Max(lo, 0)), grow(hi*hi))
	case opLog:
		return s.narrow(n.a, shrink(fmath.Exp(lo)), grow(fmath.Exp(hi)))
	case opLog1p:
		return s.narrow(n.a, math.Max(-1, shrink(fmath.Exp(lo))-1-loosen), grow(fmath.Exp(hi))-1+loosen)
	case opExp:
		lo, hi = around(around(lo, hi)) // a subnormal result may be one number off the rounded one
		a, b := ninf, inf
		if lo > 0 {
			a = wideLow(fmath.Log(lo)) - loosen
		}
		if hi > 0 {
			b = wideHigh(fmath.Log(hi)) + loosen
		}
		return s.narrow(n.a, a, b)
	case opFloor: // from 2^53 on every number is its own floor, and hi + 1 rounds
		return s.narrow(n.a, lo, math.Max(hi, math.Nextafter(hi+1, ninf)))
	case opCeil:
		return s.narrow(n.a, math.Min(lo, math.Nextafter(lo-1, inf)), hi)
	}
	return true
}

// grow and shrink move a bound ≥ 0 by the relative slack and a little more near zero.
func grow(x float64) float64   { return float64(x*(1+loosen)) + 0x1p-1000 }
func shrink(x float64) float64 { return math.Max(0, float64(x*(1-loosen))-0x1p-1000) }

// around widens a rounded result to the real numbers that round into it.
func around(lo, hi float64) (float64, float64) {
	return math.Nextafter(lo, math.Inf(-1)), math.Nextafter(hi, math.Inf(1))
}

// known replaces a bound that a difference of infinities made NaN by no bound.
func known(lo, hi float64) (float64, float64) {
	if lo != lo {
		lo = math.Inf(-1)
	}
	if hi != hi {
		hi = math.Inf(1)
	}
	return lo, hi
}

// backwardAdd inverts a + b. A sum is zero exactly when b = -a.
func (s *state) backwardAdd(n *node, lo, hi float64) bool {
	exact := lo == 0 && hi == 0
	if !exact {
		lo, hi = around(lo, hi)
	}
	for _, o := range [2][2]int32{{n.a, n.b}, {n.b, n.a}} {
		y := s.vals[o[1]]
		l, h := lo-y.Hi, hi-y.Lo
		if !exact {
			l, h = around(l, h)
		}
		if l, h = known(l, h); !s.narrow(o[0], l, h) {
			return false
		}
	}
	return true
}

// backwardSub inverts a - b.
func (s *state) backwardSub(n *node, lo, hi float64) bool {
	exact := lo == 0 && hi == 0
	if !exact {
		lo, hi = around(lo, hi)
	}
	a, b := s.vals[n.a], s.vals[n.b]
	la, ha := lo+b.Lo, hi+b.Hi
	if !exact {
		la, ha = around(la, ha)
	}
	if la, ha = known(la, ha); !s.narrow(n.a, la, ha) {
		return false
	}
	a = s.vals[n.a]
	lb, hb := a.Lo-hi, a.Hi-lo
	if !exact {
		lb, hb = around(lb, hb)
	}
	lb, hb = known(lb, hb)
	return s.narrow(n.b, lb, hb)
}

// backwardMul inverts a * b where the other factor cannot be zero.
func (s *state) backwardMul(n *node, lo, hi float64) bool {
	for _, o := range [2][2]int32{{n.a, n.b}, {n.b, n.a}} {
		y := s.vals[o[1]]
		if y.NaN || y.Lo <= 0 && y.Hi >= 0 || !y.Finite() {
			continue
		}
		q := interval.Div(interval.Of(around(lo, hi)), y)
		if q.NaN || !s.narrow(o[0], wideLow(q.Lo), wideHigh(q.Hi)) {
			if !q.NaN {
				return false
			}
		}
	}
	return true
}

// backwardDiv inverts a / b: a = q·b, and b = a/q where q cannot be zero.
func (s *state) backwardDiv(n *node, lo, hi float64) bool {
	a, b := s.vals[n.a], s.vals[n.b]
	q := interval.Of(around(lo, hi))
	if b.Finite() && q.Finite() && (b.Lo > 0 || b.Hi < 0) {
		p := interval.Mul(q, b)
		if !s.narrow(n.a, wideLow(p.Lo), wideHigh(p.Hi)) {
			return false
		}
	}
	if a.Finite() && q.Finite() && (q.Lo > 0 || q.Hi < 0) {
		p := interval.Div(s.vals[n.a], q)
		if !s.narrow(n.b, wideLow(p.Lo), wideHigh(p.Hi)) {
			return false
		}
	}
	return true
}

// wideLow and wideHigh move a bound outwards by the relative slack; one that overflowed becomes finite.
func wideLow(x float64) float64 {
	x = math.Min(x, math.MaxFloat64)
	return x - float64(math.Abs(x)*loosen) - 0x1p-1000
}

func wideHigh(x float64) float64 { return -wideLow(-x) }

func (s *state) backwardMin(n *node, lo, hi float64) bool {
	inf := math.Inf(1)
	if !s.narrow(n.a, lo, inf) || !s.narrow(n.b, lo, inf) {
		return false
	}
	a, b := s.vals[n.a], s.vals[n.b]
	switch {
	case b.Lo > hi:
		return s.narrow(n.a, lo, hi)
	case a.Lo > hi:
		return s.narrow(n.b, lo, hi)
	}
	return true
}

func (s *state) backwardMax(n *node, lo, hi float64) bool {
	ninf := math.Inf(-1)
	if !s.narrow(n.a, ninf, hi) || !s.narrow(n.b, ninf, hi) {
		return false
	}
	a, b := s.vals[n.a], s.vals[n.b]
	switch {
	case b.Hi < lo:
		return s.narrow(n.a, lo, hi)
	case a.Hi < lo:
		return s.narrow(n.b, lo, hi)
	}
	return true
}

// backwardEven inverts an even function that grows with the magnitude: the operand's magnitude
// lies in [lo, hi].
func (s *state) backwardEven(id int32, lo, hi float64) bool {
	x := s.vals[id]
	switch {
	case x.Lo > -lo && lo > 0: // the negative side is out of reach
		return s.narrow(id, lo, hi)
	case x.Hi < lo && lo > 0:
		return s.narrow(id, -hi, -lo)
	}
	return s.narrow(id, -hi, hi)
}
