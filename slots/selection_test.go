package slots_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/slots"
)

// heads makes an archive of heads with the given scores, NaN for one that is not measured; each is the child
// of the one before.
func heads(scores ...float64) []slots.Head {
	var all []slots.Head
	for i, s := range scores {
		h := slots.Head{ID: i, Parent: max(i-1, 0)}
		if !math.IsNaN(s) {
			h.Score = slots.Known(s)
		}
		all = append(all, h)
	}
	return all
}

func archiveOf(hs []slots.Head) slots.SelectionContext {
	return slots.SelectionContext{Head: hs[len(hs)-1], Heads: hs, Lanes: 4, Seed: 5}
}

func choose(t testing.TB, s slots.Selection, ctx slots.SelectionContext, n int) []int {
	t.Helper()
	ids, err := s.Select(ctx, n)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

var unmeasured, deadEnd = math.NaN(), math.Inf(-1)

func TestBeam(t *testing.T) {
	for name, tt := range map[string]struct {
		scores []float64
		k, n   int
		want   []int
	}{
		"the best first":             {[]float64{0.1, 0.9, 0.5}, 2, 4, []int{1, 2}},
		"fewer lanes than width":     {[]float64{0.1, 0.9, 0.5}, 3, 1, []int{1}},
		"not measured comes first":   {[]float64{0.1, unmeasured, 0.5}, 2, 4, []int{1, 2}},
		"of equals the later commit": {[]float64{0.5, 0.5, 0.5}, 2, 4, []int{2, 1}},
		"dead ends last for good":    {[]float64{deadEnd, 0, deadEnd}, 3, 4, []int{1}},
		"all dead":                   {[]float64{deadEnd, deadEnd}, 1, 4, []int{1}},
		"a lone head":                {[]float64{0.5}, 4, 4, []int{0}},
	} {
		t.Run(name, func(t *testing.T) {
			got := choose(t, slots.Beam{K: tt.k}, archiveOf(heads(tt.scores...)), tt.n)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// withTasks gives heads rewards a task, and their mean as score.
func withTasks(rows ...[]float64) []slots.Head {
	var all []slots.Head
	for i, r := range rows {
		h := slots.Head{ID: i, Parent: max(i-1, 0), TaskScores: r}
		if r != nil {
			h.Score = slots.Known(slots.Count(r).Rate())
		}
		all = append(all, h)
	}
	return all
}

// share counts how often each head is drawn in many independent choices.
func share(t testing.TB, s slots.Selection, hs []slots.Head) []float64 {
	t.Helper()
	const draws = 4000
	count := make([]float64, len(hs))
	for seed := range uint64(draws) {
		ctx := archiveOf(hs)
		ctx.Seed = seed
		count[choose(t, s, ctx, 1)[0]] += 1.0 / draws
	}
	return count
}

// near compares shares within four standard deviations of 4000 draws.
func near(t *testing.T, got []float64, want ...float64) {
	t.Helper()
	for i, w := range want {
		if math.Abs(got[i]-w) > 4*math.Sqrt(w*(1-w)/4000)+1e-12 {
			t.Errorf("head %d is drawn with a share of %.3f, want %.3f (all %.3f)", i, got[i], w, got)
		}
	}
}

// The example of GEPA's Algorithm 2: a dominated candidate is left out, the others are drawn by the number of
// instances on which they are best.
func TestParetoWinFrequency(t *testing.T) {
	hs := withTasks(
		[]float64{0.9, 0.1, 0.1, 0.2}, // best on the first
		[]float64{0.5, 0.5, 0.6, 0.6}, // best on three
		[]float64{0.4, 0.5, 0.6, 0.6}, // dominated by the one before, though best on three too
		[]float64{0.1, 0.1, 0.1, 0.1},
	)
	near(t, share(t, slots.ParetoFrontier{}, hs), 0.25, 0.75, 0, 0)
	// One that is not measured is tried as often as the best.
	hs = append(hs, slots.Head{ID: 4, Parent: 3})
	near(t, share(t, slots.ParetoFrontier{}, hs), 1.0/7, 3.0/7, 0, 0, 3.0/7)
}

func TestParetoPerInstanceTakesTurns(t *testing.T) {
	hs := withTasks([]float64{0.9, 0.1}, []float64{0.5, 0.5}, []float64{0.4, 0.4}, []float64{0.1, 0.9})
	seen := map[int]int{}
	for round := range 6 {
		ctx := archiveOf(hs)
		ctx.Round = round
		for _, id := range choose(t, slots.ParetoFrontier{Mode: slots.PerInstance}, ctx, 2) {
			seen[id]++
		}
	}
	if diff := cmp.Diff(map[int]int{0: 4, 1: 4, 3: 4}, seen); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{3, 1}, choose(t, slots.ParetoFrontier{Mode: slots.TopKAggregate, K: 2}, archiveOf(hs), 4)); diff != "" {
		t.Error("top 2 by mean:", diff)
	}
}

func TestArchiveShares(t *testing.T) {
	hs := heads(0.2, 0.6, 0.2)
	hs[0].Selected = 1
	hs[1].Selected = 3
	sigmoid := func(s float64) float64 { return 1 / (1 + math.Exp(-10*(s-0.5))) }
	share3 := func(a, b, c float64) []float64 { s := a + b + c; return []float64{a / s, b / s, c / s} }
	for mode, want := range map[slots.ArchiveMode][]float64{
		slots.Performance:    share3(0.2, 0.6, 0.2),
		slots.Novelty:        share3(1.0/2, 1.0/4, 1),
		slots.Uniform:        share3(1, 1, 1),
		slots.Best:           {0, 1, 0},
		slots.SigmoidNovelty: share3(sigmoid(0.2)/2, sigmoid(0.6)/4, sigmoid(0.2)),
	} {
		t.Run(string(mode), func(t *testing.T) { near(t, share(t, slots.Archive{Mode: mode}, hs), want...) })
	}
	if ids := choose(t, slots.Archive{Mode: slots.Best}, archiveOf(heads(0.5, 0.7, unmeasured, 0.1)), 4); !slices.Equal(ids, []int{2}) {
		t.Errorf("best of an archive with a head that is not measured: %v", ids)
	}
	if _, err := (slots.Archive{Mode: "oldest"}).Select(archiveOf(hs), 1); err == nil {
		t.Error("an unknown mode selects")
	}
}

// Lanes see those before them pending: with two equal heads they spread.
func TestNoveltyCountsLanesThatWereJustPlaced(t *testing.T) {
	hs := heads(0.5, 0.5)
	ids := choose(t, compiled(t, "policy p fills selection { score(selected) { return 1 / (1 + selected) } }").Selection, archiveOf(hs), 6)
	if !slices.Equal(ids, []int{0, 1, 0, 1, 0, 1}) {
		t.Errorf("placed %v", ids)
	}
}

// PUCT over heads is its formula, evaluated here by hand: ranks 0, 1 and ½ for scores 0.1, 0.9, 0.5.
func TestFlatPuctOnHeads(t *testing.T) {
	hs := heads(0.1, 0.9, 0.5)
	hs[2].Parent = 0
	hs[1].Selected = 5
	// visits: the root 5, its children 5+1 and 0+1; total 12. Head 1: 1 + ⅓·√12/7 = 1.165, head 2: ½ + ⅓·√12/2 = 1.077.
	if ids := choose(t, slots.FlatPuct{}, archiveOf(hs), 1); ids[0] != 1 {
		t.Errorf("picked %v", ids)
	}
	// With c = 2 head 2 has 1.655 against 1.330.
	if ids := choose(t, slots.FlatPuct{C: 2}, archiveOf(hs), 1); ids[0] != 2 {
		t.Errorf("picked %v", ids)
	}
}

func TestSelectionsReturnLiveHeadsOfTheArchive(t *testing.T) {
	policies := []slots.Selection{
		slots.Beam{}, slots.ParetoFrontier{}, slots.ParetoFrontier{Mode: slots.PerInstance},
		slots.ParetoFrontier{Mode: slots.TopKAggregate}, slots.Archive{}, slots.Archive{Mode: slots.Performance},
		slots.Archive{Mode: slots.Best}, slots.FlatPuct{}, slots.MCTS{},
		compiled(t, "policy p fills selection { priority(visits) { return 0 - visits } }").Selection,
		compiled(t, "policy p fills selection { pick sample_one score(wins, front_size) { return wins / front_size } }").Selection,
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "heads")
		var hs []slots.Head
		for i := range n {
			// Parents may be anything, as in a damaged archive: no walk may loop.
			h := slots.Head{ID: i, Parent: rapid.IntRange(-1, n).Draw(t, "parent"), Selected: rapid.IntRange(0, 9).Draw(t, "selected")}
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
			case 1:
				h.Score = slots.Known(math.Inf(-1))
			default:
				h.TaskScores = []float64{rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")}
				h.Score = slots.Known(slots.Count(h.TaskScores).Rate())
			}
			hs = append(hs, h)
		}
		ctx := archiveOf(hs)
		ctx.Round, ctx.Seed = rapid.IntRange(0, 50).Draw(t, "round"), rapid.Uint64().Draw(t, "seed")
		live := slices.ContainsFunc(hs, func(h slots.Head) bool { return h.Score != slots.Known(math.Inf(-1)) })
		lanes := rapid.IntRange(1, 6).Draw(t, "lanes")
		for _, p := range policies {
			ids, err := p.Select(ctx, lanes)
			if err != nil || len(ids) == 0 || len(ids) > lanes {
				t.Fatalf("%T: %v, %v", p, ids, err)
			}
			for _, id := range ids {
				if id < 0 || id >= n {
					t.Fatalf("%T picked head %d of %d", p, id, n)
				}
				if live && hs[id].Score == slots.Known(math.Inf(-1)) {
					t.Fatalf("%T picked the dead head %d", p, id)
				}
			}
			again, _ := p.Select(ctx, lanes)
			if !slices.Equal(ids, again) {
				t.Fatalf("%T is no function of what it is handed: %v, then %v", p, ids, again)
			}
		}
	})
}

// On a tree whose second branch scores higher, UCT goes down the better branch, and explores the other one
// when it was tried far less.
func TestMCTS(t *testing.T) {
	hs := []slots.Head{
		{ID: 0, Parent: 0, Score: slots.Known(0.1), Selected: 2},
		{ID: 1, Parent: 0, Score: slots.Known(0.3), Selected: 1},
		{ID: 2, Parent: 0, Score: slots.Known(0.8), Selected: 1},
	}
	// visits: root 4, children 2 and 2. The root may have 2 children, so the walk goes on; to head 2.
	if ids := choose(t, slots.MCTS{}, archiveOf(hs), 1); ids[0] != 2 {
		t.Errorf("picked %v", ids)
	}
	hs[2].Selected = 60
	hs = append(hs, slots.Head{ID: 3, Parent: 2, Score: slots.Known(0.8)})
	// Values are scaled to 2/7 and 1; the bounds are 0.286+√2·√(ln 63/2) and 1+√2·√(ln 63/61). With eight
	// children allowed at the root it is built on itself; with Widening ¼ the walk explores head 1.
	if ids := choose(t, slots.MCTS{}, archiveOf(hs), 1); ids[0] != 0 {
		t.Errorf("picked %v", ids)
	}
	if ids := choose(t, slots.MCTS{Widening: 0.25}, archiveOf(hs), 1); ids[0] != 1 {
		t.Errorf("picked %v", ids)
	}
}

// A domination that costs the front nothing: an independent reference by definition.
func TestFrontByDefinition(t *testing.T) {
	onFront := compiled(t, "policy p fills selection { pick distinct score(front_index) { return front_index >= 0 ? 1 : 0 } }").Selection
	rapid.Check(t, func(t *rapid.T) {
		var rows [][]float64
		for range rapid.IntRange(1, 8).Draw(t, "heads") {
			rows = append(rows, []float64{
				float64(rapid.IntRange(0, 3).Draw(t, "a")) / 4, float64(rapid.IntRange(0, 3).Draw(t, "b")) / 4, float64(rapid.IntRange(0, 3).Draw(t, "c")) / 4,
			})
		}
		var want []int
		for i, x := range rows {
			dominated := false
			for _, y := range rows {
				atLeast, above := true, false
				for k := range x {
					atLeast = atLeast && y[k] >= x[k]
					above = above || y[k] > x[k]
				}
				dominated = dominated || atLeast && above
			}
			if !dominated {
				want = append(want, i)
			}
		}
		got, err := onFront.Select(archiveOf(withTasks(rows...)), 99)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("front %v, want %v (%v)", got, want, err)
		}
	})
}
