package landscape_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/problems/landscape"
	"github.com/google/go-cmp/cmp"
)

// compile returns the program of a text that declares one priority rule.
func compile(tb testing.TB, name, text string) *dsl.Program {
	tb.Helper()
	signature, err := treesearch.PrioritySignature()
	if err != nil {
		tb.Fatal(err)
	}
	file, err := dsl.Parse(name, text)
	if err != nil {
		tb.Fatal(err)
	}
	if err := dsl.Check(file, []*dsl.Signature{signature}, dsl.CheckOptions{}).Diags.Err(); err != nil {
		tb.Fatal(err)
	}
	program, err := dsl.Compile(file.Decls[0].(*dsl.Rule), signature)
	if err != nil {
		tb.Fatal(err)
	}
	return program
}

// publishedRule returns the text of a rule of the published figures, which are not part of this repository.
func publishedRule(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "rules", name+".rule"))
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist) && os.Getenv("AGENTDESCENT_REQUIRE_DATA") != "1":
		tb.Skipf("the published rules are not beside the repository: %v", err)
	default:
		tb.Fatal(err)
	}
	return string(text)
}

func TestFiguresOfRules(t *testing.T) {
	for _, row := range figures {
		t.Run(row.rule, func(t *testing.T) {
			program := compile(t, row.rule+".rule", publishedRule(t, row.rule))
			checkFigures(t, func() treesearch.Selector { return treesearch.NewPrioritySelection(program) }, row.source, row.target)
		})
	}
}

// The seed rule and the native selection are one policy, bit for bit.
func TestSeedRuleIsFlatPuct(t *testing.T) {
	rule := treesearch.NewPrioritySelection(compile(t, "flat_puct.rule", treesearch.FlatPuctText()))
	native := treesearch.FlatPuct{C: 1, PriorExponent: 1}
	for _, family := range []landscape.Family{landscape.Source(), landscape.Target()} {
		byRule, byNative := landscape.NewSearcher(family), landscape.NewSearcher(family)
		for seed := range int64(20) {
			got, err := byRule.Search(t.Context(), seed, 300, rule)
			if err != nil {
				t.Fatal(err)
			}
			want, err := byNative.Search(t.Context(), seed, 300, native)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, seed %d (-native +rule):\n%s", family.Name, seed, diff)
			}
		}
	}
}
