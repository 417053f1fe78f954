package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// rated is a problem whose reward is a function of the rendered text and the number of the task.
func rated(tasks int, reward func(text string, i int) float64) scripted {
	p := scripted{Callables: flat(tasks)}
	p.answer = func(c *slots.Candidate, task slots.Task) (engine.Outcome, error) {
		var i int
		fmt.Sscanf(task.ID, "t%d", &i)
		return engine.Outcome{Reward: reward(c.Text, i)}, nil
	}
	return p
}

func appending(p engine.Problem, policies slots.Policies) engine.Config {
	return engine.Config{
		Tasks:     engine.Tasks{Problem: p, HeldOut: 0.5},
		Artifacts: []engine.ArtifactConfig{{Initial: slots.State{}, Strategy: engine.AppendRules{}}},
		Actor: engine.Actor{Proposer: slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
			return &slots.Proposal{Text: fmt.Sprintf("line %d", pc.Lease)}, nil
		})},
		Parallel: engine.Parallel{Lanes: 1},
		Budget:   engine.Budget{Rounds: 3},
		Policies: policies,
	}
}

func outcomesOf(reports []slots.Report) []slots.MergeOutcome {
	var out []slots.MergeOutcome
	for _, r := range reports {
		out = append(out, r.Outcome)
	}
	return out
}

func TestTrustFallsWhenTheSubSampleMisleads(t *testing.T) {
	// 20 held-out tasks t20 … t39, of which the sub-sample takes every fifth half: 0, 2, 5, 7, 10, ….
	cheap := []int{20, 22, 25, 27, 30, 32, 35, 37}
	p := rated(40, func(text string, i int) float64 {
		switch {
		case text == "":
			return 0.5
		case slices.Contains(cheap, i):
			return 0.4
		}
		return 0.8
	})
	reports, res, _ := reportsOf(t, appending(p, slots.Policies{Acceptance: acceptAll{}}))
	// The first candidate gains on the whole and loses on the sub-sample: trust is halved and the held-out
	// set audits, which agrees. The second and third are ties. Both agree on that, so trust is back at 0.75
	// with the second, and nobody audits.
	want := []slots.MergeOutcome{slots.Committed, slots.Committed, slots.Committed}
	if diff := cmp.Diff(want, outcomesOf(reports)); diff != "" {
		t.Error(diff)
	}
	if got := res.Artifacts[0].Trust; got != 1 {
		t.Errorf("trust %v after halving once and agreeing twice, want 1", got)
	}
	c := appending(p, slots.Policies{Acceptance: acceptAll{}})
	c.Artifacts[0].Trust = 0.8 // halved to 0.4, then 0.65: the second merge is audited and is a tie
	reports, res, _ = reportsOf(t, c)
	want = []slots.MergeOutcome{slots.Committed, slots.OracleRejected, slots.Committed}
	if diff := cmp.Diff(want, outcomesOf(reports)); diff != "" {
		t.Error(diff)
	}
	if got := res.Artifacts[0].Trust; math.Abs(got-0.9) > 1e-12 {
		t.Errorf("trust %v, want 0.8/2 + 2·0.25", got)
	}
}

func TestARebasedCardMustStillGain(t *testing.T) {
	c := appending(flat(40), slots.Policies{Acceptance: acceptAll{}})
	c.Parallel = engine.Parallel{Lanes: 4, Refresh: 4}
	c.Budget.Rounds = 2
	reports, _, _ := reportsOf(t, c)
	last := reports[len(reports)-1]
	// In round 1 three lanes still see version 0; on a flat problem their diffs gain nothing.
	if last.Rebased != 3 || last.DiscardedStale != 3 {
		t.Errorf("%d rebased, %d discarded, want 3 and 3", last.Rebased, last.DiscardedStale)
	}
}

func TestL1ToleratesMoreVersions(t *testing.T) {
	longer := rated(2, func(text string, _ int) float64 { return 1 - 1/float64(2+len(text)) })
	for radius, discards := range map[float64]bool{0.2: true, 0.5: false} {
		c := appending(rated(40, func(text string, _ int) float64 { return 1 - 1/float64(2+len(text)) }),
			slots.Policies{Acceptance: acceptAll{}})
		c.Artifacts[0].BlastRadius = radius
		c.Gate.Oracle = longer
		c.Parallel = engine.Parallel{Lanes: 4, Refresh: 4}
		c.Budget.Rounds = 8
		reports, res, _ := reportsOf(t, c)
		discarded, rebased := 0, 0
		for _, r := range reports {
			discarded += r.DiscardedStale
			rebased += r.Rebased
		}
		if res.Outcomes[slots.Committed] != 8 || rebased == 0 || (discarded > 0) != discards {
			t.Errorf("radius %v: outcomes %v, %d rebased, %d discarded", radius, res.Outcomes, rebased, discarded)
		}
	}
}

func TestAdvantageIsRelativeToTheGroup(t *testing.T) {
	rewards := []float64{0, 0.1, 0.2, 0.4}
	c := appending(rated(8, func(_ string, i int) float64 { return rewards[i%4] }), slots.Policies{Acceptance: &refuseEverything{}})
	c.Budget.Rounds = 4
	var got []slots.Maybe
	c.Observe.Events.Lease = func(e engine.LeaseEvent) { got = append(got, e.Record.Advantage) }
	mustRun(t, c)
	for i := range 3 {
		if got[i].Known {
			t.Errorf("lease %d has an advantage in a group of %d", i, i+1)
		}
	}
	// Mean 0.175, population variance 0.0875/4, the fourth reward included.
	if want := 0.225 / math.Sqrt(0.0875/4); !got[3].Known || math.Abs(got[3].Value-want) > 1e-12 {
		t.Errorf("the fourth advantage is %+v, want %v", got[3], want)
	}
}

func TestLanesRefreshInTurn(t *testing.T) {
	c := appending(flat(20), slots.Policies{Acceptance: acceptAll{}, Staleness: takeAll{}})
	c.Parallel = engine.Parallel{Lanes: 2, Refresh: 2}
	c.Budget.Rounds = 4
	var got [][2]int
	c.Observe.Events.Lease = func(e engine.LeaseEvent) {
		if e.Record.Lane == 0 {
			got = append(got, [2]int{})
		}
		got[len(got)-1][e.Record.Lane] = e.Record.Touched[0].Version
	}
	mustRun(t, c)
	// Every round commits. Lane 0 looks in rounds 0 and 2, lane 1 in rounds 0 (its first), 1 and 3.
	if diff := cmp.Diff([][2]int{{0, 0}, {0, 1}, {2, 1}, {2, 3}}, got); diff != "" {
		t.Error(diff)
	}
}

// backAndForth goes back to the first head after every second merge.
type backAndForth struct{}

func (backAndForth) Select(ctx slots.SelectionContext, _ int) ([]int, error) {
	if ctx.Round%2 == 1 {
		return []int{0}, nil
	}
	return []int{ctx.Head.ID}, nil
}

// watcher commits everything and keeps what it was handed.
type watcher struct{ seen []slots.MergeContext }

func (w *watcher) Accept(ctx slots.MergeContext) (slots.AcceptDecision, error) {
	w.seen = append(w.seen, ctx)
	return acceptAll{}.Accept(ctx)
}

func TestWhatAnAcceptanceIsHanded(t *testing.T) {
	w := &watcher{}
	c := appending(rated(8, func(text string, _ int) float64 { return float64(strings.Count(text, "line")) / 10 }),
		slots.Policies{Acceptance: w, Selection: backAndForth{}})
	mustRun(t, c)
	for i, ctx := range w.seen {
		if ctx.Version != i {
			t.Errorf("merge %d is told version %d: moves of the population are not commits", i, ctx.Version)
		}
		if len(ctx.BaseRewards) != 4 || len(ctx.CandRewards) != 4 || ctx.CandCounts.N() != 4 {
			t.Errorf("merge %d: %+v", i, ctx)
		}
		if d := ctx.CandCounts.Rate() - ctx.BaseCounts.Rate(); math.Abs(d-0.1) > 1e-12 || len(ctx.Cards) != 1 {
			t.Errorf("merge %d: change %v with %d cards", i, d, len(ctx.Cards))
		}
	}
	if len(w.seen) != 3 {
		t.Errorf("%d merges", len(w.seen))
	}
}

// discardFirst discards the first card that it sees.
type discardFirst struct{ done bool }

func (d *discardFirst) Decide(int, int, bool) slots.StaleAction {
	if d.done {
		return slots.Accept
	}
	d.done = true
	return slots.Discard
}

func TestADiscardReturnsTheEvidence(t *testing.T) {
	w := &watcher{}
	reports, _, _ := reportsOf(t, appending(flat(20), slots.Policies{Acceptance: w, Staleness: &discardFirst{}}))
	if reports[0].Outcome != slots.AllStale {
		t.Fatalf("first merge %+v", reports[0])
	}
	if diff := cmp.Diff([]string{"t1", "t0"}, w.seen[0].Cards[0].Failing); diff != "" {
		t.Errorf("evidence of the next card (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"t2"}, w.seen[1].Cards[0].Failing); diff != "" {
		t.Errorf("evidence of the one after (-want +got):\n%s", diff)
	}
}

func TestABarrierFreeRunMergesWhatIsUnderWay(t *testing.T) {
	c := appending(flat(40), slots.Policies{Acceptance: acceptAll{}, Staleness: takeAll{}})
	c.Parallel = engine.Parallel{Lanes: 4, Async: engine.Async{On: true}}
	leases := 0
	c.Observe.Events.Lease = func(engine.LeaseEvent) { leases++ }
	res, _ := mustRun(t, c)
	considered := 0
	for _, row := range res.History {
		considered += row.Considered
	}
	// Three merges of four cards each; when the last of them was absorbed eleven more were under way.
	if len(res.History) != 4 || leases != 3*4+11 || considered != leases {
		t.Errorf("%d rows, %d leases, %d cards merged", len(res.History), leases, considered)
	}
}

func TestTheClockGoesOnAcrossResumes(t *testing.T) {
	m := engine.NewMemory()
	for _, limit := range []time.Duration{40, 90, 140} {
		ticks := time.Duration(0)
		c := appending(flat(40), slots.Policies{Acceptance: acceptAll{}})
		c.Budget = engine.Budget{Rounds: 1000, MaxTime: limit}
		c.Ledger.Store = m
		c.Parallel.Workers = 1
		c.Observe.Clock = func() time.Duration { ticks++; return ticks }
		res, err := engine.Run(context.Background(), c)
		if err != nil || res.Stop != engine.StopTime {
			t.Fatalf("%v, %v", res.Stop, err)
		}
	}
	last, readings := time.Duration(-1), 0
	for _, e := range m.Entries() {
		if e.Kind != engine.ClockEntry {
			continue
		}
		var rec struct{ Elapsed time.Duration }
		if err := json.Unmarshal(e.Data, &rec); err != nil {
			t.Fatal(err)
		}
		if rec.Elapsed < last {
			t.Fatalf("the clock fell from %d to %d", last, rec.Elapsed)
		}
		last = rec.Elapsed
		readings++
	}
	if readings < 6 {
		t.Errorf("only %d readings", readings)
	}
}
