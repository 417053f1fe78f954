package derive

import (
	"math"
	"testing"
)

// The expected seeds are the leading bytes of SHA-256 over the documented encoding, computed outside Go; a change of any
// of them would change every recorded run.
func TestSeedIsTheDocumentedHash(t *testing.T) {
	tests := []struct {
		seed    uint64
		purpose string
		idx     []uint64
		want    uint64
	}{
		{0, "", nil, 0x374708fff7719dd5},
		{1, "rollout", []uint64{3, 7}, 0xef0cb931711fc0b6},
		{math.MaxUint64, "naive", []uint64{1 << 63}, 0x18ce5b5cc08f62d2},
	}
	for _, tt := range tests {
		if got := Seed(tt.seed, tt.purpose, tt.idx...); got != tt.want {
			t.Errorf("Seed(%d, %q, %v) = %#x, want %#x", tt.seed, tt.purpose, tt.idx, got, tt.want)
		}
	}
}

// The expected draws are PCG-DXSM from the published recurrence, computed outside Go from the hash above.
func TestRandIsPCGFromTheHash(t *testing.T) {
	r := Rand(1, "rollout", 3, 7)
	for i, want := range []uint64{0x5733b3145ecdfc5d, 0xfecad02a65fbdad5, 0xd676b1f7aa4aa975} {
		if got := r.Uint64(); got != want {
			t.Errorf("draw %d = %#x, want %#x", i, got, want)
		}
	}
}

func TestNamesThatDifferAnywhereGiveOtherSeeds(t *testing.T) {
	type name struct {
		seed    uint64
		purpose string
		idx     []uint64
	}
	names := []name{
		{1, "a", nil},
		{2, "a", nil},
		{1, "b", nil},
		{1, "a", []uint64{0}},
		{1, "a", []uint64{1}},
		{1, "a", []uint64{0, 0}},
		{1, "a", []uint64{0, 1}},
		{1, "a", []uint64{1, 0}},
		{1, "a\x00\x00\x00\x00\x00\x00\x00\x00", nil}, // the bytes of index 0, but inside the purpose
	}
	seen := map[uint64]name{}
	for _, n := range names {
		s := Seed(n.seed, n.purpose, n.idx...)
		if other, ok := seen[s]; ok {
			t.Errorf("%v and %v share the seed %#x", n, other, s)
		}
		seen[s] = n
	}
}

// The mean of n deviates is within four standard errors of 0 and their variance of 1; none is further out than 6.
func TestBellIsNearlyNormal(t *testing.T) {
	const n = 10_000
	rng := Rand(1, "bell")
	sum, squares := 0.0, 0.0
	for range n {
		x := Bell(rng)
		if math.Abs(x) > 6 {
			t.Fatalf("drew %v", x)
		}
		sum += x
		squares += x * x
	}
	if mean, variance := sum/n, squares/n; math.Abs(mean) > 4/math.Sqrt(n) || math.Abs(variance-1) > 4*math.Sqrt(2./n) {
		t.Errorf("mean %v, variance %v", mean, variance)
	}
}
