package slots

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// headTree is the archive as a tree search sees it: every head is a node, its parent the head that it was
// made from.
type headTree struct {
	*archive
	parent []int // place in Heads, −1 for a root
	depth  []float64
	ranks  []float64
	// visits count how often a node or a descendant was selected, plus one for the node's own creation;
	// a root has none. total is their sum.
	visits []float64
	sum    float64
}

func newHeadTree(ctx SelectionContext) *headTree {
	n := len(ctx.Heads)
	t := &headTree{
		archive: newArchive(ctx), parent: make([]int, n), depth: make([]float64, n),
		ranks: make([]float64, n), visits: make([]float64, n),
	}
	place := make(map[int]int, n)
	for i, h := range ctx.Heads {
		t.parent[i] = -1
		// A parent is older than its child. What claims otherwise is a root, so that no walk can loop.
		if p, ok := place[h.Parent]; ok {
			t.parent[i] = p
			t.depth[i] = t.depth[p] + 1
		}
		place[h.ID] = i
		t.ranks[i] = 0.5
		if n > 1 {
			t.ranks[i] = float64(n-1-t.order[i]) / float64(n-1)
		}
	}
	for i := n - 1; i >= 0; i-- {
		t.visits[i] += t.selected[i]
		if p := t.parent[i]; p >= 0 {
			t.visits[p] += t.visits[i]
		}
	}
	for i := range t.visits {
		if t.parent[i] >= 0 {
			t.visits[i]++
		}
		t.sum += t.visits[i]
	}
	return t
}

// reserve counts a selection that is under way, at the node and its ancestors.
func (t *headTree) reserve(node int) {
	for i := node; i >= 0; i = t.parent[i] {
		t.visits[i]++
		t.sum++
	}
}

// search places n lanes one after the other, each seeing those before it pending.
func (t *headTree) search(n int, next func() int) []int {
	if len(t.ctx.Heads) == 0 {
		return []int{t.ctx.Head.ID}
	}
	ids := make([]int, n)
	for lane := range ids {
		node := next()
		t.reserve(node)
		ids[lane] = t.ctx.Heads[node].ID
	}
	return ids
}

// argmax is the first live node of the highest finite value.
func (t *headTree) argmax(value func(node int) float64) int {
	values := make([]float64, len(t.parent))
	for i := range values {
		values[i] = math.Inf(-1)
		if v := 0.0; t.live[i] {
			if v = value(i); !math.IsNaN(v) && !math.IsInf(v, 0) {
				values[i] = v
			}
		}
	}
	return t.first(values)
}

// prior is the rating of every node: heads have no ratings, so it is uniform.
func (t *headTree) prior() float64 { return 1 / float64(len(t.parent)) }

// FlatPuct is ERA's selection over the archived heads, PUCT over all nodes at once (Rosin, "Multi-armed
// bandits with episode context", 2011): the first head with the largest
//
//	rank + C · prior · √(sum of visits) / (1 + visits),
//
// the prior uniform. See the declaration of selection for what visits and ranks are.
type FlatPuct struct {
	// C is the weight of exploration; default 1.
	C float64
}

// PolicyName returns "flat_puct".
func (FlatPuct) PolicyName() string { return "flat_puct" }

// Select places the lanes one after the other.
func (p FlatPuct) Select(ctx SelectionContext, n int) ([]int, error) {
	def(&p.C, 1)
	t := newHeadTree(ctx)
	return t.search(n, func() int {
		bonus := float64(p.C * t.prior() * math.Sqrt(t.sum))
		return t.argmax(func(node int) float64 { return t.ranks[node] + bonus/(1+t.visits[node]) })
	}), nil
}

// MCTS is UCT (Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", 2006) over the archived heads: it
// walks down from the first head to the child with the largest
//
//	value + C · √(ln visits(node) / visits(child))
//
// and stops at the first head with fewer than Widening · √visits children, since a head never runs out of
// moves (progressive widening of Chaslot et al., 2008). A child's value is the mean score of its subtree,
// scaled so that the scores of the archive span [0, 1]; a child that nothing is known of comes first.
type MCTS struct {
	// C is the weight of exploration; default √2. Widening defaults to 1.
	C, Widening float64
}

// PolicyName returns "mcts".
func (MCTS) PolicyName() string { return "mcts" }

// Select walks down the tree once a lane.
func (p MCTS) Select(ctx SelectionContext, n int) ([]int, error) {
	def(&p.C, math.Sqrt2)
	def(&p.Widening, 1)
	t := newHeadTree(ctx)
	values, children := t.subtrees()
	return t.search(n, func() int { return p.descend(t, values, children) }), nil
}

// descend walks from the oldest live root to the node that is to be built on.
func (p MCTS) descend(t *headTree, values []float64, children [][]int) int {
	node := t.argmax(func(i int) float64 { return indicator(t.parent[i] < 0) })
	for float64(len(children[node])) >= p.Widening*math.Sqrt(t.visits[node]) {
		best, most := -1, math.Inf(-1)
		logVisits := max(fmath.Log(t.visits[node]), 0)
		for _, c := range children[node] {
			bound := values[c] + float64(p.C*math.Sqrt(logVisits/max(t.visits[c], 1)))
			if t.live[c] && bound > most {
				best, most = c, bound
			}
		}
		if best < 0 {
			break
		}
		node = best
	}
	return node
}

// subtrees returns the value of every subtree in [0, 1], +Inf where nothing is known, and the children of
// every node.
func (t *headTree) subtrees() (values []float64, children [][]int) {
	n := len(t.parent)
	values, children = make([]float64, n), make([][]int, n)
	counts := make([]float64, n)
	lowest, highest := math.Inf(1), math.Inf(-1)
	for i := n - 1; i >= 0; i-- {
		if h := t.ctx.Heads[i]; h.Score.Known && !h.dead() {
			values[i] += h.Score.Value
			counts[i]++
			lowest, highest = min(lowest, h.Score.Value), max(highest, h.Score.Value)
		}
		if p := t.parent[i]; p >= 0 {
			values[p] += values[i]
			counts[p] += counts[i]
		}
	}
	for i := range values {
		if p := t.parent[i]; p >= 0 {
			children[p] = append(children[p], i)
		}
		switch {
		case counts[i] == 0:
			values[i] = math.Inf(1)
		case highest > lowest:
			values[i] = (values[i]/counts[i] - lowest) / (highest - lowest)
		default:
			values[i] = 0.5
		}
	}
	return values, children
}

var (
	_ Selection = FlatPuct{}
	_ Selection = MCTS{}
)
