package landscape

import "github.com/agentdescent/adrun/engine/treesearch"

// The oracles bound what a selection could gain. Neither is a rule: both know the optimum.

// Nearest returns a selection that expands the node nearest the optimum, whatever its
// score: since steps are isotropic, its child is the likeliest to be nearer still. It knows
// nothing of the draws to come. On the smooth family, where nearer is better, it is the
// same as going by rank. It is for searches of s only.
func (s *Searcher) Nearest() treesearch.Selector { return nearest{s} }

type nearest struct{ searcher *Searcher }

func (o nearest) Select(tree *treesearch.Tree) int {
	return o.searcher.argmin(tree, o.searcher.squaredDistance)
}

// OneStepAhead returns a selection that knows the optimum and the next expansion's draws:
// it expands the node whose child will be nearest the optimum. No selection that sees less can
// count on as much, so its auc less a rule's is the headroom above that rule. It is for
// searches of s only.
func (s *Searcher) OneStepAhead() treesearch.Selector { return &oneStepAhead{searcher: s} }

type oneStepAhead struct {
	searcher *Searcher
	step     []float64
	child    []float64
}

func (o *oneStepAhead) Select(tree *treesearch.Tree) int {
	s := o.searcher
	peek := s.stream // a copy, drawn from without moving the search's own
	peek.Random()
	o.step, o.child = o.step[:0], o.child[:0]
	for range s.family.Dim {
		o.step = append(o.step, float64(s.family.Step*peek.Gauss(0, 1)))
		o.child = append(o.child, 0)
	}
	return s.argmin(tree, func(x []float64) float64 {
		for i, v := range x {
			o.child[i] = v + o.step[i]
		}
		return s.squaredDistance(o.child)
	})
}

// argmin returns the first node that makes f of its place least.
func (s *Searcher) argmin(tree *treesearch.Tree, f func(x []float64) float64) int {
	best, least := 0, f(s.point(0))
	for node := 1; node < tree.Len(); node++ {
		if v := f(s.point(node)); v < least {
			best, least = node, v
		}
	}
	return best
}
