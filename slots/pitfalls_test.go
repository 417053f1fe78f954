package slots_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// The mistakes that people make with policies, in the order in which they make them. Each must end in an
// error, a warning or a program that does not compile; none may end in a policy that is never asked.

// refusal runs a configuration that must not start and returns why.
func refusal(t *testing.T, c engine.Config) string {
	t.Helper()
	if _, err := engine.Run(context.Background(), c); err != nil {
		return err.Error()
	}
	t.Fatal("the run started")
	return ""
}

func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not say %q", text, w)
		}
	}
}

func TestPitfall1ThresholdsByHand(t *testing.T) {
	pinned := &slots.AdvantageAcceptance{Inner: slots.DefaultAcceptance{BaseDelta: 0.5, HalfLife: 64}}
	c := knobConfig(slots.Policies{Acceptance: pinned})
	c.Gate.Merge.BaseDelta = 0.2
	p, err := engine.NewPlan(c)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, strings.Join(p.Warnings, "\n"), "its own BaseDelta of 0.5 where the run says 0.2")
	if pinned.Inner.BaseDelta != 0.5 || pinned.Inner.MinDelta != 0.01 {
		t.Errorf("the run overwrote what was set, or left what was not: %+v", pinned.Inner)
	}
	// Left alone, a wrapper follows the run.
	free := &slots.AdvantageAcceptance{}
	c = knobConfig(slots.Policies{Acceptance: free})
	c.Gate.Merge.BaseDelta = 0.2
	if p, err = engine.NewPlan(c); err != nil || len(p.Warnings) != 0 || free.Inner.BaseDelta != 0.2 {
		t.Errorf("%v, warnings %q, thresholds %+v", err, p.Warnings, free.Inner)
	}
}

// A ranking number cannot stand where a deciding one is asked for: their types do not convert.
func TestPitfall2DecidingByTheCheapLayer(t *testing.T) {
	cheap, counts := reflect.TypeFor[slots.CheapScore](), reflect.TypeFor[slots.Counts]()
	if cheap.ConvertibleTo(counts) || counts.ConvertibleTo(cheap) || cheap.AssignableTo(reflect.TypeFor[float64]()) {
		t.Error("CheapScore passes for Counts or for a plain number")
	}
	if cheap.NumMethod() != 0 {
		t.Error("CheapScore has methods, such as a Rate to decide by")
	}
}

type nope struct{}

func (nope) Accept(slots.MergeContext) (slots.AcceptDecision, error) {
	return slots.AcceptDecision{Category: "nope"}, nil
}

func TestPitfall3AMadeUpCategory(t *testing.T) {
	contains(t, refusal(t, knobConfig(slots.Policies{Acceptance: nope{}})), "acceptance policy", "vocabulary", `"nope"`)
}

func TestPitfall4HalfOfThePair(t *testing.T) {
	pair := slots.ReflectiveMerge(nil)
	contains(t, refusal(t, knobConfig(slots.Policies{Fusion: pair.Fusion})), "Policies.Fusion merges contradictions", "ReflectiveMerge")
	contains(t, refusal(t, knobConfig(slots.Policies{Conflict: pair.Conflict})), "Policies.Conflict keeps contradictions", "ReflectiveMerge")
}

type idle struct{}

func (idle) Step(context.Context, int, []*slots.Card) ([]slots.Report, error) { return nil, nil }

func factory(c *engine.Config) {
	c.Gate.Aggregator = func(engine.Kit) (engine.Aggregator, error) { return idle{}, nil }
}

func TestPitfall5SelectionAndAFactory(t *testing.T) {
	contains(t, refusal(t, knobConfig(slots.Policies{Selection: slots.Beam{}}, factory)), "Policies.Selection and Gate.Aggregator")
}

func TestPitfall6MergeSidePoliciesAndAFactory(t *testing.T) {
	p := slots.Policies{Staleness: slots.Full{}, Promotion: &slots.DefaultPromotion{}, TaskSampler: &slots.DifficultyWeighted{}}
	got := refusal(t, knobConfig(p, factory))
	contains(t, got, "Policies.Staleness, Policies.Promotion would not be consulted")
	if strings.Contains(got, "TaskSampler") {
		t.Errorf("a sampler is consulted beside a factory: %s", got)
	}
}

type executor struct{}

func (executor) Evaluate(context.Context, engine.Job) (engine.Outcome, error) {
	return engine.Outcome{}, errors.New("nowhere")
}

func TestPitfall7AnExecutorWithoutBarriers(t *testing.T) {
	contains(t, refusal(t, knobConfig(slots.Policies{}, func(c *engine.Config) {
		c.Parallel.Refresh, c.Parallel.Async.On, c.Parallel.Executor = 0, true, executor{}
	})), "Parallel.Executor", "no seam")
}

func TestPitfall8OneInstanceForTwoRuns(t *testing.T) {
	for slot, p := range map[string]slots.Policies{
		"task_sampler": {TaskSampler: &slots.DifficultyWeighted{}},
		"conflict":     {Conflict: &slots.AdvantageConflict{}},
		"fusion":       {Fusion: &slots.DefaultFusion{}},
		"acceptance":   {Acceptance: &slots.StableDistanceAcceptance{}},
		"promotion":    {Promotion: &slots.DefaultPromotion{}},
	} {
		run(t, knobConfig(p))
		contains(t, refusal(t, knobConfig(p)), "installing the "+slot+" policy", "build a fresh one for each")
	}
	for _, text := range []string{
		"policy r fills task_sampler { weight { return 1 } }",
		"policy r fills conflict { prefer { return true } }",
		"policy r fills fusion { merit { return 1 } }",
		"policy r fills acceptance { accept { return false } }",
		"policy r fills promotion { promote { return false } }",
	} {
		p := compiled(t, text)
		run(t, knobConfig(p))
		contains(t, refusal(t, knobConfig(p)), "build a fresh one for each")
	}
}

type twice struct{}

func (twice) Propose(context.Context, *slots.ProposalContext, slots.Proposer) ([]slots.Proposal, error) {
	return []slots.Proposal{{Text: "k1: 1"}, {Text: "k1: 2"}}, nil
}

func TestPitfall9TwoProposals(t *testing.T) {
	contains(t, refusal(t, knobConfig(slots.Policies{Proposal: twice{}})), "proposal policy: Propose returns zero or one proposal, got 2")
}

func TestPitfall10DrivenByHand(t *testing.T) {
	a := slots.Artifact{ID: "a", State: slots.State{}}
	cards := []*slots.Card{{Diff: slots.Write("k", "1")}, {Diff: slots.Write("k", "2")}}
	rule := compiled(t, "policy r fills conflict { prefer(shipped) { return shipped } }").Conflict
	for name, p := range map[string]slots.Conflict{"DefaultConflict": &slots.DefaultConflict{}, "DefaultConflict ": &slots.AdvantageConflict{}, "r": rule} {
		_, _, err := p.Resolve(context.Background(), a, cards)
		var unbound *slots.UnboundError
		if !errors.As(err, &unbound) || unbound.Policy != strings.TrimSpace(name) {
			t.Errorf("%T: %v", p, err)
		}
	}
	diffs := []slots.Diff{slots.Write("k", "1"), slots.Write("l", "2")}
	var unbound *slots.UnboundError
	if _, err := (&slots.DefaultFusion{Tournament: true}).Select(context.Background(), a, diffs); !errors.As(err, &unbound) {
		t.Error(err)
	}
	if _, err := (&slots.StableDistanceAcceptance{}).Accept(slots.MergeContext{}); !errors.As(err, &unbound) {
		t.Error(err)
	}
	// Installed, they work.
	p := &slots.DefaultConflict{}
	if err := slots.Install(p, byValue{}, slots.MergeConfig{}); err != nil {
		t.Fatal(err)
	}
	kept, dropped, err := p.Resolve(context.Background(), a, cards)
	if err != nil || dropped != 1 || kept[0] != cards[1] {
		t.Errorf("kept %v, dropped %d, %v", kept, dropped, err)
	}
}

// byValue is a verifier that scores a state by the number of tenths in its values.
type byValue struct{}

func (byValue) CheapEval(_ context.Context, _ string, s slots.State) (slots.CheapScore, error) {
	sum := 0
	for _, v := range s {
		for _, c := range v {
			sum += int(c - '0')
		}
	}
	return slots.CheapScore(float64(sum) / 10), nil
}

func (byValue) EvalCounts(context.Context, string, slots.State) (slots.Counts, error) {
	return slots.Counts{}, errors.New("ranking asks for no counts")
}

// keepsBoth lets contradicting cards through without a fusion that can merge them.
type keepsBoth struct{}

func (keepsBoth) Resolve(_ context.Context, _ slots.Artifact, c []*slots.Card) ([]*slots.Card, int, error) {
	return c, 0, nil
}

func TestSurvivorsMayNotContradict(t *testing.T) {
	contains(t, refusal(t, knobConfig(slots.Policies{Conflict: keepsBoth{}})), "conflict policy", "do not contradict each other")
}
