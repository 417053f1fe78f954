package slots

import (
	"fmt"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// Beam spreads the lanes over the K best heads. What is not measured comes first, of equals the later commit.
type Beam struct {
	// K is the width of the beam; default 4.
	K int
}

// PolicyName returns "beam".
func (Beam) PolicyName() string { return "beam" }

// Select returns up to K heads, the best first.
func (p Beam) Select(ctx SelectionContext, n int) ([]int, error) {
	def(&p.K, 4)
	a := newArchive(ctx)
	return a.place(pickDistinct, n, func(head, _ int) float64 {
		if a.order[head] < p.K {
			return 1 / float64(1+a.order[head])
		}
		return 0
	}), nil
}

// ParetoMode says how ParetoFrontier uses the front.
type ParetoMode string

// WinFrequency draws from the front in proportion to the tasks on which a head is best: the candidate
// selection of GEPA (Agrawal et al., "GEPA: Reflective prompt evolution can outperform reinforcement
// learning", 2025, Algorithm 2). PerInstance gives the members of the front lanes in turn, going on where
// the round before stopped. TopKAggregate keeps the K heads of the highest mean, wherever the front is.
const (
	WinFrequency  ParetoMode = "win_frequency"
	PerInstance   ParetoMode = "per_instance"
	TopKAggregate ParetoMode = "topk_aggregate"
)

// ParetoFrontier selects from the heads that no other head dominates over the held-out tasks, so that one
// which is best on a single hard task stays in play. A head that is not measured is on the front.
type ParetoFrontier struct {
	// Mode defaults to WinFrequency.
	Mode ParetoMode
	// K is for TopKAggregate; default 5.
	K int
}

// PolicyName returns "pareto_" and the mode.
func (p ParetoFrontier) PolicyName() string {
	def(&p.Mode, WinFrequency)
	return "pareto_" + string(p.Mode)
}

// Select draws or spreads; see ParetoMode.
func (p ParetoFrontier) Select(ctx SelectionContext, n int) ([]int, error) {
	def(&p.Mode, WinFrequency)
	def(&p.K, 5)
	a := newArchive(ctx)
	switch p.Mode {
	case WinFrequency:
		f := a.front()
		return a.place(pickSample, n, func(head, _ int) float64 { return float64(f.wins[head]) }), nil
	case PerInstance:
		f := a.front()
		return a.place(pickTop, n, func(head, lane int) float64 {
			return indicator(f.index[head] == (ctx.Round*n+lane)%len(f.members))
		}), nil
	case TopKAggregate:
		return Beam{K: p.K}.Select(ctx, n)
	}
	return nil, badMode("ParetoFrontier", string(p.Mode))
}

// indicator is 1 for true and 0 for false.
func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func badMode(policy, mode string) error {
	return &ContractError{Slot: "selection", Rule: policy + " has a mode that it knows", Got: fmt.Sprintf("%q", mode)}
}

// ArchiveMode says what Archive weighs heads by.
type ArchiveMode string

// Performance weighs a head by its score, Novelty by 1/(1+times selected), SigmoidNovelty by the product
// of the latter and a logistic function of the score: the parent selection of the Darwin Gödel Machine
// (Zhang et al., 2025; λ = 10, α₀ = 0.5). Uniform draws evenly; Best does not draw, it takes the best
// head for every lane. A head that is not measured counts as one of score 1.
const (
	Performance    ArchiveMode = "performance"
	Novelty        ArchiveMode = "novelty"
	SigmoidNovelty ArchiveMode = "sigmoid_novelty"
	Uniform        ArchiveMode = "uniform"
	Best           ArchiveMode = "best"
)

// Archive draws each lane's head from all heads that were ever committed.
type Archive struct {
	// Mode defaults to SigmoidNovelty.
	Mode ArchiveMode
}

// PolicyName returns "archive_" and the mode.
func (p Archive) PolicyName() string {
	def(&p.Mode, SigmoidNovelty)
	return "archive_" + string(p.Mode)
}

// The logistic function of SigmoidNovelty.
const (
	sigmoidSlope  = 10
	sigmoidCentre = 0.5
)

// Select draws; see ArchiveMode.
func (p Archive) Select(ctx SelectionContext, n int) ([]int, error) {
	def(&p.Mode, SigmoidNovelty)
	a := newArchive(ctx)
	score := func(head int) float64 { return ctx.Heads[head].Score.Or(1) }
	novelty := func(head int) float64 { return 1 / (1 + a.selected[head]) }
	switch p.Mode {
	case Performance:
		return a.place(pickSample, n, func(head, _ int) float64 { return score(head) }), nil
	case Novelty:
		return a.place(pickSample, n, func(head, _ int) float64 { return novelty(head) }), nil
	case SigmoidNovelty:
		return a.place(pickSample, n, func(head, _ int) float64 {
			return 1 / (1 + fmath.Exp(sigmoidSlope*(sigmoidCentre-score(head)))) * novelty(head)
		}), nil
	case Uniform:
		return a.place(pickSample, n, func(int, int) float64 { return 1 }), nil
	case Best:
		return Beam{K: 1}.Select(ctx, n)
	}
	return nil, badMode("Archive", string(p.Mode))
}

var (
	_ Selection = SingleHead{}
	_ Selection = Beam{}
	_ Selection = ParetoFrontier{}
	_ Selection = Archive{}
)
