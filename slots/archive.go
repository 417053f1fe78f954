package slots

import (
	"cmp"
	"math"
	"slices"

	"github.com/agentdescent/adrun/internal/derive"
)

// archive is the population as selections see it: what they read of each head, by place in Heads, and the
// bookkeeping of a choice. It serves one call of Select.
type archive struct {
	ctx   SelectionContext
	live  []bool // may be picked: a dead head may only when all are dead
	order []int  // place by score, 0 = best

	selected []float64 // lanes that started from the head, those placed by this call included
	total    float64
}

func newArchive(ctx SelectionContext) *archive {
	n := len(ctx.Heads)
	a := &archive{ctx: ctx, live: make([]bool, n), order: make([]int, n), selected: make([]float64, n)}
	anyLive := slices.ContainsFunc(ctx.Heads, func(h Head) bool { return !h.dead() })
	for i, h := range ctx.Heads {
		a.live[i] = !anyLive || !h.dead()
		a.selected[i] = float64(h.Selected)
		a.total += a.selected[i]
	}
	for place, i := range byScore(ctx.Heads) {
		a.order[i] = place
	}
	return a
}

// dead reports whether the head is marked as one that cannot be built on.
func (h *Head) dead() bool { return h.Score.Known && math.IsInf(h.Score.Value, -1) }

// byScore returns the places of the heads, best first: what is not measured comes first, so that a fresh
// branch is tried; of equals the later commit, so that a plateau is crossed and not undone.
func byScore(heads []Head) []int {
	score := func(h *Head) float64 {
		if !h.Score.Known {
			return math.Inf(1)
		}
		return h.Score.Value
	}
	places := make([]int, len(heads))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(i, j int) int {
		if c := cmp.Compare(score(&heads[j]), score(&heads[i])); c != 0 {
			return c
		}
		return cmp.Compare(j, i)
	})
	return places
}

// pick is how the values of heads become a choice of heads, as rules write it.
type pick string

const (
	pickTop       pick = "top"
	pickDistinct  pick = "distinct"
	pickSample    pick = "sample"
	pickSampleOne pick = "sample_one"
)

// place chooses heads for n lanes by the value of each head, which may depend on the lane. The IDs are those
// that Select returns.
func (a *archive) place(how pick, n int, value func(head, lane int) float64) []int {
	if len(a.ctx.Heads) == 0 {
		return []int{a.ctx.Head.ID}
	}
	values := make([]float64, len(a.ctx.Heads))
	read := func(lane int) {
		for i := range values {
			values[i] = math.Inf(-1)
			if !a.live[i] {
				continue
			}
			if v := value(i, lane); !math.IsNaN(v) && !math.IsInf(v, 0) {
				values[i] = v
			}
		}
	}
	if how == pickDistinct {
		read(0)
		return a.distinct(values, n)
	}
	if how == pickSampleOne {
		n = 1
	}
	rng := derive.Rand(a.ctx.Seed, "pick")
	ids := make([]int, n)
	for lane := range ids {
		read(lane)
		i := 0
		if how == pickTop {
			i = a.first(values)
		} else {
			i = draw(a.weights(values), rng.Float64())
		}
		a.selected[i]++
		a.total++
		ids[lane] = a.ctx.Heads[i].ID
	}
	return ids
}

// first is the first live head of the highest value.
func (a *archive) first(values []float64) int {
	best := -1
	for i, v := range values {
		if a.live[i] && (best < 0 || v > values[best]) {
			best = i
		}
	}
	return best
}

// distinct is up to n heads of the highest values above 0, or the one of the highest value.
func (a *archive) distinct(values []float64, n int) []int {
	places := make([]int, 0, len(values))
	for i, v := range values {
		if v > 0 {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		places = append(places, a.first(values))
	}
	slices.SortStableFunc(places, func(i, j int) int { return cmp.Compare(values[j], values[i]) })
	ids := make([]int, min(n, len(places)))
	for k := range ids {
		ids[k] = a.ctx.Heads[places[k]].ID
	}
	return ids
}

// weights makes values weights, even ones among the live heads when none is above 0.
func (a *archive) weights(values []float64) []float64 {
	w := make([]float64, len(values))
	some := false
	for i, v := range values {
		w[i] = max(v, 0)
		some = some || v > 0
	}
	for i := range w {
		if !some && a.live[i] {
			w[i] = 1
		}
	}
	return w
}

// draw returns an index with a chance proportional to its weight, for a uniform u in [0, 1). Some weight is
// above 0 and none below.
func draw(weights []float64, u float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	rest, last := float64(u*sum), 0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		if last = i; rest < w {
			break
		}
		rest -= w
	}
	return last
}

// front is the Pareto front of the heads over the held-out tasks: those that no other head equals on every
// task and betters on one. A head that is not measured is on it, since nothing is known to dominate it.
type front struct {
	members []int // by age
	index   []int // place in members, −1 off the front
	wins    []int // tasks on which no member is better; 0 off the front
}

func (a *archive) front() *front {
	heads := a.ctx.Heads
	f := &front{index: make([]int, len(heads)), wins: make([]int, len(heads))}
	for i := range heads {
		f.index[i] = -1
		if a.live[i] && !a.dominated(i) {
			f.index[i] = len(f.members)
			f.members = append(f.members, i)
		}
	}
	f.count(heads)
	return f
}

func (a *archive) dominated(i int) bool {
	for j := range a.ctx.Heads {
		if j != i && a.live[j] && dominates(a.ctx.Heads[j].TaskScores, a.ctx.Heads[i].TaskScores) {
			return true
		}
	}
	return false
}

// dominates reports whether x is nowhere below y and somewhere above it. Without measurements of the same
// tasks on both sides it is not.
func dominates(x, y []float64) bool {
	if len(x) != len(y) {
		return false
	}
	above := false
	for k := range x {
		if x[k] < y[k] {
			return false
		}
		above = above || x[k] > y[k]
	}
	return above
}

// count counts the tasks that each member is best on. What is not measured counts as much as the best.
func (f *front) count(heads []Head) {
	tasks := 0
	for _, i := range f.members {
		tasks = max(tasks, len(heads[i].TaskScores))
	}
	for t := range tasks {
		best := math.Inf(-1)
		for _, i := range f.members {
			if s := heads[i].TaskScores; t < len(s) {
				best = max(best, s[t])
			}
		}
		for _, i := range f.members {
			if s := heads[i].TaskScores; t < len(s) && s[t] == best {
				f.wins[i]++
			}
		}
	}
	most := slices.Max(append(slices.Clone(f.wins), 0))
	for _, i := range f.members {
		if len(heads[i].TaskScores) == 0 {
			f.wins[i] = most
		}
	}
}
