package prove

import (
	"math"
	"testing"
)

// An end that is zero, whatever its sign, makes the inverse unbounded on the side of the other end.
func TestInverseOfRangesThatEndAtZero(t *testing.T) {
	minus, inf := math.Copysign(0, -1), math.Inf(1)
	for _, tt := range []struct {
		of     rng
		lo, hi float64 // what has to be within
	}{
		{rng{0, 2}, 0.5, inf}, {rng{minus, 2}, 0.5, inf}, {rng{-2, 0}, -inf, -0.5}, {rng{-2, minus}, -inf, -0.5},
		{rng{2, 4}, 0.25, 0.5}, {rng{-4, -2}, -0.5, -0.25},
	} {
		if got := tt.of.inverse(); !(got.lo <= tt.lo && got.hi >= tt.hi) || got.lo < 0 && got.hi > 0 {
			t.Errorf("1/%v is in %v, want [%v, %v] and one sign", tt.of, got, tt.lo, tt.hi)
		}
	}
	if got := (rng{-1, 1}).inverse(); got != unbounded {
		t.Errorf("1/[-1, 1] is in %v", got)
	}
}
