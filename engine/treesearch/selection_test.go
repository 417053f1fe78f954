package treesearch_test

import (
	"math"
	"testing"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/engine/treesearch"
	"pgregory.net/rapid"
)

// scripted values nodes by their index, which it reads off the score column through the rank: tests give node i
// the i-th lowest score.
func scripted(values ...float64) treesearch.PriorityFunc {
	return func(rank, _, _, _, _, nodes float64) float64 {
		if nodes == 1 {
			return values[0]
		}
		return values[int(math.Round(rank*(nodes-1)))]
	}
}

func TestPrioritySelectionPicks(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := map[string]struct {
		values    []float64
		want      int
		nonFinite int
	}{
		"largest":                 {[]float64{1, 3, 2}, 1, 0},
		"first of equals":         {[]float64{1, 3, 3}, 1, 0},
		"zeros are equal":         {[]float64{math.Copysign(0, -1), 0, -1}, 0, 0},
		"NaN loses":               {[]float64{nan, -1e300, nan}, 1, 2},
		"infinity loses":          {[]float64{inf, -1e300, -2e300}, 1, 1},
		"negative infinity loses": {[]float64{-inf, -math.MaxFloat64, -inf}, 1, 2},
		"none finite":             {[]float64{nan, inf, -inf}, 0, 3},
		"lone node":               {[]float64{-5}, 0, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var tree treesearch.Tree
			mustReset(t, &tree, 0)
			for i := 1; i < len(test.values); i++ {
				mustAdd(t, &tree, 0, float64(i))
			}
			selection := treesearch.NewPrioritySelection(scripted(test.values...))
			got, err := tree.Select(selection)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want || selection.NonFinite() != test.nonFinite {
				t.Errorf("picked %d with %d values not finite, want %d with %d", got, selection.NonFinite(), test.want, test.nonFinite)
			}
		})
	}
}

// batched values rows in one call as the contract of BatchPriority says, by the function it wraps.
type batched struct{ treesearch.PriorityFunc }

func (b batched) Batch(cols [][]float64, out []float64) {
	for row := range out {
		args := make([]float64, len(cols))
		for i, col := range cols {
			args[i] = col[0]
			if len(col) > 1 {
				args[i] = col[row]
			}
		}
		out[row] = b.Num(args)
	}
}

// mix depends on every input in its own way.
func mix(rank, visits, total, prior, depth, nodes float64) float64 {
	return math.Sin(float64(rank*10)+float64(visits*20)+float64(total*30)) + math.Sin(float64(prior*400)+float64(depth*50)+float64(nodes*60))
}

// In batches or one at a time, the same nodes are picked, with ratings and without.
func TestBatchEqualsScalar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tree treesearch.Tree
		grow(t, &tree, 30)
		if rapid.Bool().Draw(t, "rated") {
			if err := tree.Rate(rapid.IntRange(0, tree.Len()-1).Draw(t, "node"), 3); err != nil {
				t.Fatal(err)
			}
		}
		scalar := treesearch.NewPrioritySelection(treesearch.PriorityFunc(mix)).Select(&tree)
		batch := treesearch.NewPrioritySelection(batched{mix}).Select(&tree)
		if scalar != batch {
			t.Errorf("node %d one at a time, node %d in a batch", scalar, batch)
		}
	})
}

func TestFlatPuctIsItsFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		puct := treesearch.FlatPuct{
			C:             rapid.Float64Range(0, 3).Draw(t, "c"),
			PriorExponent: rapid.SampledFrom([]float64{0, 0.5, 1, 2}).Draw(t, "exponent"),
		}
		var tree treesearch.Tree
		grow(t, &tree, 30)
		for node := range tree.Len() {
			if rapid.Bool().Draw(t, "rated") {
				if err := tree.Rate(node, rapid.Float64Range(0, 5).Draw(t, "rating")); err != nil {
					t.Fatal(err)
				}
			}
		}
		value := func(node int) float64 {
			prior := tree.Priors()[0]
			if len(tree.Priors()) > 1 {
				prior = tree.Priors()[node]
			}
			return tree.Ranks()[node] + puct.C*fmath.Pow(prior, puct.PriorExponent)*math.Sqrt(tree.Total())/(1+tree.Visits()[node])
		}
		got := puct.Select(&tree)
		for node := range tree.Len() {
			if value(node) > value(got)+1e-12 {
				t.Errorf("picked node %d of value %v, node %d has %v", got, value(got), node, value(node))
			}
		}
	})
}

// A chain deeper than the signature's domain: its inputs stop at their bounds, and each clamping is counted.
func TestClampsToDomain(t *testing.T) {
	const deep = 10_003
	var tree treesearch.Tree
	mustReset(t, &tree, 0)
	for node := range deep {
		mustAdd(t, &tree, node, 0)
	}
	deepest := 0.0
	byDepth := treesearch.NewPrioritySelection(treesearch.PriorityFunc(func(_, _, _, _, depth, _ float64) float64 {
		deepest = max(deepest, depth)
		return depth
	}))
	got := byDepth.Select(&tree)
	if deepest != 10_000 || got != 10_000 || byDepth.Clamped() != 3 {
		t.Errorf("largest depth seen %v, node %d picked, %d clamped; want 10000, 10000, 3", deepest, got, byDepth.Clamped())
	}
	if tree.Depths()[deep] != deep {
		t.Errorf("the tree's own depth became %v", tree.Depths()[deep])
	}
}
