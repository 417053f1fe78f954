package export

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// program returns the path of a program, or skips.
func program(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("none of %v is installed", names)
	return ""
}

// runProgram writes files into a directory and runs commands there; it returns what they print.
func runProgram(t *testing.T, files map[string]string, commands ...[]string) string {
	t.Helper()
	out, err := tryProgram(t, files, commands...)
	if err != nil {
		t.Fatalf("%v\n%.3000s", err, out)
	}
	return out
}

// tryProgram is runProgram for commands that may fail.
func tryProgram(t *testing.T, files map[string]string, commands ...[]string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var all strings.Builder
	for _, c := range commands {
		cmd := exec.Command(c[0], c[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.CombinedOutput()
		all.Write(out)
		if err != nil {
			return all.String(), fmt.Errorf("%v: %w", c, err)
		}
	}
	return all.String(), nil
}

// compileC are the flags of a strict C99 compiler. Unused functions are those of the harness.
var compileC = []string{"-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unknown-pragmas"}

// cMain are functions that print values which differ from those wanted, and the count of all.
const cMain = `
#include <stdio.h>
static double number_of(uint64_t bits) { return from_bits(bits); }
static int count;
static void check_num(const char *name, int i, double got, double want)
{
	count++;
	if (to_bits(got) != to_bits(want) && (got == got || want == want))
		printf("%s, vector %d: got %.17g, want %.17g\n", name, i, got, want);
}
static void check_int(const char *name, int i, int got, int want)
{
	count++;
	if (got != want) printf("%s, vector %d: got %d, want %d\n", name, i, got, want);
}
`

// TestCBits compiles all subjects as one program, which compares their values with those of the reference: with the rounding
// that a plain compiler gives, and for a processor on which it would fuse products into sums.
func TestCBits(t *testing.T) {
	cc := program(t, "gcc", "cc", "clang")
	var code, checks strings.Builder
	uses := map[string]bool{"portable_exp": true} // for from_bits
	count := 0
	all := subjects(t)
	for _, s := range all {
		f, vectors := prepare(t, s, clang{})
		text, used := cFunction(f)
		code.WriteString(cDeclarations(f) + text + "\n")
		maps.Copy(uses, used)
		check := "check_int"
		if cType(f, f.sig.Result) == "double" {
			check = "check_num"
		}
		fmt.Fprintf(&checks, "static void check_%s(void)\n{\n", f.name)
		for i, v := range vectors {
			count++
			fmt.Fprintf(&checks, "\t%s(%q, %d, %s, %s);\n", check, f.name, i, cLiterals.call(f.name, f, v), cLiterals.value(f, f.sig.Result, v.Want))
		}
		checks.WriteString("}\n\n")
	}
	portable, err := cPortable(uses)
	if err != nil {
		t.Fatal(err)
	}
	text := cGuards + portable + code.String() + cMain + checks.String() + "int main(void)\n{\n"
	for i := range all {
		text += fmt.Sprintf("\tcheck_f%d();\n", i)
	}
	text += "\tprintf(\"%d\\n\", count);\n\treturn 0;\n}\n"
	for name, flags := range map[string][]string{"plain": {"-O1"}, "contracted": {"-O2", "-mfma", "-std=gnu99"}} {
		t.Run(name, func(t *testing.T) {
			if name == "contracted" && !fuses(t, cc) {
				t.Skip("this compiler or processor cannot fuse")
			}
			args := append(append([]string{cc, "-w"}, flags...), "all.c", "-lm", "-o", "all")
			report(t, all, runProgram(t, map[string]string{"all.c": text}, args, []string{"./all"}), count)
		})
	}
}

// fuses reports whether a program compiled with -mfma fuses a product into a sum: 0.1 * 10 - 1 is then not 0.
func fuses(t *testing.T, cc string) bool {
	t.Helper()
	const text = `int main(int n, char **v) { volatile double x = 0.1, y = 10; (void)v; return x * y - n != 0 ? 0 : 1; }`
	path := filepath.Join(t.TempDir(), "fuse.c")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	exe := strings.TrimSuffix(path, ".c")
	return exec.Command(cc, "-O2", "-mfma", "-std=gnu99", path, "-o", exe).Run() == nil && exec.Command(exe).Run() == nil
}

// TestCFiles compiles and runs the tests that are exported beside rules.
func TestCFiles(t *testing.T) {
	cc := program(t, "gcc", "cc", "clang")
	for _, name := range []string{"features", "hidden", "plain"} {
		s := named(t, name)
		files, err := Files(C, s.rule, s.sig, s.points)
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for _, f := range files {
			texts[f.Name] = f.Text
		}
		before, rest, _ := strings.Cut(files[0].Text, "// The portable functions")
		_, after, _ := strings.Cut(rest, "#ifndef ADRUN")
		golden(t, name+".c.golden", before+"#ifndef ADRUN"+after)
		compile := append(append([]string{cc}, compileC...), files[0].Name, files[2].Name, "-lm", "-o", "test")
		if out := runProgram(t, texts, compile, []string{"./test"}); out != fmt.Sprintf("%d vectors, 0 wrong\n", len(s.points)) {
			t.Errorf("%s: %s", name, out)
		}
		if name == "plain" {
			texts[files[0].Name] = strings.Replace(files[0].Text, "0.5", "0.75", 1)
			if out, err := tryProgram(t, texts, compile, []string{"./test"}); err == nil {
				t.Errorf("a wrong copy passed: %s", out)
			}
		}
	}
}

// TestCPortable compares the portable functions in C with those in Go, at random numbers of every size, at those where a
// rule is likely to call them, and at special ones.
func TestCPortable(t *testing.T) {
	cc := program(t, "gcc", "cc", "clang")
	names := []string{"exp", "log", "log1p", "tanh", "pow", "mod"}
	uses := map[string]bool{}
	text := "int main(void)\n{\n\tchar fn[8];\n\tunsigned long long x, y;\n\twhile (scanf(\"%7s %llx %llx\", fn, &x, &y) == 3) {\n\t\tdouble r = 0;\n"
	for _, n := range names {
		uses["portable_"+n] = true
		args := "from_bits(x)"
		if n == "pow" || n == "mod" {
			args += ", from_bits(y)"
		}
		text += fmt.Sprintf("\t\tif (strcmp(fn, %q) == 0) r = portable_%s(%s);\n", n, n, args)
	}
	text += "\t\tprintf(\"%016llx\\n\", r != r ? 1 : (unsigned long long)to_bits(r));\n\t}\n\treturn 0;\n}\n"
	portable, err := cPortable(uses)
	if err != nil {
		t.Fatal(err)
	}
	var input, want strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 120000 {
		n := names[i%len(names)]
		x, y := drawNumber(rng), drawNumber(rng)
		fmt.Fprintf(&input, "%s %x %x\n", n, math.Float64bits(x), math.Float64bits(y))
		r := math.Float64bits(portableValue(n, x, y))
		if math.IsNaN(math.Float64frombits(r)) {
			r = 1
		}
		fmt.Fprintf(&want, "%016x\n", r)
	}
	compile := append(append([]string{cc}, compileC...), "p.c", "-lm", "-o", "p")
	got := runProgram(t, map[string]string{"p.c": cGuards + "#include <stdio.h>\n" + portable + text, "in": input.String()},
		compile, []string{"sh", "-c", "./p <in"})
	inputs, wants := strings.Split(input.String(), "\n"), strings.Split(want.String(), "\n")
	for i, line := range strings.Split(got, "\n") {
		if line != wants[i] {
			t.Fatalf("%s: got %s, want %s", inputs[i], line, wants[i])
		}
	}
}

func portableValue(name string, x, y float64) float64 {
	switch name {
	case "exp":
		return fmath.Exp(x)
	case "log":
		return fmath.Log(x)
	case "log1p":
		return fmath.Log1p(x)
	case "tanh":
		return fmath.Tanh(x)
	case "pow":
		return fmath.Pow(x, y)
	}
	return fmath.Mod(x, y)
}

func drawNumber(rng *rand.Rand) float64 {
	switch rng.IntN(6) {
	case 0:
		special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.5, 2, 3, -3, 5e-324, -5e-324,
			0x1p-1022, math.MaxFloat64, 709.8, 710, -745.1, -746, -708.5, 0x1p-28, 0.125, 19.0625, 0x1p62, 0x1p63, 1 - 0x1p-53, 1 + 0x1p-52}
		return special[rng.IntN(len(special))]
	case 1:
		return math.Float64frombits(rng.Uint64())
	case 2:
		return float64(rng.IntN(2001) - 1000)
	case 3:
		return 1 + (rng.Float64()-0.5)/64
	}
	return (rng.Float64() - 0.3) * []float64{1, 10, 1000}[rng.IntN(3)]
}
