package grammar

import (
	"fmt"

	"github.com/agentdescent/adrun/dsl"
)

// The expressions are in layers, one a level of precedence, from the loosest to the tightest. A production
// whose name ends in -op derives what may stand in parentheses: an expression with an operator.

func (b *builder) num(s scope) expr {
	return b.scoped("num", s, func() expr { return alt{b.sum(s), b.numCond(s)} })
}

func (b *builder) numCond(s scope) expr {
	return b.scoped("num-cond", s, func() expr { return b.cond(s, b.num) })
}

// cond derives a conditional; those on its right need no parentheses.
func (b *builder) cond(s scope, of func(scope) expr) expr {
	return seq{b.or(s), lit(" ? "), of(s), lit(" : "), of(s)}
}

var (
	addOps = oneOf(" + ", " - ")
	mulOps = oneOf(" * ", " / ", " % ")
)

func (b *builder) sum(s scope) expr {
	return b.scoped("sum", s, func() expr { return seq{b.product(s), many(addOps, b.product(s))} })
}

func (b *builder) product(s scope) expr {
	return b.scoped("product", s, func() expr { return seq{b.factor(s), many(mulOps, b.factor(s))} })
}

func (b *builder) factor(s scope) expr {
	return b.scoped("factor", s, func() expr {
		return alt{b.power(s), b.negative(s)}
	})
}

// negative derives one sign: a second would only undo it.
func (b *builder) negative(s scope) expr { return seq{lit("-"), b.power(s)} }

func (b *builder) power(s scope) expr {
	return b.scoped("power", s, func() expr { return seq{b.atom(s), maybe(lit(" ** "), b.factor(s))} })
}

func (b *builder) atom(s scope) expr {
	return b.scoped("atom", s, func() expr {
		a := alt{b.number()}
		a = append(a, b.names(dsl.NumType, s)...)
		if len(b.options.Functions) > 0 {
			a = append(a, b.call(s))
		}
		return append(a, seq{lit("("), b.numOp(s), lit(")")})
	})
}

func (b *builder) numOp(s scope) expr {
	return b.scoped("num-op", s, func() expr {
		return alt{
			seq{b.product(s), some(addOps, b.product(s))},
			seq{b.factor(s), some(mulOps, b.factor(s))},
			seq{b.atom(s), lit(" ** "), b.factor(s)},
			b.negative(s),
			b.numCond(s),
		}
	})
}

// names derives the inputs of a type, and a local where one may be in scope.
func (b *builder) names(t dsl.Type, s scope) alt {
	var a alt
	if b.sig != nil {
		for _, in := range b.sig.Inputs {
			if in.Type.Kind == t.Kind && (t.Kind != dsl.WordKind || b.setOf(in.Type) == b.setOf(t)) {
				a = append(a, lit(in.Name.Text))
			}
		}
	}
	if s == withLocals {
		a = append(a, b.local())
	}
	return a
}

// call derives a call of a function that the options allow.
func (b *builder) call(s scope) expr {
	return b.scoped("call", s, func() expr {
		byArgs := map[int][]string{}
		for _, f := range b.options.Functions {
			byArgs[args(f)] = append(byArgs[args(f)], f+"(")
		}
		var a alt
		for n := range maxArgs + 1 {
			if len(byArgs[n]) == 0 {
				continue
			}
			call := seq{oneOf(byArgs[n]...), b.num(s)}
			for range n - 1 {
				call = append(call, lit(", "), b.num(s))
			}
			if n == fold {
				call = append(call, some(lit(", "), b.num(s)))
			}
			a = append(a, append(call, lit(")")))
		}
		return altOf(a)
	})
}

// maxArgs is how many arguments a function takes at most; fold stands for two or more.
const (
	maxArgs = 3
	fold    = 0
)

// args is how many arguments a function of the language takes.
func args(name string) int {
	switch name {
	case "min", "max":
		return fold
	case "pow":
		return 2
	case "clamp":
		return 3
	}
	return 1
}

func (b *builder) bool(s scope) expr {
	return b.scoped("bool", s, func() expr { return alt{b.or(s), b.boolCond(s)} })
}

func (b *builder) boolCond(s scope) expr {
	return b.scoped("bool-cond", s, func() expr { return b.cond(s, b.bool) })
}

func (b *builder) or(s scope) expr {
	return b.scoped("or", s, func() expr { return seq{b.and(s), many(lit(" || "), b.and(s))} })
}

func (b *builder) and(s scope) expr {
	return b.scoped("and", s, func() expr { return seq{b.test(s), many(lit(" && "), b.test(s))} })
}

func (b *builder) test(s scope) expr {
	return b.scoped("test", s, func() expr { return alt{b.comparison(s), b.boolUnary(s)} })
}

// comparison derives a comparison of two values of one type. There are no chains.
func (b *builder) comparison(s scope) expr {
	return b.scoped("comparison", s, func() expr {
		equal := oneOf(" == ", " != ")
		a := alt{
			seq{b.sum(s), oneOf(" < ", " <= ", " > ", " >= ", " == ", " != "), b.sum(s)},
			seq{b.boolUnary(s), equal, b.boolUnary(s)},
		}
		for i := range b.sets {
			a = append(a, seq{b.wordAtom(i, s), equal, b.wordAtom(i, s)})
		}
		return a
	})
}

func (b *builder) boolUnary(s scope) expr {
	return b.scoped("bool-unary", s, func() expr { return alt{b.boolAtom(s), b.not(s)} })
}

func (b *builder) not(s scope) expr { return seq{lit("!"), b.boolAtom(s)} }

func (b *builder) boolAtom(s scope) expr {
	return b.scoped("bool-atom", s, func() expr {
		a := append(alt{lit("true"), lit("false")}, b.names(dsl.BoolType, s)...)
		return append(a, seq{lit("("), b.boolOp(s), lit(")")})
	})
}

func (b *builder) boolOp(s scope) expr {
	return b.scoped("bool-op", s, func() expr {
		return alt{
			seq{b.and(s), some(lit(" || "), b.and(s))},
			seq{b.test(s), some(lit(" && "), b.test(s))},
			b.comparison(s),
			b.not(s),
			b.boolCond(s),
		}
	})
}

// word derives a value of the i-th word set.
func (b *builder) word(i int, s scope) expr {
	return b.scoped(b.wordName(i), s, func() expr { return alt{b.wordAtom(i, s), b.wordCond(i, s)} })
}

func (b *builder) wordName(i int) string {
	if len(b.sets) == 1 {
		return "word"
	}
	return fmt.Sprintf("word-%d", i+1)
}

func (b *builder) wordCond(i int, s scope) expr {
	return b.scoped(b.wordName(i)+"-cond", s, func() expr {
		return b.cond(s, func(s scope) expr { return b.word(i, s) })
	})
}

func (b *builder) wordAtom(i int, s scope) expr {
	return b.scoped(b.wordName(i)+"-atom", s, func() expr {
		var a alt
		for _, w := range b.sets[i] {
			a = append(a, lit(w))
		}
		a = append(a, b.names(dsl.Type{Kind: dsl.WordKind, Words: b.sets[i]}, s)...)
		return append(a, seq{lit("("), b.wordCond(i, s), lit(")")})
	})
}
