//go:build !race

// Under the race detector a sync.Pool forgets at random, and the program's memory for a batch comes from one.

package landscape_test

import (
	"testing"

	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/problems/landscape"
)

func TestSearchByRuleAllocatesNothing(t *testing.T) {
	searcher := landscape.NewSearcher(landscape.Target())
	selection := treesearch.NewPrioritySelection(compile(t, "flat_puct.rule", treesearch.FlatPuctText()))
	search := func() {
		if _, err := searcher.Search(t.Context(), firstSeed, budget, selection); err != nil {
			t.Fatal(err)
		}
	}
	search()
	if allocs := testing.AllocsPerRun(100, search); allocs > 0 {
		t.Errorf("%v allocations a search", allocs)
	}
}
