package dsl

import (
	"fmt"
	"sort"
	"strings"
)

// family is the forms of one operation: consecutive opcodes, one for each mode.
type family struct {
	first opcode
	name  string
	modes []string // letters of the operands: K constant, A argument, T temporary, J target of a jump
}

var (
	threeModes = []string{"K", "A", "T"}
	jumpModes  = []string{"KJ", "AJ", "TJ", "AKJ"}
	noModes    = []string{""}
)

// families lists all opcodes in ascending order.
var families = []family{
	{opLoadK, "load", threeModes}, {opStoreT, "store", []string{"T"}},
	{opAddK, "add", threeModes}, {opSubK, "sub", threeModes}, {opRsubK, "rsub", threeModes}, {opMulK, "mul", threeModes},
	{opDivK, "div", threeModes}, {opRdivK, "rdiv", threeModes}, {opMinK, "min", threeModes}, {opMaxK, "max", threeModes},
	{opModK, "mod", threeModes}, {opRmodK, "rmod", threeModes}, {opPowK, "pow", threeModes}, {opRpowK, "rpow", threeModes},
	{opNeg, "neg", noModes}, {opAbs, "abs", noModes}, {opSqrt, "sqrt", noModes}, {opFloor, "floor", noModes},
	{opCeil, "ceil", noModes}, {opExp, "exp", noModes}, {opLog, "log", noModes}, {opLog1p, "log1p", noModes},
	{opTanh, "tanh", noModes}, {opSquare, "square", noModes},
	{opAddAK, "add", []string{"AK"}}, {opRsubAK, "rsub", []string{"AK"}}, {opMulAK, "mul", []string{"AK"}},
	{opDivAK, "div", []string{"AK"}}, {opRdivAK, "rdiv", []string{"AK"}},
	{opAddAA, "add", []string{"AB"}}, {opSubAA, "sub", []string{"AB"}}, {opMulAA, "mul", []string{"AB"}}, {opDivAA, "div", []string{"AB"}},
	{opJump, "jump", []string{"J"}}, {opReturn, "return", noModes}, {opReturnK, "return", []string{"K"}},
	{opUnlessLtK, "unless <", jumpModes}, {opUnlessLeK, "unless <=", jumpModes}, {opUnlessGtK, "unless >", jumpModes},
	{opUnlessGeK, "unless >=", jumpModes}, {opUnlessEqK, "unless ==", jumpModes}, {opUnlessNeK, "unless !=", jumpModes},
	{opIfLtK, "if <", jumpModes}, {opIfLeK, "if <=", jumpModes}, {opIfGtK, "if >", jumpModes}, {opIfGeK, "if >=", jumpModes},
}

// String lists the instructions of the scalar program, one a line: number, operation, operands. An operation has the
// accumulator on its left, those named r... on its right; with two operands they are both in the list. Temporaries are t0, t1, ...
func (p *Program) String() string {
	var b strings.Builder
	for i, in := range p.code {
		n := sort.Search(len(families), func(n int) bool { return families[n].first > in.op }) - 1
		f := families[n]
		line := fmt.Sprintf("%3d  %-9s %s", i, f.name, p.operands(in, f.modes[in.op-f.first]))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func (p *Program) operands(in instr, modes string) string {
	var list []string
	for _, m := range modes {
		switch m {
		case 'K':
			list = append(list, FormatNumber(in.k))
		case 'A':
			list = append(list, p.names[in.a])
		case 'B':
			list = append(list, p.names[in.b])
		case 'T':
			list = append(list, fmt.Sprintf("t%d", in.a))
		case 'J':
			list = append(list, fmt.Sprintf("-> %d", in.b))
		}
	}
	return strings.Join(list, " ")
}
