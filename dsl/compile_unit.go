package dsl

import (
	"fmt"
	"math"
)

// unit is one function of the language with its names resolved: a rule bound to a signature, or a hook bound to its
// declaration. It is what the compiler and the reference evaluator have in common; from here on they share nothing.
type unit struct {
	what   string // "rule priority" or "hook weight", for errors
	inputs []*Input
	result Type
	names  map[string]meaning // everything but locals
	states []*State
	on     bool // may write states, returns nothing
	body   *Block
}

// meaning is what a name stands for: an argument, a state, or a known value (a param, or the index of a word).
type meaning struct {
	kind  meaningKind
	index int
	value float64
}

type meaningKind uint8

const (
	isInput meaningKind = iota
	isState
	isValue
)

// ruleUnit resolves the names of r, which reads the inputs of its list, or all where it has none.
func ruleUnit(r *Rule, sig *Signature) (*unit, error) {
	if r == nil || sig == nil {
		return nil, fmt.Errorf("compile: a rule and a signature are needed")
	}
	u := &unit{what: "rule " + r.Name.Text, inputs: sig.Inputs, result: sig.Result, body: r.Body}
	if err := u.bind(r.Inputs, r.HasInputs); err != nil {
		return nil, err
	}
	return u, checkTree(u.what, u.body)
}

// hookUnit resolves the names of a hook. params are the values of the policy's params in order; nil means its own.
func hookUnit(p *Policy, h *Hook, decl *HookDecl, params []float64) (*unit, error) {
	if p == nil || h == nil || decl == nil {
		return nil, fmt.Errorf("compile: a policy, its hook and the hook's declaration are needed")
	}
	u := &unit{what: "hook " + h.Name.Text, inputs: decl.Inputs, result: decl.Result, states: p.States, on: decl.On, body: h.Body}
	if h.On != decl.On {
		return nil, fmt.Errorf("compile %s: the slot and the policy disagree whether it is an on hook", u.what)
	}
	if params != nil && len(params) != len(p.Params) {
		return nil, fmt.Errorf("compile %s: %d params given, the policy has %d", u.what, len(params), len(p.Params))
	}
	if err := u.bind(h.Inputs, h.HasInputs); err != nil {
		return nil, err
	}
	for i, q := range p.Params {
		value := q.Value
		if params != nil {
			value = params[i]
		}
		u.names[q.Name.Text] = meaning{kind: isValue, value: value}
	}
	for i, s := range p.States {
		u.names[s.Name.Text] = meaning{kind: isState, index: i}
	}
	return u, checkTree(u.what, u.body)
}

// bind enters the words and the visible inputs.
func (u *unit) bind(list []Ident, listed bool) error {
	u.names = make(map[string]meaning, len(u.inputs)+len(u.result.Words))
	if err := u.bindWords(u.result); err != nil {
		return err
	}
	all := make(map[string]int, len(u.inputs))
	for i, in := range u.inputs {
		if in == nil {
			return fmt.Errorf("compile %s: input %d is missing", u.what, i)
		}
		if err := u.bindWords(in.Type); err != nil {
			return err
		}
		all[in.Name.Text] = i
	}
	if !listed {
		for name, i := range all {
			u.names[name] = meaning{kind: isInput, index: i}
		}
		return nil
	}
	for _, id := range list {
		i, ok := all[id.Text]
		if !ok {
			return fmt.Errorf("compile %s: the signature has no input %q", u.what, id.Text)
		}
		u.names[id.Text] = meaning{kind: isInput, index: i}
	}
	return nil
}

// bindWords enters the words of t. Sets of one signature are equal or disjoint; a word must have the same index in each
// set that holds it, or values of the two could not be compared.
func (u *unit) bindWords(t Type) error {
	for i, w := range t.Words {
		s := meaning{kind: isValue, value: float64(i)}
		if old, ok := u.names[w]; ok && old != s {
			return fmt.Errorf("compile %s: word %q stands at two places; list the words in one order everywhere", u.what, w)
		}
		u.names[w] = s
	}
	return nil
}

// Bounds of a tree that checkTree accepts. They stand far above every Limits; they are here so that a tree built wrong (a
// cycle, above all) is an error rather than an exhausted stack.
const (
	maxTreeNodes = 1 << 20
	maxTreeDepth = 20_000
)

// checkTree reports whether the evaluators can walk body: nothing missing, known operators and functions, the right number
// of arguments. Names and types are not its concern.
func checkTree(what string, body *Block) error {
	type item struct {
		n     Node
		depth int
	}
	stack := []item{{body, 0}}
	var kids []Node
	for count := 0; len(stack) > 0; count++ {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if fault := faultAt(top.n); fault != "" {
			return fmt.Errorf("compile %s: %s", what, fault)
		}
		if count > maxTreeNodes || top.depth > maxTreeDepth {
			return fmt.Errorf("compile %s: the tree is larger than %d nodes or deeper than %d", what, maxTreeNodes, maxTreeDepth)
		}
		kids = appendChildren(kids[:0], top.n)
		for _, k := range kids {
			stack = append(stack, item{k, top.depth + 1})
		}
	}
	return nil
}

// faultAt says what is wrong with n itself, "" if nothing is.
func faultAt(n Node) string {
	switch n := n.(type) {
	case *Block:
		return missing(n == nil)
	case *Let:
		return missing(n == nil)
	case *Assign:
		if n != nil && n.Op > DivSet {
			return "unknown assignment operator"
		}
		return missing(n == nil)
	case *Return:
		return missing(n == nil)
	case *If:
		return faultOfIf(n)
	case Expr:
		return faultOfExpr(n)
	}
	return missing(true)
}

func missing(is bool) string {
	if is {
		return "a statement or an expression is missing from the tree"
	}
	return ""
}

func faultOfIf(n *If) string {
	if n == nil || len(n.Arms) == 0 {
		return missing(true)
	}
	for _, arm := range n.Arms {
		if arm == nil || arm.Body == nil {
			return missing(true)
		}
	}
	return ""
}

func faultOfExpr(n Expr) string {
	switch n := n.(type) {
	case *Num:
		if n != nil && (math.IsNaN(n.Value) || math.IsInf(n.Value, 0)) {
			return "a literal is not finite"
		}
		return missing(n == nil)
	case *Bool:
		return missing(n == nil)
	case *Ref:
		return missing(n == nil)
	case *Unary:
		if n != nil && (n.Op < Neg || n.Op > Not) {
			return "unknown unary operator"
		}
		return missing(n == nil)
	case *Binary:
		if n != nil && (n.Op < Or || n.Op > Pow) {
			return "unknown binary operator"
		}
		return missing(n == nil)
	case *Cond:
		return missing(n == nil)
	case *Call:
		if n == nil {
			return missing(true)
		}
		if !takes(n.Fn.Text, len(n.Args)) {
			return fmt.Sprintf("no function %q of %d arguments", n.Fn.Text, len(n.Args))
		}
	}
	return ""
}

// takes reports whether there is a function of that name with n arguments.
func takes(fn string, n int) bool {
	want, ok := functions[fn]
	return ok && n >= want.min && (n <= want.max || want.max < 0)
}
