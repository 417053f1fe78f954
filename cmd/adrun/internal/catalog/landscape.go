package catalog

import (
	"context"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/problems/landscape"
)

// landscapeSearch scores and evolves priorities of the flat tree search on the synthetic landscape.
func landscapeSearch() Problem {
	return Problem{
		Name:    "landscape",
		Meaning: "tree search on a synthetic landscape: the node with the highest priority is expanded",
		Settings: []Setting{
			{"family", "the landscape: source or target", "source"},
			{"budget", "expansions of a search", "60"},
		},
		SeedMeaning:   "the seed of a search",
		DefaultSeeds:  Range{0, 200},
		Signature:     treesearch.PrioritySignature,
		SignatureName: "selection.priority",
		MinGate:       landscapeGate,
		Score:         scoreLandscape,
		Build: func(s Settings, seeds, sealed Range) (engine.Problem, error) {
			r := &reader{settings: s}
			family, budget, err := r.landscape()
			if err != nil {
				return nil, err
			}
			return landscape.NewProblem(landscape.Config{Family: family, Budget: budget, Seeds: seeds.Seeds(), Sealed: sealed.Seeds()})
		},
	}
}

// landscapeGate is how many held-out searches tell a gain from luck: nine have accepted a rule that loses.
const landscapeGate = 60

// landscape reads the settings that a score and a run share.
func (r *reader) landscape() (landscape.Family, int, error) {
	budget := r.whole("budget", landscape.DefaultBudget)
	family, err := landscape.FamilyByName(r.word("family", "source"))
	if err != nil {
		r.errs = append(r.errs, err)
	}
	return family, budget, r.err()
}

func scoreLandscape(ctx context.Context, q Request) ([]Value, error) {
	r := &reader{settings: q.Settings}
	family, budget, err := r.landscape()
	if err != nil {
		return nil, err
	}
	p, err := landscape.NewProblem(landscape.Config{Family: family, Budget: budget, Seeds: q.Seeds.Seeds()})
	if err != nil {
		return nil, err
	}
	m, err := means(ctx, p, q.Program, "auc", "final")
	if err != nil {
		return nil, err
	}
	return []Value{{"auc", m["auc"]}, {"final", m["final"]}, {"searches", q.Seeds.Len()}}, nil
}
