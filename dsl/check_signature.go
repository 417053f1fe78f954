package dsl

import (
	"math"
	"slices"
)

// resultName is what contracts call the value of a rule.
const resultName = "result"

// signature checks a signature, or the declaration of a hook.
func (c *fileCheck) signature(s *Signature) {
	c.inputs(s)
	c.wordSets(s)
	c.wordSet(s.Result, s.ResultSpan, s)
	c.clauses(s)
}

func (c *fileCheck) inputs(s *Signature) {
	seen := map[string]bool{}
	for _, in := range s.Inputs {
		name := in.Name
		switch _, isFunction := functions[name.Text]; {
		case seen[name.Text]:
			c.report(name.Span, CodeDuplicateInput, "rename or remove one", "input %q is declared twice", name.Text)
		case isFunction:
			c.report(name.Span, CodeShadowing, "choose another name", "input %q has the name of a function", name.Text)
		case name.Text == resultName:
			c.report(name.Span, CodeShadowing, "choose another name", "contracts call the value of a rule %q, so no input can", name.Text)
		}
		seen[name.Text] = true
		if in.Type.Kind == NumKind {
			c.domain(in.Lo, in.Hi, in.Int, in.TypeSpan, "input", name.Text)
		}
		c.wordSet(in.Type, in.TypeSpan, s)
	}
}

// domain checks the bounds of an input, a param or a state.
func (c *fileCheck) domain(lo, hi float64, whole bool, span Span, what, name string) bool {
	switch {
	case !isFinite(lo) || !isFinite(hi):
		c.report(span, CodeBadDomain, "", "the bounds of %s %q are not finite", what, name)
	case lo > hi:
		c.report(span, CodeBadDomain, "write the lower bound first", "the domain of %s %q is empty: %s > %s", what, name, FormatNumber(lo), FormatNumber(hi))
	case whole && (lo != math.Trunc(lo) || hi != math.Trunc(hi)):
		c.report(span, CodeBadDomain, "write whole bounds", "%s %q is an int, and its bounds are not whole", what, name)
	default:
		return true
	}
	return false
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// wordSet checks one set of words: no word twice, and none that is a name already.
func (c *fileCheck) wordSet(t Type, span Span, s *Signature) {
	for i, word := range t.Words {
		_, isFunction := functions[word]
		switch {
		case slices.Contains(t.Words[:i], word):
			c.report(span, CodeDuplicate, "remove one", "word %q stands twice in its set", word)
		case isFunction:
			c.report(span, CodeShadowing, "choose another word", "word %q has the name of a function", word)
		case s.input(word) != nil || word == resultName:
			c.report(span, CodeShadowing, "choose another word", "word %q is the name of an input or of the result", word)
		}
	}
}

// wordsAt are the words of an input or of the result, and where they stand.
type wordsAt struct {
	words []string
	span  Span
	of    string
}

// wordSets checks that each two sets of a signature are equal or have no word in common.
func (c *fileCheck) wordSets(s *Signature) {
	var sets []wordsAt
	for _, in := range s.Inputs {
		sets = append(sets, wordsAt{in.Type.Words, in.TypeSpan, "input " + in.Name.Text})
	}
	sets = append(sets, wordsAt{s.Result.Words, s.ResultSpan, "the result"})
	var distinct []wordsAt
	for _, b := range sets {
		known := slices.ContainsFunc(distinct, func(a wordsAt) bool { return slices.Equal(a.words, b.words) })
		if known || b.words == nil || c.overlap(distinct, b) {
			continue
		}
		if len(distinct) == maxWordSets {
			c.report(b.span, CodeTooManyWords, "", "a signature has at most %d different sets of words", maxWordSets)
			return
		}
		distinct = append(distinct, b)
	}
}

// overlap reports a set that shares a word with another and is not equal to it.
func (c *fileCheck) overlap(sets []wordsAt, b wordsAt) bool {
	for _, a := range sets {
		common := commonWord(a.words, b.words)
		if common == "" {
			continue
		}
		hint := "make them equal, or give them words of their own"
		if sameWords(a.words, b.words) {
			hint = "list the words in one order everywhere: a word is passed by its index"
		}
		c.report(b.span, CodeOverlappingWords, hint, "the words of %s and of %s overlap in %q but are not equal", a.of, b.of, common)
		return true
	}
	return false
}

func commonWord(a, b []string) string {
	for _, w := range a {
		if slices.Contains(b, w) {
			return w
		}
	}
	return ""
}

// clauses checks the lines of a signature's body.
func (c *fileCheck) clauses(s *Signature) {
	inputs := c.checker(s)
	var withResult *Checker
	for _, cl := range s.Clauses {
		switch cl.Kind {
		case AssumeClause:
			c.boolExpr(cl.Expr, inputs, "an assume")
		case EnsureClause:
			if withResult == nil {
				voc := newVocabulary(s, c.opts.Functions)
				voc.declare(resultName, symbol{kind: resultSymbol, typ: voc.result})
				withResult = newChecker(voc, c.opts.Limits)
			}
			c.boolExpr(cl.Expr, withResult, "an ensure")
		case IncreasingClause, DecreasingClause:
			c.shape(s, cl)
		case CaseClause:
			c.caseArgs(s, inputs.voc, cl.Args, inputs.voc.inputs, cl.Span, Error)
		}
	}
}

// boolExpr checks a condition outside a body.
func (c *fileCheck) boolExpr(e Expr, k *Checker, what string) {
	w := &walk{voc: k.voc, typer: newCELTyper(k.cel()), limits: c.opts.Limits}
	w.expression(e, boolTyp, what)
	c.info.Diags = append(c.info.Diags, w.ds...)
}

// shape checks increasing(x) or decreasing(x): x is an input, and it and the result are numbers.
func (c *fileCheck) shape(s *Signature, cl *Clause) {
	in := s.input(cl.Input.Text)
	if in == nil {
		var names []string
		for _, in := range s.Inputs {
			names = append(names, in.Name.Text)
		}
		c.report(cl.Input.Span, CodeUnknownInput, didYouMean(cl.Input.Text, names), "the signature has no input %q", cl.Input.Text)
		return
	}
	if in.Type.Kind != NumKind {
		c.report(cl.Input.Span, CodeShapeOfWords, "", "input %q is not a number, so nothing can grow with it", in.Name.Text)
	}
	if s.Result.Kind != NumKind {
		c.report(cl.Span, CodeShapeOfWords, "", "the result is not a number, so it cannot grow")
	}
}

// slot checks the declaration of a slot: hooks of different names, each with sound inputs and result.
func (c *fileCheck) slot(s *Slot) {
	seen := map[string]bool{}
	decides := false
	for _, h := range s.Hooks {
		if seen[h.Name.Text] {
			c.report(h.Name.Span, CodeDuplicate, "rename or remove one", "hook %q is declared twice", h.Name.Text)
		}
		seen[h.Name.Text] = true
		decides = decides || !h.On
		c.signature(&h.Signature)
	}
	if !decides {
		c.report(s.Name.Span, CodeMissingHook, "add a hook with a result: weight(total: num in [0, 1]) -> num", "slot %q has no hook that decides", s.Name.Text)
	}
}
