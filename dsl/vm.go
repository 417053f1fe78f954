package dsl

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// instr is one instruction of the scalar program. The machine has one accumulator, which the processor keeps in a register,
// the arguments, which it reads where the caller has them, and a few temporaries.
type instr struct {
	op opcode
	a  uint16  // an argument or a temporary
	b  uint32  // a second argument or temporary, or the instruction to jump to
	k  float64 // a constant
}

// opcode says what an instruction does. The last letters say where the operand is: K a constant, A an argument, T a
// temporary. Forms of one operation are numbered in that order.
type opcode uint16

const (
	opLoadK opcode = iota // acc = k
	opLoadA
	opLoadT
	opStoreT // temporary = acc

	opAddK // acc = acc + k
	opAddA
	opAddT
	opSubK
	opSubA
	opSubT
	opRsubK // acc = k - acc
	opRsubA
	opRsubT
	opMulK
	opMulA
	opMulT
	opDivK
	opDivA
	opDivT
	opRdivK
	opRdivA
	opRdivT
	opMinK
	opMinA
	opMinT
	opMaxK
	opMaxA
	opMaxT
	opModK
	opModA
	opModT
	opRmodK
	opRmodA
	opRmodT
	opPowK
	opPowA
	opPowT
	opRpowK
	opRpowA
	opRpowT

	opNeg
	opAbs
	opSqrt
	opFloor
	opCeil
	opExp
	opLog
	opLog1p
	opTanh
	opSquare

	opAddAK // acc = argument + k
	opRsubAK
	opMulAK
	opDivAK
	opRdivAK
	opAddAA // acc = argument + argument
	opSubAA
	opMulAA
	opDivAA

	opJump
	opReturn
	opReturnK

	opUnlessLtK // jump unless acc < k
	opUnlessLtA
	opUnlessLtT
	opUnlessLtAK // jump unless argument < k
	opUnlessLeK
	opUnlessLeA
	opUnlessLeT
	opUnlessLeAK
	opUnlessGtK
	opUnlessGtA
	opUnlessGtT
	opUnlessGtAK
	opUnlessGeK
	opUnlessGeA
	opUnlessGeT
	opUnlessGeAK
	opUnlessEqK
	opUnlessEqA
	opUnlessEqT
	opUnlessEqAK
	opUnlessNeK
	opUnlessNeA
	opUnlessNeT
	opUnlessNeAK
	opIfLtK // jump if acc < k
	opIfLtA
	opIfLtT
	opIfLtAK
	opIfLeK
	opIfLeA
	opIfLeT
	opIfLeAK
	opIfGtK
	opIfGtA
	opIfGtT
	opIfGtAK
	opIfGeK
	opIfGeA
	opIfGeT
	opIfGeAK
)

// run executes code and returns the accumulator. args has a value for each argument the code reads, temps room for each
// temporary it uses. Jumps only go forward, so that it ends.
//
// It is one flat switch: the compiler makes it a jump table, and the accumulator and the loop's own variables stay in
// registers.
func run(code []instr, args, temps []float64) float64 {
	var acc float64
	for pc := uint(0); pc < uint(len(code)); pc++ {
		in := &code[pc]
		switch in.op {
		case opLoadK:
			acc = in.k
		case opLoadA:
			acc = args[in.a]
		case opLoadT:
			acc = temps[in.a]
		case opStoreT:
			temps[in.a] = acc
		case opAddK:
			acc += in.k
		case opAddA:
			acc += args[in.a]
		case opAddT:
			acc += temps[in.a]
		case opSubK:
			acc -= in.k
		case opSubA:
			acc -= args[in.a]
		case opSubT:
			acc -= temps[in.a]
		case opRsubK:
			acc = in.k - acc
		case opRsubA:
			acc = args[in.a] - acc
		case opRsubT:
			acc = temps[in.a] - acc
		case opMulK:
			acc *= in.k
		case opMulA:
			acc *= args[in.a]
		case opMulT:
			acc *= temps[in.a]
		case opDivK:
			acc /= in.k
		case opDivA:
			acc /= args[in.a]
		case opDivT:
			acc /= temps[in.a]
		case opRdivK:
			acc = in.k / acc
		case opRdivA:
			acc = args[in.a] / acc
		case opRdivT:
			acc = temps[in.a] / acc
		case opMinK:
			acc = min(acc, in.k)
		case opMinA:
			acc = min(acc, args[in.a])
		case opMinT:
			acc = min(acc, temps[in.a])
		case opMaxK:
			acc = max(acc, in.k)
		case opMaxA:
			acc = max(acc, args[in.a])
		case opMaxT:
			acc = max(acc, temps[in.a])
		case opModK:
			acc = fmath.Mod(acc, in.k)
		case opModA:
			acc = fmath.Mod(acc, args[in.a])
		case opModT:
			acc = fmath.Mod(acc, temps[in.a])
		case opRmodK:
			acc = fmath.Mod(in.k, acc)
		case opRmodA:
			acc = fmath.Mod(args[in.a], acc)
		case opRmodT:
			acc = fmath.Mod(temps[in.a], acc)
		case opPowK:
			acc = fmath.Pow(acc, in.k)
		case opPowA:
			acc = fmath.Pow(acc, args[in.a])
		case opPowT:
			acc = fmath.Pow(acc, temps[in.a])
		case opRpowK:
			acc = fmath.Pow(in.k, acc)
		case opRpowA:
			acc = fmath.Pow(args[in.a], acc)
		case opRpowT:
			acc = fmath.Pow(temps[in.a], acc)
		case opNeg:
			acc = -acc
		case opAbs:
			acc = math.Abs(acc)
		case opSqrt:
			acc = math.Sqrt(acc)
		case opFloor:
			acc = math.Floor(acc)
		case opCeil:
			acc = math.Ceil(acc)
		case opExp:
			acc = fmath.Exp(acc)
		case opLog:
			acc = fmath.Log(acc)
		case opLog1p:
			acc = fmath.Log1p(acc)
		case opTanh:
			acc = fmath.Tanh(acc)
		case opSquare:
			acc *= acc
		case opAddAK:
			acc = args[in.a] + in.k
		case opRsubAK:
			acc = in.k - args[in.a]
		case opMulAK:
			acc = args[in.a] * in.k
		case opDivAK:
			acc = args[in.a] / in.k
		case opRdivAK:
			acc = in.k / args[in.a]
		case opAddAA:
			acc = args[in.a] + args[in.b]
		case opSubAA:
			acc = args[in.a] - args[in.b]
		case opMulAA:
			acc = args[in.a] * args[in.b]
		case opDivAA:
			acc = args[in.a] / args[in.b]
		case opJump:
			pc = uint(in.b) - 1
		case opReturn:
			return acc
		case opReturnK:
			return in.k
		case opUnlessLtK:
			if !(acc < in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessLtA:
			if !(acc < args[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessLtT:
			if !(acc < temps[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessLtAK:
			if !(args[in.a] < in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessLeK:
			if !(acc <= in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessLeA:
			if !(acc <= args[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessLeT:
			if !(acc <= temps[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessLeAK:
			if !(args[in.a] <= in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessGtK:
			if !(acc > in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessGtA:
			if !(acc > args[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessGtT:
			if !(acc > temps[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessGtAK:
			if !(args[in.a] > in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessGeK:
			if !(acc >= in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessGeA:
			if !(acc >= args[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessGeT:
			if !(acc >= temps[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessGeAK:
			if !(args[in.a] >= in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessEqK:
			if acc != in.k {
				pc = uint(in.b) - 1
			}
		case opUnlessEqA:
			if acc != args[in.a] {
				pc = uint(in.b) - 1
			}
		case opUnlessEqT:
			if acc != temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opUnlessEqAK:
			if args[in.a] != in.k {
				pc = uint(in.b) - 1
			}
		case opUnlessNeK:
			if acc == in.k {
				pc = uint(in.b) - 1
			}
		case opUnlessNeA:
			if acc == args[in.a] {
				pc = uint(in.b) - 1
			}
		case opUnlessNeT:
			if acc == temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opUnlessNeAK:
			if args[in.a] == in.k {
				pc = uint(in.b) - 1
			}
		case opIfLtK:
			if acc < in.k {
				pc = uint(in.b) - 1
			}
		case opIfLtA:
			if acc < args[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfLtT:
			if acc < temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfLtAK:
			if args[in.a] < in.k {
				pc = uint(in.b) - 1
			}
		case opIfLeK:
			if acc <= in.k {
				pc = uint(in.b) - 1
			}
		case opIfLeA:
			if acc <= args[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfLeT:
			if acc <= temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfLeAK:
			if args[in.a] <= in.k {
				pc = uint(in.b) - 1
			}
		case opIfGtK:
			if acc > in.k {
				pc = uint(in.b) - 1
			}
		case opIfGtA:
			if acc > args[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfGtT:
			if acc > temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfGtAK:
			if args[in.a] > in.k {
				pc = uint(in.b) - 1
			}
		case opIfGeK:
			if acc >= in.k {
				pc = uint(in.b) - 1
			}
		case opIfGeA:
			if acc >= args[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfGeT:
			if acc >= temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfGeAK:
			if args[in.a] >= in.k {
				pc = uint(in.b) - 1
			}
		}
	}
	return acc
}
