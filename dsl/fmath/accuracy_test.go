package fmath

import (
	"math"
	"math/big"
	"testing"

	"github.com/agentdescent/adrun/dsl/fmath/internal/bigmath"
)

func TestAccuracy(t *testing.T) {
	s := stream(5)
	for name, c := range map[string]struct {
		f      func(float64) float64
		ref    func(*big.Float) *big.Float
		lo, hi float64
	}{
		"Exp":   {Exp, bigmath.Exp, 0x1p-60, 709},
		"Log":   {Log, bigmath.Log, 0x1p-1074, math.MaxFloat64},
		"Log1p": {Log1p, bigmath.Log1p, 0x1p-1074, math.MaxFloat64},
		"Tanh":  {Tanh, bigmath.Tanh, 0x1p-1074, 20},
	} {
		for range 2000 {
			x := s.between(c.lo, c.hi)
			want, _ := c.ref(bigmath.Float(x)).Float64()
			if got := c.f(x); math.Abs(got-want) > math.Nextafter(want, inf)-want {
				t.Errorf("%s(%v) = %v, want %v", name, x, got, want)
			}
		}
	}
}
