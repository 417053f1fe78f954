package derive

import "math/rand/v2"

// Bell is nearly a standard normal deviate, with the same bits on every machine: the sum of twelve uniform ones.
func Bell(rng *rand.Rand) float64 {
	sum := -6.0
	for range 12 {
		sum += rng.Float64()
	}
	return sum
}
