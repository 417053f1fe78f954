package dsl

import (
	"fmt"
	"sync"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// Names are resolved before an expression reaches CEL, so CEL sees of each only its type: a
// variable "num", "bool", "unknown" or "word0", "word1" and on. That makes its environment depend on
// nothing but the number of word sets, and lets one serve every rule of a signature.
// Only double, bool and word overloads exist, and none has a type parameter: "?:" over a
// parameter costs CEL two orders of magnitude on nested conditionals.

const (
	celPow     = "_**_"
	celPlus    = "+_"
	celUnknown = "unknown function"
)

var celOps = [...]string{
	Neg: operators.Negate, Plus: celPlus, Not: operators.LogicalNot, Or: operators.LogicalOr, And: operators.LogicalAnd,
	Eq: operators.Equals, Ne: operators.NotEquals, Lt: operators.Less, Le: operators.LessEquals, Gt: operators.Greater,
	Ge: operators.GreaterEquals, Add: operators.Add, Sub: operators.Subtract, Mul: operators.Multiply, Div: operators.Divide,
	Mod: operators.Modulo, Pow: celPow,
}

// celVariable names the variable that stands for every name of a type.
func celVariable(t typ) string {
	switch t {
	case unknownTyp:
		return "unknown"
	case numTyp:
		return "num"
	case boolTyp:
		return "bool"
	}
	return fmt.Sprintf("word%d", t-firstWordTyp)
}

// baseCEL is the environment of a signature without words. Nothing writes it after it is built.
var baseCEL = sync.OnceValue(func() *checker.Env { return newCEL(0) })

// newCEL declares the language to CEL, with as many word types as a signature has word sets. What it
// declares is fixed, so an error here is ours, and every test of the package meets it.
func newCEL(wordSets int) *checker.Env {
	env, err := checker.NewEnv(containers.DefaultContainer, types.NewEmptyRegistry())
	if err != nil {
		panic(err)
	}
	num, boolean := types.DoubleType, types.BoolType
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	variable := func(t typ, of *types.Type) { must(env.AddIdents(decls.NewVariable(celVariable(t), of))) }
	function := func(name string, overloads ...decls.FunctionOpt) {
		f, err := decls.NewFunction(name, overloads...)
		must(err)
		must(env.AddFunctions(f))
	}
	variable(unknownTyp, types.ErrorType)
	variable(numTyp, num)
	variable(boolTyp, boolean)
	values := []*types.Type{num, boolean}
	for i := range wordSets {
		word := types.NewOpaqueType(celVariable(firstWordTyp + typ(i)))
		variable(firstWordTyp+typ(i), word)
		values = append(values, word)
	}

	for op := Neg; op <= Pow; op++ {
		arg, result := num, num
		switch {
		case op == Eq || op == Ne:
			function(celOps[op], perType(celOps[op], values, func(t *types.Type) ([]*types.Type, *types.Type) {
				return []*types.Type{t, t}, boolean
			})...)
			continue
		case isOrdering(op):
			result = boolean
		case isLogical(op):
			arg, result = boolean, boolean
		}
		args := []*types.Type{arg, arg}
		if op <= Not {
			args = args[:1]
		}
		function(celOps[op], decls.Overload(celOps[op], args, result))
	}
	function(operators.Conditional, perType(operators.Conditional, values, func(t *types.Type) ([]*types.Type, *types.Type) {
		return []*types.Type{boolean, t, t}, t
	})...)
	for name, need := range functions {
		args := make([]*types.Type, need.min)
		for i := range args {
			args[i] = num
		}
		function(name, decls.Overload(name, args, num))
	}
	return env
}

// perType declares one overload for each type of value.
func perType(name string, values []*types.Type, shape func(*types.Type) ([]*types.Type, *types.Type)) []decls.FunctionOpt {
	var opts []decls.FunctionOpt
	for _, t := range values {
		args, result := shape(t)
		opts = append(opts, decls.Overload(name+"/"+t.TypeName(), args, result))
	}
	return opts
}

// celTyper types expressions by CEL's checker, which finds every error of an expression at once.
// It is for one goroutine; its environment is for all.
type celTyper struct {
	env   *checker.Env
	make  ast.ExprFactory
	nodes []celNode // by id - 1
}

// celNode pairs a node of the tree with what CEL was given for it, and its operands.
type celNode struct {
	source  Expr
	lowered ast.Expr
	args    []ast.Expr
}

func newCELTyper(env *checker.Env) *celTyper {
	return &celTyper{env: env, make: ast.NewExprFactory()}
}

func (t *celTyper) typeOf(w *walk, e Expr) typ {
	t.nodes = t.nodes[:0]
	root := t.lower(w, e)
	checked, errs := checker.Check(ast.NewAST(root, nil), nil, t.env)
	if len(errs.GetErrors()) > 0 {
		t.explain(w, checked)
	}
	return typeAt(checked, root)
}

// explain words each refusal. CEL gives the node, and the types of its operands say why. An operand
// of unknown type suits every overload, so one mistake is reported once.
func (t *celTyper) explain(w *walk, checked *ast.AST) {
	explained := map[Expr]bool{}
	for _, n := range t.nodes {
		_, isName := n.source.(*Ref)
		if isName || explained[n.source] || checked.GetType(n.lowered.ID()).Kind() != types.ErrorKind {
			continue
		}
		explained[n.source] = true
		args := make([]typ, len(n.args))
		for i, a := range n.args {
			args[i] = typeAt(checked, a)
		}
		w.mistyped(n.source, args)
	}
}

// typeAt translates the type that CEL found for a node.
func typeAt(checked *ast.AST, e ast.Expr) typ {
	found := checked.GetType(e.ID())
	switch found.Kind() {
	case types.DoubleKind:
		return numTyp
	case types.BoolKind:
		return boolTyp
	case types.OpaqueKind:
		var set int
		if _, err := fmt.Sscanf(found.TypeName(), "word%d", &set); err == nil {
			return firstWordTyp + typ(set)
		}
	}
	return unknownTyp
}

// lower translates an expression and remembers the node behind each id.
func (t *celTyper) lower(w *walk, e Expr) ast.Expr {
	switch e := e.(type) {
	case *Num:
		return t.node(e, t.make.NewLiteral(t.nextID(), types.Double(e.Value)))
	case *Bool:
		return t.node(e, t.make.NewLiteral(t.nextID(), types.Bool(e.Value)))
	case *Ref:
		return t.node(e, t.make.NewIdent(t.nextID(), celVariable(w.resolve(e.Name))))
	case *Unary:
		return t.call(e, celOps[e.Op], t.lower(w, e.X))
	case *Binary:
		w.chain(e)
		return t.call(e, celOps[e.Op], t.lower(w, e.X), t.lower(w, e.Y))
	case *Cond:
		return t.call(e, operators.Conditional, t.lower(w, e.If), t.lower(w, e.Then), t.lower(w, e.Else))
	}
	return t.lowerCall(w, e.(*Call))
}

func (t *celTyper) nextID() int64 { return int64(len(t.nodes) + 1) }

func (t *celTyper) node(source Expr, low ast.Expr, args ...ast.Expr) ast.Expr {
	t.nodes = append(t.nodes, celNode{source, low, args})
	return low
}

func (t *celTyper) call(source Expr, name string, args ...ast.Expr) ast.Expr {
	return t.node(source, t.make.NewCall(t.nextID(), name, args...), args...)
}

// lowerCall translates a call. CEL has no functions of any number of arguments, so min(a, b, c)
// becomes min(min(a, b), c), every part of it the same node of the tree.
func (t *celTyper) lowerCall(w *walk, e *Call) ast.Expr {
	args := make([]ast.Expr, len(e.Args))
	for i, a := range e.Args {
		args[i] = t.lower(w, a)
	}
	name := e.Fn.Text
	if !w.callable(name) {
		return t.call(e, celUnknown, args...)
	}
	need := functions[name]
	if need.max >= 0 || len(args) <= need.min {
		return t.call(e, name, args...)
	}
	low := args[0]
	for _, a := range args[1:] {
		low = t.node(e, t.make.NewCall(t.nextID(), name, low, a), args...)
	}
	return low
}
