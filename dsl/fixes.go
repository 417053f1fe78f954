package dsl

import (
	"sort"
	"strings"
)

// insertFix inserts text at a place; nil for a node that was built, which has no place.
func insertFix(title string, at Pos, text string) *Fix {
	return replaceFix(title, Span{Start: at, End: at}, text)
}

// deleteFix deletes a range of the source.
func deleteFix(title string, span Span) *Fix { return replaceFix(title, span, "") }

// replaceFix replaces a range of the source by text.
func replaceFix(title string, span Span, text string) *Fix {
	if span.IsZero() {
		return nil
	}
	return &Fix{Title: title, Edits: []Edit{{Span: span, Text: text}}}
}

// ApplyFixes applies the fixes of findings about src and returns the new text and how many fixes it
// applied. A fix whose edits overlap those of an earlier one is left out: checking the new
// text again offers it anew. So is one whose edits do not lie within src.
func ApplyFixes(src string, ds Diagnostics) (string, int) {
	var edits []Edit
	applied := 0
	for _, d := range ds {
		if d.Fix == nil || len(d.Fix.Edits) == 0 || !fits(src, edits, d.Fix.Edits) {
			continue
		}
		edits = append(edits, d.Fix.Edits...)
		applied++
	}
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].Start.Offset < edits[j].Start.Offset })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(src[at:e.Start.Offset])
		b.WriteString(e.Text)
		at = e.Span.End.Offset
	}
	b.WriteString(src[at:])
	return b.String(), applied
}

// fits reports whether edits lie within src and apart from those taken and from each other. Two
// insertions at one place collide too: nothing says which comes first.
func fits(src string, taken, edits []Edit) bool {
	for i, e := range edits {
		if e.Start.Offset < 0 || e.Span.End.Offset < e.Start.Offset || e.Span.End.Offset > len(src) {
			return false
		}
		for _, t := range taken {
			if collide(e, t) {
				return false
			}
		}
		for _, other := range edits[:i] {
			if collide(e, other) {
				return false
			}
		}
	}
	return true
}

func collide(a, b Edit) bool {
	if a.Start.Offset == b.Start.Offset {
		return true
	}
	if a.Start.Offset > b.Start.Offset {
		a, b = b, a
	}
	return a.Span.End.Offset > b.Start.Offset
}
