package catalog

import (
	"context"
	"fmt"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/problems/binpack"
)

// binPacking scores and evolves priorities of online bin packing.
func binPacking() Problem {
	return Problem{
		Name:    "binpack",
		Meaning: "online bin packing: the open bin with the highest priority takes the item",
		Settings: []Setting{
			{"family", "the generator of the instances: or, weibull or mixed", string(binpack.OR)},
			{"items", "items of an instance; of several sizes (120,250) seeds take one in turn", "500"},
			{"span", "the share of the lower bound that moves the reward from 1/2 to 0 or 1 (evolve)", fmt.Sprint(binpack.DefaultSpan)},
		},
		SeedMeaning:   "a generated instance",
		DefaultSeeds:  Range{0, 20},
		Data:          "instances as JSON or in OR-Library's text format",
		Signature:     func() (*dsl.Signature, error) { return declared("binpack.rule", binpack.SignatureText()) },
		SignatureName: "binpack.priority",
		Score:         scoreBinPacking,
		Build: func(s Settings, seeds, sealed Range) (engine.Problem, error) {
			r := &reader{settings: s}
			c := binpack.Config{
				Family: binpack.Family(r.word("family", "")), Items: r.wholes("items"), Span: r.number("span", 0),
				Seeds: seeds.Seeds(), Sealed: sealed.Seeds(),
			}
			if err := r.err(); err != nil {
				return nil, err
			}
			return binpack.NewProblem(c)
		},
	}
}

func scoreBinPacking(_ context.Context, q Request) ([]Value, error) {
	instances, err := packingInstances(q)
	if err != nil {
		return nil, err
	}
	s := binpack.Evaluate(instances, q.Program)
	return []Value{{"bins", s.Bins}, {"lower_bound", s.LowerBound}, {"excess", s.Excess}, {"instances", s.Instances}}, nil
}

func packingInstances(q Request) ([]binpack.Instance, error) {
	if q.Data != "" {
		return binpack.Load(q.Data)
	}
	r := &reader{settings: q.Settings}
	c := binpack.Config{Family: binpack.Family(r.word("family", "")), Items: r.wholes("items")}
	if err := r.err(); err != nil {
		return nil, err
	}
	var instances []binpack.Instance
	for _, seed := range q.Seeds.Seeds() {
		in, err := c.Generate(seed)
		if err != nil {
			return nil, err
		}
		instances = append(instances, in)
	}
	return instances, nil
}
