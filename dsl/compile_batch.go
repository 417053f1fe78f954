package dsl

// step computes a column from columns. Steps stand in an order in which operands come first.
type step struct {
	op   kernel
	dst  int32    // value computed; of opFilter the list of rows
	args [5]int32 // operands, as values
	n    int32    // how many
	rows int32    // list of the rows to compute, or none for all
	buf  int32    // buffer of dst, as long as dst is not the same in all rows
	keep bool     // of opFilter: rows where the condition holds, or where it does not
}

// kernel is what a step does: the operation of a value, or one of those that follow.
type kernel uint8

const (
	kSelectLt kernel = kernel(vSelect) + 1 + iota // args[0] < args[1] ? args[2] : args[3]
	kSelectLe
	kSelectEq
	kSelectNe
	kFilter // rows of args[1], or all, where args[0] is keep
)

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
	g    *graph
	s    *schedule
	c    columns
	done []bool
	list map[int32]int32 // list of rows of a region
	// shown are the conditions that a list of rows needs as columns; the others are tested where they are used.
	shown []bool
}

// emitColumns compiles the value result.
func emitColumns(g *graph, s *schedule, result id) *columns {
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
	e.assignBuffers()
	return &e.c
}

// condition is what decides whether a row enters region r.
func (e *columnEmitter) condition(r int32) id {
	c := &e.s.clusters[e.s.regions[r].cluster]
	return e.g.values[c.members[0]].arg[0]
}

// value emits the steps that x needs, and x.
func (e *columnEmitter) value(x id) {
	if e.done[x] {
		return
	}
	e.done[x] = true
	v := &e.g.values[x]
	switch {
	case v.op == vConst || v.op == vUndef:
		e.c.consts = append(e.c.consts, columnConst{x, v.k})
	case v.op == vArg:
		e.c.args = append(e.c.args, columnArg{x, v.arg[0]})
	case v.op == vSelect:
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
func (e *columnEmitter) step(s step, args ...id) {
	for _, a := range args {
		e.value(a)
	}
	s.n = int32(copy(s.args[:], args))
	e.c.steps = append(e.c.steps, s)
}

// choice emits a select, with the comparison in it where there is one that nothing needs as a column.
func (e *columnEmitter) choice(x id) {
	e.c.branches = true
	cond, yes, no := e.g.values[x].arg[0], e.g.values[x].arg[1], e.g.values[x].arg[2]
	c := &e.g.values[cond]
	if c.op.compares() && !e.shown[cond] && !e.done[cond] {
		e.step(step{op: kSelectLt + kernel(c.op-vLt), dst: x, rows: none}, c.arg[0], c.arg[1], yes, no)
		return
	}
	e.step(step{op: kernel(vSelect), dst: x, rows: none}, cond, yes, no)
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

// assignBuffers gives each step a buffer that nothing reads any more.
func (e *columnEmitter) assignBuffers() {
	last := make([]int32, len(e.g.values)) // step that reads a value last
	for i, s := range e.c.steps {
		for _, a := range s.args[:s.n] {
			last[a] = int32(i)
		}
	}
	buffer := make([]int32, len(e.g.values))
	for i := range buffer {
		buffer[i] = none
	}
	var free []int32
	for i := range e.c.steps {
		s := &e.c.steps[i]
		for _, a := range s.args[:s.n] {
			if last[a] == int32(i) && buffer[a] != none {
				free = append(free, buffer[a])
				buffer[a] = none
			}
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
