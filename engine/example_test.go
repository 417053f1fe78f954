package engine_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// refuse is an acceptance that commits nothing and counts how often it was asked.
type refuse struct{ calls int }

func (p *refuse) Accept(ctx slots.MergeContext) (slots.AcceptDecision, error) {
	p.calls++
	return slots.AcceptDecision{
		Category:      slots.BelowThreshold,
		Reason:        "refused for the demo",
		ObservedDelta: ctx.CandCounts.Rate() - ctx.BaseCounts.Rate(),
		Prior:         ctx.Prior,
	}, nil
}

// A policy that is installed and never consulted looks like one that works, so a new one gets a counter
// first. Then three checks: the outcomes, each word of which belongs to one stage; the same run without the
// policy, whose history must differ; and for a policy that ranks, the contests that it held.
func ExampleRun_refuseEverything() {
	var tasks []slots.Task
	for i := range 8 {
		id := fmt.Sprintf("t%d", i)
		tasks = append(tasks, slots.Task{ID: id, Meta: map[string]string{"gold": id}})
	}
	run := func(p slots.Policies) *engine.Result {
		result, err := engine.Run(context.Background(), engine.Config{
			Tasks: engine.Tasks{HeldOut: 0.5, Problem: engine.Callables{
				Tasks: tasks,
				Run: func(_ context.Context, rendered string, task slots.Task) (string, error) {
					if strings.Contains(rendered, task.ID) {
						return task.Meta["gold"], nil
					}
					return "?", nil
				},
				Reward: func(task slots.Task, output string) float64 {
					if output == task.Meta["gold"] {
						return 1
					}
					return 0
				},
			}},
			Artifacts: []engine.ArtifactConfig{{Strategy: engine.AppendRules{}}},
			Actor: engine.Actor{Proposer: slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
				return &slots.Proposal{Text: pc.Task.ID}, nil
			})},
			Parallel: engine.Parallel{Lanes: 2},
			Budget:   engine.Budget{Rounds: 3},
			Policies: p,
		})
		if err != nil {
			fmt.Println(err)
		}
		return result
	}
	policy := &refuse{}
	refused, base := run(slots.Policies{Acceptance: policy}), run(slots.Policies{})
	fmt.Println("consulted:", policy.calls > 0)
	fmt.Println("outcomes:", refused.Outcomes, refused.Outcomes[slots.BelowThreshold] == policy.calls)
	fmt.Println("same history:", reflect.DeepEqual(refused.History, base.History))
	fmt.Println("commits:", len(refused.Log), "and without the policy", len(base.Log))

	ranked := run(slots.Policies{Fusion: &slots.DefaultFusion{Tournament: true}})
	fmt.Println("contests with a union:", ranked.Fusion.Contested, "and without the tournament", base.Fusion.Contested)
	// Output:
	// consulted: true
	// outcomes: map[below-threshold:3] true
	// same history: false
	// commits: 0 and without the policy 2
	// contests with a union: 2 and without the tournament 0
}
