package treesearch

import (
	_ "embed"
	"math"
)

//go:embed priority.rule
var prioritySignature string

// PrioritySignature returns the text of the signature selection.priority, which rules
// that drive a PrioritySelection are checked against.
func PrioritySignature() string { return prioritySignature }

// Priority values one node. PrioritySelection calls Num from the goroutine of the search
// with the six inputs of selection.priority in the order of the signature: rank, visits,
// total, prior, depth, n_nodes. A compiled rule is a Priority, and so is PriorityFunc.
type Priority interface {
	Num(args []float64) float64
}

// BatchPriority is a Priority that can value all nodes in one call: cols has a column for
// each input, out an entry for each node. A column of length 1 stands for its value in
// every row. Results must be those of Num, bit for bit.
type BatchPriority interface {
	Priority
	Batch(cols [][]float64, out []float64)
}

// PriorityFunc adapts a Go function to Priority.
type PriorityFunc func(rank, visits, total, prior, depth, nodes float64) float64

// Num calls f.
func (f PriorityFunc) Num(args []float64) float64 {
	return f(args[0], args[1], args[2], args[3], args[4], args[5])
}

// PrioritySelection expands the node of the highest priority. Everything but the value is
// its own: ranks, priors and visits come from the tree, the first of equal nodes wins, and
// a value that is not finite loses to every finite one and is counted. Make one with
// NewPrioritySelection for each search that runs at a time.
type PrioritySelection struct {
	priority Priority
	batch    BatchPriority // nil when the priority values one node at a time

	nonFinite int

	args    [6]float64
	cols    [6][]float64
	scalars [2]float64 // total and n_nodes, the columns of one entry
	values  []float64
}

var _ Selector = (*PrioritySelection)(nil)

// NewPrioritySelection returns a selection by the given priority, in batches where it is
// a BatchPriority.
func NewPrioritySelection(priority Priority) *PrioritySelection {
	batch, _ := priority.(BatchPriority)
	return &PrioritySelection{priority: priority, batch: batch}
}

// NonFinite returns how many values so far were NaN or infinite. A search reports it.
func (s *PrioritySelection) NonFinite() int { return s.nonFinite }

// Select implements Selector.
func (s *PrioritySelection) Select(tree *Tree) int {
	s.values = resize(s.values, tree.Len())
	if s.batch != nil {
		s.valueAtOnce(tree)
	} else {
		s.valueEach(tree)
	}
	best, nonFinite := firstMaximum(s.values)
	s.nonFinite += nonFinite
	return best
}

func (s *PrioritySelection) valueAtOnce(tree *Tree) {
	s.scalars = [2]float64{tree.Total(), float64(tree.Len())}
	s.cols = [6][]float64{
		tree.Ranks(), tree.Visits(), s.scalars[0:1], tree.Priors(), tree.Depths(), s.scalars[1:2],
	}
	s.batch.Batch(s.cols[:], s.values)
}

func (s *PrioritySelection) valueEach(tree *Tree) {
	ranks, visits, priors, depths := tree.Ranks(), tree.Visits(), tree.Priors(), tree.Depths()
	args := s.args[:]
	args[2], args[3], args[5] = tree.Total(), priors[0], float64(tree.Len())
	uniform := len(priors) == 1
	for i := range s.values {
		args[0], args[1], args[4] = ranks[i], visits[i], depths[i]
		if !uniform {
			args[3] = priors[i]
		}
		s.values[i] = s.priority.Num(args)
	}
}

// firstMaximum returns the index of the first largest finite value, 0 when none is
// finite, and how many are not.
func firstMaximum(values []float64) (best, nonFinite int) {
	maximum := math.Inf(-1)
	for i, v := range values {
		if v-v != 0 { // NaN and the infinities
			nonFinite++
			continue
		}
		if v > maximum {
			best, maximum = i, v
		}
	}
	return best, nonFinite
}
