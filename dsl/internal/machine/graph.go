package machine

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// Op is the operation of a value.
type Op uint8

// The operations. Those on truth values, but for Not, are comparisons and selects.
const (
	Undef Op = iota // whatever: the value of a local on a path that does not read it
	Const           // k
	Arg             // argument a; states follow the inputs
	Neg
	Abs
	Sqrt
	Floor
	Ceil
	Exp
	Log
	Log1p
	Tanh
	Not
	Add
	Sub
	Mul
	Div
	Mod
	Pow
	Min
	Max
	Lt
	Le
	Eq
	Ne
	Select // a ? b : c
)

// arity is the number of operands.
func (op Op) arity() int {
	switch {
	case op <= Arg:
		return 0
	case op <= Not:
		return 1
	case op < Select:
		return 2
	}
	return 3
}

// compares reports an operation whose result is a truth value computed from numbers.
func (op Op) compares() bool { return op >= Lt && op <= Ne }

// commutes reports an operation whose operands may change places: the bits are the same once all NaNs are one.
func (op Op) commutes() bool {
	switch op {
	case Add, Mul, Min, Max, Eq, Ne:
		return true
	}
	return false
}

// dear reports an operation that costs many times a multiplication.
func (op Op) dear() bool {
	switch op {
	case Exp, Log, Log1p, Tanh, Mod, Pow:
		return true
	}
	return false
}

// ID is the index of a value.
type ID = int32

// value is one node of the graph that a function is lowered to. Every value is total and free of effects, so that it may be
// computed early, late, once or not at all. Truth values are 1 and 0.
type value struct {
	op    Op
	group int32 // of a select: the selects that one branch decides
	arg   [3]ID // operands; of Arg the index of the argument
	k     float64
}

// valueKey tells values apart; the constant counts by its bits.
type valueKey struct {
	op  Op
	arg [3]ID
	k   uint64
}

// Graph holds values in an order in which operands come first. Equal values are one value.
type Graph struct {
	values []value
	index  map[valueKey]ID
	groups int32
}

// NewGraph returns an empty graph with room for some values.
func NewGraph(capacity int) *Graph {
	return &Graph{values: make([]value, 0, capacity), index: make(map[valueKey]ID, capacity)}
}

func (g *Graph) add(v value) ID {
	key := valueKey{v.op, v.arg, math.Float64bits(v.k)}
	if old, ok := g.index[key]; ok {
		return old
	}
	n := ID(len(g.values))
	g.values = append(g.values, v)
	g.index[key] = n
	return n
}

// Constant returns the value k; all NaNs are one.
func (g *Graph) Constant(k float64) ID {
	if math.IsNaN(k) {
		k = math.NaN()
	}
	return g.add(value{op: Const, k: k})
}

// Argument returns the value of argument i.
func (g *Graph) Argument(i int) ID { return g.add(value{op: Arg, arg: [3]ID{ID(i)}}) }

// Undef returns a value that may be any: nothing reads it.
func (g *Graph) Undef() ID { return g.add(value{op: Undef}) }

// known returns the value of a constant.
func (g *Graph) known(x ID) (float64, bool) {
	v := &g.values[x]
	return v.k, v.op == Const
}

// is reports whether x is the constant k, bit for bit.
func (g *Graph) is(x ID, k float64) bool {
	v, ok := g.known(x)
	return ok && math.Float64bits(v) == math.Float64bits(k)
}

// Unary applies op to x.
func (g *Graph) Unary(op Op, x ID) ID {
	if k, ok := g.known(x); ok {
		return g.Constant(apply1(op, k))
	}
	v := g.values[x]
	switch {
	case v.op == Undef:
		return x
	case op == v.op && (op == Neg || op == Not): // twice is not at all
		return v.arg[0]
	case op == Abs && v.op == Neg:
		return g.Unary(Abs, v.arg[0])
	case op == Abs && v.op == Abs, op == Floor && v.op == Floor, op == Ceil && v.op == Ceil:
		return x
	case op == Not && v.op == Eq:
		return g.Binary(Ne, v.arg[0], v.arg[1])
	case op == Not && v.op == Ne:
		return g.Binary(Eq, v.arg[0], v.arg[1])
	}
	return g.add(value{op: op, arg: [3]ID{x}})
}

// Binary applies op to x and y. What it simplifies, it simplifies without changing a bit, for any operands.
func (g *Graph) Binary(op Op, x, y ID) ID {
	a, knownX := g.known(x)
	b, knownY := g.known(y)
	switch {
	case g.values[x].op == Undef:
		return x
	case g.values[y].op == Undef:
		return y
	case knownX && knownY:
		return g.Constant(apply2(op, a, b))
	case x == y && (op == Min || op == Max):
		return x
	}
	if op.commutes() && x > y { // one form of both orders
		x, y = y, x
	}
	if z, ok := g.neutral(op, x, y); ok {
		return z
	}
	switch { // x - 2 = x + -2; x + -y = x - y; x - -y = x + y; x / 2 = x * 0.5
	case op == Sub && knownY:
		return g.Binary(Add, x, g.Constant(-b))
	case op == Add && g.values[y].op == Neg:
		return g.Binary(Sub, x, g.values[y].arg[0])
	case op == Add && g.values[x].op == Neg:
		return g.Binary(Sub, y, g.values[x].arg[0])
	case op == Sub && g.values[y].op == Neg:
		return g.Binary(Add, x, g.values[y].arg[0])
	case op == Div && knownY && exactReciprocal(b):
		return g.Binary(Mul, x, g.Constant(1/b))
	}
	return g.add(value{op: op, arg: [3]ID{x, y}})
}

// neutral finds operations that leave one operand as it is, or negate it. x + 0 is not among them: it turns -0 into 0.
func (g *Graph) neutral(op Op, x, y ID) (ID, bool) {
	switch op {
	case Add:
		if g.is(y, math.Copysign(0, -1)) {
			return x, true
		}
		if g.is(x, math.Copysign(0, -1)) {
			return y, true
		}
	case Sub:
		if g.is(y, 0) {
			return x, true
		}
		if g.is(x, math.Copysign(0, -1)) {
			return g.Unary(Neg, y), true
		}
	case Mul:
		for range 2 {
			if g.is(y, 1) {
				return x, true
			}
			if g.is(y, -1) {
				return g.Unary(Neg, x), true
			}
			x, y = y, x
		}
	case Div:
		if g.is(y, 1) {
			return x, true
		}
		if g.is(y, -1) {
			return g.Unary(Neg, x), true
		}
	}
	return 0, false
}

// exactReciprocal reports a power of two whose reciprocal is normal, so that dividing by it is multiplying by that.
func exactReciprocal(b float64) bool {
	frac, exp := math.Frexp(b)
	return math.Abs(frac) == 0.5 && exp > -1000 && exp < 1000
}

// NewGroup returns a name for the selects that one branch decides. They must be made one after the other, none
// depending on another.
func (g *Graph) NewGroup() int32 {
	g.groups++
	return g.groups - 1
}

// Choose is cond ? x : y, as part of a group.
func (g *Graph) Choose(group int32, cond, x, y ID) ID {
	if k, ok := g.known(cond); ok {
		if k != 0 {
			return x
		}
		return y
	}
	switch {
	case x == y, g.values[y].op == Undef:
		return x
	case g.values[x].op == Undef:
		return y
	case g.values[cond].op == Undef:
		return x
	case g.values[cond].op == Not:
		return g.Choose(group, g.values[cond].arg[0], y, x)
	case g.is(x, 1) && g.is(y, 0) && g.truth(cond):
		return cond
	case g.is(x, 0) && g.is(y, 1) && g.truth(cond):
		return g.Unary(Not, cond)
	}
	// What is chosen under the same condition is known.
	if v := g.values[x]; v.op == Select && v.arg[0] == cond {
		return g.Choose(group, cond, v.arg[1], y)
	}
	if v := g.values[y]; v.op == Select && v.arg[0] == cond {
		return g.Choose(group, cond, x, v.arg[2])
	}
	return g.add(value{op: Select, arg: [3]ID{cond, x, y}, group: group})
}

// truth reports a value that can only be 1 or 0. An argument of type bool is not among them: a host may pass 2.
func (g *Graph) truth(x ID) bool {
	switch op := g.values[x].op; {
	case op.compares(), op == Not:
		return true
	case op == Select:
		return g.truthOf(g.values[x].arg[1]) && g.truthOf(g.values[x].arg[2])
	}
	return false
}

// truthOf is truth for one level of operands, to bound the work.
func (g *Graph) truthOf(x ID) bool {
	return g.is(x, 0) || g.is(x, 1) || g.values[x].op.compares() || g.values[x].op == Not
}

// And is x && y.
func (g *Graph) And(x, y ID) ID { return g.Choose(g.NewGroup(), x, y, g.Constant(0)) }

// Or is x || y.
func (g *Graph) Or(x, y ID) ID { return g.Choose(g.NewGroup(), x, g.Constant(1), y) }

// apply1 is the meaning of the unary operations.
func apply1(op Op, x float64) float64 {
	switch op {
	case Neg:
		return -x
	case Abs:
		return math.Abs(x)
	case Sqrt:
		return math.Sqrt(x)
	case Floor:
		return math.Floor(x)
	case Ceil:
		return math.Ceil(x)
	case Exp:
		return fmath.Exp(x)
	case Log:
		return fmath.Log(x)
	case Log1p:
		return fmath.Log1p(x)
	case Tanh:
		return fmath.Tanh(x)
	case Not:
		return truth(x == 0)
	}
	return math.NaN()
}

// apply2 is the meaning of the binary operations.
func apply2(op Op, x, y float64) float64 {
	switch op {
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
		return fmath.Pow(x, y)
	case Min:
		return min(x, y)
	case Max:
		return max(x, y)
	case Lt:
		return truth(x < y)
	case Le:
		return truth(x <= y)
	case Eq:
		return truth(x == y)
	case Ne:
		return truth(x != y)
	}
	return math.NaN()
}

// argumentsOf says which of n arguments the outputs depend on.
func (g *Graph) argumentsOf(outputs []ID, n int) []bool {
	live := make([]bool, len(g.values))
	reads := make([]bool, n)
	for _, out := range outputs {
		live[out] = true
	}
	for x := len(g.values) - 1; x >= 0; x-- {
		v := &g.values[x]
		switch {
		case !live[x]:
		case v.op == Arg:
			reads[v.arg[0]] = true
		default:
			for _, o := range v.arg[:v.op.arity()] {
				live[o] = true
			}
		}
	}
	return reads
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
