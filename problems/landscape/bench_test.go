package landscape_test

import (
	"fmt"
	"testing"

	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/problems/landscape"
)

// BenchmarkSearch times one search on the source family by flat PUCT: the plain port, which sorts at every step,
// beside Searcher with each form that the selection can take.
func BenchmarkSearch(b *testing.B) {
	native := flatPuct(1)
	selectors := []struct {
		name     string
		selector treesearch.Selector
	}{
		{"flatpuct", treesearch.FlatPuct{C: 1, PriorExponent: 1}},
		{"func", treesearch.NewPrioritySelection(native)},
		{"mcts", &treesearch.MCTS{C: 1, Widening: 1}},
	}
	for _, expansions := range []int{60, 600, 6000} {
		b.Run(fmt.Sprintf("budget=%d/plain", expansions), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plainSearch(landscape.Source(), firstSeed, expansions, native)
			}
		})
		for _, s := range selectors {
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
