package landscape_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/internal/cpython"
	"github.com/agentdescent/adrun/internal/trig"
	"github.com/agentdescent/adrun/problems/landscape"
)

// plainNode is a node of plainSearch.
type plainNode struct {
	x      []float64
	score  float64
	parent int
	depth  int
	visits int
}

// plainSearch is the search as one would write it from the package's description: it sorts all nodes at every
// step and adds the visits up anew. Tests hold Searcher equal to it, benchmarks compare with it.
func plainSearch(f landscape.Family, seed int64, budget int, priority treesearch.PriorityFunc) (auc float64, curve []float64) {
	stream := cpython.New(seed*100003 + int64(f.Dim))
	optimum := make([]float64, f.Dim)
	for i := range optimum {
		optimum[i] = stream.Uniform(-1, 1)
	}
	root := make([]float64, f.Dim)
	for i := range root {
		offset := -f.Offset
		if stream.Random() < 0.5 {
			offset = f.Offset
		}
		root[i] = optimum[i] + offset
	}
	nodes := []plainNode{{x: root, score: plainScore(f, root, optimum), parent: -1}}
	best := nodes[0].score
	for range budget {
		chosen := plainChoice(nodes, priority)
		for i := chosen; i >= 0; i = nodes[i].parent {
			nodes[i].visits++
		}
		child := plainNode{x: slices.Clone(nodes[chosen].x), score: math.Inf(-1), parent: chosen, depth: nodes[chosen].depth + 1, visits: 1}
		if stream.Random() >= f.DeadEnds {
			for i := range child.x {
				child.x[i] += float64(f.Step * stream.Gauss(0, 1))
			}
			child.score = plainScore(f, child.x, optimum)
		}
		nodes = append(nodes, child)
		best = max(best, child.score)
		curve = append(curve, best)
		auc += best
	}
	return auc / float64(budget), curve
}

// plainChoice returns the first node of the highest priority.
func plainChoice(nodes []plainNode, priority treesearch.PriorityFunc) int {
	order := make([]int, len(nodes))
	total := 0
	for i, node := range nodes {
		order[i] = i
		total += node.visits
	}
	slices.SortFunc(order, func(a, b int) int { // quicker than a stable sort by score alone
		if c := cmp.Compare(nodes[a].score, nodes[b].score); c != 0 {
			return c
		}
		return a - b
	})
	ranks := make([]float64, len(nodes))
	for place, i := range order {
		ranks[i] = float64(place) / float64(len(nodes)-1)
	}
	if len(nodes) == 1 {
		ranks[0] = 0.5
	}
	n := float64(len(nodes))
	chosen, maximum := 0, math.Inf(-1)
	for i, node := range nodes {
		value := priority(ranks[i], float64(node.visits), float64(total), 1/n, float64(node.depth), n)
		if !math.IsInf(value, 0) && value > maximum {
			chosen, maximum = i, value
		}
	}
	return chosen
}

func plainScore(f landscape.Family, x, optimum []float64) float64 {
	var squares, sum float64
	for i := range x {
		d := x[i] - optimum[i]
		squares += float64(d * d)
		sum += x[i]
	}
	score := fmath.Exp(-squares / float64(f.Dim))
	if f.Ruggedness > 0 {
		score *= 1 - float64(f.Ruggedness*(0.5+float64(0.5*trig.Cos(float64(3*sum)))))
	}
	return score
}
