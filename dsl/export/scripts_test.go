package export

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// TestPythonValues runs all subjects in one program: equal bits where no transcendental function has a part, else as close as
// the vectors say.
func TestPythonValues(t *testing.T) {
	python3 := program(t, "python3", "python")
	var code, checks strings.Builder
	uses := map[string]bool{}
	count := 0
	all := subjects(t)
	for _, s := range all {
		f, vectors := prepare(t, s, python{})
		text, used := pythonFunction(f)
		code.WriteString("\n\n" + text)
		maps.Copy(uses, used)
		count += len(vectors)
		checks.WriteString(rowsOf(f, pythonLiterals, vectors))
	}
	head := strings.Split(pythonTest, "class TestVectors")[0]
	_, head, _ = strings.Cut(strings.ReplaceAll(head, "from %[2]s import %[2]s as rule\n", ""), "\n")
	text := head + pythonHead(uses) + code.String() + "\n\nrows = [\n" + checks.String() + `]
for name, i, got, want, check in rows:
    if not agree(got, want, check) or type(got) is not type(want):
        print(f"{name}, vector {i}: got {got!r}, want {want!r}, {check}")
print(len(rows))
`
	report(t, all, runProgram(t, map[string]string{"all.py": text}, []string{python3, "all.py"}), count)
}

// rowsOf is checkedRows with the name of the function and the number of the vector in front.
func rowsOf(f *function, l literals, vectors []Vector) string {
	var b strings.Builder
	for i, row := range strings.Split(strings.TrimSuffix(checkedRows(f.name, f, l, vectors), "\n"), "\n") {
		row = strings.TrimSpace(row)
		fmt.Fprintf(&b, "%s%q, %d, %s\n", row[:1], f.name, i, row[1:])
	}
	return b.String()
}

func TestJavaScriptValues(t *testing.T) {
	node := program(t, "node", "nodejs")
	var code, checks strings.Builder
	uses := map[string]bool{}
	count := 0
	all := subjects(t)
	for _, s := range all {
		f, vectors := prepare(t, s, javaScript{})
		text, used := javaScriptFunction(f)
		code.WriteString(text)
		maps.Copy(uses, used)
		count += len(vectors)
		checks.WriteString(rowsOf(f, javaScriptLiterals, vectors))
	}
	_, head, _ := strings.Cut(strings.Split(javaScriptTest, "const vectors")[0], ";\n")
	text := head + code.String() + helperTexts(javaScriptHelpers, uses, "\n") + "const rows = [\n" + checks.String() + "];\n" +
		"for (const [name, i, got, want, check] of rows) {\n" +
		"  if (!agree(got, want, check) || typeof got !== typeof want) console.log(`${name}, vector ${i}: got ${got}, want ${want}, ${check}`);\n}\n" +
		"console.log(rows.length);\n"
	report(t, all, runProgram(t, map[string]string{"all.mjs": text}, []string{node, "all.mjs"}), count)
}

// TestScriptFiles runs the tests that are exported beside rules.
func TestScriptFiles(t *testing.T) {
	for _, l := range []struct {
		lang     Language
		programs []string
		suffix   string
	}{
		{Python, []string{"python3", "python"}, ".py"},
		{JavaScript, []string{"node", "nodejs"}, ".mjs"},
	} {
		t.Run(string(l.lang), func(t *testing.T) {
			for _, name := range []string{"features", "hidden", "plain"} {
				s := named(t, name)
				files, err := Files(l.lang, s.rule, s.sig, s.points)
				if err != nil {
					t.Fatal(err)
				}
				golden(t, name+l.suffix+".golden", files[0].Text)
				texts := map[string]string{}
				for _, f := range files {
					texts[f.Name] = f.Text
				}
				run := []string{program(t, l.programs...), files[1].Name}
				runProgram(t, texts, run)
				if name == "plain" {
					texts[files[0].Name] = strings.Replace(files[0].Text, "0.5", "0.75", 1)
					if out, err := tryProgram(t, texts, run); err == nil {
						t.Errorf("a wrong copy passed: %s", out)
					}
				}
			}
		})
	}
}
