package grammar

import (
	"fmt"
	"strings"
)

// GBNF prints the grammar in the format of llama.cpp, which SGLang, vLLM and xgrammar read too.
func (g *Grammar) GBNF() string {
	p := &printer{production: " ::= ", choice: " |\n  ", name: func(n string) string { return n }}
	for _, x := range g.prods {
		p.define(x)
	}
	return p.b.String()
}

// Lark prints the grammar in Lark's format. Nothing is ignored: the layout is part of the grammar.
func (g *Grammar) Lark() string {
	terminals, pieces := map[string]bool{}, map[string]expr{}
	for _, x := range g.prods {
		switch x.kind {
		case token:
			terminals[x.name] = true
		case piece:
			pieces[x.name] = x.body
		}
	}
	p := &printer{production: ": ", choice: "\n    | ", regex: true, pieces: pieces}
	p.name = func(n string) string {
		switch {
		case n == "root":
			return "start"
		case terminals[n]:
			return strings.ToUpper(n)
		}
		return strings.ReplaceAll(n, "-", "_")
	}
	for _, x := range g.prods {
		p.define(x)
	}
	return p.b.String()
}

// printer writes productions in one of the formats.
type printer struct {
	b          strings.Builder
	production string // between a name and what it derives
	choice     string // between the choices of a production
	regex      bool   // tokens are regular expressions, with the pieces in them
	pieces     map[string]expr
	name       func(string) string // of a production
}

func (p *printer) define(x production) {
	if p.regex && x.kind == piece {
		return
	}
	p.b.WriteString(p.name(x.name) + p.production)
	if p.regex && x.kind == token {
		p.b.WriteString("/" + p.pattern(x.body) + "/\n")
		return
	}
	if a, ok := x.body.(alt); ok {
		for i, e := range a {
			if i > 0 {
				p.b.WriteString(p.choice)
			}
			p.b.WriteString(p.text(e, false))
		}
	} else {
		p.b.WriteString(p.text(x.body, false))
	}
	p.b.WriteString("\n")
}

// text prints an expression; tight where a repetition follows it.
func (p *printer) text(e expr, tight bool) string {
	switch e := e.(type) {
	case lit:
		return quote(string(e))
	case ref:
		return p.name(string(e))
	case class:
		return "[" + string(e) + "]"
	case seq:
		parts := make([]string, len(e))
		for i, x := range e {
			parts[i] = p.text(x, false)
		}
		return group(strings.Join(parts, " "), tight && len(e) > 1)
	case alt:
		parts := make([]string, len(e))
		for i, x := range e {
			parts[i] = p.text(x, false)
		}
		return "(" + strings.Join(parts, " | ") + ")"
	case rep:
		return p.text(e.of, true) + e.suffix()
	}
	return ""
}

func group(s string, need bool) string {
	if need {
		return "(" + s + ")"
	}
	return s
}

// suffix is how both formats, and regular expressions, write a repetition.
func (r rep) suffix() string {
	switch {
	case r.min == 0 && r.max == 1:
		return "?"
	case r.min == 0 && r.max < 0:
		return "*"
	case r.min == 1 && r.max < 0:
		return "+"
	}
	return fmt.Sprintf("{%d,%d}", r.min, r.max)
}

// quote writes a text as both formats do.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// pattern prints a regular expression.
func (p *printer) pattern(e expr) string {
	switch e := e.(type) {
	case ref:
		return p.pattern(p.pieces[string(e)])
	case lit:
		return escape(string(e))
	case class:
		return "[" + string(e) + "]"
	case seq:
		var b strings.Builder
		for _, x := range e {
			b.WriteString(p.pattern(x))
		}
		return b.String()
	case alt:
		parts := make([]string, len(e))
		for i, x := range e {
			parts[i] = p.pattern(x)
		}
		return "(?:" + strings.Join(parts, "|") + ")"
	case rep:
		of := p.pattern(e.of)
		if _, ok := e.of.(class); !ok && len(of) > 1 && !strings.HasPrefix(of, "(?:") {
			of = "(?:" + of + ")"
		}
		return of + e.suffix()
	}
	return ""
}

// escape writes a text for a regular expression. Names, digits and a few signs are all there is.
func escape(s string) string {
	return strings.NewReplacer(`.`, `\.`, `-`, `\-`, `+`, `\+`, `/`, `\/`).Replace(s)
}
