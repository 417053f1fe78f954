package dsl

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"
)

// identityBytes is how much of the SHA-256 an identity keeps: enough that no two texts of one archive meet by chance.
const identityBytes = 16

// Identity names what d means to the evaluator, in 32 hex digits: a hash of its kind, name, inputs and body, with literals
// in shortest round-trip form and locals numbered in order. Layout, comments, the spelling of literals and the names of
// locals do not count, nor does the order of an input list. A rule without a list differs from one that lists every
// input, because the same text may be bound to another signature.
func Identity(d Decl) string { return identify(d, true) }

// ShapeIdentity is Identity without the values of the params: policies that share it differ only in what parameter
// evolution moves.
func ShapeIdentity(p *Policy) string { return identify(p, false) }

func identify(d Decl, params bool) string {
	e := encoder{h: sha256.New(), params: params}
	e.decl(d)
	return hex.EncodeToString(e.h.Sum(nil)[:identityBytes])
}

// encoder writes a declaration to a hash so that different trees give different bytes: each token has a tag, each text its
// length, each list its count.
type encoder struct {
	h      hash.Hash
	params bool // include the values of params
	locals map[string]int
	next   int // number of the next local
	buf    []byte
}

func (e *encoder) tag(t byte, n int) {
	e.buf = append(e.buf[:0], t)
	e.buf = binary.AppendVarint(e.buf, int64(n))
	e.h.Write(e.buf)
}

func (e *encoder) text(s string) {
	e.tag('s', len(s))
	e.h.Write([]byte(s))
}

func (e *encoder) num(v float64) { e.text(strconv.FormatFloat(v, 'g', -1, 64)) }

func (e *encoder) flag(b bool) {
	n := 0
	if b {
		n = 1
	}
	e.tag('b', n)
}

func (e *encoder) decl(d Decl) {
	switch d := d.(type) {
	case *Signature:
		e.text("signature")
		e.signature(d)
	case *Rule:
		e.text("rule")
		e.text(d.Name.Text)
		e.function(d.Inputs, d.HasInputs, d.Body)
	case *Case:
		e.text("case")
		e.text(d.Rule.Text)
		e.args(d.Args)
		e.expr(d.Want)
		if d.Tol != nil {
			e.num(d.Tol.Value)
		}
	case *Policy:
		e.text("policy")
		e.policy(d)
	case *Slot:
		e.text("slot")
		e.text(d.Name.Text)
		e.text(d.Per.Text)
		e.tag('n', len(d.Hooks))
		for _, h := range d.Hooks {
			e.flag(h.On)
			e.signature(&h.Signature)
		}
	case *Society:
		e.text("society")
		e.society(d)
	}
}

func (e *encoder) signature(s *Signature) {
	e.text(s.Name.Text)
	e.tag('n', len(s.Inputs))
	for _, in := range s.Inputs {
		e.text(in.Name.Text)
		e.typ(in.Type)
		e.flag(in.Int)
		e.num(in.Lo)
		e.num(in.Hi)
	}
	e.typ(s.Result)
	e.tag('n', len(s.Clauses))
	for _, c := range s.Clauses {
		e.tag('c', int(c.Kind))
		e.expr(c.Expr)
		e.text(c.Input.Text)
		e.args(c.Args)
	}
}

func (e *encoder) typ(t Type) {
	e.tag('t', int(t.Kind))
	e.tag('n', len(t.Words))
	for _, w := range t.Words {
		e.text(w)
	}
}

func (e *encoder) args(args []Arg) {
	e.tag('n', len(args))
	for _, a := range args {
		e.text(a.Name.Text)
		e.expr(a.Value)
	}
}

func (e *encoder) policy(p *Policy) {
	e.text(p.Name.Text)
	e.text(p.Fills.Text)
	e.text(p.Pick.Text)
	e.tag('n', len(p.Params))
	for _, q := range p.Params {
		e.text(q.Name.Text)
		e.flag(q.Int)
		if e.params {
			e.num(q.Value)
		}
		e.num(q.Lo)
		e.num(q.Hi)
	}
	e.tag('n', len(p.States))
	for _, s := range p.States {
		e.text(s.Name.Text)
		e.num(s.Value)
		e.num(s.Lo)
		e.num(s.Hi)
	}
	e.tag('n', len(p.Hooks))
	for _, h := range p.Hooks {
		e.flag(h.On)
		e.text(h.Name.Text)
		e.function(h.Inputs, h.HasInputs, h.Body)
	}
}

func (e *encoder) society(s *Society) {
	e.text(s.Name.Text)
	e.names(s.Inputs)
	e.tag('n', len(s.Nodes))
	for _, n := range s.Nodes {
		e.text(n.Name.Text)
		e.text(n.Instruction)
		e.tag('i', n.Budget)
	}
	e.tag('n', len(s.Edges))
	for _, edge := range s.Edges {
		e.text(edge.From.Text)
		e.text(edge.To.Text)
		e.expr(edge.When)
	}
}

// names writes a set of names: sorted, because a list binds by name.
func (e *encoder) names(ids []Ident) {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = id.Text
	}
	slices.Sort(list)
	e.tag('n', len(list))
	for _, s := range list {
		e.text(s)
	}
}

func (e *encoder) function(inputs []Ident, listed bool, body *Block) {
	e.flag(listed)
	e.names(inputs)
	e.locals, e.next = map[string]int{}, 0
	e.block(body)
	e.locals = nil
}

// block writes the statements of b. The names that it declares need not be forgotten at its end: nothing shadows, so that a
// name that is declared again is another local, and none that is not means anything else.
func (e *encoder) block(b *Block) {
	if b == nil {
		e.tag('0', 0)
		return
	}
	e.tag('{', len(b.Stmts))
	for _, s := range b.Stmts {
		e.stmt(s)
	}
}

func (e *encoder) stmt(s Stmt) {
	switch s := s.(type) {
	case *Let:
		e.text("let")
		e.expr(s.Value)
		e.locals[s.Name.Text] = e.next
		e.next++
	case *Assign:
		e.tag('=', int(s.Op))
		e.name(s.Name.Text)
		e.expr(s.Value)
	case *Return:
		e.text("return")
		e.expr(s.Value)
	case *If:
		e.tag('?', len(s.Arms))
		for _, arm := range s.Arms {
			e.expr(arm.Cond)
			e.block(arm.Body)
		}
		e.block(s.Else)
	}
}

// name writes a local by its number, any other name as it is.
func (e *encoder) name(name string) {
	if n, ok := e.locals[name]; ok {
		e.tag('l', n)
		return
	}
	e.text(name)
}

// expr writes x in prefix order, which needs no parentheses; nil is a token of its own. A minus before a literal is the
// literal that parsing makes of it.
func (e *encoder) expr(x Expr) {
	stack := []Node{x}
	var kids []Node
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if u, ok := n.(*Unary); ok && u.Op == Neg {
			if v, ok := u.X.(*Num); ok {
				n = &Num{Value: -v.Value}
			}
		}
		e.exprNode(n)
		if n, ok := n.(Expr); ok {
			kids = appendExprChildren(kids[:0], n)
			slices.Reverse(kids)
			stack = append(stack, kids...)
		}
	}
}

func (e *encoder) exprNode(n Node) {
	switch n := n.(type) {
	case nil:
		e.tag('0', 0)
	case *Num:
		e.tag('#', 0)
		e.num(n.Value)
	case *Bool:
		e.tag('!', 0)
		e.flag(n.Value)
	case *Ref:
		e.tag('r', 0)
		e.name(n.Name)
	case *Unary:
		e.tag('u', int(n.Op))
	case *Binary:
		e.tag('o', int(n.Op))
	case *Cond:
		e.tag('?', 0)
	case *Call:
		e.tag('f', len(n.Args))
		e.text(n.Fn.Text)
	}
}
