package dsl

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The kinds of tokens, numbered as participle wants them: below EOF, which is -1.
const (
	tokEOF     = -1
	tokName    = -2
	tokKeyword = -3
	tokNumber  = -4
	tokString  = -5
	tokPunct   = -6
)

// maxName is the length of the longest name.
const maxName = 64

// maxLexDiags bounds how many findings one text can cause before the lexer gives up on it.
const maxLexDiags = 20

// token is a word of the source. text is what the grammar sees: for an operator that models write
// from habit ("//", "^") it is the operator they mean, while raw is what stands in the source.
type token struct {
	kind       int
	text, raw  string
	start, end Pos
	first      bool // first token of its line
}

func (t token) span() Span { return Span{t.start, t.end} }

// comment is a comment without its marker.
type comment struct {
	text string
	pos  Pos
	own  bool // nothing but white space before it on its line
}

// emptyComment is the text of a comment without text; "" separates groups of comments.
const emptyComment = " "

// isReserved reports the words that can never be names.
func isReserved(s string) bool {
	switch s {
	case "let", "return", "if", "else", "elif", "and", "or", "not", "true", "false":
		return true
	}
	return false
}

type scanner struct {
	file     string
	src      string
	limits   Limits
	pos      Pos
	first    bool // no token yet on this line
	depth    int
	toks     []token
	comments []comment
	diags    Diagnostics
	stop     bool
}

// lex splits src into tokens and comments. It stops at the first text nested deeper than the limit,
// so that what follows never sees it.
func lex(file, src string, limits Limits) *scanner {
	l := &scanner{file: file, src: src, limits: limits, pos: Pos{0, 1, 1}, first: true}
	for !l.stop && l.pos.Offset < len(src) {
		l.next()
	}
	l.toks = append(l.toks, token{kind: tokEOF, start: l.pos, end: l.pos, first: true})
	return l
}

func (l *scanner) report(code string, span Span, hint, format string, args ...any) *Diagnostic {
	l.diags = append(l.diags, Diagnostic{File: l.file, Span: span, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
	if len(l.diags) >= maxLexDiags {
		l.stop = true
	}
	return &l.diags[len(l.diags)-1]
}

// advance moves over n bytes that hold no newline and are valid UTF-8.
func (l *scanner) advance(n int) {
	l.pos.Col += utf8.RuneCountInString(l.src[l.pos.Offset : l.pos.Offset+n])
	l.pos.Offset += n
}

func (l *scanner) emit(kind, n int) {
	start := l.pos
	raw := l.src[start.Offset : start.Offset+n]
	l.advance(n)
	l.toks = append(l.toks, token{kind: kind, text: raw, raw: raw, start: start, end: l.pos, first: l.first})
	l.first = false
}

// next reads one token, comment or run of white space.
func (l *scanner) next() {
	rest := l.src[l.pos.Offset:]
	c := rest[0]
	switch {
	case c == '\n':
		l.pos = Pos{l.pos.Offset + 1, l.pos.Line + 1, 1}
		l.first = true
	case c == ' ' || c == '\t' || c == '\r':
		l.advance(1)
	case c == '#' || (l.first && strings.HasPrefix(rest, "//")):
		l.comment(rest)
	case isNameStart(c):
		l.name(rest)
	case isDigit(c) || (c == '.' && len(rest) > 1 && isDigit(rest[1])):
		l.number(rest)
	case c == '"':
		l.str(rest)
	default:
		l.punct(rest)
	}
}

func isNameStart(c byte) bool {
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func nameLen(s string) int {
	n := 0
	for n < len(s) && (isNameStart(s[n]) || isDigit(s[n])) {
		n++
	}
	return n
}

func (l *scanner) comment(rest string) {
	n := strings.IndexByte(rest, '\n')
	if n < 0 {
		n = len(rest)
	}
	text := strings.TrimSuffix(rest[:n], "\r")
	if !l.checkText(text) {
		l.pos.Offset += n
		return
	}
	start := l.pos
	l.advance(n)
	text = strings.TrimPrefix(text, "#")
	if strings.HasPrefix(rest, "//") {
		text = text[2:]
	}
	if text = strings.TrimSpace(text); text == "" {
		text = emptyComment
	}
	l.comments = append(l.comments, comment{text, start, l.first})
}

// checkText reports the first forbidden character or invalid byte of a comment or string.
func (l *scanner) checkText(text string) bool {
	col := l.pos.Col
	for i, r := range text {
		bad := r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD")
		if bad || isForbidden(r) {
			at := Pos{l.pos.Offset + i, l.pos.Line, col}
			l.badRune(at, r, bad, text[i])
			return false
		}
		col++
	}
	return true
}

func (l *scanner) badRune(at Pos, r rune, invalid bool, b byte) {
	end := at
	end.Col++
	if invalid {
		end.Offset++
		l.report(CodeBadUTF8, Span{at, end}, "save the file as UTF-8", "byte 0x%02x is not UTF-8", b)
		return
	}
	end.Offset += utf8.RuneLen(r)
	d := l.report(CodeBadCharacter, Span{at, end}, "remove it", "character U+%04X is not allowed", r)
	if r == '\ufeff' { // a mark that some editors begin a file with, and nobody sees
		d.Fix = deleteFix("remove the byte order mark", d.Span)
	}
}

func (l *scanner) name(rest string) {
	n := nameLen(rest)
	kind := tokName
	if isReserved(rest[:n]) {
		kind = tokKeyword
	}
	l.emit(kind, n)
	if n > maxName {
		t := &l.toks[len(l.toks)-1]
		l.report(CodeNameTooLong, t.span(), "shorten it", "a name of %d characters; at most %d are allowed", n, maxName)
		t.text = t.text[:maxName]
	}
}

// number reads digits, a fraction and an exponent: what strconv.ParseFloat takes, less hex,
// underscores and leading zeros.
func (l *scanner) number(rest string) {
	n := 0
	digits := func() {
		for n < len(rest) && isDigit(rest[n]) {
			n++
		}
	}
	digits()
	if n < len(rest) && rest[n] == '.' {
		n++
		digits()
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		m := n
		n++
		if n < len(rest) && (rest[n] == '+' || rest[n] == '-') {
			n++
		}
		if n == len(rest) || !isDigit(rest[n]) {
			n = m
		}
		digits()
	}
	bad := nameLen(rest[n:]) > 0 || strings.HasPrefix(rest[n:], ".")
	for n < len(rest) && (rest[n] == '.' || nameLen(rest[n:]) > 0) {
		n++
	}
	octal := n > 1 && rest[0] == '0' && isDigit(rest[1])
	l.emit(tokNumber, n)
	t := &l.toks[len(l.toks)-1]
	switch {
	case bad || octal:
		l.report(CodeBadNumber, t.span(), "write a decimal number, like 0.5 or 1e-3", "bad number %q", clip(t.raw))
		t.text = "0"
	case len(t.raw) > maxName:
		l.report(CodeBadNumber, t.span(), "17 digits give every number exactly", "a number of %d characters", len(t.raw))
		t.text = "0"
	}
}

// clip shortens text that a message quotes.
func clip(s string) string {
	if len(s) <= 40 {
		return s
	}
	return s[:37] + "..."
}

func (l *scanner) str(rest string) {
	n := 1
	for n < len(rest) && rest[n] != '"' && rest[n] != '\n' {
		if rest[n] == '\\' && n+1 < len(rest) && rest[n+1] != '\n' {
			n++
		}
		n++
	}
	closed := n < len(rest) && rest[n] == '"'
	if closed {
		n++
	}
	if !l.checkText(rest[:n]) {
		l.pos.Offset += n
		return
	}
	start := l.pos
	l.emit(tokString, n)
	if !closed {
		l.toks[len(l.toks)-1].text = `""`
		l.report(CodeUnterminated, Span{start, l.pos}, `close it with " on the same line`, "string is not terminated")
	}
}

// puncts are the operators and marks, longest first.
var puncts = [...]string{
	"**", "->", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "//",
	"±", "(", ")", "{", "}", "[", "]", ",", ":", ";", "?", "+", "-", "*", "/", "%", "<", ">", "=", "!", "|", ".", "^",
}

func (l *scanner) punct(rest string) {
	for _, p := range puncts {
		if !strings.HasPrefix(rest, p) {
			continue
		}
		l.emit(tokPunct, len(p))
		switch p {
		case "//":
			l.toks[len(l.toks)-1].text = "/"
		case "^":
			l.toks[len(l.toks)-1].text = "**"
		}
		l.nest(p)
		return
	}
	r, size := utf8.DecodeRuneInString(rest)
	invalid := r == utf8.RuneError && size <= 1
	if invalid || isForbidden(r) {
		l.badRune(l.pos, r, invalid, rest[0])
	} else {
		end := Pos{l.pos.Offset + size, l.pos.Line, l.pos.Col + 1}
		l.report(CodeBadCharacter, Span{l.pos, end}, strayHint(r), "unexpected character %q", r)
	}
	l.pos.Offset += size
	l.pos.Col++
}

func strayHint(r rune) string {
	switch r {
	case '&':
		return "write && for and"
	case '`':
		return "leave out what encloses the code"
	case '\'', '“', '”':
		return `a word is written without quotes, the instruction of a society in "`
	case '@', '$', '~':
		return "no operator of this language uses it"
	}
	return "names are ASCII letters, digits and _"
}

// nest follows the depth of brackets and stops at the limit. One level more is allowed for the
// braces of the declaration itself.
func (l *scanner) nest(p string) {
	switch p {
	case "(", "{", "[":
		l.depth++
		if l.depth > l.limits.Nesting+1 {
			t := l.toks[len(l.toks)-1]
			l.report(CodeNesting, t.span(), "split the expression with let", "nested deeper than %d", l.limits.Nesting)
			l.stop = true
		}
	case ")", "}", "]":
		l.depth--
	}
}
