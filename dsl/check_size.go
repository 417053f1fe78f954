package dsl

import (
	"math"
	"reflect"
)

// MaxNodes is the number of operators and calls that no host can exceed: the type checkers go through
// an expression on a stack as deep as its longest chain.
const MaxNodes = 1 << 14

// maxVisits bounds the nodes of any sort that a check looks at. No text of 256 KiB has as many; a built
// tree that shares its nodes can have any number.
const maxVisits = 1 << 18

// textDepth is how many times the nesting limit a parsed tree may be deep: the parser holds parentheses, prefixes
// and powers to the limit, each of which holds a few levels of precedence. More was never parsed.
const textDepth = 16

// sizer counts operators and calls without recursion, so that no tree can exhaust the stack before
// it is refused. In the same pass it finds what no text could hold.
type sizer struct {
	stack  []sized
	ops    int
	visits int
	depth  int
	limits Limits
	broken string // what is wrong with the tree, "" if nothing
	at     Span
}

// sized is a node to visit: an expression, or a block.
type sized struct {
	expr  Expr
	block *Block
	depth int
}

// measure reports a body that is too large or broken, and whether it may be checked further.
func (w *walk) measure(b *Block, name Span, what string) bool {
	return w.fits(sized{block: b, depth: 1}, b == nil, name, what)
}

// measureExpr does the same for an expression that stands alone.
func (w *walk) measureExpr(e Expr, what string) bool {
	return w.fits(sized{expr: e}, false, spanOf(e), what)
}

func spanOf(e Expr) Span {
	if isNil(e) {
		return Span{}
	}
	return e.Range()
}

func (w *walk) fits(root sized, hole bool, span Span, what string) bool {
	s := sizer{limits: w.limits, stack: make([]sized, 0, 16)}
	if hole {
		s.broken = "has no body"
	} else {
		s.run(root)
	}
	most, depth := min(w.limits.Nodes, MaxNodes), w.limits.Nesting
	if !w.quick {
		depth *= textDepth
	}
	switch {
	case s.broken != "":
		w.report(s.at, CodeInvalidTree, "", nil, "%s %s", what, s.broken)
	case s.visits > maxVisits:
		w.report(span, CodeTooManyOps, "", nil, "%s is too large", what)
	case s.ops > MaxNodes:
		w.report(span, CodeTooManyOps, "", nil, "%s has more than %d operators and calls; at most %d are allowed", what, MaxNodes, most)
	case s.ops > most:
		w.report(span, CodeTooManyOps, "", nil, "%s has %d operators and calls; at most %d are allowed", what, s.ops, most)
	case s.depth > depth:
		w.report(span, CodeNesting, "", nil, "%s is nested deeper than %d", what, w.limits.Nesting)
	default:
		return true
	}
	return false
}

func (s *sizer) run(root sized) {
	s.stack = append(s.stack, root)
	for len(s.stack) > 0 && s.broken == "" && s.visits <= maxVisits && s.ops <= MaxNodes && s.depth <= MaxNodes {
		n := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		s.visits++
		s.depth = max(s.depth, n.depth)
		if n.block != nil {
			s.block(n.block, n.depth)
		} else {
			s.expr(n.expr, n.depth)
		}
	}
}

func (s *sizer) push(e Expr, depth int) { s.stack = append(s.stack, sized{expr: e, depth: depth}) }

func (s *sizer) block(b *Block, depth int) {
	for _, stmt := range b.Stmts {
		if isNil(stmt) {
			s.fail(b.Span, "has a hole in a block")
			return
		}
		s.visits++
		s.ops += opsAt(stmt)
		switch stmt := stmt.(type) {
		case *Let:
			s.push(stmt.Value, depth)
		case *Assign:
			if stmt.Op > DivSet {
				s.fail(stmt.Span, "has an unknown assignment")
			}
			s.push(stmt.Value, depth)
		case *Return:
			s.push(stmt.Value, depth)
		case *If:
			s.ifStmt(stmt, depth)
		}
	}
}

func (s *sizer) ifStmt(n *If, depth int) {
	if len(n.Arms) == 0 {
		s.fail(n.Span, "has an if without a condition")
	}
	for _, arm := range n.Arms {
		if arm == nil || arm.Body == nil {
			s.fail(n.Span, "has an if without a block")
			return
		}
		s.push(arm.Cond, depth)
		s.stack = append(s.stack, sized{block: arm.Body, depth: depth + 1})
	}
	if n.Else != nil {
		s.stack = append(s.stack, sized{block: n.Else, depth: depth + 1})
	}
}

// isNil reports a missing node, also where an interface holds a nil pointer.
func isNil(n Node) bool { return n == nil || reflect.ValueOf(n).IsNil() }

func (s *sizer) fail(at Span, what string) {
	if s.broken == "" {
		s.at, s.broken = at, what
	}
}

// expr counts one node and pushes its operands, each at least as deep as its text would be nested: a built
// tree within the limit prints as a text within it.
func (s *sizer) expr(e Expr, depth int) {
	if isNil(e) {
		s.fail(Span{}, "has a hole in an expression")
		return
	}
	s.ops += opsAt(e)
	switch e := e.(type) {
	case *Num:
		if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
			s.fail(e.Span, "has a literal that is not finite")
		}
	case *Unary:
		s.unary(e, depth)
	case *Binary:
		s.binary(e, depth)
	case *Cond:
		s.push(e.If, depth+paren(e.If, 1))
		s.push(e.Then, depth+1)
		s.push(e.Else, depth)
	case *Call:
		for _, a := range e.Args {
			s.push(a, depth+1)
		}
	}
}

func (s *sizer) unary(e *Unary, depth int) {
	if e.Op < Neg || e.Op > Not {
		s.fail(e.Span, "has an unknown operator")
	}
	s.push(e.X, depth+1)
}

// binary counts a left operand as nested where it needs parentheses, a right one always: the parser reads
// it one level down.
func (s *sizer) binary(e *Binary, depth int) {
	if e.Op < Or || e.Op > Pow {
		s.fail(e.Span, "has an unknown operator")
	}
	low := leftNeed(precedence(e.Op))
	if e.Op == Pow {
		low++
	}
	s.push(e.X, depth+paren(e.X, low))
	s.push(e.Y, depth+1)
}

// paren is 1 if the printer writes e in parentheses where operators looser than low need them, else 0.
func paren(e Expr, low int) int {
	switch e := e.(type) {
	case *Binary:
		if precedence(e.Op) < low {
			return 1
		}
	case *Cond:
		if low > 0 {
			return 1
		}
	}
	return 0
}
