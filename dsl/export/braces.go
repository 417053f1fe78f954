package export

import (
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// braces is what C and JavaScript have in common.
type braces struct {
	uses map[string]bool
	// equal and differ are the operators of equality, prefix stands before the names of helpers.
	equal, differ, prefix string
}

func (braces) number(v float64) term {
	if isNegativeZero(v) {
		return term{text: "-0.0", prec: looseUnary}
	}
	return decimal(v)
}

func (braces) truth(v bool) term {
	if v {
		return atom("true")
	}
	return atom("false")
}

// helper calls a function that the file carries.
func (s braces) helper(name string, args ...term) term {
	s.uses[s.prefix+name] = true
	return call(s.prefix+name, args...)
}

func (braces) unary(op dsl.Op, x term) term {
	if op == dsl.Not {
		return term{text: "!" + x.in(looseUnary), prec: looseUnary}
	}
	return negated(x)
}

func (s braces) binary(e *dsl.Binary, x, y term) term {
	switch e.Op {
	case dsl.Or:
		return term{text: alternative(x) + " || " + alternative(y), prec: looseOr}
	case dsl.And:
		return term{text: x.in(looseAnd) + " && " + y.in(looseCompare), prec: looseAnd}
	case dsl.Eq:
		return term{text: x.in(looseSum) + s.equal + y.in(looseSum), prec: looseCompare}
	case dsl.Ne:
		return term{text: x.in(looseSum) + s.differ + y.in(looseSum), prec: looseCompare}
	case dsl.Mod:
		return s.helper("mod", x, y)
	case dsl.Pow:
		return s.power(e, x, y)
	}
	return infix(e.Op, x, y)
}

// infix writes the operators that every language has alike: the arithmetic ones and the orders.
func infix(op dsl.Op, x, y term) term {
	text := " " + goOperators[op] + " "
	switch op {
	case dsl.Add, dsl.Sub:
		return term{text: x.in(looseSum) + text + y.in(looseProduct), prec: looseSum}
	case dsl.Mul, dsl.Div:
		return term{text: x.in(looseProduct) + text + y.in(looseUnary), prec: looseProduct}
	}
	return term{text: x.in(looseSum) + text + y.in(looseSum), prec: looseCompare}
}

// alternative is an operand of ||. An && there gets parentheses that compilers ask for.
func alternative(x term) string {
	if x.prec == looseAnd {
		return "(" + x.text + ")"
	}
	return x.in(looseOr)
}

func (s braces) power(e *dsl.Binary, x, y term) term {
	n := wholePower(e)
	switch {
	case n == 0:
		return s.helper("pow", x, y)
	case isName(e.X):
		return repeated(x, n)
	case n == 2:
		return s.helper("square", x)
	}
	return s.helper("cube", x)
}

// repeated multiplies a name by itself.
func repeated(x term, n int) term {
	return term{text: strings.Repeat(x.text+" * ", n-1) + x.text, prec: looseProduct}
}

func (braces) cond(c, a, b term) term {
	return term{text: c.in(looseOr) + " ? " + a.in(looseOr) + " : " + b.in(looseCond), prec: looseCond}
}

func (braces) declare(string, dsl.Type) (string, bool) { return "", false }

func (braces) assign(name string, op dsl.AssignOp, v term) string {
	return name + " " + op.String() + " " + v.text + ";"
}

func (braces) ret(v term) string { return "return " + v.text + ";" }

func (braces) ifLine(first bool, c term) string {
	if first {
		return "if (" + c.text + ") {"
	}
	return "} else if (" + c.text + ") {"
}

func (braces) elseLine() string            { return "} else {" }
func (braces) end() string                 { return "}" }
func (braces) empty() string               { return "" }
func (braces) comment(text string) string  { return "// " + text }
func (braces) trailing(text string) string { return " // " + text }
