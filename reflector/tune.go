package reflector

import (
	"context"
	"math"
	"slices"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/internal/stats"
)

// tuning searches the constants of one rule.
type tuning struct {
	*search
	rule  *dsl.Rule   // whose constants move
	from  *individual // the best so far
	cma   *cma
	tasks int // that a generation is measured on
}

const (
	// tuneIdle is how many generations without a better rule end a tuning.
	tuneIdle = 12
	// tuneShare is the share of the lease's trials that one tuning may spend, as one in so many. Less than
	// leastTuning points on the fewest tasks teach nothing.
	tuneShare   = 8
	leastTuning = 100
	// leastAgreement is the correlation between two halves of the tasks below which a generation measures more of
	// them, mostAgreement that above which it measures fewer; at least the fewest, or one in mostTasks of all.
	leastAgreement, mostAgreement = 0.3, 0.7
	fewestTasks, mostTasks        = 4 * firstRung, 16
)

// tune moves the constants of a rule by evolution strategy, within about so many trials. A generation is measured on the same tasks, some of all, so
// that the points are compared in pairs; what comes out best then races against the rule as any child does.
func (s *search) tune(ctx context.Context, from *individual, trials int) error {
	from.tuned++
	consts := tunables(s.vocabulary, from.rule)
	if len(consts) == 0 {
		return nil
	}
	var start, scale []float64
	for _, c := range consts {
		start, scale = append(start, c.at.Value), append(scale, c.step())
	}
	t := &tuning{search: s, rule: from.rule, from: from, cma: newCMA(start, scale, s.rng), tasks: 2 * firstRung}
	last := s.pc.Trial.Left() - trials
	for idle := 0; idle < tuneIdle && s.pc.Trial.Left() > last && ctx.Err() == nil; idle++ {
		better, err := t.generation(ctx)
		if err != nil {
			return err
		}
		if better {
			idle = -1
		}
	}
	return nil
}

// generation measures one generation and reports whether a better rule came of it.
func (t *tuning) generation(ctx context.Context) (bool, error) {
	window := t.window(min(t.tasks, len(t.search.tasks)))
	base := make([]float64, len(window))
	for i, task := range window {
		base[i] = t.from.rewards[task]
	}
	points := t.cma.ask()
	var best *dsl.Rule
	most := stats.Mean(base)
	worth := make([]float64, len(points))
	halves := make([][2]float64, 0, len(points))
	for k, x := range points {
		r := t.with(x)
		c, ok := t.pc.Trial.Admit(r)
		if !ok {
			worth[k] = -1 // below every reward
			continue
		}
		rewards, err := t.pc.Trial.Try(ctx, c, window)
		if err != nil {
			return false, err
		}
		worth[k] = stats.Mean(rewards)
		halves = append(halves, [2]float64{stats.Mean(rewards[:len(window)/2]), stats.Mean(rewards[len(window)/2:])})
		if worth[k] > most {
			best, most = r, worth[k]
		}
	}
	t.cma.tell(worth)
	if slices.Min(worth) == slices.Max(worth) {
		t.cma.sigma *= 2 // a plateau: look further
	}
	t.adapt(halves)
	if better, err := t.race(ctx, best); better || err != nil {
		return better, err
	}
	return t.race(ctx, t.with(t.cma.mean))
}

// race has a rule race against the best so far and take its place if it is better.
func (t *tuning) race(ctx context.Context, r *dsl.Rule) (bool, error) {
	if r == nil {
		return false, nil
	}
	in, err := t.try(ctx, r, "tune", t.from)
	if in == nil || err != nil || !better(in, t.from) {
		return false, err
	}
	in.tuned = t.from.tuned
	t.from = in
	return true, nil
}

// with is the rule with other constants.
func (t *tuning) with(x []float64) *dsl.Rule {
	r := dsl.CloneRule(t.rule)
	for i, c := range tunables(t.vocabulary, r) {
		c.set(x[i], t.rng)
	}
	return r
}

// window draws so many tasks that follow each other, the first after the last.
func (t *tuning) window(n int) []int {
	all := t.search.tasks
	first := 0
	if n < len(all) {
		first = t.rng.IntN(len(all))
	}
	window := make([]int, n)
	for i := range window {
		window[i] = all[(first+i)%len(all)]
	}
	return window
}

// adapt takes more tasks when two halves of them do not agree about the points: then the order was chance. Where there
// are many tasks it takes few of them still: the strategy averages over its points, and more generations are worth more
// than surer ones.
func (t *tuning) adapt(halves [][2]float64) {
	switch r := correlation(halves); {
	case r < leastAgreement:
		t.tasks = min(2*t.tasks, max(fewestTasks, len(t.search.tasks)/mostTasks))
	case r > mostAgreement:
		t.tasks = max(t.tasks/2, firstRung)
	}
}

// correlation is that of the pairs, 0 when one side does not vary.
func correlation(pairs [][2]float64) float64 {
	n, mx, my := float64(len(pairs)), 0.0, 0.0
	for _, p := range pairs {
		mx += p[0] / n
		my += p[1] / n
	}
	xx, yy, xy := 0.0, 0.0, 0.0
	for _, p := range pairs {
		xx += float64((p[0] - mx) * (p[0] - mx))
		yy += float64((p[1] - my) * (p[1] - my))
		xy += float64((p[0] - mx) * (p[1] - my))
	}
	if xx <= 0 || yy <= 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
