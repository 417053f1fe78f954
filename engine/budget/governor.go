package budget

import (
	"github.com/agentdescent/adrun/engine"
)

// The default floors, as fractions of the budget that are spent.
const (
	DefaultSoftFloor = 0.75
	DefaultHardFloor = 0.90
)

// Governor shuts off optional spend as the budget runs out, whatever it would have been spent on. The zero
// value has the default floors.
type Governor struct {
	// SoftFloor is the fraction of the budget from which fusion holds no more tournaments, HardFloor that
	// from which proposals are not measured on their own task; 0 is the default, 1 never. In [0, 1].
	SoftFloor, HardFloor float64
	// Returns, if set, ends a run whose returns diminish.
	Returns Returns
}

// Returns says when the returns of a run have diminished: its best held-out mean rose by less than Gain
// in its last Rounds rounds. Zero Rounds is never.
type Returns struct {
	Rounds int
	Gain   float64
}

var (
	_ engine.Governor = Governor{}
	_ engine.Stopper  = Governor{}
)

// SelfVerify says whether a proposal may be measured on its own task.
func (g Governor) SelfVerify(remaining float64) bool {
	return 1-remaining < or(g.HardFloor, DefaultHardFloor)
}

// Tournament says whether fusion may buy scores to rank the survivors.
func (g Governor) Tournament(remaining float64) bool {
	return 1-remaining < or(g.SoftFloor, DefaultSoftFloor)
}

// StopEarly reports whether the returns have diminished. Rounds without a measurement count as rounds
// without a gain.
func (g Governor) StopEarly(history []engine.Row) bool {
	before := len(history) - g.Returns.Rounds
	if g.Returns.Rounds <= 0 || before <= 0 {
		return false
	}
	then, ok := best(history[:before])
	now, _ := best(history)
	return ok && now-then < g.Returns.Gain
}

// best is the highest held-out mean of a history.
func best(history []engine.Row) (mean float64, ok bool) {
	for _, r := range history {
		if r.HeldOut.Known && (!ok || r.HeldOut.Value > mean) {
			mean, ok = r.HeldOut.Value, true
		}
	}
	return mean, ok
}

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
