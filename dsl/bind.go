package dsl

import (
	"fmt"
	"slices"
	"strings"
)

// lastName returns the last component of a qualified name.
func lastName(qualified string) string {
	return qualified[strings.LastIndexByte(qualified, '.')+1:]
}

// fits reports whether a signature has every input that the rule lists.
func (s *Signature) fits(r *Rule) bool { return len(s.missing(r)) == 0 }

// missing returns the listed inputs of a rule that the signature does not have.
func (s *Signature) missing(r *Rule) []string {
	var names []string
	for _, id := range r.Inputs {
		if s.input(id.Text) == nil {
			names = append(names, id.Text)
		}
	}
	return names
}

// input returns the input of that name, or nil.
func (s *Signature) input(name string) *Input {
	for _, in := range s.Inputs {
		if in.Name.Text == name {
			return in
		}
	}
	return nil
}

// same reports whether two signatures agree in all that a rule sees: name, inputs with their types and domains, result.
func (s *Signature) same(o *Signature) bool {
	if s.Name.Text != o.Name.Text || len(s.Inputs) != len(o.Inputs) || !sameType(s.Result, o.Result) {
		return false
	}
	for i, in := range s.Inputs {
		other := o.Inputs[i]
		if in.Name.Text != other.Name.Text || !sameType(in.Type, other.Type) || in.Int != other.Int || in.Lo != other.Lo || in.Hi != other.Hi {
			return false
		}
	}
	return true
}

func sameType(a, b Type) bool { return a.Kind == b.Kind && slices.Equal(a.Words, b.Words) }

// signatures are all candidates: the file's first, then those of the host that the file does not declare itself.
func (c *fileCheck) signatures() []*Signature {
	var all []*Signature
	for _, d := range c.file.Decls {
		if s, ok := d.(*Signature); ok && !slices.ContainsFunc(all, s.same) {
			all = append(all, s)
		}
	}
	for _, s := range c.hosts {
		if !slices.ContainsFunc(all, s.same) {
			all = append(all, s)
		}
	}
	return all
}

// candidate returns the signature that a rule binds to. many says that others fit as well: then the one
// returned is only the first of them.
func (c *fileCheck) candidate(r *Rule) (sig *Signature, many bool) {
	named, fitting := c.candidates(r)
	if c.opts.Signature != "" {
		decided := slices.DeleteFunc(slices.Clone(named), func(s *Signature) bool { return s.Name.Text != c.opts.Signature })
		if len(decided) > 0 {
			return decided[0], false
		}
	}
	if own := slices.DeleteFunc(slices.Clone(fitting), func(s *Signature) bool { return !c.declares(s) }); len(own) > 0 {
		fitting = own
	}
	switch {
	case len(fitting) > 0:
		return fitting[0], len(fitting) > 1
	}
	return nearest(r, named), false // its checker says which inputs it lacks
}

// nearest returns the signature that has more of a rule's inputs than any other, so that a misspelt input is
// reported as that; nil if there is no such one.
func nearest(r *Rule, named []*Signature) *Signature {
	var best *Signature
	least, unique := 0, false
	for _, s := range named {
		switch n := len(s.missing(r)); {
		case best == nil || n < least:
			best, least, unique = s, n, true
		case n == least:
			unique = false
		}
	}
	if !unique {
		return nil
	}
	return best
}

// candidates returns the signatures whose last name component is the rule's name, and those of them
// that have all of its inputs.
func (c *fileCheck) candidates(r *Rule) (named, fitting []*Signature) {
	for _, s := range c.signatures() {
		if lastName(s.Name.Text) != r.Name.Text {
			continue
		}
		named = append(named, s)
		if s.fits(r) {
			fitting = append(fitting, s)
		}
	}
	return named, fitting
}

// declares reports whether the file itself holds the signature.
func (c *fileCheck) declares(sig *Signature) bool {
	return slices.ContainsFunc(c.file.Decls, func(d Decl) bool { return d == Decl(sig) })
}

// bind returns the one signature that a rule binds to, or reports why there is none.
func (c *fileCheck) bind(r *Rule) *Signature {
	sig, many := c.candidate(r)
	if sig != nil && !many {
		return sig
	}
	named, fitting := c.candidates(r)
	if many {
		c.report(r.Name.Span, CodeManySignatures, "name more inputs, or decide with --signature", "rule %q fits several signatures: %s", r.Name.Text, nameList(fitting))
		return nil
	}
	if len(named) == 0 {
		var known []string
		for _, s := range c.signatures() {
			known = append(known, lastName(s.Name.Text))
		}
		hint := didYouMean(r.Name.Text, known)
		if hint == "" && len(known) > 0 {
			hint = "known signatures: " + nameList(c.signatures())
		}
		c.report(r.Name.Span, CodeNoSignature, hint, "no signature is named %q", r.Name.Text)
		return nil
	}
	var why []string
	for _, s := range named {
		why = append(why, fmt.Sprintf("%s has no %s", s.Name.Text, strings.Join(s.missing(r), ", ")))
	}
	c.report(r.Name.Span, CodeNoSignature, strings.Join(why, "; "), "no signature fits rule %q", r.Name.Text)
	return nil
}

func nameList(sigs []*Signature) string {
	var names []string
	for _, s := range sigs {
		names = append(names, s.Name.Text)
	}
	return strings.Join(names, ", ")
}

// unknownSignature reports a decision for a signature that nobody declares.
func (c *fileCheck) unknownSignature() {
	all := c.signatures()
	if c.opts.Signature == "" || slices.ContainsFunc(all, func(s *Signature) bool { return s.Name.Text == c.opts.Signature }) {
		return
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name.Text)
	}
	hint := didYouMean(c.opts.Signature, names)
	if hint == "" && len(names) > 0 {
		hint = "known signatures: " + nameList(all)
	}
	c.report(Span{}, CodeUnknownSignature, hint, "there is no signature %q", c.opts.Signature)
}

// conflict reports a signature of the file that says otherwise than the host's of the same name.
func (c *fileCheck) conflict(s *Signature) {
	for _, h := range c.hosts {
		if h.Name.Text == s.Name.Text && !h.same(s) {
			c.report(s.Name.Span, CodeSignatureConflict, "the host declares "+FormatDecl(headOf(h)), "signature %q differs from the host's", s.Name.Text)
			return
		}
	}
}

// headOf returns a signature without its clauses and comments.
func headOf(s *Signature) *Signature {
	h := &Signature{Name: s.Name, Result: s.Result}
	for _, in := range s.Inputs {
		h.Inputs = append(h.Inputs, &Input{Name: in.Name, Type: in.Type, Int: in.Int, Lo: in.Lo, Hi: in.Hi})
	}
	return h
}
