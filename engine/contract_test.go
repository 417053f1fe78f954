package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// The policies below break the contract of one slot each.
type (
	otherKey    struct{ slots.RoundRobin }
	emptyBatch  struct{}
	miscounts   struct{}
	stranger    struct{}
	emptyDiff   struct{}
	nopeWord    struct{}
	yesRefused  struct{}
	oddStale    struct{}
	promoteNone struct{}
	unknownHead struct{}
	noHead      struct{}
	twoAtOnce   struct{}
)

func (otherKey) Pick([]string, int) string { return "elsewhere" }

func (emptyBatch) Resolve(_ context.Context, _ slots.Artifact, c []*slots.Card) ([]*slots.Card, int, error) {
	return nil, len(c), nil
}

func (miscounts) Resolve(_ context.Context, _ slots.Artifact, c []*slots.Card) ([]*slots.Card, int, error) {
	return c, 1, nil
}

func (stranger) Resolve(_ context.Context, _ slots.Artifact, c []*slots.Card) ([]*slots.Card, int, error) {
	return []*slots.Card{{Lease: 99}}, len(c) - 1, nil
}

func (emptyDiff) Select(context.Context, slots.Artifact, []slots.Diff) (slots.Choice, error) {
	return slots.Choice{}, nil
}

func (nopeWord) Accept(slots.MergeContext) (slots.AcceptDecision, error) {
	return slots.AcceptDecision{Category: "nope"}, nil
}

func (yesRefused) Accept(slots.MergeContext) (slots.AcceptDecision, error) {
	return slots.AcceptDecision{Accept: true, Category: slots.BelowThreshold}, nil
}

func (oddStale) Decide(int, int, bool) slots.StaleAction { return 17 }

func (promoteNone) Observe([]slots.Report) []string { return []string{"no such artifact"} }

func (unknownHead) Select(slots.SelectionContext, int) ([]int, error) { return []int{41}, nil }
func (noHead) Select(slots.SelectionContext, int) ([]int, error)      { return nil, nil }

func (twoAtOnce) Propose(context.Context, *slots.ProposalContext, slots.Proposer) ([]slots.Proposal, error) {
	return []slots.Proposal{{Text: "a"}, {Text: "b"}}, nil
}

func TestBrokenContractsEndTheRun(t *testing.T) {
	for _, tt := range []struct {
		slot string
		p    slots.Policies
		want string
	}{
		{"task_sampler", slots.Policies{TaskSampler: otherKey{}}, `"elsewhere"`},
		{"conflict", slots.Policies{Conflict: emptyBatch{}}, "none"},
		{"conflict", slots.Policies{Conflict: miscounts{}}, "1 dropped"},
		{"conflict", slots.Policies{Conflict: stranger{}}, "lease 99"},
		{"fusion", slots.Policies{Fusion: emptyDiff{}}, "an empty one"},
		{"acceptance", slots.Policies{Acceptance: nopeWord{}}, `"nope"`},
		{"acceptance", slots.Policies{Acceptance: yesRefused{}}, "accept true"},
		{"staleness", slots.Policies{Staleness: oddStale{}}, "17"},
		{"promotion", slots.Policies{Promotion: promoteNone{}}, "no such artifact"},
		{"selection", slots.Policies{Selection: unknownHead{}}, "head 41"},
		{"selection", slots.Policies{Selection: noHead{}}, "0"},
		{"proposal", slots.Policies{Proposal: twoAtOnce{}}, "2"},
	} {
		t.Run(tt.slot+" "+tt.want, func(t *testing.T) {
			res, err := engine.Run(context.Background(), goldConfig(tt.p))
			var broken *slots.ContractError
			if !errors.As(err, &broken) || broken.Slot != tt.slot || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want a contract error of %s with %q", err, tt.slot, tt.want)
			}
			if res.Stop != engine.StopError || res.Error != err.Error() {
				t.Errorf("result says %s, %q", res.Stop, res.Error)
			}
		})
	}
}

func TestAnInstanceServesOneRun(t *testing.T) {
	shared := &slots.DefaultConflict{}
	if _, err := engine.Run(context.Background(), goldConfig(slots.Policies{Conflict: shared})); err != nil {
		t.Fatal(err)
	}
	_, err := engine.Run(context.Background(), goldConfig(slots.Policies{Conflict: shared}))
	var install *slots.InstallError
	if !errors.As(err, &install) || install.Slot != "conflict" {
		t.Fatalf("error %v, want the conflict policy refused", err)
	}
}

type nopAggregator struct{}

func (nopAggregator) Step(context.Context, int, []*slots.Card) ([]slots.Report, error) {
	return nil, nil
}

func TestValidateReportsEverythingAtOnce(t *testing.T) {
	c := engine.Config{
		Artifacts: []engine.ArtifactConfig{{ID: "oracle", BlastRadius: 2}, {ID: "oracle"}},
		Parallel:  engine.Parallel{Lanes: -1, Async: engine.Async{On: true, Order: "random"}, Executor: nowhere{}},
		Budget:    engine.Budget{MaxTime: 1, Allocator: &ledgerOfDecisions{}},
		Gate:      engine.Gate{Aggregator: func(engine.Kit) (engine.Aggregator, error) { return nopAggregator{}, nil }},
		Policies:  slots.Policies{Selection: spread{}, Fusion: emptyDiff{}, Promotion: promoteNone{}},
	}
	err := c.Validate()
	var all *engine.ConfigError
	if !errors.As(err, &all) {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Tasks.Problem is not set", "Actor.Proposer is not set", `"oracle" is frozen`, "blast radius 2",
		`two artifacts are called "oracle"`, "Parallel.Lanes is -1", `Order is "random"`, "Parallel.Executor",
		"MaxTime needs Observe.Clock", "Allocator without a cap", "Policies.Selection and Gate.Aggregator",
		"Policies.Fusion, Policies.Promotion would not be consulted",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not reported in:\n%v", want, err)
		}
	}
}

type nowhere struct{}

func (nowhere) Evaluate(context.Context, engine.Job) (engine.Outcome, error) {
	return engine.Outcome{}, errors.New("no machine")
}

func TestBudgetsThatBuyNothingAreRefused(t *testing.T) {
	c := hillConfig()
	c.Budget.MaxRollouts = 19
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "takes at least 20 (4 lanes, and 8 held-out") {
		t.Errorf("19 rollouts: %v", err)
	}
	c.Budget.MaxRollouts = 20
	if err := c.Validate(); err != nil {
		t.Errorf("20 rollouts: %v", err)
	}
	// An evaluation of a rule costs a unit at least, one of a text what its evaluator says.
	c.Budget = engine.Budget{MaxCost: 1}
	if err := c.Validate(); err != nil {
		t.Errorf("a text within one unit: %v", err)
	}
	c.Tasks.Problem = newFitted(t)
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "Budget.MaxCost is 1") {
		t.Errorf("a rule within one unit: %v", err)
	}
	c.Budget.MaxCost = 1000
	if err := c.Validate(); err != nil {
		t.Errorf("a rule within a thousand units: %v", err)
	}
}

func TestPlan(t *testing.T) {
	c := hillConfig()
	p, err := engine.NewPlan(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Train) != 12 || len(p.HeldOut) != 8 || len(p.Sealed) != 5 || p.HeldOut[0] != "h12" {
		t.Errorf("split %v | %v | %v", p.Train, p.HeldOut, p.Sealed)
	}
	// 2·2^7/8·(1−2^−8) = 31.875 is the first all-wins e-value above 20.
	if !strings.HasPrefix(p.Sees, "7 of 8 tasks must get better") {
		t.Errorf("sees %q", p.Sees)
	}
	if len(p.Warnings) != 0 {
		t.Errorf("warnings %q", p.Warnings)
	}
	c.Tasks.HeldOut, c.Gate.MinGate = 0.15, 60
	if p, err = engine.NewPlan(c); err != nil {
		t.Fatal(err)
	}
	want := []string{"3 held-out tasks judge every candidate; at least 60 are asked for",
		"3 held-out tasks cannot reach an e-value of 20 even if all get better"}
	if strings.Join(p.Warnings, "\n") != strings.Join(want, "\n") {
		t.Errorf("warnings %q", p.Warnings)
	}
}

// What is trained on and never judged on, or the reverse, is named.
func TestPlanNamesWhatStandsOnOneSide(t *testing.T) {
	p := gold(10) // six train, four are held out
	for i, cluster := range strings.Fields("easy easy easy hard hard odd hard hard new new") {
		p.Tasks[i].Cluster = cluster
	}
	c := goldConfig(slots.Policies{})
	c.Tasks = engine.Tasks{Problem: p}
	plan, err := engine.NewPlan(c)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(plan.OneSided, " "); got != "easy new odd" {
		t.Errorf("one-sided: %s", got)
	}
	for _, name := range plan.OneSided {
		if !strings.Contains(strings.Join(plan.Warnings, "\n"), name+" stands on one side of the split only") {
			t.Errorf("%s is not warned of in %q", name, plan.Warnings)
		}
	}
}
