package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// exactImprove is P(X > Y) for whole parameters in rational arithmetic: with Y's distribution function a
// binomial tail, P(Y < X) = Σ_{i=ya}^{n} C(n, i) B(xa+i, xb+n−i) / B(xa, xb) for n = ya+yb−1.
func exactImprove(xa, xb, ya, yb int64) float64 {
	n := ya + yb - 1
	sum := new(big.Rat)
	for i := ya; i <= n; i++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(n, i))
		term.Mul(term, betaRatio(xa, xb, i, n-i))
		sum.Add(sum, term)
	}
	f, _ := sum.Float64()
	return f
}

// betaRatio is B(a+s, b+f)/B(a, b) as rising factorials.
func betaRatio(a, b, s, f int64) *big.Rat {
	num, den := big.NewInt(1), big.NewInt(1)
	for i := range s {
		num.Mul(num, big.NewInt(a+i))
	}
	for i := range f {
		num.Mul(num, big.NewInt(b+i))
	}
	for i := range s + f {
		den.Mul(den, big.NewInt(a+b+i))
	}
	return new(big.Rat).SetFrac(num, den)
}

func TestImproveClosedForm(t *testing.T) {
	for _, c := range [][4]int64{
		{1, 1, 1, 2}, {2, 1, 1, 1}, {1, 1, 40, 2}, {9, 1, 8, 2}, {21, 1, 1, 21}, {5, 5, 5, 5},
		{61, 3, 60, 4}, {300, 200, 290, 210}, {1, 200, 1, 199}, {1000, 3, 998, 5}, {2, 1000, 1, 1},
	} {
		want := exactImprove(c[0], c[1], c[2], c[3])
		got := Improve(float64(c[0]), float64(c[1]), float64(c[2]), float64(c[3]))
		if math.Abs(got-want) > 1e-10 {
			t.Errorf("Improve%v = %.15g, exact %.15g, off by %.2g", c, got, want, got-want)
		}
	}
}

func TestImproveProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := make([]int64, 4)
		f := make([]float64, 4)
		for i := range p {
			p[i] = rapid.Int64Range(1, 120).Draw(t, "count")
			f[i] = float64(p[i])
		}
		got := Improve(f[0], f[1], f[2], f[3])
		if want := exactImprove(p[0], p[1], p[2], p[3]); math.Abs(got-want) > 1e-9 {
			t.Fatalf("Improve%v = %.15g, exact %.15g", p, got, want)
		}
		g := make([]float64, 4)
		for i := range g {
			g[i] = f[i] + rapid.Float64Range(0, 1).Draw(t, "fraction")
		}
		if s := Improve(g[0], g[1], g[2], g[3]) + Improve(g[2], g[3], g[0], g[1]); math.Abs(s-1) > 1e-10 {
			t.Fatalf("Improve%v and its mirror sum to %.15g", g, s)
		}
		if up := Improve(g[0]+1, g[1], g[2], g[3]); up < Improve(g[0], g[1], g[2], g[3])-1e-10 {
			t.Fatalf("one success more lowers Improve%v", g)
		}
	})
}

func TestImproveRefusesBadParameters(t *testing.T) {
	for _, c := range [][4]float64{{0, 1, 1, 1}, {1, -1, 1, 1}, {1, 1, math.NaN(), 1}, {1, 1, 1, math.Inf(1)}} {
		if got := Improve(c[0], c[1], c[2], c[3]); !math.IsNaN(got) {
			t.Errorf("Improve%v = %v, want NaN", c, got)
		}
	}
}

// exactE is the wealth integral by the binomial theorem on 2(1−p) = 1 − (2p−1), 2p = 1 + (2p−1): with
// u = 2p−1 in [0, 1] it is ∫_0^1 (1+u)^w (1−u)^l du, a polynomial.
func exactE(wins, losses int) float64 {
	poly := []*big.Int{big.NewInt(1)}
	times := func(sign int64) {
		next := make([]*big.Int, len(poly)+1)
		for i := range next {
			next[i] = new(big.Int)
			if i < len(poly) {
				next[i].Add(next[i], poly[i])
			}
			if i > 0 {
				next[i].Add(next[i], new(big.Int).Mul(big.NewInt(sign), poly[i-1]))
			}
		}
		poly = next
	}
	for range wins {
		times(1)
	}
	for range losses {
		times(-1)
	}
	sum := new(big.Rat)
	for i, c := range poly {
		sum.Add(sum, new(big.Rat).SetFrac(c, big.NewInt(int64(i+1))))
	}
	f, _ := sum.Float64()
	return f
}

func TestSignEValue(t *testing.T) {
	for w := 0; w <= 60; w += 3 {
		for l := 0; l <= 60; l += 4 {
			got, want := SignEValue(w, l), exactE(w, l)
			if math.Abs(got-want) > 1e-9*want {
				t.Errorf("SignEValue(%d, %d) = %.15g, exact %.15g", w, l, got, want)
			}
		}
	}
}

// The expected wealth one fair toss later is the wealth now: the value is a martingale at the edge of the null.
func TestSignEValueIsAMartingale(t *testing.T) {
	for w := range 40 {
		for l := range 40 {
			now := SignEValue(w, l)
			next := (SignEValue(w+1, l) + SignEValue(w, l+1)) / 2
			if math.Abs(next-now) > 1e-9*now {
				t.Fatalf("after %d wins and %d losses: %.15g now, %.15g expected next", w, l, now, next)
			}
		}
	}
}

// Under the null a run that looks after every task and stops as soon as it may is wrong at most α of the time.
func TestSignEValueUnderOptionalStopping(t *testing.T) {
	const (
		sequences = 10000
		length    = 200
		alpha     = 0.05
	)
	rng := rand.New(rand.NewPCG(1, 2))
	stopped := 0
	for range sequences {
		w, l := 0, 0
		for range length {
			if rng.IntN(2) == 0 {
				w++
			} else {
				l++
			}
			if SignEValue(w, l) >= 1/alpha {
				stopped++
				break
			}
		}
	}
	p := float64(stopped) / sequences
	upper := p + 2.326*math.Sqrt(p*(1-p)/sequences)
	t.Logf("stopped %d of %d null sequences, 99%% upper limit %.4f", stopped, sequences, upper)
	if upper > 1.2*alpha {
		t.Errorf("99%% upper limit of the null rate is %.4f, above %.4f", upper, 1.2*alpha)
	}
}

func TestSignTest(t *testing.T) {
	for n := range 40 {
		for w := 0; w <= n; w++ {
			tail := new(big.Int)
			for k := w; k <= n; k++ {
				tail.Add(tail, new(big.Int).Binomial(int64(n), int64(k)))
			}
			want, _ := new(big.Rat).SetFrac(tail, new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
			if got := SignTest(w, n-w); math.Abs(got-want) > 1e-12 {
				t.Fatalf("SignTest(%d, %d) = %.15g, exact %.15g", w, n-w, got, want)
			}
		}
	}
}

func TestZScore(t *testing.T) {
	var m Moments
	for _, x := range []float64{2, 4, 4, 4, 5, 5, 7, 9} { // mean 5, population sd 2
		m.Add(x)
	}
	if z, ok := m.ZScore(9, 4); !ok || math.Abs(z-2) > 1e-12 {
		t.Errorf("ZScore(9) = %v, %v; want 2", z, ok)
	}
	if _, ok := m.ZScore(9, 9); ok {
		t.Error("a z-score from fewer observations than asked for")
	}
	var flat Moments
	for range 5 {
		flat.Add(0.3)
	}
	if _, ok := flat.ZScore(1, 4); ok {
		t.Error("a z-score from observations that do not vary")
	}
}

func BenchmarkImprove(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Improve(41.5, 20.5, 40.25, 21.75)
	}
}
