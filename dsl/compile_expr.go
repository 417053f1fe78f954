package dsl

import "github.com/agentdescent/adrun/dsl/internal/machine"

// expr lowers an expression.
func (l *lowerer) expr(e Expr) (machine.ID, error) {
	g := l.g
	switch e := e.(type) {
	case *Num:
		return g.Constant(e.Value), nil
	case *Bool:
		return g.Constant(truth(e.Value)), nil
	case *Ref:
		return l.name(e.Name)
	case *Unary:
		x, err := l.expr(e.X)
		switch {
		case err != nil || e.Op == Plus:
			return x, err
		case e.Op == Not:
			return g.Unary(machine.Not, x), nil
		}
		return g.Unary(machine.Neg, x), nil
	case *Binary:
		return l.binary(e)
	case *Cond:
		xs, err := l.exprs(e.If, e.Then, e.Else)
		if err != nil {
			return 0, err
		}
		return g.Choose(g.NewGroup(), xs[0], xs[1], xs[2]), nil
	case *Call:
		xs, err := l.exprs(e.Args...)
		if err != nil {
			return 0, err
		}
		return l.call(e.Fn.Text, xs), nil
	}
	return 0, l.fault("an expression is missing")
}

// exprs lowers several expressions from left to right.
func (l *lowerer) exprs(es ...Expr) ([]machine.ID, error) {
	xs := make([]machine.ID, len(es))
	for i, e := range es {
		x, err := l.expr(e)
		if err != nil {
			return nil, err
		}
		xs[i] = x
	}
	return xs, nil
}

func (l *lowerer) name(name string) (machine.ID, error) {
	if v, ok := l.locals[name]; ok {
		return l.vars[v], nil
	}
	sym, ok := l.u.names[name]
	if !ok {
		return 0, l.fault("undefined name %q", name)
	}
	switch {
	case sym.kind == isValue:
		return l.g.Constant(sym.value), nil
	case sym.kind == isInput:
		return l.g.Argument(sym.index), nil
	case l.u.on:
		return l.vars[firstStateVar+sym.index], nil
	}
	return l.g.Argument(len(l.u.inputs) + sym.index), nil
}

func (l *lowerer) binary(e *Binary) (machine.ID, error) {
	x, err := l.expr(e.X)
	if err != nil {
		return 0, err
	}
	y, err := l.expr(e.Y)
	if err != nil {
		return 0, err
	}
	g := l.g
	switch e.Op {
	case And:
		return g.And(x, y), nil
	case Or:
		return g.Or(x, y), nil
	case Add:
		return g.Binary(machine.Add, x, y), nil
	case Sub:
		return g.Binary(machine.Sub, x, y), nil
	case Mul:
		return g.Binary(machine.Mul, x, y), nil
	case Div:
		return g.Binary(machine.Div, x, y), nil
	case Mod:
		return g.Binary(machine.Mod, x, y), nil
	case Pow:
		return l.power(e, x, y), nil
	}
	return l.relation(e.Op, x, y), nil
}

func (l *lowerer) relation(op Op, x, y machine.ID) machine.ID {
	switch op {
	case Lt:
		return l.g.Binary(machine.Lt, x, y)
	case Le:
		return l.g.Binary(machine.Le, x, y)
	case Gt:
		return l.g.Binary(machine.Lt, y, x)
	case Ge:
		return l.g.Binary(machine.Le, y, x)
	case Eq:
		return l.g.Binary(machine.Eq, x, y)
	default:
		return l.g.Binary(machine.Ne, x, y)
	}
}

// power lowers x ** y. The language defines squares and cubes that are written as such to be products.
func (l *lowerer) power(e *Binary, x, y machine.ID) machine.ID {
	if n, ok := e.Y.(*Num); ok {
		switch n.Value {
		case 2:
			return l.g.Binary(machine.Mul, x, x)
		case 3:
			return l.g.Binary(machine.Mul, l.g.Binary(machine.Mul, x, x), x)
		}
	}
	return l.g.Binary(machine.Pow, x, y)
}

func (l *lowerer) call(fn string, xs []machine.ID) machine.ID {
	g := l.g
	switch fn {
	case "abs":
		return g.Unary(machine.Abs, xs[0])
	case "sqrt":
		return g.Unary(machine.Sqrt, xs[0])
	case "log":
		return g.Unary(machine.Log, xs[0])
	case "log1p":
		return g.Unary(machine.Log1p, xs[0])
	case "exp":
		return g.Unary(machine.Exp, xs[0])
	case "tanh":
		return g.Unary(machine.Tanh, xs[0])
	case "floor":
		return g.Unary(machine.Floor, xs[0])
	case "ceil":
		return g.Unary(machine.Ceil, xs[0])
	case "pow":
		return g.Binary(machine.Pow, xs[0], xs[1])
	case "clamp":
		return g.Binary(machine.Min, g.Binary(machine.Max, xs[0], xs[1]), xs[2])
	}
	op := machine.Min
	if fn == "max" {
		op = machine.Max
	}
	acc := xs[0]
	for _, x := range xs[1:] {
		acc = g.Binary(op, acc, x)
	}
	return acc
}
