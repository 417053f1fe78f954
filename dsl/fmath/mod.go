package fmath

import (
	"math"
	"math/bits"
)

// Mod returns the remainder of x by y with the sign of y, the % of the rule
// language and of Python's floats: the exact remainder of truncated division,
// plus y (one rounded addition) when its sign is not that of y. A remainder of
// zero has the sign of y.
//
//	Mod(x, ±0) = NaN, Mod(±Inf, y) = NaN, Mod(x, NaN) = Mod(NaN, y) = NaN
//	Mod(x, ±Inf) = x when the signs agree or x is zero (then with the sign of
//	y), else y
func Mod(x, y float64) float64 {
	a, b := math.Abs(x), math.Abs(y)
	if !(a < math.Inf(1) && b > 0) { // also for NaN
		return math.NaN()
	}
	r := a
	if a >= b {
		r = remainder(math.Float64bits(a), math.Float64bits(b))
	}
	switch {
	case r == 0:
		return math.Copysign(0, y)
	case math.Signbit(x) == math.Signbit(y):
		return math.Copysign(r, y)
	}
	return y - math.Copysign(r, y)
}

// remainder returns the exact a mod b for finite a >= b > 0 given by their
// bits. It divides whole numbers: with a = ma 2^ea and b = mb 2^eb the
// remainder is (ma 2^(ea-eb) mod mb) 2^eb, taken up to 64 binary places at a time.
func remainder(abits, bbits uint64) float64 {
	ma, ea := significand(abits)
	mb, eb := significand(bbits)
	places := ea - eb
	n := min(places, 11) // the word's room above a significand: most quotients need no more
	r := ma << n % mb
	for places -= n; places > 0 && r != 0; places -= n {
		n = min(places, 64)
		r = bits.Rem64(r>>(64-n), r<<n, mb)
	}
	if r == 0 {
		return 0
	}
	// r < mb < 2^53, so r 2^eb is exact: normalise it, or leave it subnormal.
	shift := min(bits.LeadingZeros64(r)-11, eb)
	r <<= shift
	eb -= shift
	return math.Float64frombits(r + uint64(eb)<<52)
}

// significand returns m and e with x = m 2^(e-1074) for a finite positive x;
// m < 2^53, e >= 0.
func significand(x uint64) (m uint64, e int) {
	e = int(x >> 52)
	if e == 0 {
		return x, 0
	}
	return x&(minNormBits-1) | minNormBits, e - 1
}
