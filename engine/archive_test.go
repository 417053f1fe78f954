package engine_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// mixed is the reward of a text on a task: neither rises with the other.
func mixed(text string, task int) float64 {
	n, _ := strconv.Atoi(text)
	return float64((n*7+task*3+n*task)%11) / 10
}

// archive is the model of a population: every distinct head that was committed, in order. It decides in the
// run's place, by draws, and is told what happened by events.
type archive struct {
	t     *rapid.T
	held  []slots.Task
	async bool

	heads []slots.Head
	dev   int
	plan  []int
	bases map[int]int // the head that a lease started from
	picks int
}

func (m *archive) measure(id, parent, version, round int, text string) slots.Head {
	h := slots.Head{ID: id, Parent: parent, Version: version, Round: round, State: slots.State{slots.RuleKey: text}}
	sum := 0.0
	for _, task := range m.held {
		i, _ := strconv.Atoi(task.ID)
		h.TaskScores = append(h.TaskScores, mixed(text, i))
		sum += mixed(text, i)
	}
	h.Score = slots.Known(sum / float64(len(m.held)))
	return h
}

func (m *archive) find(text string) int {
	for _, h := range m.heads {
		if h.State[slots.RuleKey] == text {
			return h.ID
		}
	}
	return -1
}

// Select compares the archive with the model and draws the heads of the next lanes.
func (m *archive) Select(ctx slots.SelectionContext, n int) ([]int, error) {
	m.compare(ctx.Heads)
	if ctx.Head.ID != m.dev {
		m.t.Fatalf("the head is %d, the model says %d", ctx.Head.ID, m.dev)
	}
	m.plan = nil
	for range rapid.IntRange(1, n).Draw(m.t, "places") {
		id := rapid.IntRange(0, len(m.heads)-1).Draw(m.t, "head")
		m.plan = append(m.plan, id)
		m.heads[id].Selected++
	}
	return m.plan, nil
}

func (m *archive) compare(heads []slots.Head) {
	close := cmp.Comparer(func(a, b slots.Maybe) bool { return a.Known == b.Known && math.Abs(a.Value-b.Value) < 1e-12 })
	if d := cmp.Diff(m.heads, heads, close); d != "" {
		m.t.Fatalf("the archive (-model +run):\n%s", d)
	}
}

// Accept draws.
func (m *archive) Accept(ctx slots.MergeContext) (slots.AcceptDecision, error) {
	if !rapid.Bool().Draw(m.t, "accept") {
		return slots.AcceptDecision{Category: slots.BelowThreshold, Prior: ctx.Prior}, nil
	}
	return slots.AcceptDecision{Accept: true, Category: slots.Committed, Prior: ctx.Prior}, nil
}

func (m *archive) lease(e engine.LeaseEvent) {
	m.bases[e.Record.Lease] = e.Record.Head
	want := 0
	if len(m.plan) > 0 {
		want = m.plan[e.Record.Lane%len(m.plan)]
	}
	if !m.async && e.Record.Head != want {
		m.t.Fatalf("lease %d starts from head %d, the plan was %v", e.Record.Lease, e.Record.Head, m.plan)
	}
}

func (m *archive) commit(c engine.Commit) {
	id := m.find(c.State[slots.RuleKey])
	switch {
	case c.Outcome == slots.PopulationPick:
		m.picks++
		if id < 0 || id == m.dev {
			m.t.Fatalf("head %d was picked; dev is %d", id, m.dev)
		}
	case id < 0:
		id = len(m.heads)
		parent := m.bases[c.Lease]
		m.heads = append(m.heads, m.measure(id, parent, c.Version, c.Round, c.State[slots.RuleKey]))
		m.heads[parent].Children++
	}
	m.dev = id
}

// round checks that dev is what was selected.
func (m *archive) round(engine.Row) {
	if m.dev != m.plan[0] {
		m.t.Fatalf("dev is head %d, selected was %v", m.dev, m.plan)
	}
}

// TestTheArchiveIsItsModel lets chance accept and select, and holds the archive of heads against a list.
func TestTheArchiveIsItsModel(t *testing.T) {
	picks := 0
	rapid.Check(t, func(t *rapid.T) {
		p := engine.Callables{Name: "mixed", Initial: "0"}
		for i := range 8 {
			p.Tasks = append(p.Tasks, slots.Task{ID: strconv.Itoa(i)})
		}
		p.Run = func(_ context.Context, rendered string, _ slots.Task) (string, error) { return rendered, nil }
		p.Reward = func(task slots.Task, output string) float64 {
			i, _ := strconv.Atoi(task.ID)
			return mixed(output, i)
		}
		m := &archive{t: t, held: engine.SplitTasks(p.Tasks, 0.4).HeldOut, async: rapid.Bool().Draw(t, "async"), bases: map[int]int{}}
		m.heads = []slots.Head{m.measure(0, 0, 0, 0, "0")}
		texts := rapid.Uint64Range(2, 12).Draw(t, "texts")
		c := engine.Config{
			Seed:  rapid.Uint64().Draw(t, "seed"),
			Tasks: engine.Tasks{Problem: p},
			Actor: engine.Actor{Solved: 1.1, Proposer: slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
				return &slots.Proposal{Text: fmt.Sprint(pc.Seed % texts)}, nil
			})},
			Policies: slots.Policies{Selection: m, Acceptance: m, Staleness: takeAll{}},
			Parallel: engine.Parallel{Lanes: rapid.IntRange(1, 5).Draw(t, "lanes"), Async: engine.Async{On: m.async}},
			Budget:   engine.Budget{Rounds: rapid.IntRange(1, 12).Draw(t, "rounds")},
		}
		c.Observe.Events = engine.Events{Lease: m.lease, Commit: m.commit, Round: m.round}
		res, err := engine.Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		m.compare(res.Artifacts[0].Heads)
		best := 0
		for _, h := range m.heads {
			if h.Score.Value > m.heads[best].Score.Value+1e-12 {
				best = h.ID
			}
		}
		if m.dev != best || !res.State.Equal(m.heads[best].State) {
			t.Fatalf("the run ends on head %d, %v; the best is %d", m.dev, res.State, best)
		}
		if got := res.Outcomes[slots.PopulationPick]; got > m.picks || m.picks > got+1 {
			t.Fatalf("%d moves of dev by the selection, the outcomes count %d", m.picks, got)
		}
		picks += m.picks
	})
	if picks == 0 {
		t.Error("no selection moved dev: nothing was tested")
	}
}
