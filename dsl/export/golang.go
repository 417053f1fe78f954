package export

import (
	"fmt"
	"go/format"
	"go/token"
	"slices"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// golang writes Go. What the compiler may do to floating-point numbers, and how the text prevents it:
//
//   - it fuses x*y + z into one rounding on many processors: every product that is no factor stands in float64(…);
//   - it computes with constants exactly, and knows no -0: no operator has only literals for operands, see helper num.
type golang struct{}

func (golang) local(name string) string {
	if token.IsKeyword(name) {
		return name + "_"
	}
	return suffixed(name, goWords)
}

func (golang) functionName(rule string) string { return exported(rule) }

func (golang) wordType(rule, of string) string { return exported(rule) + exported(of) }

func (golang) wordConstant(rule, word string) string { return exported(rule) + exported(word) }

// exported turns a name into an exported one in mixed caps: n_nodes becomes NNodes.
func exported(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	if s := b.String(); s != "" && s[0] >= 'A' {
		return s
	}
	return "X" + b.String()
}

// goPackage is the name of the package and of its files. It has no "_", which in the name of a file would select a platform
// or make it a test.
func goPackage(rule string) string {
	name := strings.ToLower(strings.ReplaceAll(rule, "_", ""))
	if name == "" || name[0] <= '9' || token.IsKeyword(name) || name == "main" {
		name = "rule" + name
	}
	return name
}

func (golang) source(f *function) (string, error) {
	code, uses := goFunction(f)
	return goFile(goPackage(f.rule.Name.Text), goHeader(f), code, uses)
}

func goHeader(f *function) string {
	return "// " + origin(f) + "\n\n// Package " + goPackage(f.rule.Name.Text) +
		" holds an exported rule. Its results have the same bits on every machine.\n"
}

// goFile puts together a file: the functions in code, and what they use.
func goFile(pkg, header, code string, uses map[string]bool) (string, error) {
	portable, err := goPortable(uses)
	if err != nil {
		return "", err
	}
	rest := code + helperTexts(goHelpers, uses, "\n") + portable
	var imports string
	switch hasMath, hasBits := strings.Contains(rest, "math."), strings.Contains(portable, "bits.Rem64"); {
	case hasBits:
		imports = "import (\n\"math\"\n\"math/bits\"\n)\n\n"
	case hasMath:
		imports = "import \"math\"\n\n"
	}
	text, err := format.Source([]byte(header + "package " + pkg + "\n\n" + imports + rest))
	if err != nil {
		return "", fmt.Errorf("export: the Go text is not well formed: %w", err)
	}
	return string(text), nil
}

var goHelpers = []helper{
	{"num", "// num keeps the compiler from computing with constants, which it does exactly: at run time every operation rounds.\n" +
		"func num(x float64) float64 { return x }\n"},
	{"choose", "// choose returns a if c holds, else b.\n" +
		"func choose[T any](c bool, a, b T) T {\n\tif c {\n\t\treturn a\n\t}\n\treturn b\n}\n"},
	{"square", "func square(x float64) float64 { return float64(x * x) }\n"},
	{"cube", "func cube(x float64) float64 { return float64(x * x * x) }\n"},
}

// goFunction writes the types of words and the function. uses holds the helpers and portable functions it calls.
func goFunction(f *function) (code string, uses map[string]bool) {
	uses = map[string]bool{}
	statements := body(f, &goSyntax{f: f, uses: uses}, "\t")
	var b strings.Builder
	for _, s := range f.sets {
		b.WriteString(goWordType(s))
	}
	for _, l := range f.facts() {
		b.WriteString(strings.TrimRight("// "+l, " ") + "\n")
	}
	var params []string
	for i, in := range f.sig.Inputs {
		params = append(params, f.params[i]+" "+goType(f, in.Type))
	}
	fmt.Fprintf(&b, "func %s(%s) %s {\n%s}\n", f.name, goParams(params), goType(f, f.sig.Result), statements)
	return b.String(), uses
}

// goParams joins parameters, writing a type once for neighbours that share it.
func goParams(params []string) string {
	for i := 0; i+1 < len(params); i++ {
		name, t, _ := strings.Cut(params[i], " ")
		if _, next, _ := strings.Cut(params[i+1], " "); next == t {
			params[i] = name
		}
	}
	return strings.Join(params, ", ")
}

func goType(f *function, t dsl.Type) string {
	switch t.Kind {
	case dsl.BoolKind:
		return "bool"
	case dsl.WordKind:
		return f.set(t).typeName
	}
	return "float64"
}

func goWordType(s *wordSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s is one of the words %s.\ntype %[1]s int\n\n// The words.\nconst (\n", s.typeName, strings.Join(s.words, ", "))
	for i, c := range s.constants {
		if i == 0 {
			c += " " + s.typeName + " = iota"
		}
		b.WriteString(c + "\n")
	}
	var names []string
	for _, w := range s.words {
		names = append(names, quoted(w))
	}
	fmt.Fprintf(&b, ")\n\n// String returns the word.\nfunc (w %s) String() string {\nreturn [...]string{%s}[w]\n}\n\n", s.typeName, strings.Join(names, ", "))
	return b.String()
}

// goSyntax writes statements and expressions of Go.
type goSyntax struct {
	f    *function
	uses map[string]bool
}

func (g *goSyntax) helper(name string, args ...term) term {
	g.uses[name] = true
	for i := range args {
		args[i] = rounded(args[i])
	}
	return call(name, args...)
}

// rounded keeps a product from being fused with whatever comes to it.
func rounded(t term) term {
	if t.product {
		return call("float64", t)
	}
	return t
}

func (g *goSyntax) number(v float64) term {
	if isNegativeZero(v) {
		return atom("math.Copysign(0, -1)")
	}
	return decimal(v)
}

func (g *goSyntax) truth(v bool) term { return atom(fmt.Sprint(v)) }

func (g *goSyntax) word(s *wordSet, i int) term { return atom(s.constants[i]) }

// runtime makes an operand that the compiler does not compute with.
func (g *goSyntax) runtime(x term) term {
	if x.constant {
		return g.helper("num", x)
	}
	return x
}

func (g *goSyntax) unary(op dsl.Op, x term) term {
	if op == dsl.Not {
		return term{text: "!" + x.in(looseUnary), prec: looseUnary}
	}
	return negated(rounded(g.runtime(x)))
}

// goOperators are the operators that Go has, the logical ones apart.
var goOperators = map[dsl.Op]string{
	dsl.Eq: "==", dsl.Ne: "!=", dsl.Lt: "<", dsl.Le: "<=", dsl.Gt: ">", dsl.Ge: ">=",
	dsl.Add: "+", dsl.Sub: "-", dsl.Mul: "*", dsl.Div: "/",
}

func (g *goSyntax) binary(e *dsl.Binary, x, y term) term {
	switch e.Op {
	case dsl.Or:
		return term{text: x.in(looseOr) + " || " + y.in(looseAnd), prec: looseOr}
	case dsl.And:
		return term{text: x.in(looseAnd) + " && " + y.in(looseCompare), prec: looseAnd}
	case dsl.Mod:
		return g.helper("mod", x, y)
	case dsl.Pow:
		return g.power(e, x, y)
	}
	op := " " + goOperators[e.Op] + " "
	switch e.Op {
	case dsl.Add, dsl.Sub:
		x, y = rounded(g.notBoth(x, y)), rounded(y)
		return term{text: x.in(looseSum) + op + y.in(looseProduct), prec: looseSum}
	case dsl.Mul, dsl.Div:
		x = g.notBoth(x, y)
		return term{text: x.in(looseProduct) + op + y.in(looseUnary), prec: looseProduct, product: e.Op == dsl.Mul}
	}
	return term{text: x.in(looseSum) + op + y.in(looseSum), prec: looseCompare}
}

// notBoth returns x, kept from the compiler where y is constant too.
func (g *goSyntax) notBoth(x, y term) term {
	if y.constant {
		return g.runtime(x)
	}
	return x
}

func (g *goSyntax) power(e *dsl.Binary, x, y term) term {
	n := wholePower(e)
	switch {
	case n == 0:
		return g.helper("pow", x, y)
	case isName(e.X):
		return term{text: strings.Repeat(x.text+" * ", n-1) + x.text, prec: looseProduct, product: true}
	case n == 2:
		return g.helper("square", x)
	}
	return g.helper("cube", x)
}

func (g *goSyntax) cond(c, a, b term) term { return g.helper("choose", c, a, b) }

func (g *goSyntax) call(fn string, args []term) term {
	for i := range args {
		args[i] = rounded(args[i])
	}
	t := atom("")
	switch fn {
	case "abs", "sqrt", "floor", "ceil":
		return call("math."+exported(fn), args...)
	case "min", "max":
		t = call(fn, args...)
	case "clamp":
		t = call("min", call("max", args[0], args[1]), args[2])
	default:
		return g.helper(fn, args...)
	}
	t.constant = !slices.ContainsFunc(args, func(a term) bool { return !a.constant })
	return t
}

func (g *goSyntax) declare(name string, t dsl.Type) (string, bool) {
	return "var " + name + " " + goType(g.f, t), true
}

func (g *goSyntax) let(name string, _ dsl.Type, v term, _ bool) string {
	return name + " := " + rounded(v).text
}

func (g *goSyntax) unused(name string) string { return "_ = " + name }

func (g *goSyntax) assign(name string, op dsl.AssignOp, v term) string {
	if op == dsl.MulSet {
		return name + " = float64(" + name + " * " + v.in(looseUnary) + ")"
	}
	return name + " " + op.String() + " " + rounded(v).text
}

func (g *goSyntax) ret(v term) string { return "return " + rounded(v).text }

func (g *goSyntax) ifLine(first bool, c term) string {
	if first {
		return "if " + c.text + " {"
	}
	return "} else if " + c.text + " {"
}

func (g *goSyntax) elseLine() string            { return "} else {" }
func (g *goSyntax) end() string                 { return "}" }
func (g *goSyntax) empty() string               { return "" }
func (g *goSyntax) comment(text string) string  { return "// " + text }
func (g *goSyntax) trailing(text string) string { return " // " + text }
