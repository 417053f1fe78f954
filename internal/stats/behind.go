package stats

import "math"

// Mean is the sum of xs over their number; 0 for none.
func Mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(max(len(xs), 1))
}

// Behind reports whether rewards fall short of the rival's on the same tasks by more than so many standard errors of
// the difference. The tasks are those that both have; without any nobody is behind.
func Behind(rewards, rival []float64, errors float64) bool {
	n := min(len(rewards), len(rival))
	if n == 0 {
		return false
	}
	sum, squares := 0.0, 0.0
	for i := range n {
		d := rewards[i] - rival[i]
		sum += d
		squares += float64(d * d)
	}
	d := sum / float64(n)
	variance := math.Max(squares/float64(n)-float64(d*d), 0)
	return d < -errors*math.Sqrt(variance/float64(n))
}
