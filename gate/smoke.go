package gate

import (
	"fmt"
	"slices"

	"github.com/agentdescent/adrun/dsl"
)

const (
	// smokeInputs is how many points of a hook's inputs are run on each state that a trace reaches.
	smokeInputs = 16
	// smokeStates bounds the states that are so examined, of each replay.
	smokeStates = 64
)

// smoke replays the slot's trace with the policy's own params, all at their lowest and all at their highest, and runs the
// hooks that decide on every state that it reaches.
func (t *trial) smoke() bool {
	own, low, high := []float64{}, []float64{}, []float64{}
	for _, q := range t.policy.Params {
		own, low, high = append(own, q.Value), append(low, q.Lo), append(high, q.Hi)
	}
	sets := [][]float64{own, low, high}
	if len(own) == 0 {
		sets = sets[:1]
	}
	for _, params := range sets {
		r := replay{trial: t, programs: map[string]*dsl.Program{}, states: map[string][]float64{}, seen: map[string]bool{}}
		for _, k := range t.hooks {
			p, err := dsl.CompileHook(t.policy, k.hook, k.decl, params)
			if err != nil {
				return t.refuse(Smoke, k.hook.Name.Span, dsl.CodeInvalidTree, "", "%v", err)
			}
			r.programs[k.hook.Name.Text] = p
		}
		if !r.run(t.cfg.Trace) {
			return false
		}
	}
	return true
}

// replay is one run of a trace.
type replay struct {
	*trial
	programs map[string]*dsl.Program
	states   map[string][]float64 // by key
	seen     map[string]bool
}

func (r *replay) run(trace Trace) bool {
	if !r.examine(r.state("")) {
		return false
	}
	for i, e := range trace {
		k := r.find(e.Hook)
		if k == nil {
			continue
		}
		state := r.state(e.Key)
		before := slices.Clone(state)
		if k.hook.On {
			if n := r.programs[e.Hook].Apply(e.Args, state).NaN; n > 0 {
				return r.refuse(Smoke, k.hook.Name.Span, CodeNotFinite, "guard the division, root, logarithm or power",
					"event %d of the smoke trace: on %s writes NaN to a state (inputs %s; %s)", i, e.Hook, FormatPoint(&k.decl.Signature, e.Args, nil), r.describe(before))
			}
			if !r.examine(state) {
				return false
			}
		} else if !r.decide(k, e.Args, state, fmt.Sprintf("event %d of the smoke trace", i)) {
			return false
		}
	}
	return true
}

func (r *replay) find(hook string) *hookTrial {
	for _, k := range r.hooks {
		if k.hook.Name.Text == hook {
			return k
		}
	}
	return nil
}

// state returns the state of a key, fresh at first; slots without keys have one.
func (r *replay) state(key string) []float64 {
	if r.cfg.Slot.Per.Text == "" {
		key = ""
	}
	s, ok := r.states[key]
	if !ok {
		for _, st := range r.policy.States {
			s = append(s, st.Value)
		}
		r.states[key] = s
	}
	return s
}

// examine runs the hooks that decide on a state that was reached.
func (r *replay) examine(state []float64) bool {
	id := fmt.Sprint(state)
	if r.seen[id] || len(r.seen) >= smokeStates {
		return true
	}
	r.seen[id] = true
	for _, k := range r.hooks {
		if k.hook.On {
			continue
		}
		grid := r.inputs[k.hook.Name.Text]
		for i := range grid.Len() {
			if !r.decide(k, grid.Point(i), state, "in a state that the smoke trace reaches") {
				return false
			}
		}
	}
	return true
}

// decide runs a hook that decides and refuses a number that is not finite.
func (r *replay) decide(k *hookTrial, args, state []float64, where string) bool {
	v := r.programs[k.hook.Name.Text].Step(args, state)
	if k.decl.Result.Kind != dsl.NumKind || isFinite(v) {
		return true
	}
	return r.refuse(Smoke, k.hook.Name.Span, CodeNotFinite, "guard the division, root, logarithm or power",
		"%s: hook %s is %s (inputs %s; %s)", where, k.hook.Name.Text, dsl.FormatNumber(v), FormatPoint(&k.decl.Signature, args, nil), r.describe(state))
}

// describe writes a state for a message.
func (r *replay) describe(state []float64) string {
	s := "state"
	for i, st := range r.policy.States {
		s += fmt.Sprintf(" %s = %s", st.Name.Text, dsl.FormatNumber(state[i]))
	}
	return s
}
