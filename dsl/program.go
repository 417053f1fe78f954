package dsl

import (
	"math"

	"github.com/agentdescent/adrun/dsl/internal/machine"
)

// Program is a compiled rule or hook. It is immutable: any number of goroutines may run it at once.
//
// Arguments come in the order of the signature's inputs, one for each, also for those that the text does not read. A bool is
// 1 or 0, a word its index. No evaluation allocates. Arguments outside their domain are evaluated as they are; see
// Signature.Clamp.
type Program struct {
	code   machine.Code
	result Type
	inputs int
	names  []string // of the inputs, then of the states
	states []*State
	on     bool
	source *unit // nil for what Factor made
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
	return p, p.code.Assemble(g, outputs, len(p.names), u.on)
}

// Type is the type of the result; of an on hook, which has none, its Kind is NoKind.
func (p *Program) Type() Type { return p.result }

// Inputs is the number of arguments that an evaluation takes.
func (p *Program) Inputs() int { return p.inputs }

// Reads reports whether input i can influence the result.
func (p *Program) Reads(i int) bool { return p.code.Reads(i) }

// Num returns the value at args: a number, 1 or 0 for a bool, the index of a word. A NaN is always the same NaN.
func (p *Program) Num(args []float64) float64 { return p.code.Num(args) }

// Scratch is memory for [Program.BatchIn], for a caller that runs many programs a few times each; what a program keeps for
// Batch would be made anew for each of them. The zero value is ready. Only one goroutine may use it at a time.
type Scratch = machine.Scratch

// Batch evaluates the program at len(out) rows. cols has a column for each argument: the inputs of the signature, then, for
// a hook that reads state, the states. A column holds a value for each row; one of length 1 holds the value of all rows, and
// what depends on such columns alone is computed once. out must not overlap cols. The values are those of Num, bit for bit.
func (p *Program) Batch(cols [][]float64, out []float64) { p.code.Batch(cols, out) }

// BatchIn is Batch in memory of the caller's.
func (p *Program) BatchIn(s *Scratch, cols [][]float64, out []float64) { p.code.BatchIn(s, cols, out) }

// String lists the instructions of the scalar program, one a line: number, operation, operand. The accumulator is on the
// left of an operation, on the right of those named r...; a comparison that names two values leaves it alone.
// Temporaries are t0, t1, ...
func (p *Program) String() string {
	outputs := append([]string{"clamped", "nan"}, p.names[p.inputs:]...)
	return machine.Listing{Args: p.names, Outputs: outputs, Number: FormatNumber}.List(&p.code)
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
