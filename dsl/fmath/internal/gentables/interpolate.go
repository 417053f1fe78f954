package main

import (
	"math"
	"math/big"

	"github.com/agentdescent/adrun/dsl/fmath/internal/bigmath"
)

// interpolate returns the n coefficients, lowest degree first, of the
// polynomial that meets f at the Chebyshev nodes of [lo, hi], each rounded to
// float64. Its error is within a small factor of the best polynomial's
// (Trefethen, Approximation Theory and Approximation Practice, chapter 16),
// and unlike an exchange algorithm it cannot fail to converge.
func interpolate(f func(*big.Float) *big.Float, lo, hi float64, n int) []float64 {
	x := make([]*big.Float, n)
	d := make([]*big.Float, n) // divided differences
	for j := range x {
		// Nodes need not be exact; rounding them to 1/4096 keeps the generated
		// file the same where math.Cos differs in its last bit.
		c := math.Round(4096*math.Cos((float64(j)+0.5)*math.Pi/float64(n))) / 4096
		x[j] = bigmath.Float((lo+hi)/2 + (hi-lo)/2*c)
		d[j] = f(x[j])
	}
	for k := 1; k < n; k++ {
		for j := n - 1; j >= k; j-- {
			d[j] = quo(sub(d[j], d[j-1]), sub(x[j], x[j-k]))
		}
	}
	// Expand Newton's form: p = d[k] + (x - x[k]) p, from the inside out.
	p := []*big.Float{d[n-1]}
	for k := n - 2; k >= 0; k-- {
		next := append([]*big.Float{bigmath.Float(0)}, p...)
		for j := range p {
			next[j] = sub(next[j], mul(x[k], p[j]))
		}
		next[0].Add(next[0], d[k])
		p = next
	}
	coefs := make([]float64, n)
	for j := range p {
		coefs[j], _ = p[j].Float64()
	}
	return coefs
}
