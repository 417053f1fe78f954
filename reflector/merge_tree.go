package reflector

import (
	"strconv"

	"github.com/agentdescent/adrun/dsl"
)

// merger is one merge. It knows what came of each three expressions: they are asked for again where one way of merging
// those around them fails and another is tried, which doubled the work with every level of nesting.
type merger map[[3]dsl.Expr]mergedExpr

type mergedExpr struct {
	expr dsl.Expr
	ok   bool
}

// block merges statements. The blocks are the merge's own and have no comments.
func (m merger) block(base, a, b *dsl.Block) (*dsl.Block, bool) {
	stmts, ok := mergeList(stmtItems(base), stmtItems(a), stmtItems(b), sameLike, m.stmt)
	return &dsl.Block{Stmts: stmts}, ok
}

func sameLike[T any](x, y item[T]) bool { return x.like == y.like }

func stmtItems(b *dsl.Block) []item[dsl.Stmt] {
	var out []item[dsl.Stmt]
	for _, s := range b.Stmts {
		out = append(out, item[dsl.Stmt]{s, blockText(&dsl.Block{Stmts: []dsl.Stmt{s}}), stmtLike(s)})
	}
	return out
}

// blockText is a block as a text that two blocks share only if they are equal.
func blockText(b *dsl.Block) string {
	if b == nil {
		return ""
	}
	return dsl.FormatRule(&dsl.Rule{Name: dsl.Ident{Text: "b"}, Body: b})
}

// stmtLike is what must be the same for one statement to be a change of another.
func stmtLike(s dsl.Stmt) string {
	switch s := s.(type) {
	case *dsl.Let:
		return "let " + s.Name.Text
	case *dsl.Assign:
		return "assign " + s.Name.Text + " " + strconv.Itoa(int(s.Op))
	case *dsl.Return:
		return "return"
	}
	return "if"
}

// stmt merges statements that are alike.
func (m merger) stmt(base, a, b dsl.Stmt) (dsl.Stmt, bool) {
	switch base := base.(type) {
	case *dsl.Let:
		v, ok := m.expr(base.Value, a.(*dsl.Let).Value, b.(*dsl.Let).Value)
		return &dsl.Let{Name: base.Name, Value: v}, ok
	case *dsl.Assign:
		v, ok := m.expr(base.Value, a.(*dsl.Assign).Value, b.(*dsl.Assign).Value)
		return &dsl.Assign{Name: base.Name, Op: base.Op, Value: v}, ok
	case *dsl.Return:
		v, ok := m.expr(base.Value, a.(*dsl.Return).Value, b.(*dsl.Return).Value)
		return &dsl.Return{Value: v}, ok
	case *dsl.If:
		return m.ifs(base, a.(*dsl.If), b.(*dsl.If))
	}
	return nil, false
}

func (m merger) ifs(base, a, b *dsl.If) (dsl.Stmt, bool) {
	arms, ok := mergeList(armItems(base), armItems(a), armItems(b), sameCondOrBody, m.arm)
	if !ok || len(arms) == 0 {
		return nil, false
	}
	out := &dsl.If{Arms: arms}
	switch o, p, q := blockText(base.Else), blockText(a.Else), blockText(b.Else); {
	case p == q || q == o:
		out.Else = a.Else
	case p == o:
		out.Else = b.Else
	case base.Else == nil || a.Else == nil || b.Else == nil:
		return nil, false
	default:
		if out.Else, ok = m.block(base.Else, a.Else, b.Else); !ok {
			return nil, false
		}
	}
	return out, true
}

func armItems(s *dsl.If) []item[*dsl.Arm] {
	var out []item[*dsl.Arm]
	for _, arm := range s.Arms {
		cond := dsl.FormatExpr(arm.Cond)
		out = append(out, item[*dsl.Arm]{arm, cond + blockText(arm.Body), cond})
	}
	return out
}

// sameCondOrBody says that one arm may be a change of another.
func sameCondOrBody(x, y item[*dsl.Arm]) bool {
	return x.like == y.like || blockText(x.value.Body) == blockText(y.value.Body)
}

func (m merger) arm(base, a, b *dsl.Arm) (*dsl.Arm, bool) {
	cond, ok := m.expr(base.Cond, a.Cond, b.Cond)
	if !ok {
		return nil, false
	}
	body, ok := m.block(base.Body, a.Body, b.Body)
	return &dsl.Arm{Cond: cond, Body: body}, ok
}

// expr merges expressions.
func (m merger) expr(base, a, b dsl.Expr) (dsl.Expr, bool) {
	key := [3]dsl.Expr{base, a, b}
	if known, asked := m[key]; asked {
		return dsl.CloneExpr(known.expr), known.ok
	}
	e, ok := m.anew(base, a, b)
	m[key] = mergedExpr{e, ok}
	return e, ok
}

// anew merges expressions that were not asked for before.
func (m merger) anew(base, a, b dsl.Expr) (dsl.Expr, bool) {
	o, p, q := dsl.FormatExpr(base), dsl.FormatExpr(a), dsl.FormatExpr(b)
	switch {
	case p == q || q == o:
		return a, true
	case p == o:
		return b, true
	}
	// A case distinction goes around what the other side did, not into it.
	if head(a) == "cond" && head(base) != "cond" {
		if e, ok := replaced(a, o, b); ok {
			return e, true
		}
	}
	if head(b) == "cond" && head(base) != "cond" {
		if e, ok := replaced(b, o, a); ok {
			return e, true
		}
	}
	for _, ops := range chains() {
		if !ops.has(base) && !ops.has(a) && !ops.has(b) {
			continue
		}
		terms, ok := mergeList(ops.terms(base), ops.terms(a), ops.terms(b), relatedTerms, m.term)
		if ok && len(terms) > 0 {
			return ops.join(terms), true
		}
	}
	if e, ok := m.shape(base, a, b); ok {
		return e, true
	}
	// One side put something around the expression, and the other changed it.
	if e, ok := replaced(a, o, b); ok {
		return e, true
	}
	return replaced(b, o, a)
}

// shape merges expressions of one shape, part by part.
func (m merger) shape(base, a, b dsl.Expr) (dsl.Expr, bool) {
	if head(base) != head(a) || head(base) != head(b) {
		return nil, false
	}
	if n, ok := base.(*dsl.Num); ok {
		return &dsl.Num{Value: between(n.Value, a.(*dsl.Num).Value, b.(*dsl.Num).Value)}, true
	}
	out := dsl.CloneExpr(base)
	parts, inBase, inA, inB := partsOf(out), partsOf(base), partsOf(a), partsOf(b)
	if len(parts) == 0 || len(inA) != len(parts) || len(inB) != len(parts) {
		return nil, false // names and truth values that both sides changed
	}
	for i, part := range parts {
		e, ok := m.expr(*inBase[i], *inA[i], *inB[i])
		if !ok {
			return nil, false
		}
		*part = e
	}
	return out, true
}

// head is what an expression is, its parts left out.
func head(e dsl.Expr) string {
	switch e := e.(type) {
	case *dsl.Num:
		return "num"
	case *dsl.Bool:
		return "bool"
	case *dsl.Ref:
		return "name"
	case *dsl.Unary:
		return "unary " + strconv.Itoa(int(e.Op))
	case *dsl.Binary:
		return "binary " + strconv.Itoa(int(e.Op))
	case *dsl.Call:
		return "call " + e.Fn.Text
	}
	return "cond"
}

// partsOf lists the places of the parts of an expression.
func partsOf(e dsl.Expr) []*dsl.Expr {
	switch e := e.(type) {
	case *dsl.Unary:
		return []*dsl.Expr{&e.X}
	case *dsl.Binary:
		return []*dsl.Expr{&e.X, &e.Y}
	case *dsl.Cond:
		return []*dsl.Expr{&e.If, &e.Then, &e.Else}
	case *dsl.Call:
		var out []*dsl.Expr
		for i := range e.Args {
			out = append(out, &e.Args[i])
		}
		return out
	}
	return nil
}

// replaced is e with the one part of it that reads as text replaced; ok is false unless there is exactly one.
func replaced(e dsl.Expr, text string, with dsl.Expr) (dsl.Expr, bool) {
	out := dsl.CloneExpr(e)
	var found []*dsl.Expr
	var walk func(at *dsl.Expr)
	walk = func(at *dsl.Expr) {
		if dsl.FormatExpr(*at) == text {
			found = append(found, at)
			return
		}
		for _, part := range partsOf(*at) {
			walk(part)
		}
	}
	walk(&out)
	if len(found) != 1 {
		return nil, false
	}
	*found[0] = dsl.CloneExpr(with)
	return out, true
}

// chain is a pair of operators whose runs are lists: a + b − c. inverse is NoOp where there is none.
type chain struct {
	op, inverse dsl.Op
}

func chains() []chain {
	return []chain{{dsl.Add, dsl.Sub}, {dsl.Mul, dsl.Div}, {dsl.Or, dsl.NoOp}, {dsl.And, dsl.NoOp}}
}

// term is a member of a chain; inverse says that it is subtracted, or divided by.
type term struct {
	expr    dsl.Expr
	inverse bool
}

func (c chain) has(e dsl.Expr) bool {
	b, ok := e.(*dsl.Binary)
	return ok && (b.Op == c.op || b.Op == c.inverse && c.inverse != dsl.NoOp)
}

// terms lists the members of a chain; what is no chain is one member.
func (c chain) terms(e dsl.Expr) []item[term] {
	if u, ok := e.(*dsl.Unary); ok && u.Op == dsl.Neg && c.op == dsl.Add {
		return []item[term]{termItem(term{u.X, true})}
	}
	if !c.has(e) {
		return []item[term]{termItem(term{e, false})}
	}
	b := e.(*dsl.Binary)
	return append(c.terms(b.X), termItem(term{b.Y, b.Op == c.inverse}))
}

func termItem(t term) item[term] {
	sign := "+"
	if t.inverse {
		sign = "-"
	}
	return item[term]{t, sign + dsl.FormatExpr(t.expr), sign + head(t.expr)}
}

// relatedTerms says that one term may be a change of another: they have one shape, or one is part of the other.
func relatedTerms(x, y item[term]) bool {
	if x.value.inverse != y.value.inverse {
		return false
	}
	return x.like == y.like || within(x.value.expr, y.value.expr) || within(y.value.expr, x.value.expr)
}

// within reports whether part is a part of e, once.
func within(part, e dsl.Expr) bool {
	_, ok := replaced(e, dsl.FormatExpr(part), part)
	return ok
}

func (m merger) term(base, a, b term) (term, bool) {
	e, ok := m.expr(base.expr, a.expr, b.expr)
	return term{e, base.inverse}, ok
}

// join is the chain of the terms.
func (c chain) join(terms []term) dsl.Expr {
	e := terms[0].expr
	if terms[0].inverse {
		e = c.inverted(e)
	}
	for _, t := range terms[1:] {
		op := c.op
		if t.inverse {
			op = c.inverse
		}
		e = &dsl.Binary{Op: op, X: e, Y: t.expr}
	}
	return e
}

// inverted is a term that stands first and is subtracted, or divided by.
func (c chain) inverted(e dsl.Expr) dsl.Expr {
	if c.op == dsl.Mul {
		return &dsl.Binary{Op: dsl.Div, X: &dsl.Num{Value: 1}, Y: e}
	}
	if n, ok := e.(*dsl.Num); ok {
		return &dsl.Num{Value: -n.Value}
	}
	return &dsl.Unary{Op: dsl.Neg, X: e}
}
