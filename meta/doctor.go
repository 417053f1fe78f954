package meta

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agentdescent/adrun/internal/stats"
)

// Check is one thing that a problem must supply for an outer run on it to mean anything.
type Check struct {
	Problem string `json:"problem"`
	// Name is what is checked, OK the answer, Detail the numbers behind it.
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// DoctorConfig says what is examined.
type DoctorConfig struct {
	Spec     SlotSpec
	Problems []Problem
	Seeds    []int64
	Score    Score
	// Values are compared with the initial value beside the spec's family.
	Values  []Member
	Workers int
}

// Doctor runs the four checks that tell beforehand whether a problem can carry an outer run: the same value
// twice gives the same numbers; the seed moves the run; different values differ; there is headroom left.
func Doctor(ctx context.Context, c DoctorConfig) ([]Check, error) {
	if c.Spec == nil {
		return nil, errors.New("no slot spec: say which slot's values are examined")
	}
	if err := errors.Join(checkProblems("Problems", c.Spec, c.Problems), checkSeeds("Seeds", c.Seeds)); err != nil {
		return nil, err
	}
	var all []Check
	for _, p := range c.Problems {
		d := &doctor{
			name: p.Describe().Name, spec: c.Spec, values: c.Values,
			bench: bench{c.Spec, c.Score, pairsOf([]Problem{p}, c.Seeds), c.Workers},
		}
		if err := d.examine(ctx); err != nil {
			return all, err
		}
		all = append(all, d.checks...)
	}
	return all, nil
}

type doctor struct {
	name   string
	spec   SlotSpec
	values []Member
	bench  bench
	checks []Check
	first  []float64
}

func (d *doctor) examine(ctx context.Context) (err error) {
	if d.first, err = d.bench.rewards(ctx, d.spec.Initial()); err != nil {
		return err
	}
	for _, check := range []func(context.Context) error{d.repeats, d.seeds, d.differ, d.headroom} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *doctor) say(name string, ok bool, format string, args ...any) {
	d.checks = append(d.checks, Check{d.name, name, ok, fmt.Sprintf(format, args...)})
}

func (d *doctor) repeats(ctx context.Context) error {
	again, err := d.bench.rewards(ctx, d.spec.Initial())
	if err != nil {
		return err
	}
	differ := 0
	for i := range again {
		if again[i] != d.first[i] {
			differ++
		}
	}
	d.say("repeats", differ == 0, "the same value twice: %d of %d searches differ", differ, len(again))
	return nil
}

func (d *doctor) seeds(context.Context) error {
	distinct := slices.Compact(slices.Sorted(slices.Values(d.first)))
	detail := fmt.Sprintf("%d seeds give %d different rewards", len(d.first), len(distinct))
	if len(distinct) == 1 {
		detail += ": the seeds are one replicate; replicate across problems instead"
	}
	d.say("seed moves the run", len(distinct) > 1, "%s", detail)
	return nil
}

// differ looks for the value that differs most from the initial one beyond their noise, among the family and the
// values that the caller knows.
func (d *doctor) differ(ctx context.Context) error {
	members := append([]Member{{"the initial value", d.spec.Initial()}}, d.values...)
	if f, ok := d.spec.(Family); ok {
		members = append(members, f.Family()...)
	}
	if len(members) < 2 {
		d.say("values differ", false, "there is no second value to compare with: the spec knows no family, so name one")
		return nil
	}
	best, at, most := Paired{}, "", math.Inf(-1)
	for _, m := range members[1:] {
		rewards, err := d.bench.rewards(ctx, m.State)
		if err != nil {
			return err
		}
		p := Compare(d.first, rewards)
		if z := zOf(p); z > most {
			best, at, most = p, m.Name, z
		}
	}
	differs := best.Lo.Known && (best.Lo.Value > 0 || best.Hi.Value < 0)
	d.say("values differ", differs, "%s against the initial value: %+.4f, 95 %% interval %+.4f to %+.4f (n = %d)",
		at, best.Gain, best.Lo.Or(math.NaN()), best.Hi.Or(math.NaN()), best.N)
	return nil
}

// zOf is the size of a gain in its standard errors.
func zOf(p Paired) float64 {
	switch {
	case p.Gain == 0:
		return 0
	case p.SD == 0:
		return math.Inf(1)
	}
	return math.Abs(p.Gain) / p.SD * math.Sqrt(float64(p.N))
}

func (d *doctor) headroom(ctx context.Context) error {
	top, err := d.bench.oracle(ctx)
	if errors.Is(err, ErrNoOracle) {
		left := 1 - stats.Mean(d.first)
		d.say("headroom", left > 0.01, "no oracle; the initial value is at %.4f of 1", 1-left)
		return nil
	}
	if err != nil {
		return err
	}
	p := Compare(d.first, top)
	d.say("headroom", p.Lo.Or(p.Gain) > 0, "an oracle gains %+.4f above the initial value, 95 %% interval %+.4f to %+.4f (n = %d)",
		p.Gain, p.Lo.Or(math.NaN()), p.Hi.Or(math.NaN()), p.N)
	return nil
}
