package meta

import (
	"context"
	"math"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Outcome is what one inner search gave.
type Outcome struct {
	// Curve is the quality of what the search holds after each of its steps, in [0, 1] as a rule: the best
	// node of a tree search after each expansion, the head of a run after each round.
	Curve []float64 `json:"curve"`
	// Final is the quality of what the search ended with.
	Final float64 `json:"final"`
	// Rollouts is what the search spent, in evaluations of its own.
	Rollouts int    `json:"rollouts"`
	Detail   Detail `json:"detail"`
}

// Detail is what a reader of an outcome may want to know beside its numbers.
type Detail struct {
	// Outcomes counts what became of the merges of an inner run.
	Outcomes map[slots.MergeOutcome]int `json:"outcomes,omitempty"`
	Stop     engine.StopReason          `json:"stop,omitempty"`
	// Error says how the value itself made the search fail; the outcome is worth nothing then.
	Error   string             `json:"error,omitempty"`
	Metrics map[string]float64 `json:"metrics,omitempty"`
}

// BestSoFar returns the running maximum of the curve.
func (o Outcome) BestSoFar() []float64 {
	best := make([]float64, len(o.Curve))
	top := math.Inf(-1)
	for i, v := range o.Curve {
		top = math.Max(top, v)
		best[i] = top
	}
	return best
}

// Problem is an inner problem: what a slot's value is tried on. Run is called from several goroutines at once.
type Problem interface {
	// Describe says what the problem is. The answer does not change.
	Describe() Description
	// Run makes the whole search of a seed, at the problem's own budget, with the value installed. The answer
	// depends on nothing but the value and the seed. A value that makes the search fail is an Outcome with
	// Detail.Error; an error is an infrastructure failure.
	Run(ctx context.Context, v Value, seed int64) (Outcome, error)
}

// Description is what an inner problem is.
type Description struct {
	// Name is unique among the problems of a run, and holds no slash.
	Name string
	// Fingerprint identifies everything that an outcome depends on beside value and seed.
	Fingerprint string
	// Slots are those whose values the problem can be run with; empty means all.
	Slots []string
	// Dear says that an inner search is worth keeping: its outcome is stored before it is used.
	Dear bool
}

// Bounded is implemented by problems that know how well a search could have gone.
type Bounded interface {
	// Oracle makes the search of a seed with a selection that knows what no rule can know.
	Oracle(ctx context.Context, seed int64) (Outcome, error)
}
