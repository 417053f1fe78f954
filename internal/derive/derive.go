// Package derive makes random streams that depend on what they are for and not on when they are drawn.
//
// A stream is named by a seed, a purpose and indices (a round, a lease, an instance): the same name gives the same
// numbers on every machine, in any order of use and on any goroutine, and two names that differ anywhere give unrelated
// numbers. Nothing here keeps state; the encoding of names is injective and never changes, since recorded runs depend on it.
package derive

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Seed returns the 64-bit seed of the stream (seed, purpose, idx...).
func Seed(seed uint64, purpose string, idx ...uint64) uint64 {
	d := digest(seed, purpose, idx)
	return binary.BigEndian.Uint64(d[0:8])
}

// Rand returns a generator for the stream (seed, purpose, idx...), positioned at its beginning. It is not safe for
// concurrent use: derive one per goroutine.
func Rand(seed uint64, purpose string, idx ...uint64) *rand.Rand {
	d := digest(seed, purpose, idx)
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(d[0:8]), binary.BigEndian.Uint64(d[8:16])))
}

// digest hashes the name: the seed, the length of the purpose, the purpose, then each index, integers as eight
// big-endian bytes. The length keeps a purpose from running into the indices.
func digest(seed uint64, purpose string, idx []uint64) [sha256.Size]byte {
	name := make([]byte, 0, 64)
	name = binary.BigEndian.AppendUint64(name, seed)
	name = binary.BigEndian.AppendUint64(name, uint64(len(purpose)))
	name = append(name, purpose...)
	for _, i := range idx {
		name = binary.BigEndian.AppendUint64(name, i)
	}
	return sha256.Sum256(name)
}
