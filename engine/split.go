package engine

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/agentdescent/adrun/slots"
)

// Split is how tasks are divided: held-out tasks judge and are never rolled out on.
type Split struct {
	Train, HeldOut []slots.Task
}

// SplitTasks divides tasks by position: the last max(1, round-half-up(f·n)) are held out, the others train.
// With fewer than two tasks nothing is left to train on.
func SplitTasks(tasks []slots.Task, f float64) Split {
	n := len(tasks)
	held := min(n, max(1, int(math.Floor(float64(f*float64(n))+0.5))))
	return Split{Train: tasks[: n-held : n-held], HeldOut: tasks[n-held:]}
}

// shard returns the ids of the lane's training tasks: lane, lane+lanes, … A lane beyond the tasks shares
// the shard of another.
func shard(train []slots.Task, lane, lanes int) []string {
	if len(train) == 0 {
		return nil
	}
	var ids []string
	for i := lane % len(train); i < len(train); i += lanes {
		ids = append(ids, train[i].ID)
	}
	return ids
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
