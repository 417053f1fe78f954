package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/problems/dials"
	"github.com/agentdescent/adrun/problems/landscape"
	"github.com/agentdescent/adrun/slots"
)

// Inner is a problem on which the value of a slot can be tried: a whole search, from a seed.
type Inner struct {
	Name    string
	Meaning string
	// Slots are those whose values drive it; Tree says that a value is a rule of selection.priority.
	Slots    []string
	Tree     bool
	MinGate  int // as of a Problem
	Settings []Setting
	Build    func(s Settings) (meta.Problem, error)
}

// CheckSettings reports every setting that the problem does not have.
func (p Inner) CheckSettings(s Settings) error { return checkSettings(p.Name, p.Settings, s) }

// Inners returns the inner problems, by name.
func Inners() []Inner {
	all := []Inner{innerLandscape(landscape.Source()), innerLandscape(landscape.Target()), innerLandscape(landscape.Hills())}
	for _, r := range dials.Regimes() {
		all = append(all, innerDials(r, r.Name, r.Small), innerDials(r, r.Name+"_large", r.Large))
	}
	return all
}

// InnerByName returns an inner problem, or an error that lists those there are.
func InnerByName(name string) (Inner, error) {
	all := Inners()
	if i := slices.IndexFunc(all, func(p Inner) bool { return p.Name == name }); i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	return Inner{}, fmt.Errorf("unknown inner problem %q: there are %s, and the spec's own in data.runs", name, strings.Join(names, ", "))
}

func innerLandscape(family landscape.Family) Inner {
	return Inner{
		Name:     "landscape." + family.Name,
		Meaning:  "tree search on the " + family.Name + " family of the synthetic landscape",
		Slots:    []string{"selection"},
		Tree:     true,
		MinGate:  landscapeGate,
		Settings: []Setting{{"budget", "expansions of a search", fmt.Sprint(landscape.DefaultBudget)}},
		Build: func(s Settings) (meta.Problem, error) {
			r := &reader{settings: s}
			budget := r.whole("budget", landscape.DefaultBudget)
			if err := r.err(); err != nil {
				return nil, err
			}
			c := landscape.Config{Family: family, Budget: budget, Seeds: []int64{0}}
			if err := c.Validate(); err != nil {
				return nil, err
			}
			return landscapeSearches(family, budget), nil
		},
	}
}

func landscapeSearches(family landscape.Family, budget int) meta.Problem {
	searchers := sync.Pool{New: func() any { return landscape.NewSearcher(family) }}
	search := func(ctx context.Context, seed int64, with func(*landscape.Searcher) treesearch.Selector) ([]float64, error) {
		s := searchers.Get().(*landscape.Searcher)
		defer searchers.Put(s)
		r, err := s.Search(ctx, seed, budget, with(s))
		return slices.Clone(r.Curve), err
	}
	return &meta.TreeSearch{
		Name: "landscape." + family.Name,
		Fingerprint: fmt.Sprintf("landscape/1 dim=%d step=%v dead_ends=%v ruggedness=%v offset=%v budget=%d",
			family.Dim, family.Step, family.DeadEnds, family.Ruggedness, family.Offset, budget),
		Search: func(ctx context.Context, sel treesearch.Selector, seed int64) ([]float64, error) {
			return search(ctx, seed, func(*landscape.Searcher) treesearch.Selector { return sel })
		},
		Best: func(ctx context.Context, seed int64) ([]float64, error) {
			return search(ctx, seed, (*landscape.Searcher).OneStepAhead)
		},
	}
}

// innerDials is a run of the engine on machines of dials.
func innerDials(r dials.Regime, name string, machines dials.Config) Inner {
	return Inner{
		Name:    "dials." + name,
		Meaning: fmt.Sprintf("a run of the engine on machines with %d dials; %s", machines.Dials, r.Meaning),
		Slots:   []string{r.Slot},
		Build: func(Settings) (meta.Problem, error) {
			return &meta.Evolution{
				Name: "dials." + name, Fingerprint: r.Fingerprint(machines), Stable: r.Stable,
				Start: func(seed int64) (engine.Config, meta.Quality, error) {
					m := dials.New(machines, seed)
					return r.Config(m), func(_ context.Context, s slots.State) (float64, error) { return m.Quality(s), nil }, nil
				},
			}, nil
		},
	}
}
