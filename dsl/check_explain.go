package dsl

import (
	"fmt"
	"slices"
)

func isComparison(op Op) bool { return op >= Eq && op <= Ge }
func isOrdering(op Op) bool   { return op >= Lt && op <= Ge }
func isLogical(op Op) bool    { return op == Or || op == And || op == Not }

// mistyped words what the type checker refused: the node n over operands of the types args.
func (w *walk) mistyped(n Expr, args []typ) {
	switch n := n.(type) {
	case *Unary:
		w.operand(n.X, args[0], n.Op, "operand")
	case *Binary:
		w.binaryMismatch(n, args[0], args[1])
	case *Cond:
		w.condMismatch(n, args)
	case *Call:
		w.callMismatch(n, args)
	}
}

// operand reports an operand that is not of the type that its operator needs.
func (w *walk) operand(e Expr, got typ, op Op, side string) {
	want, needs := numTyp, "numbers"
	if isLogical(op) {
		want, needs = boolTyp, "bools"
	}
	if got == want || got == unknownTyp {
		return
	}
	w.mismatch(e, got, want, fmt.Sprintf("%q needs %s, but its %s is %s", op.String(), needs, side, w.voc.describe(got)))
}

func (w *walk) binaryMismatch(n *Binary, x, y typ) {
	if isChain(n) {
		return // reported when it was met
	}
	if n.Op != Eq && n.Op != Ne {
		w.operand(n.X, x, n.Op, "left operand")
		w.operand(n.Y, y, n.Op, "right operand")
		return
	}
	message := fmt.Sprintf("%q compares %s with %s", n.Op.String(), w.voc.describe(x), w.voc.describe(y))
	switch {
	case x == boolTyp && y == numTyp:
		w.boolLiteral(n, n.X, n.Y, message)
	case x == numTyp && y == boolTyp:
		w.boolLiteral(n, n.Y, n.X, message)
	default:
		w.report(n.Span, CodeTypeMismatch, "", nil, "%s", message)
	}
}

// boolLiteral reports an equality of a bool and a number. Against 1 or 0 the bool alone says the same.
func (w *walk) boolLiteral(n *Binary, b, num Expr, message string) {
	lit, ok := num.(*Num)
	if !ok || (lit.Value != 0 && lit.Value != 1) {
		w.mismatch(b, boolTyp, numTyp, message)
		return
	}
	same := b
	if (lit.Value == 1) != (n.Op == Eq) {
		same = &Unary{Op: Not, X: b}
	}
	text := "(" + FormatExpr(same) + ")"
	w.report(n.Span, CodeBoolAsNumber, "a bool needs no comparison: write "+text, replaceFix("write "+text, n.Span, text), "%s", message)
}

// chain reports a < b < c, whatever its types: the text has no parentheses that would make it a
// comparison of a bool. The longest chain is reported, once.
func (w *walk) chain(n *Binary) {
	if !isChain(n) || w.chains[n] {
		return
	}
	if w.chains == nil {
		w.chains = map[*Binary]bool{}
	}
	for b := n; isChain(b); b = b.X.(*Binary) {
		w.chains[b] = true
	}
	text := FormatExpr(unchain(n))
	w.report(n.Span, CodeChained, "write "+text, replaceFix("write "+text, n.Span, "("+text+")"), "comparisons do not chain")
}

// isChain reports a parsed comparison whose left operand is a comparison without parentheses.
func isChain(n *Binary) bool {
	inner, ok := n.X.(*Binary)
	return ok && !n.IsZero() && isComparison(n.Op) && isComparison(inner.Op) && inner.Start == n.Start
}

// holdsChain reports a chain of comparisons anywhere in an expression.
func holdsChain(e Expr) bool {
	switch e := e.(type) {
	case *Binary:
		return isChain(e) || holdsChain(e.X) || holdsChain(e.Y)
	case *Unary:
		return holdsChain(e.X)
	case *Cond:
		return holdsChain(e.If) || holdsChain(e.Then) || holdsChain(e.Else)
	case *Call:
		return slices.ContainsFunc(e.Args, holdsChain)
	}
	return false
}

// unchain turns a < b < c < d into a < b && b < c && c < d.
func unchain(n *Binary) Expr {
	if !isChain(n) {
		return n
	}
	inner := n.X.(*Binary)
	return &Binary{Op: And, X: unchain(inner), Y: &Binary{Op: n.Op, X: inner.Y, Y: n.Y}}
}

func (w *walk) condMismatch(n *Cond, args []typ) {
	if args[0] != boolTyp && args[0] != unknownTyp {
		w.mismatch(n.If, args[0], boolTyp, fmt.Sprintf(`the condition of "?:" must be a bool, not %s`, w.voc.describe(args[0])))
	}
	then, els := args[1], args[2]
	if then == els || then == unknownTyp || els == unknownTyp {
		return
	}
	w.report(n.Span, CodeTypeMismatch, "both must be of one type", nil, `the branches of "?:" differ: %s and %s`, w.voc.describe(then), w.voc.describe(els))
}

func (w *walk) callMismatch(n *Call, args []typ) {
	name := n.Fn.Text
	need, ok := functions[name]
	if !ok {
		return // explainNames has it
	}
	if len(args) < need.min || (need.max >= 0 && len(args) > need.max) {
		w.report(n.Span, CodeArgumentCount, "", nil, "%s takes %s, not %s", name, need, count(len(args), "argument"))
	}
	for i, t := range args {
		if t != numTyp && t != unknownTyp {
			w.mismatch(n.Args[i], t, numTyp, fmt.Sprintf("argument %d of %s must be a number, not %s", i+1, name, w.voc.describe(t)))
		}
	}
}

// String describes an arity: "1 argument", "at least 2 arguments".
func (a arity) String() string {
	if a.max < 0 {
		return "at least " + count(a.min, "argument")
	}
	return count(a.min, "argument")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// mismatch reports e, of type got where want is needed, with the repair that the two types suggest.
func (w *walk) mismatch(e Expr, got, want typ, message string) {
	span := e.Range()
	switch {
	case holdsChain(e) && (got == boolTyp && want == numTyp || got == numTyp && want == boolTyp):
		// Printed anew, the chain would have parentheses, and mean something that nobody wrote.
		w.report(span, CodeTypeMismatch, "write the chain of comparisons apart first", nil, "%s", message)
	case got == boolTyp && want == numTyp:
		text := "(" + FormatExpr(&Cond{If: e, Then: &Num{Value: 1}, Else: &Num{Value: 0}}) + ")"
		w.report(span, CodeBoolAsNumber, "write "+text, replaceFix("write "+text, span, text), "%s", message)
	case got == numTyp && want == boolTyp:
		text := FormatExpr(&Binary{Op: Ne, X: e, Y: &Num{Value: 0}})
		w.report(span, CodeNumberAsBool, "compare it: "+text, replaceFix("compare it with 0", span, "("+text+")"), "%s", message)
	default:
		w.report(span, CodeTypeMismatch, "", nil, "%s", message)
	}
}
