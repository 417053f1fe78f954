package dsl

import (
	"fmt"
	"maps"
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

// index adds a signature to those that rules may bind to, unless it says the same as one of them.
func (c *fileCheck) index(s *Signature) {
	last := lastName(s.Name.Text)
	if !slices.ContainsFunc(c.byName[last], s.same) {
		c.byName[last] = append(c.byName[last], s)
		c.all = append(c.all, s)
	}
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
	if own := slices.DeleteFunc(slices.Clone(fitting), func(s *Signature) bool { return !c.own[s] }); len(own) > 0 {
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
	named = c.byName[r.Name.Text]
	for _, s := range named {
		if s.fits(r) {
			fitting = append(fitting, s)
		}
	}
	return named, fitting
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
		known := slices.Collect(maps.Keys(c.byName))
		hint := didYouMean(r.Name.Text, known)
		if hint == "" && len(known) > 0 {
			hint = "known signatures: " + nameList(c.all)
		}
		c.report(r.Name.Span, CodeNoSignature, hint, "no signature is named %q", r.Name.Text)
		return nil
	}
	var why []string
	for _, s := range named[:min(len(named), maxListed)] {
		why = append(why, fmt.Sprintf("%s has no %s", s.Name.Text, strings.Join(s.missing(r), ", ")))
	}
	c.report(r.Name.Span, CodeNoSignature, strings.Join(why, "; "), "no signature fits rule %q", r.Name.Text)
	return nil
}

// maxListed is how many names a message lists.
const maxListed = 20

// nameList lists the names of signatures for a message.
func nameList(sigs []*Signature) string {
	var names []string
	for _, s := range sigs {
		names = append(names, s.Name.Text)
	}
	return list(names)
}

// list joins names for a message: "a, b, c".
func list(names []string) string {
	if len(names) > maxListed {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d more", len(names)-maxListed)
	}
	return strings.Join(names, ", ")
}

// unknownSignature reports a decision for a signature that nobody declares.
func (c *fileCheck) unknownSignature() {
	var names []string
	for _, s := range c.all {
		if s.Name.Text == c.opts.Signature {
			return
		}
		names = append(names, s.Name.Text)
	}
	if c.opts.Signature == "" {
		return
	}
	hint := didYouMean(c.opts.Signature, names)
	if hint == "" && len(names) > 0 {
		hint = "known signatures: " + list(names)
	}
	c.report(Span{}, CodeUnknownSignature, hint, "there is no signature %q", c.opts.Signature)
}

// conflict reports a signature of the file that says otherwise than the host's of the same name.
func (c *fileCheck) conflict(s *Signature) {
	if h := c.hosts[s.Name.Text]; h != nil && !h.same(s) {
		c.report(s.Name.Span, CodeSignatureConflict, "the host has "+difference(h, s), "signature %q differs from the host's", s.Name.Text)
	}
}

// difference names the first of h that s has otherwise.
func difference(h, s *Signature) string {
	plain := func(in *Input) string {
		return FormatInput(&Input{Name: in.Name, Type: in.Type, Int: in.Int, Lo: in.Lo, Hi: in.Hi})
	}
	for i, in := range h.Inputs {
		if i == len(s.Inputs) || plain(in) != plain(s.Inputs[i]) {
			return plain(in)
		}
	}
	if len(s.Inputs) > len(h.Inputs) {
		return "no input " + s.Inputs[len(h.Inputs)].Name.Text
	}
	return "the result " + typeText(h.Result, false)
}
