package prove

import "github.com/agentdescent/adrun/gate/interval"

// outcome of one box.
type outcome uint8

const (
	holdsThere outcome = iota // the claim holds on the whole box
	emptyThere                // no point of the box satisfies the assumptions
	openThere                 // neither
)

// runner evaluates a lowered rule over boxes.
type runner struct {
	state
	task *task
	// open says that a return of the present box did not satisfy the claim, deps which inputs that
	// return and undecided branches read, blame which inputs the operations read that broke it.
	open        bool
	deps, blame uint64
	// phis keeps what one side of a branch leaves in locals while the other side runs.
	phis []interval.Value
	// hunting makes the runner follow what may break the claim to points, and hand them to try
	// until it reports true.
	hunting bool
	try     func(point []float64) bool
	found   bool
	left    int // goals that the box may still follow
	point   []float64
	pairs   int // of paths judged so far, in a shape proof
}

// box evaluates the rule over box, which it narrows by the assumptions in place.
func (r *runner) box(box []interval.Value) outcome {
	r.reset(r.task.graph)
	copy(r.vals, box)
	r.open, r.deps, r.blame = false, 0, 0
	r.phis, r.found = r.phis[:0], false
	for _, st := range r.task.prefix.steps {
		if !r.step(&st) {
			return emptyThere
		}
	}
	for _, a := range r.task.assumed {
		if !r.take(a, true, nil) {
			return emptyThere
		}
	}
	if !r.propagate() {
		return emptyThere
	}
	copy(box, r.vals[:len(box)])
	if r.hunting {
		r.follow()
	}
	r.block(r.task.body)
	if r.open {
		return openThere
	}
	return holdsThere
}

// block runs the steps of a block and reports whether control can reach its end.
func (r *runner) block(b *block) bool {
	for i := range b.steps {
		if !r.step(&b.steps[i]) {
			return false
		}
		if r.found {
			return false
		}
	}
	return true
}

func (r *runner) step(st *step) bool {
	switch st.kind {
	case compute:
		r.define(st.node)
		if r.hunting && !r.found {
			r.suspect(st.node)
		}
		return true
	case finish:
		r.finish(st.node)
		return false
	}
	return r.branch(st)
}

// finish judges a returned node.
func (r *runner) finish(id int32) {
	v := r.vals[id]
	if r.task.claim == claimFinite {
		if v.Finite() {
			return
		}
	} else if v.IsTrue() {
		return
	}
	r.open = true
	r.deps |= r.nodes[id].deps
	if r.hunting && !r.found && r.task.claim == claimTrue {
		m := r.mark()
		if r.take(id, false, nil) && r.propagate() {
			r.follow()
		}
		r.undo(m)
	}
}

// branch runs the side of a branch that its condition selects, or both, each with what the
// condition says about it.
func (r *runner) branch(st *step) bool {
	switch c := r.vals[st.node]; {
	case c.IsTrue():
		return r.decided(st, &st.then, true)
	case c.IsFalse():
		return r.decided(st, &st.els, false)
	}
	r.deps |= r.nodes[st.node].deps
	// The side that cannot fall through runs first: the state after the other one stays.
	first, second, want := &st.then, &st.els, true
	if st.then.falls && !st.els.falls {
		first, second, want = second, first, false
	}
	m, base := r.mark(), len(r.phis)
	fell := r.take(st.node, want, first.sharpen) && r.block(first.block)
	for _, p := range st.phis {
		r.phis = append(r.phis, r.vals[p.side(want)])
	}
	r.undo(m)
	if r.found {
		return false
	}
	fellToo := r.take(st.node, !want, second.sharpen) && r.block(second.block)
	for i, p := range st.phis {
		v := r.vals[p.side(!want)]
		switch {
		case fell && fellToo:
			v = interval.Join(v, r.phis[base+i])
		case fell:
			v = r.phis[base+i]
		}
		r.phis[base+i] = v
	}
	if fell {
		r.undo(m)
		if !fellToo && !r.take(st.node, want, first.sharpen) {
			return false
		}
	}
	for i, p := range st.phis {
		r.vals[p.node] = r.phis[base+i]
		r.live = append(r.live, p.node)
	}
	r.phis = r.phis[:base]
	return fell || fellToo
}

// decided runs the one side that a decided condition selects.
func (r *runner) decided(st *step, side *arm, want bool) bool {
	if !r.block(side.block) {
		return false
	}
	for _, p := range st.phis {
		r.vals[p.node] = r.vals[p.side(want)]
		r.live = append(r.live, p.node)
	}
	return true
}

// side returns the node that the branch leaves where its condition is want.
func (p *phi) side(want bool) int32 {
	if want {
		return p.a
	}
	return p.b
}
