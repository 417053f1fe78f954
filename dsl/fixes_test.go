package dsl

import (
	"strings"
	"testing"
)

// fixAll applies fixes until none is left, as a host does before it asks a model.
func fixAll(t *testing.T, src string, sigs []*Signature, opts CheckOptions) (string, Diagnostics) {
	t.Helper()
	for range 10 {
		f, ds := ParseLimits("a.rule", src, Limits{})
		if !ds.HasErrors() {
			ds = Check(f, sigs, opts).Diags
		}
		next, n := ApplyFixes(src, ds)
		if n == 0 {
			return src, ds
		}
		src = next
	}
	t.Fatalf("fixes do not come to an end:\n%s", src)
	return "", nil
}

func TestFixes(t *testing.T) {
	sigs, opts := host(t)
	opts.Signature = "selection.priority"
	tests := []struct{ name, body, want string }{
		{"missing let", "x = rank * 2\nreturn x", "let x = rank * 2\nreturn x"},
		{"missing let in a block", "if rank > 0.5 {\nx = 1\nreturn x\n}\nreturn 0", "if rank > 0.5 {\nlet x = 1\nreturn x\n}\nreturn 0"},
		{"assigned in two branches", "  if rank > 0.5 { x = 1 } else { x = 2 }\n  return x", "  let x = 0\n  if rank > 0.5 { x = 1 } else { x = 2 }\n  return x"},
		{"assigned in one branch", "if rank > 0.5 { x = rank > 0.7 }\nreturn x ? 1 : 0", "let x = false\nif rank > 0.5 { x = rank > 0.7 }\nreturn x ? 1 : 0"},
		{"assigned deep inside one branch", "if rank > 0.5 {\n  if rank > 0.7 { x = 1 } else { x = 2 }\n  return x\n}\nreturn 0", "if rank > 0.5 {\n  let x = 0\n  if rank > 0.7 { x = 1 } else { x = 2 }\n  return x\n}\nreturn 0"},
		{"assigned in a branch and after it", "if rank > 0.5 { x = 1 }\nx = 3\nreturn x", "let x = 0\nif rank > 0.5 { x = 1 }\nx = 3\nreturn x"},
		{"let again", "let x = 1\nlet x = x + rank\nreturn x", "let x = 1\nx = x + rank\nreturn x"},
		{"True", "if True { return 1 }\nreturn 2", "if true { return 1 }\nreturn 2"},
		{"math.pi", "return rank * math.pi", "return rank * 3.141592653589793"},
		{"math.sqrt needs none", "return math.sqrt(rank)", "return math.sqrt(rank)"},
		{"chain", "return 0 < rank < 1 ? 1 : 0", "return (0 < rank && rank < 1) ? 1 : 0"},
		{"chain of four", "return 0 < rank <= visits < 5 ? 1 : 0", "return (0 < rank && rank <= visits && visits < 5) ? 1 : 0"},
		{"chain under not", "return not 0 < rank < 1 ? 1 : 0", "return not (0 < rank && rank < 1) ? 1 : 0"},
		{"chain with parentheses", "return (0 < (rank + 1) < 2) ? 1 : 0", "return ((0 < rank + 1 && rank + 1 < 2)) ? 1 : 0"},
		{"chain of equal types", "return rank < 1 == true ? 1 : 0", "return (rank < 1 && (true)) ? 1 : 0"},
		{"bool in a sum", "return rank + (visits > 3)", "return rank + ((visits > 3 ? 1 : 0))"},
		{"bool argument", "return max(rank, visits > 3)", "return max(rank, (visits > 3 ? 1 : 0))"},
		{"bool result", "return visits > 3", "return (visits > 3 ? 1 : 0)"},
		{"bool added", "let n = 0\nn += visits > 3\nreturn n", "let n = 0\nn += (visits > 3 ? 1 : 0)\nreturn n"},
		{"bool is one", "return (visits > 3) == 1 ? 1 : 0", "return (visits > 3) ? 1 : 0"},
		{"bool is not one", "let b = visits > 3\nreturn 0 == b ? 1 : 0", "let b = visits > 3\nreturn (!b) ? 1 : 0"},
		{"number as condition", "if visits { return 1 }\nreturn 0", "if (visits != 0) { return 1 }\nreturn 0"},
		{"number in a conjunction", "return rank > 0.5 && visits ? 1 : 0", "return rank > 0.5 && (visits != 0) ? 1 : 0"},
		{"other name of a function", "return ln(rank + 1) + fabs(rank)", "return log(rank + 1) + abs(rank)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wrap := func(body string) string { return "rule priority {\n" + body + "\n}\n" }
			got, ds := fixAll(t, wrap(tt.body), sigs, opts)
			if got != wrap(tt.want) {
				t.Errorf("got\n%swant\n%s", got, wrap(tt.want))
			}
			for _, d := range ds {
				if d.Severity == Error {
					t.Errorf("left: %v", d)
				}
			}
		})
	}
}

func TestFixListsAnInputOfTheSignature(t *testing.T) {
	sigs, opts := host(t)
	got, ds := fixAll(t, "rule priority(rank, depth) { return rank + visits }", sigs, opts)
	if want := "rule priority(rank, depth, visits) { return rank + visits }"; got != want || len(ds) > 0 {
		t.Errorf("got %q, %v; want %q", got, ds, want)
	}
}

func edit(from, to int, text string) Edit {
	return Edit{Span: Span{Start: Pos{from, 1, from + 1}, End: Pos{to, 1, to + 1}}, Text: text}
}

func fixOf(edits ...Edit) Diagnostic { return Diagnostic{Fix: &Fix{Edits: edits}} }

func TestApplyFixesKeepsFixesApart(t *testing.T) {
	const src = "abcdef"
	tests := []struct {
		name string
		ds   Diagnostics
		want string
		n    int
	}{
		{"none", Diagnostics{{}, {Fix: &Fix{}}}, "abcdef", 0},
		{"later place first", Diagnostics{fixOf(edit(4, 5, "E")), fixOf(edit(0, 1, "A"))}, "AbcdEf", 2},
		{"neighbours", Diagnostics{fixOf(edit(0, 2, "X")), fixOf(edit(2, 2, "-")), fixOf(edit(3, 4, ""))}, "X-cef", 3},
		{"the first of two that overlap", Diagnostics{fixOf(edit(1, 4, "X")), fixOf(edit(3, 5, "Y"))}, "aXef", 1},
		{"overlap from the left", Diagnostics{fixOf(edit(3, 5, "Y")), fixOf(edit(1, 4, "X"))}, "abcYf", 1},
		{"two insertions at one place", Diagnostics{fixOf(edit(1, 1, "X")), fixOf(edit(1, 1, "Y"))}, "aXbcdef", 1},
		{"a fix is applied whole or not at all", Diagnostics{fixOf(edit(3, 4, "D")), fixOf(edit(0, 1, "A"), edit(3, 4, "X"))}, "abcDef", 1},
		{"edits of one fix overlap", Diagnostics{fixOf(edit(0, 3, "A"), edit(2, 4, "B"))}, "abcdef", 0},
		{"outside the text", Diagnostics{fixOf(edit(5, 9, "A")), fixOf(edit(-1, 2, "B")), fixOf(edit(3, 2, "C"))}, "abcdef", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, n := ApplyFixes(src, tt.ds); got != tt.want || n != tt.n {
				t.Errorf("got %q, %d; want %q, %d", got, n, tt.want, tt.n)
			}
		})
	}
}

func TestSuggest(t *testing.T) {
	names := []string{"visits", "total", "rank", "prior", "depth", "n_nodes", "sqrt", "x"}
	tests := []struct{ name, want string }{
		{"vists", "visits"},
		{"vistis", "visits"}, // a swap of neighbours is one mistake
		{"Visits", "visits"},
		{"VISITS", "visits"},
		{"nnodes", "n_nodes"},
		{"rnak", "rank"},
		{"y", ""},   // one letter is no hint
		{"ab", ""},  // nothing near
		{"xy", "x"}, // one letter too many
		{"visited", "visits"},
		{"something", ""},
		{strings.Repeat("z", 64), ""},
	}
	for _, tt := range tests {
		if got := Suggest(tt.name, names); got != tt.want {
			t.Errorf("Suggest(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := Suggest("cat", []string{"rat", "bat"}); got != "bat" {
		t.Errorf("of equally near names %q won, want the first of the alphabet", got)
	}
}

// TestEditDistance compares the banded table with the definition, by recursion.
func TestEditDistance(t *testing.T) {
	var slow func(a, b string) int
	slow = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		m, n := len(a)-1, len(b)-1
		cost := 1
		if a[m] == b[n] {
			cost = 0
		}
		d := min(slow(a[:m], b)+1, slow(a, b[:n])+1, slow(a[:m], b[:n])+cost)
		if m > 0 && n > 0 && a[m] == b[n-1] && a[m-1] == b[n] {
			d = min(d, slow(a[:m-1], b[:n-1])+1)
		}
		return d
	}
	words := []string{"", "a", "b", "ab", "ba", "abc", "acb", "cab", "abcd", "abdc", "xabcd", "bcda", "abab", "baba"}
	for _, a := range words {
		for _, b := range words {
			for most := range 4 {
				if got, want := editDistance(a, b, most), min(slow(a, b), most+1); got != want {
					t.Errorf("editDistance(%q, %q, %d) = %d, want %d", a, b, most, got, want)
				}
			}
		}
	}
}

func TestFixDeclaresAWord(t *testing.T) {
	sigs, opts := host(t)
	got, ds := fixAll(t, "rule route {\n  if reward > 0.5 { w = search } else { w = direct }\n  return w\n}", sigs, opts)
	want := "rule route {\n  let w = direct\n  if reward > 0.5 { w = search } else { w = direct }\n  return w\n}"
	if got != want || len(ds) > 0 {
		t.Errorf("got %q, %v; want %q", got, ds, want)
	}
}
