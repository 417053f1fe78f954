package treesearch

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// MCTS is UCT (Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", 2006) on the
// tree. It walks down from the root to the child with the largest
//
//	value + C · √(ln visits(node) / visits(child))
//
// and stops at the first node that may still widen: one with fewer children than
// Widening · √visits(node) (progressive widening of Chaslot et al., 2008, exponent ½),
// since here a node never runs out of moves. A child's value is the mean score of the live
// nodes in its subtree, scaled so that the tree's scores span [0, 1]. Dead ends count
// as children but are not walked into.
//
// MCTS{C: math.Sqrt2, Widening: 1} is the usual setting. One MCTS serves one search at a
// time.
type MCTS struct {
	C        float64 // weight of exploration, at least 0
	Widening float64 // children a node may have per √visits; below 1 counts as 1

	sums, counts []float64 // of live scores, by subtree
}

var _ Selector = (*MCTS)(nil)

// Select implements Selector.
func (m *MCTS) Select(tree *Tree) int {
	lowest, spread := m.backUp(tree)
	node := 0
	for {
		child, children := m.bestChild(tree, node, lowest, spread)
		limit := max(m.Widening, 1) * math.Sqrt(tree.Visits()[node])
		if child == NoParent || float64(children) < limit {
			return node
		}
		node = child
	}
}

// backUp sums the live scores of every subtree and returns the lowest of all and the
// distance to the highest.
func (m *MCTS) backUp(tree *Tree) (lowest, spread float64) {
	n := tree.Len()
	m.sums, m.counts = resize(m.sums, n), resize(m.counts, n)
	clear(m.sums)
	clear(m.counts)
	lowest, highest := math.Inf(1), math.Inf(-1)
	for i := n - 1; i >= 0; i-- { // children are younger than their parents
		if score := tree.Scores()[i]; !math.IsInf(score, 0) {
			m.sums[i] += score
			m.counts[i]++
			lowest, highest = min(lowest, score), max(highest, score)
		}
		if parent := tree.Parent(i); parent != NoParent {
			m.sums[parent] += m.sums[i]
			m.counts[parent] += m.counts[i]
		}
	}
	return lowest, highest - lowest
}

// bestChild returns the live child of node with the largest upper bound, NoParent when
// there is none, and the number of its children, dead ones included.
func (m *MCTS) bestChild(tree *Tree, node int, lowest, spread float64) (child, children int) {
	visits := tree.Visits()
	logVisits := fmath.Log(visits[node])
	child = NoParent
	maximum := math.Inf(-1)
	for i := node + 1; i < tree.Len(); i++ {
		if tree.Parent(i) != node {
			continue
		}
		children++
		if m.counts[i] == 0 {
			continue
		}
		value := 0.5 // all scores are equal
		if spread > 0 {
			value = (m.sums[i]/m.counts[i] - lowest) / spread
		}
		bound := value + float64(m.C*math.Sqrt(max(logVisits, 0)/visits[i]))
		if bound > maximum {
			child, maximum = i, bound
		}
	}
	return child, children
}
