package meta

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/slots"
)

// Climber proposes parameters: from those of the artifact it moves a few at a time by normal steps, keeps what
// is better on the training tasks, and widens or narrows its steps as they succeed or fail (the one-fifth rule
// of Rechenberg's evolution strategies, 1973). What it proposes is a move, so climbers of several lanes unite.
type Climber struct {
	Spec Parametric
}

var _ slots.Proposer = Climber{}

const (
	climbStart  = 0.2  // the first step, as a share of the range
	climbLeast  = 1e-3 // where narrowing ends
	climbDigits = 4    // of a proposed value
)

// Propose climbs until the lease's trials are spent.
func (c Climber) Propose(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	if pc.Trial == nil {
		return nil, errors.New("the climber needs trials: grant the run some")
	}
	params, err := c.Spec.Parameters(pc.Artifact.State)
	if err != nil {
		return nil, err
	}
	if len(params) == 0 {
		return nil, nil
	}
	k := &climb{pc: pc, params: params, rng: derive.Rand(pc.Seed, "climb"), step: climbStart}
	for i := range pc.Trial.Tasks() {
		k.tasks = append(k.tasks, i)
	}
	k.best = valuesOf(params)
	if k.rewards, err = pc.Trial.Try(ctx, pc.Candidate, k.tasks); err != nil {
		return nil, unlessSpent(err)
	}
	for ctx.Err() == nil && k.idle < maxIdle {
		if err := k.try(ctx); errors.Is(err, slots.ErrTrialsSpent) {
			break
		} else if err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return k.proposal(c.Spec)
}

func unlessSpent(err error) error {
	if errors.Is(err, slots.ErrTrialsSpent) {
		return nil
	}
	return err
}

func valuesOf(params []Param) []float64 {
	values := make([]float64, len(params))
	for i, p := range params {
		values[i] = p.Value
	}
	return values
}

// climb is one lease's climbing.
type climb struct {
	pc      *slots.ProposalContext
	params  []Param
	rng     *rand.Rand
	tasks   []int
	best    []float64
	rewards []float64
	step    float64
	idle    int // tries in a row that came to nothing new
}

// try makes one step and keeps it if it is better.
func (k *climb) try(ctx context.Context) error {
	next := k.moved()
	k.idle++
	c, ok := k.pc.Trial.AdmitText(assignText(k.params, next))
	if !ok {
		return nil // it is the artifact's own value, or refused
	}
	k.idle = 0
	var rewards []float64
	for n := firstRung; len(rewards) < len(k.tasks); n *= 2 {
		more, err := k.pc.Trial.Try(ctx, c, k.tasks[len(rewards):min(n, len(k.tasks))])
		if err != nil {
			return err
		}
		if rewards = append(rewards, more...); stats.Behind(rewards, k.rewards, 1) {
			k.step = max(climbLeast, k.step*0.9)
			return nil
		}
	}
	if stats.Mean(rewards) > stats.Mean(k.rewards) {
		k.best, k.rewards, k.step = next, rewards, min(0.5, k.step*1.5)
	} else {
		k.step = max(climbLeast, k.step*0.9)
	}
	return nil
}

// moved is the best with one parameter moved, and each other with a chance of a third.
func (k *climb) moved() []float64 {
	next := append([]float64(nil), k.best...)
	sure := k.rng.IntN(len(next))
	for i, p := range k.params {
		if i != sure && k.rng.IntN(3) > 0 {
			continue
		}
		v := next[i] + float64((p.Hi-p.Lo)*k.step*derive.Bell(k.rng))
		if p.Int {
			v = math.Round(v)
			if v == next[i] {
				v += float64(1 - 2*k.rng.IntN(2))
			}
		} else {
			v = rounded(v)
		}
		next[i] = math.Max(p.Lo, math.Min(p.Hi, v))
	}
	return next
}

// rounded keeps a few significant digits: a value is read by people.
func rounded(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', climbDigits, 64), 64)
	if err != nil {
		return v
	}
	return short
}

func assignText(params []Param, values []float64) string {
	var b strings.Builder
	for i, p := range params {
		b.WriteString(p.Name + " = " + dsl.FormatNumber(values[i]) + "\n")
	}
	return b.String()
}

func (k *climb) proposal(spec Parametric) (*slots.Proposal, error) {
	values := map[string]float64{}
	for i, p := range k.params {
		if k.best[i] != p.Value {
			values[p.Name] = k.best[i]
		}
	}
	if len(values) == 0 {
		return nil, nil
	}
	d, err := spec.Move(k.pc.Artifact.State, values)
	if err != nil {
		return nil, err
	}
	return &slots.Proposal{Diff: d, Note: "climb"}, nil
}
