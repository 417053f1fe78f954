package grammar

import (
	"strings"

	"github.com/agentdescent/adrun/dsl"
)

// builder collects productions, each when something first refers to it.
type builder struct {
	sig     *dsl.Signature // nil for rules over any names
	options Options
	prods   []production
	defined map[string]bool
	sets    [][]string // the word sets of the signature, each once
}

// scope says whether a local may be in scope: until one is declared, none can be read or assigned.
type scope bool

const (
	noLocals   scope = false
	withLocals scope = true
)

// reserved are the words that are never names.
var reserved = []string{"let", "return", "if", "else", "elif", "and", "or", "not", "true", "false"}

func (b *builder) build() {
	b.defined = map[string]bool{}
	s := noLocals
	if b.sig == nil {
		s = withLocals
	} else {
		for _, in := range b.sig.Inputs {
			b.wordSet(in.Type)
		}
		b.wordSet(b.sig.Result)
	}
	b.define("root", func() expr {
		return seq{b.head(), alt{
			seq{lit(" { return "), b.result(s), lit(" }")},
			seq{lit(" {\n"), b.ends(1, s), lit("}")},
		}}
	})
}

// define adds a production unless it is there, and refers to it.
func (b *builder) define(name string, body func() expr) expr {
	return b.add(name, rule, body)
}

// token adds a production that is regular.
func (b *builder) token(name string, body func() expr) expr {
	return b.add(name, token, body)
}

func (b *builder) add(name string, k kind, body func() expr) expr {
	if !b.defined[name] {
		b.defined[name] = true
		at := len(b.prods)
		b.prods = append(b.prods, production{name: name, kind: k})
		b.prods[at].body = tidy(body())
	}
	return ref(name)
}

// scoped is define for a production that a scope has its own of.
func (b *builder) scoped(name string, s scope, body func() expr) expr {
	if s == withLocals && b.sig != nil {
		name += "-l"
	}
	return b.define(name, body)
}

// head derives the rule's name and its list of inputs: none, all, or some in the order of the signature.
func (b *builder) head() expr {
	if b.sig == nil {
		list := seq{lit("("), b.name(), many(lit(", "), b.name()), lit(")")}
		return seq{lit("rule "), b.name(), maybe(list)}
	}
	name := b.sig.Name.Text
	name = name[strings.LastIndexByte(name, '.')+1:]
	var lists alt
	names := make([]string, len(b.sig.Inputs))
	for i, in := range b.sig.Inputs {
		names[i] = in.Name.Text
	}
	if len(names) > 0 {
		lists = append(lists, lit("("+strings.Join(names, ", ")+")"))
	}
	if len(names) > 1 {
		lists = append(lists, seq{lit("("), b.some(names, 0), lit(")")})
	}
	if len(lists) == 0 {
		return lit("rule " + name)
	}
	return seq{lit("rule " + name), maybe(altOf(lists))}
}

// some derives a non-empty list of names from the i-th on, in order.
func (b *builder) some(names []string, i int) expr {
	if i == len(names)-1 {
		return lit(names[i])
	}
	return b.define("inputs-"+names[i], func() expr {
		rest := b.some(names, i+1)
		return alt{rest, seq{lit(names[i]), maybe(lit(", "), rest)}}
	})
}

// name derives any name that is not reserved.
func (b *builder) name() expr {
	return b.token("name", func() expr { return nameBut(append(dsl.FunctionNames(), reserved...), b.nameRest()) })
}

// local derives a name that is no other's, for a local.
func (b *builder) local() expr {
	if b.sig == nil {
		return b.name()
	}
	return b.token("local", func() expr {
		taken := append(dsl.FunctionNames(), reserved...)
		for _, in := range b.sig.Inputs {
			taken = append(taken, in.Name.Text)
		}
		for _, set := range b.sets {
			taken = append(taken, set...)
		}
		return nameBut(taken, b.nameRest())
	})
}

// nameRest derives what may follow where a name is sure to be none of those that are taken.
func (b *builder) nameRest() expr {
	return b.add("name-rest", piece, func() expr { return rep{class(nameRest), 0, restMax} })
}

// number derives a literal as it is printed: 17 digits after as many as four zeros, or an exponent. The largest
// stays below the largest number there is.
func (b *builder) number() expr {
	return b.token("number", func() expr {
		digits := func(most int) expr { return rep{class("0-9"), 1, most} }
		return seq{
			alt{lit("0"), seq{class("1-9"), rep{class("0-9"), 0, 15}}},
			maybe(lit("."), digits(21)),
			maybe(lit("e"), alt{seq{lit("-"), digits(3)}, digits(2)}),
		}
	})
}

// wordSet notes the word set of a type.
func (b *builder) wordSet(t dsl.Type) {
	if t.Kind == dsl.WordKind && b.setOf(t) < 0 {
		b.sets = append(b.sets, t.Words)
	}
}

// setOf returns the index of a type's word set, -1 if it is none. Two sets of a signature are equal or
// disjoint, so one word tells.
func (b *builder) setOf(t dsl.Type) int {
	for i, set := range b.sets {
		for _, w := range set {
			if len(t.Words) > 0 && w == t.Words[0] {
				return i
			}
		}
	}
	return -1
}

// result derives the value of a return.
func (b *builder) result(s scope) expr {
	if b.sig == nil {
		return b.value(s)
	}
	switch b.sig.Result.Kind {
	case dsl.BoolKind:
		return b.bool(s)
	case dsl.WordKind:
		return b.word(b.setOf(b.sig.Result), s)
	}
	return b.num(s)
}

// value derives a value of any type.
func (b *builder) value(s scope) expr {
	return b.scoped("value", s, func() expr {
		a := alt{b.num(s), b.bool(s)}
		for i := range b.sets {
			a = append(a, b.word(i, s))
		}
		return a
	})
}
