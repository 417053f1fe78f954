package prove

import (
	"math"

	"github.com/agentdescent/adrun/gate/interval"
)

// op is the operation of a node.
type op uint8

const (
	opConst op = iota
	opInput
	opPhi // one of two values, by a branch that has been taken or not
	opNeg
	opNot
	opAnd
	opOr
	opEq
	opNe
	opLt
	opLe
	opAdd
	opSub
	opMul
	opSquare
	opCube
	opDiv
	opMod
	opPow
	opMin
	opMax
	opAbs
	opSqrt
	opLog
	opLog1p
	opExp
	opTanh
	opFloor
	opCeil
)

// none is the absent node.
const none = int32(-1)

// node is one operation of a rule in single-assignment form. Equal operations on equal operands
// are one node wherever both can be reached, so that correlated terms are seen to be equal.
type node struct {
	op   op
	a, b int32
	// whole says that every finite value is a whole number; truth that it is a truth value.
	whole, truth bool
	// deps has a bit for every input that the node reads.
	deps uint64
	// val is the value of a constant.
	val float64
	// lin is the exact real value that one rounding turns into the node's value: nil when the
	// node is no such sum. exact says that the rounding does nothing.
	lin   *linear
	exact bool
	// bounds are linear forms that bound lin under the facts known where the node is computed.
	bounds []bound
}

// key identifies a node for sharing.
type key struct {
	op   op
	a, b int32
	bits uint64
}

// scoped is a node that can be shared until its block ends.
type scoped struct {
	key key
	id  int32
}

// graph holds the nodes of one rule; the nodes of the signature's inputs and assumptions come first.
type graph struct {
	nodes []node
	index map[key]int32
	// scope lists what the open blocks added, newest last: a node that one arm of a
	// branch computes does not exist on the other.
	scope []scoped
	facts []fact
	// block receives the nodes that are added.
	block *block
	terms arena[term]
	ids   arena[int32]
	forms arena[linear]
	// magnitude bounds the absolute value of each input, for deciding which sums are exact.
	magnitude []float64
}

func (g *graph) add(n node, k key) int32 {
	if id, ok := g.index[k]; ok {
		return id
	}
	id := int32(len(g.nodes))
	g.nodes = append(g.nodes, n)
	g.index[k] = id
	g.scope = append(g.scope, scoped{k, id})
	g.linearize(id)
	g.block.steps = append(g.block.steps, step{kind: compute, node: id})
	return id
}

// leave forgets the nodes that were added since mark, a length of scope.
func (g *graph) leave(mark int) {
	for _, s := range g.scope[mark:] {
		delete(g.index, s.key)
	}
	g.scope = g.scope[:mark]
}

func (g *graph) constant(v float64) int32 {
	k := key{op: opConst, bits: math.Float64bits(v)}
	return g.add(node{op: opConst, a: none, b: none, val: v, whole: v == math.Trunc(v)}, k)
}

func (g *graph) truth(b bool) int32 {
	v := 0.0
	if b {
		v = 1
	}
	return g.constant(v)
}

// unary adds an operation on one operand.
func (g *graph) unary(o op, a int32) int32 {
	x := &g.nodes[a]
	n := node{op: o, a: a, b: none, deps: x.deps}
	switch o {
	case opNeg, opAbs:
		n.whole = x.whole
	case opFloor, opCeil:
		if x.whole {
			return a
		}
		n.whole = true
	case opNot:
		n.truth, n.whole = true, true
	case opSquare, opCube:
		n.whole = x.whole
	}
	return g.add(n, key{op: o, a: a, b: none})
}

// binary adds an operation on two operands.
func (g *graph) binary(o op, a, b int32) int32 {
	if a == b && o == opMul {
		return g.unary(opSquare, a)
	}
	x, y := &g.nodes[a], &g.nodes[b]
	n := node{op: o, a: a, b: b, deps: x.deps | y.deps}
	switch o {
	case opAdd, opSub, opMul, opMin, opMax, opMod:
		n.whole = x.whole && y.whole
	case opAnd, opOr, opEq, opNe, opLt, opLe:
		n.truth, n.whole = true, true
	}
	k := key{op: o, a: a, b: b}
	if o.commutes() && a > b {
		k.a, k.b = b, a
	}
	return g.add(n, k)
}

// commutes reports that exchanging the operands changes no bit of the result.
func (o op) commutes() bool {
	switch o {
	case opAdd, opMul, opMin, opMax, opAnd, opOr, opEq, opNe:
		return true
	}
	return false
}

// phi adds the value that a branch leaves in a local: a where it is taken, b where it is not.
// Two branches never share one.
func (g *graph) phi(cond, a, b int32) int32 {
	x, y := &g.nodes[a], &g.nodes[b]
	id := int32(len(g.nodes))
	g.nodes = append(g.nodes, node{
		op: opPhi, a: a, b: b, deps: x.deps | y.deps | g.nodes[cond].deps,
		whole: x.whole && y.whole, truth: x.truth && y.truth,
	})
	return id
}

// apply computes a node's interval from those of its operands.
func apply(n *node, a, b interval.Value) interval.Value {
	switch n.op {
	case opNeg:
		return interval.Neg(a)
	case opNot:
		return interval.Not(a)
	case opAnd:
		return interval.And(a, b)
	case opOr:
		return interval.Or(a, b)
	case opEq:
		return interval.Eq(a, b)
	case opNe:
		return interval.Ne(a, b)
	case opLt:
		return interval.Lt(a, b)
	case opLe:
		return interval.Le(a, b)
	case opAdd:
		return interval.Add(a, b)
	case opSub:
		return sub(n, a, b)
	case opMul:
		return interval.Mul(a, b)
	case opSquare:
		return interval.Square(a)
	case opCube:
		return interval.Cube(a)
	case opDiv:
		return div(n, a, b)
	}
	return applyFunction(n.op, a, b)
}

// sub and div know that an operand equals itself.
func sub(n *node, a, b interval.Value) interval.Value {
	if n.a == n.b && a.Finite() {
		return interval.Point(0)
	}
	return interval.Sub(a, b)
}

func div(n *node, a, b interval.Value) interval.Value {
	if n.a == n.b && a.Finite() && (a.Lo > 0 || a.Hi < 0) {
		return interval.Point(1)
	}
	return interval.Div(a, b)
}

func applyFunction(o op, a, b interval.Value) interval.Value {
	switch o {
	case opMod:
		return interval.Mod(a, b)
	case opPow:
		return interval.Pow(a, b)
	case opMin:
		return interval.Min(a, b)
	case opMax:
		return interval.Max(a, b)
	case opAbs:
		return interval.Abs(a)
	case opSqrt:
		return interval.Sqrt(a)
	case opLog:
		return interval.Log(a)
	case opLog1p:
		return interval.Log1p(a)
	case opExp:
		return interval.Exp(a)
	case opTanh:
		return interval.Tanh(a)
	case opFloor:
		return interval.Floor(a)
	case opCeil:
		return interval.Ceil(a)
	}
	return interval.Any()
}
