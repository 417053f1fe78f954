package machine

//lint:file-ignore SA4016 modeK is 0 by design: naming it keeps every case of the switch in one form

import (
	"math"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// Sizes of the temporaries that run keeps on its stack. Nearly all rules need the small one, and clearing more would cost as
// much as an operation.
const (
	smallTemps = 8
	largeTemps = 1024
)

// run executes code and returns the accumulator. args has a value for each argument the code reads. Jumps only go forward,
// so that it ends.
//
// It is one flat switch: the compiler makes it a jump table, and the accumulator and the loop's own variables stay in
// registers. A product that is an operand is rounded by a conversion, so that no compiler fuses it with the sum around it.
func run[F [smallTemps]float64 | [largeTemps]float64](code []instr, args []float64) float64 {
	var temps F
	var acc float64
	for pc := uint(0); pc < uint(len(code)); pc++ {
		in := &code[pc]
		switch in.op {
		case opLoad | modeK:
			acc = in.k
		case opLoad | modeA:
			acc = args[in.a]
		case opLoad | modeT:
			acc = temps[in.a]
		case opLoad | modeAddAK:
			acc = args[in.a] + in.k
		case opLoad | modeRsubAK:
			acc = in.k - args[in.a]
		case opLoad | modeMulAK:
			acc = float64(args[in.a] * in.k)
		case opLoad | modeDivAK:
			acc = args[in.a] / in.k
		case opLoad | modeRdivAK:
			acc = in.k / args[in.a]
		case opLoad | modeAddAB:
			acc = args[in.a] + args[in.b]
		case opLoad | modeSubAB:
			acc = args[in.a] - args[in.b]
		case opLoad | modeMulAB:
			acc = float64(args[in.a] * args[in.b])
		case opLoad | modeDivAB:
			acc = args[in.a] / args[in.b]
		case opAdd | modeK:
			acc += in.k
		case opAdd | modeA:
			acc += args[in.a]
		case opAdd | modeT:
			acc += temps[in.a]
		case opAdd | modeAddAK:
			acc += args[in.a] + in.k
		case opAdd | modeRsubAK:
			acc += in.k - args[in.a]
		case opAdd | modeMulAK:
			acc += float64(args[in.a] * in.k)
		case opAdd | modeDivAK:
			acc += args[in.a] / in.k
		case opAdd | modeRdivAK:
			acc += in.k / args[in.a]
		case opAdd | modeAddAB:
			acc += args[in.a] + args[in.b]
		case opAdd | modeSubAB:
			acc += args[in.a] - args[in.b]
		case opAdd | modeMulAB:
			acc += float64(args[in.a] * args[in.b])
		case opAdd | modeDivAB:
			acc += args[in.a] / args[in.b]
		case opAdd | modeSqrtA:
			acc += math.Sqrt(args[in.a])
		case opAdd | modeSqrtAddAK:
			acc += math.Sqrt(args[in.a] + in.k)
		case opSub | modeA:
			acc -= args[in.a]
		case opSub | modeT:
			acc -= temps[in.a]
		case opSub | modeAddAK:
			acc -= args[in.a] + in.k
		case opSub | modeRsubAK:
			acc -= in.k - args[in.a]
		case opSub | modeMulAK:
			acc -= float64(args[in.a] * in.k)
		case opSub | modeDivAK:
			acc -= args[in.a] / in.k
		case opSub | modeRdivAK:
			acc -= in.k / args[in.a]
		case opSub | modeAddAB:
			acc -= args[in.a] + args[in.b]
		case opSub | modeSubAB:
			acc -= args[in.a] - args[in.b]
		case opSub | modeMulAB:
			acc -= float64(args[in.a] * args[in.b])
		case opSub | modeDivAB:
			acc -= args[in.a] / args[in.b]
		case opSub | modeSqrtA:
			acc -= math.Sqrt(args[in.a])
		case opSub | modeSqrtAddAK:
			acc -= math.Sqrt(args[in.a] + in.k)
		case opRsub | modeK:
			acc = in.k - acc
		case opRsub | modeA:
			acc = args[in.a] - acc
		case opRsub | modeT:
			acc = temps[in.a] - acc
		case opRsub | modeAddAK:
			acc = (args[in.a] + in.k) - acc
		case opRsub | modeRsubAK:
			acc = (in.k - args[in.a]) - acc
		case opRsub | modeMulAK:
			acc = float64(args[in.a]*in.k) - acc
		case opRsub | modeDivAK:
			acc = (args[in.a] / in.k) - acc
		case opRsub | modeRdivAK:
			acc = (in.k / args[in.a]) - acc
		case opRsub | modeAddAB:
			acc = (args[in.a] + args[in.b]) - acc
		case opRsub | modeSubAB:
			acc = (args[in.a] - args[in.b]) - acc
		case opRsub | modeMulAB:
			acc = float64(args[in.a]*args[in.b]) - acc
		case opRsub | modeDivAB:
			acc = (args[in.a] / args[in.b]) - acc
		case opRsub | modeSqrtA:
			acc = math.Sqrt(args[in.a]) - acc
		case opRsub | modeSqrtAddAK:
			acc = math.Sqrt(args[in.a]+in.k) - acc
		case opMul | modeK:
			acc *= in.k
		case opMul | modeA:
			acc *= args[in.a]
		case opMul | modeT:
			acc *= temps[in.a]
		case opMul | modeAddAK:
			acc *= args[in.a] + in.k
		case opMul | modeRsubAK:
			acc *= in.k - args[in.a]
		case opMul | modeMulAK:
			acc *= float64(args[in.a] * in.k)
		case opMul | modeDivAK:
			acc *= args[in.a] / in.k
		case opMul | modeRdivAK:
			acc *= in.k / args[in.a]
		case opMul | modeAddAB:
			acc *= args[in.a] + args[in.b]
		case opMul | modeSubAB:
			acc *= args[in.a] - args[in.b]
		case opMul | modeMulAB:
			acc *= float64(args[in.a] * args[in.b])
		case opMul | modeDivAB:
			acc *= args[in.a] / args[in.b]
		case opMul | modeSqrtA:
			acc *= math.Sqrt(args[in.a])
		case opMul | modeSqrtAddAK:
			acc *= math.Sqrt(args[in.a] + in.k)
		case opDiv | modeK:
			acc /= in.k
		case opDiv | modeA:
			acc /= args[in.a]
		case opDiv | modeT:
			acc /= temps[in.a]
		case opDiv | modeAddAK:
			acc /= args[in.a] + in.k
		case opDiv | modeRsubAK:
			acc /= in.k - args[in.a]
		case opDiv | modeMulAK:
			acc /= float64(args[in.a] * in.k)
		case opDiv | modeDivAK:
			acc /= args[in.a] / in.k
		case opDiv | modeRdivAK:
			acc /= in.k / args[in.a]
		case opDiv | modeAddAB:
			acc /= args[in.a] + args[in.b]
		case opDiv | modeSubAB:
			acc /= args[in.a] - args[in.b]
		case opDiv | modeMulAB:
			acc /= float64(args[in.a] * args[in.b])
		case opDiv | modeDivAB:
			acc /= args[in.a] / args[in.b]
		case opDiv | modeSqrtA:
			acc /= math.Sqrt(args[in.a])
		case opDiv | modeSqrtAddAK:
			acc /= math.Sqrt(args[in.a] + in.k)
		case opRdiv | modeK:
			acc = in.k / acc
		case opRdiv | modeA:
			acc = args[in.a] / acc
		case opRdiv | modeT:
			acc = temps[in.a] / acc
		case opRdiv | modeAddAK:
			acc = (args[in.a] + in.k) / acc
		case opRdiv | modeRsubAK:
			acc = (in.k - args[in.a]) / acc
		case opRdiv | modeMulAK:
			acc = float64(args[in.a]*in.k) / acc
		case opRdiv | modeDivAK:
			acc = (args[in.a] / in.k) / acc
		case opRdiv | modeRdivAK:
			acc = (in.k / args[in.a]) / acc
		case opRdiv | modeAddAB:
			acc = (args[in.a] + args[in.b]) / acc
		case opRdiv | modeSubAB:
			acc = (args[in.a] - args[in.b]) / acc
		case opRdiv | modeMulAB:
			acc = float64(args[in.a]*args[in.b]) / acc
		case opRdiv | modeDivAB:
			acc = (args[in.a] / args[in.b]) / acc
		case opRdiv | modeSqrtA:
			acc = math.Sqrt(args[in.a]) / acc
		case opRdiv | modeSqrtAddAK:
			acc = math.Sqrt(args[in.a]+in.k) / acc
		case opPush | modeK:
			temps[in.b], acc = acc, in.k
		case opPush | modeA:
			temps[in.b], acc = acc, args[in.a]
		case opPush | modeT:
			temps[in.b], acc = acc, temps[in.a]
		case opPush | modeAddAK:
			temps[in.b], acc = acc, args[in.a]+in.k
		case opPush | modeRsubAK:
			temps[in.b], acc = acc, in.k-args[in.a]
		case opPush | modeMulAK:
			temps[in.b], acc = acc, float64(args[in.a]*in.k)
		case opPush | modeDivAK:
			temps[in.b], acc = acc, args[in.a]/in.k
		case opPush | modeRdivAK:
			temps[in.b], acc = acc, in.k/args[in.a]
		case opMin | modeK:
			acc = min(acc, in.k)
		case opMin | modeA:
			acc = min(acc, args[in.a])
		case opMin | modeT:
			acc = min(acc, temps[in.a])
		case opMax | modeK:
			acc = max(acc, in.k)
		case opMax | modeA:
			acc = max(acc, args[in.a])
		case opMax | modeT:
			acc = max(acc, temps[in.a])
		case opMod | modeK:
			acc = fmath.Mod(acc, in.k)
		case opMod | modeA:
			acc = fmath.Mod(acc, args[in.a])
		case opMod | modeT:
			acc = fmath.Mod(acc, temps[in.a])
		case opRmod | modeK:
			acc = fmath.Mod(in.k, acc)
		case opRmod | modeA:
			acc = fmath.Mod(args[in.a], acc)
		case opRmod | modeT:
			acc = fmath.Mod(temps[in.a], acc)
		case opPow | modeK:
			acc = fmath.Pow(acc, in.k)
		case opPow | modeA:
			acc = fmath.Pow(acc, args[in.a])
		case opPow | modeT:
			acc = fmath.Pow(acc, temps[in.a])
		case opRpow | modeK:
			acc = fmath.Pow(in.k, acc)
		case opRpow | modeA:
			acc = fmath.Pow(args[in.a], acc)
		case opRpow | modeT:
			acc = fmath.Pow(temps[in.a], acc)
		case opUnlessLt | modeK:
			if !(acc < in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessLt | modeA:
			if !(acc < args[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessLt | modeT:
			if !(acc < temps[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessLt | modeAK:
			if !(args[in.a] < in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessLe | modeK:
			if !(acc <= in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessLe | modeA:
			if !(acc <= args[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessLe | modeT:
			if !(acc <= temps[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessLe | modeAK:
			if !(args[in.a] <= in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessGt | modeK:
			if !(acc > in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessGt | modeA:
			if !(acc > args[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessGt | modeT:
			if !(acc > temps[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessGt | modeAK:
			if !(args[in.a] > in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessGe | modeK:
			if !(acc >= in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessGe | modeA:
			if !(acc >= args[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessGe | modeT:
			if !(acc >= temps[in.a]) {
				pc = uint(in.b) - 1
			}
		case opUnlessGe | modeAK:
			if !(args[in.a] >= in.k) {
				pc = uint(in.b) - 1
			}
		case opUnlessEq | modeK:
			if acc != in.k {
				pc = uint(in.b) - 1
			}
		case opUnlessEq | modeA:
			if acc != args[in.a] {
				pc = uint(in.b) - 1
			}
		case opUnlessEq | modeT:
			if acc != temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opUnlessEq | modeAK:
			if args[in.a] != in.k {
				pc = uint(in.b) - 1
			}
		case opUnlessNe | modeK:
			if acc == in.k {
				pc = uint(in.b) - 1
			}
		case opUnlessNe | modeA:
			if acc == args[in.a] {
				pc = uint(in.b) - 1
			}
		case opUnlessNe | modeT:
			if acc == temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opUnlessNe | modeAK:
			if args[in.a] == in.k {
				pc = uint(in.b) - 1
			}
		case opIfLt | modeK:
			if acc < in.k {
				pc = uint(in.b) - 1
			}
		case opIfLt | modeA:
			if acc < args[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfLt | modeT:
			if acc < temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfLt | modeAK:
			if args[in.a] < in.k {
				pc = uint(in.b) - 1
			}
		case opIfLe | modeK:
			if acc <= in.k {
				pc = uint(in.b) - 1
			}
		case opIfLe | modeA:
			if acc <= args[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfLe | modeT:
			if acc <= temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfLe | modeAK:
			if args[in.a] <= in.k {
				pc = uint(in.b) - 1
			}
		case opIfGt | modeK:
			if acc > in.k {
				pc = uint(in.b) - 1
			}
		case opIfGt | modeA:
			if acc > args[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfGt | modeT:
			if acc > temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfGt | modeAK:
			if args[in.a] > in.k {
				pc = uint(in.b) - 1
			}
		case opIfGe | modeK:
			if acc >= in.k {
				pc = uint(in.b) - 1
			}
		case opIfGe | modeA:
			if acc >= args[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfGe | modeT:
			if acc >= temps[in.a] {
				pc = uint(in.b) - 1
			}
		case opIfGe | modeAK:
			if args[in.a] >= in.k {
				pc = uint(in.b) - 1
			}
		case opKeepLt | modeA:
			acc = choose(args[in.a] < in.k, acc, temps[in.b])
		case opKeepLt | modeT:
			acc = choose(temps[in.a] < in.k, acc, temps[in.b])
		case opKeepLe | modeA:
			acc = choose(args[in.a] <= in.k, acc, temps[in.b])
		case opKeepLe | modeT:
			acc = choose(temps[in.a] <= in.k, acc, temps[in.b])
		case opKeepGt | modeA:
			acc = choose(args[in.a] > in.k, acc, temps[in.b])
		case opKeepGt | modeT:
			acc = choose(temps[in.a] > in.k, acc, temps[in.b])
		case opKeepGe | modeA:
			acc = choose(args[in.a] >= in.k, acc, temps[in.b])
		case opKeepGe | modeT:
			acc = choose(temps[in.a] >= in.k, acc, temps[in.b])
		case opKeepEq | modeA:
			acc = choose(args[in.a] == in.k, acc, temps[in.b])
		case opKeepEq | modeT:
			acc = choose(temps[in.a] == in.k, acc, temps[in.b])
		case opKeepNe | modeA:
			acc = choose(args[in.a] != in.k, acc, temps[in.b])
		case opKeepNe | modeT:
			acc = choose(temps[in.a] != in.k, acc, temps[in.b])
		case opSqrt | modeAcc:
			acc = math.Sqrt(acc)
		case opSqrt | modeA:
			acc = math.Sqrt(args[in.a])
		case opSqrt | modeAddAK:
			acc = math.Sqrt(args[in.a] + in.k)
		case opSqrt | modeMulAK:
			acc = math.Sqrt(float64(args[in.a] * in.k))
		case opSqrt | modeRdivAK:
			acc = math.Sqrt(in.k / args[in.a])
		case opExp | modeAcc:
			acc = fmath.Exp(acc)
		case opExp | modeA:
			acc = fmath.Exp(args[in.a])
		case opExp | modeAddAK:
			acc = fmath.Exp(args[in.a] + in.k)
		case opExp | modeMulAK:
			acc = fmath.Exp(float64(args[in.a] * in.k))
		case opExp | modeRdivAK:
			acc = fmath.Exp(in.k / args[in.a])
		case opLog | modeAcc:
			acc = fmath.Log(acc)
		case opLog | modeA:
			acc = fmath.Log(args[in.a])
		case opLog | modeAddAK:
			acc = fmath.Log(args[in.a] + in.k)
		case opLog | modeMulAK:
			acc = fmath.Log(float64(args[in.a] * in.k))
		case opLog | modeRdivAK:
			acc = fmath.Log(in.k / args[in.a])
		case opLog1p | modeAcc:
			acc = fmath.Log1p(acc)
		case opLog1p | modeA:
			acc = fmath.Log1p(args[in.a])
		case opLog1p | modeAddAK:
			acc = fmath.Log1p(args[in.a] + in.k)
		case opLog1p | modeMulAK:
			acc = fmath.Log1p(float64(args[in.a] * in.k))
		case opLog1p | modeRdivAK:
			acc = fmath.Log1p(in.k / args[in.a])
		case opTanh | modeAcc:
			acc = fmath.Tanh(acc)
		case opTanh | modeA:
			acc = fmath.Tanh(args[in.a])
		case opTanh | modeAddAK:
			acc = fmath.Tanh(args[in.a] + in.k)
		case opTanh | modeMulAK:
			acc = fmath.Tanh(float64(args[in.a] * in.k))
		case opTanh | modeRdivAK:
			acc = fmath.Tanh(in.k / args[in.a])
		case opStore:
			temps[in.a] = acc
		case opOut:
			args[in.a] = acc
		case opJump:
			pc = uint(in.b) - 1
		case opReturn:
			return acc
		case opReturnK:
			return in.k
		case opSquare:
			acc *= acc
		case opNeg:
			acc = -acc
		case opAbs:
			acc = math.Abs(acc)
		case opFloor:
			acc = floor(acc)
		case opCeil:
			acc = ceil(acc)
		}
	}
	return acc
}

// choose is cond ? x : y. On the bits of integers the compiler does it without a branch, which a condition that changes from
// call to call would mispredict.
func choose(cond bool, x, y float64) float64 {
	n, yes := math.Float64bits(y), math.Float64bits(x)
	if cond {
		n = yes
	}
	return math.Float64frombits(n)
}

// floor and ceil keep out of run the test for the processor's rounding instruction, which the compiler would make once an
// instruction.

//go:noinline
func floor(x float64) float64 { return math.Floor(x) }

//go:noinline
func ceil(x float64) float64 { return math.Ceil(x) }

// jumps reports an instruction whose b is a target.
func (in *instr) jumps() bool { return in.op == opJump || in.op >= opUnlessLt && in.op < opKeepLt }
