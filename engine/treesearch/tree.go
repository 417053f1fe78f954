// Package treesearch is the flat tree search of ERA (Aygün et al., "An AI system to help
// scientists write expert-level empirical software", 2025): every node is a candidate, any
// node can be expanded any number of times, and a selection policy picks the next one from
// statistics of the whole tree.
//
// A Tree keeps those statistics. A Selector reads them and picks: PrioritySelection runs
// a rule of the signature selection.priority, FlatPuct and MCTS are native. What a node
// stands for, and how it is scored, is the caller's:
//
//	var tree treesearch.Tree
//	tree.Reset(rootScore)
//	for range budget {
//		parent, err := tree.Select(selector)
//		...
//		tree.Add(parent, score) // math.Inf(-1) for a dead end
//	}
//
// After warm-up a step allocates nothing. Its cost is linear in the nodes, because a rule
// may read statistics that change for every node at every step; the ranks themselves are
// maintained, not sorted. A search is a function of its scores and its selector: nothing
// here draws random numbers. Trees and selectors are not safe for concurrent use.
package treesearch

import (
	"fmt"
	"math"
)

// NoParent is the parent of a root.
const NoParent = -1

// Tree holds the nodes of one search in the order of their creation and the statistics
// that selectors read. The zero value is empty; Reset gives it a root.
type Tree struct {
	parents []int
	scores  []float64
	visits  []float64
	depths  []float64
	total   float64
	deepest float64 // largest of depths

	order      []int32 // nodes by ascending score, equal scores in order of creation
	ranks      []float64
	ranksStale bool

	ratings     []float64 // NaN where unrated; shorter than the tree where the rest is unrated
	priors      []float64
	priorsStale bool
}

// Selector picks the node to expand next.
//
// Tree.Select calls it once a step from the goroutine of the search, with at least one
// node in the tree. Select returns the node's index, must leave the tree alone and must
// not keep its slices, which the next step overwrites.
type Selector interface {
	Select(tree *Tree) int
}

// Reset empties the tree, keeping its memory, and plants a root of the given score. The
// score may be −Inf for a root that could not be scored; NaN is an error.
func (t *Tree) Reset(rootScore float64) error {
	t.parents = t.parents[:0]
	t.scores = t.scores[:0]
	t.visits = t.visits[:0]
	t.depths = t.depths[:0]
	t.order = t.order[:0]
	t.ratings = t.ratings[:0]
	t.total, t.deepest = 0, 0
	_, err := t.append(NoParent, rootScore)
	return err
}

// Add appends the outcome of expanding parent and returns its index. A dead end scores
// −Inf and is a node like any other. A new node starts with one visit, its own creation;
// NaN scores and parents that do not exist are errors, so a chain of parents always ends.
func (t *Tree) Add(parent int, score float64) (node int, err error) {
	if parent < 0 || parent >= len(t.parents) {
		return 0, fmt.Errorf("treesearch: parent %d of a new node is not among the %d nodes", parent, len(t.parents))
	}
	node, err = t.append(parent, score)
	if err != nil {
		return 0, err
	}
	t.visits[node] = 1
	t.total++
	t.depths[node] = t.depths[parent] + 1
	t.deepest = max(t.deepest, t.depths[node])
	return node, nil
}

func (t *Tree) append(parent int, score float64) (node int, err error) {
	if math.IsNaN(score) {
		return 0, fmt.Errorf("treesearch: the score of node %d is NaN; a dead end scores -Inf", len(t.parents))
	}
	node = len(t.parents)
	t.parents = append(t.parents, parent)
	t.scores = append(t.scores, score)
	t.visits = append(t.visits, 0)
	t.depths = append(t.depths, 0)
	t.insert(node, score)
	t.ranksStale = true
	t.priorsStale = true
	return node, nil
}

// insert places the youngest node after all that score no more than it does.
func (t *Tree) insert(node int, score float64) {
	low, high := 0, len(t.order)
	for low < high {
		mid := int(uint(low+high) / 2)
		if t.scores[t.order[mid]] <= score {
			low = mid + 1
		} else {
			high = mid
		}
	}
	t.order = append(t.order, 0)
	copy(t.order[low+1:], t.order[low:])
	t.order[low] = int32(node)
}

// Select asks the selector for a node and reserves it: the node and its ancestors get a
// visit at once, so that selecting again before the outcome is added sees it pending.
func (t *Tree) Select(selector Selector) (node int, err error) {
	if len(t.parents) == 0 {
		return 0, fmt.Errorf("treesearch: nothing to select: the tree has no root, call Reset first")
	}
	node = selector.Select(t)
	if node < 0 || node >= len(t.parents) {
		return 0, fmt.Errorf("treesearch: the selector picked node %d of %d", node, len(t.parents))
	}
	// Add admits older parents only, so this walk cannot loop.
	for i := node; i != NoParent; i = t.parents[i] {
		t.visits[i]++
		t.total++
	}
	return node, nil
}

// Rate records an external rating of a node, finite and at least 0, for Priors to
// normalise.
func (t *Tree) Rate(node int, rating float64) error {
	if node < 0 || node >= len(t.parents) {
		return fmt.Errorf("treesearch: rated node %d is not among the %d nodes", node, len(t.parents))
	}
	if !(rating >= 0) || math.IsInf(rating, 1) {
		return fmt.Errorf("treesearch: rating %v of node %d is not a finite number of at least 0", rating, node)
	}
	for len(t.ratings) <= node {
		t.ratings = append(t.ratings, math.NaN())
	}
	t.ratings[node] = rating
	t.priorsStale = true
	return nil
}

// Len returns the number of nodes.
func (t *Tree) Len() int { return len(t.parents) }

// Parent returns the parent of a node, NoParent for the root.
func (t *Tree) Parent(node int) int { return t.parents[node] }

// Scores returns the score of every node; read only, like all columns, and valid until
// the tree changes.
func (t *Tree) Scores() []float64 { return t.scores }

// Visits returns for every node how often it or a descendant was selected, plus one for
// its own creation; the root has no creation.
func (t *Tree) Visits() []float64 { return t.visits }

// Total returns the sum of Visits.
func (t *Tree) Total() float64 { return t.total }

// Depths returns the distance of every node from the root.
func (t *Tree) Depths() []float64 { return t.depths }

// Ranks returns for every node its place by ascending score over the highest place, so 0
// for the worst and 1 for the best; equal scores rank in order of creation. A lone node
// has rank 0.5.
func (t *Tree) Ranks() []float64 {
	if t.ranksStale {
		t.rank()
		t.ranksStale = false
	}
	return t.ranks
}

func (t *Tree) rank() {
	t.ranks = resize(t.ranks, len(t.order))
	if len(t.order) == 1 {
		t.ranks[0] = 0.5
		return
	}
	ranks, last := t.ranks, float64(len(t.order)-1)
	place := 0.0 // counted in floats: cheaper than a conversion a node
	for _, node := range t.order {
		ranks[node] = place / last
		place++
	}
}

// Priors returns the external ratings normalised to sum to 1. Nodes without a rating get
// the mean of the rated ones. When none is rated, or all are rated 0, the prior is uniform
// and the column has a single entry that stands for every node.
func (t *Tree) Priors() []float64 {
	if t.priorsStale {
		t.normalise()
		t.priorsStale = false
	}
	return t.priors
}

func (t *Tree) normalise() {
	var sum float64
	rated := 0
	for _, rating := range t.ratings {
		if !math.IsNaN(rating) {
			sum += rating
			rated++
		}
	}
	n := len(t.parents)
	if sum == 0 {
		t.priors = append(t.priors[:0], 1/float64(n))
		return
	}
	mean := sum / float64(rated)
	sum += float64(mean * float64(n-rated))
	t.priors = resize(t.priors, n)
	for i := range t.priors {
		rating := mean
		if i < len(t.ratings) && !math.IsNaN(t.ratings[i]) {
			rating = t.ratings[i]
		}
		t.priors[i] = rating / sum
	}
}

// resize returns a slice of n entries with unspecified contents, reusing s where it fits.
func resize(s []float64, n int) []float64 {
	if n > cap(s) {
		return append(s[:cap(s)], make([]float64, n-cap(s))...)
	}
	return s[:n]
}
