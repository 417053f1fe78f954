// Package grammar holds the grammar of the rule language as files, printed from the parser. Editors
// and model endpoints read them; a test keeps them equal to what the parser accepts.
package grammar

import _ "embed"

//go:generate go test ../dsl -run TestGrammarFileIsTheParsers -update

// EBNF is the grammar in participle's notation. Tokens stand in angle brackets.
//
//go:embed rule.ebnf
var EBNF string
