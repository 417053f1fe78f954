package budget_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/budget"
	"github.com/agentdescent/adrun/slots"
)

func features(advantage float64, keys int, radius float64) engine.Features {
	return engine.Features{Advantage: slots.Known(advantage), Keys: keys, BlastRadius: radius}
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Two steps worked out by hand: w += 0.2·((y − p)·x − 0.05·w), the bias without the last term.
func TestLearningIsGradientDescent(t *testing.T) {
	var m budget.LearningValueModel
	if p := m.Predict(features(2, 3, 0.5)); p != 0.5 {
		t.Errorf("a model that knows nothing predicts %v", p)
	}
	m.Learn(features(2, 1, 0.5), true) // p = ½: the steps are 0.1·x
	want := []float64{0.2, 0.1, 0.05, 0.1, 1}
	compare(t, m.State(), want)

	f := features(-1, 2, 0.2)
	p := sigmoid(0.2*-1 + 0.1*2 + 0.05*0.2 + 0.1)
	if got := m.Predict(f); math.Abs(got-p) > 1e-15 {
		t.Errorf("predicts %v, want %v", got, p)
	}
	m.Learn(f, false)
	compare(t, m.State(), []float64{
		0.2 + 0.2*(-p*-1-0.05*0.2), 0.1 + 0.2*(-p*2-0.05*0.1), 0.05 + 0.2*(-p*0.2-0.05*0.05), 0.1 - 0.2*p, 2,
	})
}

func TestTheBiasIsNoStrength(t *testing.T) {
	var m budget.LearningValueModel
	m.Learn(engine.Features{}, true)
	if got := m.Strongest(); got != 0 || m.Predict(engine.Features{}) <= 0.5 {
		t.Errorf("strongest %v in %v", got, m.State())
	}
	m.Learn(features(-3, 1, 0.2), true)
	if got := m.Strongest(); got != -m.State()[0] {
		t.Errorf("strongest %v in %v, want the advantage's", got, m.State())
	}
}

func compare(t *testing.T, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("state %v, want %v", got, want)
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-15 {
			t.Errorf("state %v, want %v", got, want)
			return
		}
	}
}

func TestAnAbsentAdvantageIsAnAverageOne(t *testing.T) {
	var m budget.LearningValueModel
	m.Learn(features(1, 1, 0.2), true)
	if a, b := m.Predict(engine.Features{Keys: 1, BlastRadius: 0.2}), m.Predict(features(0, 1, 0.2)); a != b {
		t.Errorf("absent %v, zero %v", a, b)
	}
}

func TestTheModelLearnsWhatSeparates(t *testing.T) {
	var m budget.LearningValueModel
	for range 50 {
		m.Learn(features(1, 1, 0.2), true)
		m.Learn(features(-1, 1, 0.2), false)
	}
	if up, down := m.Predict(features(1, 1, 0.2)), m.Predict(features(-1, 1, 0.2)); up < 0.75 || down > 0.25 {
		t.Errorf("commits at %.3f, refusals at %.3f", up, down)
	}
	// When the world turns, so does the model.
	for range 100 {
		m.Learn(features(1, 1, 0.2), false)
		m.Learn(features(-1, 1, 0.2), true)
	}
	if up, down := m.Predict(features(1, 1, 0.2)), m.Predict(features(-1, 1, 0.2)); up > 0.25 || down < 0.75 {
		t.Errorf("after the turn: %.3f and %.3f", up, down)
	}
}

// The decay bounds a weight by max|x|/L2, the clip a prediction by σ(±3), whatever the model is told.
func TestNoCandidateBlowsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m budget.LearningValueModel
		const most = 1e6
		f := func() engine.Features {
			return features(rapid.Float64Range(-most, most).Draw(t, "advantage"),
				rapid.IntRange(1, 6).Draw(t, "keys"), rapid.Float64Range(0.01, 1).Draw(t, "radius"))
		}
		for range rapid.IntRange(0, 60).Draw(t, "n") {
			m.Learn(f(), rapid.Bool().Draw(t, "committed"))
		}
		if w := m.Strongest(); w > most/budget.DefaultL2 {
			t.Fatalf("a weight of %v", w)
		}
		if p := m.Predict(f()); p < sigmoid(-budget.DefaultClip)-1e-15 || p > sigmoid(budget.DefaultClip)+1e-15 {
			t.Fatalf("a prediction of %v", p)
		}
	})
}
