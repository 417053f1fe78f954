package dsl

import (
	"fmt"
	"slices"
	"strings"
)

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
	declared int     // locals so far, in closed blocks too
	closed   []Ident // locals of closed blocks, for hints
	blocks   int
	chains   []*Binary // comparisons of comparisons that are reported
	missing  bool      // the last expression has a name or function that nothing declares
	ds       Diagnostics
}

func (w *walk) report(span Span, code, hint string, fix *Fix, format string, args ...any) {
	w.ds = append(w.ds, Diagnostic{Span: span, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, Fix: fix})
}

func (w *walk) done() bool { return w.quick && len(w.ds) > 0 }

// body checks a whole body: its statements, and that every path returns, or that none does in an on-hook.
func (w *walk) body(b *Block, what string) {
	returns := w.block(b)
	if !returns && !w.on && !w.done() {
		w.report(closingBrace(b), CodeMissingReturn, "end every path with return", nil, "%s does not return on every path", what)
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
		if !l.used && !w.quick {
			w.ds = append(w.ds, Diagnostic{
				Span: l.name.Span, Code: CodeUnusedLocal, Severity: Warning,
				Message: fmt.Sprintf("%q is never used", l.name.Text), Hint: "remove it",
			})
		}
		if !w.quick {
			w.closed = append(w.closed, l.name)
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
	if !ok {
		// What follows is checked as if it had been declared here, so that one mistake is one finding.
		if _, taken := w.lookup(name); !taken && !w.voc.open {
			w.declare(s.Name, value)
			w.locals[len(w.locals)-1].used = true
		}
		return
	}
	if s.Op == Set {
		w.want(s.Value, value, target, fmt.Sprintf("%q", name))
		return
	}
	op := s.Op.String()
	if target != numTyp && target != unknownTyp {
		w.report(s.Name.Span, CodeTypeMismatch, "", nil, "%q needs numbers, but %q is %s", op, name, w.voc.describe(target))
		return
	}
	w.want(s.Value, value, numTyp, fmt.Sprintf("the right side of %q", op))
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
	hint := didYouMean(name, w.assignable())
	var fix *Fix
	if s.Op == Set {
		fix = insertFix("declare it with let", s.Start, "let ")
		if hint == "" {
			hint = "declare it: let " + name + " = …"
		}
	}
	w.report(span, CodeUndeclaredLocal, hint, fix, "assignment to undeclared local %q", name)
	return unknownTyp, false
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

// explainNames reports every undefined name and function in an expression. want is the type that the
// place of e needs.
func (w *walk) explainNames(e Expr, want typ) {
	switch e := e.(type) {
	case *Ref:
		w.explainRef(e, want)
	case *Unary:
		w.explainNames(e.X, unknownTyp)
	case *Binary:
		wantX, wantY := unknownTyp, unknownTyp
		if e.Op == Eq || e.Op == Ne {
			wantX, wantY = w.wordTypeOf(e.Y), w.wordTypeOf(e.X)
		}
		w.explainNames(e.X, wantX)
		w.explainNames(e.Y, wantY)
	case *Cond:
		w.explainNames(e.If, boolTyp)
		w.explainNames(e.Then, want)
		w.explainNames(e.Else, want)
	case *Call:
		if !w.callable(e.Fn.Text) {
			w.explainCall(e)
		}
		for _, a := range e.Args {
			w.explainNames(a, numTyp)
		}
	}
}

// wordTypeOf returns the word set of a plain name, or unknownTyp.
func (w *walk) wordTypeOf(e Expr) typ {
	if ref, ok := e.(*Ref); ok {
		if sym, ok := w.lookup(ref.Name); ok && sym.typ >= firstWordTyp {
			return sym.typ
		}
	}
	return unknownTyp
}

// visibleNames lists what an expression may read here.
func (w *walk) visibleNames() []string {
	names := make([]string, 0, len(w.voc.symbols)+len(w.locals))
	for name := range w.voc.symbols {
		if _, ok := w.lookupShared(name); ok {
			names = append(names, name)
		}
	}
	for _, l := range w.locals {
		names = append(names, l.name.Text)
	}
	return names
}

func (w *walk) explainRef(e *Ref, want typ) {
	name := e.Name
	if _, ok := w.lookup(name); ok || w.voc.open {
		return
	}
	if words := w.voc.words(want); words != nil {
		w.report(e.Span, CodeUnknownWord, didYouMean(name, words), nil, "%q is not %s", name, w.voc.describe(want))
		return
	}
	if text, ok := constants[name]; ok {
		w.report(e.Span, CodeUndefinedName, "write "+text, replaceFix("write "+text, e.Span, text), "undefined name %q", name)
		return
	}
	hint, fix := w.hintForName(name)
	w.report(e.Span, CodeUndefinedName, hint, fix, "undefined name %q", name)
}

// constants are names that other languages have and the literals that say the same here.
var constants = map[string]string{
	"True": "true", "False": "false", "TRUE": "true", "FALSE": "false",
	"math.pi": "3.141592653589793", "math.e": "2.718281828459045", "math.tau": "6.283185307179586", "pi": "3.141592653589793",
}

// hintForName says what an undefined name was likely meant to be.
func (w *walk) hintForName(name string) (string, *Fix) {
	if sym, ok := w.voc.symbols[name]; ok && sym.kind == inputSymbol {
		var fix *Fix
		if w.listed != nil {
			fix = insertFix("list the input", w.listed.Span.End, ", "+name)
		}
		return "it is an input of the signature: list it in the rule's inputs", fix
	}
	if i := slices.IndexFunc(w.closed, func(id Ident) bool { return id.Text == name }); i >= 0 {
		return fmt.Sprintf("the local of that name%s ended with its block; declare it before the block", atLine(w.closed[i].Span)), nil
	}
	switch name {
	case "None", "null", "nil", "NaN", "nan", "inf", "math.inf", "math.nan":
		return "there is no such value: use a number", nil
	}
	if _, ok := functions[name]; ok {
		return name + " is a function: call it", nil
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return "names have no dots here", nil
	}
	return didYouMean(name, w.visibleNames()), nil
}

// renames are functions that other languages spell otherwise.
var renames = map[string]string{
	"ln": "log", "fabs": "abs", "Math.abs": "abs", "maximum": "max", "minimum": "min", "power": "pow", "clip": "clamp", "log1": "log1p",
}

// rewrites say how to write what the language has no function for.
var rewrites = map[string]string{
	"int": "numbers need no conversion; floor(x) rounds down", "float": "numbers need no conversion", "bool": "compare instead: x != 0",
	"round": "write floor(x + 0.5)", "log2": "write log(x) / 0.6931471805599453", "log10": "write log(x) / 2.302585092994046",
	"sigmoid": "write 1 / (1 + exp(-x))", "relu": "write max(x, 0)", "sign": "write x > 0 ? 1 : x < 0 ? -1 : 0", "expm1": "write exp(x) - 1",
	"sum": "write the sum out", "if": "write c ? a : b", "mod": "write a % b", "fmod": "write a % b", "square": "write x ** 2",
}

func (w *walk) explainCall(e *Call) {
	name := e.Fn.Text
	if _, ok := functions[name]; ok {
		w.report(e.Fn.Span, CodeForbiddenFunction, "allowed: "+strings.Join(w.allowedFunctions(), ", "), nil, "function %q is not allowed here", name)
		return
	}
	short := name[strings.LastIndexByte(name, '.')+1:]
	if to, ok := renames[short]; ok {
		w.report(e.Fn.Span, CodeUndefinedFunction, "write "+to, replaceFix("write "+to, e.Fn.Span, to), "undefined function %q", name)
		return
	}
	hint, ok := rewrites[short]
	if !ok {
		hint = didYouMean(short, w.allowedFunctions())
	}
	if sym, taken := w.lookup(name); taken && hint == "" {
		hint = fmt.Sprintf("%q is %s, not a function; write * to multiply", name, symbolNames[sym.kind])
	}
	if hint == "" {
		hint = "functions: " + strings.Join(w.allowedFunctions(), ", ")
	}
	w.report(e.Fn.Span, CodeUndefinedFunction, hint, nil, "undefined function %q", name)
}

func (w *walk) allowedFunctions() []string {
	names := FunctionNames()
	if w.voc.allowed == nil {
		return names
	}
	return slices.DeleteFunc(names, func(n string) bool { return !w.voc.allowed[n] })
}
