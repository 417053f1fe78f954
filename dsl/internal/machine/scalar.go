package machine

import (
	"fmt"
	"math"
)

// emitter writes the scalar program of a graph. Values that are read once flow through the accumulator; the others are kept
// in temporaries from their first use to their last. Jumps go forward only, so that the last use in the text is the last.
type emitter struct {
	g     *Graph
	s     *schedule
	code  []instr
	slot  []int32 // temporary of a value, or none
	left  []int32 // reads of a value that are still to come
	cost  []int32 // temporaries that computing a value needs, about
	free  []int32
	temps int32
	acc   ID   // the value in the accumulator, or none
	dead  bool // nothing reaches the next instruction
}

// none is no value and no temporary.
const none = -1

// label is a place that jumps lead to.
type label struct {
	jumps []int
	acc   ID // the value in the accumulator at all the jumps, or none
}

// emitScalar compiles the outputs: a result, which is returned in the accumulator, or those of code with effects, which are
// written behind the arguments, from number first.
func emitScalar(g *Graph, s *schedule, outputs []ID, effects bool, first int) (code []instr, temps int, err error) {
	e := &emitter{g: g, s: s, acc: none, left: s.uses, slot: make([]int32, len(g.values)), cost: make([]int32, len(g.values))}
	for i := range e.slot {
		e.slot[i] = none
	}
	e.estimate()
	if effects {
		for i, out := range outputs {
			e.load(out)
			e.emit(instr{op: opOut, a: uint16(first + i)})
		}
	} else {
		e.returns(outputs[0])
	}
	e.code = tidy(e.code)
	if e.temps > largeTemps || first+len(outputs) > math.MaxUint16 {
		return nil, 0, fmt.Errorf("compile: the function keeps %d values at once and has %d arguments; at most %d and %d fit", e.temps, first, largeTemps, math.MaxUint16)
	}
	return e.code, int(e.temps), nil
}

// tidy redirects jumps to jumps, returns instead of jumping to a return, drops jumps to the next instruction and what the
// end of the program does anyway, and makes a store and a load one push.
func tidy(code []instr) []instr {
	target := make([]bool, len(code)+1)
	for i := len(code) - 1; i >= 0; i-- { // what lies ahead is done before
		in := &code[i]
		if !in.jumps() {
			continue
		}
		for int(in.b) < len(code) && code[in.b].op == opJump {
			in.b = code[in.b].b
		}
		if in.op == opJump && (int(in.b) == len(code) || code[in.b].op == opReturn) {
			*in = instr{op: opReturn}
			continue
		}
		target[in.b] = true
	}
	moved := make([]uint32, len(code)+1) // new index of each instruction
	kept := code[:0]
	for i, in := range code {
		moved[i] = uint32(len(kept))
		switch last := len(kept) - 1; {
		case in.op == opJump && int(in.b) == i+1, in.op == opReturn && i == len(code)-1:
		case last >= 0 && kept[last].op == opStore && !target[i] && in.pushes():
			kept[last] = instr{op: opPush | in.op&15, a: in.a, b: uint32(kept[last].a), k: in.k}
		default:
			kept = append(kept, in)
		}
	}
	moved[len(code)] = uint32(len(kept))
	for i := range kept {
		if kept[i].jumps() {
			kept[i].b = moved[kept[i].b]
		}
	}
	return kept
}

// pushes reports a load that has a form that stores the accumulator first.
func (in *instr) pushes() bool { return in.op < opLoad|modeAddAB }

// estimate finds for each value how many temporaries are busy while it is computed, so that of two operands the more
// demanding is computed first.
func (e *emitter) estimate() {
	for i := range e.g.values {
		v := &e.g.values[i]
		most, ties := int32(0), int32(0)
		for _, o := range v.arg[:v.op.arity()] {
			switch c := e.cost[o]; {
			case c > most:
				most, ties = c, 0
			case c == most && c > 0:
				ties = 1
			}
		}
		if v.op > Arg {
			e.cost[i] = max(most+ties, 1)
		}
	}
}

func (e *emitter) emit(in instr) {
	if !e.dead {
		e.code = append(e.code, in)
	}
}

// operand is where an instruction finds a value.
type operand struct {
	mode opcode
	a    uint16
	b    uint32
	k    float64
}

// with is the instruction of op on o.
func (o operand) with(op opcode) instr { return instr{op: op | o.mode, a: o.a, b: o.b, k: o.k} }

// ready returns where x can be read without computing anything.
func (e *emitter) ready(x ID) (operand, bool) {
	v := &e.g.values[x]
	switch {
	case v.op == Const || v.op == Undef:
		return operand{mode: modeK, k: v.k}, true
	case v.op == Arg:
		return operand{mode: modeA, a: uint16(v.arg[0])}, true
	case e.slot[x] != none:
		return operand{mode: modeT, a: uint16(e.slot[x])}, true
	}
	return operand{}, false
}

// read counts one use of x; after the last its temporary is free.
func (e *emitter) read(x ID) {
	if e.g.leaf(x) || e.g.inline(x) {
		return
	}
	e.left[x]--
	if e.left[x] <= 0 && e.slot[x] != none {
		e.free = append(e.free, e.slot[x])
		e.slot[x] = none
	}
}

func (e *emitter) newTemp() int32 {
	if n := len(e.free); n > 0 {
		t := e.free[n-1]
		e.free = e.free[:n-1]
		return t
	}
	e.temps++
	return e.temps - 1
}

// store keeps the accumulator in a new temporary.
func (e *emitter) store() int32 {
	t := e.newTemp()
	e.emit(instr{op: opStore, a: uint16(t)})
	return t
}

// load brings x into the accumulator, and counts the use.
func (e *emitter) load(x ID) {
	if e.acc != x {
		if o, ok := e.ready(x); ok {
			e.emit(o.with(opLoad))
		} else {
			e.compute(x)
			if e.left[x] > 1 && e.slot[x] == none {
				e.slot[x] = e.store()
			}
		}
	}
	e.acc = x
	e.read(x)
}

// keep computes x into a temporary, if it is not there yet, before a branch whose sides read it.
func (e *emitter) keep(x ID) {
	if _, ok := e.ready(x); ok {
		return
	}
	e.compute(x)
	if e.slot[x] == none {
		e.slot[x] = e.store()
	}
	e.acc = x
}

// compute leaves x in the accumulator. The operands are read, x is not.
func (e *emitter) compute(x ID) {
	v := e.g.values[x]
	switch {
	case v.op == Select:
		e.branch(x)
	case e.g.condition(x):
		e.materialize(x)
	case v.op.arity() == 1:
		e.unary(v.op, v.arg[0])
	default:
		if o, ok := e.combined(x); ok {
			e.emit(o.with(opLoad))
		} else {
			e.binary(v.op, v.arg[0], v.arg[1])
		}
	}
	e.acc = x
}

// unary computes op of x.
func (e *emitter) unary(op Op, x ID) {
	in := [...]opcode{opNeg, opAbs, opSqrt, opFloor, opCeil, opExp, opLog, opLog1p, opTanh}[op-Neg]
	if in < opPlain {
		if o, ok := e.readable(x); ok {
			switch o.mode {
			case modeA, modeAddAK, modeMulAK, modeRdivAK:
				e.emit(o.with(in))
				e.read(x)
				return
			}
		}
	}
	e.load(x)
	e.emit(instr{op: in})
}

// combined returns the mode that computes x from arguments and a constant, if there is one.
func (e *emitter) combined(x ID) (operand, bool) {
	v := &e.g.values[x]
	if v.op == Sqrt {
		return e.combinedRoot(v.arg[0])
	}
	if v.op < Add || v.op > Div {
		return operand{}, false
	}
	a, b := &e.g.values[v.arg[0]], &e.g.values[v.arg[1]]
	mode, n := opcode(0), v.op-Add
	switch {
	case a.op == Arg && b.op == Arg:
		mode = modeAddAB + opcode(n)
		return operand{mode: mode, a: uint16(a.arg[0]), b: uint32(b.arg[0])}, true
	case a.op == Arg && b.op == Const: // a - k is a + -k
		mode = [...]opcode{modeAddAK, 0, modeMulAK, modeDivAK}[n]
	case a.op == Const && b.op == Arg:
		mode = [...]opcode{modeAddAK, modeRsubAK, modeMulAK, modeRdivAK}[n]
		a, b = b, a
	}
	return operand{mode: mode, a: uint16(a.arg[0]), k: b.k}, mode != 0
}

// combinedRoot returns the mode of the square root of x.
func (e *emitter) combinedRoot(x ID) (operand, bool) {
	if v := &e.g.values[x]; v.op == Arg {
		return operand{mode: modeSqrtA, a: uint16(v.arg[0])}, true
	}
	if o, ok := e.combined(x); ok && o.mode == modeAddAK && e.left[x] == 1 {
		o.mode = modeSqrtAddAK
		return o, true
	}
	return operand{}, false
}

// forms are the instructions of a binary operation and of the same with operands exchanged.
func forms(op Op) (straight, reversed opcode) {
	switch op {
	case Add:
		return opAdd, opAdd
	case Sub:
		return opSub, opRsub
	case Mul:
		return opMul, opMul
	case Div:
		return opDiv, opRdiv
	case Mod:
		return opMod, opRmod
	case Pow:
		return opPow, opRpow
	case Min:
		return opMin, opMin
	default:
		return opMax, opMax
	}
}

// binary computes op of x and y: one in the accumulator, the other where it can be read.
func (e *emitter) binary(op Op, x, y ID) {
	if x == y && op == Mul {
		e.read(x) // one of the two uses; the other is the load's
		e.load(x)
		e.emit(instr{op: opSquare})
		return
	}
	straight, reversed := forms(op)
	find := e.ready
	if op <= Div {
		find = e.readable
	}
	if x, y, swapped := e.arrange(x, y, find); swapped {
		e.apply(reversed, y, x, find)
	} else {
		e.apply(straight, x, y, find)
	}
}

// readable is ready, or a combination of arguments that nothing else reads and an instruction computes on its way.
func (e *emitter) readable(x ID) (operand, bool) {
	if o, ok := e.ready(x); ok {
		return o, true
	}
	if e.left[x] != 1 || e.acc == x {
		return operand{}, false
	}
	return e.combined(x)
}

// apply loads x and combines it with y, which find finds.
func (e *emitter) apply(op opcode, x, y ID, find func(ID) (operand, bool)) {
	e.load(x)
	o, _ := find(y)
	e.emit(o.with(op))
	e.read(y)
}

// arrange brings one of x and y to where find finds it and says which: y, or where the operands had better be exchanged x.
func (e *emitter) arrange(x, y ID, find func(ID) (operand, bool)) (ID, ID, bool) {
	_, foundX := find(x)
	_, foundY := find(y)
	switch {
	case foundX && foundY:
		return x, y, e.acc == y
	case foundY:
		return x, y, false
	case foundX:
		return x, y, true
	case e.cost[x] < e.cost[y]:
		e.keep(y)
		return x, y, false
	}
	e.keep(x)
	_, foundY = find(y) // x may have needed it
	return x, y, !foundY
}
