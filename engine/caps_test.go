package engine_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// asking is a fusion that asks a model at every merge.
type asking struct{ recorder slots.Recorder }

func (a *asking) Record(r slots.Recorder) { a.recorder = r }

func (a *asking) Select(ctx context.Context, _ slots.Artifact, diffs []slots.Diff) (slots.Choice, error) {
	_, err := a.recorder.Reply(ctx, func(context.Context) (slots.Reply, error) {
		return slots.Reply{Spend: slots.Spend{Calls: 1, Tokens: 150}}, nil
	})
	return slots.Choice{Diff: diffs[0]}, err
}

// greedy climbs, and mostly spends all that a lease may.
func greedy(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	p, err := climb(ctx, pc)
	if p == nil || err != nil {
		return p, err
	}
	p.Spend = slots.Spend{Calls: 1, Tokens: 100}
	if rng := rand.New(rand.NewPCG(pc.Seed, 1)); rng.Float64() < 0.7 {
		p.Spend.Tokens = max(p.Spend.Tokens, pc.Allowance.Tokens)
	}
	return p, nil
}

// capped is a run without barriers whose requests come up against a cap.
func capped(order engine.Order, tokens int, seed uint64) func(*engine.Config) {
	return func(c *engine.Config) {
		c.Seed = seed
		c.Parallel.Async = engine.Async{On: true, Order: order}
		c.Actor.Proposer = slots.ProposerFunc(greedy)
		c.Policies.Fusion = &asking{}
		c.Budget = engine.Budget{
			MaxTokens: tokens,
			Reserve:   engine.Reserve{Lease: slots.Spend{Calls: 1, Tokens: 100}, Merge: slots.Spend{Calls: 1, Tokens: 150}},
		}
	}
}

func TestRequestsPassNoCapWithoutBarriers(t *testing.T) {
	for _, order := range []engine.Order{engine.Window, engine.Arrival} {
		least := 1.0
		for tokens := 1000; tokens < 10_000; tokens += 450 {
			for seed := range uint64(5) {
				res, _ := mustRun(t, hillConfig(capped(order, tokens, seed)))
				if res.Spend.Tokens > tokens || res.Stop != engine.StopTokens {
					t.Errorf("%s, seed %d: %d of %d tokens, stopped by %s", order, seed, res.Spend.Tokens, tokens, res.Stop)
				}
				least = min(least, float64(res.Spend.Tokens)/float64(tokens))
			}
		}
		if least < 0.2 {
			t.Errorf("%s: a run was ended with %.2f of its budget spent", order, least)
		}
	}
}

// What leases under way and the last merge will cost is counted before another round is begun, as well as it is
// known.
func TestCapsWithoutBarriers(t *testing.T) {
	const seeds = 10
	for _, most := range []int{150, 300, 450, 600} {
		sum := 0
		for seed := range uint64(seeds) {
			res, _ := mustRun(t, hillConfig(func(c *engine.Config) {
				c.Seed = seed
				c.Parallel.Async.On = true
				c.Actor.Trials = 0
				c.Budget = engine.Budget{MaxRollouts: most}
			}))
			sum += res.Spend.Rollouts
			if res.Spend.Rollouts > most+most/5 {
				t.Errorf("seed %d: %d rollouts, at most %d", seed, res.Spend.Rollouts, most)
			}
		}
		if sum > seeds*(most+most/20) || sum < seeds*most/2 {
			t.Errorf("%d rollouts in %d runs, at most %d each", sum, seeds, most)
		}
	}
}
