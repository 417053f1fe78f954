package export

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// How tightly operators bind, from loose to tight; the order of every language here but for the details that its
// syntax sees to.
const (
	looseCond = iota + 1
	looseOr
	looseAnd
	looseNot
	looseCompare
	looseSum
	looseProduct
	looseUnary
	tight
)

// term is the text of an expression.
type term struct {
	text string
	prec int // of the outermost operator
	// constant says that a Go compiler would compute the text itself, product that its outermost operator multiplies numbers.
	constant, product bool
}

// in returns the text as an operand that binds at least as tightly as prec.
func (t term) in(prec int) string {
	if t.prec < prec {
		return "(" + t.text + ")"
	}
	return t.text
}

// atom is a term that never needs parentheses.
func atom(text string) term { return term{text: text, prec: tight} }

// call is the term of a call.
func call(name string, args ...term) term {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.text
	}
	return atom(name + "(" + strings.Join(texts, ", ") + ")")
}

// syntax is how a language writes expressions and statements.
type syntax interface {
	number(v float64) term
	truth(v bool) term
	word(s *wordSet, index int) term
	unary(op dsl.Op, x term) term
	binary(e *dsl.Binary, x, y term) term
	cond(c, a, b term) term
	call(fn string, args []term) term

	// declare starts a local whose value the following statements assign. ok is false in languages whose conditional
	// expressions need no such thing.
	declare(name string, t dsl.Type) (line string, ok bool)
	let(name string, t dsl.Type, v term, fixed bool) string
	// unused follows the declaration of a local that is never read; "" is nothing.
	unused(name string) string
	assign(name string, op dsl.AssignOp, v term) string
	ret(v term) string
	// ifLine opens the first arm of an if or a later one, elseLine the last block. end closes the statement, and empty
	// fills a block without statements; "" is nothing.
	ifLine(first bool, c term) string
	elseLine() string
	end() string
	empty() string
	// comment is a line of its own, trailing ends a line.
	comment(text string) string
	trailing(text string) string
}

// writer writes the body of a function.
type writer struct {
	f      *function
	s      syntax
	indent int
	unit   string // one step of indentation
	trail  string // the comment for the end of the next line
	b      strings.Builder
}

// body returns the statements of the function's body, indented once.
func body(f *function, s syntax, unit string) string {
	w := &writer{f: f, s: s, indent: 1, unit: unit}
	w.block(f.rule.Body)
	return w.b.String()
}

func (w *writer) line(text string) {
	if text == "" {
		return
	}
	w.b.WriteString(strings.Repeat(w.unit, w.indent))
	w.b.WriteString(text)
	if w.trail != "" {
		w.b.WriteString(w.s.trailing(w.trail))
		w.trail = ""
	}
	w.b.WriteByte('\n')
}

// comments writes what stands above a statement.
func (w *writer) comments(lines []string) {
	for _, l := range lines {
		if l != "" {
			w.line(w.s.comment(oneLine(l)))
		}
	}
}

func (w *writer) block(b *dsl.Block) {
	for i, s := range b.Stmts {
		w.statement(s, i == 0)
	}
	w.comments(b.Foot)
	if len(b.Stmts) == 0 {
		w.line(w.s.empty())
	}
}

func (w *writer) statement(s dsl.Stmt, first bool) {
	c := commentsOf(s)
	if c.Gap && !first {
		w.b.WriteByte('\n')
	}
	w.comments(c.Lead)
	w.trail = oneLine(c.Trail)
	switch s := s.(type) {
	case *dsl.Let:
		w.let(s)
	case *dsl.Assign:
		name := w.f.locals[s.Name.Text]
		w.valued(s.Value, func(v term) { w.line(w.s.assign(name, s.Op, v)) })
	case *dsl.Return:
		w.ret(s.Value)
	case *dsl.If:
		w.branches(s)
	}
}

func commentsOf(s dsl.Stmt) dsl.Comments {
	switch s := s.(type) {
	case *dsl.Let:
		return s.Comments
	case *dsl.Assign:
		return s.Comments
	case *dsl.Return:
		return s.Comments
	case *dsl.If:
		return s.Comments
	}
	return dsl.Comments{}
}

func (w *writer) let(s *dsl.Let) {
	name, t := w.f.locals[s.Name.Text], w.f.typeOf(s.Value)
	declaration, split := w.s.declare(name, t)
	if _, isCond := s.Value.(*dsl.Cond); isCond && split {
		w.line(declaration)
		w.valued(s.Value, func(v term) { w.line(w.s.assign(name, dsl.Set, v)) })
	} else {
		w.line(w.s.let(name, t, w.expr(s.Value), !w.f.assigned[s.Name.Text]))
	}
	if !w.f.read[s.Name.Text] {
		w.line(w.s.unused(name))
	}
	w.f.types[s.Name.Text] = t
}

// valued writes a statement about the value of e. Where the language has no conditional expression and e is one, it
// writes the statement for each side.
func (w *writer) valued(e dsl.Expr, statement func(v term)) {
	if _, split := w.s.declare("", dsl.NumType); !split {
		statement(w.expr(e))
		return
	}
	first := true
	for {
		c, ok := e.(*dsl.Cond)
		if !ok {
			break
		}
		w.line(w.s.ifLine(first, w.expr(c.If)))
		w.inner(func() { w.valued(c.Then, statement) })
		first, e = false, c.Else
	}
	if first {
		statement(w.expr(e))
		return
	}
	w.line(w.s.elseLine())
	w.inner(func() { statement(w.expr(e)) })
	w.line(w.s.end())
}

// ret is valued for a return, which needs no else.
func (w *writer) ret(e dsl.Expr) {
	for {
		c, ok := e.(*dsl.Cond)
		if _, split := w.s.declare("", dsl.NumType); !ok || !split {
			break
		}
		w.line(w.s.ifLine(true, w.expr(c.If)))
		w.inner(func() { w.ret(c.Then) })
		w.line(w.s.end())
		e = c.Else
	}
	w.line(w.s.ret(w.expr(e)))
}

func (w *writer) branches(s *dsl.If) {
	for i, arm := range s.Arms {
		w.line(w.s.ifLine(i == 0, w.expr(arm.Cond)))
		w.inner(func() { w.block(arm.Body) })
	}
	if s.Else != nil {
		w.line(w.s.elseLine())
		w.inner(func() { w.block(s.Else) })
	}
	w.line(w.s.end())
}

func (w *writer) inner(write func()) {
	w.indent++
	write()
	w.indent--
}

func (w *writer) expr(e dsl.Expr) term {
	switch e := e.(type) {
	case *dsl.Num:
		return w.s.number(e.Value)
	case *dsl.Bool:
		return w.s.truth(e.Value)
	case *dsl.Ref:
		return w.ref(e.Name)
	case *dsl.Unary:
		if e.Op == dsl.Plus {
			return w.expr(e.X)
		}
		return w.s.unary(e.Op, w.expr(e.X))
	case *dsl.Binary:
		return w.s.binary(e, w.expr(e.X), w.expr(e.Y))
	case *dsl.Cond:
		return w.s.cond(w.expr(e.If), w.expr(e.Then), w.expr(e.Else))
	case *dsl.Call:
		args := make([]term, len(e.Args))
		for i, a := range e.Args {
			args[i] = w.expr(a)
		}
		return w.s.call(e.Fn.Text, args)
	}
	return atom(fmt.Sprintf("/* %T */", e)) // not reached: newFunction checks the tree
}

func (w *writer) ref(name string) term {
	if local, ok := w.f.locals[name]; ok {
		return atom(local)
	}
	if i, ok := w.f.inputs[name]; ok {
		return atom(w.f.params[i])
	}
	_, set, i := w.f.word(name)
	return w.s.word(set, i)
}

// decimal is the shortest decimal that reads back as v, always with a point or an exponent, so that no language takes it
// for a whole number of another type.
func decimal(v float64) term {
	text := dsl.FormatNumber(v)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	t := term{text: text, prec: tight, constant: true}
	if strings.HasPrefix(text, "-") {
		t.prec = looseUnary
	}
	return t
}

// negated puts a minus in front of x, never next to another.
func negated(x term) term {
	text := x.in(looseUnary)
	if strings.HasPrefix(text, "-") {
		text = "(" + text + ")"
	}
	return term{text: "-" + text, prec: looseUnary}
}

// wholePower returns n where the language defines x ** n as a product: 2 or 3, else 0.
func wholePower(e *dsl.Binary) int {
	if n, ok := e.Y.(*dsl.Num); ok && e.Op == dsl.Pow && (n.Value == 2 || n.Value == 3) {
		return int(n.Value)
	}
	return 0
}

// isName reports expressions that may be written twice.
func isName(e dsl.Expr) bool {
	_, ok := e.(*dsl.Ref)
	return ok
}

// quoted is a word as a string.
func quoted(word string) string { return strconv.Quote(word) }

func isNegativeZero(v float64) bool { return v == 0 && math.Signbit(v) }
