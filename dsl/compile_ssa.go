package dsl

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// vop is the operation of a value.
type vop uint8

const (
	vUndef vop = iota // whatever: the value of a local on a path that does not read it
	vConst            // k
	vArg              // argument a; states follow the inputs
	vNeg
	vAbs
	vSqrt
	vFloor
	vCeil
	vExp
	vLog
	vLog1p
	vTanh
	vNot
	vAdd
	vSub
	vMul
	vDiv
	vMod
	vPow
	vMin
	vMax
	vLt
	vLe
	vEq
	vNe
	vSelect // a ? b : c
)

// arity is the number of operands.
func (op vop) arity() int {
	switch {
	case op <= vArg:
		return 0
	case op <= vNot:
		return 1
	case op < vSelect:
		return 2
	}
	return 3
}

// compares reports an operation whose result is a truth value computed from numbers.
func (op vop) compares() bool { return op >= vLt && op <= vNe }

// commutes reports an operation whose operands may change places: the bits are the same once all NaNs are one.
func (op vop) commutes() bool {
	switch op {
	case vAdd, vMul, vMin, vMax, vEq, vNe:
		return true
	}
	return false
}

// dear reports an operation that costs many times a multiplication.
func (op vop) dear() bool {
	switch op {
	case vExp, vLog, vLog1p, vTanh, vMod, vPow:
		return true
	}
	return false
}

// id is the index of a value.
type id = int32

// value is one node of the graph that a function is lowered to. Every value is total and free of effects, so that it may be
// computed early, late, once or not at all. Truth values are 1 and 0.
type value struct {
	op    vop
	group int32 // of a select: the selects that one branch decides
	arg   [3]id // operands; of vArg the index of the argument
	k     float64
}

// valueKey tells values apart; the constant counts by its bits.
type valueKey struct {
	op  vop
	arg [3]id
	k   uint64
}

// graph holds values in an order in which operands come first. Equal values are one value.
type graph struct {
	values []value
	index  map[valueKey]id
	groups int32
}

func newGraph(capacity int) *graph {
	return &graph{values: make([]value, 0, capacity), index: make(map[valueKey]id, capacity)}
}

func (g *graph) add(v value) id {
	key := valueKey{v.op, v.arg, math.Float64bits(v.k)}
	if old, ok := g.index[key]; ok {
		return old
	}
	n := id(len(g.values))
	g.values = append(g.values, v)
	g.index[key] = n
	return n
}

func (g *graph) constant(k float64) id {
	if math.IsNaN(k) {
		k = math.NaN()
	}
	return g.add(value{op: vConst, k: k})
}

func (g *graph) argument(i int) id { return g.add(value{op: vArg, arg: [3]id{id(i)}}) }

func (g *graph) undef() id { return g.add(value{op: vUndef}) }

// known returns the value of a constant.
func (g *graph) known(x id) (float64, bool) {
	v := &g.values[x]
	return v.k, v.op == vConst
}

// is reports whether x is the constant k, bit for bit.
func (g *graph) is(x id, k float64) bool {
	v, ok := g.known(x)
	return ok && math.Float64bits(v) == math.Float64bits(k)
}

// unary applies op to x.
func (g *graph) unary(op vop, x id) id {
	if k, ok := g.known(x); ok {
		return g.constant(apply1(op, k))
	}
	v := g.values[x]
	switch {
	case v.op == vUndef:
		return x
	case op == v.op && (op == vNeg || op == vNot): // twice is not at all
		return v.arg[0]
	case op == vAbs && v.op == vNeg:
		return g.unary(vAbs, v.arg[0])
	case op == vAbs && v.op == vAbs, op == vFloor && v.op == vFloor, op == vCeil && v.op == vCeil:
		return x
	case op == vNot && v.op == vEq:
		return g.binary(vNe, v.arg[0], v.arg[1])
	case op == vNot && v.op == vNe:
		return g.binary(vEq, v.arg[0], v.arg[1])
	}
	return g.add(value{op: op, arg: [3]id{x}})
}

// binary applies op to x and y. What it simplifies, it simplifies without changing a bit, for any operands.
func (g *graph) binary(op vop, x, y id) id {
	a, knownX := g.known(x)
	b, knownY := g.known(y)
	switch {
	case g.values[x].op == vUndef:
		return x
	case g.values[y].op == vUndef:
		return y
	case knownX && knownY:
		return g.constant(apply2(op, a, b))
	case x == y && (op == vMin || op == vMax):
		return x
	}
	if op.commutes() && x > y { // one form of both orders
		x, y = y, x
	}
	if z, ok := g.neutral(op, x, y); ok {
		return z
	}
	switch { // x - 2 = x + -2; x + -y = x - y; x - -y = x + y; x / 2 = x * 0.5
	case op == vSub && knownY:
		return g.binary(vAdd, x, g.constant(-b))
	case op == vAdd && g.values[y].op == vNeg:
		return g.binary(vSub, x, g.values[y].arg[0])
	case op == vAdd && g.values[x].op == vNeg:
		return g.binary(vSub, y, g.values[x].arg[0])
	case op == vSub && g.values[y].op == vNeg:
		return g.binary(vAdd, x, g.values[y].arg[0])
	case op == vDiv && knownY && exactReciprocal(b):
		return g.binary(vMul, x, g.constant(1/b))
	}
	return g.add(value{op: op, arg: [3]id{x, y}})
}

// neutral finds operations that leave one operand as it is, or negate it. x + 0 is not among them: it turns -0 into 0.
func (g *graph) neutral(op vop, x, y id) (id, bool) {
	switch op {
	case vAdd:
		if g.is(y, math.Copysign(0, -1)) {
			return x, true
		}
		if g.is(x, math.Copysign(0, -1)) {
			return y, true
		}
	case vSub:
		if g.is(y, 0) {
			return x, true
		}
		if g.is(x, math.Copysign(0, -1)) {
			return g.unary(vNeg, y), true
		}
	case vMul:
		for range 2 {
			if g.is(y, 1) {
				return x, true
			}
			if g.is(y, -1) {
				return g.unary(vNeg, x), true
			}
			x, y = y, x
		}
	case vDiv:
		if g.is(y, 1) {
			return x, true
		}
		if g.is(y, -1) {
			return g.unary(vNeg, x), true
		}
	}
	return 0, false
}

// exactReciprocal reports a power of two whose reciprocal is normal, so that dividing by it is multiplying by that.
func exactReciprocal(b float64) bool {
	frac, exp := math.Frexp(b)
	return math.Abs(frac) == 0.5 && exp > -1000 && exp < 1000
}

// relation compares two numbers by one of the AST's relations.
func (g *graph) relation(op Op, x, y id) id {
	switch op {
	case Lt:
		return g.binary(vLt, x, y)
	case Le:
		return g.binary(vLe, x, y)
	case Gt:
		return g.binary(vLt, y, x)
	case Ge:
		return g.binary(vLe, y, x)
	case Eq:
		return g.binary(vEq, x, y)
	default:
		return g.binary(vNe, x, y)
	}
}

// newGroup returns a name for the selects that one branch decides. They must be made one after the other, none
// depending on another.
func (g *graph) newGroup() int32 {
	g.groups++
	return g.groups - 1
}

// choose is cond ? x : y, as part of a group.
func (g *graph) choose(group int32, cond, x, y id) id {
	if k, ok := g.known(cond); ok {
		if k != 0 {
			return x
		}
		return y
	}
	switch {
	case x == y, g.values[y].op == vUndef:
		return x
	case g.values[x].op == vUndef:
		return y
	case g.values[cond].op == vUndef:
		return x
	case g.values[cond].op == vNot:
		return g.choose(group, g.values[cond].arg[0], y, x)
	case g.is(x, 1) && g.is(y, 0) && g.truth(cond):
		return cond
	case g.is(x, 0) && g.is(y, 1) && g.truth(cond):
		return g.unary(vNot, cond)
	}
	// What is chosen under the same condition is known.
	if v := g.values[x]; v.op == vSelect && v.arg[0] == cond {
		return g.choose(group, cond, v.arg[1], y)
	}
	if v := g.values[y]; v.op == vSelect && v.arg[0] == cond {
		return g.choose(group, cond, x, v.arg[2])
	}
	return g.add(value{op: vSelect, arg: [3]id{cond, x, y}, group: group})
}

// truth reports a value that can only be 1 or 0. An argument of type bool is not among them: a host may pass 2.
func (g *graph) truth(x id) bool {
	switch op := g.values[x].op; {
	case op.compares(), op == vNot:
		return true
	case op == vSelect:
		return g.truthOf(g.values[x].arg[1]) && g.truthOf(g.values[x].arg[2])
	}
	return false
}

// truthOf is truth for one level of operands, to bound the work.
func (g *graph) truthOf(x id) bool {
	return g.is(x, 0) || g.is(x, 1) || g.values[x].op.compares() || g.values[x].op == vNot
}

func (g *graph) and(x, y id) id { return g.choose(g.newGroup(), x, y, g.constant(0)) }

func (g *graph) or(x, y id) id { return g.choose(g.newGroup(), x, g.constant(1), y) }

// apply1 is the meaning of the unary operations.
func apply1(op vop, x float64) float64 {
	switch op {
	case vNeg:
		return -x
	case vAbs:
		return math.Abs(x)
	case vSqrt:
		return math.Sqrt(x)
	case vFloor:
		return math.Floor(x)
	case vCeil:
		return math.Ceil(x)
	case vExp:
		return fmath.Exp(x)
	case vLog:
		return fmath.Log(x)
	case vLog1p:
		return fmath.Log1p(x)
	case vTanh:
		return fmath.Tanh(x)
	case vNot:
		return truth(x == 0)
	}
	return math.NaN()
}

// apply2 is the meaning of the binary operations.
func apply2(op vop, x, y float64) float64 {
	switch op {
	case vAdd:
		return x + y
	case vSub:
		return x - y
	case vMul:
		return x * y
	case vDiv:
		return x / y
	case vMod:
		return fmath.Mod(x, y)
	case vPow:
		return fmath.Pow(x, y)
	case vMin:
		return min(x, y)
	case vMax:
		return max(x, y)
	case vLt:
		return truth(x < y)
	case vLe:
		return truth(x <= y)
	case vEq:
		return truth(x == y)
	case vNe:
		return truth(x != y)
	}
	return math.NaN()
}
