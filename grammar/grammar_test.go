package grammar_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/dsltest"
	"github.com/agentdescent/adrun/grammar"
	"github.com/agentdescent/adrun/grammar/grammartest"
)

var update = flag.Bool("update", false, "rewrite the grammar files")

// TestFilesArePrinted holds the files to what is printed, and has no bearing on rule.ebnf, which package dsl
// holds to the parser.
func TestFilesArePrinted(t *testing.T) {
	for name, want := range map[string]string{"rule.gbnf": grammar.GBNF(nil), "rule.lark": grammar.Lark(nil)} {
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what is printed: run go generate ./grammar", name)
		}
	}
}

const (
	priority = `signature tree.priority(
  rank: num in [0, 1], visits: int in [0, 1e6], total: int in [0, 1e8], depth: int in [0, 1e4]) -> num`
	route = `signature route(difficulty: num in [0, 1], left: num in [0, 1], mode: fast | slow, tried: bool)
  -> direct | search | reflect`
	admit = `signature admit(x: num in [0, 1], y: num in [0, 1], urgent: bool) -> bool`
)

func signature(t testing.TB, text string) *dsl.Signature {
	t.Helper()
	if text == "" {
		return nil
	}
	f, err := dsl.Parse("signature", text)
	if err != nil {
		t.Fatal(err)
	}
	return f.Decls[0].(*dsl.Signature)
}

// both reads both printed forms of a grammar.
func both(t testing.TB, sig *dsl.Signature, o grammar.Options) map[string]*grammartest.Grammar {
	t.Helper()
	g := grammar.New(sig, o)
	gbnf, err := grammartest.ReadGBNF(g.GBNF())
	if err != nil {
		t.Fatalf("reading GBNF: %v\n%s", err, g.GBNF())
	}
	lark, err := grammartest.ReadLark(g.Lark())
	if err != nil {
		t.Fatalf("reading Lark: %v\n%s", err, g.Lark())
	}
	return map[string]*grammartest.Grammar{"gbnf": gbnf, "lark": lark}
}

// vast are limits that no derived text comes near: a context-free grammar cannot count.
var vast = dsl.Limits{FileBytes: 1 << 24, RuleBytes: 1 << 24, Nodes: 1 << 24, Nesting: dsl.MaxNesting, Locals: 1 << 16}

// TestDerivedTextsParse derives thousands of texts from each printed form. Every one must parse, and be laid
// out as the printer does, up to the width of a line and parentheses that are not needed. How many pass the
// checker is in the log; a floor keeps the types in the grammar.
func TestDerivedTextsParse(t *testing.T) {
	for _, tc := range []struct {
		name, sig string
		checked   float64 // the least share that must pass the checker
	}{
		{"priority", priority, 0.5}, {"route", route, 0.5}, {"admit", admit, 0.5}, {"any", "", 0},
	} {
		sig := signature(t, tc.sig)
		for format, g := range both(t, sig, grammar.Options{}) {
			t.Run(tc.name+"/"+format, func(t *testing.T) {
				const n = 1000
				rng := rand.New(rand.NewPCG(1, 2))
				checked, within, laid, size := 0, 0, 0, 0
				for range n {
					text := g.Derive(rng, 60)
					size += len(text)
					f, ds := dsl.ParseLimits("derived", text, vast)
					if ds.HasErrors() {
						t.Fatalf("%s\n%s", text, ds[0].Render(text))
					}
					if _, ds := dsl.ParseLimits("derived", text, dsl.Limits{}); !ds.HasErrors() {
						within++
					}
					if tidy(dsl.Format(f)) == tidy(text+"\n") {
						laid++
					}
					var sigs []*dsl.Signature
					if sig != nil {
						sigs = append(sigs, sig)
					}
					if !dsl.Check(f, sigs, dsl.CheckOptions{Limits: vast}).Diags.HasErrors() {
						checked++
					}
				}
				share := func(k int) string { return fmt.Sprintf("%.1f %%", 100*float64(k)/n) }
				t.Logf("%d texts of %d bytes on average: within the limits %s, canonical layout %s, pass the checker %s",
					n, size/n, share(within), share(laid), share(checked))
				if float64(checked) < tc.checked*n {
					t.Errorf("only %s pass the checker", share(checked))
				}
				if laid < n*9/10 {
					t.Errorf("only %s are in canonical layout", share(laid))
				}
			})
		}
	}
}

// tidy leaves out what the grammar leaves open: parentheses, and whether short blocks stand on one line.
func tidy(text string) string {
	return strings.NewReplacer("(", "", ")", "", " ", "", "\n", "").Replace(text)
}

// TestFormatsDeriveTheSame matches what one form derives by the other.
func TestFormatsDeriveTheSame(t *testing.T) {
	for _, text := range []string{priority, route, admit, ""} {
		gs := both(t, signature(t, text), grammar.Options{})
		rng := rand.New(rand.NewPCG(3, 4))
		for range 100 {
			if s := gs["gbnf"].Derive(rng, 40); !gs["lark"].Match(s) {
				t.Fatalf("only GBNF derives\n%s", s)
			}
			if s := gs["lark"].Derive(rng, 40); !gs["gbnf"].Match(s) {
				t.Fatalf("only Lark derives\n%s", s)
			}
		}
	}
}

// TestRandomRulesAreDerived holds the grammar to be wide enough: a random rule that passes the checker is
// derived, printed canonically, by the grammar of its signature and by the general one.
func TestRandomRulesAreDerived(t *testing.T) {
	general := both(t, nil, grammar.Options{Depth: 12})
	rapid.Check(t, func(t *rapid.T) {
		sig := dsltest.Signature(t)
		rule := dsltest.Rule(t, sig)
		text := plain(t, dsl.FormatRule(rule))
		g := grammar.New(sig, grammar.Options{Depth: 12})
		own, err := grammartest.ReadGBNF(g.GBNF())
		if err != nil {
			t.Fatal(err)
		}
		if !own.Match(text) {
			t.Fatalf("not derived for %s\n%s\n%s", dsl.FormatDecl(sig), text, g.GBNF())
		}
		for format, g := range general {
			if !g.Match(text) {
				t.Fatalf("not derived by the general %s\n%s", format, text)
			}
		}
	})
}

// plain drops from a canonical text what no grammar makes a model write: signs that do nothing (+x, --x, !!x),
// and empty blocks, which it fills.
func plain(t *rapid.T, text string) string {
	for old := ""; old != text; {
		old = text
		text = strings.NewReplacer("--", "", "!!", "").Replace(unaryPlus.ReplaceAllString(text, "$1"))
	}
	for n := 0; strings.Contains(text, "{\n") && emptyBlock.MatchString(text); n++ {
		text = strings.Replace(text, emptyBlock.FindString(text), fmt.Sprintf("{\nlet filled%d = 0\n}", n), 1)
	}
	f, err := dsl.Parse("plain", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return strings.TrimSuffix(dsl.Format(f), "\n")
}

var (
	unaryPlus  = regexp.MustCompile(`\++([^ =+])`)
	emptyBlock = regexp.MustCompile(`\{\n *\}`)
)

// The names of locals are none of the inputs', and no longer than the language allows, whatever those are.
func TestLocalsBesideLongNames(t *testing.T) {
	long := strings.Repeat("abcdefgh", 8)
	sig := signature(t, fmt.Sprintf("signature s(%s: num in [0, 1], %s: num in [0, 1], a: num in [0, 1]) -> num", long, long[:50]))
	for format, g := range both(t, sig, grammar.Options{}) {
		local := func(name string) bool { return g.Match("rule s {\n  let " + name + " = 1\n  return a\n}") }
		for name, want := range map[string]bool{
			long: false, long[:50]: false, "a": false, "ab": true, long[:49]: true, long[:51]: true, long[:63]: true,
			long[:63] + "x": true, long + "x": false, long[:63] + "xy": false, "sqrt": false, "else": false,
		} {
			if local(name) != want {
				t.Errorf("%s: %s may be a local: %t", format, name, !want)
			}
		}
	}
}
