package landscape_test

import (
	"fmt"
	"testing"

	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/internal/paired"
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

// BenchmarkAgainstPlain prints how long a search takes, by each form that the selection can take, as a share of the plain
// port's, in alternating slices.
func BenchmarkAgainstPlain(b *testing.B) {
	native := flatPuct(1)
	for _, size := range []struct{ expansions, slices int }{{60, 250}, {600, 60}, {6000, 3}} {
		b.Run(fmt.Sprintf("budget=%d", size.expansions), func(b *testing.B) {
			searches := []func(n int){func(n int) {
				for range n {
					plainSearch(landscape.Source(), firstSeed, size.expansions, native)
				}
			}}
			selectors := selections(b)
			for _, s := range selectors {
				searcher := landscape.NewSearcher(landscape.Source())
				searches = append(searches, func(n int) {
					for range n {
						if _, err := searcher.Search(b.Context(), firstSeed, size.expansions, s.selector); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			var t []float64
			for b.Loop() {
				t = paired.Times(size.slices, searches...)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(t[0]/1e3, "plain-µs")
			b.ReportMetric(t[1]/1e3, "rule-µs")
			for i, s := range selectors {
				b.ReportMetric(t[i+1]/t[0], s.name+"/plain")
			}
		})
	}
}
