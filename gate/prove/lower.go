package prove

import (
	"github.com/agentdescent/adrun/dsl"
)

// stepKind says what a step does.
type stepKind uint8

const (
	compute stepKind = iota // the value of node
	branch                  // one of then and els, by node
	finish                  // the rule returns; node must be finite, or true for a contract
)

// step is one step of a block.
type step struct {
	kind      stepKind
	node      int32
	then, els arm
	phis      []phi
}

// arm is one side of a branch. falls says that control can leave it at its end. sharpen are
// nodes computed before the branch that its condition bounds.
type arm struct {
	block   *block
	falls   bool
	sharpen []sharpened
}

type sharpened struct {
	node  int32
	bound bound
}

// phi is the node for what a branch leaves in a local: a after then, b after els.
type phi struct {
	node, a, b int32
}

// block is a straight sequence of steps.
type block struct {
	steps []step
}

// local is a variable and the node that holds its present value.
type local struct {
	name string
	node int32
}

// lowerer turns a checked rule into a block over a graph.
type lowerer struct {
	*graph
	names  map[string]int32 // inputs and words
	locals []local
	// atReturn makes of the returned node the one that a finish step inspects.
	atReturn func(node int32) int32
	// choose, if not nil, picks the one side of a branch to follow, for enumerating paths.
	choose func(cond int32) bool
	// spare are blocks to use, of which the first blocks are taken.
	spare  []*block
	blocks int
	// unsupported is set where the rule uses what the prover does not know.
	unsupported bool
}

// newBlock returns an empty block, one of an earlier rule if there is one.
func (w *lowerer) newBlock() *block {
	if w.blocks == len(w.spare) {
		w.spare = append(w.spare, &block{})
	}
	b := w.spare[w.blocks]
	b.steps = b.steps[:0]
	w.blocks++
	return b
}

// statements lowers a block's statements into the current block and reports whether control can
// reach the end.
func (w *lowerer) statements(stmts []dsl.Stmt) bool {
	outer := len(w.locals)
	facts := len(w.facts)
	defer func() {
		w.locals = w.locals[:outer]
		w.facts = w.facts[:facts]
	}()
	for _, s := range stmts {
		switch s := s.(type) {
		case *dsl.Let:
			w.locals = append(w.locals, local{s.Name.Text, w.expr(s.Value)})
		case *dsl.Assign:
			w.assign(s)
		case *dsl.Return:
			node := w.atReturn(w.expr(s.Value))
			w.block.steps = append(w.block.steps, step{kind: finish, node: node})
			return false
		case *dsl.If:
			if !w.conditional(s.Arms, s.Else) {
				return false
			}
		}
	}
	return true
}

func (w *lowerer) assign(s *dsl.Assign) {
	v := w.expr(s.Value)
	for i := len(w.locals) - 1; i >= 0; i-- {
		l := &w.locals[i]
		if l.name != s.Name.Text {
			continue
		}
		switch s.Op {
		case dsl.AddSet:
			v = w.binary(opAdd, l.node, v)
		case dsl.SubSet:
			v = w.binary(opSub, l.node, v)
		case dsl.MulSet:
			v = w.binary(opMul, l.node, v)
		case dsl.DivSet:
			v = w.binary(opDiv, l.node, v)
		}
		l.node = v
		return
	}
	w.unsupported = true
}

// conditional lowers the arms of an if and what follows when none holds.
func (w *lowerer) conditional(arms []*dsl.Arm, els *dsl.Block) bool {
	cond := w.expr(arms[0].Cond)
	then := func() bool { return w.statements(arms[0].Body.Stmts) }
	other := func() bool {
		switch {
		case len(arms) > 1:
			return w.conditional(arms[1:], els)
		case els != nil:
			return w.statements(els.Stmts)
		}
		return true
	}
	return w.fork(cond, then, other)
}

// fork lowers a branch whose sides are lowered by then and els, and merges the locals they leave.
// A side that always returns leaves the facts of the other in scope.
func (w *lowerer) fork(cond int32, then, els func() bool) bool {
	if w.choose != nil {
		if w.choose(cond) {
			return then()
		}
		return els()
	}
	parent, before := w.block, append([]local(nil), w.locals...)
	mark, facts := len(w.scope), len(w.facts)

	a := w.side(cond, true, then)
	after := append([]local(nil), w.locals...)
	w.leave(mark)
	w.locals = append(w.locals[:0], before...)
	w.facts = w.facts[:facts]
	b := w.side(cond, false, els)

	w.block = parent
	st := step{kind: branch, node: cond, then: a, els: b}
	switch {
	case a.falls && b.falls:
		w.leave(mark)
		w.facts = w.facts[:facts]
		st.phis = w.merge(cond, after)
	case a.falls:
		w.leave(mark)
		w.facts = w.facts[:facts]
		w.assume(cond, true)
		w.locals = after
	}
	w.block.steps = append(w.block.steps, st)
	return a.falls || b.falls
}

// side lowers one side of a branch into a block of its own.
func (w *lowerer) side(cond int32, want bool, lower func() bool) arm {
	facts := len(w.facts)
	w.assume(cond, want)
	out := arm{block: w.newBlock(), sharpen: w.sharpened(facts)}
	w.block = out.block
	out.falls = lower()
	return out
}

// sharpened finds what the facts since from say about nodes that are already computed.
func (w *lowerer) sharpened(from int) []sharpened {
	if len(w.facts) == from {
		return nil
	}
	var out []sharpened
	for _, s := range w.scope {
		n := &w.nodes[s.id]
		if n.lin == nil || len(n.lin.terms) < 2 {
			continue
		}
		for i := from; i < len(w.facts); i++ {
			for _, b := range w.appendBounds(nil, *n.lin, &w.facts[i].form) {
				out = append(out, sharpened{s.id, b})
			}
		}
	}
	return out
}

// merge replaces the locals on which the two sides of a branch disagree. The present locals are
// those of els.
func (w *lowerer) merge(cond int32, then []local) []phi {
	var out []phi
	for i := range w.locals {
		a, b := then[i].node, w.locals[i].node
		if a == b {
			continue
		}
		id := w.phi(cond, a, b)
		out = append(out, phi{id, a, b})
		w.locals[i].node = id
	}
	return out
}

// expr lowers an expression and returns its node.
func (w *lowerer) expr(e dsl.Expr) int32 {
	switch e := e.(type) {
	case *dsl.Num:
		return w.constant(e.Value)
	case *dsl.Bool:
		return w.truth(e.Value)
	case *dsl.Ref:
		return w.ref(e.Name)
	case *dsl.Unary:
		return w.unaryExpr(e)
	case *dsl.Binary:
		return w.binaryExpr(e)
	case *dsl.Cond:
		return w.condExpr(e)
	case *dsl.Call:
		return w.call(e)
	}
	w.unsupported = true
	return w.constant(0)
}

func (w *lowerer) ref(name string) int32 {
	for i := len(w.locals) - 1; i >= 0; i-- {
		if w.locals[i].name == name {
			return w.locals[i].node
		}
	}
	if id, ok := w.names[name]; ok {
		if id <= wordBase {
			return w.constant(float64(wordBase - id))
		}
		return id
	}
	w.unsupported = true
	return w.constant(0)
}

func (w *lowerer) unaryExpr(e *dsl.Unary) int32 {
	x := w.expr(e.X)
	switch e.Op {
	case dsl.Neg:
		return w.unary(opNeg, x)
	case dsl.Not:
		return w.unary(opNot, x)
	}
	return x
}

// condExpr lowers c ? a : b as a branch that leaves its value in a local without a name.
func (w *lowerer) condExpr(e *dsl.Cond) int32 {
	cond := w.expr(e.If)
	at := len(w.locals)
	w.locals = append(w.locals, local{"", cond})
	set := func(e dsl.Expr) func() bool {
		return func() bool {
			v := w.expr(e)
			w.locals[at].node = v
			return true
		}
	}
	w.fork(cond, set(e.Then), set(e.Else))
	v := w.locals[at].node
	w.locals = w.locals[:at]
	return v
}

func (w *lowerer) binaryExpr(e *dsl.Binary) int32 {
	x, y := w.expr(e.X), w.expr(e.Y)
	switch e.Op {
	case dsl.Or:
		return w.binary(opOr, x, y)
	case dsl.And:
		return w.binary(opAnd, x, y)
	case dsl.Eq:
		return w.binary(opEq, x, y)
	case dsl.Ne:
		return w.binary(opNe, x, y)
	case dsl.Lt:
		return w.binary(opLt, x, y)
	case dsl.Le:
		return w.binary(opLe, x, y)
	case dsl.Gt:
		return w.binary(opLt, y, x)
	case dsl.Ge:
		return w.binary(opLe, y, x)
	case dsl.Add:
		return w.binary(opAdd, x, y)
	case dsl.Sub:
		return w.binary(opSub, x, y)
	case dsl.Mul:
		return w.binary(opMul, x, y)
	case dsl.Div:
		return w.binary(opDiv, x, y)
	case dsl.Mod:
		return w.binary(opMod, x, y)
	case dsl.Pow:
		return w.power(e.Y, x, y)
	}
	w.unsupported = true
	return x
}

// power lowers x ** y: with the literal exponents 2 and 3 the operator is a product.
func (w *lowerer) power(exponent dsl.Expr, x, y int32) int32 {
	if k, ok := exponent.(*dsl.Num); ok {
		switch k.Value {
		case 2:
			return w.unary(opSquare, x)
		case 3:
			return w.unary(opCube, x)
		}
	}
	return w.binary(opPow, x, y)
}

func (w *lowerer) call(e *dsl.Call) int32 {
	args := make([]int32, len(e.Args))
	for i, a := range e.Args {
		args[i] = w.expr(a)
	}
	if o, ok := oneOperand[e.Fn.Text]; ok && len(args) == 1 {
		return w.unary(o, args[0])
	}
	switch {
	case e.Fn.Text == "pow" && len(args) == 2:
		return w.binary(opPow, args[0], args[1])
	case e.Fn.Text == "clamp" && len(args) == 3:
		return w.binary(opMin, w.binary(opMax, args[0], args[1]), args[2])
	case (e.Fn.Text == "min" || e.Fn.Text == "max") && len(args) > 0:
		o := opMin
		if e.Fn.Text == "max" {
			o = opMax
		}
		v := args[0]
		for _, a := range args[1:] {
			v = w.binary(o, v, a)
		}
		return v
	}
	w.unsupported = true
	return w.constant(0)
}

// oneOperand are the functions of one number.
var oneOperand = map[string]op{
	"abs": opAbs, "sqrt": opSqrt, "log": opLog, "log1p": opLog1p,
	"exp": opExp, "tanh": opTanh, "floor": opFloor, "ceil": opCeil,
}
