package treesearch

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/agentdescent/adrun/dsl"
)

//go:embed priority.rule
var prioritySignature string

//go:embed flat_puct.rule
var flatPuctRule string

// PrioritySignatureText returns the declaration of selection.priority, which rules that
// drive a PrioritySelection are checked against.
func PrioritySignatureText() string { return prioritySignature }

// PrioritySignature parses PrioritySignatureText.
func PrioritySignature() (*dsl.Signature, error) {
	file, err := dsl.Parse("priority.rule", prioritySignature)
	if err != nil {
		return nil, fmt.Errorf("treesearch: embedded signature: %w", err)
	}
	signature, ok := file.Decls[0].(*dsl.Signature)
	if !ok {
		return nil, fmt.Errorf("treesearch: embedded file declares %s, not a signature", file.Decls[0].DeclName())
	}
	return signature, nil
}

// FlatPuctText returns FlatPuct{C: 1, PriorExponent: 1} as a rule: the seed of an evolution.
func FlatPuctText() string { return flatPuctRule }

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
// a value that is not finite loses to every finite one and is counted. The zero value has no
// priority: obtain one from NewPrioritySelection, or call Reset. It serves one search at a time.
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
	s := new(PrioritySelection)
	s.Reset(priority)
	return s
}

// Reset makes s as NewPrioritySelection would, keeping its memory.
func (s *PrioritySelection) Reset(priority Priority) {
	s.priority = priority
	s.batch, _ = priority.(BatchPriority)
	s.nonFinite = 0
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
