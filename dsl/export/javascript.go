package export

import (
	"fmt"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// javaScript writes an ECMAScript module.
type javaScript struct{}

func (javaScript) local(name string) string { return suffixed(name, javaScriptWords) }

func (javaScript) functionName(rule string) string { return suffixed(rule, javaScriptWords) }

// Words are strings.
func (javaScript) wordType(_, of string) string       { return of + " words" }
func (javaScript) wordConstant(_, word string) string { return quoted(word) }

func (javaScript) source(f *function) (string, error) {
	code, uses := javaScriptFunction(f)
	return "// " + origin(f) + "\n\n" + code + helperTexts(javaScriptHelpers, uses, "\n"), nil
}

var javaScriptHelpers = []helper{
	{"mod", `// mod is the remainder with the sign of the divisor.
function mod(x, y) {
  const r = x % y;
  if (r === 0) return y < 0 ? -0 : 0;
  return (r < 0) !== (y < 0) ? r + y : r;
}
`},
	{"pow", `// pow is Math.pow as IEEE 754 has it: 1 to any power is 1.
function pow(x, y) {
  if (x === 1 || (x === -1 && (y === Infinity || y === -Infinity))) return 1;
  return Math.pow(x, y);
}
`},
	{"square", "function square(x) {\n  return x * x;\n}\n"},
	{"cube", "function cube(x) {\n  return x * x * x;\n}\n"},
}

// javaScriptFunction writes the function. uses holds the helpers it calls.
func javaScriptFunction(f *function) (code string, uses map[string]bool) {
	uses = map[string]bool{}
	statements := body(f, &javaScriptSyntax{braces{uses, " === ", " !== ", ""}}, "  ")
	var b strings.Builder
	for _, l := range f.facts() {
		b.WriteString(strings.TrimRight("// "+l, " ") + "\n")
	}
	fmt.Fprintf(&b, "export function %s(%s) {\n%s}\n", f.name, strings.Join(f.params, ", "), statements)
	return b.String(), uses
}

// javaScriptSyntax writes statements and expressions of JavaScript.
type javaScriptSyntax struct{ braces }

func (*javaScriptSyntax) word(s *wordSet, i int) term { return atom(s.constants[i]) }

func (j *javaScriptSyntax) call(fn string, args []term) term {
	switch fn {
	case "pow":
		return j.helper("pow", args...)
	case "clamp":
		return call("Math.min", call("Math.max", args[0], args[1]), args[2])
	}
	return call("Math."+fn, args...)
}

func (*javaScriptSyntax) let(name string, _ dsl.Type, v term, fixed bool) string {
	if fixed {
		return "const " + name + " = " + v.text + ";"
	}
	return "let " + name + " = " + v.text + ";"
}

func (*javaScriptSyntax) unused(string) string { return "" }
