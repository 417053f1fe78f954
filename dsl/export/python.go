package export

import (
	"fmt"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// python writes Python 3. Where its arithmetic raises an exception or chooses otherwise than the rule language (a division by
// zero, math.log(-1), min with NaN), a helper of the file does as the language says.
type python struct{}

func (python) local(name string) string { return suffixed(name, pythonWords) }

func (python) functionName(rule string) string { return suffixed(rule, pythonWords) }

// Words are strings.
func (python) wordType(_, of string) string       { return of + " words" }
func (python) wordConstant(_, word string) string { return quoted(word) }

func (python) source(f *function) (string, error) {
	code, uses := pythonFunction(f)
	return "# " + origin(f) + "\n" + pythonHead(uses) + "\n\n" + code, nil
}

// helper is a function that exported code may carry.
type helper struct{ name, text string }

// helperTexts returns the helpers that are used, each below what separates it.
func helperTexts(all []helper, uses map[string]bool, separator string) string {
	var b strings.Builder
	for _, h := range all {
		if uses[h.name] {
			b.WriteString(separator + h.text)
		}
	}
	return b.String()
}

// pythonHead is what stands above the function: the helpers that it uses, below what they import.
func pythonHead(uses map[string]bool) string {
	helpers := helperTexts(pythonHelpers, uses, "\n\n")
	if uses["math"] || strings.Contains(helpers, "math.") {
		return "import math\n" + helpers
	}
	return helpers
}

var pythonHelpers = []helper{
	{"_div", `def _div(x, y):
    """x / y, infinite or NaN where Python raises an exception."""
    if y != 0.0:
        return x / y
    if x == 0.0 or x != x:
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1.0, y)
`},
	{"_mod", `def _mod(x, y):
    """x % y, NaN where Python raises an exception."""
    return x % y if y != 0.0 else math.nan
`},
	{"_min", `def _min(x, *others):
    """The least, NaN if any is NaN; -0.0 is less than 0.0."""
    for y in others:
        if y != y or y < x or (y == 0.0 and x == 0.0 and math.copysign(1.0, y) < 0.0):
            x = y
    return x
`},
	{"_max", `def _max(x, *others):
    """The greatest, NaN if any is NaN; 0.0 is greater than -0.0."""
    for y in others:
        if y != y or y > x or (y == 0.0 and x == 0.0 and math.copysign(1.0, y) > 0.0):
            x = y
    return x
`},
	{"_square", "def _square(x):\n    return x * x\n"},
	{"_cube", "def _cube(x):\n    return x * x * x\n"},
	{"_sqrt", "def _sqrt(x):\n    return math.sqrt(x) if x >= 0.0 else math.nan\n"},
	{"_floor", "def _floor(x):\n    return math.copysign(math.floor(x), x) if math.isfinite(x) else x\n"},
	{"_ceil", "def _ceil(x):\n    return math.copysign(math.ceil(x), x) if math.isfinite(x) else x\n"},
	{"_exp", `def _exp(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf
`},
	{"_log", `def _log(x):
    if x > 0.0:
        return math.log(x)
    return -math.inf if x == 0.0 else math.nan
`},
	{"_log1p", `def _log1p(x):
    if x > -1.0:
        return math.log1p(x)
    return -math.inf if x == -1.0 else math.nan
`},
	{"_pow", `def _pow(x, y):
    """x to the power of y, infinite or NaN where Python raises an exception."""
    try:
        return math.pow(x, y)
    except ValueError:
        if x != 0.0:
            return math.nan
    except OverflowError:
        pass
    negative = math.copysign(1.0, x) < 0.0 and y % 2.0 == 1.0
    return -math.inf if negative else math.inf
`},
}

// pythonFunction writes the function. uses holds the helpers it calls, and math.
func pythonFunction(f *function) (code string, uses map[string]bool) {
	uses = map[string]bool{}
	statements := body(f, &pythonSyntax{uses}, "    ")
	var b strings.Builder
	for _, l := range f.facts() {
		b.WriteString(strings.TrimRight("# "+l, " ") + "\n")
	}
	fmt.Fprintf(&b, "def %s(%s):\n", f.name, strings.Join(f.params, ", "))
	// A whole number is of a type of its own, whose arithmetic does not round.
	var numbers []string
	for i, in := range f.sig.Inputs {
		if _, visible := f.inputs[in.Name.Text]; visible && f.read[in.Name.Text] && in.Type.Kind == dsl.NumKind {
			numbers = append(numbers, f.params[i])
		}
	}
	if len(numbers) > 0 {
		fmt.Fprintf(&b, "    %s = %s\n", strings.Join(numbers, ", "), "float("+strings.Join(numbers, "), float(")+")")
	}
	b.WriteString(statements)
	return b.String(), uses
}

// pythonSyntax writes statements and expressions of Python.
type pythonSyntax struct {
	uses map[string]bool
}

func (p *pythonSyntax) helper(name string, args ...term) term {
	p.uses[name] = true
	return call(name, args...)
}

func (*pythonSyntax) number(v float64) term { return braces{}.number(v) }

func (*pythonSyntax) truth(v bool) term {
	if v {
		return atom("True")
	}
	return atom("False")
}

func (*pythonSyntax) word(s *wordSet, i int) term { return atom(s.constants[i]) }

func (*pythonSyntax) unary(op dsl.Op, x term) term {
	if op == dsl.Not {
		return term{text: "not " + x.in(looseNot), prec: looseNot}
	}
	return negated(x)
}

func (p *pythonSyntax) binary(e *dsl.Binary, x, y term) term {
	switch e.Op {
	case dsl.Or:
		return term{text: x.in(looseOr) + " or " + y.in(looseAnd), prec: looseOr}
	case dsl.And:
		return term{text: x.in(looseAnd) + " and " + y.in(looseNot), prec: looseAnd}
	case dsl.Eq:
		return term{text: x.in(looseSum) + " == " + y.in(looseSum), prec: looseCompare}
	case dsl.Ne:
		return term{text: x.in(looseSum) + " != " + y.in(looseSum), prec: looseCompare}
	case dsl.Div:
		if !isNonzero(y) {
			return p.helper("_div", x, y)
		}
	case dsl.Mod:
		return p.helper("_mod", x, y)
	case dsl.Pow:
		return p.power(e, x, y)
	}
	return infix(e.Op, x, y)
}

// isNonzero reports literals that are not 0.
func isNonzero(x term) bool { return x.constant && strings.Trim(x.text, "-0.") != "" }

func (p *pythonSyntax) power(e *dsl.Binary, x, y term) term {
	n := wholePower(e)
	switch {
	case n == 0:
		return p.helper("_pow", x, y)
	case isName(e.X):
		return repeated(x, n)
	case n == 2:
		return p.helper("_square", x)
	}
	return p.helper("_cube", x)
}

func (*pythonSyntax) cond(c, a, b term) term {
	return term{text: a.in(looseOr) + " if " + c.in(looseOr) + " else " + b.in(looseCond), prec: looseCond}
}

func (p *pythonSyntax) call(fn string, args []term) term {
	switch fn {
	case "abs":
		return call("abs", args...)
	case "tanh":
		p.uses["math"] = true
		return call("math.tanh", args...)
	case "clamp":
		return p.helper("_min", p.helper("_max", args[0], args[1]), args[2])
	}
	return p.helper("_"+fn, args...)
}

func (*pythonSyntax) declare(string, dsl.Type) (string, bool) { return "", false }

func (*pythonSyntax) let(name string, _ dsl.Type, v term, _ bool) string {
	return name + " = " + v.text
}

func (*pythonSyntax) unused(string) string { return "" }

func (p *pythonSyntax) assign(name string, op dsl.AssignOp, v term) string {
	if op == dsl.DivSet && !isNonzero(v) {
		return name + " = " + p.helper("_div", atom(name), v).text
	}
	return name + " " + op.String() + " " + v.text
}

func (*pythonSyntax) ret(v term) string { return "return " + v.text }

func (*pythonSyntax) ifLine(first bool, c term) string {
	if first {
		return "if " + c.text + ":"
	}
	return "elif " + c.text + ":"
}

func (*pythonSyntax) elseLine() string            { return "else:" }
func (*pythonSyntax) end() string                 { return "" }
func (*pythonSyntax) empty() string               { return "pass" }
func (*pythonSyntax) comment(text string) string  { return "# " + text }
func (*pythonSyntax) trailing(text string) string { return "  # " + text }
