package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/budget"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/problems/command"
	"github.com/agentdescent/adrun/reflector/model"
	"github.com/agentdescent/adrun/slots"
)

// The defaults of a spec.
const (
	defaultSeeds  = "1:151"
	defaultTrials = 400
	defaultLanes  = 4 // the engine's
	defaultRounds = 10
)

// plan is a spec made ready to run.
type plan struct {
	spec     *spec.Spec
	name     string
	dir      string // of the spec, from which its files are named
	problem  catalog.Problem
	settings catalog.Settings
	sealed   *sealedWork    // nil when the spec seals nothing
	tasks    []command.Task // of an evaluator
	sig      *dsl.Signature // nil for a text
	start    string         // the text of the start rule, or the start text
	config   engine.Config
	meta     *meta.RunConfig // of kind policy_slot
	models   []asked
	replies  replies
	merger   *model.Merger // of contradicting values; nil without a model
	failures *failureLog
	closers  []io.Closer
}

// newPlan builds everything that a spec names. path is the spec's, for its default name and for the files that
// are relative to it.
func newPlan(s *spec.Spec, path string) (*plan, error) {
	p := blankPlan(s, path)
	return p, p.assemble()
}

// blankPlan is a plan of which nothing is built.
func blankPlan(s *spec.Spec, path string) *plan {
	p := &plan{spec: s, name: s.Name, dir: filepath.Dir(path), settings: specSettings(s), failures: new(failureLog)}
	if p.name == "" {
		p.name = baseName(path)
	}
	return p
}

func (p *plan) assemble() error {
	p.openReplies()
	s := p.spec
	if s.Kind == spec.KindPolicySlot {
		return p.openSlot()
	}
	err := p.open()
	if err != nil {
		return err
	}
	if s.Target != "" && s.Target != p.problem.SignatureName {
		return s.At("$.target", fmt.Errorf("%s evolves %s, not %s", p.problem.Name, p.problem.SignatureName, s.Target))
	}
	if p.sig, err = p.problem.Signature(); err != nil {
		return err
	}
	work, err := p.work()
	if err != nil {
		return err
	}
	p.start = s.Start
	if p.start == "" {
		p.start = work.Describe().Initial
	}
	p.config, err = p.engineConfig(work)
	return err
}

func (p *plan) engineConfig(work engine.Problem) (engine.Config, error) {
	artifact, err := p.artifact()
	if err != nil {
		return engine.Config{}, err
	}
	c, err := p.commonConfig()
	if err != nil {
		return engine.Config{}, err
	}
	c.Tasks.Problem, c.Artifacts = work, []engine.ArtifactConfig{artifact}
	return c, c.Validate()
}

// commonConfig is a run but for what evolves and on what.
func (p *plan) commonConfig() (engine.Config, error) {
	s := p.spec
	actor, err := p.actor()
	if err != nil {
		return engine.Config{}, err
	}
	policies, err := s.Policies.Build()
	if err != nil {
		return engine.Config{}, err
	}
	c := engine.Config{
		Seed:     *s.Evolve.Seed,
		Tasks:    engine.Tasks{HeldOut: s.Data.HeldOut},
		Actor:    actor,
		Policies: policies,
		Parallel: parallelOf(s.Evolve),
		Budget:   p.budget(),
		Gate:     engine.Gate{Merge: slots.MergeConfig{Alpha: s.Gate.Alpha, CheapTasks: s.Gate.CheapTasks}, MinGate: p.minGate()},
	}
	if c.Budget.MaxTime > 0 {
		c.Observe.Clock = func() time.Duration { return 0 } // a limit needs one; the driver's takes its place
	}
	return c, nil
}

// minGate is what the spec asks for, or else what the problem does.
func (p *plan) minGate() int {
	if n := p.spec.Gate.MinGate; n > 0 {
		return n
	}
	return p.problem.MinGate
}

// checkInputs refuses inputs that the signature does not have.
func (p *plan) checkInputs(names []string) error {
	for _, n := range names {
		if !slices.Contains(inputNames(p.sig), n) {
			err := fmt.Errorf("%s has no input %q: it has %s", p.sig.Name.Text, n, inputList(p.sig))
			return p.spec.At("$.propose.breeder.inputs", err)
		}
	}
	return nil
}

// parallelOf says how the lanes of a spec wait for each other.
func parallelOf(e spec.Evolve) engine.Parallel {
	p := engine.Parallel{Lanes: e.Lanes, Refresh: e.Refresh}
	if e.Order == spec.OrderWindow || e.Order == spec.OrderArrival {
		p.Async = engine.Async{On: true, Order: engine.Order(e.Order)}
	}
	return p
}

// budget takes the limits of the spec, with what its models need to keep to them.
func (p *plan) budget() engine.Budget {
	b := budgetOf(p.spec)
	b.Money, b.Reserve = p.priced(), p.reserve()
	return b
}

// budgetOf takes the limits of a spec. The governor comes with a cap: without one there is no fraction that
// it could go by.
func budgetOf(s *spec.Spec) engine.Budget {
	b := engine.Budget{
		Rounds: s.Evolve.Rounds, Target: s.Evolve.Target, Patience: s.Evolve.Patience,
		MaxTime: seconds(s.Budget.MaxSeconds), MaxRollouts: s.Budget.MaxRollouts,
		MaxCalls: s.Budget.MaxCalls, MaxTokens: s.Budget.MaxTokens, MaxCost: s.Budget.MaxCost,
	}
	var returns budget.Returns
	if r := s.Budget.Returns; r != nil {
		returns = budget.Returns{Rounds: r.Rounds, Gain: r.Gain}
	}
	if s.Budget.Capped() || returns.Rounds > 0 {
		b.Governor = budget.Governor{SoftFloor: s.Budget.SoftFloor, HardFloor: s.Budget.HardFloor, Returns: returns}
	}
	if s.Budget.Allocator == "value" {
		b.Allocator = &budget.ValueBudgetAllocator{}
	}
	return b
}

// checkData refuses files that are missing, or no data, before a run rather than after it.
func (p *plan) checkData(ctx context.Context, files []string) error {
	if len(files) > 0 && p.problem.Data == "" {
		return usagef("%s reads no data", p.problem.Name)
	}
	for _, f := range files {
		if _, err := os.Stat(f); err != nil {
			return fmt.Errorf("--data: %w", err)
		}
	}
	if len(files) == 0 || p.problem.Score == nil {
		return nil
	}
	start, err := p.compiled(p.start)
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, err := p.problem.Score(ctx, catalog.Request{Data: f, Program: start.program}); err != nil {
			return fmt.Errorf("--data: %w", err)
		}
	}
	return nil
}
