package fmath

import (
	"math"
	"testing"
)

// TestMonotone walks over consecutive floats across every edge (table seams,
// ends of polynomials, thresholds) and from random places: an increasing
// function must not step down. Rules compare results, and a rule proved
// monotone must not be refuted by a last bit.
func TestMonotone(t *testing.T) {
	const steps = 64
	for _, s := range subjects() {
		if s.name == "Pow" {
			s = squareRoot(s)
		}
		starts := s.edges
		rng := stream(7)
		for i := range 2000 {
			x, _ := s.regions[i%len(s.regions)](&rng)
			starts = append(starts, point{x: x})
		}
		for _, p := range starts {
			walkUp(t, s, p.x, steps)
		}
	}
}

// squareRoot is the section of Pow at y = 1/2, and its seams.
func squareRoot(pow subject) subject {
	s := subject{name: "Pow(·, 0.5)", above: 0}
	s.f = func(x, _ float64) float64 { return Pow(x, 0.5) }
	s.regions = logSubject().regions
	for _, e := range pow.edges {
		s.edges = append(s.edges, point{x: e.x})
	}
	return s
}

func walkUp(t *testing.T, s subject, x float64, steps int) {
	t.Helper()
	last := math.Inf(-1)
	for _, x := range around(x, steps/2) {
		if x <= s.above {
			continue
		}
		y := s.f(x, 0)
		if !(y >= last) {
			t.Errorf("%s steps down from %x to %x at %x", s.name, last, y, x)
			return
		}
		last = y
	}
}

func TestPowIsMonotoneInExponent(t *testing.T) {
	rng := stream(8)
	for range 2000 {
		x, y := rng.within(1, 20), rng.within(-50, 50)
		last := 0.0
		for range 64 {
			p := Pow(x, y)
			if p < last {
				t.Errorf("Pow(%x, ·) steps down from %x to %x at %x", x, last, p, y)
			}
			last, y = p, math.Nextafter(y, inf)
		}
	}
}
