package dsl

import "slices"

// declarators are words with which other languages declare a local, definers those with which they begin a function.
var (
	declarators = []string{"var", "const", "val", "auto", "my", "local", "float", "double", "num", "int", "number"}
	definers    = []string{"def", "function", "func", "fn", "lambda", "fun"}
)

// habitHint recognises, at token i of a text that does not parse, what people and models write from the habit of other
// languages. It says what to write instead and, where that means the same, the edits that write it.
func habitHint(toks []token, i int) (string, []Edit) {
	prev, t, next := token{}, toks[i], token{}
	if i > 0 {
		prev = toks[i-1]
	}
	if i+1 < len(toks) {
		next = toks[i+1]
	}
	replace := func(from, to token, text string) []Edit { return []Edit{{Span{from.start, to.end}, text}} }
	together := t.end == next.start
	switch {
	case slices.Contains(declarators, t.text) && next.kind == tokName:
		return "a local is declared with let", replace(t, t, "let")
	case slices.Contains(definers, t.text) && (i == 0 || t.first):
		return "a rule is written rule NAME(inputs) { … }", nil
	case t.kind == tokName && next.text == ":" && i+2 < len(toks) && toks[i+2].text == "=":
		return "a local is declared with let", replace(t, toks[i+2], "let "+t.raw+" =")
	case t.kind == tokName && i+2 < len(toks) && (next.text == "+" || next.text == "-") && toks[i+2].text == next.text:
		return "write " + t.text + " " + next.text + "= 1", replace(t, toks[i+2], t.raw+" "+next.text+"= 1")
	case (t.text == "==" || t.text == "!=") && next.text == "=" && together:
		return "write " + t.text, replace(t, next, t.text)
	case t.text == "<" && next.text == ">" && together:
		return "write !=", replace(t, next, "!=")
	case t.text == "/" && t.raw == "//":
		return "a comment begins with #", replace(t, t, "#")
	case t.text == "/" && next.text == "*" || t.text == "/" && next.text == "**":
		return "a comment begins with # and ends with the line", nil
	case t.text == "then" || t.text == "do", t.kind == tokKeyword && prev.text == ")" && (t.text == "return" || t.text == "let"):
		return "put the statements in braces: if c { return 1 }", nil
	case t.text == "if" && assignmentIn(toks[i:]) > 0:
		at := toks[i+assignmentIn(toks[i:])]
		return "compare with ==", replace(at, at, "==")
	case t.text == "=" && inCondition(toks[:i]):
		return "compare with ==", replace(t, t, "==")
	case (t.text == "elif" || t.text == "else") && prev.text != "}":
		return "it belongs behind the } of an if", nil
	case t.text == "return" && (next.text == "}" || next.kind == tokEOF || next.text == ";"):
		return "return what? a value belongs behind it", nil
	case t.text == "return" && next.kind == tokString:
		return "a rule has no strings: a word is written without quotes", nil
	case t.text == "[" || next.text == "[" && next.kind == tokPunct:
		return "there are no lists and no indices", nil
	case t.text == "switch" || t.text == "match" && next.kind != tokPunct:
		return "write if and else if", nil
	case t.text == "?":
		return "a conditional is written c ? a : b", nil
	case t.text == ":" && prev.text == ")":
		return "put the statements in braces", nil
	}
	return "", nil
}

// assignmentIn returns the index of the "=" in the condition of the if that toks begin with, or 0.
func assignmentIn(toks []token) int {
	for i, t := range toks {
		switch t.text {
		case "{", "}", "let", "return":
			return 0
		case "=":
			return i
		}
	}
	return 0
}

// inCondition reports whether toks end within the condition of an if.
func inCondition(toks []token) bool {
	for _, t := range slices.Backward(toks) {
		switch t.text {
		case "if", "elif":
			return true
		case "{", "}", "let", "return", "=", ";":
			return false
		}
	}
	return false
}
