package main

import (
	"fmt"
	"strings"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/reflector/model"
	"github.com/agentdescent/adrun/slots"
)

// metaSeeds is the default of data.seeds for kind policy_slot.
const metaSeeds = "1:201"

// openSlot builds everything that a spec of kind policy_slot names.
func (p *plan) openSlot() error {
	s := p.spec
	p.problem = catalog.Problem{
		Name:    "meta." + s.Target,
		Meaning: fmt.Sprintf("the value of slot %s, a task being a whole search of %s", s.Target, strings.Join(s.Data.Problems, ", ")),
	}
	for _, name := range s.Data.Problems {
		if in, err := catalog.InnerByName(name); err == nil { // a run of the spec's has none, and metaConfig says what is wrong with a name
			p.problem.MinGate = max(p.problem.MinGate, in.MinGate)
		}
	}
	var err error
	if p.meta, err = p.metaConfig(); err != nil {
		return err
	}
	if t, ok := p.meta.Spec.(meta.Typed); ok {
		p.sig = t.Signature()
	}
	if p.meta.Outer, err = p.commonConfig(); err != nil {
		return err
	}
	if p.meta.Draw == nil {
		if _, err := p.offline(reflector.Breeder{}); err != nil {
			return err
		}
	}
	p.mergeByModel()
	if len(p.meta.Validation) > 0 {
		p.config, err = p.meta.Engine()
	} else {
		p.config, err = p.meta.Config.Engine()
	}
	if err != nil {
		return s.At("$.data", err)
	}
	p.config.Tasks.Problem = p.judgedByOwn(p.config.Tasks.Problem)
	p.start = p.meta.Spec.Render(p.config.Artifacts[0].Initial)
	return nil
}

// judgedByOwn adds the user's own runs that judge the value at the end to what the outer run is.
func (p *plan) judgedByOwn(work engine.Problem) engine.Problem {
	prints := ""
	for _, inner := range p.meta.Validation {
		if d := inner.Describe(); p.spec.Data.Runs[d.Name] != "" {
			prints += "; validation " + d.Name + " = " + d.Fingerprint
		}
	}
	return identified{work, prints}
}

// identified is work with more to its identity.
type identified struct {
	engine.Problem
	more string
}

// Describe describes the work.
func (p identified) Describe() engine.Description {
	d := p.Problem.Describe()
	d.Fingerprint += p.more
	return d
}

// offline is the offline proposer of the slot's values. What it draws untried is a control of the report, with a
// model too.
func (p *plan) offline(b reflector.Breeder) (slots.Proposer, error) {
	proposer, draw, err := meta.Offline(p.meta.Spec, b)
	p.meta.Draw = draw
	return proposer, err
}

// mergeByModel has contradicting values merged by the first model of the plan, and shows models the inner outcomes.
func (p *plan) mergeByModel() {
	if len(p.models) == 0 {
		return
	}
	p.meta.Explain = true
	if p.spec.Policies.Conflict != "" || p.spec.Policies.Fusion != "" {
		return
	}
	p.merger = &model.Merger{Proposer: p.models[0].proposer, Signature: p.sig}
	p.meta.Merge = meta.MergeParams(p.merger.Merge)
	p.meta.Outer.Budget = p.budget()
}

// describePolicy says what a policy of the slot is.
func (p *plan) describePolicy(v *value) error {
	g, err := slots.NewGate(p.spec.Target, gate.PolicyConfig{GridPoints: p.spec.Gate.Grid, Constraints: v.constraints})
	if err != nil {
		return err
	}
	v.gate = policyGate{g}
	v.description = p.meta.Spec.Describe() + "\n" + model.PolicyLanguage(dsl.Limits{}, v.constraints)
	return nil
}

// metaConfig is what a spec of kind policy_slot says about slot, problems and seeds.
func (p *plan) metaConfig() (*meta.RunConfig, error) {
	s := p.spec
	c := &meta.RunConfig{MinGain: s.Gate.MinGain, TransferFloor: s.Gate.TransferFloor}
	var err error
	if c.Spec, err = slotSpec(s); err != nil {
		return nil, err
	}
	if c.Score, err = meta.ParseScore(s.Score); err != nil {
		return nil, s.At("$.score", err)
	}
	if c.Problems, err = p.innerProblems(s.Data.Problems); err != nil {
		return nil, s.At("$.data.problems", err)
	}
	if c.Validation, err = p.innerProblems(s.Data.ValProblems); err != nil {
		return nil, s.At("$.data.val_problems", err)
	}
	if c.Seeds, err = seedsOf(s.Data.Seeds, metaSeeds); err != nil {
		return nil, s.At("$.data.seeds", err)
	}
	if c.ValidationSeeds, err = seedsOf(s.Data.ValSeeds, ""); err != nil {
		return nil, s.At("$.data.val_seeds", err)
	}
	return c, nil
}

// slotSpec is the spec of the slot's values.
func slotSpec(s *spec.Spec) (meta.SlotSpec, error) {
	if err := meta.CheckSlot(s.Target); err != nil {
		return nil, s.At("$.target", err)
	}
	var constraints []string
	if s.Gate.Constraints != "" {
		constraints = []string{s.Gate.Constraints}
	}
	tree, err := treeSearches(s)
	if err != nil {
		return nil, err
	}
	var values meta.SlotSpec
	if tree && !strings.Contains(s.Start, "policy") {
		values, err = meta.NewPriority(meta.RuleConfig{Initial: s.Start, Gate: gate.Config{GridPoints: s.Gate.Grid, Constraints: constraints}})
	} else {
		values, err = meta.NewPolicy(meta.PolicyConfig{
			Slot: s.Target, Initial: s.Start, Gate: gate.PolicyConfig{GridPoints: s.Gate.Grid, Constraints: constraints},
		})
	}
	if err != nil { // of what the gate is made of, only the constraints are the spec's
		return nil, s.At("$.gate.constraints", err)
	}
	if _, err := values.Ready(s.Target, values.Initial()); err != nil {
		at := "$.start"
		if s.Start == "" { // the engine's own: the spec asks for something else
			at = "$.gate"
		}
		return nil, s.At(at, fmt.Errorf("the value to start from: a value of slot %s is refused by its own gate: %w", s.Target, err))
	}
	return values, nil
}

// treeSearches reports whether the inner problems are searches that a rule of selection.priority drives. Those
// that are trained on decide; a policy with the hook priority drives both kinds.
func treeSearches(s *spec.Spec) (bool, error) {
	for _, name := range s.Data.Problems {
		if s.Data.Runs[name] != "" {
			continue
		}
		in, err := catalog.InnerByName(name)
		if err != nil {
			return false, s.At("$.data.problems", err)
		}
		if in.Tree {
			return true, nil
		}
	}
	return false, nil
}

// innerProblems finds inner problems by name: runs that the spec lists, and those that come with adrun.
func (p *plan) innerProblems(names []string) ([]meta.Problem, error) {
	var all []meta.Problem
	for _, name := range names {
		build := p.builtIn
		if p.spec.Data.Runs[name] != "" {
			build = p.innerRun
		}
		inner, err := build(name)
		if err != nil {
			return nil, err
		}
		all = append(all, inner)
	}
	return all, nil
}

func (p *plan) builtIn(name string) (meta.Problem, error) {
	in, err := catalog.InnerByName(name)
	if err != nil {
		return nil, err
	}
	if err := in.CheckSettings(p.settings); err != nil {
		return nil, err
	}
	return in.Build(p.settings)
}

func seedsOf(text, otherwise string) ([]int64, error) {
	if text == "" {
		text = otherwise
	}
	if text == "" {
		return nil, nil
	}
	r, err := catalog.ParseRange(text)
	return r.Seeds(), err
}
