package fmath

import "math"

// expEntry is 2^(i/N) as scale (1 + tail); see expTable.
type expEntry struct {
	tail float64
	bits uint64 // of scale, less i << (52-expTableBits)
}

const (
	expTableMask = 1<<expTableBits - 1

	// Adding and subtracting roundShift rounds |x| < 2^51 to a whole number and
	// leaves that number in the low bits of the sum.
	roundShift = 0x1.8p52

	signBit     = 1 << 63
	infBits     = 0x7ff << 52
	oneBits     = 0x3ff << 52
	minNormBits = 1 << 52

	// Below expSafe neither 2^k nor the result leaves the normal range.
	expSafe     = 512
	expSafeBits = (0x3ff + 9) << 52
)

// Exp returns e**x.
//
//	Exp(+Inf) = +Inf, Exp(-Inf) = 0, Exp(NaN) = NaN
//
// Overflow gives +Inf; results below the normal range are rounded once.
//
// Method: x = (k + i/N) log 2 + r with N = 128, |r| <= log(2)/2N; then
// e**x = 2^k 2^(i/N) (1 + p(r)).
func Exp(x float64) float64 {
	if math.Float64bits(x)&^signBit >= expSafeBits {
		return expLarge(x)
	}
	p, bits := expReduce(x, 0)
	scale := math.Float64frombits(bits)
	return scale + float64(scale*p)
}

// expLarge is Exp for |x| >= 512 and NaN.
func expLarge(x float64) float64 {
	if x != x {
		return math.NaN()
	}
	return expSum(x, 0, 0)
}

// expSum returns e**(hi+lo) with the given sign bit; |lo| < 2^-14 wherever the
// result is neither 0 nor infinite.
func expSum(hi, lo float64, sign uint64) float64 {
	switch {
	case math.Abs(hi) < expSafe:
		p, bits := expReduce(hi, lo)
		scale := math.Float64frombits(bits + sign)
		return scale + float64(scale*p)
	case hi >= 1024:
		return math.Float64frombits(infBits | sign)
	case hi <= -1024:
		return math.Float64frombits(sign)
	}
	p, bits := expReduce(hi, lo)
	return expScale(p, bits+sign, hi > 0)
}

// expReduce returns e**(x+lo) as scale (1 + p), scale = 2^(k/N) given by its
// bits. The exponent in the bits wraps around where k/N leaves the normal
// range; expScale takes care of that. |x| < 2^11 and |lo| < 2^-14.
func expReduce(x, lo float64) (p float64, bits uint64) {
	shifted := float64(expInvStep*x) + roundShift
	k := shifted - roundShift
	low := math.Float64bits(shifted) // k in its low bits, in two's complement
	e := &expTable[low&expTableMask]
	// k*expStepHi and the first difference are exact.
	r := (x - float64(k*expStepHi)) - float64(k*expStepLo) + lo
	r2 := float64(r * r)
	return e.tail + r + float64(r2*((expC2+float64(r*expC3))+float64(r2*(expC4+float64(r*expC5))))),
		e.bits + low<<(52-expTableBits)
}

// expScale returns scale (1 + p) for a scale whose exponent may have wrapped,
// rounding once where the result is subnormal. A sign bit added to bits is kept.
func expScale(p float64, bits uint64, great bool) float64 {
	if great {
		// The exponent may exceed the range by one: compute 2^-1009 times the result.
		scale := math.Float64frombits(bits - 1009<<52)
		return float64(0x1p1009 * (scale + float64(scale*p)))
	}
	scale := math.Float64frombits(bits + 1022<<52)
	prod := float64(scale * p)
	y := scale + prod
	if math.Abs(y) >= 1 {
		return float64(0x1p-1022 * y)
	}
	// 2^1022 times a subnormal: round it to a multiple of 2^-52 by adding it to
	// 1 with what the first sum lost, or the last bits would be rounded twice.
	one := math.Copysign(1, y)
	lost := scale - y + prod
	hi := one + y
	lost = one - hi + y + lost
	y = (hi + lost) - one
	return math.Copysign(float64(0x1p-1022*y), one)
}
