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
	walkBody(b, func(s Stmt) {
		if a, ok := s.(*Assign); ok && a.Op != Set {
			read[a.Name.Text] = true
		}
	}, func(e Expr) {
		if ref, ok := e.(*Ref); ok {
			read[ref.Name] = true
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

// walkBody calls onStmt for every statement of a body and onExpr for every expression, in no useful order and
// without recursion.
func walkBody(b *Block, onStmt func(Stmt), onExpr func(Expr)) {
	blocks, exprs := []*Block{b}, []Expr(nil)
	for len(blocks) > 0 {
		b := blocks[len(blocks)-1]
		blocks = blocks[:len(blocks)-1]
		for _, s := range b.Stmts {
			onStmt(s)
			switch s := s.(type) {
			case *Let:
				exprs = append(exprs, s.Value)
			case *Assign:
				exprs = append(exprs, s.Value)
			case *Return:
				exprs = append(exprs, s.Value)
			case *If:
				for _, arm := range s.Arms {
					exprs = append(exprs, arm.Cond)
					blocks = append(blocks, arm.Body)
				}
				if s.Else != nil {
					blocks = append(blocks, s.Else)
				}
			}
		}
	}
	for len(exprs) > 0 {
		e := exprs[len(exprs)-1]
		exprs = exprs[:len(exprs)-1]
		onExpr(e)
		switch e := e.(type) {
		case *Unary:
			exprs = append(exprs, e.X)
		case *Binary:
			exprs = append(exprs, e.X, e.Y)
		case *Cond:
			exprs = append(exprs, e.If, e.Then, e.Else)
		case *Call:
			exprs = append(exprs, e.Args...)
		}
	}
}

// Check checks every declaration of a parsed file: the whole of what is wrong with each, in one go. sigs are the
// host's signatures; those of the file itself count too.
func Check(file *File, sigs []*Signature, opts CheckOptions) *Info {
	c := &fileCheck{
		file: file, hosts: sigs, opts: opts,
		info:     &Info{Signatures: map[*Rule]*Signature{}, Slots: map[*Policy]*Slot{}, Cases: map[*Case]*Rule{}},
		checkers: map[*Signature]*Checker{},
	}
	c.opts.Limits = opts.Limits.Normalize()
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

// fileCheck is the state of one Check.
type fileCheck struct {
	file     *File
	hosts    []*Signature
	opts     CheckOptions
	info     *Info
	checkers map[*Signature]*Checker
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

// checker returns the checker of a signature, built once a file.
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

// testCase checks a case of a rule: it names a rule of the file, gives every input a value of its
// type, and states a result of the rule's type.
func (c *fileCheck) testCase(k *Case) {
	var rules []string
	var rule *Rule
	for _, d := range c.file.Decls {
		if r, ok := d.(*Rule); ok {
			rules = append(rules, r.Name.Text)
			if r.Name.Text == k.Rule.Text && rule == nil {
				rule = r
			}
		}
	}
	if rule == nil {
		c.report(k.Rule.Span, CodeUnknownRule, didYouMean(k.Rule.Text, rules), "the file holds no rule %q", k.Rule.Text)
		return
	}
	c.info.Cases[k] = rule
	sig, many := c.candidate(rule)
	if sig == nil || many {
		return // reported at the rule
	}
	voc := c.checker(sig).voc
	needed := voc.inputs
	if rule.HasInputs {
		needed = nil
		for _, in := range rule.Inputs {
			needed = append(needed, in.Text)
		}
	}
	c.caseArgs(sig, voc, k.Args, needed, k.Rule.Span, Warning)
	w := &walk{voc: voc, typer: newCELTyper(c.checker(sig).cel()), limits: c.opts.Limits}
	w.expression(k.Want, voc.result, "the wanted result")
	c.info.Diags = append(c.info.Diags, w.ds...)
	if k.Tol == nil {
		return
	}
	if k.Tol.Value < 0 {
		c.report(k.Tol.Span, CodeTolerance, "", "a tolerance cannot be negative")
	}
	if voc.result != numTyp {
		c.report(k.Tol.Span, CodeTolerance, "remove it", "only a number has a tolerance")
	}
}

// caseArgs checks the values that a case gives to inputs: names, types, domains, and that none of the needed
// ones is missing. It reports whether all was well. outside is how grave a value outside its domain is.
func (c *fileCheck) caseArgs(sig *Signature, voc *vocabulary, args []Arg, needed []string, at Span, outside Severity) {
	given := map[string]bool{}
	for _, a := range args {
		i := slices.Index(voc.inputs, a.Name.Text)
		if i < 0 {
			c.report(a.Name.Span, CodeUnknownInput, didYouMean(a.Name.Text, voc.inputs), "the signature has no input %q", a.Name.Text)
			continue
		}
		if given[a.Name.Text] {
			c.report(a.Name.Span, CodeDuplicateArgument, "remove one", "%q is given twice", a.Name.Text)
		}
		given[a.Name.Text] = true
		c.caseValue(sig.Inputs[i], voc, a.Value, outside)
	}
	for _, name := range needed {
		if !given[name] && slices.Contains(voc.inputs, name) {
			c.report(at, CodeMissingArgument, "add "+name+" = …", "the case gives no value for %q", name)
		}
	}
}

func (c *fileCheck) caseValue(in *Input, voc *vocabulary, value Expr, outside Severity) {
	want := voc.symbols[in.Name.Text].typ
	switch v := value.(type) {
	case *Num:
		if want == numTyp {
			if problem := outsideDomain(in.Lo, in.Hi, in.Int, v.Value); problem != "" {
				c.report(v.Span, CodeOutsideDomain, "", "%s = %s %s", in.Name.Text, FormatNumber(v.Value), problem).Severity = outside
			}
			return
		}
	case *Bool:
		if want == boolTyp {
			return
		}
	case *Ref:
		if words := voc.words(want); words != nil {
			if !slices.Contains(words, v.Name) {
				c.report(v.Span, CodeUnknownWord, didYouMean(v.Name, words), "%q is not %s", v.Name, voc.describe(want))
			}
			return
		}
	}
	c.report(spanOf(value), CodeTypeMismatch, "", "%q must be %s", in.Name.Text, voc.describe(want))
}

// outsideDomain says how v lies outside a domain, "" if it does not.
func outsideDomain(lo, hi float64, whole bool, v float64) string {
	switch {
	case v < lo || v > hi:
		return fmt.Sprintf("is outside [%s, %s]", FormatNumber(lo), FormatNumber(hi))
	case whole && v != float64(int64(v)):
		return "is not a whole number"
	}
	return ""
}
