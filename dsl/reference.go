package dsl

import (
	"fmt"
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// Reference evaluates a rule or a hook by walking its tree, one node after the other, in the order of the text. It is slow
// and plain on purpose: it states what the language means, and the compiled program must agree with it bit for bit.
// It may be used by many goroutines at once.
type Reference struct {
	u *unit
}

// NewReference returns the evaluator of r under sig.
func NewReference(r *Rule, sig *Signature) (*Reference, error) {
	u, err := ruleUnit(r, sig)
	if err != nil {
		return nil, err
	}
	return &Reference{u}, nil
}

// NewReferenceHook returns the evaluator of a policy's hook. params are as for CompileHook.
func NewReferenceHook(p *Policy, h *Hook, decl *HookDecl, params []float64) (*Reference, error) {
	u, err := hookUnit(p, h, decl, params)
	if err != nil {
		return nil, err
	}
	return &Reference{u}, nil
}

// Eval returns the value at args, one for each input of the signature: a number, 1 and 0 for true and false, or the index
// of a word. The error is a fault of the text that Check refuses, such as an undefined name.
func (r *Reference) Eval(args []float64) (float64, error) { return r.Step(args, nil) }

// Step is Eval of a hook that reads state. An on hook writes state and returns 0.
func (r *Reference) Step(args, state []float64) (float64, error) {
	v, _, err := r.run(args, state)
	return v, err
}

// Apply runs an on hook and says what became of its writes.
func (r *Reference) Apply(args, state []float64) (Effects, error) {
	_, effects, err := r.run(args, state)
	return effects, err
}

func (r *Reference) run(args, state []float64) (float64, Effects, error) {
	w := treeWalk{u: r.u, args: args, state: state, locals: map[string]float64{}}
	v, returned := w.block(r.u.body)
	if w.err == nil && !returned && !r.u.on {
		w.fail("a path does not return")
	}
	if math.IsNaN(v) {
		v = math.NaN()
	}
	return v, w.effects, w.err
}

// treeWalk is one evaluation.
type treeWalk struct {
	u           *unit
	args, state []float64
	locals      map[string]float64
	effects     Effects
	err         error
}

// fail keeps the first fault; evaluation goes on with whatever values there are.
func (w *treeWalk) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("evaluate %s: %s", w.u.what, fmt.Sprintf(format, args...))
	}
}

// block runs the statements of b and returns the value of the first return it meets.
func (w *treeWalk) block(b *Block) (v float64, returned bool) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Let:
			w.locals[s.Name.Text] = w.expr(s.Value)
		case *Assign:
			w.assign(s)
		case *Return:
			return w.expr(s.Value), true
		case *If:
			if v, returned := w.branch(s); returned {
				return v, true
			}
		}
	}
	return 0, false
}

func (w *treeWalk) branch(s *If) (v float64, returned bool) {
	for _, arm := range s.Arms {
		if w.expr(arm.Cond) != 0 {
			return w.block(arm.Body)
		}
	}
	if s.Else != nil {
		return w.block(s.Else)
	}
	return 0, false
}

func (w *treeWalk) assign(s *Assign) {
	v := w.expr(s.Value)
	switch s.Op {
	case AddSet:
		v = w.name(s.Name.Text) + v
	case SubSet:
		v = w.name(s.Name.Text) - v
	case MulSet:
		v = w.name(s.Name.Text) * v
	case DivSet:
		v = w.name(s.Name.Text) / v
	}
	if _, ok := w.locals[s.Name.Text]; ok {
		w.locals[s.Name.Text] = v
		return
	}
	sym, ok := w.u.names[s.Name.Text]
	if !ok || sym.kind != isState || !w.u.on {
		w.fail("%q cannot be assigned", s.Name.Text)
		return
	}
	w.write(sym.index, v)
}

// write stores v in a state: clamped to its bounds, NaN keeps the old value.
func (w *treeWalk) write(i int, v float64) {
	bounds := w.u.states[i]
	switch {
	case math.IsNaN(v):
		w.effects.NaN++
		return
	case v < bounds.Lo:
		v = bounds.Lo
		w.effects.Clamped++
	case v > bounds.Hi:
		v = bounds.Hi
		w.effects.Clamped++
	}
	w.state[i] = v
}

func (w *treeWalk) name(name string) float64 {
	if v, ok := w.locals[name]; ok {
		return v
	}
	sym, ok := w.u.names[name]
	if !ok {
		w.fail("undefined name %q", name)
		return 0
	}
	switch sym.kind {
	case isInput:
		return w.args[sym.index]
	case isState:
		return w.state[sym.index]
	default:
		return sym.value
	}
}

func (w *treeWalk) expr(e Expr) float64 {
	switch e := e.(type) {
	case *Num:
		return e.Value
	case *Bool:
		return truth(e.Value)
	case *Ref:
		return w.name(e.Name)
	case *Unary:
		x := w.expr(e.X)
		switch e.Op {
		case Neg:
			return -x
		case Not:
			return truth(x == 0)
		}
		return x
	case *Binary:
		return w.binary(e)
	case *Cond:
		if w.expr(e.If) != 0 {
			return w.expr(e.Then)
		}
		return w.expr(e.Else)
	case *Call:
		return w.call(e)
	}
	return 0
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (w *treeWalk) binary(e *Binary) float64 {
	x, y := w.expr(e.X), w.expr(e.Y)
	switch e.Op {
	case Or:
		return truth(x != 0 || y != 0)
	case And:
		return truth(x != 0 && y != 0)
	case Eq:
		return truth(x == y)
	case Ne:
		return truth(x != y)
	case Lt:
		return truth(x < y)
	case Le:
		return truth(x <= y)
	case Gt:
		return truth(x > y)
	case Ge:
		return truth(x >= y)
	case Add:
		return x + y
	case Sub:
		return x - y
	case Mul:
		return x * y
	case Div:
		return x / y
	case Mod:
		return fmath.Mod(x, y)
	case Pow:
		if n, ok := e.Y.(*Num); ok && n.Value == 2 {
			return x * x
		}
		if n, ok := e.Y.(*Num); ok && n.Value == 3 {
			return float64(x*x) * x
		}
		return fmath.Pow(x, y)
	}
	return 0
}

func (w *treeWalk) call(e *Call) float64 {
	args := make([]float64, len(e.Args))
	for i, a := range e.Args {
		args[i] = w.expr(a)
	}
	x := args[0]
	switch e.Fn.Text {
	case "abs":
		return math.Abs(x)
	case "sqrt":
		return math.Sqrt(x)
	case "log":
		return fmath.Log(x)
	case "log1p":
		return fmath.Log1p(x)
	case "exp":
		return fmath.Exp(x)
	case "tanh":
		return fmath.Tanh(x)
	case "floor":
		return math.Floor(x)
	case "ceil":
		return math.Ceil(x)
	case "pow":
		return fmath.Pow(x, args[1])
	case "clamp":
		return min(max(x, args[1]), args[2])
	case "min":
		for _, y := range args[1:] {
			x = min(x, y)
		}
	case "max":
		for _, y := range args[1:] {
			x = max(x, y)
		}
	}
	return x
}
