// Package landscape is a synthetic problem for tree-search priorities: a search that
// starts away from a hidden optimum of a smooth or rugged function and may expand any node
// of its tree by one random step at a time, some of which end dead.
//
// # Semantics
//
// A node is a vector x. It scores
//
//	exp(−Σ(x−x*)² / dim) · (1 − r·(½ + ½·cos(3·Σx)))
//
// for the optimum x* and the family's ruggedness r, so at most 1. An instance is a family and
// a seed: the stream random.Random(seed·100003 + dim) of CPython draws, in this order, the
// optimum, uniform in [−1, 1] a coordinate; the root, a coordinate being the optimum's plus or minus
// the family's offset, plus when a draw is below ½; and then for every expansion one draw that
// says whether it is a dead end and, if it is not, a normal deviate a coordinate: child =
// parent + step·deviate. A dead end becomes a node too, at its parent's place with a score of −Inf.
//
// The curve of a search is the best score so far after each expansion, the root's included; its
// mean is the search's auc, the measure of the selection that drove it.
//
// # Concurrency and determinism
//
// A search is a function of family, seed, budget and selection, with the same bits on every
// machine. A [Searcher] belongs to one goroutine and allocates nothing after its first search.
package landscape

import (
	"context"
	"fmt"
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/internal/cpython"
	"github.com/agentdescent/adrun/internal/trig"
)

const (
	// MaxBudget is the largest number of expansions of a search: the signature's domains
	// end at a million nodes.
	MaxBudget = 999_999
	// MaxSeed bounds the seeds of instances, either sign, so that seed·100003 + dim fits 64 bits.
	MaxSeed = math.MaxInt64/streamStride - 1

	streamStride = 100003

	contextStride = 64 // steps between looks at the context
)

// Family is a distribution of instances.
type Family struct {
	Name       string
	Dim        int     // coordinates of a node, at least 1
	Step       float64 // standard deviation of a child's coordinates about its parent's
	DeadEnds   float64 // probability that an expansion ends dead
	Ruggedness float64 // share of the score that the ripple takes in its troughs, in [0, 1); 0 is smooth
	Offset     float64 // distance of the root from the optimum in each coordinate
}

// Source is the family that rules are usually evolved on: smooth, in four dimensions.
func Source() Family {
	return Family{Name: "source", Dim: 4, Step: 0.45, DeadEnds: 0.25, Offset: 1.2}
}

// Target is the harder family that shows whether a rule transfers: rugged, in six dimensions.
func Target() Family {
	return Family{Name: "target", Dim: 6, Step: 0.35, DeadEnds: 0.45, Ruggedness: 0.35, Offset: 1.4}
}

// Hills is the family that misleads: a row of steep hills in one dimension, where a search that goes by rank
// stays on the hill it starts from. A rule that does well here explores far more than one of the other
// families should, so it is a test of whoever claims that a rule transfers.
func Hills() Family {
	return Family{Name: "hills", Dim: 1, Step: 0.2, Ruggedness: 0.99, Offset: 2}
}

// FamilyByName returns the family that specs call "source" or "target".
func FamilyByName(name string) (Family, error) {
	for _, f := range []Family{Source(), Target()} {
		if f.Name == name {
			return f, nil
		}
	}
	return Family{}, fmt.Errorf(`landscape: no family %q: want "source" or "target"`, name)
}

// Result is the outcome of one search.
type Result struct {
	AUC   float64   // mean of Curve
	Final float64   // best score of the search
	Dead  int       // expansions that ended dead
	Curve []float64 // best score so far after each expansion; valid until the searcher's next search
}

// Searcher runs searches of one family, one at a time.
type Searcher struct {
	family  Family
	stream  cpython.Rand
	optimum []float64
	points  []float64 // coordinates of all nodes, Dim a node
	curve   []float64
	tree    treesearch.Tree
}

// NewSearcher returns a searcher of the family.
func NewSearcher(family Family) *Searcher { return &Searcher{family: family} }

// Search expands budget nodes, each picked by the selector, on the instance of the seed.
// It fails on a budget outside [1, MaxBudget], a seed beyond MaxSeed, a selector that picks
// a node that does not exist, and with ctx's error when that is cancelled.
func (s *Searcher) Search(ctx context.Context, seed int64, budget int, selector treesearch.Selector) (Result, error) {
	if budget < 1 || budget > MaxBudget {
		return Result{}, fmt.Errorf("landscape: budget %d: want 1 to %d expansions", budget, MaxBudget)
	}
	if seed > MaxSeed || seed < -MaxSeed {
		return Result{}, errSeed(seed)
	}
	best := s.plant(seed)
	if err := s.tree.Reset(best); err != nil {
		return Result{}, err
	}
	s.curve = s.curve[:0]
	result := Result{}
	sum := 0.0
	for i := range budget {
		if i%contextStride == 0 && ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		parent, err := s.tree.Select(selector)
		if err != nil {
			return Result{}, err
		}
		score := s.expand(parent)
		if math.IsInf(score, -1) {
			result.Dead++
		}
		if _, err := s.tree.Add(parent, score); err != nil {
			return Result{}, err
		}
		best = max(best, score)
		s.curve = append(s.curve, best)
		sum += best
	}
	result.AUC, result.Final, result.Curve = sum/float64(budget), best, s.curve
	return result, nil
}

func errSeed(seed int64) error {
	return fmt.Errorf("landscape: seed %d: want -%d to %d", seed, int64(MaxSeed), int64(MaxSeed))
}

// plant draws the instance of the seed and returns the score of its root.
func (s *Searcher) plant(seed int64) float64 {
	s.stream.Seed(seed*streamStride + int64(s.family.Dim))
	s.optimum = s.optimum[:0]
	for range s.family.Dim {
		s.optimum = append(s.optimum, s.stream.Uniform(-1, 1))
	}
	s.points = s.points[:0]
	for _, x := range s.optimum {
		if s.stream.Random() < 0.5 {
			s.points = append(s.points, x+s.family.Offset)
		} else {
			s.points = append(s.points, x-s.family.Offset)
		}
	}
	return s.score(s.points)
}

// expand draws a child of the parent, stores its place and returns its score.
func (s *Searcher) expand(parent int) float64 {
	dead := s.stream.Random() < s.family.DeadEnds
	start := len(s.points)
	s.points = append(s.points, s.point(parent)...)
	if dead {
		return math.Inf(-1)
	}
	child := s.points[start:]
	for i := range child {
		child[i] += float64(s.family.Step * s.stream.Gauss(0, 1))
	}
	return s.score(child)
}

// point returns the place of a node.
func (s *Searcher) point(node int) []float64 {
	return s.points[node*s.family.Dim : (node+1)*s.family.Dim]
}

// squaredDistance returns Σ(x−x*)².
func (s *Searcher) squaredDistance(x []float64) float64 {
	sum := 0.0
	for i, v := range x {
		d := v - s.optimum[i]
		sum += float64(d * d)
	}
	return sum
}

func (s *Searcher) score(x []float64) float64 {
	score := fmath.Exp(-s.squaredDistance(x) / float64(s.family.Dim))
	if r := s.family.Ruggedness; r > 0 {
		sum := 0.0
		for _, v := range x {
			sum += v
		}
		ripple := 0.5 + float64(0.5*trig.Cos(float64(3*sum)))
		score *= 1 - float64(r*ripple)
	}
	return score
}
