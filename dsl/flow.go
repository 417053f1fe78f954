package dsl

import "fmt"

// typer finds the type of one expression. Names are already the walk's: the typer asks w.lookup for
// each, and reports through w what it finds wrong. There are two: CEL's checker for texts, expr's for built trees.
type typer interface {
	typeOf(w *walk, e Expr) typ
}

// local is a local that is visible where the walk stands.
type local struct {
	name  Ident
	typ   typ
	block int // how many blocks were open at its declaration
	used  bool
}

// walk goes through a body once, statement by statement: flow, scopes, words and the types of
// statements are its own, the types of expressions its typer's.
type walk struct {
	voc     *vocabulary
	typer   typer
	limits  Limits
	visible []bool // by input; nil means all
	listed  *Ident // the last name of the written input list, nil if there is none
	on      bool   // an on-hook: writes state, returns nothing
	quick   bool   // a built tree: the first finding is enough

	locals   []local
	declared int         // locals so far, in closed blocks too
	closed   []Ident     // locals of closed blocks, for hints
	unused   Diagnostics // warnings, worth a look where there is no error
	blocks   int
	chains   map[*Binary]bool // comparisons of comparisons that are reported
	hoisted  []local          // locals that nothing declares but that are reported, visible everywhere
	root     *Block
	missing  bool // the last expression has a name or function that nothing declares
	ds       Diagnostics
}

func (w *walk) report(span Span, code, hint string, fix *Fix, format string, args ...any) {
	w.ds = append(w.ds, Diagnostic{Span: span, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, Fix: fix})
}

// done reports that nothing more is to be found out.
func (w *walk) done() bool { return w.quick && len(w.ds) > 0 || w.declared > w.limits.Locals }

// body checks a whole body: its statements, and that every path returns, or that none does in an on-hook.
func (w *walk) body(b *Block, what string) {
	w.root = b
	returns := w.block(b)
	if !returns && !w.on && !w.done() {
		w.report(closingBrace(b), CodeMissingReturn, "end every path with return", nil, "%s does not return on every path", what)
	}
	if !w.ds.HasErrors() {
		w.ds = append(w.ds, w.unused...)
	}
}

// closingBrace is where the reader looks for what a block lacks at its end.
func closingBrace(b *Block) Span {
	if b.IsZero() {
		return b.Span
	}
	start := b.Span.End
	start.Offset--
	start.Col--
	return Span{Start: start, End: b.Span.End}
}

// block checks statements in a scope of their own and reports whether every path through them returns.
func (w *walk) block(b *Block) bool {
	w.blocks++
	mark := len(w.locals)
	returned, reported := false, false
	for _, s := range b.Stmts {
		if returned && !reported {
			reported = true
			last := b.Stmts[len(b.Stmts)-1].Range()
			w.report(Span{Start: s.Range().Start, End: last.End}, CodeUnreachable, "remove it, or move it before the return", nil, "code after a return never runs")
		}
		if w.statement(s) {
			returned = true
		}
		if w.done() {
			return returned
		}
	}
	w.closeScope(mark)
	w.blocks--
	return returned
}

// closeScope forgets the locals from mark on.
func (w *walk) closeScope(mark int) {
	for _, l := range w.locals[mark:] {
		if w.quick {
			break
		}
		w.closed = append(w.closed, l.name)
		if !l.used {
			w.unused = append(w.unused, Diagnostic{
				Span: l.name.Span, Code: CodeUnusedLocal, Severity: Warning,
				Message: fmt.Sprintf("%q is never used", l.name.Text), Hint: "remove it",
			})
		}
	}
	w.locals = w.locals[:mark]
}

// statement checks one statement and reports whether every path through it returns.
func (w *walk) statement(s Stmt) bool {
	switch s := s.(type) {
	case *Let:
		w.let(s)
	case *Assign:
		w.assign(s)
	case *Return:
		w.returnStmt(s)
		return true
	case *If:
		return w.ifStmt(s)
	}
	return false
}

func (w *walk) let(s *Let) {
	t := w.expr(s.Value, unknownTyp)
	if w.shadows(s) {
		return
	}
	w.declare(s.Name, t)
}

// declare makes a local visible and counts it.
func (w *walk) declare(name Ident, t typ) {
	w.declared++
	if w.declared == w.limits.Locals+1 {
		w.report(name.Span, CodeTooManyLocals, "", nil, "more than %d locals", w.limits.Locals)
	}
	w.locals = append(w.locals, local{name: name, typ: t, block: w.blocks})
}

// shadows reports a let whose name is taken.
func (w *walk) shadows(s *Let) bool {
	name := s.Name
	if l := w.findLocal(name.Text); l != nil {
		var fix *Fix
		if l.block == w.blocks {
			fix = deleteFix("assign to it again", Span{Start: s.Start, End: name.Start})
		}
		hint := "choose another name, or assign to it without let"
		w.report(name.Span, CodeShadowing, hint, fix, "%q is already a local%s", name.Text, atLine(l.name.Span))
		return true
	}
	if _, ok := functions[name.Text]; ok {
		w.report(name.Span, CodeShadowing, "choose another name", nil, "%q is the name of a function", name.Text)
		return true
	}
	if sym, ok := w.lookupShared(name.Text); ok {
		w.report(name.Span, CodeShadowing, "choose another name", nil, "%q is already %s", name.Text, symbolNames[sym.kind])
		return true
	}
	if w.quick && !validName(name.Text) {
		w.report(name.Span, CodeInvalidName, "", nil, "%q is not a name", name.Text)
		return true
	}
	return false
}

func atLine(s Span) string {
	if s.IsZero() {
		return ""
	}
	return fmt.Sprintf(", declared at line %d", s.Start.Line)
}

func (w *walk) assign(s *Assign) {
	name := s.Name.Text
	target, ok := w.target(s)
	value := w.expr(s.Value, target)
	switch {
	case !ok:
		if _, taken := w.lookup(name); !taken && functions[name] == (arity{}) {
			w.undeclared(s, value)
		}
	case s.Op == Set:
		w.want(s.Value, value, target, fmt.Sprintf("%q", name))
	case target != numTyp && target != unknownTyp:
		w.report(s.Name.Span, CodeTypeMismatch, "", nil, "%q needs numbers, but %q is %s", s.Op.String(), name, w.voc.describe(target))
	default:
		w.want(s.Value, value, numTyp, fmt.Sprintf("the right side of %q", s.Op.String()))
	}
}

// target returns the type of what an assignment writes; ok is false, and the reason reported, if it may not.
func (w *walk) target(s *Assign) (typ, bool) {
	name, span := s.Name.Text, s.Name.Span
	if l := w.findLocal(name); l != nil {
		return l.typ, true
	}
	if sym, ok := w.lookupShared(name); ok {
		switch sym.kind {
		case stateSymbol:
			if w.on {
				return sym.typ, true
			}
			w.report(span, CodeStateWrite, "write it in an on hook", nil, "state %q can only be written in an on hook", name)
		case inputSymbol:
			w.report(span, CodeAssignToInput, "let a local hold the new value", nil, "cannot assign to %q: it is an input", name)
		case paramSymbol:
			w.report(span, CodeAssignToParam, "let a local hold the new value", nil, "cannot assign to %q: it is a param", name)
		default:
			w.report(span, CodeAssignToWord, "choose another name", nil, "cannot assign to %q: it is %s", name, symbolNames[sym.kind])
		}
		return unknownTyp, false
	}
	if _, ok := functions[name]; ok {
		w.report(span, CodeAssignToWord, "choose another name", nil, "cannot assign to %q: it is a function", name)
		return unknownTyp, false
	}
	return unknownTyp, false
}

func (w *walk) returnStmt(s *Return) {
	if w.on {
		w.report(s.Span, CodeHookReturn, "write states instead", nil, "an on hook returns nothing")
		return
	}
	w.want(s.Value, w.expr(s.Value, w.voc.result), w.voc.result, "the result")
}

func (w *walk) ifStmt(s *If) bool {
	returns := s.Else != nil
	for _, arm := range s.Arms {
		w.want(arm.Cond, w.expr(arm.Cond, boolTyp), boolTyp, `the condition of "if"`)
		if w.done() {
			return false
		}
		if !w.block(arm.Body) {
			returns = false
		}
		if w.done() {
			return false
		}
	}
	if s.Else != nil && !w.block(s.Else) {
		returns = false
	}
	return returns
}

// want reports a value whose type is not the one that its place needs.
func (w *walk) want(e Expr, got, want typ, place string) {
	if got == want || got == unknownTyp || want == unknownTyp {
		return
	}
	w.mismatch(e, got, want, fmt.Sprintf("%s must be %s, not %s", place, w.voc.describe(want), w.voc.describe(got)))
}

// expr returns the type of an expression after reporting what is wrong in it. want is what its place
// needs, unknownTyp if anything will do; it only guides the messages.
func (w *walk) expr(e Expr, want typ) typ {
	if w.done() {
		return unknownTyp
	}
	w.missing = false
	t := w.typer.typeOf(w, e)
	if w.missing {
		w.explainNames(e, want)
	}
	return t
}

// lookup returns what a name stands for, and remembers that nothing declares it or that it is read.
func (w *walk) lookup(name string) (symbol, bool) {
	if l := w.findLocal(name); l != nil {
		l.used = true
		return symbol{kind: localSymbol, typ: l.typ}, true
	}
	return w.lookupShared(name)
}

// lookupShared looks among the names of the signature and the policy that the body may use.
func (w *walk) lookupShared(name string) (symbol, bool) {
	if sym, ok := w.voc.own[name]; ok {
		return sym, true
	}
	sym, ok := w.voc.symbols[name]
	if ok && sym.kind == inputSymbol && w.visible != nil && !w.visible[sym.input] {
		return symbol{}, false
	}
	return sym, ok
}

func (w *walk) findLocal(name string) *local {
	for i := len(w.locals) - 1; i >= 0; i-- {
		if w.locals[i].name.Text == name {
			return &w.locals[i]
		}
	}
	for i := range w.hoisted {
		if w.hoisted[i].name.Text == name {
			return &w.hoisted[i]
		}
	}
	return nil
}

// resolve returns the type of a name in an expression; a name that nothing declares is unknown and
// is explained after the expression.
func (w *walk) resolve(name string) typ {
	sym, ok := w.lookup(name)
	if !ok {
		w.missing = w.missing || !w.voc.open
		return unknownTyp
	}
	return sym.typ
}

// callable reports whether a function may be called; one that may not is explained after the expression.
func (w *walk) callable(name string) bool {
	_, ok := functions[name]
	if ok && w.voc.allowed != nil {
		ok = w.voc.allowed[name]
	}
	if !ok {
		w.missing = true
	}
	return ok
}
