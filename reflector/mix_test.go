package reflector

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/slots"
)

// arm is a source as a simulation plays it.
type arm struct {
	commits float64 // chance
	tokens  int     // a lease
}

// play lets a mix choose for so many leases, with the barrier after every lane, and returns the tallies.
func play(m Mix, arms []arm, leases, lanes int, seed uint64) []slots.SourceTally {
	tallies := make([]slots.SourceTally, len(arms))
	for i := range tallies {
		tallies[i].Source = m.Sources[i].Name
	}
	luck := rand.New(rand.NewPCG(seed, 1))
	for lease := 0; lease < leases; lease += lanes {
		view := &slots.Population{Sources: append([]slots.SourceTally(nil), tallies...)}
		for lane := range lanes {
			i := m.choose(&slots.ProposalContext{Seed: seed<<20 + uint64(lease+lane), Population: view})
			t := &tallies[i]
			t.Leases++
			t.Spend.Tokens += arms[i].tokens
			if luck.Float64() < arms[i].commits {
				t.Commits++
			}
		}
	}
	return tallies
}

func mixOf(caps Caps, names ...string) Mix {
	m := Mix{Caps: caps}
	for _, n := range names {
		m.Sources = append(m.Sources, Source{Name: n})
	}
	return m
}

func shares(tallies []slots.SourceTally) []float64 {
	out, sum := make([]float64, len(tallies)), 0
	for _, t := range tallies {
		sum += t.Leases
	}
	for i, t := range tallies {
		out[i] = float64(t.Leases) / float64(sum)
	}
	return out
}

// A source that never improves is starved and still explored.
func TestMixStarvesWhatDoesNotImprove(t *testing.T) {
	for seed := range uint64(4) {
		got := shares(play(mixOf(Caps{Leases: 2000}, "never", "often"), []arm{{0, 100}, {0.2, 100}}, 1000, 4, seed))
		if got[0] > 0.08 || got[0] < DefaultExplore/4 {
			t.Errorf("seed %d: the source that never improves gets %.3f of the leases", seed, got[0])
		}
	}
}

// Of two that improve alike the cheap one is preferred; without a cap on what differs they are alike.
func TestMixPrefersTheCheap(t *testing.T) {
	arms := []arm{{0.1, 100}, {0.1, 1000}}
	capped, free := 0.0, 0.0
	const seeds = 4
	for seed := range uint64(seeds) {
		capped += shares(play(mixOf(Caps{Spend: slots.Spend{Tokens: 1e6}}, "cheap", "dear"), arms, 1000, 4, seed))[0] / seeds
		free += shares(play(mixOf(Caps{Leases: 2000}, "cheap", "dear"), arms, 1000, 4, seed))[0] / seeds
	}
	if capped < 0.9 {
		t.Errorf("the cheap source gets %.3f of the leases", capped)
	}
	if math.Abs(free-0.5) > 0.25 {
		t.Errorf("where tokens have no cap it gets %.3f", free)
	}
}

// What is dear but ten times as good for its price is worth it.
func TestMixPaysForWhatImproves(t *testing.T) {
	for seed := range uint64(4) {
		got := shares(play(mixOf(Caps{Spend: slots.Spend{Tokens: 1e6}}, "cheap", "dear"), []arm{{0.005, 100}, {0.5, 1000}}, 2000, 4, seed))
		if got[1] < 0.8 {
			t.Errorf("seed %d: the source that is worth its price gets %.3f of the leases", seed, got[1])
		}
	}
}

// A source that uses nothing that is capped is not preferred for ever.
func TestMixFreeSource(t *testing.T) {
	got := shares(play(mixOf(Caps{Spend: slots.Spend{Tokens: 1e6}}, "free", "dear"), []arm{{0.001, 0}, {0.5, 1000}}, 2000, 4, 1))
	if got[1] < 0.5 {
		t.Errorf("the source that improves gets %.3f of the leases", got[1])
	}
}

// TestBeta compares the moments of draws with those of the distribution.
func TestBeta(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, tt := range [][2]int{{1, 1}, {1, 9}, {3, 2}, {40, 160}, {5000, 15000}} {
		a, b := float64(tt[0]), float64(tt[1])
		const n = 4000
		sum := 0.0
		for range n {
			sum += beta(rng, tt[0], tt[1])
		}
		sd := math.Sqrt(a * b / ((a + b) * (a + b) * (min(a+b, mostDraws) / 2))) // at most, when halved
		if mean := sum / n; math.Abs(mean-a/(a+b)) > 4*sd/math.Sqrt(n) {
			t.Errorf("Beta(%g, %g) has the mean %.4f", a, b, mean)
		}
	}
}

// The choice depends on tallies and seed alone, and every tally has a choice.
func TestMixChooses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := mixOf(Caps{Leases: rapid.IntRange(0, 100).Draw(t, "cap"), Spend: slots.Spend{Tokens: rapid.IntRange(0, 100).Draw(t, "tokens")}}, "a", "b", "c")
		p := &slots.Population{}
		for _, name := range []string{"c", "a"} {
			leases := rapid.IntRange(0, 9000).Draw(t, "leases")
			p.Sources = append(p.Sources, slots.SourceTally{
				Source: name, Leases: leases, Commits: rapid.IntRange(0, leases).Draw(t, "commits"),
				Spend: slots.Spend{Tokens: rapid.IntRange(0, 1e6).Draw(t, "spent")},
			})
		}
		pc := &slots.ProposalContext{Seed: rapid.Uint64().Draw(t, "seed"), Population: p}
		first := m.choose(pc)
		if first < 0 || first > 2 || m.choose(pc) != first {
			t.Fatalf("chose %d, then %d", first, m.choose(pc))
		}
	})
}

func TestMixValidate(t *testing.T) {
	err := Mix{Sources: []Source{{Name: "a", Proposer: Breeder{}}}, Explore: 2}.Validate()
	if err == nil || !strings.Contains(err.Error(), "has 1 sources") || !strings.Contains(err.Error(), "outside 0 to 1") {
		t.Error(err)
	}
	err = Mix{Sources: []Source{{Name: "a", Proposer: Breeder{}}, {Name: "a", Proposer: Breeder{}}}}.Validate()
	if err == nil || !strings.Contains(err.Error(), `two sources of a mix are called "a"`) {
		t.Error(err)
	}
}

// A failure has the name of its source once, the mix's.
func TestMixNamesAFailureOnce(t *testing.T) {
	m := mixOf(Caps{}, "a", "b")
	for i := range m.Sources {
		m.Sources[i].Proposer = slots.ProposerFunc(func(context.Context, *slots.ProposalContext) (*slots.Proposal, error) {
			return nil, &slots.SourceError{Source: "model", Err: errors.New("no route to host")}
		})
	}
	_, err := m.Propose(t.Context(), &slots.ProposalContext{})
	var failed *slots.SourceError
	if !errors.As(err, &failed) || err.Error() != failed.Source+": no route to host" || failed.Source == "model" {
		t.Error(err)
	}
}
