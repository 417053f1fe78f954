package dsl

import "sort"

// anchor is a place that comments can belong to: the start of a node, or the closing brace of one.
type anchor struct {
	span Span
	to   *Comments // nil at a closing brace
	end  *[]string // the list before the closing brace
}

// attachComments gives every comment to the node it is about: a comment at the end of a line to the
// node that begins the line, any other to the node or closing brace that follows.
func attachComments(f *File, comments []comment) {
	as := fileAnchors(f)
	sort.SliceStable(as, func(i, j int) bool { return as[i].span.Start.Offset < as[j].span.Start.Offset })
	lastLine := lineEnds(f.Source)
	var prev *comment
	for i := range comments {
		c := &comments[i]
		if !c.own && trail(as, *c) {
			prev = nil
			continue
		}
		lead(f, as, *c, prev)
		prev = c
	}
	for i := range as {
		if as[i].to != nil {
			closeLead(as[i], comments, lastLine)
		}
	}
}

// trail puts c at the end of its line: on the outermost node that ends there, else on the innermost
// that begins there.
func trail(as []anchor, c comment) bool {
	var open, ended *Comments
	n := sort.Search(len(as), func(i int) bool { return as[i].span.Start.Offset >= c.pos.Offset })
	for i := n - 1; i >= 0 && as[i].span.Start.Line == c.pos.Line; i-- {
		switch a := as[i]; {
		case a.to == nil:
		case a.span.End.Offset <= c.pos.Offset:
			ended = a.to
		case open == nil:
			open = a.to
		}
	}
	to := open
	if ended != nil && open == nil {
		to = ended
	}
	if c.text == emptyComment {
		return true // says nothing about the line it stands on
	}
	if to == nil || to.Trail != "" {
		return false
	}
	to.Trail = c.text
	return true
}

// lead puts c above the node or closing brace that follows; prev is the comment before it.
func lead(f *File, as []anchor, c comment, prev *comment) {
	n := sort.Search(len(as), func(i int) bool { return as[i].span.Start.Offset > c.pos.Offset })
	list := &f.Foot
	if n < len(as) {
		if list = as[n].end; as[n].to != nil {
			list = &as[n].to.Lead
		}
	}
	if len(*list) > 0 && prev != nil && c.pos.Line > prev.pos.Line+1 {
		*list = append(*list, "")
	}
	*list = append(*list, c.text)
}

// closeLead notes blank lines: one between the comments above a node and the node, and the Gap above all of them.
func closeLead(a anchor, comments []comment, blank func(line int) bool) {
	top := a.span.Start.Line
	if len(a.to.Lead) > 0 && blank(top-1) {
		a.to.Lead = append(a.to.Lead, "")
	}
	n := sort.Search(len(comments), func(i int) bool { return comments[i].pos.Offset >= a.span.Start.Offset })
	left := 0 // comments of the node's own: what stands above them is another's
	for _, text := range a.to.Lead {
		if text != "" {
			left++
		}
	}
	for i := n - 1; i >= 0 && comments[i].own && left > 0; i, left = i-1, left-1 {
		if top-comments[i].pos.Line > 1 && !blank(top-1) {
			break
		}
		top = comments[i].pos.Line
	}
	a.to.Gap = top > 1 && blank(top-1)
}

// lineEnds returns a function that reports whether a line, counted from 1, is blank.
func lineEnds(src string) func(line int) bool {
	blank := []bool{false}
	empty := true
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '\n':
			blank = append(blank, empty)
			empty = true
		case ' ', '\t', '\r':
		default:
			empty = false
		}
	}
	return func(line int) bool { return line > 0 && line < len(blank) && blank[line] }
}

func fileAnchors(f *File) []anchor {
	var as []anchor
	for _, d := range f.Decls {
		as = append(as, anchor{span: d.Range(), to: d.comments()})
		as = append(as, declAnchors(d)...)
	}
	return as
}

func declAnchors(d Decl) []anchor {
	switch d := d.(type) {
	case *Signature:
		return signatureAnchors(d)
	case *Rule:
		return blockAnchors(d.Body)
	case *Policy:
		return policyAnchors(d)
	case *Slot:
		var as []anchor
		for _, h := range d.Hooks {
			as = append(as, anchor{span: h.Span, to: &h.Comments})
			as = append(as, signatureAnchors(&h.Signature)...)
		}
		return append(as, closing(d.Span, &d.Foot))
	case *Society:
		var as []anchor
		for _, n := range d.Nodes {
			as = append(as, anchor{span: n.Span, to: &n.Comments})
		}
		for _, e := range d.Edges {
			as = append(as, anchor{span: e.Span, to: &e.Comments})
		}
		return append(as, closing(d.Span, &d.Foot))
	}
	return nil
}

func signatureAnchors(s *Signature) []anchor {
	var as []anchor
	for _, in := range s.Inputs {
		as = append(as, anchor{span: in.Span, to: &in.Comments})
	}
	for _, c := range s.Clauses {
		as = append(as, anchor{span: c.Span, to: &c.Comments})
	}
	if s.Body {
		as = append(as, closing(s.Span, &s.Foot))
	}
	return as
}

func policyAnchors(p *Policy) []anchor {
	var as []anchor
	for _, q := range p.Params {
		as = append(as, anchor{span: q.Span, to: &q.Comments})
	}
	for _, s := range p.States {
		as = append(as, anchor{span: s.Span, to: &s.Comments})
	}
	if p.Pick.Text != "" {
		as = append(as, anchor{span: p.Pick.Span, to: &p.PickComments})
	}
	for _, h := range p.Hooks {
		as = append(as, anchor{span: h.Span, to: &h.Comments})
		as = append(as, blockAnchors(h.Body)...)
	}
	return append(as, closing(p.Span, &p.Foot))
}

// closing is the anchor of a node's last character, its closing brace.
func closing(s Span, end *[]string) anchor {
	at := s.End
	at.Offset--
	at.Col--
	return anchor{span: Span{at, s.End}, end: end}
}

func blockAnchors(b *Block) []anchor {
	var as []anchor
	for _, s := range b.Stmts {
		as = append(as, anchor{span: s.Range(), to: s.comments()})
		if s, ok := s.(*If); ok {
			for _, arm := range s.Arms {
				as = append(as, blockAnchors(arm.Body)...)
			}
			if s.Else != nil {
				as = append(as, blockAnchors(s.Else)...)
			}
		}
	}
	return append(as, closing(b.Span, &b.Foot))
}
