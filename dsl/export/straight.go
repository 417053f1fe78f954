package export

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agentdescent/adrun/dsl"
)

// straight is a rule without assignments and ifs: definitions in order, each of a name of its own, and the result. What an if
// decides stands in conditional expressions, of which the first whose condition holds counts. All definitions may be evaluated,
// since none has an effect.
type straight struct {
	lets   []*dsl.Let
	result dsl.Expr
	// names tells which value of which local a name is.
	names map[string]localValue
}

// localValue is the n-th value of a local, from 1.
type localValue struct {
	local string
	n     int
}

// straighten turns statements into definitions: an assignment defines the next value of a local, and after an if each local
// that an arm assigned has a value that depends on the conditions. The result grows with the statements times the locals that
// they assign, never with the paths through them.
func straighten(f *function) straight {
	s := &straightener{out: straight{names: map[string]localValue{}}, order: f.order, count: map[string]int{}, current: map[string]string{}}
	s.block(f.rule.Body, nil)
	s.out.result = choice(s.results)
	return s.out
}

type straightener struct {
	out     straight
	results []alternativeValue // the returns in the order of the text
	order   []string           // the locals in the order of the text
	count   map[string]int     // values so far, by local
	current map[string]string  // the name of the value that a local has here
}

// alternativeValue is a value and when it counts, if none before it does; nil is always.
type alternativeValue struct{ value, when dsl.Expr }

// choice is the first alternative that counts. The last counts where no other does.
func choice(list []alternativeValue) dsl.Expr {
	e := list[len(list)-1].value
	for _, a := range slices.Backward(list[:len(list)-1]) {
		if a.when == nil {
			e = a.value
			continue
		}
		e = &dsl.Cond{If: a.when, Then: a.value, Else: e}
	}
	return e
}

// define gives a local its next value.
func (s *straightener) define(local string, value dsl.Expr) {
	s.count[local]++
	name := local
	if n := s.count[local]; n > 1 {
		name = fmt.Sprintf("%s'%d", local, n) // no name of the language
	}
	s.out.names[name] = localValue{local, s.count[local]}
	s.out.lets = append(s.out.lets, &dsl.Let{Name: dsl.Ident{Text: name}, Value: value})
	s.current[local] = name
}

// block adds the statements of a block, which runs where all of path hold, and reports whether all its paths return.
func (s *straightener) block(b *dsl.Block, path []dsl.Expr) bool {
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *dsl.Let:
			s.define(stmt.Name.Text, s.expr(stmt.Value))
		case *dsl.Assign:
			value := s.expr(stmt.Value)
			if op, compound := compoundOps[stmt.Op]; compound {
				value = &dsl.Binary{Op: op, X: &dsl.Ref{Name: s.current[stmt.Name.Text]}, Y: value}
			}
			s.define(stmt.Name.Text, value)
		case *dsl.Return:
			s.ret(s.expr(stmt.Value), path)
			return true
		case *dsl.If:
			if s.branches(stmt, path) {
				return true
			}
		}
	}
	return false
}

// compoundOps are what compound assignments compute.
var compoundOps = map[dsl.AssignOp]dsl.Op{dsl.AddSet: dsl.Add, dsl.SubSet: dsl.Sub, dsl.MulSet: dsl.Mul, dsl.DivSet: dsl.Div}

// ret adds a result; a conditional one as the alternatives that it is.
func (s *straightener) ret(e dsl.Expr, path []dsl.Expr) {
	for {
		c, ok := e.(*dsl.Cond)
		if !ok {
			break
		}
		s.results = append(s.results, alternativeValue{c.Then, conjunction(slices.Concat(path, []dsl.Expr{c.If}))})
		e = c.Else
	}
	s.results = append(s.results, alternativeValue{e, conjunction(path)})
}

// branches adds the arms of an if, then what they leave in the locals.
func (s *straightener) branches(stmt *dsl.If, path []dsl.Expr) bool {
	before := s.current
	var ends []map[string]string // the locals at the end of each arm that goes on
	var whens, refused []dsl.Expr
	all := stmt.Else != nil
	for _, arm := range stmt.Arms {
		cond := s.expr(arm.Cond)
		s.current = maps.Clone(before)
		if !s.block(arm.Body, slices.Concat(path, refused, []dsl.Expr{cond})) {
			all = false
			ends, whens = append(ends, s.current), append(whens, cond)
			// Where this arm goes on, no later one runs. Where it returns, its results come first.
			refused = append(refused, &dsl.Unary{Op: dsl.Not, X: cond})
		}
		s.current = before
	}
	last := before
	if stmt.Else != nil {
		s.current = maps.Clone(before)
		if !s.block(stmt.Else, slices.Concat(path, refused)) {
			all = false
			last = s.current
		}
	}
	s.current = maps.Clone(before)
	s.join(ends, whens, last, before)
	return all
}

// join defines, for each local whose value differs between the ends of the arms, the value after them.
func (s *straightener) join(ends []map[string]string, whens []dsl.Expr, last, before map[string]string) {
	for _, local := range s.order {
		old, visible := before[local]
		if !visible {
			continue
		}
		var list []alternativeValue
		changed := last[local] != old
		for i, end := range ends {
			list = append(list, alternativeValue{&dsl.Ref{Name: end[local]}, whens[i]})
			changed = changed || end[local] != old
		}
		for len(list) > 1 && ends[len(list)-1][local] == last[local] { // the rest says the same
			list = list[:len(list)-1]
		}
		if changed {
			s.define(local, choice(append(list, alternativeValue{value: &dsl.Ref{Name: last[local]}})))
		}
	}
}

// conjunction holds where all of the list do; nil for an empty list.
func conjunction(list []dsl.Expr) dsl.Expr {
	var all dsl.Expr
	for _, e := range list {
		if all == nil {
			all = e
			continue
		}
		all = &dsl.Binary{Op: dsl.And, X: all, Y: e}
	}
	return all
}

// expr is e with the names of the values that locals have here.
func (s *straightener) expr(e dsl.Expr) dsl.Expr {
	switch e := e.(type) {
	case *dsl.Ref:
		if name, ok := s.current[e.Name]; ok {
			return &dsl.Ref{Name: name}
		}
	case *dsl.Unary:
		return &dsl.Unary{Op: e.Op, X: s.expr(e.X)}
	case *dsl.Binary:
		return &dsl.Binary{Op: e.Op, X: s.expr(e.X), Y: s.expr(e.Y)}
	case *dsl.Cond:
		return &dsl.Cond{If: s.expr(e.If), Then: s.expr(e.Then), Else: s.expr(e.Else)}
	case *dsl.Call:
		c := &dsl.Call{Fn: e.Fn}
		for _, a := range e.Args {
			c.Args = append(c.Args, s.expr(a))
		}
		return c
	}
	return e
}
