package export

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/agentdescent/adrun/dsl"
)

// clang writes C99. A file checks what it can of how it is compiled: that doubles are computed as doubles, that the compiler
// takes no liberties, that products are not fused into sums.
type clang struct{}

// local also changes what looks like a macro, and what is kept for compilers.
func (clang) local(name string) string {
	if looksReserved(name) {
		return "v_" + strings.TrimLeft(name, "_")
	}
	return suffixed(name, cWords)
}

// looksReserved reports names that begin with "_", or have capitals only, as macros do.
func looksReserved(name string) bool {
	return strings.HasPrefix(name, "_") || len(name) > 1 && !strings.ContainsFunc(name, unicode.IsLower)
}

func (clang) functionName(rule string) string {
	if looksReserved(rule) || cWords[rule] || cLibrary[rule] {
		return "rule_" + strings.TrimLeft(rule, "_")
	}
	return rule
}

func (c clang) wordType(rule, of string) string { return c.functionName(rule) + "_" + of }

func (c clang) wordConstant(rule, word string) string {
	return strings.ToUpper(c.functionName(rule) + "_" + word)
}

const cGuards = `#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 && FLT_EVAL_METHOD != 16
#error "the processor computes with more than double precision: compile with -msse2 -mfpmath=sse"
#endif
#ifdef __FAST_MATH__
#error "the compiler may change results: compile without -ffast-math"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize ("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract (off)
#endif
`

func (c clang) source(f *function) (string, error) {
	code, uses := cFunction(f)
	portable, err := cPortable(uses)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("// %s\n// Compile with -ffp-contract=off and link with -lm. Results have the same bits on every machine.\n\n%s%s%s\n%s",
		origin(f), cGuards, portable, "\n"+cDeclarations(f), code), nil
}

// cDeclarations are the types and the prototype, which stand in the header too.
func cDeclarations(f *function) string {
	var b strings.Builder
	guard := "ADRUN_" + strings.ToUpper(f.name) + "_H_"
	fmt.Fprintf(&b, "#ifndef %s\n#define %[1]s\n", guard)
	for _, s := range f.sets {
		fmt.Fprintf(&b, "typedef enum { %s } %s;\n", strings.Join(s.constants, ", "), s.typeName)
	}
	fmt.Fprintf(&b, "#ifdef __cplusplus\nextern \"C\"\n#endif\n%s;\n#endif\n", cPrototype(f))
	return b.String()
}

func cPrototype(f *function) string {
	var params []string
	for i, in := range f.sig.Inputs {
		params = append(params, cType(f, in.Type)+" "+f.params[i])
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	return cType(f, f.sig.Result) + " " + f.name + "(" + strings.Join(params, ", ") + ")"
}

func cType(f *function, t dsl.Type) string {
	switch t.Kind {
	case dsl.BoolKind:
		return "bool"
	case dsl.WordKind:
		return f.set(t).typeName
	}
	return "double"
}

// cFunction writes the function. uses holds the portable functions it calls.
func cFunction(f *function) (code string, uses map[string]bool) {
	uses = map[string]bool{}
	statements := body(f, &cSyntax{braces{uses, " == ", " != ", "portable_"}, f}, "\t")
	var b strings.Builder
	for _, l := range f.facts() {
		b.WriteString(strings.TrimRight("// "+l, " ") + "\n")
	}
	fmt.Fprintf(&b, "%s\n{\n", cPrototype(f))
	for i, in := range f.sig.Inputs {
		if _, visible := f.inputs[in.Name.Text]; !visible || !f.read[in.Name.Text] {
			fmt.Fprintf(&b, "\t(void)%s;\n", f.params[i])
		}
	}
	fmt.Fprintf(&b, "%s}\n", statements)
	return b.String(), uses
}

// cSyntax writes statements and expressions of C.
type cSyntax struct {
	braces
	f *function
}

func (c *cSyntax) word(s *wordSet, i int) term { return atom(s.constants[i]) }

func (c *cSyntax) call(fn string, args []term) term {
	switch fn {
	case "abs":
		return call("fabs", args...)
	case "sqrt", "floor", "ceil":
		return call(fn, args...)
	case "clamp":
		return c.helper("min", c.helper("max", args[0], args[1]), args[2])
	case "min", "max":
		return folded(args, func(x, y term) term { return c.helper(fn, x, y) })
	}
	return c.helper(fn, args...)
}

// folded applies a function of two arguments from the left.
func folded(args []term, f func(x, y term) term) term {
	x := args[0]
	for _, y := range args[1:] {
		x = f(x, y)
	}
	return x
}

func (c *cSyntax) let(name string, t dsl.Type, v term, _ bool) string {
	return cType(c.f, t) + " " + name + " = " + v.text + ";"
}

func (c *cSyntax) unused(name string) string { return "(void)" + name + ";" }
