package trig_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/internal/trig"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const precision = 300

// reference evaluates both Taylor series at x itself, without any reduction, in 300 bits
// more than the largest term needs.
func reference(x float64) (sin, cos *big.Float) {
	digits := uint(precision + 4*math.Abs(x))
	newFloat := func(v float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(v) }
	exact, term := newFloat(x), newFloat(1)
	sums := [2]*big.Float{newFloat(1), newFloat(0)} // even powers, odd powers
	limit := new(big.Float).SetMantExp(newFloat(1), -precision)
	for k := 1; ; k++ {
		term.Mul(term, exact)
		term.Quo(term, newFloat(float64(k)))
		if k%4 >= 2 {
			sums[k%2].Sub(sums[k%2], term)
		} else {
			sums[k%2].Add(sums[k%2], term)
		}
		if float64(k) > math.Abs(x) && new(big.Float).Abs(term).Cmp(limit) < 0 {
			return sums[1], sums[0]
		}
	}
}

// ulps returns the distance of got from want in units of got's last place.
func ulps(got float64, want *big.Float) float64 {
	unit := math.Nextafter(math.Abs(got), math.Inf(1)) - math.Abs(got)
	distance := new(big.Float).SetPrec(precision).SetFloat64(got)
	distance.Sub(distance, want)
	distance.Quo(distance, new(big.Float).SetFloat64(unit))
	d, _ := distance.Float64()
	return math.Abs(d)
}

func checkWithinOneUlp(t interface{ Errorf(string, ...any) }, x float64) {
	sin, cos := trig.Sincos(x)
	wantSin, wantCos := reference(x)
	if d := ulps(sin, wantSin); !(d <= 1) {
		t.Errorf("sin(%v) = %v is %.2f ulp off", x, sin, d)
	}
	if d := ulps(cos, wantCos); !(d <= 1) {
		t.Errorf("cos(%v) = %v is %.2f ulp off", x, cos, d)
	}
}

func TestWithinOneUlp(t *testing.T) {
	for _, x := range []float64{0, 1e-300, 1e-9, 0.5, math.Pi / 4, math.Nextafter(math.Pi/4, 1), 1,
		math.Pi / 2, math.Pi, 2 * math.Pi, 355, 710, 1000} {
		checkWithinOneUlp(t, x)
		checkWithinOneUlp(t, -x)
	}
	rapid.Check(t, func(t *rapid.T) {
		checkWithinOneUlp(t, rapid.Float64Range(-100, 100).Draw(t, "x"))
	})
}

// Far arguments are compared with the standard library, whose error there is below 2 ulp
// of 1: the series would need a bit for every unit of x.
func TestFarArguments(t *testing.T) {
	for x := 1e3; x <= 1e6; x *= 1.37 {
		sin, cos := trig.Sincos(x)
		if math.Abs(sin-math.Sin(x)) > 5e-16 || math.Abs(cos-math.Cos(x)) > 5e-16 {
			t.Errorf("Sincos(%v) = %v, %v; the standard library has %v, %v", x, sin, cos, math.Sin(x), math.Cos(x))
		}
	}
	if sin, cos := trig.Sincos(1e300); !(math.Abs(math.Hypot(sin, cos)-1) < 1e-15) {
		t.Errorf("Sincos(1e300) = %v, %v is not on the unit circle", sin, cos)
	}
}

func TestSpecialValues(t *testing.T) {
	if sin, cos := trig.Sincos(math.Copysign(0, -1)); sin != 0 || !math.Signbit(sin) || cos != 1 {
		t.Errorf("Sincos(-0) = %v, %v, want -0, 1", sin, cos)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if sin, cos := trig.Sincos(x); !math.IsNaN(sin) || !math.IsNaN(cos) {
			t.Errorf("Sincos(%v) = %v, %v, want NaN, NaN", x, sin, cos)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")

// The pinned bits are what a machine that contracts products, or one with other
// elementary functions, would not reproduce. TestWithinOneUlp says that they are right.
func TestSameBitsEverywhere(t *testing.T) {
	var got strings.Builder
	for octave := -4; octave < 12; octave++ {
		hash := fnv.New64a()
		for i := range 5000 {
			x := math.Ldexp(1+float64(i)/5000, octave)
			sin, cos := trig.Sincos(x)
			binary.Write(hash, binary.LittleEndian, [2]float64{sin, cos})
		}
		fmt.Fprintf(&got, "from %v: %016x\n", math.Ldexp(1, octave), hash.Sum64())
	}
	golden := filepath.Join("testdata", "sincos.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("bits differ (-want +got):\n%s", diff)
	}
}

func BenchmarkSincos(b *testing.B) {
	b.ReportAllocs()
	x := 0.0
	for b.Loop() {
		sin, cos := trig.Sincos(x)
		x = sin + cos + 2
	}
}
