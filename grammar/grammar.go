// Package grammar holds the grammar of the rule language as files, and prints it for model endpoints that can
// be held to one.
//
// rule.ebnf is the whole language, printed from the parser; editors and people read it. rule.gbnf and
// rule.lark are the same rules as a model should write them: one rule, in canonical layout, by type. [New]
// narrows them to a signature, so that a text they derive names nothing that the signature does not have:
//
//	g := grammar.New(sig, grammar.Options{})
//	g.GBNF() // llama.cpp, SGLang, vLLM, xgrammar: the start is root
//	g.Lark() // OpenAI's custom tools, llguidance, lark: the start is start
//
// What a grammar derives parses, as long as it stays within the limits of size and nesting, which no
// context-free grammar can count. Most of it passes the checker too: expressions are derived by type, every
// path ends in a return, and nothing follows one. What is left to the checker is whether a local is declared
// where it is read, with which type, and only once.
package grammar

import (
	_ "embed"
	"strings"
	"unicode"

	"github.com/agentdescent/adrun/dsl"
)

//go:generate go test ../dsl -run TestGrammarFileIsTheParsers -update
//go:generate go test . -run TestFilesArePrinted -update

// EBNF is the grammar of the language in participle's notation. Tokens stand in angle brackets.
//
//go:embed rule.ebnf
var EBNF string

// DefaultDepth is how deep blocks may be nested in what a grammar derives: each depth has productions of its
// own, as the layout indents by it.
const DefaultDepth = 6

// Options narrow a grammar further than its signature does. The zero value is useful.
type Options struct {
	// Functions are those that a rule may call; nil means all of the language, empty none.
	Functions []string
	// Depth is how deep blocks may be nested; 0 means DefaultDepth.
	Depth int
}

// Grammar derives rules of one signature in canonical layout.
type Grammar struct {
	prods []production // the start first
}

// New builds the grammar of the rules of a signature. Without a signature (nil) it derives a rule of any name
// over any names, in which a name may have any type.
func New(sig *dsl.Signature, o Options) *Grammar {
	if o.Depth == 0 {
		o.Depth = DefaultDepth
	}
	if o.Functions == nil {
		o.Functions = dsl.FunctionNames()
	}
	b := &builder{sig: sig, options: o}
	b.build()
	return &Grammar{prods: b.prods}
}

// GBNF prints the grammar of a signature's rules for llama.cpp and those that read its format.
func GBNF(sig *dsl.Signature) string { return New(sig, Options{}).GBNF() }

// Lark prints the grammar of a signature's rules in Lark's format.
func Lark(sig *dsl.Signature) string { return New(sig, Options{}).Lark() }

// RuleEBNF is the part of EBNF that a rule is made of.
func RuleEBNF() string { return ebnfOf("Rule") }

// PolicyEBNF is the part of EBNF that a policy is made of.
func PolicyEBNF() string { return ebnfOf("Policy") }

// ebnfOf is the part of EBNF that a production needs.
func ebnfOf(start string) string {
	lines := map[string]string{}
	var order []string
	for line := range strings.Lines(EBNF) {
		name, _, _ := strings.Cut(line, " ")
		lines[name] = line
		order = append(order, name)
	}
	used := map[string]bool{start: true}
	for todo := []string{start}; len(todo) > 0; {
		line := lines[todo[0]]
		todo = todo[1:]
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if lines[word] != "" && !used[word] {
				used[word] = true
				todo = append(todo, word)
			}
		}
	}
	var b strings.Builder
	for _, name := range order {
		if used[name] {
			b.WriteString(lines[name])
		}
	}
	return b.String()
}
