package prove

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/gate/interval"
)

// suspect follows a node that may turn finite operands into a value that is not finite.
func (r *runner) suspect(id int32) {
	n := &r.nodes[id]
	if n.truth || r.vals[id].Finite() || !r.vals[n.a].Finite() || n.b != none && !r.vals[n.b].Finite() {
		return
	}
	r.blame |= n.deps
	if r.task.claim != claimFinite {
		return
	}
	for _, g := range r.goals(n) {
		if r.left--; r.left < 0 || r.found {
			return
		}
		m := r.mark()
		r.fuel = narrowFuel
		ok := true
		for _, w := range g {
			ok = ok && r.narrow(w.node, w.lo, w.hi)
		}
		if ok && r.propagate() {
			r.follow()
		}
		r.undo(m)
	}
}

// want is a range that a node must reach to break the claim.
type want struct {
	node   int32
	lo, hi float64
}

// tiny is the smallest positive number.
const tiny = math.SmallestNonzeroFloat64

// goals returns ways in which a node's operands can break it, the likeliest first.
func (r *runner) goals(n *node) [][]want {
	ninf, inf := math.Inf(-1), math.Inf(1)
	switch n.op {
	case opDiv, opMod:
		return [][]want{{{n.b, 0, 0}}, {r.nearZero(n.b), r.largest(n.a)}}
	case opSqrt:
		return [][]want{{{n.a, ninf, -tiny}}}
	case opLog:
		return [][]want{{{n.a, ninf, 0}}}
	case opLog1p:
		return [][]want{{{n.a, ninf, -1}}}
	case opPow:
		return [][]want{
			{{n.a, 0, 0}, {n.b, ninf, -tiny}},
			{{n.a, ninf, -tiny}},
			{r.largest(n.a), {n.b, r.vals[n.b].Hi, inf}},
			{r.nearZero(n.a), {n.b, ninf, r.vals[n.b].Lo}},
		}
	case opExp:
		return [][]want{{{n.a, r.vals[n.a].Hi, inf}}}
	case opAdd:
		a, b := r.vals[n.a], r.vals[n.b]
		return [][]want{{{n.a, a.Hi, inf}, {n.b, b.Hi, inf}}, {{n.a, ninf, a.Lo}, {n.b, ninf, b.Lo}}}
	case opSub:
		a, b := r.vals[n.a], r.vals[n.b]
		return [][]want{{{n.a, a.Hi, inf}, {n.b, ninf, b.Lo}}, {{n.a, ninf, a.Lo}, {n.b, b.Hi, inf}}}
	case opMul:
		return [][]want{{r.largest(n.a), r.largest(n.b)}}
	case opSquare, opCube:
		return [][]want{{r.largest(n.a)}}
	}
	return nil
}

// largest is the end of a node's range that is farthest from zero, nearZero the nearest number.
func (r *runner) largest(id int32) want {
	v := r.vals[id]
	if math.Abs(v.Lo) > math.Abs(v.Hi) {
		return want{id, v.Lo, v.Lo}
	}
	return want{id, v.Hi, v.Hi}
}

func (r *runner) nearZero(id int32) want {
	v := r.vals[id]
	switch {
	case v.Lo > 0:
		return want{id, v.Lo, v.Lo}
	case v.Hi < 0:
		return want{id, v.Hi, v.Hi}
	}
	return want{id, -tiny, tiny}
}

// pick chooses a number of an input's range.
type pick func(v interval.Value) float64

// picks are the points of a narrowed box that are tried.
var picks = [...]pick{
	func(v interval.Value) float64 { return middle(v.Lo, v.Hi) },
	func(v interval.Value) float64 { return v.Lo },
	func(v interval.Value) float64 { return v.Hi },
}

// middle halves [lo, hi]: on a logarithmic scale where it is wide.
func middle(lo, hi float64) float64 {
	if lo >= 0 && hi-lo > wide {
		return fmath.Exp((fmath.Log1p(lo)+fmath.Log1p(hi))/2) - 1
	}
	return lo + (hi-lo)/2
}

// wide is the width from which a range counts by magnitudes.
const wide = 1000

// follow fixes one input after the other within what the path's conditions leave, and tries the
// points so reached.
func (r *runner) follow() {
	for _, p := range picks {
		if r.found {
			return
		}
		m := r.mark()
		if r.instantiate(p) {
			r.found = r.try(r.point)
		}
		r.undo(m)
	}
}

// instantiate narrows every input to one number.
func (r *runner) instantiate(p pick) bool {
	for i := range r.point {
		id := int32(i)
		v := r.vals[id]
		x := p(v)
		if r.task.whole[i] {
			x = math.Floor(x)
		}
		x = math.Min(math.Max(x, v.Lo), v.Hi)
		if v.Lo != v.Hi {
			r.fuel = narrowFuel
			if !r.narrow(id, x, x) || !r.propagate() {
				return false
			}
		}
		r.point[i] = r.vals[id].Lo
	}
	return true
}
