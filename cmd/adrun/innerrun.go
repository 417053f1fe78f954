package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/slots"
)

// innerRun makes a run of the user's own an inner problem: the run of its spec from any seed.
func (p *plan) innerRun(name string) (meta.Problem, error) {
	path := p.file(p.spec.Data.Runs[name])
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := parseSpec(path, text)
	if err != nil {
		return nil, err
	}
	if err := checkInner(s); err != nil {
		return nil, err
	}
	identity, err := specIdentity(s)
	if err != nil {
		return nil, err
	}
	q := blankPlan(s, path)
	q.failures = p.failures
	err = q.assemble()
	p.closers = append(p.closers, q.closers...)
	if err != nil {
		return nil, err
	}
	work := q.config.Tasks.Problem.Describe()
	return &meta.Evolution{
		Name: name, Fingerprint: "run/1 spec=" + identity + " " + work.Fingerprint, Slots: slots.SlotNames(), Dear: work.Dear,
		Start: q.fromSeed,
	}, nil
}

// checkInner refuses runs that are not a function of spec and seed, or that cost money each time.
func checkInner(s *spec.Spec) error {
	var errs []error
	refuse := func(path, format string, args ...any) { errs = append(errs, s.At(path, fmt.Errorf(format, args...))) }
	if s.Kind == spec.KindPolicySlot {
		refuse("$.kind", "an inner run evolves a rule or a text, not a slot")
	}
	if s.Propose.Model != nil || s.Propose.Mix != nil {
		refuse("$.propose", "an inner run is made hundreds of times: it cannot ask models, only the breeder or a program")
	}
	if s.Evolve.Order == spec.OrderArrival {
		refuse("$.evolve.order", "an inner run has to repeat: order %s does not, %s does", spec.OrderArrival, spec.OrderWindow)
	}
	if s.Budget.MaxSeconds > 0 {
		refuse("$.budget.max_seconds", "an inner run has to repeat: limit its rollouts or cost, not its time")
	}
	return errors.Join(errs...)
}

// fromSeed is the run of the plan from another seed, with policies of its own. Its sealed tasks, if there are any,
// judge it.
func (p *plan) fromSeed(seed int64) (engine.Config, meta.Quality, error) {
	c := p.config
	c.Seed = uint64(seed)
	c.Artifacts = slices.Clone(c.Artifacts)
	c.Budget = p.budget()
	c.Parallel.Workers = 1 // the outer run makes several at once
	var err error
	if c.Policies, err = p.spec.Policies.Build(); err != nil {
		return c, nil, err
	}
	quality := meta.JudgeSealed(&c)
	return c, quality, nil
}
