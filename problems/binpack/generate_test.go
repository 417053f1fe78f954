package binpack

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The expected sizes were computed outside Go from the definitions: SHA-256 of the stream's name, the PCG-DXSM
// recurrence, Lemire's bounded draw, and the inverse of the Weibull distribution function.
func TestGenerate(t *testing.T) {
	tests := []struct {
		family Family
		seed   int64
		want   Instance
	}{
		{OR, 1, Instance{ID: "or-12-1", Capacity: 150, Items: []int{49, 92, 30, 55, 98, 90, 90, 50, 36, 26, 42, 56}}},
		{OR, -8, Instance{ID: "or-12--8", Capacity: 150, Items: []int{75, 68, 29, 70, 71, 81, 62, 24, 95, 56, 78, 65}}},
		{Weibull, 1, Instance{ID: "weibull-12-1", Capacity: 100, Items: []int{15, 67, 28, 34, 43, 20, 10, 35, 48, 18, 21, 55}}},
		{Weibull, 7, Instance{ID: "weibull-12-7", Capacity: 100, Items: []int{32, 40, 41, 45, 29, 46, 38, 56, 35, 35, 40, 25}}},
		{Mixed, 4, Instance{ID: "or-12-4", Capacity: 150, Items: []int{44, 34, 96, 43, 39, 93, 52, 28, 71, 93, 69, 55}}},
		{Mixed, 7, Instance{ID: "weibull-12-7", Capacity: 100, Items: []int{32, 40, 41, 45, 29, 46, 38, 56, 35, 35, 40, 25}}},
	}
	for _, tt := range tests {
		got, err := Generate(tt.family, 12, tt.seed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// The moments of a long instance are those of the distribution, within four standard errors.
func TestGenerateFollowsTheDistribution(t *testing.T) {
	const n = 100_000
	g := func(x float64) float64 { return math.Gamma(1 + x/3) } // E[W^x] for shape 3
	tests := []struct {
		family            Family
		mean, variance    float64
		smallest, largest int
	}{
		{family: OR, mean: 60, variance: (81*81 - 1) / 12.0, smallest: 20, largest: 100},
		// Rounding adds 1/12 to the variance; clipping touches 3·10⁻⁵ of the sizes.
		{family: Weibull, mean: 45 * g(1), variance: 45*45*(g(2)-g(1)*g(1)) + 1/12.0, smallest: 1, largest: 100},
	}
	for _, tt := range tests {
		in, err := Generate(tt.family, n, 5)
		if err != nil {
			t.Fatal(err)
		}
		sum, squares := 0.0, 0.0
		for _, size := range in.Items {
			x := float64(size) - tt.mean
			sum, squares = sum+x, squares+x*x
		}
		if off, se := sum/n, math.Sqrt(tt.variance/n); math.Abs(off) > 4*se {
			t.Errorf("%s: the mean is off by %v, %v standard errors", tt.family, off, off/se)
		}
		// The standard error of a variance is at most √2·variance/√n for distributions no heavier-tailed than the normal.
		if off, se := squares/n-tt.variance, tt.variance*math.Sqrt(2.0/n); math.Abs(off) > 4*se {
			t.Errorf("%s: the variance is off by %v, %v standard errors", tt.family, off, off/se)
		}
		if low, high := slices.Min(in.Items), slices.Max(in.Items); low < tt.smallest || high > tt.largest {
			t.Errorf("%s: sizes %d to %d, want %d to %d", tt.family, low, high, tt.smallest, tt.largest)
		}
	}
}

func TestGenerateErrors(t *testing.T) {
	tests := []struct {
		family Family
		items  int
		want   string
	}{
		{OR, 0, `binpack: an instance of 0 items; expected 1 to 1000000`},
		{OR, MaxItems + 1, `binpack: an instance of 1000001 items; expected 1 to 1000000`},
		{"triplets", 60, `binpack: unknown family "triplets"; expected one of ["or" "weibull" "mixed"]`},
	}
	for _, tt := range tests {
		_, err := Generate(tt.family, tt.items, 1)
		if err == nil || err.Error() != tt.want {
			t.Errorf("Generate(%q, %d): %v, want %s", tt.family, tt.items, err, tt.want)
		}
	}
}
