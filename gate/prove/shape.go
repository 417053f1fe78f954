package prove

import (
	"fmt"
	"math"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate/interval"
)

// Direction is the way a result moves when an input grows.
type Direction int8

// The two directions. A constant result moves both ways.
const (
	Increasing Direction = 1
	Decreasing Direction = -1
)

// ShapeTolerance is the wrong move, relative to max(1, |f|), up to which rounding is forgiven.
const ShapeTolerance = 1e-9

// WrongMove reports whether the result moves against the direction between a smaller and a
// larger value of the input, by more than rounding explains. Results that are not finite do not move.
func WrongMove(dir Direction, smaller, larger float64) bool {
	d := larger - smaller
	if dir == Decreasing {
		d = -d
	}
	return d < -ShapeTolerance*math.Max(1, math.Max(math.Abs(smaller), math.Abs(larger))) && !math.IsInf(d, 0)
}

// pair is the program at two values of one input: the graph has that input twice, as x1 < x2,
// and the paths of either copy.
type pair struct {
	task
	x1, x2       int32
	low, high    []path
	differs      []held // what each box assumes: the assumptions at both points, and x1 < x2
	dir          Direction
	wholeX       bool
	sharedInputs int
}

// Shape decides whether the result moves in a direction when one input grows and the others stay,
// for every two points that satisfy the assumptions. seeds are points from which a wrong move is
// looked for first.
//
// The program is paired with itself at x1 < x2: the difference of the two results is enclosed by
// slopes and rests in which equal terms cancel. Boxes are split until each is settled; between
// two points of different boxes the split points lie, so that what holds in each box
// holds across them. For that the assumptions on the input must be convex; others are not used.
func (p *Prover) Shape(rule *dsl.Rule, input string, dir Direction, eval Eval, seeds [][]float64, boxes int) Proof {
	at := -1
	for i, in := range p.sig.Inputs {
		if in.Name.Text == input {
			at = i
		}
	}
	if at < 0 || p.sig.Inputs[at].Type.Kind == dsl.WordKind {
		return Proof{Reason: fmt.Sprintf("%q is not an input that grows", input)}
	}
	if out, ok := p.wrongMove(at, dir, eval, seeds); ok {
		return out
	}
	t, ok := p.pair(rule.Body, at, dir)
	if !ok {
		return Proof{Reason: "the rule has too many paths for a proof"}
	}
	return p.searchPair(t, at, eval, boxes)
}

// wrongMove tries the seeds at other values of the input.
func (p *Prover) wrongMove(at int, dir Direction, eval Eval, seeds [][]float64) (Proof, bool) {
	dom := p.domain[at]
	for _, s := range seeds {
		a := append([]float64(nil), s...)
		fa := eval(a)
		for _, x := range [...]float64{dom.Lo, dom.Hi, s[at] + 1, 2*s[at] + 1, p.scale[at].middle(dom), p.scale[at].middle(interval.Of(s[at], dom.Hi))} {
			if p.whole[at] {
				x = math.Floor(x)
			}
			if x < dom.Lo || x > dom.Hi || x == s[at] {
				continue
			}
			b := append([]float64(nil), s...)
			b[at] = x
			if out, ok := p.confirm(at, dir, eval, a, b, fa); ok {
				return out, true
			}
		}
	}
	return Proof{}, false
}

// confirm reports the two points as a refutation if they are one.
func (p *Prover) confirm(at int, dir Direction, eval Eval, a, b []float64, fa float64) (Proof, bool) {
	if !p.allow(b) {
		return Proof{}, false
	}
	fb := eval(b)
	if a[at] > b[at] {
		a, b, fa, fb = b, a, fb, fa
	}
	if !WrongMove(dir, fa, fb) {
		return Proof{}, false
	}
	return Proof{
		Answer: Refuted, Witness: append([]float64(nil), a...), Value: fa, Other: append([]float64(nil), b...), OtherValue: fb,
		Reason: "the evaluator confirms the two points",
	}, true
}

// pair lowers the rule at x1 and at x2.
func (p *Prover) pair(body *dsl.Block, at int, dir Direction) (*pair, bool) {
	n := int32(len(p.domain))
	w := &lowerer{graph: &graph{index: make(map[key]int32, 128), block: &block{}}, names: map[string]int32{}}
	for name, id := range p.prefix.names {
		w.names[name] = id
	}
	w.nodes = append(w.nodes, p.prefix.nodes[:n]...)
	w.nodes = append(w.nodes, w.nodes[at])
	w.magnitude = append(append(w.magnitude, p.prefix.mag...), p.prefix.mag[at])
	t := &pair{x1: int32(at), x2: n, dir: dir, wholeX: p.whole[at], sharedInputs: int(n)}
	name := p.sig.Inputs[at].Name.Text
	for copyOf, list := range []*[]path{&t.low, &t.high} {
		if copyOf == 1 {
			w.names[name] = n
			w.order(t)
		}
		w.assumeCopy(t, p.sig)
		var ok bool
		if *list, ok = w.paths(body); !ok || w.unsupported {
			return nil, false
		}
	}
	t.graph = w.graph
	t.body = w.block
	return t, true
}

// order adds x1 < x2 to what is assumed.
func (w *lowerer) order(t *pair) {
	id := w.binary(opLt, t.x1, t.x2)
	t.differs = append(t.differs, held{id, true})
	w.assume(id, true)
}

// assumeCopy adds the assumptions at one of the points, as far as they are convex in x.
func (w *lowerer) assumeCopy(t *pair, sig *dsl.Signature) {
	x := inputBit(int(t.x1))
	w.choose = func(int32) bool { w.unsupported = true; return true }
	for _, c := range sig.Clauses {
		if c.Kind != dsl.AssumeClause {
			continue
		}
		was := w.unsupported
		w.unsupported = false
		id := w.expr(c.Expr)
		usable := !w.unsupported && (w.nodes[id].deps&x == 0 || w.convex(id))
		w.unsupported = was
		if usable {
			t.differs = append(t.differs, held{id, true})
			w.assume(id, true)
		}
	}
}

// convex reports that a condition is a conjunction of comparisons of straight lines, so that it
// holds between two points where it holds.
func (w *lowerer) convex(id int32) bool {
	n := &w.nodes[id]
	switch n.op {
	case opAnd:
		return w.convex(n.a) && w.convex(n.b)
	case opLe, opLt, opEq:
		return w.straight(n.a) && w.straight(n.b)
	}
	return false
}

func (w *lowerer) straight(id int32) bool {
	n := &w.nodes[id]
	switch n.op {
	case opConst, opInput:
		return true
	case opNeg:
		return w.straight(n.a)
	case opAdd, opSub:
		return w.straight(n.a) && w.straight(n.b)
	case opMul:
		return w.nodes[n.a].op == opConst && w.straight(n.b) || w.nodes[n.b].op == opConst && w.straight(n.a)
	}
	return false
}

// pairsPerBox is how many pairs of paths a proof may judge on average in a box.
const pairsPerBox = 16

// searchPair splits boxes until each moves the right way, or two points do not.
func (p *Prover) searchPair(t *pair, at int, eval Eval, limit int) Proof {
	r := &runner{task: &t.task, point: make([]float64, len(p.domain)+1)}
	t.whole = append(append([]bool(nil), p.whole...), p.whole[at])
	out := Proof{}
	r.try = func(point []float64) bool {
		a := append([]float64(nil), point[:len(p.domain)]...)
		b := append([]float64(nil), a...)
		b[at] = point[len(p.domain)]
		if !p.allow(a) {
			return false
		}
		proof, bad := p.confirm(at, t.dir, eval, a, b, eval(a))
		if bad {
			proof.Boxes = out.Boxes
			out = proof
		}
		return bad
	}
	open := [][]interval.Value{append([]interval.Value(nil), p.domain...)}
	for len(open) > 0 {
		if out.Boxes >= limit || r.pairs >= pairsPerBox*limit {
			out.Reason = fmt.Sprintf("%d boxes left open after %d", len(open), out.Boxes)
			return out
		}
		box := open[len(open)-1]
		open = open[:len(open)-1]
		out.Boxes++
		switch r.pairBox(t, box) {
		case openThere:
			if r.found {
				return out
			}
			a, b, ok := p.splitPair(box, at)
			if !ok {
				out.Reason = "a box that cannot be split is not decided"
				return out
			}
			open = append(open, b, a)
		}
	}
	out.Answer = Proved
	out.Reason = fmt.Sprintf("holds on %d of %d boxes that cover the inputs", out.Boxes, out.Boxes)
	return out
}

// splitPair is split with parts of x that share their end: a step from one part to the other
// passes through it.
func (p *Prover) splitPair(box []interval.Value, at int) (a, b []interval.Value, ok bool) {
	if p.whole[at] && box[at].Hi-box[at].Lo <= 1 {
		// One step of x is left: only the other inputs can be split.
		x := box[at]
		box[at] = interval.Point(x.Lo)
		if a, b, ok = p.split(box, 0, 0); ok {
			a[at], b[at] = x, x
		}
		return a, b, ok
	}
	if a, b, ok = p.split(box, 0, 0); ok && p.whole[at] && a[at].Hi < b[at].Lo {
		a[at].Hi = b[at].Lo
		if a[at].Hi == b[at].Hi {
			a[at].Hi, b[at].Lo = a[at].Hi-1, b[at].Lo-1
		}
	}
	return a, b, ok
}

// pairBox evaluates both copies over a box and judges every pair of paths.
func (r *runner) pairBox(t *pair, box []interval.Value) outcome {
	r.reset(t.graph)
	n := t.sharedInputs
	copy(r.vals, box)
	r.vals[n] = box[t.x1]
	r.found = false
	for _, st := range t.body.steps {
		if st.kind == compute {
			r.define(st.node)
		}
	}
	for _, h := range t.differs {
		if !r.take(h.cond, h.want, nil) {
			return emptyThere
		}
	}
	if !r.propagate() {
		return emptyThere
	}
	x := interval.Join(r.vals[t.x1], r.vals[t.x2])
	copy(box, r.vals[:n])
	box[t.x1] = x
	result := holdsThere
	for i := range t.low {
		for j := range t.high {
			m := r.mark()
			r.pairs++
			if r.pairPaths(t, &t.low[i], &t.high[j]) == openThere {
				result = openThere
			}
			r.undo(m)
			if r.found {
				return openThere
			}
		}
	}
	return result
}

// pairPaths judges the step from x1 on one path to x2 on another.
func (r *runner) pairPaths(t *pair, low, high *path) outcome {
	for _, p := range [2]*path{low, high} {
		for _, h := range p.conds {
			if !r.take(h.cond, h.want, nil) {
				return emptyThere
			}
		}
	}
	if !r.propagate() {
		return emptyThere
	}
	d := differ{state: &r.state, x1: t.x1, x2: t.x2, fuel: 2000}
	move := d.delta(high.result, low.result).value(d.dx())
	plain := d.apart(high.result, low.result).rest
	move = move.meet(plain)
	if t.dir == Decreasing {
		move = move.neg()
	}
	if move.lo >= 0 {
		return holdsThere
	}
	r.follow()
	return openThere
}
