package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// scripted answers evaluations by a function of the candidate and the task.
type scripted struct {
	engine.Callables
	dear   bool
	answer func(c *slots.Candidate, task slots.Task) (engine.Outcome, error)
}

func (s scripted) Describe() engine.Description {
	d := s.Callables.Describe()
	d.Dear = s.dear
	return d
}

func (s scripted) Evaluate(_ context.Context, c *slots.Candidate, task slots.Task, _ uint64) (engine.Outcome, error) {
	return s.answer(c, task)
}

func TestRewardsOutsideTheContractAreFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		answer engine.Outcome
		panics bool
		want   string
	}{
		"NaN":      {engine.Outcome{Reward: math.NaN()}, false, "the reward is NaN, not a number in [0, 1]"},
		"infinite": {engine.Outcome{Reward: math.Inf(1)}, false, "the reward is +Inf, not a number in [0, 1]"},
		"above":    {engine.Outcome{Reward: 1.5}, false, "the reward 1.5 is outside [0, 1]"},
		"below":    {engine.Outcome{Reward: -0.1}, false, "the reward -0.1 is outside [0, 1]"},
		"failed":   {engine.Outcome{Reward: 0.7, Failure: "syntax error"}, false, "syntax error"},
		"cost":     {engine.Outcome{Reward: 0.7, Spend: slots.Spend{Cost: math.NaN()}}, false, "the cost is NaN"},
		"panic":    {engine.Outcome{}, true, "the evaluator panicked: boom"},
	} {
		t.Run(name, func(t *testing.T) {
			c := goldConfig(slots.Policies{})
			c.Tasks.Problem = scripted{Callables: gold(8), answer: func(*slots.Candidate, slots.Task) (engine.Outcome, error) {
				if tt.panics {
					panic("boom")
				}
				return tt.answer, nil
			}}
			var got []engine.LeaseRecord
			c.Observe.Events.Lease = func(e engine.LeaseEvent) { got = append(got, e.Record) }
			res, _ := mustRun(t, c)
			if res.Failures != 2*3 || len(got) != 2*3 {
				t.Fatalf("%d failures in %d leases, want 6 in 6", res.Failures, len(got))
			}
			if got[0].Reward != 0 || got[0].Failure != tt.want {
				t.Errorf("reward %v with %q, want 0 with %q", got[0].Reward, got[0].Failure, tt.want)
			}
		})
	}
}

func TestInfrastructureFailuresAreRetriedAndNeverCached(t *testing.T) {
	var mu sync.Mutex
	attempts := map[string]int{}
	c := goldConfig(slots.Policies{})
	base := gold(8)
	c.Tasks.Problem = scripted{Callables: base, answer: func(cand *slots.Candidate, task slots.Task) (engine.Outcome, error) {
		mu.Lock()
		attempts[cand.Identity+task.ID]++
		n := attempts[cand.Identity+task.ID]
		mu.Unlock()
		if n <= 2 {
			return engine.Outcome{}, errors.New("connection reset")
		}
		return base.Evaluate(context.Background(), cand, task, 0)
	}}
	var waits atomic.Int32
	c.Gate.Wait = func(int) error { waits.Add(1); return nil }
	res, log := mustRun(t, c)
	_, want := mustRun(t, goldConfig(slots.Policies{}))
	if log != want || res.Unmeasured != 0 {
		t.Errorf("two failures before each success changed the run; unmeasured %d", res.Unmeasured)
	}
	if waits.Load() == 0 {
		t.Error("no back-off between attempts")
	}
}

func TestUnmeasurableMergesReturnTheirCards(t *testing.T) {
	// Held-out tasks cannot be evaluated for changed artifacts until the third round.
	var rounds atomic.Int32
	base := gold(8)
	c := goldConfig(slots.Policies{})
	c.Budget.Rounds = 5
	c.Observe.Events.Round = func(engine.Row) { rounds.Add(1) }
	c.Tasks.Problem = scripted{Callables: base, answer: func(cand *slots.Candidate, task slots.Task) (engine.Outcome, error) {
		if task.ID >= "t4" && cand.Text != "" && rounds.Load() < 2 {
			return engine.Outcome{}, errors.New("evaluator is down")
		}
		return base.Evaluate(context.Background(), cand, task, 0)
	}}
	var considered []int
	c.Observe.Events.Merge = func(r slots.Report) { considered = append(considered, r.Considered) }
	res, log := mustRun(t, c)
	if res.Outcomes[slots.Unmeasured] != 2 || res.Unmeasured != 2 {
		t.Errorf("outcomes %v\n%s", res.Outcomes, log)
	}
	if len(considered) < 3 || considered[1] != 4 || considered[2] != 6 {
		t.Errorf("cards considered %v, want 2, 4, 6, …: unmeasured cards come back", considered)
	}
	if !strings.Contains(log, "evaluator is down") {
		t.Error("the cause is not in the log")
	}
}

func TestOneEvaluationServesAllWhoAsk(t *testing.T) {
	var mu sync.Mutex
	calls := map[string]int{}
	base := gold(8)
	c := goldConfig(slots.Policies{})
	c.Parallel = engine.Parallel{Lanes: 4, Workers: 8}
	c.Actor.Trials = 16
	c.Tasks.Problem = scripted{Callables: base, answer: func(cand *slots.Candidate, task slots.Task) (engine.Outcome, error) {
		mu.Lock()
		calls[cand.Identity+" on "+task.ID]++
		mu.Unlock()
		return base.Evaluate(context.Background(), cand, task, 0)
	}}
	// Every lane tries the same values.
	c.Actor.Proposer = slots.ProposerFunc(func(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
		for i := range 4 {
			c, _ := pc.Trial.AdmitText(fmt.Sprintf("trial %d", i))
			if _, err := pc.Trial.Try(ctx, c, []int{0, 1, 2, 3}); err != nil {
				return nil, err
			}
		}
		if _, err := pc.Trial.Try(ctx, pc.Candidate, []int{0}); !errors.Is(err, slots.ErrTrialsSpent) {
			return nil, fmt.Errorf("an empty allowance: %w", err)
		}
		var broken *slots.ContractError
		if _, err := pc.Trial.Try(ctx, &slots.Candidate{Identity: "forged"}, nil); !errors.As(err, &broken) {
			return nil, fmt.Errorf("a candidate of unknown origin: %w", err)
		}
		return &slots.Proposal{Text: pc.Task.ID}, nil
	})
	res, _ := mustRun(t, c)
	for key, n := range calls {
		if n != 1 {
			t.Errorf("%s was evaluated %d times", key, n)
		}
	}
	if got := res.Meters[engine.StageEvaluate].Calls; got != len(calls) {
		t.Errorf("metered %d evaluations, made %d", got, len(calls))
	}
	if res.Spend.Rollouts <= len(calls) {
		t.Errorf("%d rollouts charged for %d evaluations: cached ones are charged too", res.Spend.Rollouts, len(calls))
	}
}
