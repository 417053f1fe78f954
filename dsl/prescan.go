package dsl

import "fmt"

// scanBrackets checks, over tokens and without recursion, what would make the parser nest without
// bound or report nonsense: brackets, runs of unary operators, and conditionals within conditionals.
func (p *parser) scanBrackets() {
	var open []token
	var around []int // the pending of what each open bracket stands in
	unary, pending := 0, 0
	for i, t := range p.scan.toks {
		if isPrefix(p.scan.toks, i) {
			unary++
		} else {
			unary = 0
		}
		switch t.text {
		case "?":
			pending++
		case ":":
			pending = max(pending-1, 0)
		}
		if max(unary, pending) > p.scan.limits.Nesting {
			p.report(CodeNesting, t.span(), "split the expression with let", "nested deeper than %d", p.scan.limits.Nesting)
			return
		}
		switch bracketStep(t) {
		case 1:
			open, around = append(open, t), append(around, pending)
			pending = 0
		case -1:
			if !p.closes(open, t) {
				return
			}
			last := len(open) - 1
			pending, open, around = around[last], open[:last], around[:last]
		}
	}
	if len(open) > 0 {
		t := open[len(open)-1]
		p.report(CodeBracket, t.span(), fmt.Sprintf("close it with %q", partner(t.text)), "%q is never closed", t.text)
	}
}

func (p *parser) closes(open []token, t token) bool {
	if len(open) == 0 {
		p.report(CodeBracket, t.span(), "remove it", "%q closes nothing", t.text)
		return false
	}
	last := open[len(open)-1]
	if want := partner(last.text); want != t.text {
		p.report(CodeBracket, t.span(), fmt.Sprintf("%q opened at line %d is closed by %q", last.text, last.start.Line, want), "%q closes %q", t.text, last.text)
		return false
	}
	return true
}

func partner(open string) string {
	switch open {
	case "(":
		return ")"
	case "{":
		return "}"
	}
	return "]"
}

// isPrefix reports an operator that stands before an operand rather than between two.
func isPrefix(toks []token, i int) bool {
	t := toks[i]
	if t.kind == tokString || (t.text != "-" && t.text != "+" && t.text != "!" && t.text != "not") {
		return false
	}
	return i == 0 || !endsOperand(toks[i-1])
}

func endsOperand(t token) bool {
	switch t.kind {
	case tokName, tokNumber, tokString:
		return true
	case tokKeyword:
		return t.text == "true" || t.text == "false"
	}
	return t.text == ")" || t.text == "]" || t.text == "}"
}

// maxHabits bounds the findings of one declaration, each of which quotes a part of it.
const maxHabits = 32

// habits reports what models write from the habit of other languages and the grammar could only
// call unexpected. It returns true when the declaration need not be parsed any more.
func (p *parser) habits(chunk []token) bool {
	found := 0
	for i, t := range chunk {
		if found == maxHabits {
			break
		}
		if t.kind != tokKeyword || t.text != "if" && t.text != "elif" && t.text != "else" {
			continue
		}
		afterOperand := t.text == "if" && i > 0 && endsOperand(chunk[i-1]) && chunk[i-1].text != "}"
		if afterOperand && p.pythonConditional(chunk, i) || p.pythonIf(chunk, i) {
			found++
		}
	}
	return found > 0
}

// headEnd returns the index of the ":" or "{" that ends the head of an if at i, or -1.
func headEnd(chunk []token, i int) int {
	depth, pending := 0, 0
	for j := i + 1; j < len(chunk); j++ {
		switch t := chunk[j]; {
		case depth == 0 && t.text == "{":
			return j
		case depth == 0 && t.text == "?":
			pending++
		case depth == 0 && t.text == ":" && pending > 0:
			pending--
		case depth == 0 && t.text == ":":
			return j
		case depth == 0 && t.kind == tokKeyword && t.text != "and" && t.text != "or" && t.text != "not" && t.text != "true" && t.text != "false":
			return -1
		default:
			depth += bracketStep(t)
		}
		if depth < 0 {
			return -1
		}
	}
	return -1
}

// pythonIf reports "if c:" and puts the statements that are indented under it in braces.
func (p *parser) pythonIf(chunk []token, i int) bool {
	end := headEnd(chunk, i)
	if end < 0 || chunk[end].text != ":" || (chunk[i].text == "else" && end != i+1) {
		return false
	}
	last := end
	depth, within := 0, true // brackets since end, and that they close no more than they open
	for j := end + 1; j < len(chunk)-1; j++ {
		t := chunk[j]
		depth += bracketStep(t)
		within = within && depth >= 0
		if t.first && t.start.Col <= chunk[i].start.Col || t.text == "}" && !within {
			break
		}
		if !t.first && (t.text == "elif" || t.text == "else" && chunk[j+1].text == ":") {
			break // the other branch, on the same line
		}
		last = j
	}
	d := p.report(CodePythonIf, chunk[end].span(), "put the statements in braces: if c { return 1 }", "%q is not followed by a colon here", chunk[i].text)
	open := Edit{chunk[end].span(), " {"}
	if last == end {
		return true
	}
	at := chunk[last].end
	d.Fix = &Fix{Title: "put the statements in braces", Edits: []Edit{open, {Span{at, at}, " }"}}}
	return true
}

// pythonConditional reports "a if c else b" and rewrites it to "c ? a : b".
func (p *parser) pythonConditional(chunk []token, i int) bool {
	mid := elseOf(chunk, i)
	if mid < 0 {
		return false
	}
	from := i
	for depth := 0; from > 0; from-- {
		t := chunk[from-1]
		depth -= bracketStep(t)
		if depth < 0 || depth == 0 && (t.text == "return" || t.text == "=" || t.text == "," || t.text == ":" || t.text == "?" || len(t.text) == 2 && t.text[1] == '=' && t.text != "==" && t.text != "<=" && t.text != ">=" && t.text != "!=") {
			break
		}
	}
	to := mid + 1
	for depth := 0; to < len(chunk)-1; to++ {
		t := chunk[to]
		depth += bracketStep(t)
		if depth < 0 || depth == 0 && (t.text == "," || t.text == ";" || (t.first && to > mid+1)) {
			break
		}
	}
	if from >= i || mid == i+1 || to <= mid+1 {
		return false
	}
	src := p.file.Source
	text := func(a, b int) string { return src[chunk[a].start.Offset:chunk[b-1].end.Offset] }
	whole := Span{chunk[from].start, chunk[to-1].end}
	d := p.report(CodePythonCond, whole, "write c ? a : b", "a conditional is written c ? a : b")
	d.Fix = &Fix{Title: "write it as c ? a : b", Edits: []Edit{{whole, text(i+1, mid) + " ? " + text(from, i) + " : " + text(mid+1, to)}}}
	return true
}

// elseOf returns the index of the else of a Python conditional whose if is at i, or -1 if a block
// comes first.
func elseOf(chunk []token, i int) int {
	depth := 0
	for j := i + 1; j < len(chunk); j++ {
		t := chunk[j]
		if t.text == "{" {
			return -1
		}
		if depth == 0 && t.kind == tokKeyword && t.text == "else" {
			return j
		}
		if t.text == ":" || t.text == "let" || t.text == "return" || t.text == "if" || t.text == "elif" {
			return -1
		}
		if depth += bracketStep(t); depth < 0 {
			return -1
		}
	}
	return -1
}
