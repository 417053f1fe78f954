package dsl

import (
	"os"
	"path/filepath"
	"testing"
)

// seedTexts are the rules at hand and small hostile texts.
func seedTexts() []string {
	var texts []string
	for _, pattern := range []string{"testdata/format/*.rule", "testdata/bench/*.rule", "testdata/compile/*.rule", "testdata/check/*.rule", "../../shared/rules/*.rule"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if src, err := os.ReadFile(file); err == nil {
				texts = append(texts, string(src))
			}
		}
	}
	for _, src := range hostile() {
		if len(src) < 8000 {
			texts = append(texts, src)
		}
	}
	return texts
}

func seeds(f *testing.F) {
	for _, src := range seedTexts() {
		f.Add(src)
	}
}

// FuzzParse holds that no text makes the parser panic, and that every refusal has a place.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		file, diags := ParseLimits("f", src, Limits{})
		if file == nil && !diags.HasErrors() {
			t.Fatal("no file and no reason")
		}
		for _, d := range diags {
			if d.IsZero() || d.Start.Offset > d.End.Offset || d.End.Offset > len(src) {
				t.Fatalf("a diagnostic at %+v of %d bytes: %v", d.Span, len(src), d)
			}
			_ = d.Render(src)
		}
		if fixed, n := ApplyFixes(src, diags); n == 0 && fixed != src {
			t.Fatal("no fix was applied but the text changed")
		}
	})
}

// FuzzFormat holds that what is printed parses to the same tree and prints the same.
func FuzzFormat(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		file, err := Parse("f", src)
		if err != nil {
			return
		}
		checkRoundTrip(t, file, Format(file))
	})
}
