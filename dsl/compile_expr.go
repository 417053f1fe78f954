package dsl

// expr lowers an expression.
func (l *lowerer) expr(e Expr) (id, error) {
	g := l.g
	switch e := e.(type) {
	case *Num:
		return g.constant(e.Value), nil
	case *Bool:
		return g.constant(truth(e.Value)), nil
	case *Ref:
		return l.name(e.Name)
	case *Unary:
		x, err := l.expr(e.X)
		switch {
		case err != nil || e.Op == Plus:
			return x, err
		case e.Op == Not:
			return g.unary(vNot, x), nil
		}
		return g.unary(vNeg, x), nil
	case *Binary:
		return l.binary(e)
	case *Cond:
		xs, err := l.exprs(e.If, e.Then, e.Else)
		if err != nil {
			return 0, err
		}
		return g.choose(g.newGroup(), xs[0], xs[1], xs[2]), nil
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
func (l *lowerer) exprs(es ...Expr) ([]id, error) {
	xs := make([]id, len(es))
	for i, e := range es {
		x, err := l.expr(e)
		if err != nil {
			return nil, err
		}
		xs[i] = x
	}
	return xs, nil
}

func (l *lowerer) name(name string) (id, error) {
	if v, ok := l.locals[name]; ok {
		return l.vars[v], nil
	}
	sym, ok := l.u.names[name]
	if !ok {
		return 0, l.fault("undefined name %q", name)
	}
	switch {
	case sym.kind == isValue:
		return l.g.constant(sym.value), nil
	case sym.kind == isInput:
		return l.g.argument(sym.index), nil
	case l.u.on:
		return l.vars[firstStateVar+sym.index], nil
	}
	return l.g.argument(len(l.u.inputs) + sym.index), nil
}

func (l *lowerer) binary(e *Binary) (id, error) {
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
		return g.and(x, y), nil
	case Or:
		return g.or(x, y), nil
	case Add:
		return g.binary(vAdd, x, y), nil
	case Sub:
		return g.binary(vSub, x, y), nil
	case Mul:
		return g.binary(vMul, x, y), nil
	case Div:
		return g.binary(vDiv, x, y), nil
	case Mod:
		return g.binary(vMod, x, y), nil
	case Pow:
		return l.power(e, x, y), nil
	}
	return g.relation(e.Op, x, y), nil
}

// power lowers x ** y. The language defines squares and cubes that are written as such to be products.
func (l *lowerer) power(e *Binary, x, y id) id {
	if n, ok := e.Y.(*Num); ok {
		switch n.Value {
		case 2:
			return l.g.binary(vMul, x, x)
		case 3:
			return l.g.binary(vMul, l.g.binary(vMul, x, x), x)
		}
	}
	return l.g.binary(vPow, x, y)
}

func (l *lowerer) call(fn string, xs []id) id {
	g := l.g
	switch fn {
	case "abs":
		return g.unary(vAbs, xs[0])
	case "sqrt":
		return g.unary(vSqrt, xs[0])
	case "log":
		return g.unary(vLog, xs[0])
	case "log1p":
		return g.unary(vLog1p, xs[0])
	case "exp":
		return g.unary(vExp, xs[0])
	case "tanh":
		return g.unary(vTanh, xs[0])
	case "floor":
		return g.unary(vFloor, xs[0])
	case "ceil":
		return g.unary(vCeil, xs[0])
	case "pow":
		return g.binary(vPow, xs[0], xs[1])
	case "clamp":
		return g.binary(vMin, g.binary(vMax, xs[0], xs[1]), xs[2])
	}
	op := vMin
	if fn == "max" {
		op = vMax
	}
	acc := xs[0]
	for _, x := range xs[1:] {
		acc = g.binary(op, acc, x)
	}
	return acc
}
