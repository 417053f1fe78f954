package dsl

import (
	"fmt"
	"slices"
)

// CheckOptions say what the host brings to a check. The zero value brings nothing.
type CheckOptions struct {
	// Limits bound what is checked; zero fields have their defaults.
	Limits Limits
	// Signature is the full name of the signature that rules of its last name component bind to
	// ("selection.priority" for rules named priority); "" leaves it to their inputs.
	Signature string
	// Slots are the host's slots, which policies may fill.
	Slots []*Slot
	// Functions are the functions that rules may call; nil means all of the language.
	Functions []string
}

// Info is what a check found out about a file.
type Info struct {
	// Diags are the findings, in the order of the text. A file with errors is refused.
	Diags Diagnostics
	// Signatures tells which signature each rule is bound to. A rule without one is not in it.
	Signatures map[*Rule]*Signature
	// Slots tells which slot each policy fills.
	Slots map[*Policy]*Slot
	// Cases tells which rule each case tests.
	Cases map[*Case]*Rule
}

// InputsRead returns the inputs that the body of a rule reads, in the order of its signature; without a
// signature in the order of its list.
func (in *Info) InputsRead(r *Rule) []string {
	var among []string
	if sig := in.Signatures[r]; sig != nil {
		for _, input := range sig.Inputs {
			among = append(among, input.Name.Text)
		}
	} else {
		for _, id := range r.Inputs {
			among = append(among, id.Text)
		}
	}
	return NamesRead(r.Body, among)
}

// NamesRead returns those of the names that a body reads, in the given order. Nothing shadows an input, a param
// or a state, so a name in a body means the same everywhere. A compound assignment reads what it writes.
func NamesRead(b *Block, names []string) []string {
	read := map[string]bool{}
	visitTree(b, func(n Node, _ int) {
		switch n := n.(type) {
		case *Ref:
			read[n.Name] = true
		case *Assign:
			read[n.Name.Text] = read[n.Name.Text] || n.Op != Set
		}
	})
	var out []string
	for _, n := range names {
		if read[n] {
			out = append(out, n)
		}
	}
	return out
}

// FunctionsCalled returns the names of the functions that n calls, each once, sorted.
func FunctionsCalled(n Node) []string {
	var out []string
	visitTree(n, func(n Node, _ int) {
		if c, ok := n.(*Call); ok && !slices.Contains(out, c.Fn.Text) {
			out = append(out, c.Fn.Text)
		}
	})
	slices.Sort(out)
	return out
}

// Check checks every declaration of a parsed file: the whole of what is wrong with each, in one go. sigs are the
// host's signatures; those of the file itself count too.
func Check(file *File, sigs []*Signature, opts CheckOptions) *Info {
	c := newFileCheck(file, sigs, opts)
	c.duplicates()
	c.unknownSignature()
	for _, d := range file.Decls {
		c.decl(d)
	}
	for i := range c.info.Diags {
		c.info.Diags[i].File = file.Name
	}
	c.info.Diags.Sort()
	return c.info
}

// fileCheck is the state of one Check. Everything that declarations look up is indexed once, so that the work
// stays linear in a file of many small ones.
type fileCheck struct {
	file *File
	opts CheckOptions
	info *Info

	all      []*Signature            // the file's, then the host's that the file does not declare itself
	byName   map[string][]*Signature // all, by last name component
	hosts    map[string]*Signature   // the host's, by full name
	own      map[*Signature]bool     // the file's
	rules    map[string]*Rule        // the file's, the first of each name
	slots    map[string]*Slot        // the file's before the host's
	checkers map[*Signature]*Checker
	assumed  map[*Signature][]assumption
	hooks    map[*Slot]map[string]hookName
}

func newFileCheck(file *File, sigs []*Signature, opts CheckOptions) *fileCheck {
	c := &fileCheck{
		file: file, opts: opts,
		info:   &Info{Signatures: map[*Rule]*Signature{}, Slots: map[*Policy]*Slot{}, Cases: map[*Case]*Rule{}},
		byName: map[string][]*Signature{}, hosts: map[string]*Signature{}, own: map[*Signature]bool{}, rules: map[string]*Rule{}, slots: map[string]*Slot{},
		checkers: map[*Signature]*Checker{}, assumed: map[*Signature][]assumption{}, hooks: map[*Slot]map[string]hookName{},
	}
	c.opts.Limits = opts.Limits.Normalize()
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *Signature:
			c.own[d] = true
			c.index(d)
		case *Rule:
			if c.rules[d.Name.Text] == nil {
				c.rules[d.Name.Text] = d
			}
		case *Slot:
			if c.slots[d.Name.Text] == nil {
				c.slots[d.Name.Text] = d
			}
		}
	}
	for _, s := range sigs {
		c.hosts[s.Name.Text] = s
		c.index(s)
	}
	for _, s := range opts.Slots {
		if c.slots[s.Name.Text] == nil {
			c.slots[s.Name.Text] = s
		}
	}
	return c
}

func (c *fileCheck) report(span Span, code, hint string, format string, args ...any) *Diagnostic {
	c.info.Diags = append(c.info.Diags, Diagnostic{Span: span, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
	return &c.info.Diags[len(c.info.Diags)-1]
}

func (c *fileCheck) decl(d Decl) {
	switch d := d.(type) {
	case *Signature:
		c.signature(d)
		c.conflict(d)
	case *Rule:
		c.rule(d)
	case *Case:
		c.testCase(d)
	case *Policy:
		c.policy(d)
	case *Slot:
		c.slot(d)
	case *Society:
		c.society(d)
	}
}

// checker returns the checker of a signature or hook, built once a file.
func (c *fileCheck) checker(sig *Signature) *Checker {
	k, ok := c.checkers[sig]
	if !ok {
		k = NewChecker(sig, c.opts.Limits, c.opts.Functions)
		c.checkers[sig] = k
	}
	return k
}

func (c *fileCheck) rule(r *Rule) {
	sig := c.bind(r)
	if sig == nil {
		k := newChecker(openVocabulary(r.Inputs), c.opts.Limits)
		c.info.Diags = append(c.info.Diags, k.Text(r)...)
		return
	}
	c.info.Signatures[r] = sig
	c.info.Diags = append(c.info.Diags, c.checker(sig).Text(r)...)
}

// duplicates reports every second declaration of a name in its kind. Cases have no names of their own.
func (c *fileCheck) duplicates() {
	seen := map[string]Span{}
	for _, d := range c.file.Decls {
		kind, name := declKind(d)
		if kind == "" {
			continue
		}
		key := kind + " " + name.Text
		if first, ok := seen[key]; ok {
			c.report(name.Span, CodeDuplicate, "rename or remove one", "%s %q is declared twice%s", kind, name.Text, atLine(first))
			continue
		}
		seen[key] = name.Span
	}
}

func declKind(d Decl) (string, Ident) {
	switch d := d.(type) {
	case *Signature:
		return "signature", d.Name
	case *Rule:
		return "rule", d.Name
	case *Policy:
		return "policy", d.Name
	case *Slot:
		return "slot", d.Name
	case *Society:
		return "society", d.Name
	}
	return "", Ident{}
}
