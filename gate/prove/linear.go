package prove

import (
	"math"
	"slices"
)

// term is coef times the value of a node.
type term struct {
	node int32
	coef float64
}

// linear is the real number Σ coef·node + c. Terms are ordered by node and no coef is zero.
// Forms are combined without any rounding, or not at all.
type linear struct {
	terms []term
	c     float64
	// need are the nodes whose values must be finite for the form to mean anything: those of
	// terms, and those that cancelled.
	need []int32
}

// fact says that the value of form is not negative.
type fact struct {
	form linear
}

// bound is a form that a node's linear form is never below (lower) or never above (upper).
type bound struct {
	form         linear
	lower, upper bool
}

const (
	maxTerms  = 8  // of a linear form
	maxFacts  = 48 // in scope at once, consequences included
	maxBounds = 4  // per node
)

// exactLimit is the largest magnitude up to which every whole number is a float64.
const exactLimit = 1 << 53

// form returns the exact real value of a node: its linear form if no rounding separates the two,
// else the node itself.
func (g *graph) form(id int32) linear {
	n := &g.nodes[id]
	if n.op == opConst {
		return linear{c: n.val}
	}
	switch {
	case n.exact:
		return *n.lin
	case n.op == opNeg:
		if l, ok := g.combine(linear{}, 1, g.form(n.a), -1); ok {
			return l
		}
	}
	return linear{terms: g.terms.take(term{id, 1}), need: g.ids.take(id)}
}

// linearize finds the linear form of a new node, and what the facts in scope say about it.
func (g *graph) linearize(id int32) {
	n := &g.nodes[id]
	var l linear
	var ok bool
	switch n.op {
	case opNeg:
		if x := &g.nodes[n.a]; x.lin != nil && x.isSum() { // negation rounds nothing: the forms stay equal
			if l, ok = g.combine(linear{}, 1, *x.lin, -1); ok {
				n.lin, n.exact = g.keep(l), x.exact
			}
			return
		}
		l, ok = g.combine(linear{}, 1, g.form(n.a), -1)
	case opAdd:
		l, ok = g.combine(g.form(n.a), 1, g.form(n.b), 1)
	case opSub:
		l, ok = g.combine(g.form(n.a), 1, g.form(n.b), -1)
	case opMul:
		l, ok = g.scaled(n)
	case opLe, opLt, opEq, opNe:
		g.compareForm(n)
		return
	case opDiv:
		g.ratioForms(n)
		return
	default:
		return
	}
	if !ok {
		return
	}
	cancels := len(l.terms) < len(l.need)
	n.lin, n.exact = g.keep(l), n.op == opNeg || g.representable(l)
	n.bounds = g.boundsOf(l)
	if cancels {
		n.bounds = append(n.bounds, bound{form: l, lower: true, upper: true})
	}
}

// scaled is the form of a product with a constant.
func (g *graph) scaled(n *node) (linear, bool) {
	a, b := n.a, n.b
	if g.nodes[a].op == opConst {
		a, b = b, a
	}
	if k := &g.nodes[b]; k.op == opConst && k.val != 0 {
		return g.combine(linear{}, 1, g.form(a), k.val)
	}
	return linear{}, false
}

// compareForm gives a comparison the form b - a. Rounding is monotone: where each side is one
// rounding of its form, a <= b follows from the forms' order.
func (g *graph) compareForm(n *node) {
	fa, exactA := g.beforeRounding(n.a)
	fb, exactB := g.beforeRounding(n.b)
	l, ok := g.combine(fb, 1, fa, -1)
	cancels := len(l.terms) < len(fa.terms)+len(fb.terms)
	if !ok || !cancels && len(l.terms) < 2 {
		return // a comparison with a constant: the operand's interval says it all
	}
	n.lin, n.exact = g.keep(l), exactA && exactB
	n.bounds = g.boundsOf(l)
	if cancels {
		n.bounds = append(n.bounds, bound{form: l, lower: true, upper: true})
	}
}

// ratioForms keeps for a quotient a/b what bounds b - a from below and b + a from below.
func (g *graph) ratioForms(n *node) {
	fa, fb := g.form(n.a), g.form(n.b)
	if l, ok := g.combine(fb, 1, fa, -1); ok && len(l.need) > 0 && sharesNode(fa, fb, g.facts) {
		n.lin, n.exact = g.keep(l), false
		n.bounds = append(g.boundsOf(l), bound{form: l, lower: true, upper: true})
	}
}

// sharesNode reports whether two forms have a node in common, or a fact joins them.
func sharesNode(a, b linear, facts []fact) bool {
	for _, t := range a.terms {
		if b.coef(t.node) != 0 {
			return true
		}
		for _, f := range facts {
			if f.form.coef(t.node) == 0 {
				continue
			}
			for _, u := range b.terms {
				if f.form.coef(u.node) != 0 {
					return true
				}
			}
		}
	}
	return false
}

// beforeRounding returns the real value that one rounding turns into the node's value.
func (g *graph) beforeRounding(id int32) (l linear, exact bool) {
	n := &g.nodes[id]
	if n.lin != nil && n.isSum() {
		return *n.lin, n.exact
	}
	return g.form(id), true
}

// isSum reports that lin is the value of the node, and not of a comparison or a quotient's gap.
func (n *node) isSum() bool {
	return n.op == opAdd || n.op == opSub || n.op == opNeg || n.op == opMul
}

// representable reports whether the form's value is a float64 for all inputs: whole inputs with
// whole coefficients that stay within 2^53.
func (g *graph) representable(l linear) bool {
	sum := math.Abs(l.c)
	if l.c != math.Trunc(l.c) {
		return false
	}
	for _, t := range l.terms {
		n := &g.nodes[t.node]
		if n.op != opInput || !n.whole || t.coef != math.Trunc(t.coef) {
			return false
		}
		sum += float64(math.Abs(t.coef) * g.magnitude[t.node])
	}
	return sum <= exactLimit
}

// boundsOf returns forms with fewer terms than l that bound it under the facts in scope:
// l = r + λ·f with f ≥ 0, so r bounds l from below for λ > 0 and from above for λ < 0.
func (g *graph) boundsOf(l linear) []bound {
	if len(l.terms) < 2 {
		return nil
	}
	var out []bound
	for i := range g.facts {
		out = g.appendBounds(out, l, &g.facts[i].form)
		if len(out) >= maxBounds {
			break
		}
	}
	return out
}

func (g *graph) appendBounds(out []bound, l linear, f *linear) []bound {
	tried := 0.0
	for _, t := range l.terms {
		c := f.coef(t.node)
		if c == 0 {
			continue
		}
		lambda := t.coef / c
		if lambda == tried || lambda*c != t.coef {
			continue
		}
		tried = lambda
		r, ok := g.combine(l, 1, *f, -lambda)
		if ok && len(r.terms) < len(l.terms) {
			out = append(out, bound{form: r, lower: lambda > 0, upper: lambda < 0})
		}
	}
	return out
}

// assume adds what the truth value of a node says about sums to the facts in scope.
func (g *graph) assume(cond int32, want bool) {
	n := &g.nodes[cond]
	switch {
	case n.op == opNot:
		g.assume(n.a, !want)
	case n.op == opAnd && want, n.op == opOr && !want:
		g.assume(n.a, want)
		g.assume(n.b, want)
	case n.op == opEq && want, n.op == opNe && !want:
		g.atMost(n.a, n.b, 0)
		g.atMost(n.b, n.a, 0)
	case n.op == opLe && want:
		g.atMost(n.a, n.b, 0)
	case n.op == opLt && want:
		g.atMost(n.a, n.b, g.gap(n.a, n.b))
	case n.op == opLe && g.ordered(n.a, n.b):
		g.atMost(n.b, n.a, g.gap(n.a, n.b))
	case n.op == opLt && g.ordered(n.a, n.b):
		g.atMost(n.b, n.a, 0)
	}
}

// gap is how far apart different values of two nodes are at least.
func (g *graph) gap(a, b int32) float64 {
	if g.nodes[a].whole && g.nodes[b].whole {
		return 1
	}
	return 0
}

// ordered reports that neither node can be NaN, so that a comparison which is false has a
// true converse.
func (g *graph) ordered(a, b int32) bool {
	for _, l := range [2]linear{g.form(a), g.form(b)} {
		for _, id := range l.need {
			if g.nodes[id].op != opInput {
				return false
			}
		}
	}
	return true
}

// atMost adds the fact b - a ≥ gap and its consequences: sums of two facts that lose a node.
func (g *graph) atMost(a, b int32, gap float64) {
	l, ok := g.combine(g.form(b), 1, g.form(a), -1)
	if !ok || len(l.terms) < 2 {
		return
	}
	if l.c -= gap; math.Abs(l.c) > exactLimit {
		return
	}
	known := len(g.facts)
	g.facts = append(g.facts, fact{l})
	for i := 0; i < known && len(g.facts) < maxFacts; i++ {
		f := &g.facts[i].form
		sum, ok := g.combine(l, 1, *f, 1)
		if ok && len(sum.terms) >= 2 && len(sum.terms) < len(l.terms)+len(f.terms) {
			g.facts = append(g.facts, fact{sum})
		}
	}
}

// coef returns the coefficient of a node, 0 if it has no term.
func (l *linear) coef(id int32) float64 {
	for _, t := range l.terms {
		if t.node == id {
			return t.coef
		}
	}
	return 0
}

// combine returns ka·a + kb·b, or false if a coefficient would round or the form grow too long.
func (g *graph) combine(a linear, ka float64, b linear, kb float64) (linear, bool) {
	out := linear{terms: g.terms.room(len(a.terms) + len(b.terms))}
	var ok bool
	if out.c, ok = exactSum(a.c, ka, b.c, kb); !ok {
		return linear{}, false
	}
	i, j := 0, 0
	for i < len(a.terms) || j < len(b.terms) {
		t := term{}
		var x, y float64
		switch {
		case j == len(b.terms) || (i < len(a.terms) && a.terms[i].node < b.terms[j].node):
			t.node, x = a.terms[i].node, a.terms[i].coef
			i++
		case i == len(a.terms) || b.terms[j].node < a.terms[i].node:
			t.node, y = b.terms[j].node, b.terms[j].coef
			j++
		default:
			t.node, x, y = a.terms[i].node, a.terms[i].coef, b.terms[j].coef
			i++
			j++
		}
		if t.coef, ok = exactSum(x, ka, y, kb); !ok {
			return linear{}, false
		}
		if t.coef != 0 {
			out.terms = append(out.terms, t)
		}
	}
	g.terms.used(len(out.terms))
	out.need = g.union(a.need, b.need)
	return out, len(out.terms) <= maxTerms && len(out.need) <= 2*maxTerms
}

// union merges two lists of nodes.
func (g *graph) union(a, b []int32) []int32 {
	if len(b) == 0 {
		return a
	}
	out := append(g.ids.room(len(a)+len(b)), a...)
	for _, id := range b {
		if !slices.Contains(a, id) {
			out = append(out, id)
		}
	}
	g.ids.used(len(out))
	return out
}

// keep gives a form a lasting place.
func (g *graph) keep(l linear) *linear {
	g.forms.take(l)
	return &g.forms.items[len(g.forms.items)-1]
}

// exactSum returns ka·x + kb·y if no step of it rounds.
func exactSum(x, ka, y, kb float64) (float64, bool) {
	p, q := float64(x*ka), float64(y*kb)
	if math.FMA(x, ka, -p) != 0 || math.FMA(y, kb, -q) != 0 {
		return 0, false
	}
	s := p + q
	if math.IsInf(s, 0) || s != s || sumError(p, q, s) != 0 {
		return 0, false
	}
	if s != 0 && (math.Abs(s) > 1e100 || math.Abs(s) < 1e-100) {
		return 0, false
	}
	return s, true
}

// sumError returns p + q - s without rounding, where s is the rounded sum (Knuth's two-sum).
func sumError(p, q, s float64) float64 {
	bb := s - p
	return (p - (s - bb)) + (q - bb)
}

// addDown and addUp are sums rounded towards the named side, and exact where the sum is.
func addDown(p, q float64) float64 {
	s := p + q
	if sumError(p, q, s) < 0 {
		return math.Nextafter(s, math.Inf(-1))
	}
	return s
}

func addUp(p, q float64) float64 {
	s := p + q
	if sumError(p, q, s) > 0 {
		return math.Nextafter(s, math.Inf(1))
	}
	return s
}

// mulDown and mulUp are products rounded towards the named side, and exact where the product is.
func mulDown(p, q float64) float64 {
	s := p * q
	if math.FMA(p, q, -s) < 0 || inexactTiny(p, q, s) {
		return math.Nextafter(s, math.Inf(-1))
	}
	return s
}

func mulUp(p, q float64) float64 {
	s := p * q
	if math.FMA(p, q, -s) > 0 || inexactTiny(p, q, s) {
		return math.Nextafter(s, math.Inf(1))
	}
	return s
}

// inexactTiny reports a product so small that its rounding error underflows.
func inexactTiny(p, q, s float64) bool {
	return math.Abs(s) < 0x1p-960 && p != 0 && q != 0
}
