package dsl

import (
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// precedence returns how tightly a binary operator binds; 0 for what is none.
func precedence(op Op) int {
	switch op {
	case Or:
		return 1
	case And:
		return 2
	case Eq, Ne, Lt, Le, Gt, Ge:
		return 4
	case Add, Sub:
		return 5
	case Mul, Div, Mod:
		return 6
	case Pow:
		return 8
	}
	return 0
}

// precNot is where "not" binds: looser than comparisons, tighter than &&. precUnary is where -, + and ! bind.
const (
	precNot   = 3
	precUnary = 7
)

func binaryOp(s string) Op {
	switch s {
	case "||", "or":
		return Or
	case "&&", "and":
		return And
	case "==":
		return Eq
	case "!=":
		return Ne
	case "<":
		return Lt
	case "<=":
		return Le
	case ">":
		return Gt
	case ">=":
		return Ge
	case "+":
		return Add
	case "-":
		return Sub
	case "*":
		return Mul
	case "/":
		return Div
	case "%":
		return Mod
	case "**":
		return Pow
	}
	return NoOp
}

// expr folds "a ? b : c ? d : e" from the right, in a loop.
func (c *converter) expr(g *gExpr) Expr {
	conds := []*gOperands{&g.gOperands}
	for _, t := range g.Tail {
		conds = append(conds, &t.gOperands)
	}
	e := c.operands(conds[len(conds)-1])
	for i := len(g.Tail) - 1; i >= 0; i-- {
		cond := c.operands(conds[i])
		e = &Cond{Span: c.join(cond, e), If: cond, Then: c.expr(g.Tail[i].Then), Else: e}
	}
	return e
}

// operandList is the flat list of one gOperands, read from left to right.
type operandList struct {
	c     *converter
	units []*gUnary
	ops   []Op
	opPos []lexer.Position
	next  int // the operator in front of it is ops[next-1]
	deep  int
}

func (c *converter) operands(g *gOperands) Expr {
	l := &operandList{c: c, units: []*gUnary{g.First}}
	for _, r := range g.Rest {
		l.units = append(l.units, r.X)
		l.ops = append(l.ops, binaryOp(r.Op))
		l.opPos = append(l.opPos, r.Pos)
	}
	return l.operandOf(0, 1)
}

// nested counts the recursion of ** chains, which group to the right.
func (l *operandList) nested(read func() Expr) Expr {
	l.deep++
	defer func() { l.deep-- }()
	if limit := l.c.scan.limits.Nesting; l.deep > limit {
		if l.deep == limit+1 {
			at := l.units[min(l.next, len(l.units)-1)]
			l.c.report(CodeNesting, l.c.span(at.gNode), "split the expression with let", "nested deeper than %d", limit)
		}
		l.next = len(l.units)
		return &Num{}
	}
	return read()
}

// unary reads the prefix operators of the next operand, from the k-th on. What follows "not"
// extends over comparisons, what follows - + ! over ** only.
func (l *operandList) unary(k int) Expr {
	u := l.units[min(l.next, len(l.units)-1)]
	if k == len(u.Ops) {
		l.next++
		return l.c.primary(u)
	}
	start := l.c.toks[tokenAt(l.c.toks, u.Pos.Offset)+k]
	op, low := unaryOp(u.Ops[k])
	x := l.nested(func() Expr { return l.operandOf(k+1, low) })
	if n, ok := x.(*Num); ok && op == Neg && !strings.HasPrefix(n.Text, "-") { // -3, and -(3), are numbers
		return &Num{Span{start.start, l.c.outer(x).End}, -n.Value, "-" + n.Text}
	}
	return &Unary{Span{start.start, l.c.outer(x).End}, op, x}
}

// operandOf reads the next operand, from its k-th prefix operator on, and the operators after it that
// bind at least as tightly as low. It loops along left-associative chains and recurses once a level
// of precedence, not once a term.
func (l *operandList) operandOf(k, low int) Expr {
	left := l.unary(k)
	for i := l.next - 1; i < len(l.ops) && precedence(l.ops[i]) >= low; i = l.next - 1 {
		op := l.ops[i]
		right := precedence(op) + 1
		if op == Pow {
			right--
		}
		y := l.nested(func() Expr { return l.operandOf(0, right) })
		left = l.c.binary(op, l.opPos[i], left, y)
	}
	return left
}

func unaryOp(s string) (Op, int) {
	switch s {
	case "not":
		return Not, precNot + 1
	case "!":
		return Not, precUnary
	case "+":
		return Plus, precUnary
	}
	return Neg, precUnary
}

// binary builds a node and reports the operators that only look like one of ours.
func (c *converter) binary(op Op, pos lexer.Position, x, y Expr) Expr {
	t := c.toks[tokenAt(c.toks, pos.Offset)]
	b := &Binary{Span: c.join(x, y), Op: op, OpSpan: t.span(), X: x, Y: y}
	switch t.raw {
	case "//":
		d := c.report(CodeFloorDivision, t.span(), "write floor(a / b)", "// is not an operator: it begins a comment, at the start of a line only")
		d.Fix = &Fix{Title: "write floor(a / b)", Edits: []Edit{{b.Span, "floor(" + c.text(x) + " / " + c.text(y) + ")"}}}
	case "^":
		d := c.report(CodeCaret, t.span(), "powers are written **", "^ is not an operator")
		d.Fix = &Fix{Title: "write **", Edits: []Edit{{t.span(), "**"}}}
	}
	return b
}

// outer is the place of an expression with the parentheses around it.
func (c *converter) outer(e Expr) Span {
	if s, ok := c.parens[e]; ok {
		return s
	}
	return e.Range()
}

func (c *converter) join(a, b Expr) Span { return Span{c.outer(a).Start, c.outer(b).End} }

// text is the source of an expression with the parentheses around it.
func (c *converter) text(e Expr) string {
	s := c.outer(e)
	return c.file.Source[s.Start.Offset:s.End.Offset]
}

func (c *converter) number(g *gUnary) *Num {
	span := c.primarySpan(g)
	v, text := c.literal(span, g.Number)
	return &Num{span, v, text}
}

// primarySpan is the place of an operand without its prefix operators.
func (c *converter) primarySpan(g *gUnary) Span {
	from := tokenAt(c.toks, g.Pos.Offset) + len(g.Ops)
	to := max(tokenAt(c.toks, g.EndPos.Offset)-1, from)
	return Span{c.toks[from].start, c.toks[to].end}
}

// name is the name with dots that begins at a place.
func (c *converter) name(at Pos, parts []string) Ident {
	from := tokenAt(c.toks, at.Offset)
	return Ident{Span: Span{at, c.toks[from+len(parts)-1].end}, Text: strings.Join(parts, "")}
}

func (c *converter) primary(g *gUnary) Expr {
	span := c.primarySpan(g)
	switch {
	case g.Number != "":
		return c.number(g)
	case g.Bool != "":
		return &Bool{span, g.Bool == "true"}
	case g.Paren != nil:
		e := c.expr(g.Paren)
		c.parens[e] = span
		return e
	case g.Args != nil:
		fn := c.name(span.Start, g.Name)
		fn.Text = strings.TrimPrefix(fn.Text, "math.")
		call := &Call{Span: span, Fn: fn}
		for _, a := range g.Args.Args {
			call.Args = append(call.Args, c.expr(a))
		}
		return call
	}
	return &Ref{span, strings.Join(g.Name, "")}
}

// FormatNumber writes v in the shortest form that reads back as v: plain where that is short,
// with an exponent elsewhere. Infinities and NaN, which are no literals, are +Inf, -Inf and NaN.
func FormatNumber(v float64) string {
	plain := strconv.FormatFloat(v, 'f', -1, 64)
	if len(plain) <= 12 {
		return plain
	}
	short := strconv.FormatFloat(v, 'g', -1, 64)
	mant, exp, found := strings.Cut(short, "e")
	if !found {
		return short
	}
	sign := ""
	if exp[0] == '-' {
		sign = "-"
	}
	return mant + "e" + sign + strings.TrimLeft(exp, "+-0")
}
