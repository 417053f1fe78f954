package reflector

import (
	"strings"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/grammar"
	"github.com/agentdescent/adrun/grammar/grammartest"
)

// What the breeder breeds is what a model that is held to a grammar may write: 500 rules each of two
// signatures are derived by both printed forms, and by the recognisers of others where they are installed.
func TestBredRulesAreDerived(t *testing.T) {
	for _, text := range []string{provedPriority, provedBinpack} {
		f, err := dsl.Parse("sig", text)
		if err != nil {
			t.Fatal(err)
		}
		sig := f.Decls[0].(*dsl.Signature)
		var texts []string
		for _, r := range bredRules(sig, 500) {
			simplify(r) // as a search does before it tries a rule
			texts = append(texts, strings.TrimSuffix(dsl.FormatRule(r), "\n"))
		}
		g := grammar.New(sig, grammar.Options{})
		gbnf, err := grammartest.ReadGBNF(g.GBNF())
		if err != nil {
			t.Fatal(err)
		}
		lark, err := grammartest.ReadLark(g.Lark())
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			if !gbnf.Match(text) || !lark.Match(text) {
				t.Errorf("GBNF derives it: %t, Lark: %t\n%s", gbnf.Match(text), lark.Match(text), text)
			}
		}
		recognisers, missing := grammartest.Recognisers()
		for _, why := range missing {
			t.Log(why)
		}
		for _, r := range recognisers {
			printed := g.GBNF()
			if r.Lark {
				printed = g.Lark()
			}
			derived, err := r.Match(printed, texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, ok := range derived {
				if !ok {
					t.Errorf("%s does not derive\n%s", r.Name, texts[i])
				}
			}
			t.Logf("%s was asked for %d rules of %s", r.Name, len(texts), sig.Name.Text)
		}
	}
}
