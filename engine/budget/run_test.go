package budget_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/budget"
	"github.com/agentdescent/adrun/problems/landscape"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/slots"
)

// number is a toy: the artifact is a number, and the reward falls off with its distance from what a task
// wants. An evaluation costs one unit.
func number(tasks int) engine.Problem {
	p := engine.Callables{Name: "number", Initial: "0"}
	for i := range tasks {
		p.Tasks = append(p.Tasks, slots.Task{ID: strconv.Itoa(i)})
	}
	return costly{p}
}

type costly struct{ engine.Callables }

func (costly) Evaluate(_ context.Context, c *slots.Candidate, task slots.Task, _ uint64) (engine.Outcome, error) {
	x, err := strconv.ParseFloat(c.Text, 64)
	if err != nil {
		return engine.Outcome{Failure: "not a number"}, nil
	}
	i, _ := strconv.Atoi(task.ID)
	return engine.Outcome{Reward: math.Exp(-math.Abs(x - 2 - 0.1*float64(i%5))), Spend: slots.Spend{Cost: 1}}, nil
}

// step proposes a random step.
func step(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	rng := rand.New(rand.NewPCG(pc.Seed, 0))
	x, _ := strconv.ParseFloat(pc.Candidate.Text, 64)
	return &slots.Proposal{Text: strconv.FormatFloat(x+rng.NormFloat64()*0.2, 'g', 6, 64)}, nil
}

func toyConfig(maxCost float64) engine.Config {
	return engine.Config{
		Seed:     3,
		Tasks:    engine.Tasks{Problem: number(20)},
		Actor:    engine.Actor{Proposer: slots.ProposerFunc(step), Solved: 1.1},
		Policies: slots.Policies{Acceptance: &slots.PairedAcceptance{}},
		Budget: engine.Budget{
			MaxCost: maxCost, Governor: budget.Governor{}, Allocator: &budget.ValueBudgetAllocator{},
		},
	}
}

// watch runs a configuration and gathers what the allocator did to it.
type watch struct {
	result       *engine.Result
	ledger       *engine.Memory
	leases       []engine.LeaseRecord
	observations []engine.Observation
	measured     []int // leases of the measured decisions, step by step in lease order
	labels       []bool
}

func (w *watch) run(t interface{ Fatal(...any) }, c engine.Config) {
	if w.ledger == nil {
		w.ledger = engine.NewMemory()
	}
	c.Ledger.Store = w.ledger
	var now []slots.Report
	c.Observe.Events.Lease = func(e engine.LeaseEvent) { w.leases = append(w.leases, e.Record) }
	c.Observe.Events.Merge = func(r slots.Report) { now = append(now, r) }
	c.Observe.Events.Round = func(engine.Row) {
		slices.SortFunc(now, func(a, b slots.Report) int { return a.Lease - b.Lease })
		for _, r := range now {
			switch r.Outcome {
			case slots.Committed, slots.BelowThreshold, slots.OracleRejected, slots.CASConflict:
				if r.CandRate.Known {
					w.measured, w.labels = append(w.measured, r.Lease), append(w.labels, r.Outcome == slots.Committed)
				}
			}
		}
		now = nil
	}
	res, err := engine.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	w.result = res
	for _, e := range w.ledger.Entries() {
		if e.Kind == engine.ObserveEntry {
			var o engine.Observation
			if err := json.Unmarshal(e.Data, &o); err != nil {
				t.Fatal(err)
			}
			w.observations = append(w.observations, o)
		}
	}
}

// guard is a governor that remembers what it refused, and an allocator that reports every question about
// something that the governor refuses.
type guard struct {
	budget.Governor
	budget.ValueBudgetAllocator
	refused *atomic.Int64
	broken  *atomic.Int64
}

func (g *guard) SelfVerify(remaining float64) bool {
	ok := g.Governor.SelfVerify(remaining)
	if !ok {
		g.refused.Add(1)
	}
	return ok
}

func (g *guard) Snapshot() engine.Decider {
	return guarded{Decider: g.ValueBudgetAllocator.Snapshot(), guard: g}
}

type guarded struct {
	engine.Decider
	guard *guard
}

func (g guarded) Decide(ctx engine.AllocatorContext) engine.Allocation {
	if !g.guard.Governor.SelfVerify(ctx.Remaining) {
		g.guard.broken.Add(1)
	}
	d := g.Decider.Decide(ctx)
	if ctx.Remaining >= budget.DefaultBudgetStart && (d.Skip || d.Counterfactual) {
		g.guard.broken.Add(1)
	}
	return d
}

// Whatever the run: one observation a measured decision, in lease order; nothing is skipped above half the
// budget; and what the clock refuses is never spent on.
func TestTheAllocatorKeepsItsPromises(t *testing.T) {
	fired, refused := 0, int64(0)
	rapid.Check(t, func(t *rapid.T) {
		c := toyConfig(float64(rapid.IntRange(100, 1500).Draw(t, "max cost")))
		c.Seed = rapid.Uint64().Draw(t, "seed")
		c.Parallel.Lanes = rapid.IntRange(1, 6).Draw(t, "lanes")
		c.Parallel.Workers = rapid.IntRange(1, 4).Draw(t, "workers")
		c.Parallel.Async.On = rapid.Bool().Draw(t, "async")
		if rapid.Bool().Draw(t, "audited") {
			c.Artifacts = []engine.ArtifactConfig{{BlastRadius: 0.6}}
		}
		g := &guard{refused: new(atomic.Int64), broken: new(atomic.Int64)}
		g.Governor.HardFloor = rapid.Float64Range(0.3, 1).Draw(t, "hard floor")
		c.Budget.Governor, c.Budget.Allocator = g, g
		var w watch
		w.run(t, c)

		if n := g.broken.Load(); n > 0 {
			t.Fatalf("%d questions that should not have been asked, or answers that should not have been given", n)
		}
		if diff := cmp.Diff(w.measured, leasesOf(w.observations)); diff != "" {
			t.Fatalf("leases (-measured +observed):\n%s", diff)
		}
		for i, o := range w.observations {
			if o.Committed != w.labels[i] {
				t.Fatalf("lease %d: committed %v, observed %v", o.Lease, w.labels[i], o.Committed)
			}
		}
		byGovernor := int64(0)
		for _, rec := range w.leases {
			switch rec.Verify {
			case engine.VerifyGovernor:
				byGovernor++
				fallthrough
			case engine.VerifySkipped:
				if rec.Delta.Known || rec.Spend.Rollouts != 1 {
					t.Fatalf("lease %d was %s and yet verified: %+v", rec.Lease, rec.Verify, rec)
				}
			}
		}
		if byGovernor != g.refused.Load() {
			t.Fatalf("the governor refused %d, %d leases say so", g.refused.Load(), byGovernor)
		}
		fired += w.result.Allocation.Fired()
		refused += byGovernor
	})
	if fired == 0 || refused == 0 {
		t.Errorf("over all runs the allocator fired %d times and the governor refused %d: nothing was tested", fired, refused)
	}
}

func leasesOf(obs []engine.Observation) []int {
	var leases []int
	for _, o := range obs {
		leases = append(leases, o.Lease)
	}
	return leases
}

// On a shipped problem: below half the budget the allocator fires, and it learned what was decided.
func TestTheAllocatorFiresOnTheLandscape(t *testing.T) {
	seeds := make([]int64, 20)
	for i := range seeds {
		seeds[i] = int64(i)
	}
	p, err := landscape.NewProblem(landscape.Config{Family: landscape.Source(), Budget: 30, Seeds: seeds})
	if err != nil {
		t.Fatal(err)
	}
	var w watch
	c := toyConfig(10_000)
	c.Tasks.Problem = p
	c.Actor.Proposer = reflector.Mutant{}
	w.run(t, c)
	s := w.result.Allocation
	if s.Fired() == 0 || s.Skipped == 0 {
		t.Errorf("%+v: the allocator never fired", s)
	}
	if s.Observed != len(w.measured) || s.Observed == 0 {
		t.Errorf("%d observations of %d measured decisions", s.Observed, len(w.measured))
	}
	counts := map[engine.Verification]int{}
	for _, rec := range w.leases {
		counts[rec.Verify]++
	}
	if s.Skipped != counts[engine.VerifySkipped] || s.Counterfactual != counts[engine.VerifyCounterfactual] || s.Allowed != counts[engine.VerifyAllowed] {
		t.Errorf("%+v, leases %v", s, counts)
	}
}

// The record keeps what is known after the fact beside the vector and what the model knew then.
func TestObservationsAreRecordedWhole(t *testing.T) {
	var w watch
	w.run(t, toyConfig(600))
	alloc := &budget.ValueBudgetAllocator{}
	for _, o := range w.observations {
		alloc.Observe(engine.AllocatorContext{Features: o.Features}, o.Committed)
		if diff := cmp.Diff(alloc.State(), o.State); diff != "" {
			t.Fatalf("state after lease %d (-told the record +recorded):\n%s", o.Lease, diff)
		}
		rec := w.leases[slices.IndexFunc(w.leases, func(r engine.LeaseRecord) bool { return r.Lease == o.Lease })]
		if o.Audit.Delta != rec.Delta || o.Audit.Uncertainty != rec.Uncertainty || !o.Audit.Uncertainty.Known {
			t.Fatalf("audit %+v of lease %+v", o.Audit, rec)
		}
		if o.Advantage != rec.Advantage || o.Keys != len(rec.Diff) || o.BlastRadius != 0.2 {
			t.Fatalf("features %+v of lease %+v", o.Features, rec)
		}
	}
	if len(w.observations) < 5 {
		t.Errorf("only %d observations", len(w.observations))
	}
}

func canonical(m *engine.Memory) string {
	var b strings.Builder
	for _, e := range m.Entries() {
		if e.Kind.Canonical() {
			b.WriteString(string(e.Kind) + " " + string(e.Data) + "\n")
		}
	}
	return b.String()
}

// An allocator that never acts leaves the run as it would be without one, its own record apart.
func TestAnInertAllocatorChangesNothing(t *testing.T) {
	var with, without watch
	c := toyConfig(1e9)
	c.Budget.Rounds = 15
	with.run(t, c)
	c.Budget.Allocator, c.Policies = nil, slots.Policies{Acceptance: &slots.PairedAcceptance{}}
	without.run(t, c)
	strip := func(log string) string {
		var kept []string
		for line := range strings.Lines(log) {
			if !strings.HasPrefix(line, string(engine.ObserveEntry)) {
				kept = append(kept, uncertain(strings.Replace(line, `,"allocator":[0,0,0,0,0]`, "", 1)))
			}
		}
		return strings.Join(kept, "")
	}
	if a, b := strip(canonical(with.ledger)), strip(canonical(without.ledger)); a != b {
		t.Errorf("with an allocator that never acts:\n%s\nwithout:\n%s", a, b)
	}
	if without.result.Allocation != nil || with.result.Allocation == nil || with.result.Allocation.Fired() != 0 {
		t.Errorf("%+v and %+v", without.result.Allocation, with.result.Allocation)
	}
}

// uncertain takes an allocator's uncertainty out of a lease's record.
func uncertain(line string) string {
	kind, data, _ := strings.Cut(line, " ")
	if kind != string(engine.LeaseEntry) {
		return line
	}
	var rec engine.LeaseRecord
	if err := json.Unmarshal([]byte(data), &rec); err != nil {
		return err.Error()
	}
	rec.Uncertainty = slots.Maybe{}
	b, _ := json.Marshal(rec)
	return kind + " " + string(b) + "\n"
}

// A resume under other numbers does not go on as if nothing had happened.
func TestAResumeUnderAnotherAllocatorDiverges(t *testing.T) {
	for name, other := range map[string]engine.Allocator{
		"none":              nil,
		"another rate":      &budget.ValueBudgetAllocator{Model: budget.LearningValueModel{Rate: 0.1}},
		"one that has been": taught(&budget.ValueBudgetAllocator{}, 1),
	} {
		t.Run(name, func(t *testing.T) {
			var w watch
			c := toyConfig(600)
			w.run(t, c)
			c = toyConfig(600)
			c.Ledger.Store, c.Budget.Allocator = w.ledger, other
			var diverged *engine.DivergedError
			if _, err := engine.Run(context.Background(), c); !errors.As(err, &diverged) {
				t.Errorf("resumed with %v", err)
			}
		})
	}
}

func TestAnAllocatorNeedsACap(t *testing.T) {
	c := toyConfig(0)
	var refused *engine.ConfigError
	if _, err := engine.Run(context.Background(), c); !errors.As(err, &refused) || !strings.Contains(err.Error(), "Budget.Allocator") {
		t.Errorf("%v", err)
	}
	c.Budget.MaxTokens = 100_000
	c.Budget.Rounds = 1
	if _, err := engine.Run(context.Background(), c); err != nil {
		t.Error(err)
	}
}
