package dsl

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

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

// readable lists what an expression may read here, and the inputs that it could if they were listed.
func (w *walk) readable() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(w.voc.symbols)), maps.Keys(w.voc.own))
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
	return didYouMean(name, w.readable()), nil
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
