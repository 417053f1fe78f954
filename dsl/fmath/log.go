package fmath

import "math"

// logEntry is c, by its inverse, and log c = logc + tail; see logTable.
type logEntry struct{ invc, logc, tail float64 }

const (
	logTableMask = 1<<logTableBits - 1
	exponentMask = 0xfff << 52
	upperBits    = 0xffffffff << 32 // the upper 21 bits of a significand
)

// Log returns the natural logarithm of x.
//
//	Log(+Inf) = +Inf, Log(±0) = -Inf, Log(x < 0) = NaN, Log(NaN) = NaN
//
// Method: x = 2^k z with z near c of one of 128 intervals, z/c = 1 + r;
// log x = k log 2 + log c + log(1 + r).
func Log(x float64) float64 {
	bits := math.Float64bits(x)
	if bits-minNormBits >= infBits-minNormBits {
		if !(x > 0) || bits == infBits {
			return logSpecial(x)
		}
		bits = math.Float64bits(float64(x*0x1p52)) - 52<<52 // subnormal
	}
	return logSum(logReduce(bits))
}

// logSpecial is Log for zeros, negative numbers, +Inf and NaN.
func logSpecial(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x > 0:
		return x
	}
	return math.NaN()
}

// Log1p returns log(1 + x), accurate where x is near 0.
//
//	Log1p(±0) = ±0, Log1p(-1) = -Inf, Log1p(+Inf) = +Inf
//	Log1p(x < -1) = NaN, Log1p(NaN) = NaN
//
// Method: near 0 the logarithm's polynomial at x itself; elsewhere Log's
// reduction of s = 1 + x, with the rounding error of s added to r.
func Log1p(x float64) float64 {
	const (
		small = 0x1p-8 // within the polynomial's range
		large = 0x1p62 // from here 1 + x and x have the same logarithm
	)
	if math.Abs(x) < small {
		return x + logPoly(x) // for -0 both terms are -0
	}
	if !(x > -1 && x < large) {
		return log1pSpecial(x)
	}
	s := 1 + x
	sx := s - 1
	lost := (x - sx) + (1 - (s - sx)) // by the sum, exactly (Knuth, TAOCP 4.2.2, theorem B)
	e, k, rhi, rlo := logReduce(math.Float64bits(s))
	scale := math.Float64frombits(oneBits - uint64(int64(k))<<52) // 2^-k
	return logSum(e, k, rhi, rlo+float64(lost*scale*e.invc))
}

// log1pSpecial is Log1p for x <= -1, great x and NaN.
func log1pSpecial(x float64) float64 {
	switch {
	case x == -1:
		return math.Inf(-1)
	case x > 0:
		return Log(x)
	}
	return math.NaN()
}

// logReduce splits the positive normal number of the given bits into 2^k z and
// returns the table entry of z and z/c - 1 = rhi + rlo, both exact.
//
// rhi is a multiple of 2^-32 below 2^-7 in magnitude, |rlo| < 2^-20. Because z
// is split by rounding, rhi is 0 rather than about -rlo when z is next to 1.
func logReduce(bits uint64) (e *logEntry, k, rhi, rlo float64) {
	fromOffset := bits - logOffset
	e = &logTable[fromOffset>>(52-logTableBits)&logTableMask]
	bits -= fromOffset & exponentMask
	zhi := math.Float64frombits((bits + 1<<31) & upperBits)
	zlo := math.Float64frombits(bits) - zhi
	return e, float64(int64(fromOffset) >> 52), float64(zhi*e.invc) - 1, float64(zlo * e.invc)
}

// logSum returns k log 2 + log c + log(1 + rhi + rlo).
func logSum(e *logEntry, k, rhi, rlo float64) float64 {
	t := float64(k*ln2Hi) + e.logc + rhi // exact: multiples of 2^-42 below 2^11
	hi := t + rlo
	lo := (t - hi) + rlo
	return hi + (logPoly(rhi+rlo) + (lo + (float64(k*ln2Lo) + e.tail)))
}

// logPoly returns log(1 + r) - r.
func logPoly(r float64) float64 {
	r2 := float64(r * r)
	p := (logC3 + float64(r*logC4)) + float64(r2*((logC5+float64(r*logC6))+float64(r2*(logC7+float64(r*logC8)))))
	return float64(r*r2*p) - float64(0.5*r2)
}
