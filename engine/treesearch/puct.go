package treesearch

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// FlatPuct is ERA's selection, PUCT (Rosin, "Multi-armed bandits with episode context",
// 2011; Silver et al., 2016) over all nodes at once instead of down a path: the first node
// with the largest
//
//	rank + C · prior^PriorExponent · √total / (1 + visits)
//
// ERA's own is FlatPuct{C: 1, PriorExponent: 1}. The zero value goes by rank alone.
type FlatPuct struct {
	C             float64 // weight of exploration, at least 0
	PriorExponent float64 // 0 ignores the prior
}

var _ Selector = FlatPuct{}

// Select implements Selector.
func (p FlatPuct) Select(tree *Tree) int {
	ranks, visits, priors := tree.Ranks(), tree.Visits(), tree.Priors()
	root := math.Sqrt(tree.Total())
	uniform := len(priors) == 1
	bonus := float64(p.weight(priors[0]) * root)
	best, maximum := 0, math.Inf(-1)
	for i, rank := range ranks {
		if !uniform {
			bonus = float64(p.weight(priors[i]) * root)
		}
		if value := rank + bonus/(1+visits[i]); value > maximum {
			best, maximum = i, value
		}
	}
	return best
}

func (p FlatPuct) weight(prior float64) float64 {
	switch p.PriorExponent {
	case 0:
		return p.C
	case 1:
		return p.C * prior
	default:
		return p.C * fmath.Pow(prior, p.PriorExponent)
	}
}
