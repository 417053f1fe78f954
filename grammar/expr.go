package grammar

import "slices"

// production gives a name to what it derives.
type production struct {
	name string
	body expr
	kind kind
}

// kind says how a production may be printed.
type kind uint8

const (
	rule  kind = iota
	token      // regular: Lark prints it as a terminal
	piece      // of tokens: Lark prints it within them
)

// expr is a right-hand side: lit, ref, class, seq, alt or rep.
type expr interface{ expr() }

type (
	// lit is a text.
	lit string
	// ref is another production.
	ref string
	// class is one character of a set, as regular expressions write it between brackets: "a-z0-9".
	class string
	// seq is one after the other; empty, it derives the empty text.
	seq []expr
	// alt is one of several.
	alt []expr
)

// rep repeats: at least min times, at most max; max < 0 is without end.
type rep struct {
	of       expr
	min, max int
}

func (lit) expr()   {}
func (ref) expr()   {}
func (class) expr() {}
func (seq) expr()   {}
func (alt) expr()   {}
func (rep) expr()   {}

func many(e ...expr) expr  { return rep{seqOf(e...), 0, -1} }
func some(e ...expr) expr  { return rep{seqOf(e...), 1, -1} }
func maybe(e ...expr) expr { return rep{seqOf(e...), 0, 1} }

// seqOf is a sequence without sequences in it, texts that follow one another joined, and without a wrapper
// around a single element.
func seqOf(es ...expr) expr {
	var out seq
	for _, e := range es {
		parts := seq{e}
		if s, ok := e.(seq); ok {
			parts = s
		}
		for _, e := range parts {
			text, isText := e.(lit)
			if n := len(out); n > 0 && isText {
				if before, ok := out[n-1].(lit); ok {
					out[n-1] = before + text
					continue
				}
			}
			out = append(out, e)
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return out
}

// tidy joins what seqOf joins, throughout an expression.
func tidy(e expr) expr {
	switch e := e.(type) {
	case seq:
		parts := make([]expr, len(e))
		for i, x := range e {
			parts[i] = tidy(x)
		}
		return seqOf(parts...)
	case alt:
		out := make(alt, len(e))
		for i, x := range e {
			out[i] = tidy(x)
		}
		return altOf(out)
	case rep:
		return rep{tidy(e.of), e.min, e.max}
	}
	return e
}

// oneOf is a choice of texts.
func oneOf(texts ...string) expr {
	a := make(alt, len(texts))
	for i, t := range texts {
		a[i] = lit(t)
	}
	return altOf(a)
}

// altOf is a choice without a wrapper around a single element.
func altOf(a alt) expr {
	if len(a) == 1 {
		return a[0]
	}
	return a
}

// The characters of names, how many the language allows, and how many may follow where a name has left all
// forbidden ones.
const (
	nameStart = "a-zA-Z_"
	nameRest  = "a-zA-Z0-9_"
	nameMax   = 64
	restMax   = 20
)

// nameBut derives the names that are none of a list; rest derives up to restMax characters. None of the
// formats has a complement, so it follows the letters of the list as a trie and leaves it wherever a name may.
func nameBut(forbidden []string, rest expr) expr {
	words := slices.Clone(forbidden)
	slices.Sort(words)
	return nameSuffix(slices.Compact(words), 0, rest)
}

// nameSuffix derives what may follow the common first n characters of words, which are sorted.
func nameSuffix(words []string, n int, rest expr) expr {
	chars := nameRest
	if n == 0 {
		chars = nameStart
	}
	if len(words) > 0 && len(words[0]) == n {
		words = words[1:] // something must follow
	} else if n > 0 {
		return maybe(nameSuffixes(words, n, chars, rest))
	}
	return nameSuffixes(words, n, chars, rest)
}

func nameSuffixes(words []string, n int, chars string, rest expr) expr {
	var out alt
	for len(words) > 0 {
		c, same := words[0][n], 1
		for same < len(words) && words[same][n] == c {
			same++
		}
		if n+1 < nameMax { // nothing may follow a forbidden name of that length
			out = append(out, seqOf(lit(c), nameSuffix(words[:same], n+1, rest)))
		}
		chars = without(chars, c)
		words = words[same:]
	}
	switch left := nameMax - (n + 1); {
	case left == 0:
		rest = seq{}
	case left < restMax:
		rest = rep{class(nameRest), 0, left}
	}
	return altOf(append(out, seqOf(class(chars), rest)))
}

// without removes a character from a class.
func without(chars string, c byte) string {
	out := ""
	for i := 0; i < len(chars); {
		lo, hi := chars[i], chars[i]
		if i+2 < len(chars) && chars[i+1] == '-' {
			hi = chars[i+2]
			i += 2
		}
		i++
		if c < lo || hi < c {
			out += span(lo, hi)
			continue
		}
		out += span(lo, c-1) + span(c+1, hi)
	}
	return out
}

// span writes a range of a class; nothing when it is empty.
func span(lo, hi byte) string {
	switch {
	case lo > hi:
		return ""
	case lo == hi:
		return string(lo)
	case lo+1 == hi:
		return string(lo) + string(hi)
	}
	return string(lo) + "-" + string(hi)
}
