package export

import (
	"fmt"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

func (c clang) files(f *function, vectors []Vector) ([]File, error) {
	code, err := c.source(f)
	if err != nil {
		return nil, err
	}
	header := "// " + origin(f) + "\n\n#include <stdbool.h>\n\n" + cDeclarations(f)
	files := []File{{f.name + ".c", code}, {f.name + ".h", header}}
	if len(vectors) == 0 {
		return files, nil
	}
	return append(files, File{f.name + "_test.c", cTest(f, vectors)}, File{f.name + ".vectors.json", vectorsFile(f, vectors)}), nil
}

var cLiterals = literals{
	number: func(bits uint64) string { return fmt.Sprintf("number_of(0x%016x)", bits) },
	truth:  [2]string{"false", "true"},
	word:   func(s *wordSet, i int) string { return s.constants[i] },
}

// cTest is a program that fails unless all vectors agree.
func cTest(f *function, vectors []Vector) string {
	var b strings.Builder
	for _, v := range vectors {
		fmt.Fprintf(&b, "\tcompare(%s, %s);\n", cLiterals.call(f.name, f, v), cLiterals.value(f, f.sig.Result, v.Want))
	}
	return fmt.Sprintf("// %s\n// cc -std=c99 -O2 -ffp-contract=off %[2]s.c %[2]s_test.c -lm -o %[2]s_test && ./%[2]s_test\n\n"+
		"#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\n#include \"%[2]s.h\"\n\n%[3]s\n"+
		"// Compares the function with the values of the rule, bit for bit. All NaNs are one value.\n"+
		"int main(void)\n{\n%[4]s\tprintf(\"%%d vectors, %%d wrong\\n\", count, wrong);\n\treturn wrong != 0;\n}\n",
		origin(f), f.name, cChecker(f), b.String())
}

// cChecker declares number_of, which makes a number of its bits, and compare.
func cChecker(f *function) string {
	number := "static double number_of(uint64_t bits)\n{\n\tdouble x;\n\tmemcpy(&x, &bits, sizeof x);\n\treturn x;\n}\n\n"
	differ, show := "got != want", "(int)"
	if f.sig.Result.Kind == dsl.NumKind {
		differ, show = "memcmp(&got, &want, sizeof got) != 0 && (got == got || want == want)", ""
	} else if !hasNumbers(f.sig) {
		number = ""
	}
	format := "%.17g"
	if show != "" {
		format = "%d"
	}
	return fmt.Sprintf("static int count, wrong;\n\n%sstatic void compare(%s got, %[2]s want)\n{\n\tif (%s) {\n"+
		"\t\tprintf(\"vector %%d: got %[4]s, want %[4]s\\n\", count, %[5]sgot, %[5]swant);\n\t\twrong++;\n\t}\n\tcount++;\n}\n",
		number, cType(f, f.sig.Result), differ, format, show)
}

func hasNumbers(sig *dsl.Signature) bool {
	for _, in := range sig.Inputs {
		if in.Type.Kind == dsl.NumKind {
			return true
		}
	}
	return false
}
