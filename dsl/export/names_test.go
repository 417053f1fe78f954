package export

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/dsl"
)

// hostileNames are names that mean something in some language.
func hostileNames() []string {
	all := words(`_ __ ___x _x X NAN INFINITY EOF NULL DBL_MAX stdin errno I E linux y0 index read
		len cap string error nil iota append panic init make new int uint8 any print
		None True False self list dict sum int str object __name__ __import__
		Number String Array globalThis window process require module exports constructor prototype __proto__
		upper_half exp_reduce to_bits from_bits expTable logTable v_ v_x rule rule_ f f0 number agree compare check`)
	for _, more := range []map[string]bool{pythonWords, javaScriptWords, cWords, goWords, cLibrary} {
		maps.Copy(all, more)
	}
	for tok := token.Token(0); tok < 100; tok++ {
		if tok.IsKeyword() {
			all[tok.String()] = true
		}
	}
	for _, fn := range append(dsl.FunctionNames(), "let", "return", "if", "else", "elif", "and", "or", "not", "true", "false", "result") {
		delete(all, fn)
	}
	return slices.Sorted(maps.Keys(all))
}

// hostileSubjects use these names for inputs and for locals, each with "_" behind it too, and functions of all kinds.
func hostileSubjects(t testing.TB) []subject {
	t.Helper()
	var all []subject
	for chunk := range slices.Chunk(hostileNames(), 40) {
		var inputs, inputSum, sum []string
		lets := ""
		for i, name := range chunk {
			inputs = append(inputs, name+": num in [0, 1]")
			inputSum = append(inputSum, fmt.Sprintf("%s * %d", name, i+2))
			if !slices.Contains(chunk, name+"_") {
				lets += fmt.Sprintf("let %s_ = %s * 0.1\n", name, name)
				sum = append(sum, name+"_")
			}
		}
		for _, body := range []string{
			"return " + strings.Join(inputSum, " + ") + " + exp(-abs(x) % 3) + sqrt(floor(ceil(x)) + x ** 2 + (x + 1) ** 3)\n",
			lets + "let a = " + strings.Join(append(sum, inputSum...), " + ") + "\nreturn min(pow(a, 2.5), log(tanh(log1p(clamp(a, x, 9)))))",
		} {
			all = append(all, parseSubject(t, "signature demo.r("+strings.Join(append(inputs, "x: num in [0, 1]"), ", ")+") -> num\nrule r {\n"+
				body+"}\n"))
		}
	}
	return all
}

func parseSubject(t testing.TB, text string) subject {
	t.Helper()
	f, err := dsl.Parse("hostile.rule", text)
	if err != nil {
		t.Fatal(err)
	}
	sig, r := f.Decls[0].(*dsl.Signature), f.Decls[1].(*dsl.Rule)
	return subject{"hostile names", r, sig, spread(sig)[:4]}
}

// TestFunctionNames exports rules whose own names mean something elsewhere, and runs the tests beside them.
func TestFunctionNames(t *testing.T) {
	texts := map[string]string{}
	names := []string{"main", "printf", "y0", "index", "NAN", "_", "_1", "class", "func", "double", "bits", "math", "count", "fit_linux", "x_test"}
	for _, name := range names {
		s := parseSubject(t, "signature demo."+name+"(x: num in [0, 9]) -> num\nrule "+name+" { return tanh(x) % 0.1 }")
		goFiles, err := Files(Go, s.rule, s.sig, s.points)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range goFiles {
			texts["d"+name+"/"+f.Name] = f.Text // the go command ignores what begins with "_"
		}
		t.Run("c/"+name, func(t *testing.T) {
			cc := program(t, "gcc", "cc", "clang")
			files, err := Files(C, s.rule, s.sig, s.points)
			if err != nil {
				t.Fatal(err)
			}
			all := map[string]string{}
			for _, f := range files {
				all[f.Name] = f.Text
			}
			runProgram(t, all, []string{cc, "-Wall", "-Werror", files[0].Name, files[2].Name, "-lm", "-o", "run"}, []string{"./run"})
		})
	}
	out := goCommand(t, module(t, texts), "", "test", "./...")
	if got := strings.Count(out, "ok  "); got != len(names) {
		t.Errorf("%d of %d tests passed:\n%s", got, len(names), out)
	}
}

func TestFaultsAreErrors(t *testing.T) {
	s := parseSubject(t, "signature demo.r(x: num in [0, 9]) -> num\nrule r { return x }")
	undefined := &dsl.Rule{Name: s.rule.Name, Body: &dsl.Block{Stmts: []dsl.Stmt{&dsl.Return{Value: &dsl.Ref{Name: "y"}}}}}
	empty := &dsl.Rule{Name: s.rule.Name, Body: &dsl.Block{Stmts: []dsl.Stmt{&dsl.Return{}}}}
	for what, try := range map[string]func() error{
		"no rule":         func() error { _, err := Source(Go, nil, s.sig); return err },
		"no signature":    func() error { _, err := AST(s.rule, nil); return err },
		"no language":     func() error { _, err := Source("cobol", s.rule, s.sig); return err },
		"undefined name":  func() error { _, err := Source(Python, undefined, s.sig); return err },
		"no value":        func() error { _, err := Source(LaTeX, empty, s.sig); return err },
		"no body":         func() error { _, err := Source(C, &dsl.Rule{}, s.sig); return err },
		"point too short": func() error { _, err := Files(Go, s.rule, s.sig, [][]float64{{}}); return err },
	} {
		if try() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// A comment must not end early, join the next line, or be read as code.
func TestCommentsStayComments(t *testing.T) {
	s := parseSubject(t, "signature demo.r(x: num in [0, 9]) -> num\nrule r { return x }")
	s.rule.Lead = []string{`*/ int z; \`, `ends in a trigraph ??/`, `in two ??//`, `\ ??/ `, "two\u2028lines", "\"\"\""}
	ret := s.rule.Body.Stmts[0].(*dsl.Return)
	ret.Lead, ret.Trail = []string{`joined \`}, "carriage\rreturn \\\\"
	for _, lang := range Languages() {
		text, err := Source(lang, s.rule, s.sig)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(text, "\u2028\r") || strings.Contains(text, "??/") {
			t.Errorf("%s: %q", lang, text)
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.HasSuffix(line, `\`) && lang != LaTeX {
				t.Errorf("%s: %q joins the next line", lang, line)
			}
		}
	}
	text, err := Source(C, s.rule, s.sig)
	if err != nil {
		t.Fatal(err)
	}
	compile := []string{program(t, "gcc", "cc", "clang"), "-std=c99", "-Wall", "-Werror", "-Wno-unknown-pragmas", "-c", "r.c"}
	runProgram(t, map[string]string{"r.c": text}, compile)
}
