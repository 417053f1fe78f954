package prove

import (
	"fmt"
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/gate/interval"
)

// goalsPerBox bounds how many ways to break a claim are followed in one box.
const goalsPerBox = 6

// search looks for a proof over the whole domain, box by box, and for a witness in the boxes that
// do not decide. breaks evaluates a point and reports whether it refutes the claim.
func (p *Prover) search(ws *workspace, limit int, breaks func(point []float64) (float64, bool)) Proof {
	r := &ws.runner
	r.task = &ws.task
	out := Proof{}
	r.try = func(point []float64) bool {
		if !p.allow(point) {
			return false
		}
		v, bad := breaks(point)
		if bad {
			out.Answer, out.Value = Refuted, v
			out.Witness = append([]float64(nil), point...)
		}
		return bad
	}
	open := [][]interval.Value{append([]interval.Value(nil), p.domain...)}
	for len(open) > 0 {
		if out.Boxes >= limit {
			out.Reason = fmt.Sprintf("%d boxes left open after %d", len(open), out.Boxes)
			return out
		}
		box := open[len(open)-1]
		open = open[:len(open)-1]
		out.Boxes++
		r.hunting = false
		if r.box(box) != openThere {
			continue
		}
		r.hunting, r.left = true, goalsPerBox
		r.box(box)
		if out.Answer == Refuted {
			out.Reason = "the evaluator confirms the witness"
			return out
		}
		a, b, ok := p.split(box, r.blame, r.deps)
		if !ok {
			out.Reason = "a box that cannot be split is not decided"
			return out
		}
		open = append(open, b, a)
	}
	out.Answer = Proved
	out.Reason = fmt.Sprintf("holds on %d of %d boxes that cover the inputs", out.Boxes, out.Boxes)
	return out
}

// split halves the box along the input that is widest for its domain, among those that matter.
func (p *Prover) split(box []interval.Value, blame, deps uint64) (a, b []interval.Value, ok bool) {
	at := -1
	for _, set := range [3]uint64{blame, deps, ^uint64(0)} {
		widest := 0.0
		for i := range box {
			if set&inputBit(i) == 0 {
				continue
			}
			if w := p.scale[i].width(box[i]); w > widest {
				at, widest = i, w
			}
		}
		if at >= 0 {
			break
		}
	}
	if at < 0 {
		return nil, nil, false
	}
	m := p.scale[at].middle(box[at])
	b = append([]interval.Value(nil), box...)
	a = box
	if p.whole[at] {
		m = math.Min(math.Max(math.Floor(m), a[at].Lo), a[at].Hi-1)
		a[at].Hi, b[at].Lo = m, m+1
		return a, b, true
	}
	lo, hi := a[at].Lo, a[at].Hi
	if !(lo < m && m < hi) { // the scale does not tell them apart
		m = lo + (hi-lo)/2
	}
	a[at].Hi, b[at].Lo = m, m
	if m == lo || m == hi { // two neighbouring numbers
		a[at].Hi, b[at].Lo = lo, hi
	}
	return a, b, true
}

// scale measures ranges of an input: by differences, or by magnitudes if its domain is wide.
type scale struct {
	log   bool
	total float64
}

func newScale(lo, hi float64) scale {
	s := scale{log: hi-lo > wide}
	s.total = s.at(hi) - s.at(lo)
	return s
}

// at maps a number to the scale: x, or the logarithm of 1 + |x| with the sign of x.
func (s scale) at(x float64) float64 {
	if !s.log {
		return x
	}
	return math.Copysign(fmath.Log1p(math.Abs(x)), x)
}

// width is the share of the domain that v takes; 0 for a single number.
func (s scale) width(v interval.Value) float64 {
	if v.Lo == v.Hi || s.total == 0 {
		return 0
	}
	return math.Max((s.at(v.Hi)-s.at(v.Lo))/s.total, math.SmallestNonzeroFloat64)
}

// middle is the number halfway on the scale.
func (s scale) middle(v interval.Value) float64 { return s.inverse(s.at(v.Lo)/2 + s.at(v.Hi)/2) }

// inverse maps a place on the scale back to its number.
func (s scale) inverse(y float64) float64 {
	if !s.log {
		return y
	}
	return math.Copysign(fmath.Exp(math.Abs(y))-1, y)
}
