package slots_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/agentdescent/adrun/slots"
)

var update = flag.Bool("update", false, "rewrite the tables in docs/acceptance.md")

// configured returns an acceptance as a run with default thresholds has it.
func configured[P interface {
	slots.Acceptance
	slots.Configurer
}](p P) P {
	p.Configure(slots.MergeConfig{})
	return p
}

// judge asks an acceptance about two sets of rewards.
func judge(t testing.TB, p slots.Acceptance, version int, base, cand []float64, cards ...*slots.Card) slots.AcceptDecision {
	t.Helper()
	d, err := p.Accept(slots.MergeContext{
		BaseCounts: slots.Count(base), CandCounts: slots.Count(cand), BaseRewards: base, CandRewards: cand,
		Prior: slots.UniformPrior(), Version: version, Cards: cards,
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// solved makes n rewards of which k are 1.
func solved(k, n int) []float64 {
	r := make([]float64, n)
	for i := range k {
		r[i] = 1
	}
	return r
}

func TestThresholdFollowsTheVersion(t *testing.T) {
	p := configured(&slots.DefaultAcceptance{})
	for version, want := range map[int]float64{0: 0.5, 64: 0.75, 128: 0.875, 1000: 0.99} {
		if got := p.Threshold(version); math.Abs(got-want) > 1e-12 {
			t.Errorf("threshold at version %d is %v, want %v", version, got, want)
		}
	}
}

func TestDefaultAcceptance(t *testing.T) {
	p := configured(&slots.DefaultAcceptance{})
	up, down := &slots.Card{Delta: slots.Known(0.1)}, &slots.Card{Delta: slots.Known(-0.5)}
	for name, tt := range map[string]struct {
		version    int
		base, cand []float64
		cards      []*slots.Card
		improve    float64 // exact, from Beta counts
		accept     bool
	}{
		// Beta(2,1) against Beta(1,2): 1 − 1/6.
		"one of one against none": {0, solved(0, 1), solved(1, 1), nil, 5.0 / 6, true},
		"a tie":                   {0, solved(2, 4), solved(2, 4), nil, 0.5, false},
		// The card adds 0.4 successes to the candidate's Beta(1,1): P(X > U) = E[X] = 1.4/2.4.
		"a gain on the card": {0, nil, nil, []*slots.Card{up}, 1.4 / 2.4, true},
		// The card adds min(1, 2) failures: E[X] of Beta(1,2).
		"a loss on the card": {0, nil, nil, []*slots.Card{down}, 1.0 / 3, false},
		"late in a run":      {256, solved(0, 1), solved(1, 1), nil, 5.0 / 6, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := judge(t, p, tt.version, tt.base, tt.cand, tt.cards...)
			if math.Abs(d.PImprove.Value-tt.improve) > 1e-9 || d.Accept != tt.accept {
				t.Errorf("P(improve) %.12f and %v, want %.12f and %v", d.PImprove.Value, d.Accept, tt.improve, tt.accept)
			}
		})
	}
}

func TestAFallingRateIsNeverAccepted(t *testing.T) {
	// Ten cards that gained outweigh one lost task in P(improve), but not in the rate.
	var cards []*slots.Card
	for range 10 {
		cards = append(cards, &slots.Card{Delta: slots.Known(1)})
	}
	d := judge(t, configured(&slots.DefaultAcceptance{}), 0, solved(2, 4), solved(1, 4), cards...)
	if d.PImprove.Value <= 0.5 || d.Accept || d.Category != slots.BelowThreshold {
		t.Errorf("%+v", d)
	}
}

func TestThePriorIsSettled(t *testing.T) {
	p := configured(&slots.DefaultAcceptance{})
	if d := judge(t, p, 0, solved(0, 4), solved(2, 4)); d.Prior != (slots.Beta{A: 3, B: 1}) {
		t.Errorf("after a commit %+v, want Beta(3, 1)", d.Prior)
	}
	if d := judge(t, p, 0, solved(2, 20), solved(1, 20)); d.Prior.A != 1 || math.Abs(d.Prior.B-1.2) > 1e-12 {
		t.Errorf("after a refusal of −0.05 %+v, want Beta(1, 1.2)", d.Prior)
	}
}

// A gain of ½ at a distance of ½: the default takes it, strength 1 just does, strength 1.1 does not and folds
// what was observed into the prior as any refusal does.
func TestStableDistanceAcceptance(t *testing.T) {
	ctx := slots.MergeContext{
		BaseCounts: slots.Count(solved(1, 4)), CandCounts: slots.Count(solved(3, 4)), Prior: slots.UniformPrior(), StableDistance: 0.5,
	}
	for strength, want := range map[float64]bool{0: true, 1: true, 1.1: false} {
		d, err := configured(&slots.StableDistanceAcceptance{Strength: strength}).Accept(ctx)
		if err != nil || d.Accept != want {
			t.Errorf("strength %v: %+v, %v", strength, d, err)
		}
		if !want && (d.Category != slots.BelowThreshold || d.Prior != slots.Beta{A: 2, B: 1} || !strings.Contains(d.Reason, "distance")) {
			t.Errorf("a refusal by distance: %+v", d)
		}
	}
}

// One standard deviation above its group is one success more: of Beta(1,1) without a measurement, P(X > U)
// for X ~ Beta(2,1) is ⅔; below it is ⅓; without an advantage it is ½.
func TestAdvantageAcceptance(t *testing.T) {
	for _, tt := range []struct {
		advantage slots.Maybe
		want      float64
	}{{slots.Known(1), 2.0 / 3}, {slots.Known(-1), 1.0 / 3}, {slots.Maybe{}, 0.5}} {
		d, err := configured(&slots.AdvantageAcceptance{}).Accept(slots.MergeContext{Prior: slots.UniformPrior(), Advantage: tt.advantage})
		if err != nil || math.Abs(d.PImprove.Value-tt.want) > 1e-9 {
			t.Errorf("advantage %v: P(improve) %v, want %v (%v)", tt.advantage, d.PImprove, tt.want, err)
		}
	}
}

func TestExplicitNumbersAreKept(t *testing.T) {
	p := &slots.DefaultAcceptance{BaseDelta: 0.3}
	p.Configure(slots.MergeConfig{BaseDelta: 0.4, MinDelta: 0.02})
	if p.BaseDelta != 0.3 || p.MinDelta != 0.02 || p.HalfLife != 64 {
		t.Errorf("%+v", p)
	}
	if _, err := (&slots.DefaultAcceptance{}).Accept(slots.MergeContext{}); err == nil {
		t.Error("an acceptance without numbers decided")
	}
}

func TestPairedAcceptance(t *testing.T) {
	p := configured(&slots.PairedAcceptance{})
	base := make([]float64, 12)
	cand := make([]float64, 12)
	for i := range base {
		base[i] = 0.5
		cand[i] = 0.5
		if i < 7 {
			cand[i] += 1e-6 // seven wins, however small: 2·2^7/8·(1−2^−8)
		}
	}
	if d := judge(t, p, 300, base, cand); !d.Accept || math.Abs(d.EValue.Value-31.875) > 1e-9 {
		t.Errorf("seven wins and five ties: %+v", d)
	}
	cand[0] -= 0.1 // six small wins and a big loss
	if d := judge(t, p, 300, base, cand); d.Accept {
		t.Errorf("a falling mean: %+v", d)
	}
	if d := judge(t, p, 0, base, base); d.Accept || d.EValue.Value != 1 {
		t.Errorf("all ties: %+v", d)
	}
}

// nullRate is the exact probability that the acceptance commits a candidate whose tasks are solved with the
// same probability as the base's, each measured once on n tasks.
func nullRate(t testing.TB, p slots.Acceptance, version, n int, solve float64) float64 {
	pmf := make([]float64, n+1)
	for k := range pmf {
		lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
		pmf[k] = math.Exp(lg(n) - lg(k) - lg(n-k) + float64(k)*math.Log(solve) + float64(n-k)*math.Log1p(-solve))
	}
	total := 0.0
	for b := range pmf {
		for c := b; c <= n; c++ {
			if judge(t, p, version, solved(b, n), solved(c, n)).Accept {
				total += pmf[b] * pmf[c]
			}
		}
	}
	return total
}

func TestNullRatesMatchTheDocs(t *testing.T) {
	p := configured(&slots.DefaultAcceptance{})
	var b strings.Builder
	b.WriteString("| version | n = 8 | n = 20 | n = 60 |\n|---|---|---|---|\n")
	for _, version := range []int{0, 16, 64, 256} {
		fmt.Fprintf(&b, "| %d |", version)
		for _, n := range []int{8, 20, 60} {
			fmt.Fprintf(&b, " %.3f |", nullRate(t, p, version, n, 0.5))
		}
		b.WriteByte('\n')
	}
	const (
		path  = "../docs/acceptance.md"
		begin = "<!-- null rates -->\n"
		end   = "<!-- end -->"
	)
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := strings.Cut(string(doc), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no table between %q and %q", path, begin, end)
	}
	if *update {
		if err := os.WriteFile(path, []byte(head+begin+b.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != b.String() {
		t.Errorf("the table in %s is not what is computed; run with -update:\n%s", path, b.String())
	}
}

// Simulation agrees with the exact null rate, and PairedAcceptance stays below its level.
func TestNullRatesBySimulation(t *testing.T) {
	const draws = 20000
	rng := rand.New(rand.NewPCG(3, 4))
	beta, paired := configured(&slots.DefaultAcceptance{}), configured(&slots.PairedAcceptance{})
	b, q := 0, 0
	base, cand := make([]float64, 20), make([]float64, 20)
	for range draws {
		for i := range base {
			base[i], cand[i] = float64(rng.IntN(2)), float64(rng.IntN(2))
		}
		if judge(t, beta, 64, base, cand).Accept {
			b++
		}
		if judge(t, paired, 64, base, cand).Accept {
			q++
		}
	}
	want := nullRate(t, beta, 64, 20, 0.5)
	if got, sd := float64(b)/draws, math.Sqrt(want*(1-want)/draws); math.Abs(got-want) > 4*sd {
		t.Errorf("simulated %.4f, exact %.4f", got, want)
	}
	if got := float64(q) / draws; got > paired.Alpha {
		t.Errorf("PairedAcceptance commits %.4f of null candidates, above %v", got, paired.Alpha)
	}
}

// A null run that asks after every task and stops at its first commit is wrong at most α of the time: ties,
// gains of any size and losses of any size are equally likely to go either way.
func TestPairedAcceptanceUnderOptionalStopping(t *testing.T) {
	const sequences, length = 10000, 50
	rng := rand.New(rand.NewPCG(5, 6))
	p := configured(&slots.PairedAcceptance{})
	base, cand := make([]float64, length), make([]float64, length)
	commits := 0
	for range sequences {
		for n := 1; n <= length; n++ {
			base[n-1] = 0.5
			cand[n-1] = 0.5 + float64(rng.IntN(3)-1)*0.4*rng.Float64()
			if judge(t, p, 0, base[:n], cand[:n]).Accept {
				commits++
				break
			}
		}
	}
	upper := mathext.InvRegIncBeta(float64(commits+1), float64(sequences-commits), 0.99)
	t.Logf("%d of %d null sequences committed, 99 %% upper limit %.4f", commits, sequences, upper)
	if upper > 1.2*p.Alpha {
		t.Errorf("99 %% upper limit %.4f is above %.4f", upper, 1.2*p.Alpha)
	}
	if commits == 0 {
		t.Error("no sequence committed: nothing was tested")
	}
}
