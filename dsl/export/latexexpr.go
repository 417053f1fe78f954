package export

import (
	"fmt"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// latexEscapes are the characters that names and words have and LaTeX reserves.
var latexEscapes = strings.NewReplacer("_", `\_`)

// latexName is a name: one letter as it is, more letters as one word.
func latexName(name string) string {
	if len(name) == 1 && name != "_" {
		return name
	}
	return `\mathit{` + latexEscapes.Replace(name) + "}"
}

func latexText(word string) string { return `\text{` + latexEscapes.Replace(word) + "}" }

// grouped is an operand in parentheses that grow with it, where it binds more loosely than prec or begins with a sign that
// another operator would stand next to.
func grouped(t term, prec int) string {
	if t.prec < prec || prec > looseSum && strings.HasPrefix(t.text, "-") {
		return parens(t.text)
	}
	return t.text
}

func parens(text string) string { return `\left(` + text + `\right)` }

var latexOperators = map[dsl.Op]string{
	dsl.Or: ` \lor `, dsl.And: ` \land `, dsl.Eq: " = ", dsl.Ne: ` \ne `, dsl.Lt: " < ", dsl.Le: ` \le `, dsl.Gt: " > ", dsl.Ge: ` \ge `,
	dsl.Add: " + ", dsl.Sub: " - ", dsl.Mul: ` \cdot `, dsl.Mod: ` \bmod `,
}

// mathematics writes expressions.
type mathematics struct {
	f      *function
	values map[string]localValue
}

// name is a name: a value of a local, a word, or an input.
func (m *mathematics) name(name string) term {
	if v, ok := m.values[name]; ok {
		if v.n == 1 {
			return atom(latexName(v.local))
		}
		return atom(fmt.Sprintf("%s_{%d}", latexName(v.local), v.n))
	}
	if _, set, i := m.f.word(name); set != nil {
		return atom(set.constants[i])
	}
	return atom(latexName(name))
}

// value is an expression that stands alone; a conditional one is cases.
func (m *mathematics) value(e dsl.Expr) string {
	if _, ok := e.(*dsl.Cond); !ok {
		return m.expr(e).text
	}
	var b strings.Builder
	b.WriteString("\\begin{cases}\n")
	for {
		c, ok := e.(*dsl.Cond)
		if !ok {
			break
		}
		fmt.Fprintf(&b, "  %s & \\text{if } %s \\\\\n", m.expr(c.Then).text, m.expr(c.If).text)
		e = c.Else
	}
	fmt.Fprintf(&b, "  %s & \\text{otherwise}\n\\end{cases}", m.expr(e).text)
	return b.String()
}

func negation(c term) term {
	return term{text: `\lnot ` + grouped(c, tight), prec: looseNot}
}

func (m *mathematics) expr(e dsl.Expr) term {
	switch e := e.(type) {
	case *dsl.Num:
		return latexNumber(e.Value)
	case *dsl.Bool:
		return atom(latexText(fmt.Sprint(e.Value)))
	case *dsl.Ref:
		return m.name(e.Name)
	case *dsl.Unary:
		x := m.expr(e.X)
		switch e.Op {
		case dsl.Neg:
			return term{text: "-" + grouped(x, looseProduct), prec: looseSum}
		case dsl.Not:
			return negation(x)
		}
		return x
	case *dsl.Binary:
		return m.binary(e)
	case *dsl.Cond:
		return atom(parens(m.value(e)))
	case *dsl.Call:
		args := make([]term, len(e.Args))
		for i, a := range e.Args {
			args[i] = m.expr(a)
		}
		return latexCall(e.Fn.Text, args)
	}
	return term{}
}

// latexNumber writes exponents as powers of ten.
func latexNumber(v float64) term {
	mantissa, exponent, found := strings.Cut(dsl.FormatNumber(v), "e")
	t := term{text: mantissa, prec: tight}
	if found {
		t = term{text: mantissa + ` \cdot 10^{` + exponent + "}", prec: looseProduct}
		if mantissa == "1" {
			t = term{text: "10^{" + exponent + "}", prec: looseUnary}
		}
	}
	if strings.HasPrefix(mantissa, "-") {
		t.prec = looseSum
	}
	return t
}

func (m *mathematics) binary(e *dsl.Binary) term {
	x, y := m.expr(e.X), m.expr(e.Y)
	infix := func(left, right, prec int) term {
		return term{text: grouped(x, left) + latexOperators[e.Op] + grouped(y, right), prec: prec}
	}
	switch e.Op {
	case dsl.Or:
		return infix(looseOr, looseAnd, looseOr)
	case dsl.And:
		return infix(looseAnd, looseCompare, looseAnd)
	case dsl.Add, dsl.Sub:
		return infix(looseSum, looseProduct, looseSum)
	case dsl.Mul, dsl.Mod:
		return infix(looseProduct, looseUnary, looseProduct)
	case dsl.Div:
		return term{text: `\frac{` + x.text + "}{" + y.text + "}", prec: looseUnary}
	case dsl.Pow:
		return latexPower(x, y)
	}
	return infix(looseSum, looseSum, looseCompare)
}

func latexPower(x, y term) term {
	return term{text: grouped(x, tight) + "^{" + y.text + "}", prec: looseUnary}
}

func latexCall(fn string, args []term) term {
	x := args[0]
	switch fn {
	case "abs":
		return atom(`\left|` + x.text + `\right|`)
	case "sqrt":
		return atom(`\sqrt{` + x.text + "}")
	case "floor":
		return atom(`\left\lfloor ` + x.text + ` \right\rfloor`)
	case "ceil":
		return atom(`\left\lceil ` + x.text + ` \right\rceil`)
	case "exp":
		return latexPower(atom("e"), x)
	case "pow":
		return latexPower(x, args[1])
	case "log":
		return atom(`\ln` + parens(x.text))
	case "log1p":
		return atom(`\ln` + parens("1 + "+grouped(x, looseProduct)))
	case "clamp":
		return latexCall("min", []term{latexCall("max", args[:2]), args[2]})
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.text
	}
	return atom(`\` + fn + parens(strings.Join(texts, ", ")))
}
