package engine

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/slots"
)

// elite is one of the model of a population, with when it came.
type elite struct {
	eliteRecord
	came int
}

// ahead reports whether a stands before b: the higher score, then the fewer ops, then the earlier.
func (a elite) ahead(b elite) bool {
	if a.Score != b.Score {
		return a.Score > b.Score
	}
	if a.Ops != b.Ops {
		return a.Ops < b.Ops
	}
	return a.came < b.came
}

// model is a population by its definition, without an order of its own.
type model struct {
	limit, came int
	members     []elite
}

func (m *model) add(recs []eliteRecord) {
	for _, r := range recs {
		m.came++
		i := slices.IndexFunc(m.members, func(e elite) bool { return e.Identity == r.Identity })
		switch {
		case i < 0:
			m.members = append(m.members, elite{r, m.came})
		case r.N > m.members[i].N:
			m.members[i] = elite{r, m.came}
		}
	}
	for len(m.members) > m.limit {
		m.drop()
	}
}

// drop forgets the last that is not the best of its niche, or the last.
func (m *model) drop() {
	last := -1
	for _, onlySpare := range []bool{true, false} {
		for i, e := range m.members {
			spare := slices.ContainsFunc(m.members, func(o elite) bool { return o.Niche == e.Niche && o.ahead(e) })
			if (spare || !onlySpare) && (last < 0 || m.members[last].ahead(e)) {
				last = i
			}
		}
		if last >= 0 {
			break
		}
	}
	m.members = slices.Delete(m.members, last, last+1)
}

// identities lists the members, the best first.
func (m *model) identities() []string {
	sorted := slices.Clone(m.members)
	slices.SortFunc(sorted, func(a, b elite) int {
		if a.ahead(b) {
			return -1
		}
		return 1
	})
	var ids []string
	for _, e := range sorted {
		ids = append(ids, fmt.Sprintf("%s with %d trials", e.Identity, e.N))
	}
	return ids
}

// A population keeps the best of each niche, then the best, whatever is added in which order; a view that was
// handed out stays as it was.
func TestPopulationIsItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 6).Draw(t, "limit")
		p, m := population{limit: limit}, model{limit: limit}
		var view *slots.Population
		var frozen []slots.Elite
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				var recs []eliteRecord
				for range rapid.IntRange(1, 4).Draw(t, "n") {
					id := fmt.Sprintf("r%d", rapid.IntRange(0, 12).Draw(t, "id"))
					recs = append(recs, eliteRecord{
						Identity: id, Score: float64(rapid.IntRange(0, 5).Draw(t, "score")) / 5,
						N: rapid.IntRange(1, 3).Draw(t, "trials"), Ops: rapid.IntRange(1, 3).Draw(t, "ops"),
						Niche: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "niche"),
					})
				}
				if err := p.add(recs); err != nil {
					t.Fatal(err)
				}
				m.add(recs)
			},
			"look": func(*rapid.T) {
				view = p.snapshot()
				frozen = slices.Clone(view.Elites)
			},
			"": func(t *rapid.T) {
				var got []string
				for _, e := range p.snapshot().Elites {
					got = append(got, fmt.Sprintf("%s with %d trials", e.Identity, e.N))
				}
				if want := m.identities(); !slices.Equal(got, want) {
					t.Fatalf("kept %v, the model %v", got, want)
				}
				if view != nil && !slices.Equal(frozen, view.Elites) {
					t.Fatal("a view that was handed out has changed")
				}
			},
		})
	})
}

// Trimming keeps the best of every niche as long as the niches fit.
func TestTrimSparesNiches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := population{limit: 3}
		best := map[string]slots.Elite{}
		var recs []eliteRecord
		for i := range rapid.IntRange(1, 12).Draw(t, "n") {
			r := eliteRecord{
				Identity: fmt.Sprint(i), N: 1, Score: float64(rapid.IntRange(0, 9).Draw(t, "score")),
				Niche: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "niche"),
			}
			recs = append(recs, r)
			if e, ok := best[r.Niche]; !ok || r.Score > e.Score {
				best[r.Niche] = slots.Elite{Identity: r.Identity, Score: r.Score}
			}
		}
		if err := p.add(recs); err != nil {
			t.Fatal(err)
		}
		for niche, want := range best {
			if !slices.ContainsFunc(p.members, func(e slots.Elite) bool { return e.Niche == niche && e.Score == want.Score }) {
				t.Fatalf("the best of niche %s is gone: %v", niche, p.members)
			}
		}
	})
}

// A pool gives every card out once, by artifact and in lease order, whatever comes back in between.
func TestPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pool
		model := map[string][]int{} // leases by artifact
		lease := 0
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				a := rapid.SampledFrom([]string{"a", "b", "lost"}).Draw(t, "artifact")
				p.add(&slots.Card{Lease: lease, Artifact: a})
				model[a] = append(model[a], lease)
				lease++
			},
			"take": func(t *rapid.T) {
				a := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "artifact")
				cards := p.take(a)
				want := slices.Clone(model[a])
				slices.Sort(want)
				if got := leases(cards); !slices.Equal(got, want) {
					t.Fatalf("took %v of %s, want %v", got, a, want)
				}
				model[a] = nil
				if rapid.Bool().Draw(t, "measured") {
					return
				}
				p.giveBack(cards)
				model[a] = want[max(0, len(want)-maxPool):]
			},
			"orphans": func(t *rapid.T) {
				got := leases(p.orphans(func(id string) bool { return id != "lost" }))
				if !slices.Equal(got, model["lost"]) {
					t.Fatalf("orphans %v, want %v", got, model["lost"])
				}
				model["lost"] = nil
			},
		})
	})
}

func leases(cards []*slots.Card) []int {
	var out []int
	for _, c := range cards {
		out = append(out, c.Lease)
	}
	return out
}

func TestSplitAndShards(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 8: 3, 11: 4, 20: 8} { // round-half-up of 0.4·n
		tasks := make([]slots.Task, n)
		for i := range tasks {
			tasks[i].ID = fmt.Sprint(i)
		}
		s := SplitTasks(tasks, 0.4)
		if len(s.HeldOut) != want || len(s.Train) != n-want {
			t.Errorf("%d tasks: %d held out, want %d", n, len(s.HeldOut), want)
		}
		for _, lanes := range []int{1, 3, 4} {
			count := map[string]int{}
			for lane := range lanes {
				for _, id := range shard(s.Train, lane, lanes) {
					count[id]++
				}
			}
			for _, task := range s.Train {
				if count[task.ID] < 1 || count[task.ID] > 1 && len(s.Train) >= lanes {
					t.Errorf("%d tasks, %d lanes: training task %s is in %d shards", n, lanes, task.ID, count[task.ID])
				}
			}
		}
	}
}

func TestTrustRegionAdapts(t *testing.T) {
	r := newTrustRegion(slots.MergeConfig{TrustKeys: 8, TrustChars: 100, TrustAdaptive: true})
	commit := slots.Report{Outcome: slots.Committed, ObservedDelta: slots.Known(0.1)}
	refuse := slots.Report{Outcome: slots.BelowThreshold, ObservedDelta: slots.Known(0)}
	worse := slots.Report{Outcome: slots.BelowThreshold, ObservedDelta: slots.Known(-0.1)}
	for i := range 10 {
		r.learn([]slots.Report{commit, refuse}[i%2])
	}
	if r.keys() != 10 || r.chars() != 125 {
		t.Errorf("after a window with half commits: %d keys, %d characters; want 10 and 125", r.keys(), r.chars())
	}
	r.learn(worse)
	if r.keys() != 5 {
		t.Errorf("after a reversal: %d keys, want 5", r.keys())
	}
	for range 10 {
		r.learn(worse)
	}
	if r.keys() != 2 {
		t.Errorf("at the lower bound: %d keys, want 2", r.keys())
	}
	for range 200 {
		r.learn(commit)
	}
	if r.keys() != 32 {
		t.Errorf("at the upper bound: %d keys, want 32", r.keys())
	}
	fixed := newTrustRegion(slots.MergeConfig{TrustKeys: 8, TrustChars: 100})
	fixed.learn(worse)
	if fixed.keys() != 8 {
		t.Error("a fixed region moved")
	}
}

func TestBetterIsAnOrder(t *testing.T) {
	a, b := slots.Elite{Score: 1, Ops: 3}, slots.Elite{Score: 1, Ops: 4}
	if better(a, b) <= 0 || better(b, a) >= 0 || better(a, a) != 0 {
		t.Error("fewer ops do not win a tie")
	}
}

func TestOfEqualsTheEarlierStays(t *testing.T) {
	p := population{limit: 4}
	first := eliteRecord{Identity: "a", Text: "first", Score: 0.5, N: 2}
	again := eliteRecord{Identity: "a", Text: "again", Score: 0.9, N: 2}
	if err := p.add([]eliteRecord{first, again}); err != nil {
		t.Fatal(err)
	}
	if len(p.members) != 1 || p.members[0].Text != "first" {
		t.Errorf("kept %+v", p.members)
	}
	again.N = 3
	if err := p.add([]eliteRecord{again}); err != nil {
		t.Fatal(err)
	}
	if len(p.members) != 1 || p.members[0].Text != "again" {
		t.Errorf("one with more trials did not replace it: %+v", p.members)
	}
	heads := []slots.Head{{ID: 0}, {ID: 1, Score: slots.Known(0.7)}, {ID: 2, Score: slots.Known(0.7)}}
	if got := best(heads); got != 1 {
		t.Errorf("best of two equal heads is %d, want the earlier", got)
	}
}
