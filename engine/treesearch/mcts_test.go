package treesearch_test

import (
	"math"
	"testing"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/engine/treesearch"
	"pgregory.net/rapid"
)

// recursiveMCTS is MCTS from its documentation, by recursion over children.
func recursiveMCTS(tree *treesearch.Tree, c, widening float64, node int) int {
	limit := widening * math.Sqrt(tree.Visits()[node])
	best, bound, children := -1, math.Inf(-1), 0
	for child := range tree.Len() {
		if tree.Parent(child) != node {
			continue
		}
		children++
		value, ok := meanBelow(tree, child)
		if !ok {
			continue
		}
		b := value + c*math.Sqrt(max(0, fmath.Log(tree.Visits()[node]))/tree.Visits()[child])
		if b > bound {
			best, bound = child, b
		}
	}
	if best < 0 || float64(children) < limit {
		return node
	}
	return recursiveMCTS(tree, c, widening, best)
}

// meanBelow returns the mean scaled score of the live nodes below and at node.
func meanBelow(tree *treesearch.Tree, node int) (mean float64, ok bool) {
	lowest, highest := math.Inf(1), math.Inf(-1)
	sum, count := 0.0, 0.0
	for i, score := range tree.Scores() {
		if math.IsInf(score, -1) {
			continue
		}
		lowest, highest = min(lowest, score), max(highest, score)
		for a := i; a != treesearch.NoParent; a = tree.Parent(a) {
			if a == node {
				sum += score
				count++
			}
		}
	}
	if highest == lowest {
		return 0.5, count > 0
	}
	return (sum/count - lowest) / (highest - lowest), count > 0
}

// The scores are multiples of a quarter, so sums are exact in any order and the two must agree to the bit.
func TestMCTSEqualsRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]float64{0, 0.1, 1, math.Sqrt2}).Draw(t, "c")
		widening := rapid.SampledFrom([]float64{1, 1.5, 3}).Draw(t, "widening")
		mcts := &treesearch.MCTS{C: c, Widening: widening}
		var tree treesearch.Tree
		if err := tree.Reset(drawScore(t)); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			want := recursiveMCTS(&tree, c, widening, 0)
			got, err := tree.Select(mcts)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Fatalf("picked node %d of %d, want %d", got, tree.Len(), want)
			}
			if _, err := tree.Add(got, drawScore(t)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A dead end is never expanded, however much exploration weighs.
func TestMCTSAvoidsDeadEnds(t *testing.T) {
	var tree treesearch.Tree
	mustReset(t, &tree, 0.5)
	for step := range 200 {
		node, err := tree.Select(&treesearch.MCTS{C: 10, Widening: 1})
		if err != nil {
			t.Fatal(err)
		}
		if math.IsInf(tree.Scores()[node], -1) {
			t.Fatalf("step %d expands dead end %d", step, node)
		}
		score := 0.25
		if step%2 == 0 {
			score = math.Inf(-1)
		}
		mustAdd(t, &tree, node, score)
	}
}
