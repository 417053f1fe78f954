package dsl

// CloneRule returns a deep copy of a rule without its comments and places: the text that a candidate
// is stored as. Changing the copy leaves the rule alone.
func CloneRule(r *Rule) *Rule {
	c := &Rule{Name: Ident{Text: r.Name.Text}, HasInputs: r.HasInputs, Body: CloneBlock(r.Body)}
	for _, in := range r.Inputs {
		c.Inputs = append(c.Inputs, Ident{Text: in.Text})
	}
	return c
}

// CloneBlock returns a deep copy of a block without comments and places; nil for nil.
func CloneBlock(b *Block) *Block {
	if b == nil {
		return nil
	}
	c := &Block{Stmts: make([]Stmt, len(b.Stmts))}
	for i, s := range b.Stmts {
		c.Stmts[i] = CloneStmt(s)
	}
	return c
}

// CloneStmt returns a deep copy of a statement without comments and places.
func CloneStmt(s Stmt) Stmt {
	switch s := s.(type) {
	case *Let:
		return &Let{Name: Ident{Text: s.Name.Text}, Value: CloneExpr(s.Value)}
	case *Assign:
		return &Assign{Name: Ident{Text: s.Name.Text}, Op: s.Op, Value: CloneExpr(s.Value)}
	case *Return:
		return &Return{Value: CloneExpr(s.Value)}
	case *If:
		c := &If{Else: CloneBlock(s.Else)}
		for _, a := range s.Arms {
			c.Arms = append(c.Arms, &Arm{Cond: CloneExpr(a.Cond), Body: CloneBlock(a.Body)})
		}
		return c
	}
	return nil
}

// CloneExpr returns a deep copy of an expression without places; nil for nil.
func CloneExpr(e Expr) Expr {
	switch e := e.(type) {
	case *Num:
		return &Num{Value: e.Value}
	case *Bool:
		return &Bool{Value: e.Value}
	case *Ref:
		return &Ref{Name: e.Name}
	case *Unary:
		return &Unary{Op: e.Op, X: CloneExpr(e.X)}
	case *Binary:
		return &Binary{Op: e.Op, X: CloneExpr(e.X), Y: CloneExpr(e.Y)}
	case *Cond:
		return &Cond{If: CloneExpr(e.If), Then: CloneExpr(e.Then), Else: CloneExpr(e.Else)}
	case *Call:
		c := &Call{Fn: Ident{Text: e.Fn.Text}, Args: make([]Expr, len(e.Args))}
		for i, a := range e.Args {
			c.Args[i] = CloneExpr(a)
		}
		return c
	}
	return nil
}
