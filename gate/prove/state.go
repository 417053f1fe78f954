package prove

import (
	"math"

	"github.com/agentdescent/adrun/gate/interval"
)

// state is what is known about the nodes of a graph on one path through a rule, for one box.
// Narrowing is recorded, so that it can be undone when the path is left.
type state struct {
	*graph
	vals  []interval.Value
	trail []saved
	// live are the nodes computed on the path, in order; holds are the conditions that the path
	// has taken for true or false.
	live  []int32
	holds []held
	// dirty marks the nodes that were narrowed and whose readers were not yet told.
	dirty   []bool
	touched []int32
	// fuel bounds the work of one narrowing.
	fuel int
}

type saved struct {
	node int32
	val  interval.Value
}

type held struct {
	cond int32
	want bool
}

// mark is a moment to return to.
type mark struct {
	trail, live, holds int
}

func (s *state) mark() mark { return mark{len(s.trail), len(s.live), len(s.holds)} }

// undo forgets everything since m.
func (s *state) undo(m mark) {
	for i := len(s.trail) - 1; i >= m.trail; i-- {
		s.vals[s.trail[i].node] = s.trail[i].val
	}
	s.trail = s.trail[:m.trail]
	s.live = s.live[:m.live]
	s.holds = s.holds[:m.holds]
	s.clean()
}

func (s *state) clean() {
	for _, id := range s.touched {
		s.dirty[id] = false
	}
	s.touched = s.touched[:0]
}

// reset prepares the state for a graph.
func (s *state) reset(g *graph) {
	s.graph = g
	n := len(g.nodes)
	if cap(s.vals) < n {
		s.vals = make([]interval.Value, n, 2*n)
		s.dirty = make([]bool, n, 2*n)
	}
	s.vals, s.dirty = s.vals[:n], s.dirty[:n]
	clear(s.dirty)
	s.trail, s.live, s.holds, s.touched = s.trail[:0], s.live[:0], s.holds[:0], s.touched[:0]
}

// define computes a node for the first time on this path.
func (s *state) define(id int32) {
	n := &s.nodes[id]
	if n.op == opConst {
		s.vals[id] = interval.Point(n.val)
		return
	}
	s.vals[id] = s.eval(n)
	s.live = append(s.live, id)
}

// eval computes a node from its operands and its linear bounds.
func (s *state) eval(n *node) interval.Value {
	var a, b interval.Value
	a = s.vals[n.a]
	if n.b != none {
		b = s.vals[n.b]
	}
	v := apply(n, a, b)
	if n.bounds == nil {
		return v
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	for i := range n.bounds {
		l, h := s.bound(&n.bounds[i])
		lo, hi = math.Max(lo, l), math.Min(hi, h)
	}
	return conclude(n, a, b, v, lo, hi)
}

// conclude uses that the node's linear form lies in [lo, hi].
func conclude(n *node, a, b, v interval.Value, lo, hi float64) interval.Value {
	switch n.op {
	case opLe, opLt, opEq, opNe:
		return concludeCompare(n, a, b, v, lo, hi)
	case opDiv:
		return concludeRatio(a, b, v, lo, hi)
	}
	v.Lo, v.Hi = math.Max(v.Lo, lo), math.Min(v.Hi, hi)
	return v
}

// concludeRatio bounds a quotient a/b = 1 - (b-a)/b, where b - a is in [lo, hi] and b > 0.
func concludeRatio(a, b, v interval.Value, lo, hi float64) interval.Value {
	if a.NaN || b.NaN || b.Lo <= 0 {
		return v
	}
	if lo >= 0 {
		gap := interval.Div(interval.Point(lo), interval.Point(b.Hi))
		v.Hi = math.Min(v.Hi, addUp(1, -math.Max(0, math.Nextafter(gap.Lo, math.Inf(-1)))))
	}
	if hi <= 0 {
		v.Lo = math.Max(v.Lo, 1)
	}
	return v
}

// concludeCompare decides a comparison of values whose forms differ by b - a in [lo, hi].
func concludeCompare(n *node, a, b, v interval.Value, lo, hi float64) interval.Value {
	if a.NaN || b.NaN {
		return v
	}
	switch n.op {
	case opLe:
		if lo >= 0 {
			return interval.Truth(true)
		}
		if hi < 0 && n.exact {
			return interval.Truth(false)
		}
	case opLt:
		if hi <= 0 {
			return interval.Truth(false)
		}
		if lo > 0 && n.exact {
			return interval.Truth(true)
		}
	case opEq, opNe:
		if lo == 0 && hi == 0 {
			return interval.Truth(n.op == opEq)
		}
		if n.exact && (lo > 0 || hi < 0) {
			return interval.Truth(n.op == opNe)
		}
	}
	return v
}

// bound evaluates a bounding form; a side that it does not bound is infinite.
func (s *state) bound(b *bound) (lo, hi float64) {
	lo, hi = s.span(&b.form)
	if !b.lower {
		lo = math.Inf(-1)
	}
	if !b.upper {
		hi = math.Inf(1)
	}
	return lo, hi
}

// span returns the range of a linear form, rounded outwards; everything if a node may not be finite.
func (s *state) span(l *linear) (lo, hi float64) {
	for _, id := range l.need {
		if !s.vals[id].Finite() {
			return math.Inf(-1), math.Inf(1)
		}
	}
	lo, hi = l.c, l.c
	for _, t := range l.terms {
		v := &s.vals[t.node]
		a, b := v.Lo, v.Hi
		if t.coef < 0 {
			a, b = b, a
		}
		lo, hi = addDown(lo, mulDown(t.coef, a)), addUp(hi, mulUp(t.coef, b))
	}
	if !interval.Of(lo, hi).Finite() || lo != lo || hi != hi {
		return math.Inf(-1), math.Inf(1) // a partial sum overflowed
	}
	return lo, hi
}

// set replaces a node's value, remembering the old one.
func (s *state) set(id int32, v interval.Value) {
	s.trail = append(s.trail, saved{id, s.vals[id]})
	s.vals[id] = v
	if !s.dirty[id] {
		s.dirty[id] = true
		s.touched = append(s.touched, id)
	}
}

// narrow says that a node's value lies in [lo, hi] and is not NaN, and what follows for its
// operands. It reports false if that cannot be.
func (s *state) narrow(id int32, lo, hi float64) bool {
	v, n := s.vals[id], &s.nodes[id]
	lo, hi = math.Max(lo, v.Lo), math.Min(hi, v.Hi)
	if n.whole {
		lo, hi = math.Ceil(lo), math.Floor(hi)
	}
	if lo > hi {
		return false
	}
	if lo == v.Lo && hi == v.Hi && !v.NaN {
		return true
	}
	if n.op == opConst {
		return true
	}
	v.Lo, v.Hi, v.NaN = lo, hi, false
	s.set(id, v)
	if s.fuel--; s.fuel < 0 {
		return true
	}
	return s.backward(n, lo, hi)
}

// decide says that a condition is true or false on this path.
func (s *state) decide(cond int32, want bool) bool {
	n := &s.nodes[cond]
	if v := s.vals[cond]; n.op == opConst || n.op == opPhi || n.op == opInput {
		if want {
			return v.Hi == 1 && s.narrow(cond, 1, 1)
		}
		return v.Lo == 0 && s.narrow(cond, 0, 0)
	}
	v := interval.Truth(want)
	if s.vals[cond].Lo > v.Lo || s.vals[cond].Hi < v.Hi {
		return false
	}
	if s.vals[cond] != v {
		s.set(cond, v)
	}
	switch n.op {
	case opNot:
		return s.decide(n.a, !want)
	case opAnd:
		return s.decideBoth(n, want, true)
	case opOr:
		return s.decideBoth(n, want, false)
	}
	return s.decideCompare(n, want)
}

// decideBoth handles a conjunction (all is true) or disjunction: where the result settles both
// operands they follow, else the last undecided one does.
func (s *state) decideBoth(n *node, want, all bool) bool {
	if want == all {
		return s.decide(n.a, want) && s.decide(n.b, want)
	}
	other := interval.Truth(all)
	a, b := s.vals[n.a], s.vals[n.b]
	switch {
	case a.Lo == other.Lo && a.Hi == other.Hi:
		return s.decide(n.b, want)
	case b.Lo == other.Lo && b.Hi == other.Hi:
		return s.decide(n.a, want)
	}
	return true
}

// decideCompare narrows the operands of a comparison. One that is false says nothing about an
// operand that may be NaN.
func (s *state) decideCompare(n *node, want bool) bool {
	a, b := s.vals[n.a], s.vals[n.b]
	maybeNaN := a.NaN || b.NaN
	switch n.op {
	case opEq, opNe:
		if (n.op == opEq) == want {
			return s.narrow(n.a, b.Lo, b.Hi) && s.narrow(n.b, a.Lo, a.Hi)
		}
		return maybeNaN || s.differ(n.a, n.b) && s.differ(n.b, n.a)
	case opLt, opLe:
		if want {
			return s.below(n.a, n.b, n.op == opLt)
		}
		return maybeNaN || s.below(n.b, n.a, n.op == opLe)
	}
	return true
}

// below narrows a <= b, or a < b: between neighbouring floats there is nothing.
func (s *state) below(a, b int32, strict bool) bool {
	lo, hi := s.vals[a].Lo, s.vals[b].Hi
	if strict {
		lo, hi = math.Nextafter(lo, math.Inf(1)), math.Nextafter(hi, math.Inf(-1))
		if s.vals[a].Lo == math.Inf(1) || s.vals[b].Hi == math.Inf(-1) {
			return false
		}
	}
	return s.narrow(a, math.Inf(-1), hi) && s.narrow(b, lo, math.Inf(1))
}

// differ removes the value of a, if it is one number, from an end of b.
func (s *state) differ(a, b int32) bool {
	x, y := s.vals[a], s.vals[b]
	if x.Lo != x.Hi {
		return true
	}
	lo, hi := y.Lo, y.Hi
	if lo == x.Lo {
		lo = math.Nextafter(lo, math.Inf(1))
	}
	if hi == x.Lo {
		hi = math.Nextafter(hi, math.Inf(-1))
	}
	return s.narrow(b, lo, hi)
}

// forward recomputes what reads a narrowed node. It reports false if a value became impossible.
func (s *state) forward() bool {
	if len(s.touched) == 0 {
		return true
	}
	for _, id := range s.live {
		n := &s.nodes[id]
		if n.op <= opPhi || !s.dirty[n.a] && (n.b == none || !s.dirty[n.b]) {
			continue
		}
		old, v := s.vals[id], s.eval(n)
		v.Lo, v.Hi = math.Max(v.Lo, old.Lo), math.Min(v.Hi, old.Hi)
		v.NaN, v.NegZero = v.NaN && old.NaN, v.NegZero && old.NegZero
		if v.Lo > v.Hi && !v.NaN {
			s.clean()
			return false
		}
		if v != old {
			s.set(id, v)
		}
	}
	s.clean()
	return true
}

// take follows a condition onto one side of a branch.
func (s *state) take(cond int32, want bool, sharpen []sharpened) bool {
	s.holds = append(s.holds, held{cond, want})
	s.fuel = narrowFuel
	if !s.decide(cond, want) || !s.forward() {
		return false
	}
	for i := range sharpen {
		sh := &sharpen[i]
		lo, hi := s.bound(&sh.bound)
		n := &s.nodes[sh.node]
		old := s.vals[sh.node]
		v := conclude(n, s.vals[n.a], s.operand(n.b), old, lo, hi)
		if v.Lo > v.Hi && !v.NaN {
			return false
		}
		if v != old {
			s.set(sh.node, v)
		}
	}
	return s.forward()
}

func (s *state) operand(id int32) interval.Value {
	if id == none {
		return interval.Value{}
	}
	return s.vals[id]
}

// narrowFuel bounds how many nodes one condition may narrow backwards.
const narrowFuel = 256

// propagate repeats what the path's conditions say until nothing narrows, for a few rounds.
func (s *state) propagate() bool {
	for round := 0; round < 3; round++ {
		if !s.forward() {
			return false
		}
		before := len(s.trail)
		for _, h := range s.holds {
			s.fuel = narrowFuel
			if !s.decideAgain(h) {
				return false
			}
		}
		if len(s.trail) == before {
			return true
		}
	}
	return s.forward()
}

// decideAgain narrows by a condition that is already known to hold.
func (s *state) decideAgain(h held) bool {
	n := &s.nodes[h.cond]
	switch n.op {
	case opNot:
		return s.decideAgain(held{n.a, !h.want})
	case opAnd, opOr:
		return s.decideBoth(n, h.want, n.op == opAnd)
	case opConst, opPhi, opInput:
		return true
	}
	return s.decideCompare(n, h.want)
}
