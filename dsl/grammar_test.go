package dsl

import (
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/ebnf"
)

const grammarFile = "../grammar/rule.ebnf"

func TestGrammarFileIsTheParsers(t *testing.T) {
	if *update {
		if err := os.WriteFile(grammarFile, []byte(Grammar()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(grammarFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(file) != Grammar() {
		t.Errorf("%s differs from the parser: run go generate ./grammar", grammarFile)
	}
}

// Every production that is used is defined: participle prints names without productions for some structs.
func TestGrammarIsComplete(t *testing.T) {
	g, err := ebnf.ParseString(Grammar())
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]bool{}
	for _, p := range g.Productions {
		defined[p.Production] = true
	}
	for _, word := range strings.FieldsFunc(Grammar(), func(r rune) bool { return !isNameStart(byte(r)) || r > 127 }) {
		if word[0] >= 'A' && word[0] <= 'Z' && !defined[word] {
			t.Errorf("%s is used but not defined", word)
		}
	}
}
