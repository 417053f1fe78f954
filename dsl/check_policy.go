package dsl

import (
	"math"
	"slices"
)

// A policy has at most so many params and states.
const (
	maxParams = 16
	maxStates = 16
)

// picks are the ways in which a policy may say that a choice is made.
var picks = []string{"distinct", "sample", "sample_one", "top"}

// policy checks a policy against the slot that it fills.
func (c *fileCheck) policy(p *Policy) {
	slot := c.findSlot(p)
	if slot != nil {
		c.info.Slots[p] = slot
	}
	if len(p.Params) > maxParams {
		c.report(p.Params[maxParams].Span, CodeTooManyParams, "", "a policy has at most %d params", maxParams)
	}
	if len(p.States) > maxStates {
		c.report(p.States[maxStates].Span, CodeTooManyStates, "", "a policy has at most %d states", maxStates)
	}
	seen := map[string]string{}
	for _, q := range p.Params {
		c.own(q.Name, "param", seen, slot)
		c.bounded(q.Value, q.Lo, q.Hi, q.Int, q.Span, "param", q.Name.Text)
	}
	for _, s := range p.States {
		c.own(s.Name, "state", seen, slot)
		c.bounded(s.Value, s.Lo, s.Hi, false, s.Span, "state", s.Name.Text)
	}
	if p.Pick.Text != "" && !slices.Contains(picks, p.Pick.Text) {
		c.report(p.Pick.Span, CodeUnknownPick, "pick "+list(picks), "there is no way to pick called %q", p.Pick.Text)
	}
	c.hooks(p, slot)
}

// findSlot returns the slot that a policy fills; one of the file comes before the host's.
func (c *fileCheck) findSlot(p *Policy) *Slot {
	var slots []*Slot
	for _, d := range c.file.Decls {
		if s, ok := d.(*Slot); ok {
			slots = append(slots, s)
		}
	}
	var names []string
	for _, s := range append(slots, c.opts.Slots...) {
		if s.Name.Text == p.Fills.Text {
			return s
		}
		names = append(names, s.Name.Text)
	}
	hint := didYouMean(p.Fills.Text, names)
	if hint == "" && len(names) > 0 {
		slices.Sort(names)
		hint = "slots: " + list(slices.Compact(names))
	}
	c.report(p.Fills.Span, CodeUnknownSlot, hint, "there is no slot %q", p.Fills.Text)
	return nil
}

// own checks the name of a param or state: unique, and not that of a function, an input or a word of any hook.
func (c *fileCheck) own(name Ident, what string, seen map[string]string, slot *Slot) {
	if first, ok := seen[name.Text]; ok {
		c.report(name.Span, CodeDuplicate, "rename or remove one", "%s %q is already a %s", what, name.Text, first)
		return
	}
	seen[name.Text] = what
	if _, ok := functions[name.Text]; ok {
		c.report(name.Span, CodeShadowing, "choose another name", "%s %q has the name of a function", what, name.Text)
		return
	}
	if slot == nil {
		return
	}
	for _, h := range slot.Hooks {
		if sym, ok := newVocabulary(&h.Signature, nil).symbols[name.Text]; ok {
			c.report(name.Span, CodeShadowing, "choose another name", "%s %q is already %s of hook %s", what, name.Text, symbolNames[sym.kind], h.Name.Text)
			return
		}
	}
}

// bounded checks a default against its bounds.
func (c *fileCheck) bounded(v, lo, hi float64, whole bool, span Span, what, name string) {
	if !c.domain(lo, hi, whole, span, what, name) {
		return
	}
	if math.IsNaN(v) || v < lo || v > hi {
		c.report(span, CodeOutsideBounds, "", "%s %q starts at %s, outside [%s, %s]", what, name, FormatNumber(v), FormatNumber(lo), FormatNumber(hi))
	} else if whole && v != math.Trunc(v) {
		c.report(span, CodeOutsideBounds, "", "param %q is an int and starts at %s", name, FormatNumber(v))
	}
}

// hooks checks the bodies of a policy.
func (c *fileCheck) hooks(p *Policy, slot *Slot) {
	seen := map[string]bool{}
	decides := false
	for _, h := range p.Hooks {
		if seen[h.Name.Text] {
			c.report(h.Name.Span, CodeDuplicate, "rename or remove one", "hook %q is defined twice", h.Name.Text)
		}
		seen[h.Name.Text] = true
		decides = decides || !h.On
		if slot != nil {
			c.hook(p, h, slot)
		}
	}
	if !decides {
		c.report(p.Name.Span, CodeMissingHook, "", "policy %q decides nothing: it has no hook with a result", p.Name.Text)
	}
}

func (c *fileCheck) hook(p *Policy, h *Hook, slot *Slot) {
	decl := slot.hook(h.Name.Text)
	switch {
	case decl == nil:
		var names []string
		for _, d := range slot.Hooks {
			names = append(names, d.Name.Text)
		}
		c.report(h.Name.Span, CodeUnknownHook, "hooks: "+list(names), "slot %q has no hook %q", slot.Name.Text, h.Name.Text)
		return
	case decl.On && !h.On:
		c.report(h.Name.Span, CodeUnknownHook, "write on "+h.Name.Text, "hook %q reacts to an event", h.Name.Text)
		return
	case !decl.On && h.On:
		c.report(h.Name.Span, CodeUnknownHook, "remove on", "hook %q decides and has a result", h.Name.Text)
		return
	}
	k := newChecker(hookVocabulary(p, decl, c.opts.Functions), c.opts.Limits)
	ds := k.hook(h, newCELTyper(k.cel()), false)
	c.info.Diags = append(c.info.Diags, ds...)
}

// hookVocabulary adds a policy's params and states to the names of a hook.
func hookVocabulary(p *Policy, decl *HookDecl, functions []string) *vocabulary {
	voc := newVocabulary(&decl.Signature, functions)
	for _, q := range p.Params {
		voc.declare(q.Name.Text, symbol{kind: paramSymbol, typ: numTyp})
	}
	for _, s := range p.States {
		voc.declare(s.Name.Text, symbol{kind: stateSymbol, typ: numTyp})
	}
	return voc
}

// hook checks a hook's body as rule does a rule's.
func (c *Checker) hook(h *Hook, t typer, quick bool) Diagnostics {
	w := &walk{voc: c.voc, typer: t, limits: c.limits, quick: quick, on: h.On}
	what := "hook " + h.Name.Text
	w.list(h.Inputs, h.HasInputs)
	if w.done() || !w.measure(h.Body, h.Name.Span, what) {
		return w.ds
	}
	w.body(h.Body, what)
	return w.ds
}

// hook returns the slot's hook of that name, or nil.
func (s *Slot) hook(name string) *HookDecl {
	for _, h := range s.Hooks {
		if h.Name.Text == name {
			return h
		}
	}
	return nil
}

// CheckPolicy checks a policy that a program built, against its slot: names, bounds, and every hook. The error is a *DiagnosticsError.
func CheckPolicy(p *Policy, slot *Slot, limits Limits) error {
	c := &fileCheck{
		file: &File{Decls: []Decl{p}}, opts: CheckOptions{Limits: limits.Normalize(), Slots: []*Slot{slot}},
		info: &Info{Slots: map[*Policy]*Slot{}}, checkers: map[*Signature]*Checker{},
	}
	c.policy(p)
	return c.info.Diags.Err()
}
