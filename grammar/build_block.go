package grammar

import (
	"fmt"
	"strings"
)

// indent is the layout of a statement at a depth.
func indent(depth int) lit { return lit(strings.Repeat("  ", depth)) }

// ends derives the statements of a block of which every path returns: lines that do not end it, and one that
// does. depth is that of its statements.
func (b *builder) ends(depth int, s scope) expr {
	return b.scoped(fmt.Sprintf("ends-%d", depth), s, func() expr {
		in := indent(depth)
		a := alt{
			seq{in, lit("return "), b.result(s), lit("\n")},
			seq{in, b.let(s), lit("\n"), b.ends(depth, withLocals)},
		}
		if s == withLocals {
			a = append(a, seq{in, b.assign(s), lit("\n"), b.ends(depth, s)})
		}
		return append(a,
			seq{in, b.ifFalls(depth, s), lit("\n"), b.ends(depth, s)},
			seq{in, b.ifEnds(depth, s), lit("\n")},
		)
	})
}

// falls derives the statements of a block that some path leaves without a return.
func (b *builder) falls(depth int, s scope) expr {
	return b.scoped(fmt.Sprintf("falls-%d", depth), s, func() expr {
		in := indent(depth)
		a := alt{seq{in, b.let(s), lit("\n"), maybe(b.falls(depth, withLocals))}}
		if s == withLocals {
			a = append(a, seq{in, b.assign(s), lit("\n"), maybe(b.falls(depth, s))})
		}
		return append(a, seq{in, b.ifFalls(depth, s), lit("\n"), maybe(b.falls(depth, s))})
	})
}

func (b *builder) let(s scope) expr {
	return b.scoped("let", s, func() expr { return seq{lit("let "), b.local(), lit(" = "), b.value(s)} })
}

func (b *builder) assign(s scope) expr {
	return b.scoped("assign", s, func() expr {
		return seq{b.local(), alt{
			seq{lit(" = "), b.value(s)},
			seq{oneOf(" += ", " -= ", " *= ", " /= "), b.num(s)},
		}}
	})
}

// ifLine derives an if on one line, whose blocks are single returns, without its else.
func (b *builder) ifLine(s scope) expr {
	return b.scoped("if-line", s, func() expr {
		arm := seq{lit("if "), b.bool(s), lit(" { return "), b.result(s), lit(" }")}
		return append(arm, many(append(seq{lit(" else ")}, arm...)...))
	})
}

// ifFalls derives an if that some path leaves without a return.
func (b *builder) ifFalls(depth int, s scope) expr {
	a := alt{b.ifLine(s)}
	if depth < b.options.Depth {
		a = append(a, b.longIfFalls(depth, s))
	}
	return altOf(a)
}

// ifEnds derives an if of which every path returns.
func (b *builder) ifEnds(depth int, s scope) expr {
	a := alt{seq{b.ifLine(s), lit(" else { return "), b.result(s), lit(" }")}}
	if depth < b.options.Depth {
		a = append(a, b.longIfEnds(depth, s))
	}
	return altOf(a)
}

// longIfFalls derives an if of several lines. Where the first block falls the others may do as they like;
// where it returns, one of the others falls, or there is no else.
func (b *builder) longIfFalls(depth int, s scope) expr {
	return b.scoped(fmt.Sprintf("if-falls-%d", depth), s, func() expr {
		in := indent(depth)
		falls, ends := seq{b.falls(depth+1, s), in, lit("}")}, seq{b.ends(depth+1, s), in, lit("}")}
		either := alt{
			b.longIfFalls(depth, s), b.longIfEnds(depth, s),
			seq{lit("{\n"), alt{falls, ends}},
		}
		return seq{lit("if "), b.bool(s), lit(" {\n"), alt{
			append(falls, maybe(lit(" else "), either)),
			append(ends, maybe(lit(" else "), alt{b.longIfFalls(depth, s), append(seq{lit("{\n")}, falls...)})),
		}}
	})
}

func (b *builder) longIfEnds(depth int, s scope) expr {
	return b.scoped(fmt.Sprintf("if-ends-%d", depth), s, func() expr {
		ends := seq{b.ends(depth+1, s), indent(depth), lit("}")}
		return append(append(seq{lit("if "), b.bool(s), lit(" {\n")}, ends...),
			lit(" else "), alt{b.longIfEnds(depth, s), append(seq{lit("{\n")}, ends...)})
	})
}
