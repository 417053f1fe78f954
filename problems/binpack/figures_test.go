package binpack

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// dataDir returns the directory of the measured instances, which are not part of this repository.
func dataDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("AGENTDESCENT_REQUIRE_DATA") == "1" {
			t.Fatalf("AGENTDESCENT_REQUIRE_DATA=1, but the benchmark data is absent: %v", err)
		}
		t.Skipf("the benchmark data is not beside the repository: %v", err)
	}
	return dir
}

func load(t testing.TB, set string) []Instance {
	t.Helper()
	instances, err := Load(filepath.Join(dataDir(t), "data", "binpacking", set+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return instances
}

// figures are the published percentages, to the printed digit, and where known the exact totals.
var figures = []struct {
	set                             string
	first, best, funsearchOR, funsW string
	bestBins, lowerBound            int
}{
	{"or1", "6.42", "5.81", "5.30", "29.26", 0, 0},
	{"or2", "6.45", "6.06", "4.19", "19.84", 0, 0},
	{"or3", "5.74", "5.37", "3.11", "12.77", 4240, 4024},
	{"or4", "5.23", "4.94", "2.47", "8.14", 0, 0},
	{"funsearch_weibull5k", "4.23", "3.98", "3.03", "0.684", 10335, 9939},
}

func TestFiguresOfGoPriorities(t *testing.T) {
	for _, f := range figures {
		t.Run(f.set, func(t *testing.T) {
			instances := load(t, f.set)
			for _, r := range []struct {
				name string
				rule Priority
				want string
			}{
				{"first fit", Func(firstFit), f.first},
				{"best fit", BestFit{}, f.best},
				{"FunSearch OR", Func(funsearchOR), f.funsearchOR},
				{"FunSearch Weibull", Func(funsearchWeibull), f.funsW},
			} {
				checkFigure(t, r.name, Evaluate(instances, r.rule), r.want)
			}
			if s := Evaluate(instances, BestFit{}); f.bestBins != 0 && (s.Bins != f.bestBins || s.LowerBound != f.lowerBound) {
				t.Errorf("best fit: %d bins of %d, want %d of %d", s.Bins, s.LowerBound, f.bestBins, f.lowerBound)
			}
		})
	}
}

// checkFigure compares the excess, in per cent, with a figure at the precision at which it is printed.
func checkFigure(t *testing.T, name string, s Score, want string) {
	t.Helper()
	decimals := len(want) - 1 - len(want[:len(want)-len(filepath.Ext(want))])
	if got := fmt.Sprintf("%.*f", decimals, 100*s.Excess); got != want {
		t.Errorf("%s: excess %s %%, want %s", name, got, want)
	}
}

func firstFit(a []float64) float64 { return -a[Idx] }

// funsearchOR is the heuristic that Romera-Paredes et al. (Nature, 2024) published for OR-Library.
func funsearchOR(a []float64) float64 {
	gap := a[Bin] - a[Item]
	for _, step := range [...]struct{ gap, value float64 }{
		{2, 4}, {3, 3}, {5, 2}, {7, 1}, {9, 0.9}, {12, 0.95}, {15, 0.97}, {21, 0.98},
	} {
		if gap <= step.gap {
			return step.value
		}
	}
	return 0.99
}

// funsearchWeibull is the one for Weibull instances.
func funsearchWeibull(a []float64) float64 {
	signed := func(bin float64) float64 {
		item := a[Item]
		s := (bin-a[MaxBin])*(bin-a[MaxBin])/item + bin*bin/(item*item) + bin*bin/(item*item*item)
		if bin > item {
			return -s
		}
		return s
	}
	if a[HasPrev] > 0 {
		return signed(a[Bin]) - signed(a[Prev])
	}
	return signed(a[Bin])
}
