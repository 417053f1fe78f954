package dsl

import (
	"sync"

	"github.com/google/cel-go/checker"
)

// Checker checks rules against one signature. Build one per signature: it holds what all checks
// share. It does not change after NewChecker, so any number of goroutines may use it.
type Checker struct {
	voc    *vocabulary
	limits Limits
	cel    func() *checker.Env
	expr   *exprEnv
}

// NewChecker prepares checks against sig, which Check must have accepted. functions are the names of
// those that the host allows; nil allows all.
func NewChecker(sig *Signature, limits Limits, functions []string) *Checker {
	return newChecker(newVocabulary(sig, functions), limits)
}

func newChecker(voc *vocabulary, limits Limits) *Checker {
	c := &Checker{voc: voc, limits: limits.Normalize(), cel: baseCEL}
	if n := len(voc.sets); n > 0 {
		c.cel = sync.OnceValue(func() *checker.Env { return newCEL(n) })
		c.expr = newExprEnv(n)
	} else {
		c.expr = baseExpr()
	}
	return c
}

// Text checks a parsed rule and returns everything that is wrong with it: sizes, names, flow, words
// and types. The findings have places and no file name.
func (c *Checker) Text(r *Rule) Diagnostics {
	ds := c.rule(r, newCELTyper(c.cel()), false)
	ds.Sort()
	return ds
}

// AST checks a rule that a program built: the same language, the first finding only, and several
// times faster. The error is a *DiagnosticsError.
func (c *Checker) AST(r *Rule) error {
	return c.rule(r, newExprTyper(c.expr), true).Err()
}

// CheckRule checks one built rule against sig. To check many, keep a Checker.
func CheckRule(r *Rule, sig *Signature, limits Limits) error {
	return NewChecker(sig, limits, nil).AST(r)
}

func (c *Checker) rule(r *Rule, t typer, quick bool) Diagnostics {
	w := &walk{voc: c.voc, typer: t, limits: c.limits, quick: quick}
	w.list(r.Inputs, r.HasInputs)
	if w.done() || !w.measure(r.Body, r.Name.Span, "the rule") {
		return w.ds
	}
	w.body(r.Body, "the rule")
	return w.ds
}

// list makes the listed inputs visible, or all when no list was written.
func (w *walk) list(inputs []Ident, written bool) {
	if !written {
		return
	}
	w.visible = make([]bool, len(w.voc.inputs))
	for i := range inputs {
		in := &inputs[i]
		sym, ok := w.voc.symbols[in.Text]
		switch {
		case !ok || sym.kind != inputSymbol:
			w.report(in.Span, CodeUnknownInput, didYouMean(in.Text, w.voc.inputs), nil, "the signature has no input %q", in.Text)
		case w.visible[sym.input]:
			w.report(in.Span, CodeDuplicateInput, "remove it", nil, "input %q is listed twice", in.Text)
		default:
			w.visible[sym.input] = true
		}
		w.listed = in
	}
}

// expression checks one expression outside a body, such as an assume, and returns its type.
func (w *walk) expression(e Expr, want typ, place string) typ {
	if !w.measureExpr(e, place) {
		return unknownTyp
	}
	t := w.expr(e, want)
	w.want(e, t, want, place)
	return t
}
