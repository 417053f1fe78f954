// Package paired compares the speed of functions on a machine that does other things too. It runs them in turn for about a
// millisecond each, many times over, and compares the fastest slices: what disturbs one run rarely disturbs all, and a
// slow minute slows all alike. It is for benchmarks; no result of the engine depends on a clock.
package paired

import "time"

// Slice is how long one function runs before the next has its turn.
const Slice = time.Millisecond

// Times runs each function for the given number of slices, alternating, and returns the least nanoseconds that each took
// for one operation. A function must do n operations.
func Times(slices int, fns ...func(n int)) []float64 {
	counts := make([]int, len(fns))
	for i, fn := range fns {
		counts[i] = calibrate(fn)
	}
	least := make([]float64, len(fns))
	for s := range slices {
		for i, fn := range fns {
			t := float64(measure(fn, counts[i]).Nanoseconds()) / float64(counts[i])
			if s == 0 || t < least[i] {
				least[i] = t
			}
		}
	}
	return least
}

// Compare returns how many times as long an operation of a takes as one of b, and the nanoseconds of both.
func Compare(slices int, a, b func(n int)) (ratio, nsA, nsB float64) {
	t := Times(slices, a, b)
	return t[0] / t[1], t[0], t[1]
}

// calibrate finds the operations that fill a slice.
func calibrate(fn func(n int)) int {
	n := 1
	for {
		t := measure(fn, n)
		if t >= Slice/4 {
			return max(1, int(float64(n)*float64(Slice)/float64(t)))
		}
		n *= 2
	}
}

func measure(fn func(n int), n int) time.Duration {
	start := time.Now()
	fn(n)
	return time.Since(start)
}
