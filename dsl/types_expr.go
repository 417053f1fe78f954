package dsl

import (
	"reflect"
	"sync"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/conf"
	exprparser "github.com/expr-lang/expr/parser"
	exprtypes "github.com/expr-lang/expr/types"
)

// As for CEL (types_cel.go), expr sees of each name only its type, and its configuration depends on
// nothing but the number of word sets. expr is some seven times faster and stops at the first
// error, which suits trees that a program built: there a refusal is a defect of the builder.

var (
	exprNum  = reflect.TypeFor[float64]()
	exprBool = reflect.TypeFor[bool]()
)

// exprOps are the operators under names whose typing in expr is that of ours: its "%" is for
// integers only, so ours is checked as a division.
var exprOps = [...]string{
	Neg: "-", Plus: "+", Not: "!", Or: "||", And: "&&", Eq: "==", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=",
	Add: "+", Sub: "-", Mul: "*", Div: "/", Mod: "/", Pow: "**",
}

// exprWord is the Go type that stands for a word set: a type of its own, on which expr knows
// nothing but equality.
func exprWord(set int) reflect.Type {
	return reflect.ChanOf(reflect.BothDir, reflect.ArrayOf(set, exprBool))
}

// exprEnv is what expr is told about a signature. Checks only read it.
type exprEnv struct {
	config *conf.Config
	types  []reflect.Type // by typ
	names  []string       // by typ
}

// baseExpr is the environment of a signature without words.
var baseExpr = sync.OnceValue(func() *exprEnv { return newExprEnv(0) })

func newExprEnv(wordSets int) *exprEnv {
	env := &exprEnv{types: []reflect.Type{nil, exprNum, exprBool}}
	for set := range wordSets {
		env.types = append(env.types, exprWord(set))
	}
	variables := exprtypes.Map{}
	for t := range env.types {
		env.names = append(env.names, celVariable(typ(t)))
		if t > 0 {
			variables[env.names[t]] = exprtypes.TypeOf(reflect.Zero(env.types[t]).Interface())
		}
	}
	env.config = &conf.Config{Functions: conf.FunctionsTable{}}
	env.config.WithEnv(variables)
	for name, need := range functions {
		in := make([]reflect.Type, need.min)
		for i := range in {
			in[i] = exprNum
		}
		if need.max < 0 {
			in = append(in, reflect.SliceOf(exprNum))
		}
		f := reflect.FuncOf(in, []reflect.Type{exprNum}, need.max < 0)
		env.config.Functions[name] = &builtin.Function{Name: name, Types: []reflect.Type{f}}
	}
	return env
}

// exprTyper types expressions by expr's checker. It is for one goroutine; its environment is for all.
type exprTyper struct {
	env     *exprEnv
	checker checker.Checker
	conds   []*ast.ConditionalNode
	// All leaves of one type are one node: expr notes nothing in a node but its type.
	number ast.FloatNode
	truth  ast.BoolNode
	leaves []ast.IdentifierNode // by typ
}

func newExprTyper(env *exprEnv) *exprTyper {
	t := &exprTyper{env: env, leaves: make([]ast.IdentifierNode, len(env.names))}
	for i, name := range env.names {
		t.leaves[i].Value = name
	}
	return t
}

func (t *exprTyper) typeOf(w *walk, e Expr) typ {
	t.conds = t.conds[:0]
	tree := exprparser.Tree{Node: t.lower(w, e)}
	if w.missing {
		return unknownTyp // explained by the walk
	}
	found, err := t.checker.Check(&tree, t.env.config)
	if err != nil {
		w.report(e.Range(), CodeTypeMismatch, "", nil, "%s", err)
		return unknownTyp
	}
	// expr lets the branches of "?:" differ and calls the result unknown.
	for _, c := range t.conds {
		if !t.known(c.Type()) {
			w.report(e.Range(), CodeTypeMismatch, "", nil, `the branches of "?:" differ: %s and %s`, c.Exp1.Type(), c.Exp2.Type())
			return unknownTyp
		}
	}
	for i, known := range t.env.types {
		if i > 0 && known == found {
			return typ(i)
		}
	}
	return unknownTyp
}

func (t *exprTyper) known(found reflect.Type) bool {
	for _, known := range t.env.types[1:] {
		if known == found {
			return true
		}
	}
	return false
}

func (t *exprTyper) lower(w *walk, e Expr) ast.Node {
	switch e := e.(type) {
	case *Num:
		return &t.number
	case *Bool:
		return &t.truth
	case *Ref:
		return &t.leaves[w.resolve(e.Name)]
	case *Unary:
		return &ast.UnaryNode{Operator: exprOps[e.Op], Node: t.lower(w, e.X)}
	case *Binary:
		return &ast.BinaryNode{Operator: exprOps[e.Op], Left: t.lower(w, e.X), Right: t.lower(w, e.Y)}
	case *Cond:
		n := &ast.ConditionalNode{Cond: t.lower(w, e.If), Exp1: t.lower(w, e.Then), Exp2: t.lower(w, e.Else)}
		t.conds = append(t.conds, n)
		return n
	}
	call := e.(*Call)
	w.callable(call.Fn.Text)
	n := &ast.CallNode{Callee: &ast.IdentifierNode{Value: call.Fn.Text}, Arguments: make([]ast.Node, len(call.Args))}
	for i, a := range call.Args {
		n.Arguments[i] = t.lower(w, a)
	}
	return n
}
