package cpython_test

import (
	"bufio"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/internal/cpython"
)

// The first outputs of the reference implementation, mt19937ar.out of Matsumoto and
// Nishimura, for the key {0x123, 0x234, 0x345, 0x456}.
func TestReferenceOutput(t *testing.T) {
	want := []uint32{1067595299, 955945823, 477289528, 4107218783, 4228976476,
		3344332714, 3355579695, 227628506, 810200273, 2591290167}
	var r cpython.Rand
	r.SeedWords([]uint32{0x123, 0x234, 0x345, 0x456})
	for i, w := range want {
		if got := r.Uint32(); got != w {
			t.Fatalf("output %d is %d, want %d", i, got, w)
		}
	}
}

func TestNoKeyIsZero(t *testing.T) {
	var empty, zero cpython.Rand
	empty.SeedWords(nil)
	zero.SeedWords([]uint32{0})
	if a, b := empty.Random(), zero.Random(); a != b {
		t.Errorf("first draw is %v from no key, %v from {0}", a, b)
	}
}

// testdata/golden.py wrote the expected draws with CPython itself.
func TestMatchesCPython(t *testing.T) {
	file, err := os.Open("testdata/random.golden")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var (
		stream  *cpython.Rand
		seed    string
		drawn   int
		scanner = bufio.NewScanner(file)
	)
	for scanner.Scan() {
		fields := strings.Fields(scanner.Text())
		if fields[0] == "seed" {
			seed, drawn = fields[1], 0
			stream = newStream(t, seed)
			continue
		}
		for row := number(t, fields[0]); float64(drawn) < row; drawn++ {
			draw(stream)
		}
		for i, got := range draw(stream) {
			want := number(t, fields[1+i])
			exact := i < 2 // Python's gauss calls the C library
			if exact && got != want || math.Abs(got-want) > 4e-15 {
				t.Errorf("seed %.20s, row %d, draw %d: %x, CPython has %x", seed, drawn, i, got, want)
			}
		}
		drawn++
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	if drawn != 700 {
		t.Errorf("the golden file ends at row %d of a seed, want 700", drawn)
	}
}

// draw repeats the loop body of golden.py.
func draw(r *cpython.Rand) [5]float64 {
	return [5]float64{r.Random(), r.Uniform(-1, 1), r.Gauss(0, 1), r.Gauss(2, 0.5), r.Gauss(0, 1)}
}

// newStream seeds by Seed where the seed fits, and from the words of a longer one as
// Python does.
func newStream(t *testing.T, seed string) *cpython.Rand {
	t.Helper()
	n, ok := new(big.Int).SetString(seed, 0)
	if !ok {
		t.Fatalf("seed %q is not an integer", seed)
	}
	if n.IsInt64() {
		return cpython.New(n.Int64())
	}
	var (
		words []uint32
		mask  = big.NewInt(math.MaxUint32)
	)
	for n.Abs(n); n.Sign() > 0; n.Rsh(n, 32) {
		words = append(words, uint32(new(big.Int).And(n, mask).Uint64()))
	}
	r := new(cpython.Rand)
	r.SeedWords(words)
	return r
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Seed must forget the pending second deviate.
func TestSeedRestarts(t *testing.T) {
	r := cpython.New(7)
	first := r.Gauss(0, 1)
	r.Seed(7)
	if again := r.Gauss(0, 1); again != first {
		t.Errorf("first deviate after Seed(7) is %v, after New(7) %v", again, first)
	}
	if minus := cpython.New(-7).Gauss(0, 1); minus != first {
		t.Errorf("first deviate of seed -7 is %v, of seed 7 %v; Python takes the absolute value", minus, first)
	}
}

func BenchmarkSeed(b *testing.B) {
	b.ReportAllocs()
	var r cpython.Rand
	for b.Loop() {
		r.Seed(1000130003004)
	}
}

func BenchmarkGauss(b *testing.B) {
	b.ReportAllocs()
	r := cpython.New(1)
	for b.Loop() {
		r.Gauss(0, 1)
	}
}
