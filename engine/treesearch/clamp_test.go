package treesearch

import "testing"

// The totals are planted: searching until they are real takes minutes.
func TestClampsTotals(t *testing.T) {
	var tree Tree
	if err := tree.Reset(0); err != nil {
		t.Fatal(err)
	}
	tree.total, tree.visits[0] = maxTotal+1, maxVisits+1
	var total, visits float64
	selection := NewPrioritySelection(PriorityFunc(func(_, v, sum, _, _, _ float64) float64 {
		visits, total = v, sum
		return 0
	}))
	selection.Select(&tree)
	if total != maxTotal || visits != maxVisits || selection.Clamped() != 2 {
		t.Errorf("the rule saw total %v and visits %v, %d clamped; want %v, %v, 2", total, visits, selection.Clamped(), maxTotal, maxVisits)
	}
	if tree.Total() != maxTotal+1 || tree.Visits()[0] != maxVisits+1 {
		t.Errorf("the tree's own became %v and %v", tree.Total(), tree.Visits()[0])
	}
}
