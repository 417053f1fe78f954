package meta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/slots"
)

// pair is one outer task: an inner problem and a seed.
type pair struct {
	problem Problem
	name    string
	seed    int64
}

func (p pair) id() string { return p.name + "/" + strconv.FormatInt(p.seed, 10) }

// pairsOf lists problem × seed, seed-major, so that every problem lands on both sides of a split by position.
func pairsOf(problems []Problem, seeds []int64) []pair {
	var all []pair
	for _, seed := range seeds {
		for _, p := range problems {
			all = append(all, pair{p, p.Describe().Name, seed})
		}
	}
	return all
}

// outer is the work of an outer run: a task is a pair, the candidate a slot's value.
type outer struct {
	spec    SlotSpec
	score   Score
	pairs   []pair
	byID    map[string]pair
	explain bool
}

func newOuter(c Config) *outer {
	o := &outer{spec: c.Spec, score: c.Score, explain: c.Explain, pairs: pairsOf(c.Problems, c.Seeds), byID: map[string]pair{}}
	for _, p := range o.pairs {
		o.byID[p.id()] = p
	}
	return o
}

// Describe implements engine.Problem.
func (o *outer) Describe() engine.Description {
	d := engine.Description{Name: "meta." + o.spec.Slot(), Initial: o.spec.Render(o.spec.Initial())}
	prints := []string{"meta/1", o.spec.Fingerprint(), "score " + o.score.String()}
	seen := map[string]bool{}
	for _, p := range o.pairs {
		inner := p.problem.Describe()
		d.Dear = d.Dear || inner.Dear
		if !seen[p.name] {
			prints = append(prints, p.name+" = "+inner.Fingerprint)
		}
		seen[p.name] = true
		d.Tasks = append(d.Tasks, slots.Task{ID: p.id(), Cluster: p.name})
	}
	d.Fingerprint = strings.Join(prints, "; ")
	if t, ok := o.spec.(Typed); ok {
		d.Signature = t.Signature()
	}
	return d
}

// Evaluate runs the inner search of a pair. The task's own seed drives it, so the engine's changes nothing.
func (o *outer) Evaluate(ctx context.Context, c *slots.Candidate, task slots.Task, _ uint64) (slots.Outcome, error) {
	p, ok := o.byID[task.ID]
	if !ok {
		return slots.Outcome{}, fmt.Errorf("meta: there is no pair %q", task.ID)
	}
	v, err := o.spec.Compile(c)
	if err != nil {
		return slots.Outcome{}, fmt.Errorf("meta: installing the value: %w", err)
	}
	inner, err := p.problem.Run(ctx, v, p.seed)
	if err != nil {
		return slots.Outcome{}, err
	}
	return o.outcome(inner)
}

// outcome scores an inner outcome.
func (o *outer) outcome(inner Outcome) (slots.Outcome, error) {
	out := slots.Outcome{Failure: inner.Detail.Error}
	if out.Failure == "" {
		reward, err := o.score.Of(inner)
		if err != nil {
			out.Failure = err.Error()
		}
		out.Reward = reward
	}
	if o.explain {
		text, err := json.Marshal(inner)
		if err != nil {
			return out, fmt.Errorf("meta: writing an outcome: %w", err)
		}
		out.Output = string(text[:min(len(text), feedbackBytes)])
		out.Metrics = map[string]float64{"auc": auc(inner), "final": inner.Final, "rollouts": float64(inner.Rollouts)}
	}
	return out, nil
}

// feedbackBytes bounds the JSON of an outcome that a proposer is shown.
const feedbackBytes = 2000

// Config is an outer run. Spec, Problems, Seeds and Outer.Actor.Proposer must be set.
type Config struct {
	Spec SlotSpec
	// Problems and Seeds make the outer tasks: each problem on each seed.
	Problems []Problem
	Seeds    []int64
	Score    Score
	// Merge merges contradicting proposals into one, which competes with each of them. Without one, rules and
	// policies are merged as trees, and of other values the better of two survives. Conflict and fusion
	// policies of Outer come before it.
	Merge slots.Completion
	// Explain keeps each inner outcome as JSON, for a proposer that reads it.
	Explain bool
	// Outer is the rest of the run. Tasks.Problem and Artifacts are filled in; an Actor.Solved of 0 becomes
	// 1.1, so that every rollout proposes, and proposals are not verified on their own task.
	Outer engine.Config
}

// BlastRadius of a slot's value: it changes how everything downstream is searched, so it is governed at layer
// L1 and every merge is audited.
const BlastRadius = 0.6

// Engine is the outer run as the engine takes it. The error lists everything that is wrong with the
// configuration, the engine's own complaints included.
func (c Config) Engine() (engine.Config, error) {
	if err := c.check(); err != nil {
		return engine.Config{}, err
	}
	e := c.Outer
	e.Tasks.Problem = newOuter(c)
	if len(e.Artifacts) == 0 {
		e.Artifacts = []engine.ArtifactConfig{{}}
	}
	a := &e.Artifacts[0]
	a.ID, a.Strategy = c.Spec.Slot(), c.Spec
	if a.Initial == nil {
		a.Initial = c.Spec.Initial()
	}
	if a.BlastRadius == 0 {
		a.BlastRadius = BlastRadius
	}
	if e.Actor.Solved == 0 {
		e.Actor.Solved = 1.1
	}
	e.Actor.NoVerify = true
	if c.Merge == nil {
		c.Merge = offlineMerge(c.Spec)
	}
	if c.Merge != nil && e.Policies.Conflict == nil && e.Policies.Fusion == nil {
		pair := slots.ReflectiveMerge(c.Merge)
		e.Policies.Conflict, e.Policies.Fusion = pair.Conflict, pair.Fusion
	}
	if _, err := ready(c.Spec, a.Initial); err != nil {
		return e, fmt.Errorf("the value to start from: %w", err)
	}
	return e, e.Validate()
}

func (c Config) check() error {
	if c.Spec == nil {
		return errors.New("no slot spec: say which slot's value evolves")
	}
	errs := []error{CheckSlot(c.Spec.Slot()), checkProblems("Problems", c.Spec, c.Problems), checkSeeds("Seeds", c.Seeds)}
	return errors.Join(errs...)
}

func checkProblems(field string, spec SlotSpec, problems []Problem) error {
	var errs []error
	slot, ranksOnly := spec.Slot(), ranksOnly(spec)
	if len(problems) == 0 {
		errs = append(errs, fmt.Errorf("%s: no inner problem", field))
	}
	seen := map[string]bool{}
	for _, p := range problems {
		d := p.Describe()
		if d.Name == "" || strings.Contains(d.Name, "/") {
			errs = append(errs, fmt.Errorf("%s: a problem is called %q: a name is not empty and has no slash", field, d.Name))
		}
		if seen[d.Name] {
			errs = append(errs, fmt.Errorf("%s: two problems are called %q", field, d.Name))
		}
		seen[d.Name] = true
		if len(d.Slots) > 0 && !slices.Contains(d.Slots, slot) {
			errs = append(errs, fmt.Errorf("%s: %s is decided by %s, not by %s", field, d.Name, strings.Join(d.Slots, ", "), slot))
		}
		if _, run := p.(*Evolution); run && ranksOnly {
			errs = append(errs, fmt.Errorf("%s: a rule of a tree search decides nothing in the run %s: start from a policy of slot %s", field, d.Name, slot))
		}
	}
	return errors.Join(errs...)
}

// ranksOnly reports whether the values of a spec drive tree searches and nothing else. What is wrong with the initial
// value is said elsewhere.
func ranksOnly(spec SlotSpec) bool {
	c, err := ready(spec, spec.Initial())
	if err != nil {
		return false
	}
	v, err := spec.Compile(c)
	return err == nil && v.Policies == nil
}

func checkSeeds(field string, seeds []int64) error {
	if len(seeds) == 0 {
		return fmt.Errorf("%s: no seeds: an outer task is a problem and a seed", field)
	}
	sorted := slices.Sorted(slices.Values(seeds))
	for i, s := range sorted[1:] {
		if s == sorted[i] {
			return fmt.Errorf("%s: seed %d twice: one search cannot be two tasks", field, s)
		}
	}
	return nil
}

// Evolve evolves a slot's value. Of the result, the rendering of dev is the value's text.
func Evolve(ctx context.Context, c Config) (*engine.Result, error) {
	e, err := c.Engine()
	if err != nil {
		return nil, err
	}
	return engine.Run(ctx, e)
}

// drawSeed is the seed of proposal i of a control.
func drawSeed(seed uint64, i int) uint64 { return derive.Seed(seed, "control", uint64(i)) }
