package machine

// instr is one instruction of the scalar program. The machine has one accumulator, which the processor keeps in a register,
// the arguments, which it reads where the caller has them, and a few temporaries.
type instr struct {
	op opcode
	a  uint16  // an argument or a temporary
	b  uint32  // a second argument or a temporary, or the instruction to jump to
	k  float64 // a constant
}

// opcode says what an instruction does: an operation and the mode of its operand, which is 0 where it has none.
type opcode uint16

// Operations. Those of the first group take an operand in any mode that the compiler makes for them (a root is an operation
// of its own, a constant subtracted is one added), those of the second a constant, an argument or a temporary; R stands for
// reversed operands.
const (
	opLoad opcode = iota << 4 // acc = operand
	opAdd                     // acc = acc + operand
	opSub
	opRsub // acc = operand - acc
	opMul
	opDiv
	opRdiv

	opPush // temporary b = acc, acc = operand; not in the modes that need b

	opMin
	opMax
	opMod
	opRmod
	opPow
	opRpow

	opUnlessLt // jump unless acc < operand
	opUnlessLe
	opUnlessGt
	opUnlessGe
	opUnlessEq
	opUnlessNe
	opIfLt // jump if acc < operand; not the opposite of unless acc >= operand, because of NaN
	opIfLe
	opIfGt
	opIfGe

	opKeepLt // acc = temporary b unless operand < k; modes A and T
	opKeepLe
	opKeepGt
	opKeepGe
	opKeepEq
	opKeepNe

	opSqrt // of the accumulator (modeAcc), an argument, or one that a constant is added to, multiplied with or divided by
	opExp
	opLog
	opLog1p
	opTanh

	opPlain // the operations below
)

// Operations whose operand, if any, has one mode.
const (
	opStore   opcode = opPlain + iota // temporary a = acc
	opOut                             // argument a = acc: an output of code with effects
	opJump                            // to b
	opReturn                          // acc
	opReturnK                         // k
	opSquare
	opNeg
	opAbs
	opFloor
	opCeil
)

// Modes of an operand. The combined ones save an instruction where a rule does arithmetic on its arguments.
const (
	modeK      opcode = iota // constant k
	modeA                    // argument a
	modeT                    // temporary a
	modeAddAK                // argument a + k
	modeRsubAK               // k - argument a
	modeMulAK
	modeDivAK
	modeRdivAK
	modeAddAB // argument a + argument b
	modeSubAB
	modeMulAB
	modeDivAB
	modeSqrtA
	modeSqrtAddAK // sqrt(argument a + k)

	modeAK  = 3 // of a jump: compare argument a to k, not the accumulator
	modeAcc = 0 // of a function: the accumulator
)
