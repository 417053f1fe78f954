package meta

import (
	"context"
	"fmt"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/slots"
)

// Quality tells what a state of an inner run's first artifact is worth, in [0, 1].
type Quality func(ctx context.Context, s slots.State) (float64, error)

// JudgeSealed takes the sealed tasks out of an inner run and makes them its quality: the mean reward of a state on
// tasks that nothing in the run has seen. It is nil, and the run as it was, when there are none.
func JudgeSealed(c *engine.Config) Quality {
	work := c.Tasks.Problem
	sealed := work.Describe().Sealed
	if len(sealed) == 0 || len(c.Artifacts) == 0 {
		return nil
	}
	c.Tasks.Problem = unsealed{work}
	j := &sealedJudge{work: work, tasks: sealed, artifact: c.Artifacts[0], seed: c.Seed, known: map[string]float64{}}
	return j.quality
}

// unsealed is a problem without its sealed tasks.
type unsealed struct{ engine.Problem }

// Describe describes the rest.
func (p unsealed) Describe() engine.Description {
	d := p.Problem.Describe()
	d.Sealed = nil
	return d
}

// sealedJudge measures states on the sealed tasks of one run, which asks it between its rounds.
type sealedJudge struct {
	work     engine.Problem
	tasks    []slots.Task
	artifact engine.ArtifactConfig
	seed     uint64

	known map[string]float64 // by identity: most rounds leave the head as it was
}

func (j *sealedJudge) quality(ctx context.Context, s slots.State) (float64, error) {
	c, err := j.artifact.Strategy.Ready(j.artifact.ID, s)
	if err != nil {
		return 0, fmt.Errorf("judging a head: %w", err)
	}
	if q, ok := j.known[c.Identity]; ok {
		return q, nil
	}
	sum := 0.0
	for i, task := range j.tasks {
		o, err := j.work.Evaluate(ctx, c, task, derive.Seed(j.seed, "sealed", uint64(i)))
		if err != nil {
			return 0, fmt.Errorf("judging a head on task %s: %w", task.ID, err)
		}
		if o.Failure == "" {
			sum += o.Reward
		}
	}
	q := sum / float64(len(j.tasks))
	j.known[c.Identity] = q
	return q, nil
}
