package reflector

import (
	"math"
	"slices"

	"github.com/agentdescent/adrun/dsl"
)

// simplify rewrites a rule in place where no input can tell the difference, to the last bit: constant
// conditions, equal branches, x * 1, x - 0, --x, statements that never run, locals that nothing reads.
func simplify(r *dsl.Rule) {
	simplifyBlock(r.Body)
	dropUnread(r)
}

func simplifyBlock(b *dsl.Block) {
	if b == nil {
		return
	}
	out := b.Stmts[:0]
	for _, s := range b.Stmts {
		done := false
		switch s := s.(type) {
		case *dsl.Let:
			s.Value = simplified(s.Value)
		case *dsl.Assign:
			s.Value = simplified(s.Value)
		case *dsl.Return:
			s.Value = simplified(s.Value)
			done = true
		case *dsl.If:
			simplifyIf(s)
			if c, ok := s.Arms[0].Cond.(*dsl.Bool); ok && len(s.Arms) == 1 && s.Else == nil {
				if !c.Value {
					continue
				}
				if ends(s.Arms[0].Body) {
					out = append(out, s.Arms[0].Body.Stmts...)
					b.Stmts = out
					return
				}
			}
		}
		out = append(out, s)
		if done {
			break
		}
	}
	b.Stmts = out
}

// ends reports whether a block's last statement is a return.
func ends(b *dsl.Block) bool {
	if len(b.Stmts) == 0 {
		return false
	}
	_, ok := b.Stmts[len(b.Stmts)-1].(*dsl.Return)
	return ok
}

func simplifyIf(s *dsl.If) {
	for _, a := range s.Arms {
		a.Cond = simplified(a.Cond)
		simplifyBlock(a.Body)
	}
	simplifyBlock(s.Else)
}

// simplified returns an expression with the same value for every input.
func simplified(e dsl.Expr) dsl.Expr {
	switch e := e.(type) {
	case *dsl.Unary:
		e.X = simplified(e.X)
		return simplifiedUnary(e)
	case *dsl.Binary:
		e.X, e.Y = simplified(e.X), simplified(e.Y)
		return simplifiedBinary(e)
	case *dsl.Cond:
		e.If, e.Then, e.Else = simplified(e.If), simplified(e.Then), simplified(e.Else)
		if c, ok := e.If.(*dsl.Bool); ok {
			if c.Value {
				return e.Then
			}
			return e.Else
		}
		if dsl.FormatExpr(e.Then) == dsl.FormatExpr(e.Else) {
			return e.Then
		}
	case *dsl.Call:
		for i := range e.Args {
			e.Args[i] = simplified(e.Args[i])
		}
	}
	return e
}

func simplifiedUnary(e *dsl.Unary) dsl.Expr {
	switch x := e.X.(type) {
	case *dsl.Unary:
		if x.Op == e.Op && e.Op != dsl.Plus {
			return x.X // --x and !!x
		}
	case *dsl.Num:
		if e.Op == dsl.Neg {
			return &dsl.Num{Value: -x.Value}
		}
	case *dsl.Bool:
		return &dsl.Bool{Value: !x.Value}
	}
	if e.Op == dsl.Plus {
		return e.X
	}
	return e
}

func simplifiedBinary(e *dsl.Binary) dsl.Expr {
	x, okX := e.X.(*dsl.Num)
	y, okY := e.Y.(*dsl.Num)
	if okX && okY {
		if folded := fold(e.Op, x.Value, y.Value); folded != nil {
			return folded
		}
	}
	switch {
	case okY && y.Value == 1 && (e.Op == dsl.Mul || e.Op == dsl.Div),
		okY && isPlusZero(y.Value) && e.Op == dsl.Sub:
		return e.X
	case okX && x.Value == 1 && e.Op == dsl.Mul:
		return e.Y
	}
	return e
}

func isPlusZero(v float64) bool { return v == 0 && !math.Signbit(v) }

// fold computes an operator on two constants, as every evaluator does. nil where the result is no literal.
func fold(op dsl.Op, x, y float64) dsl.Expr {
	var v float64
	switch op {
	case dsl.Add:
		v = x + y
	case dsl.Sub:
		v = x - y
	case dsl.Mul:
		v = x * y
	case dsl.Div:
		v = x / y
	case dsl.Eq:
		return &dsl.Bool{Value: x == y}
	case dsl.Ne:
		return &dsl.Bool{Value: x != y}
	case dsl.Lt:
		return &dsl.Bool{Value: x < y}
	case dsl.Le:
		return &dsl.Bool{Value: x <= y}
	case dsl.Gt:
		return &dsl.Bool{Value: x > y}
	case dsl.Ge:
		return &dsl.Bool{Value: x >= y}
	default:
		return nil
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &dsl.Num{Value: v}
}

// dropUnread removes locals that nothing reads, but for those that are assigned to, which their assignments need.
func dropUnread(r *dsl.Rule) {
	for {
		var names []string
		for _, s := range r.Body.Stmts {
			if let, ok := s.(*dsl.Let); ok {
				names = append(names, let.Name.Text)
			}
		}
		kept := append(dsl.NamesRead(r.Body, names), assigned(r.Body)...)
		before := len(r.Body.Stmts)
		r.Body.Stmts = slices.DeleteFunc(r.Body.Stmts, func(s dsl.Stmt) bool {
			let, ok := s.(*dsl.Let)
			return ok && !slices.Contains(kept, let.Name.Text)
		})
		if len(r.Body.Stmts) == before {
			return
		}
	}
}

// assigned lists the locals that a block assigns to.
func assigned(b *dsl.Block) []string {
	if b == nil {
		return nil
	}
	var names []string
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *dsl.Assign:
			names = append(names, s.Name.Text)
		case *dsl.If:
			for _, a := range s.Arms {
				names = append(names, assigned(a.Body)...)
			}
			names = append(names, assigned(s.Else)...)
		}
	}
	return names
}
