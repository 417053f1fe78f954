package treesearch

import (
	_ "embed"
	"math"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

//go:embed flat_puct.rule
var flatPuctRule string

// PrioritySignatureText returns the declaration of selection.priority, which rules that
// drive a PrioritySelection are checked against.
func PrioritySignatureText() string { return slots.PrioritySignatureText() }

// PrioritySignature parses PrioritySignatureText.
func PrioritySignature() (*dsl.Signature, error) { return slots.PrioritySignature() }

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

// The largest values of the inputs that grow with a search, as the signature declares them.
const (
	maxVisits = 1e6
	maxTotal  = 1e8
	maxDepth  = 1e4
	maxNodes  = 1e6
)

// PrioritySelection expands the node of the highest priority. Everything but the value is
// its own: ranks, priors and visits come from the tree, the first of equal nodes wins, a
// value that is not finite loses to every finite one and is counted, and so are inputs that
// a very long search drives out of their domain, where they are clamped. The zero value has
// no priority: obtain one from NewPrioritySelection, or call Reset. It serves one search at a
// time.
type PrioritySelection struct {
	priority Priority
	batch    BatchPriority // nil when the priority values one node at a time

	nonFinite, clamped int

	args    [6]float64
	cols    [6][]float64 // in the order of the signature; a column of one entry stands for all rows
	scalars [2]float64   // total and n_nodes
	visits  []float64    // clamped copies, where needed
	depths  []float64
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
	s.nonFinite, s.clamped = 0, 0
}

// NonFinite returns how many values so far were NaN or infinite. A search reports it.
func (s *PrioritySelection) NonFinite() int { return s.nonFinite }

// Clamped returns how many inputs so far were outside their domain.
func (s *PrioritySelection) Clamped() int { return s.clamped }

// Select implements Selector.
func (s *PrioritySelection) Select(tree *Tree) int {
	s.readInputs(tree)
	s.values = resize(s.values, tree.Len())
	if s.batch != nil {
		s.batch.Batch(s.cols[:], s.values)
	} else {
		s.valueEach()
	}
	best, nonFinite := firstMaximum(s.values)
	s.nonFinite += nonFinite
	return best
}

// readInputs sets the columns to the tree's statistics.
func (s *PrioritySelection) readInputs(tree *Tree) {
	s.scalars = [2]float64{tree.Total(), float64(tree.Len())}
	visits, depths := tree.Visits(), tree.Depths()
	if tree.Total() > maxTotal || tree.Len() > maxNodes {
		s.clamped += clamp(s.scalars[0:1], maxTotal) + clamp(s.scalars[1:2], maxNodes)
	}
	if visits[0] > maxVisits { // no node has more than the root
		s.visits = append(s.visits[:0], visits...)
		s.clamped += clamp(s.visits, maxVisits)
		visits = s.visits
	}
	if tree.deepest > maxDepth {
		s.depths = append(s.depths[:0], depths...)
		s.clamped += clamp(s.depths, maxDepth)
		depths = s.depths
	}
	s.cols = [6][]float64{tree.Ranks(), visits, s.scalars[0:1], tree.Priors(), depths, s.scalars[1:2]}
}

// clamp lowers entries above the bound to it and returns their number.
func clamp(column []float64, bound float64) (clamped int) {
	for i, v := range column {
		if v > bound {
			column[i] = bound
			clamped++
		}
	}
	return clamped
}

func (s *PrioritySelection) valueEach() {
	ranks, visits, priors, depths := s.cols[0], s.cols[1], s.cols[3], s.cols[4]
	args := s.args[:]
	args[2], args[3], args[5] = s.scalars[0], priors[0], s.scalars[1]
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
