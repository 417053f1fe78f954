package export

import (
	"fmt"
	"go/format"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

func (g golang) files(f *function, vectors []Vector) ([]File, error) {
	code, err := g.source(f)
	if err != nil {
		return nil, err
	}
	name := goPackage(f.rule.Name.Text)
	files := []File{{name + ".go", code}}
	if len(vectors) == 0 {
		return files, nil
	}
	test, err := goTest(f, vectors)
	if err != nil {
		return nil, err
	}
	return append(files, File{name + "_test.go", test}, File{name + ".vectors.json", vectorsFile(f, vectors)}), nil
}

// goLiterals writes numbers by their bits: a constant cannot be -0, NaN or infinite.
var goLiterals = literals{
	number: func(bits uint64) string { return fmt.Sprintf("f(0x%016x)", bits) },
	truth:  [2]string{"false", "true"},
	word:   func(s *wordSet, i int) string { return s.constants[i] },
}

// goTest writes the test of the package.
func goTest(f *function, vectors []Vector) (string, error) {
	var rows strings.Builder
	for _, v := range vectors {
		fmt.Fprintf(&rows, "{%s, %s},\n", goLiterals.call(f.name, f, v), goLiterals.value(f, f.sig.Result, v.Want))
	}
	imports, bits, differ := "import \"testing\"", "", "v.got != v.want"
	if strings.Contains(rows.String(), "f(0x") {
		imports, bits = "import (\n\"math\"\n\"testing\"\n)", "f := math.Float64frombits // numbers are given by their bits\n"
	}
	if f.sig.Result.Kind == dsl.NumKind {
		differ = "math.Float64bits(v.got) != math.Float64bits(v.want) && (v.got == v.got || v.want == v.want)"
	}
	text, err := format.Source(fmt.Appendf(nil, `// %s

package %s

%s

// TestVectors compares the function with the values of the rule, bit for bit. All NaNs are one value.
func TestVectors(t *testing.T) {
%sfor i, v := range []struct{ got, want %s }{
%s} {
if %s {
t.Errorf("vector %%d: got %%v, want %%v", i, v.got, v.want)
}
}
}
`, origin(f), goPackage(f.rule.Name.Text), imports, bits, goType(f, f.sig.Result), rows.String(), differ))
	if err != nil {
		return "", fmt.Errorf("export: the Go test is not well formed: %w", err)
	}
	return string(text), nil
}
