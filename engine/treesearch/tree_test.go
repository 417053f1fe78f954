package treesearch_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/agentdescent/adrun/engine/treesearch"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawScore draws from few values, so that nodes tie, and dead ends.
func drawScore(t *rapid.T) float64 {
	return rapid.SampledFrom([]float64{math.Inf(-1), -1, 0, 0.25, 0.5, 0.75, 1}).Draw(t, "score")
}

// fixed picks the node of its value.
type fixed int

func (f fixed) Select(*treesearch.Tree) int { return int(f) }

// grow plants a root and adds up to size nodes at drawn parents.
func grow(t *rapid.T, tree *treesearch.Tree, size int) {
	if err := tree.Reset(drawScore(t)); err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(0, size).Draw(t, "nodes") {
		growOne(t, tree)
	}
}

func growOne(t *rapid.T, tree *treesearch.Tree) {
	parent, err := tree.Select(fixed(rapid.IntRange(0, tree.Len()-1).Draw(t, "parent")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Add(parent, drawScore(t)); err != nil {
		t.Fatal(err)
	}
}

// naiveRanks sorts; ties keep the order of creation.
func naiveRanks(scores []float64) []float64 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	ranks := make([]float64, len(scores))
	for place, node := range order {
		ranks[node] = float64(place) / float64(len(scores)-1)
	}
	if len(scores) == 1 {
		ranks[0] = 0.5
	}
	return ranks
}

// naiveStatistics recounts a tree in which each selection was followed by one addition: every node but the root
// stands for a visit of its own, its creation, and for one of each ancestor, the selection that made it.
func naiveStatistics(tree *treesearch.Tree) (visits, depths []float64) {
	visits, depths = make([]float64, tree.Len()), make([]float64, tree.Len())
	for node := 1; node < tree.Len(); node++ {
		visits[node]++
		for i := tree.Parent(node); i != treesearch.NoParent; i = tree.Parent(i) {
			visits[i]++
			depths[node]++
		}
	}
	return visits, depths
}

func TestStatistics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tree treesearch.Tree
		for range 2 { // the second tree reuses the first one's memory
			grow(t, &tree, 40)
			visits, depths := naiveStatistics(&tree)
			total := 0.0
			for _, v := range visits {
				total += v
			}
			if diff := gocmp.Diff(naiveRanks(tree.Scores()), tree.Ranks()); diff != "" {
				t.Errorf("ranks (-want +got):\n%s", diff)
			}
			if diff := gocmp.Diff(visits, tree.Visits()); diff != "" {
				t.Errorf("visits (-want +got):\n%s", diff)
			}
			if diff := gocmp.Diff(depths, tree.Depths()); diff != "" {
				t.Errorf("depths (-want +got):\n%s", diff)
			}
			if tree.Total() != total {
				t.Errorf("total is %v, visits sum to %v", tree.Total(), total)
			}
			if want := []float64{1 / float64(tree.Len())}; !slices.Equal(tree.Priors(), want) {
				t.Errorf("priors of unrated nodes are %v, want %v", tree.Priors(), want)
			}
			// Again with one node more: statistics must not go stale once read.
			growOne(t, &tree)
			if diff := gocmp.Diff(naiveRanks(tree.Scores()), tree.Ranks()); diff != "" {
				t.Errorf("ranks after one more node (-want +got):\n%s", diff)
			}
		}
	})
}

// A selection is visible before its outcome: two in a row reserve two visits all the way up.
func TestSelectReserves(t *testing.T) {
	var tree treesearch.Tree
	mustReset(t, &tree, 0)
	first := mustAdd(t, &tree, 0, 1)
	second := mustAdd(t, &tree, first, 2)
	for range 2 {
		if _, err := tree.Select(fixed(second)); err != nil {
			t.Fatal(err)
		}
	}
	if want := []float64{2, 3, 3}; !slices.Equal(tree.Visits(), want) || tree.Total() != 8 {
		t.Errorf("visits are %v and total %v, want %v and 8", tree.Visits(), tree.Total(), want)
	}
}

func TestPriors(t *testing.T) {
	tests := map[string]struct {
		ratings map[int]float64
		want    []float64
	}{
		"none rated":                 {nil, []float64{0.25}},
		"all rated":                  {map[int]float64{0: 1, 1: 2, 2: 5, 3: 2}, []float64{0.1, 0.2, 0.5, 0.2}},
		"unrated get the rated mean": {map[int]float64{1: 1, 2: 3}, []float64{0.25, 0.125, 0.375, 0.25}},
		"one rated":                  {map[int]float64{0: 7}, []float64{0.25, 0.25, 0.25, 0.25}},
		"one rated 0":                {map[int]float64{2: 0}, []float64{0.25}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var tree treesearch.Tree
			mustReset(t, &tree, 0)
			for range 3 {
				mustAdd(t, &tree, 0, 0)
			}
			tree.Priors() // before the ratings: they must not be missed
			for node := range 4 {
				if rating, ok := test.ratings[node]; ok {
					if err := tree.Rate(node, rating); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got := tree.Priors(); !slices.Equal(got, test.want) {
				t.Errorf("priors are %v, want %v", got, test.want)
			}
			mustReset(t, &tree, 0)
			if got := tree.Priors(); !slices.Equal(got, []float64{1}) {
				t.Errorf("priors of a new tree are %v, want [1]", got)
			}
		})
	}
}

func TestTreeRefuses(t *testing.T) {
	var empty, tree treesearch.Tree
	mustReset(t, &tree, 0)
	add := func(tree *treesearch.Tree, parent int, score float64) error {
		_, err := tree.Add(parent, score)
		return err
	}
	pick := func(tree *treesearch.Tree, node int) error {
		_, err := tree.Select(fixed(node))
		return err
	}
	for name, err := range map[string]error{
		"NaN root":             new(treesearch.Tree).Reset(math.NaN()),
		"NaN score":            add(&tree, 0, math.NaN()),
		"no such parent":       add(&tree, 1, 0), // itself, were it added
		"second root":          add(&tree, treesearch.NoParent, 0),
		"add to no tree":       add(&empty, 0, 0),
		"select from no tree":  pick(&empty, 0),
		"select past the end":  pick(&tree, 1),
		"select below 0":       pick(&tree, -1),
		"negative rating":      tree.Rate(0, -1),
		"NaN rating":           tree.Rate(0, math.NaN()),
		"infinite rating":      tree.Rate(0, math.Inf(1)),
		"rating of no node":    tree.Rate(1, 1),
		"rating of a negative": tree.Rate(-1, 1),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if tree.Len() != 1 || tree.Total() != 0 {
		t.Errorf("refusals left %d nodes and %v visits, want 1 and 0", tree.Len(), tree.Total())
	}
}

func mustReset(t *testing.T, tree *treesearch.Tree, score float64) {
	t.Helper()
	if err := tree.Reset(score); err != nil {
		t.Fatal(err)
	}
}

func mustAdd(t *testing.T, tree *treesearch.Tree, parent int, score float64) int {
	t.Helper()
	node, err := tree.Add(parent, score)
	if err != nil {
		t.Fatal(err)
	}
	return node
}
