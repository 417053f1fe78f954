package grammartest

import (
	"fmt"
	"strconv"
	"strings"
)

// ReadGBNF reads a grammar in llama.cpp's format. Its start is root.
func ReadGBNF(s string) (*Grammar, error) {
	return read(s, "root", "::=")
}

// ReadLark reads a grammar in Lark's format: rules, and terminals that are regular expressions. Its start is
// start.
func ReadLark(s string) (*Grammar, error) {
	return read(s, "start", ":")
}

func read(s, start, is string) (*Grammar, error) {
	r := &reader{src: s, is: is}
	g := &Grammar{start: start, rules: map[string]node{}, height: map[string]int{}}
	for r.space(true); r.at < len(r.src); r.space(true) {
		name := r.name()
		r.space(false)
		if name == "" || !r.take(is) {
			return nil, r.errorf("a production begins with its name and %q", is)
		}
		if g.rules[name] != nil {
			return nil, r.errorf("%s is defined twice", name)
		}
		n, err := r.choice()
		if err != nil {
			return nil, err
		}
		g.rules[name] = n
	}
	return g, g.finish()
}

// reader is a recursive-descent parser. In both formats a production ends where a line does that is not
// continued: after a "|" in GBNF, before one in Lark.
type reader struct {
	src   string
	is    string // between the name of a production and the rest
	at    int
	depth int // of parentheses
	regex bool
}

func (r *reader) errorf(format string, args ...any) error {
	line := 1 + strings.Count(r.src[:r.at], "\n")
	return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
}

func (r *reader) space(lines bool) {
	for r.at < len(r.src) && (r.src[r.at] == ' ' || lines && r.src[r.at] == '\n') {
		r.at++
	}
}

func (r *reader) take(s string) bool {
	if strings.HasPrefix(r.src[r.at:], s) {
		r.at += len(s)
		return true
	}
	return false
}

func (r *reader) peek() byte {
	if r.at < len(r.src) {
		return r.src[r.at]
	}
	return 0
}

func (r *reader) name() string {
	from := r.at
	for c := r.peek(); c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' && r.is == "::=" || c == '_'; c = r.peek() {
		r.at++
	}
	return r.src[from:r.at]
}

// bar reads a "|" and the line ends that may stand beside it.
func (r *reader) bar() bool {
	back := r.at
	if !r.regex {
		r.space(r.depth > 0 || r.is == ":")
	}
	if !r.take("|") {
		r.at = back
		return false
	}
	if !r.regex {
		r.space(true)
	}
	return true
}

func (r *reader) choice() (node, error) {
	var c choice
	for {
		s, err := r.sequence()
		if err != nil {
			return nil, err
		}
		if c.of = append(c.of, s); !r.bar() {
			break
		}
	}
	if len(c.of) == 1 {
		return c.of[0], nil
	}
	return &c, nil
}

func (r *reader) sequence() (node, error) {
	var s sequence
	for {
		if !r.regex {
			r.space(false)
		}
		n, err := r.atom()
		if err != nil {
			return nil, err
		}
		if n == nil {
			return s, nil
		}
		if n, err = r.suffix(n); err != nil {
			return nil, err
		}
		s = append(s, n)
	}
}

func (r *reader) atom() (node, error) {
	c := r.peek()
	switch {
	case r.regex && r.take("(?:"), !r.regex && r.take("("):
		r.depth++
		n, err := r.choice()
		r.depth--
		if err == nil && !r.take(")") {
			err = r.errorf("a group is not closed")
		}
		return n, err
	case c == '[':
		return r.class()
	case r.regex && strings.IndexByte("|)/", c) < 0:
		if c == '\\' {
			r.at++
		}
		r.at++
		return text(r.src[r.at-1]), nil
	case r.regex:
		return nil, nil
	case c == '"':
		return r.text()
	case c == '/' && r.is == ":":
		return r.pattern()
	}
	if name := r.name(); name != "" {
		return call(name), nil
	}
	return nil, nil
}

// text reads a literal; both formats quote as Go does, as far as they are used.
func (r *reader) text() (node, error) {
	quoted, err := strconv.QuotedPrefix(r.src[r.at:])
	if err != nil {
		return nil, r.errorf("a literal is not closed")
	}
	r.at += len(quoted)
	s, err := strconv.Unquote(quoted)
	if s == "" {
		return nil, r.errorf("an empty literal")
	}
	return text(s), err
}

func (r *reader) pattern() (node, error) {
	r.at++
	r.regex = true
	n, err := r.choice()
	r.regex = false
	if err == nil && !r.take("/") {
		err = r.errorf("a regular expression is not closed")
	}
	return n, err
}

// class reads a set of characters: single ones and ranges.
func (r *reader) class() (node, error) {
	end := strings.IndexByte(r.src[r.at:], ']')
	if end < 0 {
		return nil, r.errorf("a set of characters is not closed")
	}
	set := r.src[r.at+1 : r.at+end]
	r.at += end + 1
	var c class
	for i := 0; i < len(set); i++ {
		lo, hi := set[i], set[i]
		if i+2 < len(set) && set[i+1] == '-' {
			hi = set[i+2]
			i += 2
		}
		for x := int(lo); x <= int(hi); x++ {
			c[x] = true
		}
	}
	if c == (class{}) || strings.ContainsAny(set, `^\`) {
		return nil, r.errorf("the set [%s] is empty or not of the kind that is printed", set)
	}
	return &c, nil
}

// suffix reads a repetition, if one follows.
func (r *reader) suffix(n node) (node, error) {
	switch {
	case r.take("?"):
		return &repeat{n, 0, 1}, nil
	case r.take("*"):
		return &repeat{n, 0, -1}, nil
	case r.take("+"):
		return &repeat{n, 1, -1}, nil
	case r.take("{"):
		var lo, hi int
		end := strings.IndexByte(r.src[r.at:], '}')
		if end < 0 {
			return nil, r.errorf("a repetition is not closed")
		}
		if _, err := fmt.Sscanf(r.src[r.at:r.at+end], "%d,%d", &lo, &hi); err != nil || lo > hi {
			return nil, r.errorf("a repetition is {least,most}")
		}
		r.at += end + 1
		return &repeat{n, lo, hi}, nil
	}
	return n, nil
}
