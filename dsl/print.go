package dsl

import (
	"fmt"
	"strconv"
	"strings"
)

// lineWidth is the column up to which the printer keeps things on one line.
const lineWidth = 100

// Format prints a file in canonical layout: one statement a line, two spaces a block, the
// parentheses that the grouping needs, comments kept. Formatting what it prints changes nothing.
func Format(f *File) string {
	p := &printer{}
	for i, d := range f.Decls {
		_, isCase := d.(*Case)
		if i > 0 && (!isCase || d.comments().Gap || p.multiline) {
			p.blank()
		}
		p.decl(d)
		p.multiline = false
	}
	if len(f.Foot) > 0 && len(f.Decls) > 0 {
		p.blank()
	}
	p.commentLines(f.Foot)
	return p.b.String()
}

// FormatDecl prints one declaration.
func FormatDecl(d Decl) string {
	p := &printer{}
	p.decl(d)
	return p.b.String()
}

// FormatRule prints one rule.
func FormatRule(r *Rule) string { return FormatDecl(r) }

// FormatExpr prints an expression on one line.
func FormatExpr(e Expr) string {
	p := &printer{}
	p.expr(e, 0)
	return p.b.String()
}

type printer struct {
	b         strings.Builder
	indent    int
	lineStart int
	multiline bool
}

func (p *printer) write(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

func (p *printer) begin() {
	p.lineStart = p.b.Len()
	for i := 0; i < p.indent; i++ {
		p.write("  ")
	}
}

func (p *printer) end(trail string) {
	if trail != "" {
		p.write(" # ", trail)
	}
	p.write("\n")
}

func (p *printer) blank() { p.write("\n") }

func (p *printer) line(trail string, parts ...string) {
	p.begin()
	p.write(parts...)
	p.end(trail)
}

// commentLines prints comments on lines of their own; "" is a blank line.
func (p *printer) commentLines(lines []string) {
	for i, c := range lines {
		switch {
		case c == emptyComment:
			p.line("", "#")
		case c != "":
			p.line("", "# ", c)
		case i > 0:
			p.blank()
		}
	}
}

// head prints what stands above a node; first says that nothing stands above it in its block.
func (p *printer) head(c *Comments, first bool) {
	if c.Gap && !first {
		p.blank()
	}
	p.commentLines(c.Lead)
}

// fits reports whether s and a trailing comment's node fit on the current line.
func (p *printer) fits(s string) bool {
	return !strings.Contains(s, "\n") && 2*p.indent+width(s) <= lineWidth
}

func (p *printer) decl(d Decl) {
	p.commentLines(d.comments().Lead)
	switch d := d.(type) {
	case *Signature:
		p.signature("signature "+d.Name.Text, d, d.Trail)
	case *Rule:
		p.bodied("rule "+d.Name.Text+names(d.Inputs, d.HasInputs), d.Body, d.Trail)
	case *Case:
		p.line(d.Trail, "case ", d.Rule.Text, args(d.Args), " == ", FormatExpr(d.Want), tolerance(d.Tol))
	case *Policy:
		p.policy(d)
	case *Slot:
		p.slot(d)
	case *Society:
		p.society(d)
	}
}

func tolerance(t *Num) string {
	if t == nil {
		return ""
	}
	return " ± " + FormatExpr(t)
}

func names(ids []Ident, has bool) string {
	if !has {
		return ""
	}
	var list []string
	for _, id := range ids {
		list = append(list, id.Text)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

func args(as []Arg) string {
	var list []string
	for _, a := range as {
		list = append(list, a.Name.Text+" = "+FormatExpr(a.Value))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

func typeText(t Type, whole bool) string {
	switch {
	case t.Kind == BoolKind:
		return "bool"
	case t.Kind == WordKind:
		return strings.Join(t.Words, " | ")
	case whole:
		return "int"
	}
	return "num"
}

// FormatInput prints the declaration of an input: its name, type and domain.
func FormatInput(in *Input) string {
	s := in.Name.Text + ": " + typeText(in.Type, in.Int)
	if in.Type.Kind == NumKind {
		s += domain(in.Lo, in.LoText, in.Hi, in.HiText)
	}
	return s
}

func domain(lo float64, loText string, hi float64, hiText string) string {
	return " in [" + numberText(lo, loText) + ", " + numberText(hi, hiText) + "]"
}

// numberText prefers the text that a number was written in.
func numberText(v float64, text string) string {
	if w, err := strconv.ParseFloat(text, 64); text != "" && err == nil && w == v {
		return text
	}
	return FormatNumber(v)
}

// signature prints a signature or the declaration of a hook: on one line if it fits and no input
// has a comment, with the result on a line of its own if that helps, else an input a line. Its own
// comment ends the first line, where it is read as its own again.
func (p *printer) signature(head string, s *Signature, trail string) {
	var list []string
	commented := false
	for _, in := range s.Inputs {
		list = append(list, FormatInput(in))
		commented = commented || len(in.Lead) > 0 || in.Trail != ""
	}
	result := ""
	if s.Result.Kind != NoKind {
		result = " -> " + typeText(s.Result, false)
	}
	brace := ""
	if s.Body {
		brace = " {"
	}
	short := head + "(" + strings.Join(list, ", ") + ")"
	switch {
	case !commented && p.fits(short+result+brace):
		p.line(trail, short, result, brace)
	case !commented && p.fits(short) && result != "":
		p.line(trail, short)
		p.line("", " ", result, brace)
	default:
		p.line(trail, head, "(")
		p.indent++
		for i, in := range s.Inputs {
			p.head(&in.Comments, i == 0)
			p.line(in.Trail, list[i], ",")
		}
		p.indent--
		p.line("", ")", result, brace)
	}
	if s.Body {
		p.clauses(s)
		p.line("", "}")
	}
}

func (p *printer) clauses(s *Signature) {
	p.indent++
	for i, c := range s.Clauses {
		p.head(&c.Comments, i == 0)
		p.line(c.Trail, clauseText(c))
	}
	p.commentLines(s.Foot)
	p.indent--
}

func clauseText(c *Clause) string {
	switch c.Kind {
	case AssumeClause:
		return "assume " + FormatExpr(c.Expr)
	case EnsureClause:
		return "ensure " + FormatExpr(c.Expr)
	case IncreasingClause:
		return "ensure increasing(" + c.Input.Text + ")"
	case DecreasingClause:
		return "ensure decreasing(" + c.Input.Text + ")"
	}
	return "case " + args(c.Args)
}

func (p *printer) policy(d *Policy) {
	p.line(d.Trail, "policy ", d.Name.Text, " fills ", d.Fills.Text, " {")
	p.indent++
	first := true
	item := func(c *Comments) { p.head(c, first); first = false }
	for _, q := range d.Params {
		item(&q.Comments)
		typ := ""
		if q.Int {
			typ = ": int"
		}
		p.line(q.Trail, "param ", q.Name.Text, typ, " = ", numberText(q.Value, q.ValueText), domain(q.Lo, q.LoText, q.Hi, q.HiText))
	}
	for _, s := range d.States {
		item(&s.Comments)
		p.line(s.Trail, "state ", s.Name.Text, " = ", numberText(s.Value, s.ValueText), domain(s.Lo, s.LoText, s.Hi, s.HiText))
	}
	if d.Pick.Text != "" {
		item(&d.PickComments)
		p.line(d.PickComments.Trail, "pick ", d.Pick.Text)
	}
	for _, h := range d.Hooks {
		if !first && !h.Gap {
			p.blank()
		}
		item(&h.Comments)
		on := ""
		if h.On {
			on = "on "
		}
		p.bodied(on+h.Name.Text+names(h.Inputs, h.HasInputs), h.Body, h.Trail)
	}
	p.commentLines(d.Foot)
	p.indent--
	p.line("", "}")
}

func (p *printer) slot(d *Slot) {
	per := ""
	if d.Per.Text != "" {
		per = " per " + d.Per.Text
	}
	p.line(d.Trail, "slot ", d.Name.Text, per, " {")
	p.indent++
	for i, h := range d.Hooks {
		p.head(&h.Comments, i == 0)
		on := ""
		if h.On {
			on = "on "
		}
		p.signature(on+h.Name.Text, &h.Signature, h.Trail)
	}
	p.commentLines(d.Foot)
	p.indent--
	p.line("", "}")
}

func (p *printer) society(d *Society) {
	p.line(d.Trail, "society ", d.Name.Text, names(d.Inputs, true), " {")
	p.indent++
	for i, n := range d.Nodes {
		p.head(&n.Comments, i == 0)
		p.line(n.Trail, "node ", n.Name.Text, " { instruction ", strconv.Quote(n.Instruction), " budget ", strconv.Itoa(n.Budget), " }")
	}
	for i, e := range d.Edges {
		p.head(&e.Comments, i == 0 && len(d.Nodes) == 0)
		when := ""
		if e.When != nil {
			when = " when " + FormatExpr(e.When)
		}
		p.line(e.Trail, e.From.Text, " -> ", e.To.Text, when)
	}
	p.commentLines(d.Foot)
	p.indent--
	p.line("", "}")
}

// bodied prints a head and its block: on one line where the block was written so.
func (p *printer) bodied(head string, b *Block, trail string) {
	if one, ok := oneReturn(b); ok && !b.IsZero() && b.Start.Line == b.End.Line && p.fits(head+" "+one) {
		p.line(trail, head, " ", one)
		return
	}
	p.line(trail, head, " {")
	p.block(b)
	p.line("", "}")
}

// oneReturn prints a block that holds one return and no comment.
func oneReturn(b *Block) (string, bool) {
	if len(b.Stmts) != 1 || len(b.Foot) > 0 {
		return "", false
	}
	r, ok := b.Stmts[0].(*Return)
	if !ok || len(r.Lead) > 0 || r.Trail != "" {
		return "", false
	}
	return "{ return " + FormatExpr(r.Value) + " }", true
}

func (p *printer) block(b *Block) {
	p.indent++
	for i, s := range b.Stmts {
		p.head(s.comments(), i == 0)
		p.stmt(s)
	}
	p.commentLines(b.Foot)
	p.indent--
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Let:
		p.line(s.Trail, "let ", s.Name.Text, " = ", FormatExpr(s.Value))
	case *Assign:
		p.line(s.Trail, s.Name.Text, " ", s.Op.String(), " ", FormatExpr(s.Value))
	case *Return:
		p.line(s.Trail, "return ", FormatExpr(s.Value))
	case *If:
		p.ifStmt(s)
	}
}

func (p *printer) ifStmt(s *If) {
	if one, ok := oneLineIf(s); ok && p.fits(one) {
		p.line(s.Trail, one)
		return
	}
	trail := s.Trail
	for i, a := range s.Arms {
		p.begin()
		if i > 0 {
			p.write("} else ")
		}
		p.write("if ", FormatExpr(a.Cond), " {")
		p.end(trail)
		trail = ""
		p.block(a.Body)
	}
	if s.Else != nil {
		p.line("", "} else {")
		p.block(s.Else)
	}
	p.line("", "}")
}

// oneLineIf prints an if whose blocks are single returns that were written, or built, on one line.
func oneLineIf(s *If) (string, bool) {
	if s.Start.Line != s.End.Line {
		return "", false
	}
	var b strings.Builder
	for i, a := range s.Arms {
		body, ok := oneReturn(a.Body)
		if !ok {
			return "", false
		}
		if i > 0 {
			b.WriteString(" else ")
		}
		fmt.Fprintf(&b, "if %s %s", FormatExpr(a.Cond), body)
	}
	if s.Else != nil {
		body, ok := oneReturn(s.Else)
		if !ok {
			return "", false
		}
		b.WriteString(" else " + body)
	}
	return b.String(), true
}

// expr prints e where operators that bind more loosely than low need parentheses. The left spine
// of a long sum is walked in a loop.
func (p *printer) expr(e Expr, low int) {
	switch e := e.(type) {
	case *Num:
		p.number(e, low)
	case *Bool:
		p.write(strconv.FormatBool(e.Value))
	case *Ref:
		p.write(e.Name)
	case *Call:
		p.write(e.Fn.Text, "(")
		for i, a := range e.Args {
			if i > 0 {
				p.write(", ")
			}
			p.expr(a, 0)
		}
		p.write(")")
	case *Unary:
		p.paren(low > precUnary, func() {
			p.write(e.Op.String())
			p.expr(e.X, precUnary)
		})
	case *Cond:
		p.paren(low > 0, func() { p.cond(e) })
	case *Binary:
		p.paren(precedence(e.Op) < low, func() { p.binary(e) })
	}
}

// number writes a negative literal in parentheses where an operator would take only its digits.
func (p *printer) number(n *Num, low int) {
	text := numberText(n.Value, n.Text)
	p.paren(text[0] == '-' && low > precUnary, func() { p.write(text) })
}

func (p *printer) paren(need bool, inner func()) {
	if need {
		p.write("(")
	}
	inner()
	if need {
		p.write(")")
	}
}

// cond prints a chain of conditionals, which group to the right.
func (p *printer) cond(e *Cond) {
	for {
		p.expr(e.If, 1)
		p.write(" ? ")
		p.expr(e.Then, 0)
		p.write(" : ")
		next, ok := e.Else.(*Cond)
		if !ok {
			p.expr(e.Else, 1)
			return
		}
		e = next
	}
}

func (p *printer) binary(e *Binary) {
	prec := precedence(e.Op)
	if e.Op == Pow {
		p.expr(e.X, prec+1)
		p.write(" ** ")
		p.powRight(e.Y)
		return
	}
	chain := []*Binary{e}
	left := e.X
	for b, ok := left.(*Binary); ok && precedence(b.Op) == prec && prec != precedence(Eq); b, ok = left.(*Binary) {
		chain = append(chain, b)
		left = b.X
	}
	p.expr(left, leftNeed(prec))
	for i := len(chain) - 1; i >= 0; i-- {
		p.write(" ", chain[i].Op.String(), " ")
		p.expr(chain[i].Y, prec+1)
	}
}

// leftNeed is the binding that a left operand needs. Comparisons have no chains, so one within
// another keeps its parentheses.
func leftNeed(prec int) int {
	if prec == precedence(Eq) {
		return prec + 1
	}
	return prec
}

// powRight prints the right side of **, where a sign or a power needs no parentheses.
func (p *printer) powRight(e Expr) {
	switch e.(type) {
	case *Unary, *Num:
		p.expr(e, precUnary)
	default:
		p.expr(e, precedence(Pow))
	}
}

// String returns the operator as written.
func (o Op) String() string {
	names := [...]string{"", "-", "+", "!", "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "**"}
	if int(o) < len(names) {
		return names[o]
	}
	return "?"
}

// String returns the operator as written.
func (o AssignOp) String() string {
	names := [...]string{"=", "+=", "-=", "*=", "/="}
	if int(o) < len(names) {
		return names[o]
	}
	return "?"
}
