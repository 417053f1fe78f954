package dsl

import (
	"slices"
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
	var taken editList
	applied := 0
	for _, d := range ds {
		if d.Fix == nil || len(d.Fix.Edits) == 0 {
			continue
		}
		if next, ok := taken.with(d.Fix.Edits, len(src)); ok {
			taken = next
			applied++
		}
	}
	var b strings.Builder
	at := 0
	for _, e := range taken {
		b.WriteString(src[at:e.Start.Offset])
		b.WriteString(e.Text)
		at = e.Span.End.Offset
	}
	b.WriteString(src[at:])
	return b.String(), applied
}

// editList holds edits in the order of the text, none of which overlaps another.
type editList []Edit

// with adds edits to a text of size bytes, or reports that one lies outside it or collides: with one of the
// list, or with another of them. Two insertions at one place collide too, as nothing says which comes first.
func (l editList) with(edits []Edit, size int) (editList, bool) {
	next := l
	for i, e := range edits {
		from, to := e.Start.Offset, e.Span.End.Offset
		at, found := slices.BinarySearchFunc(next, from, func(e Edit, from int) int { return e.Start.Offset - from })
		before := at > 0 && next[at-1].Span.End.Offset > from
		after := at < len(next) && next[at].Start.Offset < to
		if from < 0 || to < from || to > size || found || before || after {
			return l, false
		}
		if i == 0 && len(edits) > 1 {
			next = slices.Clone(next) // l stays as it is should a later edit collide
		}
		next = slices.Insert(next, at, e)
	}
	return next, true
}
