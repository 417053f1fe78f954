package fmath

import (
	"math"
	"testing"
)

// Each function runs beside its counterpart in package math on the same
// inputs: go test ./dsl/fmath -run - -bench .

func BenchmarkExp(b *testing.B) {
	benchUnary(b, Exp, math.Exp, -20, 20)
}

func BenchmarkLog(b *testing.B) {
	benchUnary(b, Log, math.Log, 0.01, 100)
}

func BenchmarkLog1p(b *testing.B) {
	benchUnary(b, Log1p, math.Log1p, -0.9, 10)
}

func BenchmarkTanh(b *testing.B) {
	benchUnary(b, Tanh, math.Tanh, -4, 4)
}

func BenchmarkPow(b *testing.B) {
	bases, exponents := uniform(1, 0.01, 100), uniform(2, -10, 10)
	benchBinary(b, Pow, math.Pow, bases, exponents)
}

func BenchmarkMod(b *testing.B) {
	benchBinary(b, Mod, math.Mod, uniform(1, -100, 100), uniform(2, 0.5, 10))
}

const benchInputs = 1024

// uniform returns benchInputs numbers in [lo, hi).
func uniform(seed uint64, lo, hi float64) []float64 {
	s := stream(seed)
	xs := make([]float64, benchInputs)
	for i := range xs {
		xs[i] = s.within(lo, hi)
	}
	return xs
}

func benchUnary(b *testing.B, ours, std func(float64) float64, lo, hi float64) {
	xs := uniform(1, lo, hi)
	for name, f := range pair(ours, std) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i, sum := 0, 0.0
			for b.Loop() {
				sum += f(xs[i%benchInputs])
				i++
			}
			if math.IsNaN(sum) {
				b.Fatal("inputs outside the domain")
			}
		})
	}
}

func benchBinary(b *testing.B, ours, std func(x, y float64) float64, xs, ys []float64) {
	for name, f := range pair(ours, std) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i, sum := 0, 0.0
			for b.Loop() {
				sum += f(xs[i%benchInputs], ys[i%benchInputs])
				i++
			}
			if math.IsNaN(sum) {
				b.Fatal("inputs outside the domain")
			}
		})
	}
}

// pair yields the two functions under their names, ours first.
func pair[F any](ours, std F) func(yield func(string, F) bool) {
	return func(yield func(string, F) bool) {
		_ = yield("fmath", ours) && yield("math", std)
	}
}
