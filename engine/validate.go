package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentdescent/adrun/slots"
)

// ConfigError lists everything that is wrong with a Config.
type ConfigError struct {
	Problems []string
}

func (e *ConfigError) Error() string {
	return "the run cannot start: " + strings.Join(e.Problems, "; ")
}

// Validate reports everything that keeps the run from starting, as a *ConfigError.
func (c Config) Validate() error {
	v := &ConfigError{}
	if c.Tasks.Problem == nil {
		v.add("Tasks.Problem is not set")
	}
	if c.Actor.Proposer == nil && c.Policies.Proposal == nil {
		v.add("Actor.Proposer is not set and no Policies.Proposal replaces it")
	}
	v.ranges(c)
	v.budget(c)
	v.artifacts(c)
	v.policies(c)
	if c.Tasks.Problem != nil {
		v.tasks(c)
	}
	if len(v.Problems) > 0 {
		return v
	}
	return nil
}

func (e *ConfigError) add(format string, args ...any) {
	e.Problems = append(e.Problems, fmt.Sprintf(format, args...))
}

func (e *ConfigError) ranges(c Config) {
	if f := c.Tasks.HeldOut; f < 0 || f >= 1 {
		e.add("Tasks.HeldOut is %v, not in (0, 1)", f)
	}
	for _, n := range []struct {
		name  string
		value int
	}{
		{"Parallel.Lanes", c.Parallel.Lanes}, {"Parallel.Workers", c.Parallel.Workers},
		{"Parallel.Refresh", c.Parallel.Refresh}, {"Parallel.Async.Ratio", c.Parallel.Async.Ratio},
		{"Parallel.Async.MergeAt", c.Parallel.Async.MergeAt}, {"Parallel.Async.MergeWait", c.Parallel.Async.MergeWait},
		{"Actor.Trials", c.Actor.Trials}, {"Actor.Elites", c.Actor.Elites}, {"Gate.Retries", c.Gate.Retries},
		{"Budget.Rounds", c.Budget.Rounds}, {"Budget.Patience", c.Budget.Patience},
		{"Budget.MaxRollouts", c.Budget.MaxRollouts}, {"Budget.MaxCalls", c.Budget.MaxCalls},
		{"Budget.MaxTokens", c.Budget.MaxTokens},
	} {
		if n.value < 0 {
			e.add("%s is %d, below 0", n.name, n.value)
		}
	}
	switch c.Parallel.Async.Order {
	case "", Window, Arrival:
	default:
		e.add("Parallel.Async.Order is %q, not %q or %q", c.Parallel.Async.Order, Window, Arrival)
	}
}

func (e *ConfigError) budget(c Config) {
	if c.Budget.MaxTime > 0 && c.Observe.Clock == nil {
		e.add("Budget.MaxTime needs Observe.Clock")
	}
	if c.Budget.MaxTime < 0 || c.Budget.MaxCost < 0 {
		e.add("Budget.MaxTime and Budget.MaxCost may not be negative")
	}
	capped := c.Budget.MaxRollouts > 0 || c.Budget.MaxCalls > 0 || c.Budget.MaxTokens > 0 || c.Budget.MaxCost > 0
	if c.Budget.Allocator != nil && !capped {
		e.add("Budget.Allocator without a cap (MaxTokens, MaxCost, MaxRollouts or MaxCalls) would never act")
	}
}

func (e *ConfigError) artifacts(c Config) {
	seen := map[string]bool{}
	for i, a := range c.Artifacts {
		name := a.ID
		if name == "" {
			name = fmt.Sprintf("#%d", i)
			if len(c.Artifacts) > 1 {
				e.add("Artifacts[%d].ID is not set", i)
			}
		}
		if seen[a.ID] && a.ID != "" {
			e.add("two artifacts are called %q", a.ID)
		}
		seen[a.ID] = true
		if slices.Contains(slots.FrozenIDs(), a.ID) {
			e.add("artifact %q is frozen (governance layer L0): no run may evolve it", a.ID)
		}
		if a.BlastRadius < 0 || a.BlastRadius > 1 {
			e.add("artifact %s has blast radius %v, not in (0, 1]", name, a.BlastRadius)
		}
		if a.Trust < 0 || a.Trust > 1 {
			e.add("artifact %s has trust %v, not in [0, 1]", name, a.Trust)
		}
		if a.Prior.A < 0 || a.Prior.B < 0 {
			e.add("artifact %s has prior Beta(%v, %v)", name, a.Prior.A, a.Prior.B)
		}
	}
}

// dear says what the first round costs.
func dear(c Config, least slots.Spend, takes string) string {
	if c.Budget.Money {
		return fmt.Sprintf("one round of %d lanes may cost %g", c.Parallel.Lanes, least.Cost)
	}
	return takes + ", each of an operator or more"
}

// policies refuses combinations in which a policy would be installed and never consulted.
func (e *ConfigError) policies(c Config) {
	p := c.Policies
	e.Problems = append(e.Problems, p.Problems()...)
	if c.Gate.Aggregator != nil {
		if p.Selection != nil && keepsPopulation(p.Selection) {
			e.add("Policies.Selection and Gate.Aggregator: one of them selects, remove the other")
		}
		var ignored []string
		for _, f := range []struct {
			name string
			set  bool
		}{
			{"Staleness", p.Staleness != nil}, {"Conflict", p.Conflict != nil}, {"Fusion", p.Fusion != nil},
			{"Acceptance", p.Acceptance != nil}, {"Promotion", p.Promotion != nil},
		} {
			if f.set {
				ignored = append(ignored, "Policies."+f.name)
			}
		}
		if len(ignored) > 0 {
			e.add("Gate.Aggregator replaces the merge, so %s would not be consulted: pass them to the aggregator's constructor",
				strings.Join(ignored, ", "))
		}
	}
	if c.Parallel.Async.On {
		if c.Parallel.Executor != nil {
			e.add("Parallel.Executor: the barrier-free mode has no seam for it")
		}
		if c.Parallel.Refresh > 1 {
			e.add("Parallel.Refresh: lanes of the barrier-free mode look at every lease")
		}
	}
}

// tasks checks what the problem offers.
func (e *ConfigError) tasks(c Config) {
	d := c.Tasks.Problem.Describe()
	ids := map[string]bool{}
	for _, t := range append(slices.Clone(d.Tasks), d.Sealed...) {
		if t.ID == "" {
			e.add("problem %q has a task without an id", d.Name)
		} else if ids[t.ID] {
			e.add("problem %q has two tasks %q", d.Name, t.ID)
		}
		ids[t.ID] = true
	}
	f := c.Tasks.HeldOut
	def(&f, 0.4)
	s := SplitTasks(d.Tasks, f)
	if len(s.Train) == 0 || len(s.HeldOut) == 0 {
		e.add("problem %q has %d tasks: at least one must train and one be held out", d.Name, len(d.Tasks))
	}
	def(&c.Parallel.Lanes, 4)
	least := firstRound(c, s)
	takes := fmt.Sprintf("one round with one proposal and its measurement takes at least %d (%d lanes, and %d held-out tasks before and after)",
		least.Rollouts, c.Parallel.Lanes, len(s.HeldOut))
	if most := c.Budget.MaxRollouts; most > 0 && most < least.Rollouts {
		e.add("Budget.MaxRollouts is %d; %s", most, takes)
	}
	if most := c.Budget.MaxCost; most > 0 && most < least.Cost {
		e.add("Budget.MaxCost is %g; %s", most, dear(c, least, takes))
	}
	if most := c.Budget.MaxTokens; most > 0 && most < least.Tokens {
		e.add("Budget.MaxTokens is %d; one round of %d lanes may ask for %d", most, c.Parallel.Lanes, least.Tokens)
	}
	if most := c.Budget.MaxCalls; most > 0 && most < least.Calls {
		e.add("Budget.MaxCalls is %d; one round of %d lanes makes %d", most, c.Parallel.Lanes, least.Calls)
	}
}
