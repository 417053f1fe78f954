package dsl

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// testCase checks a case of a rule: it names a rule of the file, gives every input a value of its
// type, and states a result of the rule's type.
func (c *fileCheck) testCase(k *Case) {
	rule := c.rules[k.Rule.Text]
	if rule == nil {
		c.report(k.Rule.Span, CodeUnknownRule, didYouMean(k.Rule.Text, slices.Collect(maps.Keys(c.rules))), "the file holds no rule %q", k.Rule.Text)
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

// caseArgs checks the values that a case gives to inputs: names, types, domains, that none of the needed ones is
// missing, and that all together break no assume. outside is how grave a value outside its domain is.
func (c *fileCheck) caseArgs(sig *Signature, voc *vocabulary, args []Arg, needed []string, at Span, outside Severity) {
	given := map[string]bool{}
	values := make([]float64, len(sig.Inputs))
	sound := true
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
		v, ok := c.caseValue(sig.Inputs[i], voc, a.Value, outside)
		values[i], sound = v, sound && ok
	}
	for _, name := range needed {
		if !given[name] && slices.Contains(voc.inputs, name) {
			c.report(at, CodeMissingArgument, "add "+name+" = …", "the case gives no value for %q", name)
		}
	}
	if sound && len(given) == len(sig.Inputs) {
		c.assumes(sig, values, at)
	}
}

// caseValue checks one value of a case and returns what the evaluators would be passed for it.
func (c *fileCheck) caseValue(in *Input, voc *vocabulary, value Expr, outside Severity) (float64, bool) {
	want := voc.symbols[in.Name.Text].typ
	switch v := value.(type) {
	case *Num:
		if want == numTyp {
			problem := outsideDomain(in.Lo, in.Hi, in.Int, v.Value)
			if problem != "" {
				c.report(v.Span, CodeOutsideDomain, "", "%s = %s %s", in.Name.Text, FormatNumber(v.Value), problem).Severity = outside
			}
			return v.Value, problem == ""
		}
	case *Bool:
		if want == boolTyp {
			if v.Value {
				return 1, true
			}
			return 0, true
		}
	case *Ref:
		if want >= firstWordTyp {
			i := slices.Index(in.Type.Words, v.Name)
			if i < 0 {
				c.report(v.Span, CodeUnknownWord, didYouMean(v.Name, in.Type.Words), "%q is not %s", v.Name, voc.describe(want))
			}
			return float64(i), i >= 0
		}
	}
	c.report(spanOf(value), CodeTypeMismatch, "", "%q must be %s", in.Name.Text, voc.describe(want))
	return 0, false
}

// maxAssumptions bounds how many assumes of a signature each case is held to.
const maxAssumptions = 64

// assumption is an assume of a signature, and its evaluator.
type assumption struct {
	text string
	eval *Reference
}

// assumptions are the assumes of a signature that can be evaluated; one that cannot has findings of its own.
func (c *fileCheck) assumptions(sig *Signature) []assumption {
	as, ok := c.assumed[sig]
	if ok {
		return as
	}
	asked := &Signature{Name: sig.Name, Inputs: sig.Inputs, Result: BoolType}
	for _, cl := range sig.Clauses {
		if cl.Kind != AssumeClause {
			continue
		}
		if len(as) == maxAssumptions {
			break
		}
		rule := &Rule{Name: Ident{Text: "assume"}, Body: &Block{Stmts: []Stmt{&Return{Value: cl.Expr}}}}
		if ref, err := NewReference(rule, asked); err == nil {
			as = append(as, assumption{FormatExpr(cl.Expr), ref})
		}
	}
	c.assumed[sig] = as
	return as
}

// assumes warns of a case that breaks an assume, and names the first.
func (c *fileCheck) assumes(sig *Signature, values []float64, at Span) {
	for _, a := range c.assumptions(sig) {
		if v, err := a.eval.Eval(values); err == nil && v == 0 {
			c.report(at, CodeBrokenAssumption, "such inputs never occur", "the case breaks the assumption %s", a.text).Severity = Warning
			return
		}
	}
}

// outsideDomain says how v lies outside a domain, "" if it does not.
func outsideDomain(lo, hi float64, whole bool, v float64) string {
	switch {
	case v < lo || v > hi:
		return fmt.Sprintf("is outside [%s, %s]", FormatNumber(lo), FormatNumber(hi))
	case whole && v != math.Trunc(v):
		return "is not a whole number"
	}
	return ""
}
