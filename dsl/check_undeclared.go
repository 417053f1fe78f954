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

// mentions reports whether a statement reads or writes a name.
func mentions(s Stmt, name string) bool {
	found := false
	walkBody(&Block{Stmts: []Stmt{s}}, func(s Stmt) {
		if a, ok := s.(*Assign); ok && a.Name.Text == name {
			found = true
		}
	}, func(e Expr) {
		if ref, ok := e.(*Ref); ok && ref.Name == name {
			found = true
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
	for _, b := range append(armBlocks(n), n.Else) {
		if b == nil || !mentions(&If{Else: b}, name) {
			continue
		}
		if only != nil {
			return nil
		}
		only = b
	}
	for _, arm := range n.Arms {
		if mentions(&Return{Value: arm.Cond}, name) {
			return nil
		}
	}
	return only
}

func armBlocks(n *If) []*Block {
	var blocks []*Block
	for _, arm := range n.Arms {
		blocks = append(blocks, arm.Body)
	}
	return blocks
}

// assignable lists the names that an assignment may write here.
func (w *walk) assignable() []string {
	var names []string
	for _, l := range w.locals {
		names = append(names, l.name.Text)
	}
	if w.on {
		for name, sym := range w.voc.symbols {
			if sym.kind == stateSymbol {
				names = append(names, name)
			}
		}
	}
	return names
}
