package dsl_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/dsl"
)

// Every example of the language reference parses, checks without a finding, and is formatted.
func TestReferenceExamples(t *testing.T) {
	const path = "../docs/language.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```rule\n")[1:]
	if len(blocks) < 5 {
		t.Fatalf("%s has only %d examples", path, len(blocks))
	}
	for _, b := range blocks {
		src, _, ok := strings.Cut(b, "```")
		if !ok {
			t.Fatal("an example is not closed")
		}
		f, err := dsl.Parse(path, src)
		if err != nil {
			t.Errorf("%v\n%s", err, src)
			continue
		}
		info := dsl.Check(f, nil, dsl.CheckOptions{})
		for _, d := range info.Diags {
			t.Errorf("%v\n%s", d, src)
		}
		if diff := cmp.Diff(src, dsl.Format(f)); diff != "" {
			t.Errorf("not formatted (-page +formatted):\n%s", diff)
		}
	}
}

// The count of the page is the language's.
func TestReferenceOps(t *testing.T) {
	f, err := dsl.Parse("fit", "rule fit(item, bin) {\n  return -(bin - item)\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if ops := dsl.Ops(f.Decls[0]); ops != 2 {
		t.Errorf("fit has %d ops, the page says 2", ops)
	}
}
