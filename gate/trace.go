package gate

import (
	"fmt"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate/prove"
)

// Event is one call of a hook in a smoke trace. Args has a value for each input that the slot declares for
// the hook. Key is what state is kept for; slots that keep one state ignore it.
type Event struct {
	Hook, Key string
	Args      []float64
}

// Trace is a short history of a slot, in order. The gate replays it against every policy: events that
// the policy has no hook for pass by.
type Trace []Event

// The defaults of a trace that nobody wrote: so many rounds over so many keys.
const (
	traceRounds = 64
	traceKeys   = 3
)

// DefaultTrace calls every hook of the slot in turn with points of the hook's grid, on a few keys.
func DefaultTrace(slot *dsl.Slot) (Trace, error) {
	var grids []*Grid
	for _, h := range slot.Hooks {
		g, err := hookGrid(&h.Signature, traceRounds)
		if err != nil {
			return nil, err
		}
		grids = append(grids, g)
	}
	var t Trace
	for i := range traceRounds {
		for k, h := range slot.Hooks {
			t = append(t, Event{Hook: h.Name.Text, Key: fmt.Sprintf("key%d", i%traceKeys), Args: grids[k].Point(i % grids[k].Len())})
		}
	}
	return t, nil
}

// hookGrid returns a grid of a hook's own inputs.
func hookGrid(sig *dsl.Signature, n int) (*Grid, error) {
	allow, err := assumptions(sig)
	if err != nil {
		return nil, err
	}
	return newGrid(sig, prove.New(sig, allow), allow, n)
}

// validate checks the trace against its slot.
func (t Trace) validate(slot *dsl.Slot) error {
	var bad ConfigError
	for i, e := range t {
		h := findHook(slot, e.Hook)
		switch {
		case h == nil:
			bad.add(fmt.Errorf("event %d of the smoke trace: slot %s has no hook %q", i, slot.Name.Text, e.Hook))
		case len(e.Args) != len(h.Inputs):
			bad.add(fmt.Errorf("event %d of the smoke trace: hook %s has %d inputs, not %d", i, e.Hook, len(h.Inputs), len(e.Args)))
		}
	}
	return bad.err()
}

func findHook(slot *dsl.Slot, name string) *dsl.HookDecl {
	for _, h := range slot.Hooks {
		if h.Name.Text == name {
			return h
		}
	}
	return nil
}
