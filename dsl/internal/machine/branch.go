package machine

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
func (e *emitter) private(x ID) bool {
	v := &e.g.values[x]
	return v.op == Select && e.slot[x] == none && e.acc != x && e.left[x] == 1 && len(e.s.clusters[v.group].members) == 1
}

// branch computes the select x, and with it all that its branch decides.
func (e *emitter) branch(x ID) {
	v := e.g.values[x]
	c := &e.s.clusters[v.group]
	e.open(c)
	if e.light(x) {
		e.keepOrReplace(x)
		return
	}
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

// lightSides is how many instructions both sides of a choice may take together to be computed both, instead of one after a
// branch: about what a mispredicted branch costs, times how often one is.
const lightSides = 6

// light reports a select of cheap sides by a comparison with a constant, which needs no branch.
func (e *emitter) light(x ID) bool {
	v := &e.g.values[x]
	if len(e.s.clusters[v.group].members) != 1 || e.slot[x] != none {
		return false
	}
	cond := &e.g.values[v.arg[0]]
	if !cond.op.compares() || !e.g.inline(v.arg[0]) {
		return false
	}
	_, a := e.g.known(cond.arg[0])
	_, b := e.g.known(cond.arg[1])
	return (a || b) && e.weight(v.arg[1], lightSides)+e.weight(v.arg[2], lightSides) <= lightSides
}

// weight counts the instructions that computing x takes, roughly; once they are more than most, it no longer counts.
func (e *emitter) weight(x ID, most int) int {
	v := &e.g.values[x]
	if _, ok := e.ready(x); ok || e.acc == x {
		return 0
	}
	if most < 1 || v.op.dear() || v.op == Select || e.g.condition(x) {
		return most + 1
	}
	n := 1
	if _, ok := e.combined(x); ok {
		return n
	}
	for _, o := range v.arg[:v.op.arity()] {
		n += e.weight(o, most-n)
	}
	return n
}

// keepOrReplace computes a light select: the one side into a temporary, the other into the accumulator, which the
// condition keeps or replaces.
func (e *emitter) keepOrReplace(x ID) {
	v := e.g.values[x]
	a, b, r := e.compared(v.arg[0])
	if _, known := e.g.known(a); known {
		a, b, r = b, a, r.exchanged()
	}
	e.keep(a)
	k, _ := e.g.known(b)
	yes, no := v.arg[1], v.arg[2]
	other, ok := e.ready(no)
	held := ok && other.mode == modeT
	if !held {
		e.load(no)
		other.a = uint16(e.store())
	}
	e.load(yes)
	o, _ := e.ready(a)
	e.emit(instr{op: opKeepLt + opcode(r)<<4 | o.mode, a: o.a, b: uint32(other.a), k: k})
	e.read(a)
	if held {
		e.read(no)
	} else {
		e.free = append(e.free, int32(other.a))
	}
}

// side brings the members of c to their values on one side.
func (e *emitter) side(c *cluster, operand int) {
	for _, m := range c.members {
		e.load(e.g.values[m].arg[operand])
		e.emit(instr{op: opStore, a: uint16(e.slot[m])})
	}
}

// materialize turns a condition into 1 or 0.
func (e *emitter) materialize(x ID) {
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
func (e *emitter) returns(x ID) {
	for e.private(x) && !e.light(x) {
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
func (e *emitter) test(x ID, sense bool, l *label) {
	v := &e.g.values[x]
	switch {
	case v.op == Const:
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
	case v.op == Arg:
		e.jumpBy(instr{op: unless(relNe, sense) | modeAK, a: uint16(v.arg[0])}, l)
	default:
		e.load(x)
		e.jumpBy(instr{op: unless(relNe, sense)}, l)
	}
}

// testChoice is test of c ? a : b, of which && and || are cases.
func (e *emitter) testChoice(x ID, sense bool, l *label) {
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
func (e *emitter) decide(x ID, sense bool, l *label) {
	v := e.g.values[x]
	if v.op == Not {
		e.test(v.arg[0], !sense, l)
		return
	}
	a, b, r := e.compared(x)
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

// compared returns the operands of a comparison and their relation.
func (e *emitter) compared(x ID) (a, b ID, r relation) {
	v := &e.g.values[x]
	r = relation(v.op - Lt)
	if v.op == Eq || v.op == Ne {
		r = relEq + relation(v.op-Eq)
	}
	return v.arg[0], v.arg[1], r
}
