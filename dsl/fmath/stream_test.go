package fmath

import "math"

// stream is SplitMix64 (Steele, Lea, Flood 2014): the test inputs must be the
// same wherever and whenever the tests run.
type stream uint64

func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit returns a multiple of 2^-53 in [0, 1).
func (s *stream) unit() float64 { return float64(float64(s.next()>>11) * 0x1p-53) }

// between returns a number with bits uniform between those of lo and hi, which
// are positive: all magnitudes are equally likely.
func (s *stream) between(lo, hi float64) float64 {
	a, b := math.Float64bits(lo), math.Float64bits(hi)
	return math.Float64frombits(a + s.next()%(b-a+1))
}

// within returns a number in [lo, hi), uniformly.
func (s *stream) within(lo, hi float64) float64 { return lo + float64((hi-lo)*s.unit()) }

// sign returns x or -x.
func (s *stream) sign(x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) ^ s.next()&signBit)
}

// near returns one of the 64 floats around x, which is not 0.
func (s *stream) near(x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) + s.next()%64 - 32)
}
