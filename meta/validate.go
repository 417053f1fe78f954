package meta

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/slots"
)

// Paired compares two values on the same pairs of problem and seed.
type Paired struct {
	N      int     `json:"n"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	// Gain is the mean difference, SD that of the differences (n − 1), Lo and Hi its 95 % interval by
	// Student's t, P the one-sided p-value of the paired t test; absent for fewer than two pairs, P also
	// when the differences do not vary.
	Gain float64     `json:"gain"`
	SD   float64     `json:"sd"`
	Lo   slots.Maybe `json:"lo"`
	Hi   slots.Maybe `json:"hi"`
	P    slots.Maybe `json:"p"`
	// Wins and Losses leave out ties. SignP is the exact one-sided sign test of wins against losses.
	Wins   int     `json:"wins"`
	Losses int     `json:"losses"`
	SignP  float64 `json:"sign_p"`
}

// Compare makes the statistics of rewards that belong together by index.
func Compare(before, after []float64) Paired {
	var d, b, a stats.Moments
	for i := range before {
		b.Add(before[i])
		a.Add(after[i])
		d.Add(after[i] - before[i])
	}
	p := Paired{N: d.N, Before: b.Mean, After: a.Mean, Gain: d.Mean, SD: d.SampleSD()}
	p.Wins, p.Losses = stats.Signs(before, after)
	p.SignP = stats.SignTest(p.Wins, p.Losses)
	if d.N < 2 {
		return p
	}
	df, err := float64(d.N-1), p.SD/math.Sqrt(float64(d.N))
	half := float64(stats.StudentQuantile(0.025, df) * err)
	p.Lo, p.Hi = slots.Known(p.Gain-half), slots.Known(p.Gain+half)
	if err > 0 {
		p.P = slots.Known(stats.StudentUpper(p.Gain/err, df))
	}
	return p
}

// Comparison is Paired over all pairs and for each problem.
type Comparison struct {
	Paired
	Problems []ProblemComparison `json:"problems"`
}

// ProblemComparison is Paired on one problem.
type ProblemComparison struct {
	Problem string `json:"problem"`
	Paired
}

// bench measures values on pairs and remembers what it measured.
type bench struct {
	spec    SlotSpec
	score   Score
	pairs   []pair
	workers int
}

// rewards runs the inner search of every pair with a value, in the order of the pairs. A search that the
// value makes fail is worth 0.
func (b *bench) rewards(ctx context.Context, state slots.State) ([]float64, error) {
	c, err := ready(b.spec, state)
	if err != nil {
		return nil, err
	}
	return b.each(ctx, func(ctx context.Context, p pair) (Outcome, error) {
		v, err := b.spec.Compile(c)
		if err != nil {
			return Outcome{}, err
		}
		return p.problem.Run(ctx, v, p.seed)
	})
}

// oracle runs what the problems know no rule can reach; ErrNoOracle when one of them does not know.
func (b *bench) oracle(ctx context.Context) ([]float64, error) {
	return b.each(ctx, func(ctx context.Context, p pair) (Outcome, error) {
		o, ok := p.problem.(Bounded)
		if !ok {
			return Outcome{}, ErrNoOracle
		}
		return o.Oracle(ctx, p.seed)
	})
}

func (b *bench) each(ctx context.Context, run func(context.Context, pair) (Outcome, error)) ([]float64, error) {
	rewards := make([]float64, len(b.pairs))
	g, ctx := errgroup.WithContext(ctx)
	workers := b.workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g.SetLimit(workers)
	for i, p := range b.pairs {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			o, err := run(ctx, p)
			if err != nil {
				return fmt.Errorf("%s: %w", p.id(), err)
			}
			rewards[i] = b.reward(o)
			return nil
		})
	}
	return rewards, g.Wait()
}

// reward is the score of an outcome, 0 when the search failed or the score is none in [0, 1].
func (b *bench) reward(o Outcome) float64 {
	r, err := b.score.Of(o)
	if err != nil || o.Detail.Error != "" || !(r >= 0 && r <= 1) {
		return 0
	}
	return r
}

// compare makes the statistics of two values' rewards, over all pairs and a problem.
func (b *bench) compare(before, after []float64) Comparison {
	c := Comparison{Paired: Compare(before, after)}
	at := map[string][]int{}
	var names []string
	for i, p := range b.pairs {
		if at[p.name] == nil {
			names = append(names, p.name)
		}
		at[p.name] = append(at[p.name], i)
	}
	for _, name := range names {
		c.Problems = append(c.Problems, ProblemComparison{name, Compare(pick(before, at[name]), pick(after, at[name]))})
	}
	return c
}

func pick(xs []float64, at []int) []float64 {
	out := make([]float64, len(at))
	for k, i := range at {
		out[k] = xs[i]
	}
	return out
}

// ValidateConfig says which values are compared on what.
type ValidateConfig struct {
	Spec          SlotSpec
	Before, After slots.State
	// Problems and Seeds make the pairs; neither may have had a part in an evolution of After.
	Problems []Problem
	Seeds    []int64
	Score    Score
	// Workers is how many searches are under way at once; default GOMAXPROCS. It changes nothing else.
	Workers int
}

// Validate measures two values of a slot on the same pairs.
func Validate(ctx context.Context, c ValidateConfig) (Comparison, error) {
	if c.Spec == nil {
		return Comparison{}, errors.New("no slot spec: say which slot's values are compared")
	}
	if err := errors.Join(checkProblems("Problems", c.Spec, c.Problems), checkSeeds("Seeds", c.Seeds)); err != nil {
		return Comparison{}, err
	}
	b := &bench{c.Spec, c.Score, pairsOf(c.Problems, c.Seeds), c.Workers}
	before, err := b.rewards(ctx, c.Before)
	if err != nil {
		return Comparison{}, err
	}
	after, err := b.rewards(ctx, c.After)
	if err != nil {
		return Comparison{}, err
	}
	return b.compare(before, after), nil
}

// TransferRatio is the gain on problems that were never trained on over the gain on those that were; absent
// when there was no gain to transfer. Near 1 it says that the value is better, near 0 that it fits what it was
// trained on, below 0 that it traded generality for that.
func TransferRatio(validation, source float64) slots.Maybe {
	if !(source > 0) {
		return slots.Maybe{}
	}
	return slots.Known(validation / source)
}
