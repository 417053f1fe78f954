package landscape

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/slots"
)

// DefaultBudget is the number of expansions of a search when a Config names none.
const DefaultBudget = 60

// Config says which searches a Problem makes.
type Config struct {
	Family Family
	Budget int     // expansions a search; 0 is DefaultBudget
	Seeds  []int64 // an instance each, for the training and the held-out tasks
	Sealed []int64 // instances that are measured once, at the end of a run
}

// Validate reports everything that is wrong with the configuration.
func (c Config) Validate() error {
	var errs []error
	if err := c.Family.Validate(); err != nil {
		errs = append(errs, err)
	}
	if c.Budget < 0 || c.Budget > MaxBudget {
		errs = append(errs, fmt.Errorf("landscape: budget %d: want 1 to %d expansions, or 0 for %d", c.Budget, MaxBudget, DefaultBudget))
	}
	if len(c.Seeds) == 0 {
		errs = append(errs, errors.New("landscape: no seeds: a task is a seed"))
	}
	seen := make(map[int64]bool)
	for _, seeds := range [][]int64{c.Seeds, c.Sealed} {
		for _, seed := range seeds {
			if seed > MaxSeed || seed < -MaxSeed {
				errs = append(errs, errSeed(seed))
			}
			if seen[seed] {
				errs = append(errs, fmt.Errorf("landscape: seed %d twice: one instance cannot be two tasks", seed))
			}
			seen[seed] = true
		}
	}
	return errors.Join(errs...)
}

// Validate reports everything that is wrong with the family's numbers.
func (f Family) Validate() error {
	var errs []error
	check := func(ok bool, field string, value any, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("landscape: family %q: %s is %v, want %s", f.Name, field, value, want))
		}
	}
	check(f.Dim >= 1, "dim", f.Dim, "at least 1")
	check(f.Step >= 0 && f.Step <= maxLength, "step", f.Step, "0 to 1e6")
	check(f.DeadEnds >= 0 && f.DeadEnds <= 1, "dead ends", f.DeadEnds, "0 to 1")
	check(f.Ruggedness >= 0 && f.Ruggedness < 1, "ruggedness", f.Ruggedness, "0 to less than 1")
	check(math.Abs(f.Offset) <= maxLength, "offset", f.Offset, "-1e6 to 1e6")
	return errors.Join(errs...)
}

// maxLength keeps squares of distances finite.
const maxLength = 1e6

// Problem is the landscape as work for the engine: the candidate is a priority rule, a
// task is an instance, and the reward is the auc of the search that the rule drives. A value
// that is not finite does not fail the candidate, it loses and is counted in the metrics.
type Problem struct {
	config    Config
	signature *dsl.Signature
	searches  sync.Pool // of *search
}

var _ engine.Problem = (*Problem)(nil)

// search is the scratch space of one evaluation.
type search struct {
	searcher  *Searcher
	selection treesearch.PrioritySelection
}

// NewProblem returns the problem of a valid configuration.
func NewProblem(config Config) (*Problem, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if config.Budget == 0 {
		config.Budget = DefaultBudget
	}
	signature, err := treesearch.PrioritySignature()
	if err != nil {
		return nil, err
	}
	p := &Problem{config: config, signature: signature}
	p.searches.New = func() any { return &search{searcher: NewSearcher(config.Family)} }
	return p, nil
}

// Describe implements engine.Problem.
func (p *Problem) Describe() engine.Description {
	f := p.config.Family
	return engine.Description{
		Name: "landscape",
		Fingerprint: fmt.Sprintf("landscape/1 dim=%d step=%v dead_ends=%v ruggedness=%v offset=%v budget=%d",
			f.Dim, f.Step, f.DeadEnds, f.Ruggedness, f.Offset, p.config.Budget),
		Tasks:     tasks(p.config.Seeds),
		Sealed:    tasks(p.config.Sealed),
		Signature: p.signature,
		Initial:   treesearch.FlatPuctText(),
	}
}

func tasks(seeds []int64) []slots.Task {
	tasks := make([]slots.Task, len(seeds))
	for i, seed := range seeds {
		tasks[i] = slots.Task{ID: strconv.FormatInt(seed, 10)}
	}
	return tasks
}

// Evaluate implements engine.Problem. The instance is the task's, so seed changes nothing.
func (p *Problem) Evaluate(ctx context.Context, c *slots.Candidate, task slots.Task, seed uint64) (engine.Outcome, error) {
	if c.Program == nil {
		return engine.Outcome{}, errors.New("landscape: the candidate is not a compiled rule")
	}
	instance, err := strconv.ParseInt(task.ID, 10, 64)
	if err != nil {
		return engine.Outcome{}, fmt.Errorf("landscape: task %q is not the seed of an instance: %w", task.ID, err)
	}
	s := p.searches.Get().(*search)
	defer p.searches.Put(s)
	s.selection.Reset(c.Program)
	result, err := s.searcher.Search(ctx, instance, p.config.Budget, &s.selection)
	if err != nil {
		return engine.Outcome{}, err
	}
	return engine.Outcome{
		Reward: result.AUC,
		Metrics: map[string]float64{
			"auc":        result.AUC,
			"final":      result.Final,
			"dead":       float64(result.Dead),
			"not_finite": float64(s.selection.NonFinite()),
			"clamped":    float64(s.selection.Clamped()),
		},
	}, nil
}
