package dsl

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// grammar is built once: participle inspects the structs by reflection, which takes a while.
var grammar = sync.OnceValue(newGrammar)

// productionPrefix is the g of our grammar structs, which the printed grammar does without.
var productionPrefix = regexp.MustCompile(`\bG([A-Z])`)

// Grammar returns the grammar of the language in EBNF: the productions that the parser is made of.
// Tokens stand in angle brackets; the language reference defines them.
func Grammar() string {
	var b strings.Builder
	text := productionPrefix.ReplaceAllString(grammar().String(), "$1")
	for _, class := range wordClasses {
		text = strings.ReplaceAll(text, "<"+strings.ToLower(class.name)+">", class.name)
	}
	b.WriteString(text + "\n")
	for _, class := range wordClasses {
		fmt.Fprintf(&b, "%s = \"%s\" .\n", class.name, strings.Join(class.words, `" | "`))
	}
	return b.String()
}

// Parse parses a text within the default limits. name is what diagnostics call it. The error, if
// any, is a *DiagnosticsError with everything that was found.
func Parse(name, src string) (*File, error) {
	f, diags := ParseLimits(name, src, Limits{})
	if err := diags.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// First returns the first declaration of a kind in a file: First[*Rule](f). ok is false when there is none.
func First[D Decl](f *File) (first D, ok bool) {
	for _, d := range f.Decls {
		if first, ok = d.(D); ok {
			return first, true
		}
	}
	return first, false
}

// ParseExpr parses a text that is one expression.
func ParseExpr(name, src string) (Expr, error) {
	const head, tail = "rule e { return ", "\n}"
	f, err := Parse(name, head+src+tail)
	if err != nil {
		var list *DiagnosticsError
		if errors.As(err, &list) {
			for i := range list.List {
				shiftSpan(&list.List[i].Span, len(head))
				list.List[i].Fix = nil
			}
		}
		return nil, err
	}
	r, ok := f.Decls[0].(*Rule)
	if !ok || len(f.Decls) != 1 || len(r.Body.Stmts) != 1 {
		return nil, &DiagnosticsError{List: Diagnostics{{File: name, Span: Span{Pos{0, 1, 1}, Pos{0, 1, 1}}, Code: CodeSyntax, Message: "this is not one expression"}}}
	}
	return r.Body.Stmts[0].(*Return).Value, nil
}

func shiftSpan(s *Span, n int) {
	for _, p := range []*Pos{&s.Start, &s.End} {
		p.Offset = max(p.Offset-n, 0)
		if p.Line == 1 {
			p.Col = max(p.Col-n, 1)
		}
	}
}

// maxSyntaxDiags bounds how often one declaration is parsed again after an error.
const maxSyntaxDiags = 10

// ParseLimits parses a text within limits. The file holds every declaration that could be read; it
// is nil when not even the tokens could. Work is linear in the text and the stack does not grow with it.
func ParseLimits(name, src string, limits Limits) (*File, Diagnostics) {
	limits = limits.Normalize()
	if len(src) > limits.FileBytes {
		start := Span{Pos{0, 1, 1}, Pos{0, 1, 1}}
		return nil, Diagnostics{{File: name, Span: start, Code: CodeTooLarge,
			Message: fmt.Sprintf("the file has %d bytes; at most %d are allowed", len(src), limits.FileBytes), Hint: "split it"}}
	}
	if strings.HasPrefix(src, "\xff\xfe") || strings.HasPrefix(src, "\xfe\xff") {
		return nil, Diagnostics{{File: name, Span: Span{Pos{0, 1, 1}, Pos{0, 1, 1}}, Code: CodeBadUTF8, Message: "the file is UTF-16", Hint: "save the file as UTF-8"}}
	}
	sc := lex(name, src, limits)
	if len(sc.diags) > 0 {
		return nil, sc.diags
	}
	p := &parser{scan: sc, file: &File{Name: name, Source: src}}
	if p.scanBrackets(); len(p.diags) > 0 {
		return nil, p.diags
	}
	for _, chunk := range p.chunks() {
		p.declaration(chunk)
	}
	p.diags.Sort()
	if !p.diags.HasErrors() {
		attachComments(p.file, sc.comments)
	}
	return p.file, p.diags
}

type parser struct {
	scan  *scanner
	file  *File
	diags Diagnostics
}

func (p *parser) report(code string, span Span, hint, format string, args ...any) *Diagnostic {
	p.diags = append(p.diags, Diagnostic{File: p.file.Name, Span: span, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
	return &p.diags[len(p.diags)-1]
}

// declaration parses the tokens of one declaration. After an error it drops the lines that hold
// it and parses the rest again, so that one run reports the mistakes of several statements.
func (p *parser) declaration(chunk []token) {
	if !p.sizeOK(chunk) || p.habits(chunk) {
		return
	}
	for try := 0; try < maxSyntaxDiags; try++ {
		toks := append(append([]token{}, chunk...), eofAfter(chunk))
		lex, err := lexer.Upgrade(newTokenLexer(toks))
		if err != nil {
			p.report(CodeSyntax, chunk[0].span(), "", "%s", err)
			return
		}
		tree, err := grammar().ParseFromLexer(lex)
		if err == nil {
			c := &converter{parser: p, toks: toks, parens: map[Expr]Span{}}
			for _, d := range tree.Decls {
				if decl := c.decl(d); decl != nil && try == 0 {
					p.file.Decls = append(p.file.Decls, decl)
				}
			}
			return
		}
		at := p.syntaxError(err, toks)
		if chunk = dropLines(chunk, at); chunk == nil {
			return
		}
	}
}

func eofAfter(chunk []token) token {
	end := chunk[len(chunk)-1].end
	return token{kind: tokEOF, start: end, end: end, first: true}
}

// syntaxError reports a participle error in our words and returns the index of the token it is about.
func (p *parser) syntaxError(err error, toks []token) int {
	offset := 0
	var perr participle.Error
	if errors.As(err, &perr) {
		offset = perr.Position().Offset
	}
	i := tokenAt(toks, offset)
	t := toks[i]
	if t.kind == tokEOF {
		last := toks[max(i-1, 0)]
		p.report(CodeSyntax, last.span(), expectHint(toks, i), "the declaration ends too early, after %q", clip(last.raw))
		return i
	}
	hint, edits := habitHint(toks, i)
	if hint == "" && i > 0 { // the parser may look one token ahead
		hint, edits = habitHint(toks, i-1)
	}
	if hint == "" {
		hint = expectHint(toks, i)
	}
	d := p.report(CodeSyntax, t.span(), hint, "unexpected %s", describe(t))
	if len(edits) > 0 {
		d.Fix = &Fix{Title: hint, Edits: edits}
	}
	return i
}

func describe(t token) string {
	switch t.kind {
	case tokString:
		return "string"
	case tokNumber:
		return "number " + clip(t.raw)
	}
	return fmt.Sprintf("%q", clip(t.raw))
}

// expectHint says what would fit at token i, judged by the token before it.
func expectHint(toks []token, i int) string {
	if i == 0 {
		return "a file holds signature, rule, policy, slot, society and case declarations"
	}
	prev, t := toks[i-1], toks[i]
	switch {
	case isReserved(t.text) && prev.kind == tokKeyword && prev.text == "let":
		return fmt.Sprintf("%q is reserved: choose another name", t.text)
	case prev.text == "return" || isOperator(prev):
		return "an expression belongs here"
	case prev.text == "if" || prev.text == "elif":
		return "a condition belongs here"
	case t.text == "=" && prev.kind == tokName:
		return "compare with =="
	case t.text == "while" || t.text == "for":
		return "the language has no loops"
	case t.first && t.kind == tokName:
		return "a statement begins with let, return, if or the name of a local"
	}
	return ""
}

func isOperator(t token) bool {
	switch t.text {
	case "+", "-", "*", "/", "%", "**", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!", "=", "and", "or", "not", "?", ":", "(", ",", "+=", "-=", "*=", "/=":
		return t.kind != tokString
	}
	return false
}

// tokenAt returns the index of the first token that starts at or after offset.
func tokenAt(toks []token, offset int) int {
	lo, hi := 0, len(toks)-1
	for lo < hi {
		mid := (lo + hi) / 2
		if toks[mid].start.Offset < offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// dropLines returns chunk without the lines around token at, or nil when nothing more can be
// learned from the rest: the head is wrong, or the lines hold one side of a pair of braces.
func dropLines(chunk []token, at int) []token {
	at = min(at, len(chunk)-1)
	from := at
	for from > 0 && !chunk[from].first {
		from--
	}
	to := at + 1
	for to < len(chunk) && !chunk[to].first {
		to++
	}
	if from == 0 || to == len(chunk) {
		return nil
	}
	depth := 0
	for _, t := range chunk[from:to] {
		depth += bracketStep(t)
		if depth < 0 {
			return nil
		}
	}
	if depth != 0 {
		return nil
	}
	return append(append([]token{}, chunk[:from]...), chunk[to:]...)
}

func bracketStep(t token) int {
	if t.kind != tokPunct {
		return 0
	}
	switch t.text {
	case "(", "{", "[":
		return 1
	case ")", "}", "]":
		return -1
	}
	return 0
}

// sizeOK checks the bytes of a declaration before any of it is parsed.
func (p *parser) sizeOK(chunk []token) bool {
	limit := p.scan.limits.DeclBytes
	if chunk[0].text == "rule" {
		limit = p.scan.limits.RuleBytes
	}
	n := chunk[len(chunk)-1].end.Offset - chunk[0].start.Offset
	if n > limit {
		p.report(CodeTooLarge, chunk[0].span(), "make it simpler", "the %s has %d bytes; at most %d are allowed", clip(chunk[0].raw), n, limit)
	}
	return n <= limit
}

// chunks splits the tokens at the words that begin declarations, outside all brackets.
func (p *parser) chunks() [][]token {
	toks := p.scan.toks[:len(p.scan.toks)-1]
	var out [][]token
	depth, from := 0, 0
	for i, t := range toks {
		if depth == 0 && i > from && startsDecl(toks, i) {
			out = append(out, toks[from:i])
			from = i
		}
		depth += bracketStep(t)
	}
	if from < len(toks) {
		out = append(out, toks[from:])
	}
	return out
}

// startsDecl reports whether token i, outside all brackets, begins a declaration. The words are
// names elsewhere, so the token before it decides.
func startsDecl(toks []token, i int) bool {
	if toks[i].kind != tokName || !isDeclWord(toks[i].text) {
		return false
	}
	prev := toks[i-1].text
	return !strings.Contains(" | -> . == ± per fills ", " "+prev+" ") && !(isDeclWord(prev) && (i == 1 || startsDeclOrFirst(toks, i-1)))
}

func startsDeclOrFirst(toks []token, i int) bool { return i == 0 || startsDecl(toks, i) }

func isDeclWord(s string) bool {
	switch s {
	case "signature", "rule", "case", "policy", "slot", "society":
		return true
	}
	return false
}
