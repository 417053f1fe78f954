package engine_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/slots"
)

// fitted is a problem on rules: the reward of a rule on a task is how close it comes to 3x + 1 at the
// task's x.
type fitted struct{ sig *dsl.Signature }

func newFitted(t testing.TB) fitted {
	t.Helper()
	f, err := dsl.Parse("fit.rule", "signature test.fit(x: num in [0, 10]) -> num\n")
	if err != nil {
		t.Fatal(err)
	}
	return fitted{sig: f.Decls[0].(*dsl.Signature)}
}

func (f fitted) Describe() engine.Description {
	d := engine.Description{Name: "fit", Signature: f.sig, Initial: "rule fit(x) { return x }\n"}
	for i := range 20 {
		d.Tasks = append(d.Tasks, slots.Task{ID: fmt.Sprint(i)})
	}
	return d
}

func (f fitted) Evaluate(_ context.Context, c *slots.Candidate, task slots.Task, _ uint64) (engine.Outcome, error) {
	var i float64
	fmt.Sscan(task.ID, &i)
	x := i / 2
	y := c.Program.Num([]float64{x})
	return engine.Outcome{Reward: math.Exp(-math.Abs(y-(3*x+1)) / 10)}, nil
}

// sums proposes a·x + b with random constants, as a tree, tried against its siblings first.
func sums(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	rng := rand.New(rand.NewPCG(pc.Seed, 1))
	p := &slots.Proposal{Note: "sums"}
	best := -1.0
	for pc.Trial.Left() >= 4 {
		rule := &dsl.Rule{
			Name: dsl.Ident{Text: "fit"},
			Body: &dsl.Block{Stmts: []dsl.Stmt{&dsl.Return{Value: &dsl.Binary{
				Op: dsl.Add,
				X:  &dsl.Binary{Op: dsl.Mul, X: &dsl.Num{Value: rng.Float64() * 5}, Y: &dsl.Ref{Name: "x"}},
				Y:  &dsl.Num{Value: rng.Float64() * 3},
			}}}},
		}
		c, ok := pc.Trial.Admit(rule)
		if !ok {
			continue
		}
		rewards, err := pc.Trial.Try(ctx, c, []int{0, 3, 6, 9})
		if err != nil {
			return nil, err
		}
		score := slots.Count(rewards).Rate()
		p.Elites = append(p.Elites, slots.Elite{Rule: rule, Identity: c.Identity, Score: score, N: 4})
		if score > best {
			best, p.Rule = score, rule
		}
	}
	return p, nil
}

func fitConfig(t testing.TB) engine.Config {
	return engine.Config{
		Seed:     3,
		Tasks:    engine.Tasks{Problem: newFitted(t)},
		Actor:    engine.Actor{Proposer: slots.ProposerFunc(sums), Trials: 40},
		Policies: slots.Policies{Acceptance: &slots.PairedAcceptance{}},
		Budget:   engine.Budget{Rounds: 8},
	}
}

func TestRulesEvolve(t *testing.T) {
	res, _ := mustRun(t, fitConfig(t))
	if res.HeldOut.After.Value < 0.8 || res.HeldOut.Before.Value > 0.4 {
		t.Errorf("held-out %v -> %v with\n%s", res.HeldOut.Before, res.HeldOut.After, res.Rendered)
	}
	// 4 lanes, 8 rounds: a rollout, 40 trials and a verification each, unless solved.
	if want := 4 * 8 * 42; res.Spend.Rollouts < want/2 || res.Gated < 4*8*11/2 {
		t.Errorf("spend %+v, gated %d", res.Spend, res.Gated)
	}
	if _, err := dsl.Parse("best.rule", res.Rendered); err != nil {
		t.Errorf("the result does not parse: %v", err)
	}
}

func TestRefusedProposalsAreCounted(t *testing.T) {
	c := fitConfig(t)
	c.Actor.Trials = 0
	c.Actor.Proposer = slots.ProposerFunc(func(context.Context, *slots.ProposalContext) (*slots.Proposal, error) {
		return &slots.Proposal{Text: "rule fit(x) { return y }"}, nil
	})
	res, _ := mustRun(t, c)
	if res.Refused["undefined-name"] != 4*8 || res.Gated != 4*8 || len(res.Outcomes) != 0 {
		t.Errorf("refused %v of %d, outcomes %v", res.Refused, res.Gated, res.Outcomes)
	}
}

func TestDistanceIsTheMeanRankChange(t *testing.T) {
	g, err := gate.New(gate.Config{Signature: newFitted(t).sig})
	if err != nil {
		t.Fatal(err)
	}
	rules := engine.NewRules(engine.Gated(g))
	state := func(body string) slots.State {
		return slots.State{slots.RuleKey: "rule fit(x) { return " + body + " }"}
	}
	if d := rules.Distance(state("x"), state("3 * x + 1")); d != 0 {
		t.Errorf("rules that rank alike are %v apart", d)
	}
	// Reversing n ranks moves point i by |n − 1 − 2i|: on average n/2, or (n − 1/n)/2 for odd n.
	if d := rules.Distance(state("x"), state("-x")); d < 0.5 || d > 0.51 {
		t.Errorf("reversed rules are %v apart, want one half", d)
	}
	if d := rules.Distance(state("x"), state("7")); d < 0.24 || d > 0.26 {
		t.Errorf("a constant rule is %v apart, want one quarter", d)
	}
	if _, err := rules.Ready("fit", state("1 / (x - x)")); err == nil {
		t.Error("a rule that is not finite on the grid is admitted")
	}
}
