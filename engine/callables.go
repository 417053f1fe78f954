package engine

import (
	"context"

	"github.com/agentdescent/adrun/slots"
)

// Callables is a Problem made of two functions: an agent that works on a task with the rendered artifact,
// and a reward for what it produced. Both are called from several goroutines.
type Callables struct {
	Name  string
	Tasks []slots.Task
	// Run returns the agent's output. An error is an infrastructure failure.
	Run func(ctx context.Context, rendered string, task slots.Task) (string, error)
	// Reward of an output, in [0, 1].
	Reward func(task slots.Task, output string) float64
	// Sealed, Fingerprint, Initial and Stochastic as in Description.
	Sealed      []slots.Task
	Fingerprint string
	Initial     string
	Stochastic  bool
}

// Describe describes the problem.
func (c Callables) Describe() Description {
	name := c.Name
	if name == "" {
		name = "callables"
	}
	return Description{
		Name: name, Fingerprint: c.Fingerprint, Tasks: c.Tasks, Sealed: c.Sealed,
		Initial: c.Initial, Stochastic: c.Stochastic,
	}
}

// Evaluate runs the agent and rewards its output.
func (c Callables) Evaluate(ctx context.Context, cand *slots.Candidate, task slots.Task, _ uint64) (Outcome, error) {
	out, err := c.Run(ctx, cand.Text, task)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Reward: c.Reward(task, out), Output: out}, nil
}

var _ Problem = Callables{}
