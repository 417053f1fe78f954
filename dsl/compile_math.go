package dsl

import "math"

// fmath stands in for package dsl/fmath until that lands; it is not portable.
var fmath provisional

type provisional struct{}

func (provisional) Exp(x float64) float64    { return math.Exp(x) }
func (provisional) Log(x float64) float64    { return math.Log(x) }
func (provisional) Log1p(x float64) float64  { return math.Log1p(x) }
func (provisional) Tanh(x float64) float64   { return math.Tanh(x) }
func (provisional) Pow(x, y float64) float64 { return math.Pow(x, y) }
func (provisional) Mod(x, y float64) float64 {
	r := math.Mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}
