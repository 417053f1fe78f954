package landscape_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/problems/landscape"
)

type namedSelector struct {
	name     string
	selector treesearch.Selector
}

// selections are flat PUCT as a rule, a function and a native selection, and MCTS.
func selections(b *testing.B) []namedSelector {
	rule := compile(b, "flat_puct.rule", treesearch.FlatPuctText())
	return []namedSelector{
		{"rule", treesearch.NewPrioritySelection(rule)},
		{"flatpuct", treesearch.FlatPuct{C: 1, PriorExponent: 1}},
		{"func", treesearch.NewPrioritySelection(flatPuct(1))},
		{"mcts", &treesearch.MCTS{C: 1, Widening: 1}},
	}
}

// BenchmarkSearch times one search on the source family by flat PUCT: the plain port, which sorts at every step,
// beside Searcher with each form that the selection can take.
func BenchmarkSearch(b *testing.B) {
	native := flatPuct(1)
	for _, expansions := range []int{60, 600, 6000} {
		b.Run(fmt.Sprintf("budget=%d/plain", expansions), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plainSearch(landscape.Source(), firstSeed, expansions, native)
			}
		})
		for _, s := range selections(b) {
			b.Run(fmt.Sprintf("budget=%d/%s", expansions, s.name), func(b *testing.B) {
				b.ReportAllocs()
				searcher := landscape.NewSearcher(landscape.Source())
				for b.Loop() {
					if _, err := searcher.Search(b.Context(), firstSeed, expansions, s.selector); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkAgainstPlain prints how long a search takes as a share of the plain port's. The two run in turn in short
// slices and their fastest slices are compared, so that a busy machine slows both alike.
func BenchmarkAgainstPlain(b *testing.B) {
	native := flatPuct(1)
	for _, expansions := range []int{60, 600, 6000} {
		for _, s := range selections(b) {
			b.Run(fmt.Sprintf("budget=%d/%s", expansions, s.name), func(b *testing.B) {
				searcher := landscape.NewSearcher(landscape.Source())
				ours := func() {
					if _, err := searcher.Search(b.Context(), firstSeed, expansions, s.selector); err != nil {
						b.Fatal(err)
					}
				}
				plain := func() { plainSearch(landscape.Source(), firstSeed, expansions, native) }
				oursBest, plainBest := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
				for b.Loop() {
					oursBest, plainBest = min(oursBest, slice(ours)), min(plainBest, slice(plain))
				}
				b.ReportMetric(float64(oursBest.Nanoseconds()), "ns/search")
				b.ReportMetric(float64(plainBest.Nanoseconds()), "plain-ns/search")
				b.ReportMetric(float64(oursBest)/float64(plainBest), "of-plain")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// slice repeats f for about a millisecond, at least once, and returns the mean time of a call.
func slice(f func()) time.Duration {
	start := time.Now()
	for calls := 1; ; calls++ {
		f()
		if elapsed := time.Since(start); elapsed > time.Millisecond {
			return elapsed / time.Duration(calls)
		}
	}
}
