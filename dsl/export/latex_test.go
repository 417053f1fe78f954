package export

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/dsl"
)

// TestStraightValues holds that the equations say what the statements do.
func TestStraightValues(t *testing.T) {
	for _, s := range subjects(t) {
		f, vectors := prepare(t, s, latex{})
		straight := straighten(f)
		body := &dsl.Block{}
		for _, let := range straight.lets {
			body.Stmts = append(body.Stmts, let)
		}
		body.Stmts = append(body.Stmts, &dsl.Return{Value: straight.result})
		rule := &dsl.Rule{Name: s.rule.Name, Inputs: s.rule.Inputs, HasInputs: s.rule.HasInputs, Body: body}
		reference, err := dsl.NewReference(rule, s.sig)
		if err != nil {
			t.Fatalf("%s: %v", s.what, err)
		}
		for _, v := range vectors {
			if got, err := reference.Eval(v.Args); err != nil || math.Float64bits(got) != math.Float64bits(v.Want) {
				t.Fatalf("%s at %v: got %v, %v; want %v\n%s\n%s", s.what, v.Args, got, err, v.Want, formatted(s), dsl.FormatRule(rule))
			}
		}
	}
}

// Twelve ifs in a row have 4,096 paths, and nothing of the kind in the equations.
func TestStraightIsShort(t *testing.T) {
	text := "signature demo.f(x: num in [0, 1]) -> num\nrule f {\nlet y = x\n" + strings.Repeat("if x > y { if y < 0.5 { return y }\n y += 0.1 } else { y *= 0.9 }\n", 12) + "return y }"
	file, err := dsl.Parse("f", text)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Source(LaTeX, file.Decls[1].(*dsl.Rule), file.Decls[0].(*dsl.Signature))
	if err != nil {
		t.Fatal(err)
	}
	if len(out) > 8000 {
		t.Errorf("%d bytes for twelve ifs", len(out))
	}
}

// TestLaTeXIsBalanced looks at what LaTeX itself would refuse.
func TestLaTeXIsBalanced(t *testing.T) {
	token := regexp.MustCompile(`\\(?:begin|end)\{\w+\*?\}|\\left|\\right|\\?[{}]`)
	for _, s := range subjects(t) {
		text, err := Source(LaTeX, s.rule, s.sig)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ = strings.Cut(text, "\\begin{align*}")
		var open []string
		for _, m := range token.FindAllString("\\begin{align*}"+text, -1) {
			want := ""
			switch {
			case strings.HasPrefix(m, "\\begin"), m == "\\left", m == "{":
				open = append(open, m)
				continue
			case strings.HasPrefix(m, "\\end"):
				want = strings.Replace(m, "\\end", "\\begin", 1)
			case m == "\\right":
				want = "\\left"
			case m == "}":
				want = "{"
			default:
				continue
			}
			if len(open) == 0 || open[len(open)-1] != want {
				t.Fatalf("%s: %s closes %v:\n%s", s.what, m, open, text)
			}
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			t.Fatalf("%s: %v stays open:\n%s", s.what, open, text)
		}
	}
}

func TestLaTeXGolden(t *testing.T) {
	for _, name := range []string{"features", "hidden", "plain"} {
		s := named(t, name)
		text, err := Source(LaTeX, s.rule, s.sig)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".tex.golden", text)
	}
}
