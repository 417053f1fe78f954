package stats_test

import (
	"math"
	"testing"

	"github.com/agentdescent/adrun/internal/stats"
)

// The quantiles are those that every table of Student's t prints.
func TestStudentMatchesTheTables(t *testing.T) {
	for _, tt := range []struct{ df, upper, t float64 }{
		{1, 0.025, 12.706}, {4, 0.025, 2.776}, {10, 0.05, 1.812}, {30, 0.005, 2.750}, {199, 0.025, 1.972}, {1e6, 0.025, 1.960},
	} {
		if got := stats.StudentQuantile(tt.upper, tt.df); math.Abs(got-tt.t) > 6e-4 {
			t.Errorf("quantile(%v, %v) = %.4f, tables say %.3f", tt.upper, tt.df, got, tt.t)
		}
		if got := stats.StudentUpper(tt.t, tt.df); math.Abs(got-tt.upper) > 6e-5 {
			t.Errorf("P(T > %v) with %v degrees is %.5f, want %v", tt.t, tt.df, got, tt.upper)
		}
		if got := stats.StudentUpper(-tt.t, tt.df); math.Abs(got-(1-tt.upper)) > 6e-5 {
			t.Errorf("P(T > %v) with %v degrees is %.5f, want %v", -tt.t, tt.df, got, 1-tt.upper)
		}
	}
	// With one degree of freedom Student's t is Cauchy's.
	for _, x := range []float64{-3, -0.5, 0, 0.1, 2} {
		if got, want := stats.StudentUpper(x, 1), 0.5-math.Atan(x)/math.Pi; math.Abs(got-want) > 1e-12 {
			t.Errorf("P(T > %v) = %v, Cauchy says %v", x, got, want)
		}
	}
	for _, bad := range []float64{stats.StudentUpper(1, 0), stats.StudentQuantile(0, 3), stats.StudentQuantile(0.6, 3)} {
		if !math.IsNaN(bad) {
			t.Errorf("%v where nothing is defined", bad)
		}
	}
}

func TestSampleSD(t *testing.T) {
	var m stats.Moments
	for _, x := range []float64{1, 2, 3, 4} {
		m.Add(x)
	}
	if got, want := m.SampleSD(), math.Sqrt(5.0/3); math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
}
