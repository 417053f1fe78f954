package grammar_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/grammar"
	"github.com/agentdescent/adrun/grammar/grammartest"
	"github.com/agentdescent/adrun/problems/binpack"
)

// shipped returns the canonical texts, without comments and the last line's end, of the rules of a signature
// that the product and the data ship.
func shipped(t testing.TB, sig *dsl.Signature) []string {
	t.Helper()
	data := filepath.Join("..", "..", "shared", "rules")
	if _, err := os.Stat(data); err != nil && os.Getenv("AGENTDESCENT_REQUIRE_DATA") == "1" {
		t.Fatal(err)
	}
	var texts []string
	for _, pattern := range []string{"../engine/treesearch/*.rule", "../problems/binpack/rules/*.rule", data + "/*.rule"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := dsl.Parse(name, string(src))
			if err != nil {
				t.Fatal(err)
			}
			info := dsl.Check(f, []*dsl.Signature{sig}, dsl.CheckOptions{Signature: sig.Name.Text})
			for _, d := range f.Decls {
				if r, ok := d.(*dsl.Rule); ok && !info.Diags.HasErrors() {
					texts = append(texts, strings.TrimSuffix(dsl.FormatRule(dsl.CloneRule(r)), "\n"))
				}
			}
		}
	}
	if len(texts) == 0 {
		t.Fatalf("no rule of %s", sig.Name.Text)
	}
	return texts
}

func shippedSignatures(t testing.TB) []*dsl.Signature {
	t.Helper()
	search, err := treesearch.PrioritySignature()
	if err != nil {
		t.Fatal(err)
	}
	return []*dsl.Signature{search, signature(t, binpack.SignatureText())}
}

func TestShippedRulesAreDerived(t *testing.T) {
	for _, sig := range shippedSignatures(t) {
		texts := shipped(t, sig)
		t.Logf("%s: %d rules", sig.Name.Text, len(texts))
		for _, s := range []*dsl.Signature{sig, nil} {
			for format, g := range both(t, s, grammar.Options{}) {
				for _, text := range texts {
					if !g.Match(text) {
						t.Errorf("%s does not derive\n%s", format, text)
					}
				}
			}
		}
	}
}

// TestRecognisersAgree asks programs that others wrote: what they derive from the printed grammars must be what
// is meant. Each text that is derived is also asked for with something wrong in it.
func TestRecognisersAgree(t *testing.T) {
	recognisers, missing := grammartest.Recognisers()
	for _, r := range recognisers {
		t.Run(r.Name, func(t *testing.T) {
			for _, sig := range append(shippedSignatures(t), signature(t, route), nil) {
				recognise(t, r, sig)
			}
		})
	}
	if len(missing) > 0 {
		t.Skip(errors.Join(missing...))
	}
}

func recognise(t *testing.T, r *grammartest.Recogniser, sig *dsl.Signature) {
	t.Helper()
	g := grammar.New(sig, grammar.Options{})
	printed := g.GBNF()
	if r.Lark {
		printed = g.Lark()
	}
	ours := both(t, sig, grammar.Options{})["gbnf"]
	var texts []string
	if sig != nil && sig.Name.Text != "route" {
		texts = shipped(t, sig)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for len(texts) < 40 {
		if text := ours.Derive(rng, 40); len(text) < 400 {
			texts = append(texts, text)
		}
	}
	for _, text := range texts[:20] {
		texts = append(texts, strings.Replace(text, "return ", "return  ", 1), strings.TrimSuffix(text, "}"), text+" ")
	}
	got, err := r.Match(printed, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if want := ours.Match(text); got[i] != want {
			t.Errorf("%s says %t, want %t\n%s", r.Name, got[i], want, text)
		}
	}
}

// TestNarrowness lists what a grammar must not derive, each beside something near that it does.
func TestNarrowness(t *testing.T) {
	g := both(t, signature(t, route), grammar.Options{})
	none := both(t, signature(t, priority), grammar.Options{Functions: []string{"sqrt"}})
	for _, tc := range []struct {
		gs      map[string]*grammartest.Grammar
		yes, no string
	}{
		{g, "rule route { return direct }", "rule rout { return direct }"},
		{g, "rule route { return direct }", "rule route { return difficulty }"},
		{g, "rule route { return direct }", "rule route { return fast }"},
		{g, "rule route { return direct }", "rule route {\nreturn direct\n}"},
		{g, "rule route {\n  return direct\n}", "rule route {\n    return direct\n}"},
		{g, "rule route {\n  return direct\n}", "rule route {\n  return direct # easy\n}"},
		{g, "rule route {\n  return direct\n}", "rule route {\n  return direct\n  return search\n}"},
		{g, "rule route(difficulty, mode) { return direct }", "rule route(mode, difficulty) { return direct }"},
		{g, "rule route { return tried ? direct : search }", "rule route { return left ? direct : search }"},
		{g, "rule route { return (difficulty + left) * 2 > 1 ? direct : search }", "rule route { return (difficulty) > 1 ? direct : search }"},
		{g, "rule route { return mode == fast ? direct : search }", "rule route { return mode == direct ? direct : search }"},
		{g, "rule route { return left > -1 ? direct : search }", "rule route { return left > --1 ? direct : search }"},
		{g, "rule route { return left > 0.5 ? direct : search }", "rule route { return left > .5 ? direct : search }"},
		{g, "rule route { return left > max(1, 2) ? direct : search }", "rule route { return left > max(1) ? direct : search }"},
		{g, "rule route {\n  let a = left\n  return a > 1 ? direct : search\n}", "rule route {\n  return a > 1 ? direct : search\n}"},
		{g, "rule route {\n  let a = left\n  a += 1\n  return direct\n}", "rule route {\n  a += 1\n  return direct\n}"},
		{g, "rule route {\n  let lets = left\n  return direct\n}", "rule route {\n  let let = left\n  return direct\n}"},
		{g, "rule route {\n  let left2 = left\n  return direct\n}", "rule route {\n  let left = left\n  return direct\n}"},
		{g, "rule route {\n  let rapid = left\n  return direct\n}", "rule route {\n  let fast = left\n  return direct\n}"},
		{g, "rule route {\n  let minimum = left\n  return direct\n}", "rule route {\n  let min = left\n  return direct\n}"},
		{g, "rule route {\n  if tried { return direct }\n  return search\n}", "rule route {\n  if tried { return direct }\n}"},
		{g, "rule route {\n  if tried { return direct } else { return search }\n}", "rule route {\n  if tried { return direct } else { return search }\n  return direct\n}"},
		{g, "rule route {\n  if tried {\n    let a = 1\n  }\n  return search\n}", "rule route {\n  if tried {\n  }\n  return search\n}"},
		{none, "rule priority { return sqrt(rank) }", "rule priority { return log(rank) }"},
	} {
		for format, g := range tc.gs {
			if !g.Match(tc.yes) {
				t.Errorf("%s does not derive\n%s", format, tc.yes)
			}
			if g.Match(tc.no) {
				t.Errorf("%s derives\n%s", format, tc.no)
			}
		}
	}
}
