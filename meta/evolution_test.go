package meta_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/problems/dials"
	"github.com/agentdescent/adrun/reflector"
	"github.com/agentdescent/adrun/slots"
)

// inner is a regime of dials as an inner problem.
func inner(t testing.TB, regime, name string, machines func(dials.Regime) dials.Config) *meta.Evolution {
	t.Helper()
	r, err := dials.RegimeByName(regime)
	if err != nil {
		t.Fatal(err)
	}
	return &meta.Evolution{
		Name: name, Fingerprint: r.Fingerprint(machines(r)), Slots: []string{r.Slot}, Stable: r.Stable,
		Start: func(seed int64) (engine.Config, meta.Quality, error) {
			m := dials.New(machines(r), seed)
			return r.Config(m), func(_ context.Context, s slots.State) (float64, error) { return m.Quality(s), nil }, nil
		},
	}
}

func small(r dials.Regime) dials.Config { return r.Small }
func large(r dials.Regime) dials.Config { return r.Large }

// value compiles a policy of a slot.
func value(t testing.TB, slot, text string) meta.Value {
	t.Helper()
	s, err := meta.NewPolicy(meta.PolicyConfig{Slot: slot, Initial: text})
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Ready(slot, s.Initial())
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAnInnerRunIsAFunctionOfValueAndSeed(t *testing.T) {
	p := inner(t, "lagging", "lagging", small)
	run := func(text string, seed int64) meta.Outcome {
		o, err := p.Run(context.Background(), value(t, "staleness", text), seed)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	first := run("", 1)
	if diff := cmp.Diff(first, run("", 1)); diff != "" {
		t.Errorf("the same value and seed: %s", diff)
	}
	if cmp.Equal(first.Curve, run("", 2).Curve) {
		t.Error("the seed moves nothing")
	}
	throwAway := run("policy p fills staleness { decide(eta) { return discard } }", 1)
	if n := len(throwAway.Curve); n != 24 || throwAway.Curve[0] != throwAway.Final || first.Final <= throwAway.Final {
		t.Errorf("a run that discards every card goes on to %v, the default to %v", throwAway.Final, first.Final)
	}
	if throwAway.Detail.Outcomes[slots.AllStale] == 0 || throwAway.Rollouts == 0 || throwAway.Detail.Stop != engine.StopRounds {
		t.Errorf("%+v", throwAway)
	}
}

// What is drawn of a regime that asks for the stable head is never ahead of what is drawn of dev.
func TestTheStableCurveTrails(t *testing.T) {
	never := value(t, "promotion", "policy p fills promotion { promote(survived) { return false } }")
	o, err := inner(t, "trailing", "trailing", small).Run(context.Background(), never, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range o.Curve {
		if v != o.Curve[0] {
			t.Fatalf("nothing was promoted, and the stable head moved: %v", o.Curve)
		}
	}
	always := value(t, "promotion", "policy p fills promotion { promote(survived) { return true } }")
	if o, err = inner(t, "trailing", "trailing", small).Run(context.Background(), always, 3); err != nil {
		t.Fatal(err)
	}
	if o.Final <= o.Curve[0] {
		t.Errorf("everything was promoted, and the stable head stayed at %v", o.Final)
	}
}

// Every slot evolves end to end on the regime in which it matters, and ends with a report.
func TestEverySlotEvolves(t *testing.T) {
	for _, r := range dials.Regimes() {
		t.Run(r.Slot, func(t *testing.T) {
			t.Parallel()
			s, err := meta.NewPolicy(meta.PolicyConfig{Slot: r.Slot})
			if err != nil {
				t.Fatal(err)
			}
			propose, draw, err := meta.Offline(s, reflector.Breeder{Random: 4})
			if err != nil {
				t.Fatal(err)
			}
			report, res, err := meta.Run(context.Background(), meta.RunConfig{
				Config: meta.Config{
					Spec: s, Problems: []meta.Problem{inner(t, r.Name, "small", small)}, Seeds: seeds(1, 6),
					Outer: engine.Config{
						Seed: 1, Actor: engine.Actor{Proposer: propose, Trials: 24},
						Budget: engine.Budget{Rounds: 1}, Parallel: engine.Parallel{Lanes: 2},
					},
				},
				Validation: []meta.Problem{inner(t, r.Name, "large", large)}, ValidationSeeds: seeds(100, 3), Draw: draw,
			})
			if err != nil {
				t.Fatal(err)
			}
			if report.Slot != r.Slot || report.Verdict == "" || report.Family == nil || report.BestOf == nil || res.Failures > 0 {
				t.Errorf("%+v", report)
			}
		})
	}
}

// two is a sampler of two numbers.
type two struct {
	slots.RoundRobin
	c, prior float64
}

// sampler is an inner problem that is worth how near both numbers are to 0.5.
type sampler struct{ level }

func (p sampler) Run(_ context.Context, v meta.Value, seed int64) (meta.Outcome, error) {
	b, err := v.Policies()
	if err != nil {
		return meta.Outcome{}, err
	}
	d := b.TaskSampler.(two)
	y := 1 - (math.Abs(d.c-0.5)+math.Abs(d.prior-0.5))/2 - 0.001*float64(seed%7)
	return meta.Outcome{Curve: []float64{y}}, nil
}

func samplerParams(t testing.TB) *meta.ParamSlot {
	t.Helper()
	s, err := meta.NewParams(meta.ParamConfig{
		Slot:   "task_sampler",
		Params: []meta.Param{{Name: "c", Value: 0.1, Lo: 0.05, Hi: 1}, {Name: "prior", Value: 0.9, Lo: 0, Hi: 1}},
		Build: func(v []float64) (slots.Policies, error) {
			return slots.Policies{TaskSampler: two{c: v[0], prior: v[1]}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func outerSampler(t testing.TB, p slots.Proposer) meta.Config {
	return meta.Config{
		Spec: samplerParams(t), Problems: []meta.Problem{sampler{level{name: "sampler"}}}, Seeds: seeds(1, 20),
		Outer: engine.Config{
			Seed: 1, Actor: engine.Actor{Proposer: p, Trials: 200},
			Budget: engine.Budget{Rounds: 1}, Parallel: engine.Parallel{Lanes: 2},
		},
	}
}

// Two lanes that move different parameters make one commit that has both; what is unknown or out of bounds is
// refused and counted.
func TestLanesThatMoveDifferentParametersUnite(t *testing.T) {
	texts := []string{"c = 0.5", "prior = 0.5"}
	scripted := slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
		return &slots.Proposal{Text: texts[pc.Lane]}, nil
	})
	res, err := meta.Evolve(context.Background(), outerSampler(t, scripted))
	if err != nil {
		t.Fatal(err)
	}
	if want := "c = 0.5\nprior = 0.5"; res.Rendered != want || len(res.Log) != 1 || res.History[0].Fused != 1 {
		t.Errorf("%q after %d commits, %+v", res.Rendered, len(res.Log), res.History)
	}
	texts = []string{"c = 0.5", "c = 0.4"}
	if res, err = meta.Evolve(context.Background(), outerSampler(t, scripted)); err != nil {
		t.Fatal(err)
	}
	if res.History[0].ConflictsDropped != 1 || res.Rendered != "c = 0.5\nprior = 0.9" {
		t.Errorf("two values of one parameter: %q, %+v", res.Rendered, res.History)
	}
	texts = []string{"speed = 1", "c = 7"}
	if res, err = meta.Evolve(context.Background(), outerSampler(t, scripted)); err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{meta.CodeUnknownParam: 1, meta.CodeOutOfBounds: 1}; !cmp.Equal(res.Refused, want) {
		t.Errorf("refused %v, want %v", res.Refused, want)
	}
}

func TestTheClimberClimbs(t *testing.T) {
	c := outerSampler(t, nil)
	propose, _, err := meta.Offline(c.Spec, reflector.Breeder{})
	if err != nil {
		t.Fatal(err)
	}
	c.Outer.Actor = engine.Actor{Proposer: propose, Trials: 1500}
	c.Outer.Budget.Rounds = 3
	res, err := meta.Evolve(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if res.HeldOut.After.Value < 0.97 { // 0.59 at the start, 1 at the top
		t.Errorf("climbed to %v: %s", res.HeldOut.After.Value, res.Rendered)
	}
}
