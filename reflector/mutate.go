package reflector

import (
	"math"
	"math/rand/v2"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/fmath"
)

// mutator changes copies of rules. It reports the name of the change, "" when it could make none.
type mutator struct {
	*vocabulary
	rng *rand.Rand
}

func (m *mutator) grower(locals []local) *grower {
	return &grower{vocabulary: m.vocabulary, rng: m.rng, locals: locals}
}

// change changes r in place by one operator; mate lends material.
func (m *mutator) change(r, mate *dsl.Rule) string {
	for range 8 {
		if name := m.once(r, mate); name != "" {
			return name
		}
	}
	return ""
}

func (m *mutator) once(r, mate *dsl.Rule) string {
	switch n := m.rng.IntN(100); {
	case n < 40:
		return m.nudge(r)
	case n < 50:
		return m.regrow(r)
	case n < 57:
		return m.swapOperator(r)
	case n < 65:
		return m.insertGuard(r)
	case n < 71:
		return m.copyGuard(r)
	case n < 76:
		return m.dropStatement(r)
	case n < 79:
		return m.swapStatements(r)
	case n < 86:
		return m.wrap(r)
	case n < 91:
		return m.hoist(r)
	case n < 96:
		return m.cross(r, mate)
	}
	return m.graftGuard(r, mate)
}

// nudge moves one constant, or several.
func (m *mutator) nudge(r *dsl.Rule) string {
	var nums []*dsl.Num
	for _, s := range sitesOf(m.vocabulary, r) {
		if n, ok := (*s.at).(*dsl.Num); ok {
			nums = append(nums, n)
		}
	}
	if len(nums) == 0 {
		return ""
	}
	for range 1 + m.rng.IntN(2)*m.rng.IntN(3) {
		n := nums[m.rng.IntN(len(nums))]
		n.Value = m.moved(n.Value, nums)
	}
	return "nudge"
}

// moved is a constant near x: a small step, a factor, the value of another constant with a step, or a new size.
func (m *mutator) moved(x float64, others []*dsl.Num) float64 {
	whole := x == math.Trunc(x) && math.Abs(x) < 1e9
	sign := float64(1 - 2*m.rng.IntN(2))
	switch m.rng.IntN(10) {
	case 0:
		x = others[m.rng.IntN(len(others))].Value
		if whole {
			return roundTo(x+sign*float64(m.rng.IntN(2)), 9) // the other constant need not be whole
		}
		return roundTo(x+float64(sign*0.01*math.Max(math.Abs(x), 0.1)), 4)
	case 1:
		return -x
	case 2:
		return roundTo(x*fmath.Exp(1.4*(m.rng.Float64()-0.5)), 3)
	case 3:
		return roundTo(x+sign*m.rng.Float64(), 3)
	}
	if whole && m.rng.IntN(5) > 0 {
		step := 1.0
		for step < 64 && m.rng.IntN(2) == 0 {
			step *= 2
		}
		return x + sign*math.Ceil(step*m.rng.Float64())
	}
	return roundTo(x+float64(sign*math.Max(math.Abs(x), 0.05)*fmath.Exp(-1-4*m.rng.Float64())), 4)
}

// regrow replaces a small expression by a new one.
func (m *mutator) regrow(r *dsl.Rule) string {
	s, ok := m.pick(sitesOf(m.vocabulary, r), func(site) bool { return true })
	if !ok {
		return ""
	}
	*s.at = m.grower(s.locals).expr(s.typ, 1+m.rng.IntN(3))
	return "regrow"
}

// pick draws one of the sites that fit.
func (m *mutator) pick(sites []site, fit func(site) bool) (site, bool) {
	var ok []site
	for _, s := range sites {
		if fit(s) {
			ok = append(ok, s)
		}
	}
	if len(ok) == 0 {
		return site{}, false
	}
	return ok[m.rng.IntN(len(ok))], true
}

func (m *mutator) swapOperator(r *dsl.Rule) string {
	s, ok := m.pick(sitesOf(m.vocabulary, r), func(s site) bool {
		switch (*s.at).(type) {
		case *dsl.Binary, *dsl.Call:
			return true
		}
		return false
	})
	if !ok {
		return ""
	}
	switch e := (*s.at).(type) {
	case *dsl.Binary:
		return m.swapBinary(e)
	case *dsl.Call:
		return m.swapCall(s, e)
	}
	return ""
}

func (m *mutator) swapBinary(e *dsl.Binary) string {
	var kin []dsl.Op
	switch e.Op {
	case dsl.Add, dsl.Sub, dsl.Mul, dsl.Div:
		kin = []dsl.Op{dsl.Add, dsl.Sub, dsl.Mul, dsl.Div}
	case dsl.Lt, dsl.Le, dsl.Gt, dsl.Ge:
		kin = []dsl.Op{dsl.Lt, dsl.Le, dsl.Gt, dsl.Ge}
	case dsl.And, dsl.Or:
		kin = []dsl.Op{dsl.And, dsl.Or}
	case dsl.Eq, dsl.Ne:
		kin = []dsl.Op{dsl.Eq, dsl.Ne}
	default:
		return ""
	}
	old := e.Op
	if (old == dsl.Sub || old == dsl.Div) && m.rng.IntN(3) == 0 {
		e.X, e.Y = e.Y, e.X
		return "swap operands"
	}
	if e.Op = kin[m.rng.IntN(len(kin))]; e.Op == old {
		return ""
	}
	return "operator"
}

func (m *mutator) swapCall(s site, e *dsl.Call) string {
	switch len(e.Args) {
	case 1:
		if m.rng.IntN(2) == 0 {
			*s.at = e.Args[0]
			return "unwrap"
		}
		names := [...]string{"abs", "tanh", "sqrt", "log1p", "exp", "floor"}
		e.Fn.Text = names[m.rng.IntN(len(names))]
		return "function"
	case 2:
		switch e.Fn.Text {
		case "min":
			e.Fn.Text = "max"
			return "function"
		case "max":
			e.Fn.Text = "min"
			return "function"
		}
	}
	return ""
}

// guards are the positions of the if statements among the rule's own statements.
func guards(r *dsl.Rule) []int {
	var at []int
	for i, s := range r.Body.Stmts {
		if _, ok := s.(*dsl.If); ok {
			at = append(at, i)
		}
	}
	return at
}

// insert puts a statement before position i of the rule's own statements.
func insert(r *dsl.Rule, i int, s dsl.Stmt) {
	stmts := append(r.Body.Stmts[:i:i], s)
	r.Body.Stmts = append(stmts, r.Body.Stmts[i:]...)
}

func (m *mutator) insertGuard(r *dsl.Rule) string {
	i := m.rng.IntN(len(r.Body.Stmts))
	insert(r, i, m.grower(m.scope(r, i)).guard(m.sig.Result))
	return "insert guard"
}

// scope lists the locals that the statements before i declare.
func (m *mutator) scope(r *dsl.Rule, i int) []local {
	w := newSiteWalker(m.vocabulary)
	var locals []local
	for _, s := range r.Body.Stmts[:i] {
		if let, ok := s.(*dsl.Let); ok {
			t := w.typeOf(let.Value)
			w.kinds[let.Name.Text] = t
			locals = append(locals, local{let.Name.Text, t.Kind})
		}
	}
	return locals
}

// copyGuard repeats a guard with other constants, as the next step of a staircase.
func (m *mutator) copyGuard(r *dsl.Rule) string {
	at := guards(r)
	if len(at) == 0 {
		return ""
	}
	i := at[m.rng.IntN(len(at))]
	twin := dsl.CloneStmt(r.Body.Stmts[i])
	probe := &dsl.Rule{Body: &dsl.Block{Stmts: []dsl.Stmt{twin}}}
	if m.nudge(probe) == "" {
		return ""
	}
	m.nudge(probe)
	insert(r, i+m.rng.IntN(2), twin)
	return "copy guard"
}

func (m *mutator) dropStatement(r *dsl.Rule) string {
	if len(r.Body.Stmts) < 2 {
		return ""
	}
	i := m.rng.IntN(len(r.Body.Stmts) - 1)
	if _, ok := r.Body.Stmts[i].(*dsl.If); !ok {
		return ""
	}
	r.Body.Stmts = append(r.Body.Stmts[:i:i], r.Body.Stmts[i+1:]...)
	return "drop guard"
}

func (m *mutator) swapStatements(r *dsl.Rule) string {
	at := guards(r)
	if len(at) < 2 {
		return ""
	}
	i, j := at[m.rng.IntN(len(at))], at[m.rng.IntN(len(at))]
	if i == j {
		return ""
	}
	r.Body.Stmts[i], r.Body.Stmts[j] = r.Body.Stmts[j], r.Body.Stmts[i]
	return "swap guards"
}

// wrap puts an expression into a larger one that contains it.
func (m *mutator) wrap(r *dsl.Rule) string {
	s, ok := m.pick(sitesOf(m.vocabulary, r), func(s site) bool { return s.typ.Kind == dsl.NumKind })
	if !ok {
		return ""
	}
	g, e := m.grower(s.locals), *s.at
	switch m.rng.IntN(4) {
	case 0:
		*s.at = &dsl.Cond{If: g.bool(1), Then: e, Else: g.num(2)}
	case 1:
		*s.at = &dsl.Binary{Op: dsl.Add, X: e, Y: &dsl.Binary{Op: dsl.Mul, X: constant(m.rng, 1, false), Y: g.num(2)}}
	case 2:
		*s.at = &dsl.Binary{Op: dsl.Add, X: e, Y: &dsl.Cond{If: g.bool(1), Then: constant(m.rng, 1, false), Else: &dsl.Num{}}}
	default:
		*s.at = call("min", e, g.num(1))
		if m.rng.IntN(2) == 0 {
			(*s.at).(*dsl.Call).Fn.Text = "max"
		}
	}
	return "wrap"
}

// hoist replaces an expression by a part of it.
func (m *mutator) hoist(r *dsl.Rule) string {
	s, ok := m.pick(sitesOf(m.vocabulary, r), func(s site) bool { return dsl.Ops(*s.at) > 0 })
	if !ok {
		return ""
	}
	for _, kid := range children(*s.at) {
		if m.rng.IntN(2) == 0 && m.sameKind(kid, s) {
			*s.at = kid
			return "hoist"
		}
	}
	return ""
}

// sameKind reports whether a child of the site may take its place.
func (m *mutator) sameKind(kid dsl.Expr, s site) bool {
	w := newSiteWalker(m.vocabulary)
	for _, l := range s.locals {
		w.kinds[l.name] = dsl.Type{Kind: l.kind}
	}
	return w.typeOf(kid).Kind == s.typ.Kind && s.typ.Kind != dsl.WordKind
}

func children(e dsl.Expr) []dsl.Expr {
	switch e := e.(type) {
	case *dsl.Unary:
		return []dsl.Expr{e.X}
	case *dsl.Binary:
		return []dsl.Expr{e.X, e.Y}
	case *dsl.Cond:
		return []dsl.Expr{e.Then, e.Else}
	case *dsl.Call:
		return e.Args
	}
	return nil
}

// cross replaces an expression by one of its type from the mate.
func (m *mutator) cross(r, mate *dsl.Rule) string {
	if mate == nil {
		return ""
	}
	to, ok := m.pick(sitesOf(m.vocabulary, r), func(site) bool { return true })
	if !ok {
		return ""
	}
	from, ok := m.pick(sitesOf(m.vocabulary, mate), func(s site) bool {
		return s.typ.Kind == to.typ.Kind && len(s.locals) == 0 && dsl.Ops(*s.at) > 0
	})
	if !ok {
		return ""
	}
	*to.at = dsl.CloneExpr(*from.at)
	return "crossover"
}

// graftGuard inserts a guard of the mate.
func (m *mutator) graftGuard(r, mate *dsl.Rule) string {
	if mate == nil {
		return ""
	}
	at := guards(mate)
	if len(at) == 0 {
		return ""
	}
	insert(r, m.rng.IntN(len(r.Body.Stmts)), dsl.CloneStmt(mate.Body.Stmts[at[m.rng.IntN(len(at))]]))
	return "graft guard"
}
