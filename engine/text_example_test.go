package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// tasksOf makes a task of each "prompt = what is wanted".
func tasksOf(lines ...string) []slots.Task {
	var tasks []slots.Task
	for _, l := range lines {
		prompt, gold, _ := strings.Cut(l, " = ")
		tasks = append(tasks, slots.Task{ID: prompt, Prompt: prompt, Meta: map[string]string{"gold": gold}})
	}
	return tasks
}

// exact is the reward of an output that must be what is wanted.
func exact(task slots.Task, output string) float64 {
	if output == task.Meta["gold"] {
		return 1
	}
	return 0
}

// A text that grows: each line is a word by which a message is known as spam. The proposer names the last
// word of a message that was taken for something else.
func ExampleAppendRules() {
	result, err := engine.Run(context.Background(), engine.Config{
		Tasks: engine.Tasks{Problem: engine.Callables{
			Tasks: tasksOf(
				"win a prize = spam", "see you at noon = mail", "all is free = spam", "the report is done = mail",
				"your prize = spam", "it is free = spam", "lunch at noon = mail", "a big prize = spam",
			),
			Run: func(_ context.Context, rendered string, task slots.Task) (string, error) {
				for word := range strings.Lines(rendered) {
					if strings.Contains(task.Prompt, strings.TrimSpace(word)) {
						return "spam", nil
					}
				}
				return "mail", nil
			},
			Reward: exact,
		}},
		Artifacts: []engine.ArtifactConfig{{ID: "words", Strategy: engine.AppendRules{}}},
		Actor: engine.Actor{Proposer: slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
			words := strings.Fields(pc.Task.Prompt)
			return &slots.Proposal{Text: words[len(words)-1]}, nil
		})},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Rendered)
	fmt.Println(result.HeldOut.Before.Value, "to", result.HeldOut.After.Value)
	// Output:
	// free
	// prize
	// 0.3333333333333333 to 1
}

// A text that is replaced whole: a greeting.
func ExampleSingleSlot() {
	drafts := []string{"Hello {name}", "Dear {name}", "Dear {name},", "Dear friend,"}
	result, err := engine.Run(context.Background(), engine.Config{
		Tasks: engine.Tasks{Problem: engine.Callables{
			Tasks:   tasksOf("Ada = Dear Ada,", "Alan = Dear Alan,", "Grace = Dear Grace,", "Kurt = Dear Kurt,", "Emmy = Dear Emmy,"),
			Initial: "Hello",
			Run: func(_ context.Context, rendered string, task slots.Task) (string, error) {
				return strings.ReplaceAll(rendered, "{name}", task.Prompt), nil
			},
			// The share of the wanted words that are there.
			Reward: func(task slots.Task, output string) float64 {
				got, want, n := strings.Fields(output), strings.Fields(task.Meta["gold"]), 0
				for _, w := range want {
					if slices.Contains(got, w) {
						n++
					}
				}
				return float64(n) / float64(max(len(got), len(want)))
			},
		}},
		Artifacts: []engine.ArtifactConfig{{ID: "greeting", Strategy: engine.SingleSlot{}}},
		Actor: engine.Actor{Proposer: slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
			return &slots.Proposal{Text: drafts[pc.Lease%len(drafts)]}, nil
		})},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Rendered)
	fmt.Println(result.HeldOut.Before.Value, "to", result.HeldOut.After.Value)
	// Output:
	// Dear {name},
	// 0 to 1
}

// A text of named lines: which words send a letter to which desk. Changes to different lines are made
// together, and of two to the same line one survives.
func ExampleKeyedRules() {
	result, err := engine.Run(context.Background(), engine.Config{
		Tasks: engine.Tasks{Problem: engine.Callables{
			Tasks: tasksOf(
				"invoice lost = billing", "it crashed = support", "second invoice = billing", "crashed again = support",
				"an invoice = billing", "always crashed = support", "no invoice = billing", "crashed today = support",
			),
			Run: func(_ context.Context, rendered string, task slots.Task) (string, error) {
				for line := range strings.Lines(rendered) {
					desk, words, _ := strings.Cut(line, ":")
					for _, w := range strings.Fields(words) {
						if strings.Contains(task.Prompt, w) {
							return desk, nil
						}
					}
				}
				return "nobody", nil
			},
			Reward: exact,
		}},
		Artifacts: []engine.ArtifactConfig{{ID: "desks", Strategy: engine.KeyedRules{}, Initial: slots.State{"support": "broken"}}},
		Actor: engine.Actor{Proposer: slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
			desk := pc.Task.Meta["gold"]
			known := pc.Artifact.State[desk]
			words := strings.Fields(pc.Task.Prompt)
			return &slots.Proposal{Text: desk + ": " + strings.TrimSpace(known+" "+words[int(pc.Seed%uint64(len(words)))])}, nil
		})},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Rendered)
	fmt.Println(result.HeldOut.Before.Value, "to", result.HeldOut.After.Value)
	fmt.Println("keys of the first commit:", len(result.Log[0].Diff))
	// Output:
	// billing: invoice
	// support: broken it crashed
	// 0 to 1
	// keys of the first commit: 2
}
