package dsl

// jump goes to l whatever the accumulator holds.
func (e *emitter) jump(l *label) {
	e.jumpBy(instr{op: opJump}, l)
	e.dead = true
}

// jumpBy emits a jump to l, which is bound later.
func (e *emitter) jumpBy(in instr, l *label) {
	if e.dead {
		return
	}
	if len(l.jumps) == 0 {
		l.acc = e.acc
	} else if l.acc != e.acc {
		l.acc = none
	}
	l.jumps = append(l.jumps, len(e.code))
	e.emit(in)
}

// bind makes the next instruction the target of l's jumps. What the accumulator holds is known if all ways there agree.
func (e *emitter) bind(l *label) {
	if len(l.jumps) == 0 {
		return
	}
	if e.dead {
		e.acc = l.acc
	} else if e.acc != l.acc {
		e.acc = none
	}
	e.dead = false
	for _, j := range l.jumps {
		e.code[j].b = uint32(len(e.code))
	}
}

// open computes what both sides of a cluster's branch find ready.
func (e *emitter) open(c *cluster) {
	for _, x := range e.s.regions[c.then].imports {
		e.keep(x)
	}
	for _, x := range e.s.regions[c.otherwise].imports {
		e.keep(x)
	}
}

// private reports a select that has a branch of its own and one reader, so that the reader can sit in both sides.
func (e *emitter) private(x id) bool {
	v := &e.g.values[x]
	return v.op == vSelect && e.slot[x] == none && e.acc != x && e.left[x] == 1 && len(e.s.clusters[v.group].members) == 1
}

// branch computes the select x, and with it all that its branch decides.
func (e *emitter) branch(x id) {
	v := e.g.values[x]
	c := &e.s.clusters[v.group]
	e.open(c)
	var no, end label
	if len(c.members) == 1 {
		e.test(v.arg[0], false, &no)
		e.load(v.arg[1])
		e.jump(&end)
		e.bind(&no)
		e.load(v.arg[2])
		e.bind(&end)
		return
	}
	for _, m := range c.members {
		e.slot[m] = e.newTemp()
	}
	e.test(v.arg[0], false, &no)
	e.side(c, 1)
	e.jump(&end)
	e.bind(&no)
	e.side(c, 2)
	e.bind(&end)
	e.emit(instr{op: opLoad | modeT, a: uint16(e.slot[x])})
}

// side brings the members of c to their values on one side.
func (e *emitter) side(c *cluster, operand int) {
	for _, m := range c.members {
		e.load(e.g.values[m].arg[operand])
		e.emit(instr{op: opStore, a: uint16(e.slot[m])})
	}
}

// materialize turns a condition into 1 or 0.
func (e *emitter) materialize(x id) {
	var no, end label
	e.decide(x, false, &no)
	e.emit(instr{op: opLoad, k: 1})
	e.jump(&end)
	e.bind(&no)
	e.emit(instr{op: opLoad, k: 0})
	e.bind(&end)
	e.acc = none
}

// returns ends the program with x. A choice returns from both its sides.
func (e *emitter) returns(x id) {
	for e.private(x) {
		v := e.g.values[x]
		var no label
		e.open(&e.s.clusters[v.group])
		e.test(v.arg[0], false, &no)
		e.returns(v.arg[1])
		e.bind(&no)
		e.read(x)
		x = v.arg[2]
	}
	if k, ok := e.g.known(x); ok {
		e.emit(instr{op: opReturnK, k: k})
	} else {
		e.load(x)
		e.emit(instr{op: opReturn})
	}
	e.dead = true
}

// test jumps to l if the truth of x is sense, and else goes on.
func (e *emitter) test(x id, sense bool, l *label) {
	v := &e.g.values[x]
	switch {
	case v.op == vConst:
		if (v.k != 0) == sense {
			e.jump(l)
		}
	case e.g.inline(x):
		e.decide(x, sense, l)
	case v.op.compares() && e.slot[x] == none && e.acc != x && e.left[x] == 1:
		e.decide(x, sense, l)
		e.read(x)
	case e.private(x):
		e.testChoice(x, sense, l)
		e.read(x)
	case v.op == vArg:
		e.jumpBy(instr{op: unless(relNe, sense) | modeAK, a: uint16(v.arg[0])}, l)
	default:
		e.load(x)
		e.jumpBy(instr{op: unless(relNe, sense)}, l)
	}
}

// testChoice is test of c ? a : b, of which && and || are cases.
func (e *emitter) testChoice(x id, sense bool, l *label) {
	v := e.g.values[x]
	cond, yes, no := v.arg[0], v.arg[1], v.arg[2]
	e.open(&e.s.clusters[v.group])
	var other, end label
	switch {
	case e.g.is(no, 0) && !sense: // not both
		e.test(cond, false, l)
		e.test(yes, false, l)
	case e.g.is(no, 0): // both
		e.test(cond, false, &end)
		e.test(yes, true, l)
	case e.g.is(yes, 1) && sense: // either
		e.test(cond, true, l)
		e.test(no, true, l)
	case e.g.is(yes, 1): // neither
		e.test(cond, true, &end)
		e.test(no, false, l)
	default:
		e.test(cond, false, &other)
		e.test(yes, sense, l)
		e.jump(&end)
		e.bind(&other)
		e.test(no, sense, l)
	}
	e.bind(&end)
}

// relation numbers the six comparisons as the opcodes do.
type relation opcode

const (
	relLt relation = iota
	relLe
	relGt
	relGe
	relEq
	relNe
)

// exchanged is the relation of y to x.
func (r relation) exchanged() relation {
	switch r {
	case relLt, relLe:
		return r + 2
	case relGt, relGe:
		return r - 2
	}
	return r
}

// unless is the jump that is taken if the relation holds (sense) or unless it holds. The two are not
// each other's opposite relation: with NaN neither x < y nor x >= y.
func unless(r relation, sense bool) opcode {
	switch {
	case !sense:
		return opUnlessLt + opcode(r)<<4
	case r == relEq:
		return opUnlessNe
	case r == relNe:
		return opUnlessEq
	}
	return opIfLt + opcode(r)<<4
}

// decide is test of a condition that is computed here: a negation or a comparison.
func (e *emitter) decide(x id, sense bool, l *label) {
	v := e.g.values[x]
	if v.op == vNot {
		e.test(v.arg[0], !sense, l)
		return
	}
	a, b, r := v.arg[0], v.arg[1], relation(v.op-vLt)
	if v.op == vEq || v.op == vNe {
		r = relEq + relation(v.op-vEq)
	}
	oa, readyA := e.ready(a)
	ob, readyB := e.ready(b)
	switch {
	case readyA && readyB && oa.mode == modeA && ob.mode == modeK && e.acc != a:
		e.jumpBy(instr{op: unless(r, sense) | modeAK, a: oa.a, k: ob.k}, l)
		return
	case readyA && readyB && oa.mode == modeK && ob.mode == modeA && e.acc != b:
		e.jumpBy(instr{op: unless(r.exchanged(), sense) | modeAK, a: ob.a, k: oa.k}, l)
		return
	}
	a, b, swapped := e.arrange(a, b, e.ready)
	if swapped {
		a, b, r = b, a, r.exchanged()
	}
	e.load(a)
	o, _ := e.ready(b)
	in := o.with(unless(r, sense))
	e.read(b)
	e.jumpBy(in, l)
}
