package budget

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/engine"
)

// The defaults of a LearningValueModel.
const (
	DefaultRate = 0.2
	DefaultL2   = 0.05
	DefaultClip = 3
)

// Features of the model, in this order; the bias comes after them.
const (
	advantage = iota
	keys
	radius
	numFeatures
)

// LearningValueModel predicts whether a candidate will be committed from what is known before anything is
// spent on it: a logistic model, fitted one decision at a time by gradient descent. Decision and training
// see the same vector. The zero value has the default numbers and knows nothing: it says one half.
type LearningValueModel struct {
	// Rate is the step of the descent, L2 the pull of each weight towards 0 (the bias is not pulled), Clip
	// the bound of the logit on either side, so that no candidate is ever certain and none moves a weight
	// by much; 0 is the default.
	Rate, L2, Clip float64

	weights [numFeatures]float64
	bias    float64
	n       int
}

// vector is what the model sees of a candidate. An absent advantage is that of an average candidate.
func vector(f engine.Features) [numFeatures]float64 {
	return [numFeatures]float64{advantage: f.Advantage.Or(0), keys: float64(f.Keys), radius: f.BlastRadius}
}

// Predict returns the probability of a commit.
func (m *LearningValueModel) Predict(f engine.Features) float64 {
	logit := m.bias
	for i, x := range vector(f) {
		logit += float64(m.weights[i] * x) // the conversion keeps the product from being fused
	}
	clip := or(m.Clip, DefaultClip)
	return 1 / (1 + fmath.Exp(-min(clip, max(-clip, logit))))
}

// Learn takes in what became of a candidate.
func (m *LearningValueModel) Learn(f engine.Features, committed bool) {
	miss := -m.Predict(f)
	if committed {
		miss++
	}
	rate, l2 := or(m.Rate, DefaultRate), or(m.L2, DefaultL2)
	for i, x := range vector(f) {
		step := float64(miss*x) - float64(l2*m.weights[i])
		m.weights[i] += float64(rate * step)
	}
	m.bias += float64(rate * miss)
	m.n++
}

// Observations is the number of candidates it has learned from.
func (m *LearningValueModel) Observations() int { return m.n }

// Strongest is the largest magnitude among the weights, the bias apart, which tells no candidate from
// another.
func (m *LearningValueModel) Strongest() float64 {
	most := 0.0
	for _, w := range m.weights {
		most = max(most, math.Abs(w))
	}
	return most
}

// State lists the weights of advantage, keys written and blast radius, the bias, and the number of
// observations.
func (m *LearningValueModel) State() []float64 {
	return append(m.weights[:numFeatures:numFeatures], m.bias, float64(m.n))
}
