package dsl

import (
	"maps"
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
		c.ownName(q.Name, "param", seen, slot)
		c.bounded(q.Value, q.Lo, q.Hi, q.Int, q.Span, "param", q.Name.Text)
	}
	for _, s := range p.States {
		c.ownName(s.Name, "state", seen, slot)
		c.bounded(s.Value, s.Lo, s.Hi, false, s.Span, "state", s.Name.Text)
	}
	if p.Pick.Text != "" && !slices.Contains(picks, p.Pick.Text) {
		c.report(p.Pick.Span, CodeUnknownPick, "pick "+list(picks), "there is no way to pick called %q", p.Pick.Text)
	}
	c.hookBodies(p, slot)
}

// findSlot returns the slot that a policy fills; one of the file comes before the host's.
func (c *fileCheck) findSlot(p *Policy) *Slot {
	if s := c.slots[p.Fills.Text]; s != nil {
		return s
	}
	names := slices.Sorted(maps.Keys(c.slots))
	hint := didYouMean(p.Fills.Text, names)
	if hint == "" && len(names) > 0 {
		hint = "slots: " + list(names)
	}
	c.report(p.Fills.Span, CodeUnknownSlot, hint, "there is no slot %q", p.Fills.Text)
	return nil
}

// hookName is an input or a word of a hook.
type hookName struct {
	symbol symbol
	hook   string
}

// hookNames returns the inputs and words of all hooks of a slot: none may be the name of a param or state.
func (c *fileCheck) hookNames(s *Slot) map[string]hookName {
	names, ok := c.hooks[s]
	if ok || s == nil {
		return names
	}
	names = map[string]hookName{}
	for _, h := range s.Hooks {
		for name, sym := range c.checker(&h.Signature).voc.symbols {
			if _, ok := names[name]; !ok {
				names[name] = hookName{sym, h.Name.Text}
			}
		}
	}
	c.hooks[s] = names
	return names
}

// ownName checks the name of a param or state: unique, and not that of a function, an input or a word of any hook.
func (c *fileCheck) ownName(name Ident, what string, seen map[string]string, slot *Slot) {
	if first, ok := seen[name.Text]; ok {
		c.report(name.Span, CodeDuplicate, "rename or remove one", "%s %q is already a %s", what, name.Text, first)
		return
	}
	seen[name.Text] = what
	if _, ok := functions[name.Text]; ok {
		c.report(name.Span, CodeShadowing, "choose another name", "%s %q has the name of a function", what, name.Text)
		return
	}
	if taken, ok := c.hookNames(slot)[name.Text]; ok {
		c.report(name.Span, CodeShadowing, "choose another name", "%s %q is already %s of hook %s", what, name.Text, symbolNames[taken.symbol.kind], taken.hook)
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

// hookBodies checks the hooks of a policy; of two of one name the first.
func (c *fileCheck) hookBodies(p *Policy, slot *Slot) {
	seen := map[string]bool{}
	decides := false
	for _, h := range p.Hooks {
		if seen[h.Name.Text] {
			c.report(h.Name.Span, CodeDuplicate, "rename or remove one", "hook %q is defined twice", h.Name.Text)
			continue
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
	k := *c.checker(&decl.Signature)
	k.voc = k.voc.withOwn(p)
	c.info.Diags = append(c.info.Diags, k.hook(h, newCELTyper(k.cel()), false)...)
}

// withOwn adds a policy's params and states to the names of a hook.
func (v *vocabulary) withOwn(p *Policy) *vocabulary {
	with := *v
	with.own = make(map[string]symbol, len(p.Params)+len(p.States))
	for _, q := range p.Params {
		with.own[q.Name.Text] = symbol{kind: paramSymbol, typ: numTyp}
	}
	for _, s := range p.States {
		with.own[s.Name.Text] = symbol{kind: stateSymbol, typ: numTyp}
	}
	return &with
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

// CheckPolicy checks a policy that a program built, against its slot: names, bounds, and every hook. The error
// is a *DiagnosticsError.
func CheckPolicy(p *Policy, slot *Slot, limits Limits) error {
	c := newFileCheck(&File{}, nil, CheckOptions{Limits: limits, Slots: []*Slot{slot}})
	c.policy(p)
	return c.info.Diags.Err()
}
