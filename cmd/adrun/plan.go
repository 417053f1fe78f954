package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/budget"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/slots"
)

// The defaults of a spec.
const (
	defaultSeeds  = "1:151"
	defaultTrials = 400
	defaultSolved = 0.999
)

// plan is a spec made ready to run.
type plan struct {
	spec     *spec.Spec
	name     string
	problem  catalog.Problem
	settings catalog.Settings
	sealed   catalog.Range // empty when the spec seals nothing
	sig      *dsl.Signature
	start    string // the text of the start rule
	config   engine.Config
}

// newPlan builds everything that a spec names. path is the spec's, for its default name.
func newPlan(s *spec.Spec, path string) (*plan, error) {
	p := &plan{spec: s, name: s.Name, settings: specSettings(s)}
	if p.name == "" {
		p.name = baseName(path)
	}
	var err error
	if p.problem, err = catalog.ByName(s.Data.Problem); err != nil {
		return nil, fmt.Errorf("%s: data.problem: %w", path, err)
	}
	if s.Target != "" && s.Target != p.problem.SignatureName {
		return nil, fmt.Errorf("%s: target: %s evolves %s, not %s", path, p.problem.Name, p.problem.SignatureName, s.Target)
	}
	if err := p.problem.CheckSettings(p.settings); err != nil {
		return nil, fmt.Errorf("%s: data.settings: %w", path, err)
	}
	if p.sig, err = p.problem.Signature(); err != nil {
		return nil, err
	}
	work, err := p.work(path)
	if err != nil {
		return nil, err
	}
	p.start = s.Start
	if p.start == "" {
		p.start = work.Describe().Initial
	}
	p.config, err = p.engineConfig(work)
	return p, err
}

// work builds the engine's problem from the seeds of the spec.
func (p *plan) work(path string) (engine.Problem, error) {
	text := p.spec.Data.Seeds
	if text == "" {
		text = defaultSeeds
	}
	seeds, err := catalog.ParseRange(text)
	if err != nil {
		return nil, fmt.Errorf("%s: data.seeds: %w", path, err)
	}
	if p.spec.Data.Sealed != "" {
		if p.sealed, err = catalog.ParseRange(p.spec.Data.Sealed); err != nil {
			return nil, fmt.Errorf("%s: data.sealed: %w", path, err)
		}
	}
	work, err := p.problem.Build(p.settings, seeds, p.sealed)
	if err != nil {
		return nil, fmt.Errorf("%s: data: %w", path, err)
	}
	return work, nil
}

func (p *plan) engineConfig(work engine.Problem) (engine.Config, error) {
	s := p.spec
	breeder, trials := reflector.Breeder{}, defaultTrials
	if b := s.Propose.Breeder; b != nil {
		if err := p.checkInputs(b.Inputs); err != nil {
			return engine.Config{}, err
		}
		breeder = reflector.Breeder{MaxOps: b.MaxOps, Random: b.Random, Inputs: b.Inputs}
		if b.Trials > 0 {
			trials = b.Trials
		}
	}
	gate, err := newRuleGate(p.sig, s.Gate)
	if err != nil {
		return engine.Config{}, err
	}
	if _, err := gate.Text(p.start); err != nil {
		return engine.Config{}, fmt.Errorf("start: %w", err)
	}
	policies, err := s.Policies.Build()
	if err != nil {
		return engine.Config{}, err
	}
	c := engine.Config{
		Seed:      *s.Evolve.Seed,
		Tasks:     engine.Tasks{Problem: work, HeldOut: s.Data.HeldOut},
		Artifacts: []engine.ArtifactConfig{{Strategy: engine.NewRules(gate), Initial: slots.State{slots.RuleKey: p.start}}},
		Actor:     engine.Actor{Proposer: breeder, Trials: trials, Solved: s.Evolve.Solved},
		Policies:  policies,
		Parallel:  engine.Parallel{Lanes: s.Evolve.Lanes},
		Budget:    budgetOf(s),
		Gate:      engine.Gate{Merge: slots.MergeConfig{Alpha: s.Gate.Alpha, CheapTasks: s.Gate.CheapTasks}, MinGate: s.Gate.MinGate},
	}
	return c, c.Validate()
}

// checkInputs refuses inputs that the signature does not have.
func (p *plan) checkInputs(names []string) error {
	for _, n := range names {
		if !slices.Contains(inputNames(p.sig), n) {
			return fmt.Errorf("propose.breeder.inputs: %s has no input %q: it has %s", p.sig.Name.Text, n, inputList(p.sig))
		}
	}
	return nil
}

// budgetOf takes the limits of a spec. The governor comes with a cap: without one there is no fraction that
// it could go by.
func budgetOf(s *spec.Spec) engine.Budget {
	b := engine.Budget{
		Rounds: s.Evolve.Rounds, Target: s.Evolve.Target, Patience: s.Evolve.Patience,
		MaxTime: seconds(s.Budget.MaxSeconds), MaxRollouts: s.Budget.MaxRollouts,
		MaxTokens: s.Budget.MaxTokens, MaxCost: s.Budget.MaxCost,
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

// checkData refuses missing files before a run rather than after it.
func (p *plan) checkData(files []string) error {
	if len(files) > 0 && p.problem.Data == "" {
		return usagef("%s reads no data", p.problem.Name)
	}
	for _, f := range files {
		if _, err := os.Stat(f); err != nil {
			return fmt.Errorf("--data: %w", err)
		}
	}
	return nil
}
