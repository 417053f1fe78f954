package engine_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// recorder is a selection that goes back to the first head every third merge, and keeps what it saw.
type recorder struct{ seen []slots.SelectionContext }

func (s *recorder) Select(ctx slots.SelectionContext, n int) ([]int, error) {
	s.seen = append(s.seen, ctx)
	if len(s.seen)%3 == 0 {
		return []int{0, ctx.Head.ID}, nil
	}
	ids := make([]int, n)
	for i := range ids {
		ids[i] = ctx.Head.ID
	}
	return ids, nil
}

func TestAPopulationArchivesHeads(t *testing.T) {
	sel := &recorder{}
	c := hillConfig(func(c *engine.Config) { c.Policies.Selection = sel; c.Budget.Rounds = 20 })
	res, _ := mustRun(t, c)
	heads := res.Artifacts[0].Heads
	if len(heads) < 4 {
		t.Fatalf("%d heads; outcomes %v", len(heads), res.Outcomes)
	}
	if len(sel.seen) != 20 {
		t.Errorf("selected %d times in 20 rounds", len(sel.seen))
	}
	best, children := 0, make([]int, len(heads))
	for i, h := range heads {
		if h.ID != i || h.Parent > i || (i > 0 && h.Parent == i) {
			t.Errorf("head %d has id %d and parent %d", i, h.ID, h.Parent)
		}
		if i > 0 {
			children[h.Parent]++
		}
		if !h.Score.Known || len(h.TaskScores) != 8 {
			t.Errorf("head %d is unmeasured: %+v", i, h)
		}
		if h.Score.Value > heads[best].Score.Value {
			best = i
		}
	}
	for i, h := range heads {
		if h.Children != children[i] {
			t.Errorf("head %d counts %d children, has %d", i, h.Children, children[i])
		}
	}
	if res.Outcomes[slots.PopulationPick] == 0 {
		t.Error("no population-select among the outcomes")
	}
	if !res.State.Equal(heads[best].State) {
		t.Errorf("the run ends on %v, the best head is %v", res.State, heads[best].State)
	}
	picks, selected := 0, 0
	for i := range sel.seen {
		picks += 4
		if (i+1)%3 == 0 {
			picks -= 2 // it named two heads
		}
	}
	for _, h := range heads {
		selected += h.Selected
	}
	if selected != picks {
		t.Errorf("heads count %d selections, %d were made", selected, picks)
	}
	for _, ctx := range sel.seen {
		if ctx.Head.ID >= len(ctx.Heads) || ctx.Lanes != 4 {
			t.Fatalf("context %+v", ctx)
		}
	}
}

func TestASingleHeadKeepsNoPopulation(t *testing.T) {
	res, log := mustRun(t, hillConfig())
	if res.Artifacts[0].Heads != nil {
		t.Errorf("%d heads", len(res.Artifacts[0].Heads))
	}
	_, same := mustRun(t, hillConfig(func(c *engine.Config) { c.Policies.Selection = slots.SingleHead{} }))
	if d := firstDiff(log, same); d != "" {
		t.Errorf("naming the default changes the run:\n%s", d)
	}
}

func TestTheEmptyBundleIsTheFilledOne(t *testing.T) {
	_, want := mustRun(t, goldConfig(slots.Policies{}))
	_, got := mustRun(t, goldConfig(slots.Policies{}.Fill()))
	if d := firstDiff(want, got); d != "" {
		t.Error(d)
	}
}

// growing appends a task every second round until it has been told of a solved one.
type growing struct {
	next   int
	solved bool
}

func (g *growing) Next(round int) []slots.Task {
	if g.solved || round%2 == 0 {
		return nil
	}
	g.next++
	return []slots.Task{{ID: "h" + strconv.Itoa(100+g.next)}}
}

func (g *growing) Record(_ string, reward float64, _ int) { g.solved = g.solved || reward > 0.99 }

func TestTaskSourcesAppendTrainingTasks(t *testing.T) {
	for _, async := range []bool{false, true} {
		mutate := func(c *engine.Config) {
			c.Tasks.Source = &growing{}
			c.Parallel.Async.On = async
			c.Parallel.Workers = 4
		}
		tasks := map[string]bool{}
		c := hillConfig(mutate)
		c.Observe.Events.Lease = func(e engine.LeaseEvent) { tasks[e.Record.Task] = true }
		_, want := mustRun(t, c)
		if !tasks["h101"] {
			t.Errorf("async %v: no rollout on an appended task", async)
		}
		k := &killed{Memory: engine.NewMemory(), left: 6}
		c = hillConfig(mutate)
		c.Ledger.Store = k
		if _, err := engine.Run(t.Context(), c); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		c = hillConfig(mutate)
		c.Ledger.Store = k.Memory
		if _, err := engine.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if d := firstDiff(want, logOf(k.Memory)); d != "" {
			t.Errorf("async %v, resumed:\n%s", async, d)
		}
	}
}
