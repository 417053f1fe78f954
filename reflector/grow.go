package reflector

import (
	"math/rand/v2"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// local is a name that an expression may read beside the inputs.
type local struct {
	name string
	kind dsl.Kind
}

// grower makes random well-typed expressions over the inputs and the locals in scope.
type grower struct {
	*vocabulary
	rng    *rand.Rand
	locals []local
}

// expr grows an expression of a type, at most depth operators deep.
func (g *grower) expr(t dsl.Type, depth int) dsl.Expr {
	switch t.Kind {
	case dsl.BoolKind:
		return g.bool(depth)
	case dsl.WordKind:
		return g.word(t, depth)
	}
	return g.num(depth)
}

func (g *grower) num(depth int) dsl.Expr {
	if depth <= 0 || g.rng.IntN(5) == 0 {
		return g.leaf()
	}
	switch n := g.rng.IntN(20); {
	case n < 5:
		return g.arith(dsl.Add, depth)
	case n < 10:
		return g.arith(dsl.Sub, depth)
	case n < 13:
		return g.arith(dsl.Mul, depth)
	case n < 15:
		return g.arith(dsl.Div, depth)
	case n < 16:
		fn := "min"
		if g.rng.IntN(2) == 0 {
			fn = "max"
		}
		return call(fn, g.num(depth-1), g.num(depth-1))
	case n < 18:
		return &dsl.Cond{If: g.bool(depth - 1), Then: g.num(depth - 1), Else: g.num(depth - 1)}
	case n < 19:
		return &dsl.Unary{Op: dsl.Neg, X: g.num(depth - 1)}
	}
	return g.function(depth)
}

func (g *grower) arith(op dsl.Op, depth int) dsl.Expr {
	x := g.num(depth - 1)
	if g.rng.IntN(3) == 0 {
		size, whole := g.size(x)
		return &dsl.Binary{Op: op, X: x, Y: constant(g.rng, size, whole)}
	}
	y := g.num(depth - 1)
	if op == dsl.Div && g.rng.IntN(2) == 0 {
		y = &dsl.Binary{Op: dsl.Add, X: &dsl.Num{Value: 1}, Y: call("abs", y)}
	}
	return &dsl.Binary{Op: op, X: x, Y: y}
}

// function wraps a number in a function that is finite for it.
func (g *grower) function(depth int) dsl.Expr {
	x := g.num(depth - 1)
	switch g.rng.IntN(6) {
	case 0:
		return call("sqrt", call("abs", x))
	case 1:
		return call("log1p", call("abs", x))
	case 2:
		return call("tanh", x)
	case 3:
		return call("abs", x)
	case 4:
		return &dsl.Binary{Op: dsl.Pow, X: x, Y: &dsl.Num{Value: 2}}
	}
	return call("exp", &dsl.Unary{Op: dsl.Neg, X: call("abs", x)})
}

func call(fn string, args ...dsl.Expr) dsl.Expr {
	return &dsl.Call{Fn: dsl.Ident{Text: fn}, Args: args}
}

// leaf is an input, a difference that an assumption makes meaningful, a local or a constant.
func (g *grower) leaf() dsl.Expr {
	n := g.rng.IntN(10)
	if l, ok := g.local(dsl.NumKind); ok && n < 3 {
		return l
	}
	switch {
	case n < 5 && len(g.pairs) > 0:
		p := g.pairs[g.rng.IntN(len(g.pairs))]
		return &dsl.Binary{Op: dsl.Sub, X: &dsl.Ref{Name: p[1].Name.Text}, Y: &dsl.Ref{Name: p[0].Name.Text}}
	case n < 8 && len(g.nums) > 0:
		return &dsl.Ref{Name: g.nums[g.rng.IntN(len(g.nums))].Name.Text}
	}
	return constant(g.rng, 1, false)
}

func (g *grower) local(kind dsl.Kind) (dsl.Expr, bool) {
	var names []string
	for _, l := range g.locals {
		if l.kind == kind {
			names = append(names, l.name)
		}
	}
	if len(names) == 0 {
		return nil, false
	}
	return &dsl.Ref{Name: names[g.rng.IntN(len(names))]}, true
}

func (g *grower) bool(depth int) dsl.Expr {
	n := g.rng.IntN(10)
	switch {
	case n == 0 && depth > 1:
		op := dsl.And
		if g.rng.IntN(2) == 0 {
			op = dsl.Or
		}
		return &dsl.Binary{Op: op, X: g.bool(depth - 1), Y: g.bool(depth - 1)}
	case n == 1 && len(g.bools) > 0:
		return &dsl.Ref{Name: g.bools[g.rng.IntN(len(g.bools))].Name.Text}
	case n == 2 && len(g.words) > 0:
		in := g.words[g.rng.IntN(len(g.words))]
		return &dsl.Binary{Op: dsl.Eq, X: &dsl.Ref{Name: in.Name.Text}, Y: &dsl.Ref{Name: in.Type.Words[g.rng.IntN(len(in.Type.Words))]}}
	}
	if len(g.nums) == 0 && len(g.locals) == 0 {
		return &dsl.Bool{Value: g.rng.IntN(2) == 0}
	}
	return g.comparison(depth)
}

// comparison holds a number against a constant of its size, or against another number.
func (g *grower) comparison(depth int) dsl.Expr {
	ops := [...]dsl.Op{dsl.Lt, dsl.Le, dsl.Gt, dsl.Ge, dsl.Le, dsl.Ge}
	op := ops[g.rng.IntN(len(ops))]
	x := g.num(min(depth-1, g.rng.IntN(2)))
	if _, fixed := x.(*dsl.Num); fixed && len(g.nums) > 0 {
		x = &dsl.Ref{Name: g.nums[g.rng.IntN(len(g.nums))].Name.Text}
	}
	if g.rng.IntN(4) == 0 {
		return &dsl.Binary{Op: op, X: x, Y: g.num(min(depth-1, 1))}
	}
	size, whole := g.size(x)
	if whole && g.rng.IntN(8) == 0 {
		op = dsl.Eq
	}
	return &dsl.Binary{Op: op, X: x, Y: constant(g.rng, size, whole)}
}

func (g *grower) word(t dsl.Type, depth int) dsl.Expr {
	if depth <= 0 || g.rng.IntN(2) == 0 {
		return &dsl.Ref{Name: t.Words[g.rng.IntN(len(t.Words))]}
	}
	return &dsl.Cond{If: g.bool(depth - 1), Then: g.word(t, depth-1), Else: g.word(t, depth-1)}
}

// guard is a statement that decides early: if … { return … }.
func (g *grower) guard(t dsl.Type) dsl.Stmt {
	var value dsl.Expr
	if t.Kind == dsl.NumKind && g.rng.IntN(3) > 0 {
		value = constant(g.rng, 1, false)
		if g.rng.IntN(3) == 0 {
			value = &dsl.Num{Value: float64(g.rng.IntN(9) - 4)}
		}
	} else {
		value = g.expr(t, 2)
	}
	return &dsl.If{Arms: []*dsl.Arm{{Cond: g.bool(2), Body: &dsl.Block{Stmts: []dsl.Stmt{&dsl.Return{Value: value}}}}}}
}

// rule grows a whole rule of the signature: some guards and a value.
func (g *grower) rule() *dsl.Rule {
	r := &dsl.Rule{Name: dsl.Ident{Text: lastName(g.sig.Name.Text)}, Body: &dsl.Block{}}
	for range g.rng.IntN(3) {
		r.Body.Stmts = append(r.Body.Stmts, g.guard(g.sig.Result))
	}
	r.Body.Stmts = append(r.Body.Stmts, &dsl.Return{Value: g.expr(g.sig.Result, 1+g.rng.IntN(4))})
	return r
}

func lastName(qualified string) string {
	return qualified[strings.LastIndexByte(qualified, '.')+1:]
}
