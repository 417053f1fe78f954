package binpack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Config says which generated instances a [Problem] is made of. Every instance is one task.
type Config struct {
	Family Family  // "" is OR
	Items  int     // of an instance, 1 to MaxItems; 0 is 250
	Tasks  int     // instances to train on and to hold out; 0 is 150
	Sealed int     // further instances, measured once at the end; 0 is 50, −1 none
	Seed   uint64  // of the instances
	Span   float64 // of the reward; 0 is DefaultSpan
}

// withDefaults returns the configuration with its zeros replaced.
func (c Config) withDefaults() Config {
	if c.Family == "" {
		c.Family = OR
	}
	if c.Items == 0 {
		c.Items = 250
	}
	if c.Tasks == 0 {
		c.Tasks = 150
	}
	switch c.Sealed {
	case 0:
		c.Sealed = 50
	case -1:
		c.Sealed = 0
	}
	if c.Span == 0 {
		c.Span = DefaultSpan
	}
	return c
}

// maxTasks bounds the instances of a problem, which are all kept.
const maxTasks = 100_000

// Validate returns everything that is wrong with the configuration, joined.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if _, err := Generate(c.Family, 1, 0, 0); err != nil {
		errs = append(errs, err)
	}
	if c.Items < 1 || c.Items > MaxItems {
		errs = append(errs, fmt.Errorf("binpack: items is %d; expected 1 to %d", c.Items, MaxItems))
	}
	if c.Tasks < 1 || c.Tasks > maxTasks {
		errs = append(errs, fmt.Errorf("binpack: tasks is %d; expected 1 to %d", c.Tasks, maxTasks))
	}
	if c.Sealed < 0 || c.Sealed > maxTasks {
		errs = append(errs, fmt.Errorf("binpack: sealed is %d; expected −1 (none) to %d", c.Sealed, maxTasks))
	}
	if !(c.Span > 0) || math.IsInf(c.Span, 0) {
		errs = append(errs, fmt.Errorf("binpack: span is %v; expected a positive share of the lower bound, such as %v", c.Span, DefaultSpan))
	}
	return errors.Join(errs...)
}

// Problem evolves priorities on generated instances.
type Problem struct {
	description engine.Description
	span        float64
	instances   map[string]measured // by task
	packers     sync.Pool           // of *pooled
}

var _ engine.Problem = (*Problem)(nil)

// measured is an instance with what its reward needs.
type measured struct {
	Instance
	baseline, lowerBound int
}

// pooled is a packer between two evaluations, with the identity of the candidate it last served.
type pooled struct {
	*Packer
	identity string
}

// New generates the instances of a problem.
func New(c Config) (*Problem, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	sig, err := signature()
	if err != nil {
		return nil, err
	}
	p := &Problem{
		span:      c.Span,
		instances: make(map[string]measured, c.Tasks+c.Sealed),
		description: engine.Description{
			Name: "binpack",
			Fingerprint: fmt.Sprintf("binpack/1 family=%s items=%d tasks=%d sealed=%d seed=%d span=%v",
				c.Family, c.Items, c.Tasks, c.Sealed, c.Seed, c.Span),
			Signature: sig,
			Initial:   bestFitText,
		},
	}
	baseline := NewPacker(BestFit{})
	for i := range c.Tasks + c.Sealed {
		in, err := Generate(c.Family, c.Items, c.Seed, uint64(i))
		if err != nil {
			return nil, err
		}
		p.instances[in.ID] = measured{in, baseline.Pack(in), in.LowerBound()}
		task := slots.Task{ID: in.ID, Cluster: fmt.Sprintf("capacity %d", in.Capacity)}
		if i < c.Tasks {
			p.description.Tasks = append(p.description.Tasks, task)
		} else {
			p.description.Sealed = append(p.description.Sealed, task)
		}
	}
	return p, nil
}

// Describe returns the tasks and the signature.
func (p *Problem) Describe() engine.Description { return p.description }

// RewardText returns how bins become a reward, for people.
func (p *Problem) RewardText() string {
	return fmt.Sprintf("1/2 + (bins of %s − bins) / (2 · span), span = %g %% of the lower bound, within 0 and 1", Baseline, 100*p.span)
}

// Evaluate packs the task's instance with the candidate's rule. The metrics are bins, lower_bound, excess and unranked,
// the items that found no finite priority.
func (p *Problem) Evaluate(ctx context.Context, c *slots.Candidate, task slots.Task, _ uint64) (engine.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return engine.Outcome{}, err
	}
	in, ok := p.instances[task.ID]
	if !ok {
		return engine.Outcome{}, fmt.Errorf("binpack: no task %q among the %d of this problem; its settings differ from those that named the task", task.ID, len(p.instances))
	}
	if c.Program == nil {
		return engine.Outcome{}, fmt.Errorf("binpack: candidate %q is not a compiled rule", c.Identity)
	}
	packer := p.packer(c)
	bins, unranked := packer.Pack(in.Instance), packer.Unranked()
	p.packers.Put(packer)
	return engine.Outcome{
		Reward:   Reward(bins, in.baseline, in.lowerBound, p.span),
		Feedback: fmt.Sprintf("%d bins; %s %d, lower bound %d", bins, Baseline, in.baseline, in.lowerBound),
		Metrics: map[string]float64{
			"bins":        float64(bins),
			"lower_bound": float64(in.lowerBound),
			"excess":      float64(bins-in.lowerBound) / float64(in.lowerBound),
			"unranked":    float64(unranked),
		},
	}, nil
}

// packer returns a packer for the candidate: with luck, one that has its priorities tabulated from another task.
func (p *Problem) packer(c *slots.Candidate) *pooled {
	packer, ok := p.packers.Get().(*pooled)
	switch {
	case !ok:
		packer = &pooled{Packer: NewPacker(c.Program)}
	case c.Identity == "" || c.Identity != packer.identity:
		packer.Reset(c.Program)
	}
	packer.identity = c.Identity
	return packer
}

// signature parses the declaration.
func signature() (*dsl.Signature, error) {
	f, err := dsl.Parse("binpack.rule", signatureText)
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		if sig, ok := d.(*dsl.Signature); ok {
			return sig, nil
		}
	}
	return nil, errors.New("binpack.rule declares no signature")
}
