package binpack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Config says which generated instances a [Problem] is made of. A task is a seed.
type Config struct {
	Family Family  // "" is OR
	Items  []int   // of an instance, each 1 to MaxItems: seed s has Items[s mod len(Items)]; nil is 500
	Seeds  []int64 // of the training and the held-out tasks; nil is 1 to 150
	Sealed []int64 // of the tasks that are measured once, at the end of a run
	Span   float64 // of the reward; 0 is DefaultSpan
}

// withDefaults returns the configuration with its zeros replaced.
func (c Config) withDefaults() Config {
	if c.Family == "" {
		c.Family = OR
	}
	if len(c.Items) == 0 {
		c.Items = []int{500}
	}
	if c.Seeds == nil {
		for seed := int64(1); seed <= 150; seed++ {
			c.Seeds = append(c.Seeds, seed)
		}
	}
	if c.Span == 0 {
		c.Span = DefaultSpan
	}
	return c
}

// Validate returns everything that is wrong with the configuration, joined.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if _, err := Generate(c.Family, 1, 0); err != nil {
		errs = append(errs, err)
	}
	for _, n := range c.Items {
		if n < 1 || n > MaxItems {
			errs = append(errs, fmt.Errorf("binpack: items is %d; expected 1 to %d", n, MaxItems))
		}
	}
	if len(c.Seeds) == 0 {
		errs = append(errs, errors.New("binpack: no seeds; expected one for each task"))
	}
	seen := map[int64]bool{}
	for _, seed := range slices.Concat(c.Seeds, c.Sealed) {
		if seen[seed] {
			errs = append(errs, fmt.Errorf("binpack: seed %d is given twice; one instance cannot be two tasks", seed))
		}
		seen[seed] = true
	}
	if !(c.Span > 0) || math.IsInf(c.Span, 0) {
		errs = append(errs, fmt.Errorf("binpack: span is %v; expected a positive share of the lower bound, such as %v", c.Span, DefaultSpan))
	}
	return errors.Join(errs...)
}

// Problem evolves priorities on generated instances.
type Problem struct {
	config    Config
	signature *dsl.Signature
	prepared  map[string]measured // by task; only read after NewProblem
	packers   sync.Pool           // of *pooled
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

// NewProblem generates the instances of a problem.
func NewProblem(c Config) (*Problem, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	sig, err := signature()
	if err != nil {
		return nil, err
	}
	p := &Problem{config: c.withDefaults(), signature: sig, prepared: map[string]measured{}}
	baseline := NewPacker(BestFit{})
	for _, seed := range slices.Concat(p.config.Seeds, p.config.Sealed) {
		task := taskOf(seed)
		if p.prepared[task.ID], err = p.prepare(task, baseline); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Generate returns the instance of a seed.
func (c Config) Generate(seed int64) (Instance, error) {
	c = c.withDefaults()
	return Generate(c.Family, c.itemsOf(seed), seed)
}

// itemsOf is the number of items of a seed's instance. Seeds in a row take the sizes in turn.
func (c Config) itemsOf(seed int64) int {
	n := int64(len(c.Items))
	return c.Items[((seed%n)+n)%n]
}

func taskOf(seed int64) slots.Task { return slots.Task{ID: strconv.FormatInt(seed, 10)} }

// prepare generates the instance of a task and measures the baseline on it.
func (p *Problem) prepare(task slots.Task, baseline *Packer) (measured, error) {
	seed, err := strconv.ParseInt(task.ID, 10, 64)
	if err != nil {
		return measured{}, fmt.Errorf("binpack: task %q is not the seed of an instance: %w", task.ID, err)
	}
	in, err := p.config.Generate(seed)
	if err != nil {
		return measured{}, err
	}
	return measured{in, baseline.Pack(in), in.LowerBound()}, nil
}

// Describe returns the tasks and the signature. Tasks with bins of one capacity are a cluster.
func (p *Problem) Describe() engine.Description {
	return engine.Description{
		Name:        "binpack",
		Fingerprint: fmt.Sprintf("binpack/1 family=%s items=%v span=%v", p.config.Family, p.config.Items, p.config.Span),
		Tasks:       p.tasks(p.config.Seeds),
		Sealed:      p.tasks(p.config.Sealed),
		Signature:   p.signature,
		Initial:     bestFitText,
	}
}

func (p *Problem) tasks(seeds []int64) []slots.Task {
	tasks := make([]slots.Task, len(seeds))
	for i, seed := range seeds {
		tasks[i] = taskOf(seed)
		tasks[i].Cluster = fmt.Sprintf("capacity %d", p.prepared[tasks[i].ID].Capacity)
	}
	return tasks
}

// Evaluate packs the task's instance with the candidate's rule. The metrics are bins, lower_bound, excess and unranked,
// the items that found no finite priority.
func (p *Problem) Evaluate(ctx context.Context, c *slots.Candidate, task slots.Task, _ uint64) (engine.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return engine.Outcome{}, err
	}
	if c.Program == nil {
		return engine.Outcome{}, fmt.Errorf("binpack: candidate %q is not a compiled rule", c.Identity)
	}
	in, ok := p.prepared[task.ID]
	if !ok { // a task that joined the run later
		var err error
		if in, err = p.prepare(task, NewPacker(BestFit{})); err != nil {
			return engine.Outcome{}, err
		}
	}
	packer := p.packer(c)
	bins, unranked := packer.Pack(in.Instance), packer.Unranked()
	p.packers.Put(packer)
	return engine.Outcome{
		Reward:   Reward(bins, in.baseline, in.lowerBound, p.config.Span),
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
	if sig, ok := dsl.First[*dsl.Signature](f); ok {
		return sig, nil
	}
	return nil, errors.New("binpack.rule declares no signature")
}
