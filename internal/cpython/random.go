// Package cpython reproduces the random stream of CPython's random.Random, so that a
// problem defined in Python draws the same instances here.
//
// The generator is MT19937 (Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8(1),
// 1998) seeded by the authors' init_by_array, as CPython seeds it from an int. Random and
// Uniform return CPython's bits. Gauss rounds its sine, cosine and logarithm portably, so
// it has the same bits on every machine, and CPython's up to the last place of the C
// library that Python was linked with.
//
// A Rand is not safe for concurrent use.
package cpython

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/internal/trig"
)

const (
	stateLen  = 624 // words of state
	middle    = 397 // distance of the recurrence's second term
	matrix    = 0x9908b0df
	upperBit  = 0x80000000
	lowerBits = 0x7fffffff

	arraySeed = 19650218 // what init_by_array seeds the state with before mixing the key in
)

// arrayBase is the state that init_by_array starts from, the same for every key.
var arrayBase = linearState(arraySeed)

// Rand is one stream. The zero value is not seeded: obtain one from New, or call Seed.
type Rand struct {
	state [stateLen]uint32
	next  int // words of state already handed out

	spare    float64 // the second value of the last Box–Muller pair
	hasSpare bool
}

// New returns the stream of Python's random.Random(seed).
func New(seed int64) *Rand {
	r := new(Rand)
	r.Seed(seed)
	return r
}

// Seed restarts r as Python's random.Random(seed). Python seeds from the absolute value,
// so seed and −seed are one stream.
func (r *Rand) Seed(seed int64) {
	magnitude := uint64(seed)
	if seed < 0 {
		magnitude = -magnitude // also right for the smallest int64, whose magnitude is 2^63
	}
	key := [2]uint32{uint32(magnitude), uint32(magnitude >> 32)}
	if key[1] == 0 {
		r.SeedWords(key[:1])
		return
	}
	r.SeedWords(key[:])
}

// SeedWords restarts r from a key of at least one word: init_by_array of the reference
// implementation. Python's seed is its little-endian 32-bit words. An empty key counts as {0}.
func (r *Rand) SeedWords(key []uint32) {
	if len(key) == 0 {
		key = []uint32{0}
	}
	r.state = arrayBase
	mt := &r.state
	i, j := 1, 0
	for range max(stateLen, len(key)) {
		mt[i] = (mt[i] ^ (mt[i-1]^mt[i-1]>>30)*1664525) + key[j] + uint32(j)
		if i++; i == stateLen {
			mt[0], i = mt[stateLen-1], 1
		}
		if j++; j == len(key) {
			j = 0
		}
	}
	for range stateLen - 1 {
		mt[i] = (mt[i] ^ (mt[i-1]^mt[i-1]>>30)*1566083941) - uint32(i)
		if i++; i == stateLen {
			mt[0], i = mt[stateLen-1], 1
		}
	}
	mt[0] = upperBit // a state of zeros only would stay there
	r.next = stateLen
	r.hasSpare = false
}

// linearState is the reference implementation's init_genrand.
func linearState(seed uint32) (mt [stateLen]uint32) {
	mt[0] = seed
	for i := 1; i < stateLen; i++ {
		mt[i] = 1812433253*(mt[i-1]^mt[i-1]>>30) + uint32(i)
	}
	return mt
}

// Uint32 returns the next tempered word of the generator.
func (r *Rand) Uint32() uint32 {
	if r.next >= stateLen {
		r.twist()
	}
	y := r.state[r.next]
	r.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// twist replaces the whole state by the next one.
func (r *Rand) twist() {
	mt := &r.state
	for i := range stateLen - middle {
		mt[i] = mt[i+middle] ^ twisted(mt[i], mt[i+1])
	}
	for i := stateLen - middle; i < stateLen-1; i++ {
		mt[i] = mt[i+middle-stateLen] ^ twisted(mt[i], mt[i+1])
	}
	mt[stateLen-1] = mt[middle-1] ^ twisted(mt[stateLen-1], mt[0])
	r.next = 0
}

func twisted(upper, lower uint32) uint32 {
	y := upper&upperBit | lower&lowerBits
	return y>>1 ^ -(y&1)&matrix
}

// Random returns a multiple of 2^-53, uniform in [0, 1).
func (r *Rand) Random() float64 {
	high, low := r.Uint32()>>5, r.Uint32()>>6
	// Both steps are exact, so no contraction can change a bit.
	return (float64(high)*(1<<26) + float64(low)) / (1 << 53)
}

// Uniform returns a number between a and b; like Python's it can be b when rounding says so.
func (r *Rand) Uniform(a, b float64) float64 {
	return a + float64((b-a)*r.Random())
}

// Gauss returns a normal deviate of mean mu and standard deviation sigma. Deviates come in
// Box–Muller pairs, and the second of a pair waits for the next call, as in Python.
func (r *Rand) Gauss(mu, sigma float64) float64 {
	if r.hasSpare {
		r.hasSpare = false
		return mu + float64(r.spare*sigma)
	}
	angle := float64(r.Random() * (2 * math.Pi))
	radius := math.Sqrt(-2 * fmath.Log(1-r.Random()))
	sin, cos := trig.Sincos(angle)
	r.spare, r.hasSpare = sin*radius, true
	return mu + float64(float64(cos*radius)*sigma)
}
