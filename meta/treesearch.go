package meta

import (
	"context"
	"errors"
	"sync"

	"github.com/agentdescent/adrun/engine/treesearch"
)

// TreeSearch is an inner problem that a priority drives: which node of a flat tree is expanded next.
type TreeSearch struct {
	// Name and Fingerprint as in Description.
	Name        string
	Fingerprint string
	// Search makes the search of a seed with the nodes that sel picks, and returns the best score after each
	// expansion; the slice is the caller's. Several goroutines call it at once.
	Search func(ctx context.Context, sel treesearch.Selector, seed int64) (curve []float64, err error)
	// Best, if set, makes the same search with a selection that knows what no rule can know.
	Best func(ctx context.Context, seed int64) (curve []float64, err error)

	selections sync.Pool // of *treesearch.PrioritySelection
}

var (
	_ Problem = (*TreeSearch)(nil)
	_ Bounded = (*TreeSearch)(nil)
)

// ErrNoOracle says that a problem does not know how well a search could go.
var ErrNoOracle = errors.New("the problem has no oracle")

// Describe describes the problem.
func (p *TreeSearch) Describe() Description {
	return Description{Name: p.Name, Fingerprint: p.Fingerprint, Slots: []string{"selection"}}
}

// Run searches with the value's priority. A priority that is not finite loses to every finite one, and is
// counted.
func (p *TreeSearch) Run(ctx context.Context, v Value, seed int64) (Outcome, error) {
	if v.Priority == nil {
		return Outcome{Detail: Detail{Error: "the value ranks no nodes, so it cannot drive a tree search"}}, nil
	}
	sel, _ := p.selections.Get().(*treesearch.PrioritySelection)
	if sel == nil {
		sel = new(treesearch.PrioritySelection)
	}
	defer p.selections.Put(sel)
	sel.Reset(v.Priority)
	curve, err := p.Search(ctx, sel, seed)
	if err != nil {
		return Outcome{}, err
	}
	o := searched(curve)
	if n := sel.NonFinite(); n > 0 {
		o.Detail.Metrics = map[string]float64{"not_finite": float64(n)}
	}
	return o, nil
}

// Oracle searches with what Best knows.
func (p *TreeSearch) Oracle(ctx context.Context, seed int64) (Outcome, error) {
	if p.Best == nil {
		return Outcome{}, ErrNoOracle
	}
	curve, err := p.Best(ctx, seed)
	return searched(curve), err
}

func searched(curve []float64) Outcome {
	o := Outcome{Curve: curve, Rollouts: len(curve)}
	if len(curve) > 0 {
		o.Final = curve[len(curve)-1]
	}
	return o
}
