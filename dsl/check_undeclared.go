package dsl

import "strings"

// undeclared reports an assignment to what nothing declares. The name is known from there on, so that
// one mistake is one finding.
func (w *walk) undeclared(s *Assign, value typ) {
	name := s.Name.Text
	w.hoisted = append(w.hoisted, local{name: s.Name, typ: value, used: true})
	hint := didYouMean(name, w.assignable())
	var fix *Fix
	if s.Op == Set && !w.quick {
		fix = w.declaration(s, value)
		if hint == "" {
			hint = "declare it with let"
		} else {
			hint += " Otherwise declare it with let"
		}
	}
	w.report(s.Name.Span, CodeUndeclaredLocal, hint, fix, "assignment to undeclared local %q", name)
}

// declaration is the fix that declares the target of an assignment: there, if no other block needs it, else
// above the statement within which all of them lie, as a language without block scopes would have it.
func (w *walk) declaration(s *Assign, value typ) *Fix {
	name := s.Name.Text
	block, first := w.root, Stmt(nil)
	for {
		var users []Stmt
		for _, stmt := range block.Stmts {
			if mentions(stmt, name) {
				users = append(users, stmt)
			}
		}
		first = users[0]
		inner := onlyBlock(first, name)
		if len(users) > 1 || inner == nil {
			break
		}
		block = inner
	}
	if first == Stmt(s) {
		return insertFix("declare it with let", s.Start, "let ")
	}
	zero := "0"
	switch {
	case value == boolTyp:
		zero = "false"
	case value >= firstWordTyp:
		zero = w.voc.words(value)[0]
	}
	start := first.Range().Start
	return insertFix("declare it above", start, "let "+name+" = "+zero+"\n"+strings.Repeat(" ", max(0, start.Col-1)))
}

// mentions reports whether a statement, a block or an expression reads or writes a name.
func mentions(root Node, name string) bool {
	found := false
	visitTree(root, func(n Node, _ int) {
		switch n := n.(type) {
		case *Ref:
			found = found || n.Name == name
		case *Assign:
			found = found || n.Name.Text == name
		}
	})
	return found
}

// onlyBlock returns the one block of an if that mentions a name; nil if there are several, if a
// condition does, or if s is no if.
func onlyBlock(s Stmt, name string) *Block {
	n, ok := s.(*If)
	if !ok {
		return nil
	}
	var only *Block
	for _, part := range appendStmtChildren(nil, n) {
		if !mentions(part, name) {
			continue
		}
		block, ok := part.(*Block)
		if !ok || only != nil {
			return nil
		}
		only = block
	}
	return only
}

// assignable lists the names that an assignment may write here.
func (w *walk) assignable() []string {
	var names []string
	for _, l := range w.locals {
		names = append(names, l.name.Text)
	}
	if w.on {
		for name, sym := range w.voc.own {
			if sym.kind == stateSymbol {
				names = append(names, name)
			}
		}
	}
	return names
}
