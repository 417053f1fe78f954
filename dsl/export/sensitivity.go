package export

import (
	"math"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/fmath"
)

const (
	// looseError bounds the relative error of another library's exp, log, log1p, tanh or pow. Those in use stay below
	// 2^-50; the rest is for those that are not.
	looseError = 0x1p-47
	// tolerance is that of CheckClose. Half of it is for the estimate.
	tolerance = 1e-9
)

// sensitivity says how closely two evaluations at a point agree that differ in looseError.
func sensitivity(r *dsl.Rule, sig *dsl.Signature, args []float64) Check {
	a := &analysis{values: map[string]approx{}}
	for _, t := range append([]dsl.Type{sig.Result}, inputTypes(sig)...) {
		for i, w := range t.Words {
			a.values[w] = approx{v: float64(i)}
		}
	}
	for i, in := range sig.Inputs {
		a.values[in.Name.Text] = approx{v: args[i]}
	}
	result, _ := a.block(r.Body)
	switch {
	case a.undecided:
		return CheckNone
	case result.err == 0:
		return CheckBits
	case !math.IsInf(result.err, 0) && result.err <= tolerance/2*math.Abs(result.v):
		return CheckClose
	}
	return CheckNone
}

func inputTypes(sig *dsl.Signature) []dsl.Type {
	types := make([]dsl.Type, len(sig.Inputs))
	for i, in := range sig.Inputs {
		types[i] = in.Type
	}
	return types
}

// approx is a value with a bound of the difference between two evaluations; 0 means all bits agree.
type approx struct{ v, err float64 }

// analysis evaluates a rule as the reference does and carries bounds along.
type analysis struct {
	values    map[string]approx // of words, inputs and locals
	undecided bool              // a comparison or a step may fall either way
}

func (a *analysis) block(b *dsl.Block) (v approx, returned bool) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *dsl.Let:
			a.values[s.Name.Text] = a.expr(s.Value)
		case *dsl.Assign:
			v := a.expr(s.Value)
			if op, compound := compoundOps[s.Op]; compound {
				v = a.arithmetic(op, a.values[s.Name.Text], v)
			}
			a.values[s.Name.Text] = v
		case *dsl.Return:
			return a.expr(s.Value), true
		case *dsl.If:
			if v, returned := a.branch(s); returned {
				return v, true
			}
		}
	}
	return approx{}, false
}

func (a *analysis) branch(s *dsl.If) (v approx, returned bool) {
	for _, arm := range s.Arms {
		if a.expr(arm.Cond).v != 0 {
			return a.block(arm.Body)
		}
	}
	if s.Else != nil {
		return a.block(s.Else)
	}
	return approx{}, false
}

func (a *analysis) expr(e dsl.Expr) approx {
	switch e := e.(type) {
	case *dsl.Num:
		return approx{v: e.Value}
	case *dsl.Bool:
		return truth(e.Value)
	case *dsl.Ref:
		return a.values[e.Name]
	case *dsl.Unary:
		x := a.expr(e.X)
		switch e.Op {
		case dsl.Neg:
			return approx{-x.v, x.err}
		case dsl.Not:
			return truth(x.v == 0)
		}
		return x
	case *dsl.Binary:
		return a.binary(e)
	case *dsl.Cond:
		if a.expr(e.If).v != 0 {
			return a.expr(e.Then)
		}
		return a.expr(e.Else)
	case *dsl.Call:
		args := make([]approx, len(e.Args))
		for i, x := range e.Args {
			args[i] = a.expr(x)
		}
		return a.call(e.Fn.Text, args)
	}
	return approx{}
}

func truth(b bool) approx {
	if b {
		return approx{v: 1}
	}
	return approx{}
}

func (a *analysis) binary(e *dsl.Binary) approx {
	x, y := a.expr(e.X), a.expr(e.Y)
	switch {
	case e.Op == dsl.Or:
		return truth(x.v != 0 || y.v != 0)
	case e.Op == dsl.And:
		return truth(x.v != 0 && y.v != 0)
	case isComparison(e.Op):
		if inexact := x.err + y.err; inexact != 0 && !(math.Abs(x.v-y.v) > inexact) {
			a.undecided = true
		}
		return truth(compare(e.Op, x.v, y.v))
	case e.Op == dsl.Mod:
		return a.remainder(x, y)
	case e.Op != dsl.Pow:
		return a.arithmetic(e.Op, x, y)
	}
	switch wholePower(e) {
	case 2:
		return a.arithmetic(dsl.Mul, x, x)
	case 3:
		return a.arithmetic(dsl.Mul, a.arithmetic(dsl.Mul, x, x), x)
	}
	return power(x, y)
}

func compare(op dsl.Op, x, y float64) bool {
	switch op {
	case dsl.Eq:
		return x == y
	case dsl.Ne:
		return x != y
	case dsl.Lt:
		return x < y
	case dsl.Le:
		return x <= y
	case dsl.Gt:
		return x > y
	}
	return x >= y
}

func (a *analysis) arithmetic(op dsl.Op, x, y approx) approx {
	switch op {
	case dsl.Add:
		return settle(x.v+y.v, x.err+y.err)
	case dsl.Sub:
		return settle(x.v-y.v, x.err+y.err)
	case dsl.Mul:
		return settle(float64(x.v*y.v), carry(x.v, y.err)+carry(y.v, x.err)+float64(x.err*y.err))
	}
	v := x.v / y.v
	if y.err != 0 && y.err >= math.Abs(y.v) {
		return approx{v, math.Inf(1)}
	}
	return settle(v, quotient(x.err+carry(v, y.err), math.Abs(y.v)-y.err))
}

// carry is what an error becomes by a factor; none stays none.
func carry(factor, err float64) float64 {
	if err == 0 {
		return 0
	}
	return math.Abs(factor) * err
}

func quotient(err, by float64) float64 {
	if err == 0 {
		return 0
	}
	return err / by
}

// settle adds the rounding of the result to a propagated error. Where nothing was propagated both evaluations round the same
// way; where the result is not finite the bound is lost.
func settle(v, err float64) approx {
	switch {
	case err == 0:
		return approx{v, 0}
	case math.IsInf(v, 0) || math.IsNaN(v) || math.IsNaN(err):
		return approx{v, math.Inf(1)}
	}
	return approx{v, err + math.Abs(v)*0x1p-52 + 0x1p-1070}
}

// remainder has a jump where the quotient is whole.
func (a *analysis) remainder(x, y approx) approx {
	v := fmath.Mod(x.v, y.v)
	if x.err == 0 && y.err == 0 {
		return approx{v, 0}
	}
	r := settle(v, x.err+carry(x.v/y.v, y.err))
	if !(math.Min(math.Abs(v), math.Abs(y.v)-math.Abs(v)) > r.err) {
		a.undecided = true
	}
	return r
}

func (a *analysis) call(fn string, args []approx) approx {
	x := args[0]
	switch fn {
	case "abs":
		return approx{math.Abs(x.v), x.err}
	case "sqrt":
		return monotone(math.Sqrt, x, 0)
	case "exp":
		return monotone(fmath.Exp, x, looseError)
	case "log":
		if x == (approx{v: 1}) {
			return approx{} // in every library
		}
		return monotone(fmath.Log, x, looseError)
	case "log1p":
		return monotone(fmath.Log1p, x, looseError)
	case "tanh":
		return monotone(fmath.Tanh, x, looseError)
	case "pow":
		return power(x, args[1])
	case "floor":
		return a.step(math.Floor, x)
	case "ceil":
		return a.step(math.Ceil, x)
	case "clamp":
		return extreme(math.Min, extreme(math.Max, x, args[1]), args[2])
	}
	of := math.Min
	if fn == "max" {
		of = math.Max
	}
	for _, y := range args[1:] {
		x = extreme(of, x, y)
	}
	return x
}

// extreme is min or max, which never amplify.
func extreme(of func(x, y float64) float64, x, y approx) approx {
	v, err := of(x.v, y.v), max(x.err, y.err)
	if err != 0 && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = math.Inf(1)
	}
	return approx{v, err}
}

// step is floor or ceil.
func (a *analysis) step(f func(float64) float64, x approx) approx {
	v := f(x.v)
	if x.err != 0 && !(f(x.v-x.err) == v && f(x.v+x.err) == v) {
		a.undecided = true
	}
	return approx{v, 0}
}

// monotone is a function that nowhere changes its direction, so that its values at the ends of an interval bound those within.
func monotone(f func(float64) float64, x approx, own float64) approx {
	v := f(x.v)
	return within(v, x.err == 0, own, f(x.v-x.err), f(x.v+x.err), f(x.v*(1-own)), f(x.v*(1+own)))
}

// power is monotone in both arguments where the base is positive.
func power(x, y approx) approx {
	v := fmath.Pow(x.v, y.v)
	if x.err != 0 && x.err >= math.Abs(x.v) || y.err != 0 && x.v < 0 {
		return approx{v, math.Inf(1)}
	}
	ends := []float64{fmath.Pow(x.v, y.v*(1-looseError)), fmath.Pow(x.v, y.v*(1+looseError))}
	if x.v < 0 {
		ends = nil
	}
	for _, dx := range []float64{-x.err, x.err} {
		for _, dy := range []float64{-y.err, y.err} {
			ends = append(ends, fmath.Pow(x.v+dx, y.v+dy))
		}
	}
	return within(v, x.err == 0 && y.err == 0, looseError, ends...)
}

// within bounds the error of v, a function's value with a relative error of its own, by values around it. Where the
// argument is exact and they all are the same zero, infinity or NaN, so is every library's.
func within(v float64, exact bool, own float64, around ...float64) approx {
	err := math.Abs(v) * own
	special := v == 0 || math.IsInf(v, 0) || math.IsNaN(v)
	for _, u := range around {
		if u == v || math.IsNaN(u) && math.IsNaN(v) {
			continue
		}
		special = false
		err = max(err, math.Abs(u-v)) // NaN too
	}
	switch {
	case exact && (special || own == 0):
		return approx{v, 0}
	}
	return settle(v, math.Abs(v)*own+err+0x1p-1070)
}
