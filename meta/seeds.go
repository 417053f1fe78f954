package meta

import (
	"fmt"

	"github.com/agentdescent/adrun/slots"
)

// samplerSeed takes the tasks of a shard in turn, as the default does. It also remembers how each task went, for
// a rule that would read it: a state that nobody reads changes nothing.
const samplerSeed = `# Take the tasks of the shard in turn.
policy in_turn fills task_sampler {
  state picks = 0 in [0, 1e6]   # rollouts of the task so far
  state last = 0 in [0, 1]      # the reward of the latest
  state best = 0 in [0, 1]      # the highest reward so far

  on record(score) {
    picks += 1
    last = score
    best = max(best, score)
  }

  weight(index, n_keys, round) { return index == round % n_keys ? 1 : 0 }
}
`

// SeedPolicy returns the policy that the evolution of a slot starts from: the engine's default as a rule.
func SeedPolicy(slot string) (string, error) {
	if slot == "task_sampler" {
		return samplerSeed, nil
	}
	names := slots.PolicyNames(slot)
	if len(names) == 0 {
		return "", &slots.UnknownError{What: "slot", Name: slot, Known: slots.SlotNames()}
	}
	text, ok := slots.Twin(slot, names[0])
	if !ok {
		return "", fmt.Errorf("the default of slot %s is no rule", slot)
	}
	return text, nil
}
