package slots_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/slots"
)

// to is a selector that picks the node it is told to.
type to int

func (n to) Select(*treesearch.Tree) int { return int(n) }

// grown draws a tree of heads, and the same tree as the flat tree search keeps it.
func grown(t *rapid.T) ([]slots.Head, *treesearch.Tree) {
	tree := &treesearch.Tree{}
	score := func() float64 { return float64(rapid.IntRange(0, 6).Draw(t, "score")) / 6 }
	hs := []slots.Head{{Score: slots.Known(score())}}
	if err := tree.Reset(hs[0].Score.Value); err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(0, 25).Draw(t, "steps") {
		node := rapid.IntRange(0, len(hs)-1).Draw(t, "node")
		if _, err := tree.Select(to(node)); err != nil {
			t.Fatal(err)
		}
		hs[node].Selected++
		if rapid.Bool().Draw(t, "child") {
			h := slots.Head{ID: len(hs), Parent: node, Score: slots.Known(score())}
			if _, err := tree.Add(node, h.Score.Value); err != nil {
				t.Fatal(err)
			}
			hs = append(hs, h)
		}
	}
	return hs, tree
}

// Searching the archived heads is searching the flat tree: the same nodes for several lanes in a row.
func TestHeadsAreSearchedAsATree(t *testing.T) {
	mix := compiled(t, `policy p fills selection {
  priority(rank, visits, total, prior, depth, n_nodes) {
    return rank * 3 % 1 + visits * 7 % 5 + total * 11 % 3 + prior + depth * 5 % 4 + n_nodes
  }
}`).Selection
	native := treesearch.PriorityFunc(func(rank, visits, total, prior, depth, nodes float64) float64 {
		mod := math.Mod
		return mod(rank*3, 1) + mod(visits*7, 5) + mod(total*11, 3) + prior + mod(depth*5, 4) + nodes
	})
	pairs := map[string]struct {
		heads slots.Selection
		tree  treesearch.Selector
	}{
		"flat puct": {slots.FlatPuct{C: 1.5}, treesearch.FlatPuct{C: 1.5, PriorExponent: 1}},
		"mcts":      {slots.MCTS{}, &treesearch.MCTS{C: math.Sqrt2, Widening: 1}},
		"narrow":    {slots.MCTS{C: 0.5, Widening: 2}, &treesearch.MCTS{C: 0.5, Widening: 2}},
		"a rule":    {mix, treesearch.NewPrioritySelection(native)},
	}
	for name, p := range pairs {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				hs, tree := grown(t)
				lanes := rapid.IntRange(1, 4).Draw(t, "lanes")
				got, err := p.heads.Select(archiveOf(hs), lanes)
				if err != nil {
					t.Fatal(err)
				}
				var want []int
				for range lanes {
					node, err := tree.Select(p.tree)
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, node)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("heads %v, nodes %v of %+v", got, want, hs)
				}
			})
		})
	}
}
