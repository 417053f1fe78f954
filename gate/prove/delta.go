package prove

import (
	"math"

	"github.com/agentdescent/adrun/gate/interval"
)

// rng is a range of real numbers. Operations round outwards; 0·∞ is 0, as a limit of slopes.
type rng struct{ lo, hi float64 }

var unbounded = rng{math.Inf(-1), math.Inf(1)}

func (a rng) isZero() bool { return a.lo == 0 && a.hi == 0 }

func (a rng) add(b rng) rng { return rng{addDown(a.lo, b.lo), addUp(a.hi, b.hi)}.checked() }
func (a rng) neg() rng      { return rng{-a.hi, -a.lo} }
func (a rng) sub(b rng) rng { return a.add(b.neg()) }

func (a rng) hull(b rng) rng { return rng{math.Min(a.lo, b.lo), math.Max(a.hi, b.hi)} }

func (a rng) meet(b rng) rng { return rng{math.Max(a.lo, b.lo), math.Min(a.hi, b.hi)} }

func (a rng) mul(b rng) rng {
	if a.isZero() || b.isZero() {
		return rng{}
	}
	out := rng{math.Inf(1), math.Inf(-1)}
	for _, x := range [2]float64{a.lo, a.hi} {
		for _, y := range [2]float64{b.lo, b.hi} {
			if x == 0 || y == 0 {
				out = out.hull(rng{})
				continue
			}
			out = out.hull(rng{mulDown(x, y), mulUp(x, y)})
		}
	}
	return out.checked()
}

// inverse is 1/a, unbounded if a is zero or may change sign; at an end that is zero it is infinite.
func (a rng) inverse() rng {
	if a.lo < 0 && a.hi > 0 || a.isZero() {
		return unbounded
	}
	lo, hi := 1/a.hi, 1/a.lo
	switch {
	case a.lo == 0:
		hi = math.Inf(1)
	case a.hi == 0:
		lo = math.Inf(-1)
	}
	return rng{math.Nextafter(lo, math.Inf(-1)), math.Nextafter(hi, math.Inf(1))}.sameSign(a)
}

// sameSign keeps a bound that rounded past zero at zero: an inverse has the sign of its operand.
func (a rng) sameSign(b rng) rng {
	if b.lo >= 0 {
		a.lo = math.Max(a.lo, 0)
	}
	if b.hi <= 0 {
		a.hi = math.Min(a.hi, 0)
	}
	return a
}

// checked replaces the NaN of ∞-∞ by no bound.
func (a rng) checked() rng {
	if a.lo != a.lo {
		a.lo = math.Inf(-1)
	}
	if a.hi != a.hi {
		a.hi = math.Inf(1)
	}
	return a
}

// delta encloses the difference of two values: slope·(x2-x1) + rest.
type delta struct{ slope, rest rng }

func (d delta) add(e delta) delta { return delta{d.slope.add(e.slope), d.rest.add(e.rest)} }
func (d delta) times(k rng) delta { return delta{d.slope.mul(k), d.rest.mul(k)} }
func (d delta) hull(e delta) delta {
	return delta{d.slope.hull(e.slope), d.rest.hull(e.rest)}
}

// value bounds the difference for a step of x within dx ≥ 0.
func (d delta) value(dx rng) rng { return d.slope.mul(dx).add(d.rest) }

// differ computes differences of nodes of the program at x2 and nodes of the same program at x1.
// It takes operations for the real ones, for a shape contract concerns the real function. What
// rounding adds is below the contract's tolerance unless terms cancel that are far greater than the result.
type differ struct {
	*state
	x1, x2 int32
	fuel   int
}

// of is the range of a node's values, unbounded if it may be NaN.
func (d *differ) of(id int32) rng {
	v := d.vals[id]
	if n := &d.nodes[id]; n.op == opConst {
		return rng{n.val, n.val}
	}
	if v.NaN || v.IsEmpty() {
		return unbounded
	}
	return rng{v.Lo, v.Hi}
}

// apart is the difference of two nodes of which nothing but their ranges is known.
func (d *differ) apart(p, q int32) delta { return delta{rest: d.of(p).sub(d.of(q))} }

// delta encloses p - q.
func (d *differ) delta(p, q int32) delta {
	switch {
	case p == q:
		return delta{}
	case p == d.x2 && q == d.x1:
		return delta{slope: rng{1, 1}}
	}
	if d.fuel--; d.fuel < 0 {
		return d.apart(p, q)
	}
	a, b := &d.nodes[p], &d.nodes[q]
	if a.op.isLinear() || b.op.isLinear() {
		return d.sums(p, q)
	}
	if a.op != b.op {
		return d.apart(p, q)
	}
	switch a.op {
	case opMul:
		return d.product(a, b)
	case opDiv:
		return d.quotient(a, b)
	case opMin, opMax, opAnd, opOr:
		return d.extreme(a, b)
	case opLt, opLe: // true more often as b - a grows
		return d.steps(p, q, d.delta(a.b, b.b).add(d.delta(a.a, b.a).times(rng{-1, -1})))
	case opNot:
		return d.delta(a.a, b.a).times(rng{-1, -1})
	case opPow:
		return d.power(p, q)
	case opInput, opConst, opPhi, opMod, opEq, opNe:
		return d.apart(p, q)
	}
	inner := d.delta(a.a, b.a)
	if a.op == opFloor || a.op == opCeil {
		return d.steps(p, q, inner)
	}
	return inner.times(d.factor(a.op, p, q))
}

func (o op) isLinear() bool { return o == opAdd || o == opSub || o == opNeg }

// factor is the range of (f(u)-f(v))/(u-v) for the functions of one operand.
func (d *differ) factor(o op, p, q int32) rng {
	u, v := d.of(d.nodes[p].a), d.of(d.nodes[q].a)
	both := u.hull(v)
	val := d.of(p).hull(d.of(q))
	switch o {
	case opSquare:
		return u.add(v)
	case opCube:
		return rng{0, math.Inf(1)}.meet(u.mul(u).add(u.mul(v)).add(v.mul(v)))
	case opSqrt:
		return d.of(p).add(d.of(q)).inverse().meet(rng{0, math.Inf(1)})
	case opLog:
		return positive(both).inverse()
	case opLog1p:
		return positive(both.add(rng{1, 1})).inverse()
	case opExp:
		return val
	case opTanh:
		m := math.Max(math.Abs(val.lo), math.Abs(val.hi))
		return rng{math.Max(0, addDown(1, -m*m)), 1}
	case opAbs:
		switch {
		case both.lo >= 0:
			return rng{1, 1}
		case both.hi <= 0:
			return rng{-1, -1}
		}
		return rng{-1, 1}
	}
	return unbounded
}

// positive is the part of a range on which a logarithm is defined, unbounded if it leaves it.
func positive(a rng) rng {
	if a.lo < 0 {
		return unbounded
	}
	return a
}

// steps is the difference of a rounded value: monotone, with jumps.
func (d *differ) steps(p, q int32, inner delta) delta {
	out := d.apart(p, q)
	step := inner.value(d.dx())
	if step.lo >= 0 {
		out.rest.lo = math.Max(out.rest.lo, 0)
	}
	if step.hi <= 0 {
		out.rest.hi = math.Min(out.rest.hi, 0)
	}
	return out
}

// dx is the range of x2 - x1.
func (d *differ) dx() rng {
	gap := 0.0
	if d.nodes[d.x1].whole {
		gap = 1
	}
	return d.of(d.x2).sub(d.of(d.x1)).meet(rng{gap, math.Inf(1)})
}

// product encloses pa·pb - qa·qb by either telescoping; where both are pure slopes both hold.
func (d *differ) product(p, q *node) delta {
	pa, pb, qa, qb := p.a, p.b, q.a, q.b
	if crossed(d.nodes, pa, pb, qa, qb) {
		qa, qb = qb, qa
	}
	da, db := d.delta(pa, qa), d.delta(pb, qb)
	one := db.times(d.of(pa)).add(da.times(d.of(qb)))
	two := db.times(d.of(qa)).add(da.times(d.of(pb)))
	if one.rest.isZero() && two.rest.isZero() {
		one.slope = one.slope.meet(two.slope)
	}
	return one
}

// crossed reports that the operands of two products correspond crosswise.
func crossed(nodes []node, pa, pb, qa, qb int32) bool {
	if pa == qa || pb == qb {
		return false
	}
	return pa == qb || pb == qa || nodes[pa].op != nodes[qa].op && nodes[pa].op == nodes[qb].op
}

// quotient encloses pa/pb - qa/qb where neither denominator is zero.
func (d *differ) quotient(p, q *node) delta {
	pb, qb := d.of(p.b), d.of(q.b)
	if !sameSide(pb, qb) {
		return delta{rest: unbounded}
	}
	da, db := d.delta(p.a, q.a), d.delta(p.b, q.b)
	inv := pb.mul(qb).inverse()
	if s, ok := d.correlated(q, da, db); ok {
		return delta{slope: s.mul(inv)}
	}
	if db == (delta{}) {
		return da.times(pb.inverse())
	}
	one := da.times(pb.inverse()).add(db.times(d.of(q.a)).times(inv.neg()))
	two := da.times(qb.inverse()).add(db.times(d.of(p.a)).times(inv.neg()))
	if one.rest.isZero() && two.rest.isZero() {
		one.slope = one.slope.meet(two.slope)
	}
	return one
}

// sameSide reports that both ranges lie strictly on one side of zero.
func sameSide(a, b rng) bool { return a.lo > 0 && b.lo > 0 || a.hi < 0 && b.hi < 0 }

// correlated is the range of sa·b - sb·a for a quotient whose operands are straight lines in x
// with slopes sa and sb: the derivative's numerator, in which equal terms cancel.
func (d *differ) correlated(q *node, da, db delta) (rng, bool) {
	if !da.rest.isZero() || !db.rest.isZero() || da.slope.lo != da.slope.hi || db.slope.lo != db.slope.hi || db.slope.isZero() {
		return rng{}, false
	}
	l, ok := d.combine(d.form(q.b), da.slope.lo, d.form(q.a), -db.slope.lo)
	if !ok {
		return rng{}, false
	}
	lo, hi := d.span(&l)
	for _, b := range d.boundsOf(l) {
		l, h := d.bound(&b)
		lo, hi = math.Max(lo, l), math.Min(hi, h)
	}
	return rng{lo, hi}, true
}

// extreme encloses the difference of two minima or maxima, of which conjunction and disjunction
// are the like for truth values: it lies between those of their operands.
func (d *differ) extreme(p, q *node) delta {
	pa, pb, qa, qb := p.a, p.b, q.a, q.b
	if crossed(d.nodes, pa, pb, qa, qb) {
		qa, qb = qb, qa
	}
	da, db := d.delta(pa, qa), d.delta(pb, qb)
	first, second := d.wins(p.op, pa, pb, qa, qb), d.wins(p.op, pb, pa, qb, qa)
	switch {
	case first:
		return da
	case second:
		return db
	}
	return da.hull(db)
}

// wins reports that the first operand is the extreme one in both copies.
func (d *differ) wins(o op, pa, pb, qa, qb int32) bool {
	a, b, c, e := d.of(pa), d.of(pb), d.of(qa), d.of(qb)
	if o == opMin || o == opAnd {
		return a.hi <= b.lo && c.hi <= e.lo
	}
	return a.lo >= b.hi && c.lo >= e.hi
}

// power encloses the difference of two powers with one exponent, by the mean value theorem.
func (d *differ) power(p, q int32) delta {
	a, b := &d.nodes[p], &d.nodes[q]
	base, exponent := d.of(a.a).hull(d.of(b.a)), d.of(a.b)
	if a.a == b.a && base.lo > 0 { // pow(c, y): the slope in y is log c times the value
		l := interval.Log(interval.Of(base.lo, base.hi))
		return d.delta(a.b, b.b).times(rng{l.Lo, l.Hi}.mul(d.of(p).hull(d.of(q))))
	}
	if a.b != b.b {
		return d.apart(p, q)
	}
	if exponent.lo < 0 && base.lo < 0 && base.hi > 0 { // the theorem does not reach across the pole
		return d.apart(p, q)
	}
	less := exponent.sub(rng{1, 1})
	if exponent.lo == exponent.hi {
		less = rng{exponent.lo - 1, exponent.lo - 1}
	}
	slope := interval.Pow(interval.Of(base.lo, base.hi), interval.Of(less.lo, less.hi))
	if slope.NaN {
		return d.apart(p, q)
	}
	return d.delta(a.a, b.a).times(exponent.mul(rng{slope.Lo, slope.Hi}))
}

// scaledNode is a term of a flattened sum.
type scaledNode struct {
	node int32
	coef float64
}

// sums encloses the difference of two sums: equal terms cancel, terms of one operation are paired.
func (d *differ) sums(p, q int32) delta {
	ps := d.flatten(nil, p, 1, maxFlat)
	qs := d.flatten(nil, q, 1, maxFlat)
	out := delta{}
	for i := range ps {
		for j := range qs {
			if ps[i].node == qs[j].node && qs[j].coef != 0 {
				ps[i].coef, qs[j].coef = cancel(ps[i].coef, qs[j].coef)
			}
		}
	}
	for i := range ps {
		if j := d.partner(ps[i], qs); j >= 0 {
			out = out.add(d.delta(ps[i].node, qs[j].node).times(rng{ps[i].coef, ps[i].coef}))
			ps[i].coef, qs[j].coef = 0, 0
		}
	}
	for _, t := range ps {
		out.rest = out.rest.add(d.of(t.node).mul(rng{t.coef, t.coef}))
	}
	for _, t := range qs {
		out.rest = out.rest.sub(d.of(t.node).mul(rng{t.coef, t.coef}))
	}
	return out
}

// cancel takes equal coefficients of one node away; others it leaves, where it could round.
func cancel(a, b float64) (float64, float64) {
	if a == b {
		return 0, 0
	}
	return a, b
}

// partner finds the term of qs that corresponds to t, -1 if none does.
func (d *differ) partner(t scaledNode, qs []scaledNode) int {
	if t.coef == 0 {
		return -1
	}
	for j, u := range qs {
		if u.coef != t.coef {
			continue
		}
		if t.node == d.x2 && u.node == d.x1 {
			return j
		}
		if a, b := d.nodes[t.node].op, d.nodes[u.node].op; a == b && a > opPhi {
			return j
		}
	}
	return -1
}

// maxFlat bounds the terms of a flattened sum.
const maxFlat = 32

// flatten appends the terms of coef·id.
func (d *differ) flatten(out []scaledNode, id int32, coef float64, limit int) []scaledNode {
	n := &d.nodes[id]
	if len(out) < limit {
		switch n.op {
		case opAdd:
			return d.flatten(d.flatten(out, n.a, coef, limit), n.b, coef, limit)
		case opSub:
			return d.flatten(d.flatten(out, n.a, coef, limit), n.b, -coef, limit)
		case opNeg:
			return d.flatten(out, n.a, -coef, limit)
		case opMul:
			x, k := n.a, n.b
			if d.nodes[x].op == opConst {
				x, k = k, x
			}
			if c := d.nodes[k]; c.op == opConst {
				if prod, ok := exactSum(coef, c.val, 0, 1); ok && prod != 0 {
					return d.flatten(out, x, prod, limit)
				}
			}
		case opDiv:
			if c := d.nodes[n.b]; c.op == opConst && c.val != 0 {
				inv := 1 / c.val
				if prod, ok := exactSum(coef, inv, 0, 1); ok && inv*c.val == 1 && math.FMA(inv, c.val, -1) == 0 {
					return d.flatten(out, n.a, prod, limit)
				}
			}
		}
	}
	for i := range out {
		if out[i].node == id {
			if sum, ok := exactSum(out[i].coef, 1, coef, 1); ok {
				out[i].coef = sum
				return out
			}
		}
	}
	return append(out, scaledNode{id, coef})
}
