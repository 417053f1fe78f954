package dsl

import (
	"strings"
	"testing"
)

// TestHabitHints holds what is said of the habits of other languages, and that a fix makes a text that parses.
func TestHabitHints(t *testing.T) {
	for _, tt := range []struct{ src, hint, want string }{
		{"rule r { var x = a; return x; }", "let", "rule r { let x = a; return x; }"},
		{"rule r {\n  double x = a\n  return x\n}", "let", "rule r {\n  let x = a\n  return x\n}"},
		{"rule r { x := a return x }", "let", "rule r { let x = a return x }"},
		{"rule r { let x = 1 x++ return x }", "x += 1", "rule r { let x = 1 x += 1 return x }"},
		{"rule r { let x = 1; x--; return x }", "x -= 1", "rule r { let x = 1; x -= 1; return x }"},
		{"rule r { return a === b ? 1 : 0 }", "write ==", "rule r { return a == b ? 1 : 0 }"},
		{"rule r { return a !== b ? 1 : 0 }", "write !=", "rule r { return a != b ? 1 : 0 }"},
		{"rule r { return a <> b ? 1 : 0 }", "write !=", "rule r { return a != b ? 1 : 0 }"},
		{"rule r { if a = b { return 1 } return 2 }", "==", "rule r { if a == b { return 1 } return 2 }"},
		{"rule r { return a; // tail\n}", "#", "rule r { return a; # tail\n}"},
		{"rule r { /* a */ return a }", "a comment begins with #", ""},
		{"rule r { if (a > b) return 1; return 2 }", "braces", ""},
		{"rule r { if a > b then return 1 end return 2 }", "braces", ""},
		{"def r(a):\n    return a\n", "a rule is written rule NAME(inputs)", ""},
		{"function r(a) { return a }", "a rule is written rule NAME(inputs)", ""},
		{"rule r { return max([a, b]) }", "no lists", ""},
		{"rule r { return a[0] }", "no lists", ""},
		{"rule r { return }", "value", ""},
		{"rule r { return \"x\" }", "no strings", ""},
		{"rule r { elif a > 2 { return 1 } return 3 }", "behind the }", ""},
		{"rule r { return a ? 1 }", "c ? a : b", ""},
		{"rule r { switch (a) { } return 1 }", "else if", ""},
		{"rule r { if a > 2: return 1 else: return 3 }", "braces", "rule r { if a > 2 { return 1 } else { return 3 } }"},
	} {
		_, diags := ParseLimits("f", tt.src, Limits{})
		if len(diags) == 0 || !strings.Contains(diags[0].Hint, tt.hint) {
			t.Errorf("%q: no hint with %q in %v", tt.src, tt.hint, diags)
			continue
		}
		got, n := ApplyFixes(tt.src, diags)
		if tt.want == "" {
			if n != 0 {
				t.Errorf("%q: fixed to %q", tt.src, got)
			}
			continue
		}
		if got != tt.want {
			t.Errorf("%q: fixed to\n%s\nwant\n%s", tt.src, got, tt.want)
		}
		if _, err := Parse("f", got); err != nil {
			t.Errorf("the fixed text does not parse: %v", err)
		}
	}
}

func TestByteOrderMarks(t *testing.T) {
	const src = "\ufeffrule r { return a }\n"
	_, diags := ParseLimits("f", src, Limits{})
	if got, n := ApplyFixes(src, diags); n != 1 || got != "rule r { return a }\n" {
		t.Errorf("%d fixes: %q", n, got)
	}
	for _, src := range []string{"\xff\xfer\x00u\x00", "\xfe\xff\x00r\x00u"} {
		if _, diags := ParseLimits("f", src, Limits{}); len(diags) != 1 || diags[0].Message != "the file is UTF-16" {
			t.Errorf("%q: %v", src, diags)
		}
	}
}
