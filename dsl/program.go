package dsl

import (
	"math"
	"sync"
)

// Program is a compiled rule or hook. It is immutable: any number of goroutines may run it at once.
//
// Arguments come in the order of the signature's inputs, one for each, also for those that the text does not read. A bool is
// 1 or 0, a word its index. No evaluation allocates. Arguments outside their domain are evaluated as they are; see
// Signature.Clamp.
type Program struct {
	code   []instr
	large  bool // needs more temporaries than most
	result Type
	inputs int
	names  []string // of the inputs, then of the states
	states []*State
	on     bool
	reads  []bool // of each input, then of each state
	// columns is the program of Batch, nil for an on hook; scratch is its memory between calls.
	columns *columns
	scratch sync.Pool
	source  *unit // nil for what Factor made
}

// Effects counts what became of the writes of an on hook: those clamped to the bounds of their state, and the NaNs that
// left the old value.
type Effects struct {
	Clamped, NaN int
}

// Compile translates a checked rule bound to sig. A tree that Check would refuse is an error or gives a program of no
// meaning; it never panics.
func Compile(r *Rule, sig *Signature) (*Program, error) {
	u, err := ruleUnit(r, sig)
	if err != nil {
		return nil, err
	}
	return compileUnit(u)
}

// CompileHook translates a hook of a policy as its slot declares it. params replaces the values of the policy's params, in
// order, and is folded into the program; nil leaves them as written.
func CompileHook(p *Policy, h *Hook, decl *HookDecl, params []float64) (*Program, error) {
	u, err := hookUnit(p, h, decl, params)
	if err != nil {
		return nil, err
	}
	return compileUnit(u)
}

func compileUnit(u *unit) (*Program, error) {
	g, outputs, err := lower(u)
	if err != nil {
		return nil, err
	}
	p := &Program{result: u.result, on: u.on, inputs: len(u.inputs), states: u.states, source: u}
	for _, in := range u.inputs {
		p.names = append(p.names, in.Name.Text)
	}
	for _, s := range u.states {
		p.names = append(p.names, s.Name.Text)
	}
	return p, p.assemble(g, outputs, u.on)
}

// assemble gives p, whose arguments are named, the code that computes the outputs.
func (p *Program) assemble(g *graph, outputs []id, on bool) (err error) {
	p.reads = g.argumentsOf(outputs, len(p.names))
	s := newSchedule(g, outputs)
	if !on {
		p.columns = emitColumns(g, s, outputs[0])
		p.scratch.New = func() any { return new(Scratch) }
	}
	var temps int
	p.code, temps, err = emitScalar(g, s, outputs, on, len(p.names))
	p.large = temps > smallTemps
	return err
}

// argumentsOf says which of n arguments the outputs depend on.
func (g *graph) argumentsOf(outputs []id, n int) []bool {
	live := make([]bool, len(g.values))
	reads := make([]bool, n)
	for _, out := range outputs {
		live[out] = true
	}
	for x := len(g.values) - 1; x >= 0; x-- {
		v := &g.values[x]
		switch {
		case !live[x]:
		case v.op == vArg:
			reads[v.arg[0]] = true
		default:
			for _, o := range v.arg[:v.op.arity()] {
				live[o] = true
			}
		}
	}
	return reads
}

// Type is the type of the result; of an on hook, which has none, its Kind is NoKind.
func (p *Program) Type() Type { return p.result }

// Inputs is the number of arguments that an evaluation takes.
func (p *Program) Inputs() int { return p.inputs }

// Reads reports whether input i can influence the result.
func (p *Program) Reads(i int) bool { return p.reads[i] }

// Num returns the value at args: a number, 1 or 0 for a bool, the index of a word. A NaN is always the same NaN.
func (p *Program) Num(args []float64) float64 {
	if p.large {
		return oneNaN(run[[largeTemps]float64](p.code, args))
	}
	return oneNaN(run[[smallTemps]float64](p.code, args))
}

// oneNaN makes every NaN the same.
func oneNaN(v float64) float64 {
	if v != v {
		return math.NaN()
	}
	return v
}

// Bool returns the truth value at args.
func (p *Program) Bool(args []float64) bool { return p.Num(args) != 0 }

// Word returns the word at args, "" if the program does not return words.
func (p *Program) Word(args []float64) string {
	if i := int(p.Num(args)); i >= 0 && i < len(p.result.Words) {
		return p.result.Words[i]
	}
	return ""
}

// hookArgs is how many arguments of a hook with state are put together on the stack.
const hookArgs = 64

// Step evaluates a hook of a policy with state. A hook that decides returns its value and leaves state as it is; an on hook
// writes state and returns 0. state has a value within bounds for each state of the policy, in order.
func (p *Program) Step(args, state []float64) float64 {
	if p.on {
		p.Apply(args, state)
		return 0
	}
	if len(p.states) == 0 {
		return p.Num(args)
	}
	var room [hookArgs]float64
	return p.Num(p.join(room[:0], args, state))
}

// Apply runs an on hook: it writes state and says what became of the writes.
func (p *Program) Apply(args, state []float64) Effects {
	if !p.on {
		return Effects{}
	}
	var room [hookArgs]float64
	all := p.join(room[:0], args, state)
	first := len(all)
	for range firstStateVar + len(p.states) {
		all = append(all, 0)
	}
	p.Num(all)
	left := all[first:]
	copy(state, left[firstStateVar:])
	return Effects{Clamped: int(left[clampedVar]), NaN: int(left[nanVar])}
}

// join appends the arguments and the state to all.
func (p *Program) join(all, args, state []float64) []float64 {
	return append(append(all, args[:p.inputs]...), state[:len(p.states)]...)
}

// Clamp brings args into the domains of the inputs, in place, and returns how many it changed: NaN becomes the lower bound,
// and what must be whole (an int, a bool as 0 or 1, the index of a word) is rounded to the nearest
// (halves to even) within the bounds.
func (s *Signature) Clamp(args []float64) int {
	changed := 0
	for i, in := range s.Inputs {
		if v := in.clamp(args[i]); v != args[i] {
			args[i] = v
			changed++
		}
	}
	return changed
}

func (in *Input) clamp(v float64) float64 {
	lo, hi, whole := in.Lo, in.Hi, in.Int
	switch in.Type.Kind {
	case BoolKind:
		lo, hi, whole = 0, 1, true
	case WordKind:
		lo, hi, whole = 0, float64(len(in.Type.Words)-1), true
	}
	if v != v {
		return lo
	}
	v = min(max(v, lo), hi)
	if r := math.RoundToEven(v); whole && r >= lo && r <= hi {
		v = r
	}
	return v
}
