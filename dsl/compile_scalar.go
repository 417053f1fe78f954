package dsl

import (
	"errors"
	"math"
)

// emitter writes the scalar program of a graph. Values that are read once flow through the accumulator; the others are kept
// in temporaries from their first use to their last. Jumps go forward only, so that the last use in the text is the last.
type emitter struct {
	g     *graph
	s     *schedule
	code  []instr
	slot  []int32 // temporary of a value, or none
	left  []int32 // reads of a value that are still to come
	cost  []int32 // temporaries that computing a value needs, about
	free  []int32
	temps int32
	acc   id   // the value in the accumulator, or none
	dead  bool // nothing reaches the next instruction
}

// none is no value and no temporary.
const none = -1

// label is a place that jumps lead to.
type label struct {
	jumps []int
	acc   id // the value in the accumulator at all the jumps, or none
}

// emitScalar compiles the outputs. One output is returned in the accumulator; several are left in temporaries, whose
// numbers are returned.
func emitScalar(g *graph, s *schedule, outputs []id, tail bool) (code []instr, temps int, slots []int32, err error) {
	e := &emitter{g: g, s: s, acc: none, left: s.uses, slot: make([]int32, len(g.values)), cost: make([]int32, len(g.values))}
	for i := range e.slot {
		e.slot[i] = none
	}
	e.estimate()
	if tail {
		e.returns(outputs[0])
	} else {
		for _, out := range outputs {
			e.load(out)
			slots = append(slots, e.store())
		}
	}
	if n := len(e.code); n > 0 && e.code[n-1].op == opReturn {
		e.code = e.code[:n-1] // the end returns too
	}
	if e.temps > math.MaxUint16 || len(e.code) > math.MaxInt32 {
		return nil, 0, nil, errors.New("the function keeps too many values at once")
	}
	return e.code, int(e.temps), slots, nil
}

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
		if v.op > vArg {
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
	mode opcode // 0 K, 1 A, 2 T: what to add to the first form of an operation
	a    uint16
	k    float64
}

const (
	modeK opcode = iota
	modeA
	modeT
	modeAK
)

// ready returns where x can be read without computing anything.
func (e *emitter) ready(x id) (operand, bool) {
	v := &e.g.values[x]
	switch {
	case v.op == vConst || v.op == vUndef:
		return operand{mode: modeK, k: v.k}, true
	case v.op == vArg:
		return operand{mode: modeA, a: uint16(v.arg[0])}, true
	case e.slot[x] != none:
		return operand{mode: modeT, a: uint16(e.slot[x])}, true
	}
	return operand{}, false
}

// read counts one use of x; after the last its temporary is free.
func (e *emitter) read(x id) {
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
	e.emit(instr{op: opStoreT, a: uint16(t)})
	return t
}

// load brings x into the accumulator, and counts the use.
func (e *emitter) load(x id) {
	if e.acc != x {
		if o, ok := e.ready(x); ok {
			e.emit(instr{op: opLoadK + o.mode, a: o.a, k: o.k})
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
func (e *emitter) keep(x id) {
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
func (e *emitter) compute(x id) {
	v := e.g.values[x]
	switch {
	case v.op == vSelect:
		e.branch(x)
	case e.g.condition(x):
		e.materialize(x)
	case v.op.arity() == 1:
		e.load(v.arg[0])
		e.emit(instr{op: opNeg + opcode(v.op-vNeg)})
	default:
		e.binary(v.op, v.arg[0], v.arg[1])
	}
	e.acc = x
}

// forms are the first instructions of a binary operation and of the same with operands exchanged.
func forms(op vop) (straight, reversed opcode) {
	switch op {
	case vAdd:
		return opAddK, opAddK
	case vSub:
		return opSubK, opRsubK
	case vMul:
		return opMulK, opMulK
	case vDiv:
		return opDivK, opRdivK
	case vMod:
		return opModK, opRmodK
	case vPow:
		return opPowK, opRpowK
	case vMin:
		return opMinK, opMinK
	default:
		return opMaxK, opMaxK
	}
}

// binary computes op of x and y: one in the accumulator, the other where it can be read.
func (e *emitter) binary(op vop, x, y id) {
	if x == y && op == vMul {
		e.read(x) // one of the two uses; the other is the load's
		e.load(x)
		e.emit(instr{op: opSquare})
		return
	}
	if e.direct(op, x, y) {
		return
	}
	straight, reversed := forms(op)
	if x, y, swapped := e.arrange(x, y); swapped {
		e.apply(reversed, y, x)
	} else {
		e.apply(straight, x, y)
	}
}

// apply loads x and combines it with y, which is ready.
func (e *emitter) apply(op opcode, x, y id) {
	e.load(x)
	o, _ := e.ready(y)
	e.emit(instr{op: op + o.mode, a: o.a, k: o.k})
	e.read(y)
}

// arrange makes one of x and y ready to be read and says which: y, or where the operands had better be exchanged x.
func (e *emitter) arrange(x, y id) (id, id, bool) {
	_, readyX := e.ready(x)
	_, readyY := e.ready(y)
	switch {
	case readyX && readyY:
		return x, y, e.acc == y
	case readyY:
		return x, y, false
	case readyX:
		return x, y, true
	case e.cost[x] < e.cost[y]:
		e.keep(y)
		return x, y, false
	}
	e.keep(x)
	_, readyY = e.ready(y) // x may have needed it
	return x, y, !readyY
}

// direct computes op of arguments and constants in one instruction, where there is one.
func (e *emitter) direct(op vop, x, y id) bool {
	ox, readyX := e.ready(x)
	oy, readyY := e.ready(y)
	if !readyX || !readyY {
		return false
	}
	switch {
	case ox.mode == modeA && oy.mode == modeA:
		return e.pick(op, [...]opcode{opAddAA, opSubAA, opMulAA, opDivAA}, instr{a: ox.a, b: uint32(oy.a)})
	case ox.mode == modeA && oy.mode == modeK:
		return e.pick(op, [...]opcode{opAddAK, 0, opMulAK, opDivAK}, instr{a: ox.a, k: oy.k})
	case ox.mode == modeK && oy.mode == modeA:
		return e.pick(op, [...]opcode{opAddAK, opRsubAK, opMulAK, opRdivAK}, instr{a: oy.a, k: ox.k})
	}
	return false
}

// pick emits in with the instruction for + - * /, if there is one.
func (e *emitter) pick(op vop, ops [4]opcode, in instr) bool {
	if op < vAdd || op > vDiv || ops[op-vAdd] == 0 {
		return false
	}
	in.op = ops[op-vAdd]
	e.emit(in)
	return true
}
