package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// namesSpec reports whether the argument of score is a spec rather than a problem.
func namesSpec(arg string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(arg))
}

// scoreSpec measures the start of a spec, or the rule or text of a file, on the tasks of the spec, one after another.
func (a *app) scoreSpec(ctx context.Context, path string, f scoreFlags) (err error) {
	if f.data != "" || f.seeds != "" || len(f.set) > 0 {
		return usagef("%s says what is scored: leave out --data, --seeds and --set", path)
	}
	s, _, err := a.loadSpec(path)
	if err != nil {
		return err
	}
	if s.Kind == spec.KindPolicySlot {
		return usagef("%s evolves a slot: 'adrun meta' measures those", path)
	}
	p, err := newPlan(s, path)
	if err != nil {
		return err
	}
	p.failures.to = a.stderr
	defer func() { err = errors.Join(err, p.close()) }()
	state := p.config.Artifacts[0].Initial
	if f.rule != "" {
		if state, err = a.stateOf(p, f); err != nil {
			return err
		}
	}
	c, err := p.ready(state)
	if err != nil {
		return err
	}
	t, err := scoreTasks(ctx, p.config.Tasks.Problem, c)
	if err != nil {
		return err
	}
	values := []catalog.Value{{Name: "reward", Value: t.sum / float64(t.tasks)}, {Name: "tasks", Value: t.tasks}, {Name: "failures", Value: t.failures}}
	if err := a.printValues(values, f.asJSON); err != nil {
		return err
	}
	if t.failures == t.tasks {
		return errors.New("every task failed: the reward says nothing about the candidate")
	}
	return nil
}

// stateOf is the state of the artifact that a file holds.
func (a *app) stateOf(p *plan, f scoreFlags) (slots.State, error) {
	name, text, err := a.readSource(f.rule)
	if err != nil {
		return nil, err
	}
	if p.sig == nil {
		return textState(textStrategy(p.spec.Strategy), text)
	}
	src, diags, err := check(name, text, p.sig.DeclName(), p.sig)
	if err != nil {
		return nil, err
	}
	a.printDiagnostics(text, diags)
	if diags.HasErrors() {
		return nil, errFindings
	}
	r, _, err := src.rule(f.name)
	if err != nil {
		return nil, err
	}
	return slots.State{slots.RuleKey: dsl.FormatRule(r)}, nil
}

// scoreTasks evaluates a candidate on the tasks that are not sealed.
func scoreTasks(ctx context.Context, work engine.Problem, c *slots.Candidate) (t scored, err error) {
	for _, task := range work.Describe().Tasks {
		o, err := work.Evaluate(ctx, c, task, 0)
		if err != nil {
			return t, fmt.Errorf("task %s: %w", task.ID, err)
		}
		t.tasks++
		t.sum += o.Reward
		if o.Failure != "" {
			t.failures++
		}
	}
	return t, nil
}

// scored is what tasks gave.
type scored struct {
	sum             float64 // of their rewards
	tasks, failures int
}
