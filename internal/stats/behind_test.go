package stats_test

import (
	"testing"

	"github.com/agentdescent/adrun/internal/stats"
)

func TestBehind(t *testing.T) {
	for _, tt := range []struct {
		a, b []float64
		want bool
	}{
		{[]float64{1, 1}, []float64{1, 1}, false},
		{[]float64{0, 0}, []float64{1, 1}, true},
		{[]float64{1, 0}, []float64{0, 1}, false},
		{[]float64{0.1, 0.2, 0.1}, []float64{0.5, 0.6, 0.5, 1}, true},
		{nil, []float64{1}, false},
	} {
		if got := stats.Behind(tt.a, tt.b, 1); got != tt.want {
			t.Errorf("Behind(%v, %v) = %v", tt.a, tt.b, got)
		}
	}
}
