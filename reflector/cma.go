package reflector

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// cma is the evolution strategy with covariance matrix adaptation, (μ/μ_w, λ)-CMA-ES, for maximising: Hansen,
// The CMA Evolution Strategy: A Tutorial (arXiv 1604.00772). It differs in one thing: the Cholesky factor takes the
// place of the symmetric root, as in Krause, Arbonès and Igel (NIPS 2016), so that no eigenvalues are needed. Its
// arithmetic has the same bits on every machine.
type cma struct {
	rng       *rand.Rand
	mean      []float64
	scale     []float64 // the size of a step of one in each coordinate
	sigma     float64
	cov, root [][]float64 // the covariance and its lower triangular factor
	pathSigma []float64
	pathC     []float64
	decay     float64 // (1 − cSigma)^2g
	weights   []float64

	muEff, cSigma, dSigma, cC, c1, cMu, chi float64

	z, y [][]float64 // of the points asked for: standard normal, and times root
}

// newCMA starts at a point with steps of the given scale. There is at least one coordinate.
func newCMA(start, scale []float64, rng *rand.Rand) *cma {
	n := float64(len(start))
	lambda := 4 + int(3*fmath.Log(n))
	s := &cma{
		rng: rng, mean: slices.Clone(start), scale: scale, sigma: 1, decay: 1,
		cov: identity(len(start)), root: identity(len(start)),
		pathSigma: make([]float64, len(start)), pathC: make([]float64, len(start)),
		z: matrix(lambda, len(start)), y: matrix(lambda, len(start)),
	}
	sum, squares := 0.0, 0.0
	for i := range lambda / 2 {
		w := fmath.Log(float64(lambda+1)/2) - fmath.Log(float64(i+1))
		s.weights = append(s.weights, w)
		sum += w
		squares += float64(w * w)
	}
	for i := range s.weights {
		s.weights[i] /= sum
	}
	s.muEff = float64(sum*sum) / squares
	s.cSigma = (s.muEff + 2) / (n + s.muEff + 5)
	s.dSigma = 1 + float64(2*math.Max(0, math.Sqrt((s.muEff-1)/(n+1))-1)) + s.cSigma
	s.cC = (4 + s.muEff/n) / (n + 4 + 2*s.muEff/n)
	s.c1 = 2 / (float64((n+1.3)*(n+1.3)) + s.muEff)
	s.cMu = math.Min(1-s.c1, 2*(s.muEff-2+1/s.muEff)/(float64((n+2)*(n+2))+s.muEff))
	s.chi = float64(math.Sqrt(n) * (1 - 1/(4*n) + 1/(21*n*n))) // the mean length of a standard normal vector
	return s
}

func matrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

func identity(n int) [][]float64 {
	m := matrix(n, n)
	for i := range m {
		m[i][i] = 1
	}
	return m
}

// ask draws the points of a generation.
func (s *cma) ask() [][]float64 {
	points := matrix(len(s.z), len(s.mean))
	for k, x := range points {
		for i := range s.z[k] {
			s.z[k][i] = normal(s.rng)
		}
		for i, row := range s.root {
			s.y[k][i] = dot(row[:i+1], s.z[k][:i+1])
			x[i] = s.mean[i] + float64(s.sigma*s.scale[i]*s.y[k][i])
		}
	}
	return points
}

// tell adapts to the worth of the points that were asked for, in their order. Points of equal worth share the weights
// of their places, so that a plateau pulls nowhere.
func (s *cma) tell(worth []float64) {
	weights := s.weightsOf(worth)
	z, y := s.combine(s.z, weights), s.combine(s.y, weights)
	length := 0.0
	for i := range s.mean {
		s.mean[i] += float64(s.sigma * s.scale[i] * y[i])
		s.pathSigma[i] = float64((1-s.cSigma)*s.pathSigma[i]) + float64(math.Sqrt(s.cSigma*(2-s.cSigma)*s.muEff)*z[i])
		length += float64(s.pathSigma[i] * s.pathSigma[i])
	}
	length = math.Sqrt(length)
	s.decay = float64(s.decay * ((1 - s.cSigma) * (1 - s.cSigma)))
	slow := 0.0
	if length < float64((1.4+2/float64(len(s.mean)+1))*s.chi*math.Sqrt(1-s.decay)) {
		slow = 1
	}
	for i := range s.pathC {
		s.pathC[i] = float64((1-s.cC)*s.pathC[i]) + float64(slow*math.Sqrt(s.cC*(2-s.cC)*s.muEff)*y[i])
	}
	s.adapt(weights, slow)
	s.sigma *= fmath.Exp(s.cSigma / s.dSigma * (length/s.chi - 1))
}

// adapt moves the covariance towards the path and the steps that were good.
func (s *cma) adapt(weights []float64, slow float64) {
	keep := 1 - s.c1 - s.cMu + float64((1-slow)*s.c1*s.cC*(2-s.cC))
	for i, row := range s.cov {
		for j := range row[:i+1] {
			sum := float64(keep*row[j]) + float64(s.c1*s.pathC[i]*s.pathC[j])
			for k, w := range weights {
				sum += float64(s.cMu * w * s.y[k][i] * s.y[k][j])
			}
			row[j] = sum
		}
	}
	if !factor(s.cov, s.root) { // the numbers ran out: begin anew from here
		s.cov, s.root = identity(len(s.mean)), identity(len(s.mean))
	}
}

// weightsOf gives each point the weight of its place.
func (s *cma) weightsOf(worth []float64) []float64 {
	order := make([]int, len(worth))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	weights := make([]float64, len(worth))
	for first := 0; first < len(order); {
		last, sum := first, 0.0
		for ; last < len(order) && worth[order[last]] == worth[order[first]]; last++ {
			if last < len(s.weights) {
				sum += s.weights[last]
			}
		}
		for _, k := range order[first:last] {
			weights[k] = sum / float64(last-first)
		}
		first = last
	}
	return weights
}

func (s *cma) combine(rows [][]float64, weights []float64) []float64 {
	out := make([]float64, len(s.mean))
	for k, w := range weights {
		for i := range out {
			out[i] += float64(w * rows[k][i])
		}
	}
	return out
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// factor computes the Cholesky factor of the lower triangle of a; false when a is not positive definite.
func factor(a, l [][]float64) bool {
	for i := range a {
		for j := range i + 1 {
			rest := a[i][j] - dot(l[i][:j], l[j][:j])
			if i > j {
				l[i][j] = rest / l[j][j]
				continue
			}
			if !(rest > 1e-20) || math.IsInf(rest, 0) {
				return false
			}
			l[i][i] = math.Sqrt(rest)
		}
	}
	return true
}

// normal draws a standard normal deviate, with the same bits on every machine: Marsaglia's polar method.
func normal(rng *rand.Rand) float64 {
	for {
		u, v := 2*rng.Float64()-1, 2*rng.Float64()-1
		if s := float64(u*u) + float64(v*v); s > 0 && s < 1 {
			return float64(u * math.Sqrt(-2*fmath.Log(s)/s))
		}
	}
}
