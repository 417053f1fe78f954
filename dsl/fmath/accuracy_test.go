package fmath

import (
	"flag"
	"math"
	"math/big"
	"testing"

	"github.com/agentdescent/adrun/dsl/fmath/internal/bigmath"
)

// The full run, about a minute for each function:
//
//	go test ./dsl/fmath -run Accuracy -v -timeout 1h -points 10000000
var points = flag.Int("points", 20000, "random inputs per function in TestAccuracy")

const (
	// maxUlps is what the package promises of the distance to the true value,
	// in units of the last place of the true value. Below 1, a result is the
	// correctly rounded one or its neighbour across the true value.
	maxUlps = 0.52
	// Within undecided of a half, the fast reference cannot say whether a result
	// is the correctly rounded one; 2^-25 is far above its error of 2^(53-refBits).
	undecided = 0x1p-25
	// Every sampleth point the references are compared with each other.
	sample = 1024
)

func TestAccuracy(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			m := meter{subject: s, t: t}
			for _, e := range s.edges {
				for _, x := range around(e.x, 8) {
					if x > s.above {
						m.measure(x, e.y)
					}
				}
			}
			rng := stream(len(s.name))
			for i := range *points {
				m.measure(s.regions[i%len(s.regions)](&rng))
			}
			t.Logf("%d points: worst %.4f ulp at (%x, %x); %d (%.3f %%) not correctly rounded; math/big decided %d",
				m.count, m.worst, m.at.x, m.at.y, m.misrounded, 100*float64(m.misrounded)/float64(m.count), m.slowly)
			if m.worst > maxUlps {
				t.Errorf("worst error %.4f ulp, promised %v", m.worst, maxUlps)
			}
		})
	}
}

// around returns the 2n+1 floats around x, as far as they are finite.
func around(x float64, n int) []float64 {
	var xs []float64
	for range n {
		x = math.Nextafter(x, -inf)
	}
	for range 2*n + 1 {
		if x != 0 && !math.IsInf(x, 0) {
			xs = append(xs, x)
		}
		x = math.Nextafter(x, inf)
	}
	return xs
}

// meter accumulates errors of a subject.
type meter struct {
	subject
	t                         *testing.T
	count, misrounded, slowly int
	worst                     float64
	at                        point
}

func (m *meter) measure(x, y float64) {
	m.count++
	got := m.f(x, y)
	if x < 0 && m.name == "Pow" { // the references take |x|
		x = -x
		if math.Mod(y, 2) != 0 {
			got = -got
		}
	}
	ref := m.fast(x, y)
	e := ulps(got, ref)
	if m.count%sample == 0 {
		m.compare(x, y, ref)
	}
	if !(math.Abs(e-0.5) > undecided && e < maxUlps) {
		e = ulpsBig(got, m.slow(bigmath.Float(x), bigmath.Float(y)))
		m.slowly++
	}
	if !(e < 1) {
		m.t.Fatalf("%s(%x, %x) = %x: %v ulp off", m.name, x, y, got, e)
	}
	if e > 0.5 {
		m.misrounded++
	}
	if e > m.worst {
		m.worst, m.at = e, point{x, y}
	}
}

// compare holds the fast reference to its bound.
func (m *meter) compare(x, y float64, fast scaled) {
	slow := m.slow(bigmath.Float(x), bigmath.Float(y))
	d := bigmath.Float(fast.m.hi)
	d.Add(d, bigmath.Float(fast.m.lo))
	d.SetMantExp(d, fast.k)
	d.Sub(d, slow)
	if d.Sign() != 0 && slow.Sign() != 0 && d.MantExp(nil) > slow.MantExp(nil)-refBits {
		m.t.Errorf("%s(%x, %x): the references differ by 2^%d of the value, allowed 2^-%d",
			m.name, x, y, d.MantExp(nil)-slow.MantExp(nil), refBits)
	}
}

// ulps returns the distance of got to want in units of the last place of want.
// +Inf stands for 2^1024, the number it is rounded from.
func ulps(got float64, want scaled) float64 {
	if want.m.hi == 0 {
		return math.Abs(got) / 0x1p-1074
	}
	g := math.Ldexp(got, -want.k)
	if math.IsInf(got, 1) {
		if g = math.Ldexp(1, 1024-want.k); want.m.hi >= g {
			return 0
		}
	}
	_, exp := math.Frexp(want.m.hi)
	if m := math.Abs(want.m.hi); m == math.Ldexp(0.5, exp) && want.m.lo*want.m.hi < 0 {
		exp-- // just below a power of two
	}
	ulp := max(exp-53, -1074-want.k)
	return math.Ldexp(math.Abs((g-want.m.hi)-want.m.lo), -ulp)
}

// ulpsBig is ulps by math/big.
func ulpsBig(got float64, want *big.Float) float64 {
	if want.Sign() == 0 {
		return math.Abs(got) / 0x1p-1074
	}
	g := bigmath.Float(1)
	if math.IsInf(got, 1) {
		if g.SetMantExp(g, 1024); want.Cmp(g) >= 0 {
			return 0
		}
	} else {
		g.SetFloat64(got)
	}
	ulp := max(want.MantExp(nil)-53, -1074)
	g.Sub(g, want)
	d, _ := g.SetMantExp(g, -ulp).Float64()
	return math.Abs(d)
}
