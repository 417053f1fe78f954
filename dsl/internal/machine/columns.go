package machine

// step computes a column from columns. Steps stand in an order in which operands come first.
type step struct {
	op   kernel
	dst  int32    // value computed; of kFilter the list of rows
	args [4]int32 // operands, as values
	n    int32    // how many
	rows int32    // list of the rows to compute, or none for all
	buf  int32    // buffer of dst, as long as dst is not the same in all rows
	keep bool     // of kFilter: rows where the condition holds, or where it does not
	// fused is the kernel that does inner's work along the way, on inner's operands and then the other one. It is kNone
	// where there is none, and not used where inner is the same in all rows.
	fused kernel
	inner int32
	with  [4]int32
	width int32 // how many
}

// kernel is what a step does: the operation of a value, or one of those that follow.
type kernel uint8

const (
	kNone     kernel = 0
	kSelectLt kernel = kernel(Select) + 1 + iota // a < b ? c : d
	kSelectLe
	kSelectEq
	kSelectNe
	kFilter // rows of a list, or all, where a is keep

	kAddAdd  // a + b + c
	kMulAdd  // a * b + c
	kDivAdd  // a / b + c
	kMulSub  // a * b - c
	kMulRsub // c - a * b
	kAddMul  // (a + b) * c
	kSubMul  // (a - b) * c
	kDivMul  // a / b * c
	kSqrtMul // sqrt(a) * b
	kAddDiv  // (a + b) / c
	kSubDiv  // (a - b) / c
	kMulDiv  // a * b / c
	kAddRdiv // c / (a + b)
	kMulRdiv // c / (a * b)
	kAddSqrt // sqrt(a + b)
	kMulSqrt // sqrt(a * b)
	kDivSqrt // sqrt(a / b)
)

// fusion names the kernel of an operation that has another as operand. It is worth a kernel where the operand is cheap and
// hides behind a division or a root, or where both are cheap and common.
type fusion struct {
	outer, inner Op
	place        int // of the inner operation among the operands; both places of an operation that commutes
}

func (f fusion) kernel() kernel {
	if f.outer.commutes() {
		f.place = 0
	}
	switch f {
	case fusion{Add, Add, 0}:
		return kAddAdd
	case fusion{Add, Mul, 0}:
		return kMulAdd
	case fusion{Add, Div, 0}:
		return kDivAdd
	case fusion{Sub, Mul, 0}:
		return kMulSub
	case fusion{Sub, Mul, 1}:
		return kMulRsub
	case fusion{Mul, Add, 0}:
		return kAddMul
	case fusion{Mul, Sub, 0}:
		return kSubMul
	case fusion{Mul, Div, 0}:
		return kDivMul
	case fusion{Mul, Sqrt, 0}:
		return kSqrtMul
	case fusion{Div, Add, 0}:
		return kAddDiv
	case fusion{Div, Sub, 0}:
		return kSubDiv
	case fusion{Div, Mul, 0}:
		return kMulDiv
	case fusion{Div, Add, 1}:
		return kAddRdiv
	case fusion{Div, Mul, 1}:
		return kMulRdiv
	case fusion{Sqrt, Add, 0}:
		return kAddSqrt
	case fusion{Sqrt, Mul, 0}:
		return kMulSqrt
	case fusion{Sqrt, Div, 0}:
		return kDivSqrt
	}
	return kNone
}

// columns is the program for many rows: an operation at a time over a chunk of rows, instead of a row at a time.
type columns struct {
	values   int32 // how many values the steps number
	args     []columnArg
	consts   []columnConst
	steps    []step
	result   int32
	buffers  int32
	lists    int32 // lists of rows
	branches bool
}

type columnArg struct {
	value int32
	arg   int32
}

type columnConst struct {
	value int32
	k     float64
}

// columnEmitter writes the steps for a graph.
type columnEmitter struct {
	g    *Graph
	s    *schedule
	c    columns
	done []bool
	list map[int32]int32 // list of rows of a region
	// shown are the conditions that a list of rows needs as columns; the others are tested where they are used.
	shown []bool
}

// emitColumns compiles the value result.
func emitColumns(g *Graph, s *schedule, result ID) *columns {
	e := &columnEmitter{g: g, s: s, done: make([]bool, len(g.values)), shown: make([]bool, len(g.values)), list: map[int32]int32{}}
	e.c.values, e.c.result = int32(len(g.values)), result
	for v := range g.values {
		if s.place[v] > 0 && g.values[v].op.dear() {
			for r := s.place[v]; r > 0; r = s.regions[r].parent {
				e.shown[e.condition(r)] = true
			}
		}
	}
	e.value(result)
	e.fuse()
	e.assignBuffers()
	c := e.c // a pointer into e would keep the graph
	return &c
}

// condition is what decides whether a row enters region r.
func (e *columnEmitter) condition(r int32) ID {
	c := &e.s.clusters[e.s.regions[r].cluster]
	return e.g.values[c.members[0]].arg[0]
}

// value emits the steps that x needs, and x.
func (e *columnEmitter) value(x ID) {
	if e.done[x] {
		return
	}
	e.done[x] = true
	v := &e.g.values[x]
	switch {
	case v.op == Const || v.op == Undef:
		e.c.consts = append(e.c.consts, columnConst{x, v.k})
	case v.op == Arg:
		e.c.args = append(e.c.args, columnArg{x, v.arg[0]})
	case v.op == Select:
		e.choice(x)
	default:
		rows := int32(none)
		if v.op.dear() && e.s.place[x] > 0 {
			rows = e.rowsOf(e.s.place[x])
		}
		e.step(step{op: kernel(v.op), dst: x, rows: rows}, v.arg[:v.op.arity()]...)
	}
}

// step emits s after what it reads.
func (e *columnEmitter) step(s step, args ...ID) {
	for _, a := range args {
		e.value(a)
	}
	s.n = int32(copy(s.args[:], args))
	e.c.steps = append(e.c.steps, s)
}

// choice emits a select, with the comparison in it where there is one that nothing needs as a column.
func (e *columnEmitter) choice(x ID) {
	e.c.branches = true
	cond, yes, no := e.g.values[x].arg[0], e.g.values[x].arg[1], e.g.values[x].arg[2]
	c := &e.g.values[cond]
	if c.op.compares() && !e.shown[cond] && !e.done[cond] {
		e.step(step{op: kSelectLt + kernel(c.op-Lt), dst: x, rows: none}, c.arg[0], c.arg[1], yes, no)
		return
	}
	e.step(step{op: kernel(Select), dst: x, rows: none}, cond, yes, no)
}

// rowsOf emits the list of the rows that enter region r.
func (e *columnEmitter) rowsOf(r int32) int32 {
	if l, ok := e.list[r]; ok {
		return l
	}
	within := int32(none)
	if p := e.s.regions[r].parent; p > 0 {
		within = e.rowsOf(p)
	}
	c := &e.s.clusters[e.s.regions[r].cluster]
	l := e.c.lists
	e.c.lists++
	e.list[r] = l
	e.step(step{op: kFilter, dst: l, rows: within, keep: r == c.then}, e.condition(r))
	return l
}

// fuse finds the steps that can do the work of another along the way.
func (e *columnEmitter) fuse() {
	reads := make([]int32, len(e.g.values))
	maker := make([]int32, len(e.g.values)) // step of a value
	for i := range maker {
		maker[i] = none
	}
	for _, s := range e.c.steps {
		for _, a := range s.args[:s.n] {
			reads[a]++
		}
	}
	for i := range e.c.steps {
		s := &e.c.steps[i]
		for place, a := range s.args[:s.n] {
			if m := maker[a]; m != none && reads[a] == 1 && s.fused == kNone {
				s.absorb(place, &e.c.steps[m], m)
			}
		}
		if s.op != kFilter {
			maker[s.dst] = int32(i)
		}
	}
}

// absorb gives s a fused form if there is a kernel for it and inner, which makes the operand at place.
func (s *step) absorb(place int, inner *step, index int32) {
	if s.op > kernel(Select) || inner.op > kernel(Select) || inner.fused != kNone {
		return
	}
	s.fused = fusion{Op(s.op), Op(inner.op), place}.kernel()
	s.inner = index
	s.width = int32(copy(s.with[:], inner.args[:inner.n]))
	if s.n == 2 {
		s.with[s.width] = s.args[1-place]
		s.width++
	}
}

// assignBuffers gives each step a buffer that nothing reads any more.
func (e *columnEmitter) assignBuffers() {
	last := make([]int32, len(e.g.values)) // step that reads a value last
	for i, s := range e.c.steps {
		for _, a := range s.args[:s.n] {
			last[a] = int32(i)
		}
		if s.fused != kNone {
			for _, a := range s.with[:s.width] {
				last[a] = int32(i)
			}
		}
	}
	buffer := make([]int32, len(e.g.values))
	for i := range buffer {
		buffer[i] = none
	}
	var free []int32
	for i := range e.c.steps {
		s := &e.c.steps[i]
		release := func(list []int32) {
			for _, a := range list {
				if last[a] == int32(i) && buffer[a] != none {
					free = append(free, buffer[a])
					buffer[a] = none
				}
			}
		}
		release(s.args[:s.n])
		if s.fused != kNone {
			release(s.with[:s.width])
		}
		if s.op == kFilter {
			continue
		}
		if n := len(free); n > 0 {
			s.buf, free = free[n-1], free[:n-1]
		} else {
			s.buf = e.c.buffers
			e.c.buffers++
		}
		buffer[s.dst] = s.buf
	}
}
