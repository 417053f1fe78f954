package landscape_test

import (
	"context"
	"math"
	"testing"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/problems/landscape"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The seeds and the budget of the published figures.
const (
	firstSeed = 10_001_000
	lastSeed  = 10_001_199
	budget    = 60
)

// flatPuct is ERA's rule with the given constant.
func flatPuct(c float64) treesearch.PriorityFunc {
	return func(rank, visits, total, prior, depth, nodes float64) float64 {
		return rank + c*(1/nodes)*math.Sqrt(total)/(1+visits)
	}
}

func greedy(rank, visits, total, prior, depth, nodes float64) float64 { return rank }

func worstFirst(rank, visits, total, prior, depth, nodes float64) float64 { return -rank }

// evolvedLandscape is what the Python original evolved on this problem.
func evolvedLandscape(rank, visits, total, prior, depth, nodes float64) float64 {
	value := rank + 0.03*(1/(1+depth*depth*depth))
	damp := 1 + float64(depth*0.1)
	if visits == 0 {
		return value + 1.5*(prior+0.005)*math.Sqrt(total+1)/damp
	}
	return value + 1.5*prior*math.Sqrt(fmath.Log(total+1)/(1+visits))/damp
}

// evolvedSrbench is what the Python original evolved on symbolic regression.
func evolvedSrbench(rank, visits, total, prior, depth, nodes float64) float64 {
	exploration := math.Sqrt(fmath.Log1p(total)+1) / (1 + visits)
	return rank + prior*math.Sqrt(total+1)*(1-rank) + exploration - float64(0.1*depth)
}

// figures are mean aucs over the published seeds, measured by the Python original. Its C library rounds elementary
// functions in its own way, hence the tolerance.
var figures = []struct {
	rule           string
	native         treesearch.PriorityFunc
	source, target float64
}{
	{"flat_puct", flatPuct(1), 0.7507381065169412, 0.3801273248972023},
	{"flat_puct_quarter", flatPuct(0.25), 0.7737782854418337, 0.3914395994970046},
	{"greedy", greedy, 0.7755525957609397, 0.3915281585428644},
	{"evolved_landscape", evolvedLandscape, 0.7758372911290486, 0.3931920982339888},
	{"evolved_srbench", evolvedSrbench, 0.5440835899963400, 0.2439798669921392},
	{"worst_first", worstFirst, 0.3642447056319879, 0.1878561828346272},
}

const tolerance = 1e-9

// meanAUC searches every published seed.
func meanAUC(t *testing.T, searcher *landscape.Searcher, selector treesearch.Selector) float64 {
	t.Helper()
	sum := 0.0
	for seed := int64(firstSeed); seed <= lastSeed; seed++ {
		result, err := searcher.Search(context.Background(), seed, budget, selector)
		if err != nil {
			t.Fatal(err)
		}
		sum += result.AUC
	}
	return sum / (lastSeed - firstSeed + 1)
}

func checkFigures(t *testing.T, selector func() treesearch.Selector, source, target float64) {
	t.Helper()
	for _, want := range []struct {
		family landscape.Family
		auc    float64
	}{{landscape.Source(), source}, {landscape.Target(), target}} {
		got := meanAUC(t, landscape.NewSearcher(want.family), selector())
		if math.Abs(got-want.auc) > tolerance {
			t.Errorf("%s: mean auc is %.16f, published is %.16f", want.family.Name, got, want.auc)
		}
	}
}

func TestFiguresNative(t *testing.T) {
	for _, row := range figures {
		t.Run(row.rule, func(t *testing.T) {
			checkFigures(t, func() treesearch.Selector { return treesearch.NewPrioritySelection(row.native) }, row.source, row.target)
		})
	}
}

func TestFiguresFlatPuct(t *testing.T) {
	for i, c := range []float64{1, 0.25, 0} {
		checkFigures(t, func() treesearch.Selector { return treesearch.FlatPuct{C: c, PriorExponent: 1} }, figures[i].source, figures[i].target)
	}
}

// On the smooth family a nearer node scores more, so the first oracle is greed. On both, seeing more is worth more.
func TestOracles(t *testing.T) {
	for _, f := range []landscape.Family{landscape.Source(), landscape.Target()} {
		searcher := landscape.NewSearcher(f)
		byRank := meanAUC(t, searcher, treesearch.FlatPuct{})
		nearest := meanAUC(t, searcher, searcher.Nearest())
		ahead := meanAUC(t, searcher, searcher.OneStepAhead())
		if f.Ruggedness == 0 && nearest != byRank {
			t.Errorf("%s: nearest node first has mean auc %v, rank alone %v; they are one policy here", f.Name, nearest, byRank)
		}
		if f.Ruggedness > 0 && nearest <= byRank || ahead <= nearest {
			t.Errorf("%s: mean aucs of rank %v, nearest %v, one step ahead %v do not increase", f.Name, byRank, nearest, ahead)
		}
	}
}

// drawPriority draws a function of all inputs, coarse so that nodes tie, and not finite on part of its domain.
func drawPriority(t *rapid.T) treesearch.PriorityFunc {
	weights := rapid.SliceOfN(rapid.Float64Range(-2, 2), 6, 6).Draw(t, "weights")
	grain := rapid.SampledFrom([]float64{0, 0.01, 0.3}).Draw(t, "grain")
	hole := rapid.Float64Range(-1, 0.8).Draw(t, "hole")
	return func(rank, visits, total, prior, depth, nodes float64) float64 {
		if rank < hole {
			return math.Sqrt(rank-1) / visits // NaN, or at rank 1 zero or NaN
		}
		value := float64(weights[0]*rank) + weights[1]/(1+visits) + float64(weights[2]*math.Sqrt(total)/nodes) +
			float64(weights[3]*prior*total) + float64(weights[4]*depth/10) + weights[5]/nodes
		if grain == 0 {
			return value
		}
		return math.Floor(value / grain)
	}
}

func TestEqualsPlainSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		family := landscape.Family{
			Dim:        rapid.IntRange(1, 7).Draw(t, "dim"),
			Step:       rapid.Float64Range(0, 1).Draw(t, "step"),
			DeadEnds:   rapid.Float64Range(0, 1).Draw(t, "deadEnds"),
			Ruggedness: rapid.SampledFrom([]float64{0, 0.35}).Draw(t, "ruggedness"),
			Offset:     rapid.Float64Range(0, 2).Draw(t, "offset"),
		}
		searcher := landscape.NewSearcher(family)
		for range 2 { // the second search reuses the first one's memory
			seed := rapid.Int64Range(-landscape.MaxSeed, landscape.MaxSeed).Draw(t, "seed")
			expansions := rapid.IntRange(1, 120).Draw(t, "budget")
			priority := drawPriority(t)
			auc, curve := plainSearch(family, seed, expansions, priority)
			got, err := searcher.Search(context.Background(), seed, expansions, treesearch.NewPrioritySelection(priority))
			if err != nil {
				t.Fatal(err)
			}
			if got.AUC != auc {
				t.Errorf("auc is %v, of the plain search %v", got.AUC, auc)
			}
			if diff := cmp.Diff(curve, got.Curve); diff != "" {
				t.Errorf("curve differs from the plain search's (-plain +got):\n%s", diff)
			}
		}
	})
}

func TestSearchRefuses(t *testing.T) {
	tests := map[string]struct {
		seed     int64
		budget   int
		selector treesearch.Selector
	}{
		"no budget":        {1, 0, treesearch.FlatPuct{}},
		"negative budget":  {1, -1, treesearch.FlatPuct{}},
		"huge budget":      {1, landscape.MaxBudget + 1, treesearch.FlatPuct{}},
		"seed too large":   {landscape.MaxSeed + 1, 1, treesearch.FlatPuct{}},
		"seed too small":   {math.MinInt64, 1, treesearch.FlatPuct{}},
		"picks no node":    {1, 2, fixed(1)},
		"picks before all": {1, 2, fixed(-1)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := landscape.NewSearcher(landscape.Source()).Search(t.Context(), test.seed, test.budget, test.selector); err == nil {
				t.Error("no error")
			}
		})
	}
}

// fixed always picks the same node.
type fixed int

func (f fixed) Select(*treesearch.Tree) int { return int(f) }

func TestFamilyByName(t *testing.T) {
	for _, want := range []landscape.Family{landscape.Source(), landscape.Target()} {
		if got, err := landscape.FamilyByName(want.Name); err != nil || got != want {
			t.Errorf("FamilyByName(%q) = %v, %v", want.Name, got, err)
		}
	}
	if _, err := landscape.FamilyByName("sauce"); err == nil {
		t.Error(`FamilyByName("sauce") has no error`)
	}
}

func TestSearchAllocatesNothing(t *testing.T) {
	searcher := landscape.NewSearcher(landscape.Target())
	selectors := map[string]treesearch.Selector{
		"flat puct":      treesearch.FlatPuct{C: 1, PriorExponent: 1},
		"mcts":           &treesearch.MCTS{C: 1, Widening: 1},
		"priority":       treesearch.NewPrioritySelection(flatPuct(1)),
		"nearest":        searcher.Nearest(),
		"one step ahead": searcher.OneStepAhead(),
	}
	for name, selector := range selectors {
		search := func() {
			if _, err := searcher.Search(t.Context(), firstSeed, budget, selector); err != nil {
				t.Fatal(err)
			}
		}
		search()
		if allocs := testing.AllocsPerRun(5, search); allocs > 0 {
			t.Errorf("%s: %v allocations a search", name, allocs)
		}
	}
}
