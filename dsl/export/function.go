package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// function is a checked rule with the names that it has in one language.
type function struct {
	rule *dsl.Rule
	sig  *dsl.Signature
	name string
	// params are the names of the signature's inputs, in order.
	params []string
	// sets are the different word sets of the signature, the result's first.
	sets []*wordSet
	// locals are the names of the locals: by their name in the rule, since none shadows another.
	locals map[string]string
	// order are the names of the locals as the rule has them, each once, in the order of the text.
	order []string
	// types are the types of the names that the rule may use. A local has the type of the declaration that was written last.
	types map[string]dsl.Type
	// inputs are the indices of the inputs that the rule may use.
	inputs map[string]int
	// read and assigned tell of the locals.
	read, assigned map[string]bool
}

// wordSet is a set of words of a signature: a type, and a constant for each word, where the language has such.
type wordSet struct {
	words     []string
	typeName  string
	constants []string
}

// vocabulary says what names a language allows.
type vocabulary interface {
	// local is the name of a parameter or local: name itself where the language allows it. More "_" may follow it.
	local(name string) string
	// functionName is the name of the function of a rule.
	functionName(rule string) string
	// wordType and wordConstant name a set, which belongs to the result or to an input, and its words.
	wordType(rule, of string) string
	wordConstant(rule, word string) string
}

// newFunction checks a rule and names its parts.
func newFunction(r *dsl.Rule, sig *dsl.Signature, voc vocabulary) (*function, error) {
	if r == nil || sig == nil {
		return nil, fmt.Errorf("export: a rule and a signature are needed")
	}
	if _, err := dsl.NewReference(r, sig); err != nil { // a tree that lacks parts cannot be checked
		return nil, fmt.Errorf("export rule %s: %w", r.Name.Text, err)
	}
	if err := dsl.CheckRule(r, sig, limits); err != nil {
		return nil, fmt.Errorf("export rule %s: %w", r.Name.Text, err)
	}
	f := &function{
		rule: r, sig: sig, name: voc.functionName(r.Name.Text),
		locals: map[string]string{}, types: map[string]dsl.Type{}, inputs: map[string]int{},
		read: map[string]bool{}, assigned: map[string]bool{},
	}
	taken := map[string]bool{}
	f.nameWords(voc, taken)
	name := func(want string) string { return unique(voc.local(want), taken) }
	for i, in := range sig.Inputs {
		f.params = append(f.params, name(in.Name.Text))
		if f.reads(in.Name.Text) {
			f.inputs[in.Name.Text] = i
			f.types[in.Name.Text] = in.Type
		}
	}
	f.visit(r.Body, func(let *dsl.Let) {
		if _, known := f.locals[let.Name.Text]; !known {
			f.locals[let.Name.Text] = name(let.Name.Text)
			f.order = append(f.order, let.Name.Text)
		}
	})
	return f, nil
}

// unique adds "_" to a name until it is not taken, and takes it.
func unique(name string, taken map[string]bool) string {
	for taken[name] {
		name += "_"
	}
	taken[name] = true
	return name
}

// reads reports whether the rule may use an input of its signature.
func (f *function) reads(input string) bool {
	return !f.rule.HasInputs || slices.ContainsFunc(f.rule.Inputs, func(id dsl.Ident) bool { return id.Text == input })
}

// nameWords names the word sets.
func (f *function) nameWords(voc vocabulary, taken map[string]bool) {
	name := func(want string) string { return unique(want, taken) }
	add := func(t dsl.Type, of string) {
		if t.Kind != dsl.WordKind || f.set(t) != nil {
			return
		}
		s := &wordSet{words: t.Words, typeName: name(voc.wordType(f.rule.Name.Text, of))}
		for _, w := range t.Words {
			s.constants = append(s.constants, name(voc.wordConstant(f.rule.Name.Text, w)))
		}
		f.sets = append(f.sets, s)
	}
	add(f.sig.Result, "result")
	for _, in := range f.sig.Inputs {
		add(in.Type, in.Name.Text)
	}
}

// set returns the word set of a type.
func (f *function) set(t dsl.Type) *wordSet {
	for _, s := range f.sets {
		if slices.Equal(s.words, t.Words) {
			return s
		}
	}
	return nil
}

// visit calls let for each declaration and notes what is read and assigned.
func (f *function) visit(b *dsl.Block, let func(*dsl.Let)) {
	if b == nil {
		return
	}
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *dsl.Let:
			let(s)
			f.note(s.Value)
		case *dsl.Assign:
			f.assigned[s.Name.Text] = true
			f.note(s.Value)
		case *dsl.Return:
			f.note(s.Value)
		case *dsl.If:
			for _, arm := range s.Arms {
				f.note(arm.Cond)
				f.visit(arm.Body, let)
			}
			f.visit(s.Else, let)
		}
	}
}

// note notes the names that an expression reads.
func (f *function) note(e dsl.Expr) {
	walkExpr(e, func(e dsl.Expr) {
		if ref, ok := e.(*dsl.Ref); ok {
			f.read[ref.Name] = true
		}
	})
}

// walkExpr calls visit for e and all expressions below it.
func walkExpr(e dsl.Expr, visit func(dsl.Expr)) {
	visit(e)
	switch e := e.(type) {
	case *dsl.Unary:
		walkExpr(e.X, visit)
	case *dsl.Binary:
		walkExpr(e.X, visit)
		walkExpr(e.Y, visit)
	case *dsl.Cond:
		walkExpr(e.If, visit)
		walkExpr(e.Then, visit)
		walkExpr(e.Else, visit)
	case *dsl.Call:
		for _, a := range e.Args {
			walkExpr(a, visit)
		}
	}
}

// typeOf returns the type of an expression of the rule.
func (f *function) typeOf(e dsl.Expr) dsl.Type {
	switch e := e.(type) {
	case *dsl.Bool:
		return dsl.BoolType
	case *dsl.Ref:
		if t, ok := f.types[e.Name]; ok {
			return t
		}
		t, _, _ := f.word(e.Name)
		return t
	case *dsl.Unary:
		if e.Op == dsl.Not {
			return dsl.BoolType
		}
	case *dsl.Binary:
		if isLogical(e.Op) || isComparison(e.Op) {
			return dsl.BoolType
		}
	case *dsl.Cond:
		return f.typeOf(e.Then)
	}
	return dsl.NumType
}

// word finds the set of a word and the word's index in it.
func (f *function) word(name string) (t dsl.Type, set *wordSet, index int) {
	for _, s := range f.sets {
		if i := slices.Index(s.words, name); i >= 0 {
			return dsl.Type{Kind: dsl.WordKind, Words: s.words}, s, i
		}
	}
	return dsl.Type{}, nil, 0
}

func isLogical(op dsl.Op) bool    { return op == dsl.And || op == dsl.Or }
func isComparison(op dsl.Op) bool { return op >= dsl.Eq && op <= dsl.Ge }

// facts are the lines that stand above the function: what it is, the rule's own comment, and its inputs.
func (f *function) facts() []string {
	lines := []string{fmt.Sprintf("%s is the rule %s for %s.", f.name, f.rule.Name.Text, f.sig.Name.Text)}
	if own := f.rule.Lead; len(own) > 0 {
		lines = append(append(lines, ""), own...)
	}
	lines = append(lines, "")
	for i, in := range f.sig.Inputs {
		line := dsl.FormatInput(in)
		if f.params[i] != in.Name.Text {
			line = f.params[i] + " is " + line
		}
		if doc := in.Doc(); doc != "" {
			line += ": " + doc
		}
		lines = append(lines, "  "+line)
	}
	for i, l := range lines {
		lines[i] = oneLine(l)
	}
	return lines
}

// oneLine makes a comment safe to stand at the end of a line in every language: no control or line separator, no
// backslash that would join the next line, as a C compiler does, also where it is written as a trigraph.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
	for strings.Contains(s, "??/") { // what is left may be one again
		s = strings.ReplaceAll(s, "??/", "??")
	}
	return strings.TrimRight(s, "\\ ")
}

// origin is the first line of every file.
func origin(f *function) string {
	return fmt.Sprintf("Code generated by adrun export from rule %s, identity %s. DO NOT EDIT.", f.rule.Name.Text, dsl.Identity(f.rule))
}
