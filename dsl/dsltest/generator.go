package dsltest

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
)

// binding is a visible name. Variables may be assigned.
type binding struct {
	name     string
	typ      dsl.Type
	variable bool
}

// generator draws the body of one function.
type generator struct {
	t      *rapid.T
	result dsl.Type // NoKind where nothing may be returned
	names  []binding
	words  []dsl.Type
	locals int
	room   int // expressions that may still be drawn; then only leaves
}

func newGenerator(t *rapid.T, inputs []*dsl.Input, result dsl.Type) *generator {
	g := &generator{t: t, result: result, room: 120}
	g.addWords(result)
	for _, in := range inputs {
		g.names = append(g.names, binding{in.Name.Text, in.Type, false})
		g.addWords(in.Type)
	}
	return g
}

func (g *generator) addWords(t dsl.Type) {
	if t.Kind == dsl.WordKind {
		g.words = append(g.words, t)
	}
}

func (g *generator) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }

// block draws a block and says whether all its paths return, which they do if they must.
func (g *generator) block(depth int, must bool) (*dsl.Block, bool) {
	b := &dsl.Block{}
	visible := len(g.names)
	defer func() { g.names = g.names[:visible] }()
	for range g.pick(4) {
		s, returned := g.stmt(depth)
		if s == nil {
			continue
		}
		b.Stmts = append(b.Stmts, s)
		if returned {
			return b, true
		}
	}
	if must || g.result.Kind != dsl.NoKind && g.pick(4) == 0 {
		b.Stmts = append(b.Stmts, &dsl.Return{Value: g.expr(g.result, 4)})
		return b, true
	}
	return b, false
}

func (g *generator) stmt(depth int) (dsl.Stmt, bool) {
	switch g.pick(5) {
	case 0, 1:
		t := g.anyType()
		let := &dsl.Let{Name: name(fmt.Sprintf("v%d", g.locals)), Value: g.expr(t, 4)}
		g.locals++
		g.names = append(g.names, binding{let.Name.Text, t, true})
		return let, false
	case 2, 3:
		return g.assign(), false
	}
	if depth == 0 {
		return nil, false
	}
	return g.branch(depth)
}

func (g *generator) assign() dsl.Stmt {
	var variables []binding
	for _, b := range g.names {
		if b.variable {
			variables = append(variables, b)
		}
	}
	if len(variables) == 0 {
		return nil
	}
	b := variables[g.pick(len(variables))]
	a := &dsl.Assign{Name: name(b.name), Value: g.expr(b.typ, 3)}
	if b.typ.Kind == dsl.NumKind {
		a.Op = dsl.AssignOp(g.pick(5))
	}
	return a
}

func (g *generator) branch(depth int) (dsl.Stmt, bool) {
	s := &dsl.If{}
	all := true
	for range 1 + g.pick(3) {
		arm := &dsl.Arm{Cond: g.expr(dsl.BoolType, 3)}
		var returned bool
		arm.Body, returned = g.block(depth-1, false)
		s.Arms = append(s.Arms, arm)
		all = all && returned
	}
	if g.pick(2) == 0 {
		return s, false
	}
	var returned bool
	s.Else, returned = g.block(depth-1, false)
	return s, all && returned
}

func (g *generator) anyType() dsl.Type {
	switch g.pick(6) {
	case 0:
		return dsl.BoolType
	case 1:
		if len(g.words) > 0 {
			return g.words[g.pick(len(g.words))]
		}
	}
	return dsl.NumType
}

// sameType compares types; sets of words of one signature are equal or disjoint.
func sameType(a, b dsl.Type) bool {
	return a.Kind == b.Kind && (a.Kind != dsl.WordKind || a.Words[0] == b.Words[0])
}

func (g *generator) expr(t dsl.Type, depth int) dsl.Expr {
	g.room--
	if depth == 0 || g.room < 0 || g.pick(4) == 0 {
		return g.leaf(t)
	}
	if g.pick(8) == 0 {
		return &dsl.Cond{If: g.expr(dsl.BoolType, depth-1), Then: g.expr(t, depth-1), Else: g.expr(t, depth-1)}
	}
	switch t.Kind {
	case dsl.NumKind:
		return g.num(depth - 1)
	case dsl.BoolKind:
		return g.condition(depth - 1)
	}
	return g.leaf(t)
}

func (g *generator) leaf(t dsl.Type) dsl.Expr {
	var fit []string
	for _, b := range g.names {
		if sameType(b.typ, t) {
			fit = append(fit, b.name)
		}
	}
	if len(fit) > 0 && g.pick(3) > 0 {
		return &dsl.Ref{Name: fit[g.pick(len(fit))]}
	}
	switch t.Kind {
	case dsl.BoolKind:
		return &dsl.Bool{Value: g.pick(2) == 0}
	case dsl.WordKind:
		return &dsl.Ref{Name: t.Words[g.pick(len(t.Words))]}
	}
	values := []float64{0, 1, 2, 3, -1, 0.5, 0.1, 4, 10, 1e-9, 1e9, -2.5}
	return &dsl.Num{Value: values[g.pick(len(values))]}
}

func (g *generator) num(depth int) dsl.Expr {
	x := func() dsl.Expr { return g.expr(dsl.NumType, depth) }
	switch g.pick(4) {
	case 0:
		return &dsl.Unary{Op: []dsl.Op{dsl.Neg, dsl.Plus}[g.pick(2)], X: x()}
	case 1:
		return g.call(x)
	}
	op := []dsl.Op{dsl.Add, dsl.Sub, dsl.Mul, dsl.Div, dsl.Add, dsl.Sub, dsl.Mul, dsl.Div, dsl.Mod, dsl.Pow}[g.pick(10)]
	if op == dsl.Pow && g.pick(2) == 0 {
		return &dsl.Binary{Op: op, X: x(), Y: &dsl.Num{Value: float64(1 + g.pick(3))}}
	}
	return &dsl.Binary{Op: op, X: x(), Y: x()}
}

func (g *generator) call(x func() dsl.Expr) dsl.Expr {
	unary := []string{"abs", "sqrt", "log", "log1p", "exp", "tanh", "floor", "ceil"}
	switch g.pick(4) {
	case 0:
		c := &dsl.Call{Fn: name([]string{"min", "max"}[g.pick(2)])}
		for range 2 + g.pick(2) {
			c.Args = append(c.Args, x())
		}
		return c
	case 1:
		if g.pick(2) == 0 {
			return &dsl.Call{Fn: name("clamp"), Args: []dsl.Expr{x(), x(), x()}}
		}
		return &dsl.Call{Fn: name("pow"), Args: []dsl.Expr{x(), x()}}
	}
	return &dsl.Call{Fn: name(unary[g.pick(len(unary))]), Args: []dsl.Expr{x()}}
}

func (g *generator) condition(depth int) dsl.Expr {
	switch g.pick(5) {
	case 0:
		return &dsl.Unary{Op: dsl.Not, X: g.expr(dsl.BoolType, depth)}
	case 1:
		op := []dsl.Op{dsl.And, dsl.Or}[g.pick(2)]
		return &dsl.Binary{Op: op, X: g.expr(dsl.BoolType, depth), Y: g.expr(dsl.BoolType, depth)}
	case 2:
		if len(g.words) > 0 {
			t := g.words[g.pick(len(g.words))]
			return &dsl.Binary{Op: []dsl.Op{dsl.Eq, dsl.Ne}[g.pick(2)], X: g.expr(t, depth), Y: g.expr(t, depth)}
		}
	}
	op := []dsl.Op{dsl.Eq, dsl.Ne, dsl.Lt, dsl.Le, dsl.Gt, dsl.Ge}[g.pick(6)]
	return &dsl.Binary{Op: op, X: g.expr(dsl.NumType, depth), Y: g.expr(dsl.NumType, depth)}
}
