package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// reportsOf runs a configuration and returns its merges.
func reportsOf(t *testing.T, c engine.Config) ([]slots.Report, *engine.Result, string) {
	t.Helper()
	var reports []slots.Report
	c.Observe.Events.Merge = func(r slots.Report) { reports = append(reports, r) }
	res, log := mustRun(t, c)
	return reports, res, log
}

func TestADefaultRunUnitesProposals(t *testing.T) {
	reports, res, _ := reportsOf(t, goldConfig(slots.Policies{Acceptance: acceptAll{}}))
	// Lanes work on t0 and t1, then t2 and t3, and each names its task: every merge is a union of two.
	want := []slots.Report{
		{Considered: 2, Fused: true, Lease: 0, Version: 1},
		{Considered: 2, Fused: true, Lease: 2, Version: 2},
	}
	if len(reports) < 2 {
		t.Fatalf("%d merges", len(reports))
	}
	for i, w := range want {
		g := reports[i]
		got := slots.Report{Considered: g.Considered, Fused: g.Fused, Lease: g.Lease, Version: g.Version}
		if diff := cmp.Diff(w, got); diff != "" {
			t.Errorf("merge %d (-want +got):\n%s", i, diff)
		}
	}
	if res.Rendered != "t0\nt1\nt2\nt3" {
		t.Errorf("rendered %q", res.Rendered)
	}
}

func TestOversizedDiffsAreRefused(t *testing.T) {
	c := goldConfig(slots.Policies{})
	c.Gate.Merge.TrustChars = 5
	c.Actor.Proposer = slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
		return &slots.Proposal{Text: pc.Task.ID + " at length"}, nil
	})
	reports, res, _ := reportsOf(t, c)
	if res.Outcomes[slots.Oversized] != 3 || reports[0].Oversized != 2 {
		t.Errorf("outcomes %v, first %+v", res.Outcomes, reports[0])
	}
}

func TestStaleCardsAreRebasedOrDiscarded(t *testing.T) {
	// Lanes keep their snapshot for four rounds while every merge commits: cards lag up to four versions.
	c := goldConfig(slots.Policies{Acceptance: acceptAll{}})
	c.Tasks.Problem = gold(40)
	c.Parallel = engine.Parallel{Lanes: 4, Refresh: 4}
	c.Budget.Rounds = 8
	reports, _, log := reportsOf(t, c)
	rebased, discarded := 0, 0
	for _, r := range reports {
		rebased += r.Rebased
		discarded += r.DiscardedStale
	}
	if rebased == 0 || discarded == 0 {
		t.Errorf("%d rebased, %d discarded\n%s", rebased, discarded, log)
	}
	// The same artifact at L1 tolerates five versions: nothing is discarded, since each card still gains.
	c.Policies = slots.Policies{Acceptance: acceptAll{}}
	c.Artifacts = []engine.ArtifactConfig{{Strategy: engine.AppendRules{}, BlastRadius: 0.5}}
	reports, _, _ = reportsOf(t, c)
	for _, r := range reports {
		if r.DiscardedStale > 0 {
			t.Errorf("a card within the tolerance of L1 was discarded: %+v", r)
		}
	}
}

// breaking is a strategy whose every change breaks a contract.
type breaking struct{ engine.AppendRules }

func (breaking) Breaks(slots.State, slots.Diff) bool { return true }

func TestStaleContractBreakersAreDiscarded(t *testing.T) {
	c := goldConfig(slots.Policies{Acceptance: acceptAll{}})
	c.Tasks.Problem = gold(40)
	c.Artifacts[0].Strategy = breaking{}
	c.Parallel = engine.Parallel{Lanes: 4, Refresh: 4}
	c.Budget.Rounds = 8
	reports, _, _ := reportsOf(t, c)
	rebased, discarded := 0, 0
	for _, r := range reports {
		rebased += r.Rebased
		discarded += r.DiscardedStale
	}
	if rebased != 0 || discarded == 0 {
		t.Errorf("%d rebased, %d discarded; a contract-breaking diff has no tolerance", rebased, discarded)
	}
}

func TestAuditsVetoTies(t *testing.T) {
	for name, tt := range map[string]struct {
		radius  float64
		oracle  engine.Problem
		budget  int
		outcome slots.MergeOutcome
		reason  string
	}{
		"L2 is not audited":          {0.2, nil, 0, slots.Committed, ""},
		"held-out as the oracle":     {0.5, nil, 0, slots.OracleRejected, "the held-out set, asked as the oracle"},
		"an oracle that sees a gain": {0.5, gold(1), 0, slots.Committed, ""},
		"an oracle that sees none":   {0.5, flat(3), 0, slots.OracleRejected, "the oracle, asked as the oracle"},
		"no budget":                  {0.5, gold(1), -1, slots.OracleRejected, "the oracle's budget of 0 is spent"},
	} {
		t.Run(name, func(t *testing.T) {
			c := goldConfig(slots.Policies{Acceptance: acceptAll{}})
			c.Artifacts[0].BlastRadius = tt.radius
			c.Gate.Oracle = tt.oracle
			c.Gate.Merge.OracleBudget = tt.budget
			reports, _, _ := reportsOf(t, c)
			if reports[0].Outcome != tt.outcome || !strings.Contains(reports[0].Reason, tt.reason) {
				t.Errorf("%s (%q), want %s (%q)", reports[0].Outcome, reports[0].Reason, tt.outcome, tt.reason)
			}
		})
	}
}

// rivals is a ledger in which another writer commits before each of the next moves of dev.
type rivals struct {
	*engine.Memory
	moves int
}

func (l *rivals) Write(ctx context.Context, b engine.Batch) error {
	if len(b.Commits) > 0 && l.moves > 0 {
		l.moves--
		c := b.Commits[0]
		state := c.State.Clone()
		for k := range state {
			delete(state, k)
		}
		state["rival"] = fmt.Sprintf("rival %d", l.moves)
		rival := engine.Commit{RunID: "rival", Artifact: c.Artifact, Version: c.Version, Parent: c.Parent, State: state}
		if err := rival.Seal(); err != nil {
			return err
		}
		if err := l.Memory.Write(ctx, engine.Batch{Commits: []engine.Commit{rival}}); err != nil {
			return err
		}
	}
	return l.Memory.Write(ctx, b)
}

func TestLostRacesAreTriedAgain(t *testing.T) {
	for moves, want := range map[int]slots.MergeOutcome{1: slots.Committed, 3: slots.Committed, 4: slots.CASConflict} {
		l := &rivals{Memory: engine.NewMemory(), moves: moves}
		c := goldConfig(slots.Policies{Acceptance: acceptAll{}})
		c.Ledger.Store = l
		var first slots.Report
		c.Observe.Events.Merge = func(r slots.Report) {
			if first.Outcome == "" {
				first = r
			}
		}
		res, err := engine.Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if first.Outcome != want {
			t.Errorf("%d lost races: %s, want %s", moves, first.Outcome, want)
		}
		if !strings.Contains(res.Rendered, "rival 0") {
			t.Errorf("%d lost races: the rival's commit is lost in %q", moves, res.Rendered)
		}
		// Cards of a merge that gave up come back: in the end every task of the lanes is named.
		for _, id := range []string{"t0", "t1", "t2", "t3"} {
			if !strings.Contains(res.Rendered, id) {
				t.Errorf("%d lost races: %s is missing in %q", moves, id, res.Rendered)
			}
		}
		parent := ""
		for _, commit := range l.Commits() {
			if err := commit.Verify(); err != nil || commit.Parent != parent {
				t.Errorf("the chain breaks at version %d: %v", commit.Version, err)
			}
			parent = commit.Hash
		}
		want := logOf(l.Memory)
		c = goldConfig(slots.Policies{Acceptance: acceptAll{}})
		c.Ledger.Store = l.Memory
		if _, err := engine.Run(context.Background(), c); err != nil {
			t.Errorf("playing a raced run back: %v", err)
		}
		if diff := firstDiff(want, logOf(l.Memory)); diff != "" {
			t.Errorf("played back:\n%s", diff)
		}
	}
}

func TestSeveralArtifactsTakeTurns(t *testing.T) {
	c := goldConfig(slots.Policies{Acceptance: acceptAll{}})
	c.Artifacts = []engine.ArtifactConfig{
		{ID: "notes", Strategy: engine.AppendRules{}},
		{ID: "plan", Strategy: engine.SingleSlot{}, BlastRadius: 0.5},
	}
	seen := map[string]bool{}
	c.Actor.Proposer = slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
		if other := pc.Candidate.Others["plan"]; pc.Artifact.ID == "notes" && other == nil {
			return nil, fmt.Errorf("a rollout on notes does not see the plan")
		}
		return &slots.Proposal{Text: pc.Artifact.ID + " for " + pc.Task.ID}, nil
	})
	c.Observe.Events.Merge = func(r slots.Report) { seen[r.Artifact] = true }
	res, _ := mustRun(t, c)
	if !seen["notes"] || !seen["plan"] || len(res.Artifacts) != 2 {
		t.Errorf("merged %v", seen)
	}
}

// keepAll is an aggregator that commits every card as it comes.
type keepAll struct {
	kit   engine.Kit
	steps int
}

func (a *keepAll) Step(ctx context.Context, _ int, cards []*slots.Card) ([]slots.Report, error) {
	a.steps++
	var out []slots.Report
	for _, c := range cards {
		rep := slots.Report{Artifact: c.Artifact, Considered: 1, Lease: c.Lease, Outcome: slots.CASConflict}
		ok, err := a.kit.Commit(ctx, c.Artifact, c.Diff, c.Lease)
		if err != nil {
			return nil, err
		}
		if ok {
			rep.Outcome = slots.Committed
		}
		out = append(out, rep)
	}
	return out, nil
}

func TestAnAggregatorReplacesTheMerge(t *testing.T) {
	agg := &keepAll{}
	c := goldConfig(slots.Policies{})
	c.Gate.Aggregator = func(k engine.Kit) (engine.Aggregator, error) {
		agg.kit = k
		return agg, nil
	}
	res, _ := mustRun(t, c)
	if agg.steps == 0 || res.Outcomes[slots.Committed] != 4 || res.Rendered != "t0\nt1\nt2\nt3" {
		t.Errorf("%d steps, outcomes %v, rendered %q", agg.steps, res.Outcomes, res.Rendered)
	}
}

func TestPromotionFollowsSurvival(t *testing.T) {
	// One commit in round 0, then nothing: after three further steps dev is stable.
	c := goldConfig(slots.Policies{Acceptance: acceptAll{}})
	c.Tasks.Problem = gold(2)
	c.Parallel.Lanes = 1
	c.Budget.Rounds = 3
	m := engine.NewMemory()
	c.Ledger.Store = m
	c.Budget.Stop = func() bool { return len(m.Stable()) > 0 }
	c.Budget.Rounds = 10
	var rounds int
	c.Observe.Events.Round = func(r engine.Row) { rounds = r.Round }
	res, err := engine.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if rounds != 3 || res.Artifacts[0].Stable.Version != 1 {
		t.Errorf("stable %+v after round %d, want version 1 after round 3", res.Artifacts[0].Stable, rounds)
	}
}
