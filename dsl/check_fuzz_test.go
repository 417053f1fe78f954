package dsl

import "testing"

// FuzzCheck holds that no text makes the checker panic, that each finding has a place, and that what it accepts
// is accepted as a tree and compiles.
func FuzzCheck(f *testing.F) {
	seeds(f)
	sigs, opts := host(f)
	f.Fuzz(func(t *testing.T, src string) {
		file, diags := ParseLimits("f", src, Limits{})
		if diags.HasErrors() {
			return
		}
		info := Check(file, sigs, opts)
		for _, d := range info.Diags {
			if d.IsZero() || d.Start.Offset > d.End.Offset || d.End.Offset > len(src) || d.Code == "" || d.Message == "" {
				t.Fatalf("a finding at %+v of %d bytes: %v", d.Span, len(src), d)
			}
			_ = d.Render(src)
		}
		if fixed, n := ApplyFixes(src, info.Diags); (n == 0) != (fixed == src) {
			t.Fatalf("%d fixes, text changed: %v", n, fixed != src)
		}
		if info.Diags.HasErrors() {
			return
		}
		for _, d := range file.Decls {
			r, ok := d.(*Rule)
			if !ok {
				continue
			}
			sig := info.Signatures[r]
			if err := CheckRule(r, sig, Limits{Nesting: MaxNesting}); err != nil {
				t.Fatalf("accepted as text, refused as tree: %v", err)
			}
			if _, err := Compile(r, sig); err != nil {
				t.Fatalf("accepted but does not compile: %v", err)
			}
		}
	})
}
