package machine

import (
	"fmt"
	"strings"
)

// opNames are the operations of each group of opcodes in order, plainNames those that follow the groups.
var (
	opNames = [...]string{"load", "add", "sub", "rsub", "mul", "div", "rdiv", "push", "min", "max", "mod", "rmod", "pow", "rpow",
		"unless <", "unless <=", "unless >", "unless >=", "unless ==", "unless !=", "if <", "if <=", "if >", "if >=",
		"keep <", "keep <=", "keep >", "keep >=", "keep ==", "keep !=", "sqrt", "exp", "log", "log1p", "tanh"}
	plainNames = [...]string{"store", "out", "jump", "return", "return", "square", "neg", "abs", "floor", "ceil"}
	modeForms  = [...]string{"K", "A", "T", "A + K", "K - A", "A * K", "A / K", "K / A", "A + B", "A - B", "A * B", "A / B", "sqrt A", "sqrt A + K"}
)

// Listing names what a listing of the instructions shows.
type Listing struct {
	Args    []string             // the arguments
	Outputs []string             // what code with effects leaves, by position
	Number  func(float64) string // how a constant is written
}

// List lists the instructions of the scalar program, one a line: number, operation, operand. The accumulator is on the
// left of an operation, on the right of those named r...; a comparison that names two values leaves it alone.
// Temporaries are t0, t1, ...
func (l Listing) List(c *Code) string {
	var b strings.Builder
	for i, in := range c.code {
		line := fmt.Sprintf("%3d  %s", i, l.instruction(in))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func (l Listing) instruction(in instr) string {
	if in.op >= opPlain {
		form := map[opcode]string{opStore: "T", opOut: "O", opJump: "-> J", opReturnK: "K"}[in.op]
		return fmt.Sprintf("%-9s %s", plainNames[in.op-opPlain], l.operand(in, form))
	}
	name, mode := opNames[in.op>>4], in.op&15
	switch {
	case in.op >= opPush && in.op < opMin:
		return fmt.Sprintf("%-9s %s", name, l.operand(in, "U, "+modeForms[mode]))
	case in.op < opUnlessLt:
		return fmt.Sprintf("%-9s %s", name, l.operand(in, modeForms[mode]))
	case in.op >= opSqrt && mode == modeAcc:
		return name
	case in.op >= opSqrt:
		return fmt.Sprintf("%-9s %s", name, l.operand(in, modeForms[mode]))
	case in.op >= opKeepLt:
		word, sign, _ := strings.Cut(name, " ")
		return fmt.Sprintf("%-9s %s", word, l.operand(in, "if "+modeForms[mode]+" "+sign+" K else U"))
	case mode == modeAK:
		word, sign, _ := strings.Cut(name, " ")
		return fmt.Sprintf("%-9s %s", word, l.operand(in, "A "+sign+" K -> J"))
	}
	return fmt.Sprintf("%-9s %s", name, l.operand(in, modeForms[mode]+" -> J"))
}

// operand replaces the letters of a form by what the instruction has there.
func (l Listing) operand(in instr, form string) string {
	var b strings.Builder
	for _, c := range form {
		switch c {
		case 'K':
			b.WriteString(l.Number(in.k))
		case 'A':
			b.WriteString(l.Args[in.a])
		case 'B':
			b.WriteString(l.Args[in.b])
		case 'O':
			b.WriteString(l.Outputs[int(in.a)-len(l.Args)])
		case 'T':
			fmt.Fprintf(&b, "t%d", in.a)
		case 'U':
			fmt.Fprintf(&b, "t%d", in.b)
		case 'J':
			fmt.Fprint(&b, in.b)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
