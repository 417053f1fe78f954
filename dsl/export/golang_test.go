package export

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestGoBits compiles all subjects as one program, which compares their values with those of the reference.
func TestGoBits(t *testing.T) {
	var code, checks strings.Builder
	uses := map[string]bool{}
	count := 0
	all := subjects(t)
	for _, s := range all {
		f, vectors := prepare(t, s, golang{})
		text, used := goFunction(f)
		code.WriteString(text + "\n")
		maps.Copy(uses, used)
		fmt.Fprintf(&checks, "func check%s() {\n", f.name)
		for i, v := range vectors {
			count++
			fmt.Fprintf(&checks, "check(%q, %d, image(%s), image(%s))\n", f.name, i, goLiterals.call(f.name, f, v), goLiterals.value(f, f.sig.Result, v.Want))
		}
		checks.WriteString("}\n\n")
	}
	code.WriteString(`
var f = math.Float64frombits

func image(v any) uint64 {
	switch v := v.(type) {
	case float64:
		if v != v {
			return 1
		}
		return math.Float64bits(v)
	case bool:
		return uint64(len(fmt.Sprint(v)))
	}
	return uint64(reflect.ValueOf(v).Int())
}

var count int

func check(name string, i int, got, want uint64) {
	count++
	if got != want {
		fmt.Printf("%s, vector %d: got %#x, want %#x\n", name, i, got, want)
	}
}

`)
	code.WriteString(checks.String() + "func main() {\n")
	for i := range all {
		fmt.Fprintf(&code, "checkF%d()\n", i)
	}
	code.WriteString("fmt.Println(count)\n}\n")
	text, err := goFile("main", "", code.String(), uses)
	if err != nil {
		t.Fatal(err)
	}
	text = strings.Replace(text, "import (", "import (\n\"fmt\"\n\"reflect\"\n", 1)
	dir := module(t, map[string]string{"main.go": text})
	t.Run("this machine", func(t *testing.T) { report(t, all, goCommand(t, dir, "", "run", "."), count) })
	t.Run("fused", func(t *testing.T) {
		if runtime.GOARCH != "amd64" {
			t.Skip("other machines always let the compiler fuse, or never")
		}
		out := goCommand(t, dir, "GOAMD64=v3", "run", ".") // lets the compiler fuse products into sums
		if strings.Contains(out, "microarchitecture support") {
			t.Skip("this processor cannot fuse")
		}
		report(t, all, out, count)
	})
}

// TestGoFiles runs the tests that are exported beside rules.
func TestGoFiles(t *testing.T) {
	names := []string{"features", "hidden", "plain"}
	texts := map[string]string{}
	for _, name := range names {
		s := named(t, name)
		files, err := Files(Go, s.rule, s.sig, s.points)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			texts[filepath.Join(name, f.Name)] = f.Text
		}
		rule, _, _ := strings.Cut(files[0].Text, "// The functions below")
		golden(t, name+".go.golden", rule)
	}
	out := goCommand(t, module(t, texts), "", "test", "-v", "./...") // vets too
	if got := strings.Count(out, "--- PASS: TestVectors"); got != len(names) {
		t.Errorf("%d of %d tests passed:\n%s", got, len(names), out)
	}
}

// prepare names a subject for a language and evaluates it.
func prepare(t *testing.T, s subject, voc vocabulary) (*function, []Vector) {
	t.Helper()
	f, err := newFunction(s.rule, s.sig, voc)
	if err != nil {
		t.Fatalf("%s: %v", s.what, err)
	}
	vectors, err := Vectors(s.rule, s.sig, s.points)
	if err != nil {
		t.Fatal(err)
	}
	return f, vectors
}

// report fails unless the output is the number of vectors, and shows the rule of the first failure.
func report(t *testing.T, all []subject, out string, count int) {
	t.Helper()
	if strings.TrimSpace(out) == fmt.Sprint(count) {
		t.Logf("%d rules, %d vectors", len(all), count)
		return
	}
	t.Errorf("want %d vectors and no line else:\n%.2000s", count, out)
	var i int
	if _, err := fmt.Sscanf(strings.ToLower(out), "f%d,", &i); err == nil && i < len(all) {
		s := all[i]
		s.rule.Name.Text = fmt.Sprintf("f%d", i)
		t.Errorf("%s:\n%s", s.what, formatted(s))
	}
}

// module writes files into a module of their own.
func module(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files["go.mod"] = "module exported\n\ngo 1.21\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goCommand runs the go command in dir. A failure to run the program is part of the output.
func goCommand(t *testing.T, dir, env string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", env)
	out, err := cmd.CombinedOutput()
	if err != nil && args[0] != "run" {
		t.Fatalf("go %s: %v\n%.3000s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
