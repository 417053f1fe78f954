package dsl

// Ops counts the operator and call nodes of n as LANGUAGE.md section 10 does: each binary operator, unary minus on
// anything but a literal, !, each ?:, each if or elif condition, each call (min and max of k arguments: k - 1) and each
// compound assignment. A policy's ops are those of all its hooks. Nothing is simplified first.
func Ops(n Node) int {
	ops := 0
	visitTree(n, func(n Node, _ int) { ops += opsAt(n) })
	return ops
}

// opsAt is what n adds to the count of its parent.
func opsAt(n Node) int {
	switch n := n.(type) {
	case *Unary:
		_, literal := n.X.(*Num)
		if n.Op == Plus || n.Op == Neg && literal {
			return 0
		}
		return 1
	case *Binary, *Cond:
		return 1
	case *Call:
		if isFold(n.Fn.Text) {
			return max(len(n.Args)-1, 0)
		}
		return 1
	case *If:
		return len(n.Arms)
	case *Assign:
		if n.Op != Set {
			return 1
		}
	}
	return 0
}

// isFold reports the functions that take two or more arguments and fold them from the left.
func isFold(name string) bool { return name == "min" || name == "max" }

// Cost describes what a rule costs to run and to read.
type Cost struct {
	Rule     string // name
	Ops      int    // as Ops counts
	Nodes    int    // as Ops, but a call of min or max is one node whatever its arguments
	Depth    int    // operators and calls on the longest path down one expression; 0 for a bare name
	Calls    int    // calls of functions
	Inputs   int    // distinct inputs the text reads; without an input list, words count too
	Bytes    int    // of the canonical text
	Identity string // see Identity
}

// Measure returns the cost of r.
func Measure(r *Rule) Cost {
	c := Cost{Rule: r.Name.Text, Identity: Identity(r), Bytes: len(FormatRule(r))}
	visitTree(r.Body, func(n Node, depth int) {
		ops := opsAt(n)
		c.Ops += ops
		if call, ok := n.(*Call); ok {
			c.Calls++
			if isFold(call.Fn.Text) {
				ops = 1
			}
		}
		c.Nodes += ops
		c.Depth = max(c.Depth, depth)
	})
	c.Inputs = inputsRead(r)
	return c
}

// inputsRead counts the inputs that the text of r reads. A rule without an input list does not say what is an input: each
// name that is no local counts, words too; Info.InputsRead knows better.
func inputsRead(r *Rule) int {
	if r.HasInputs {
		names := make([]string, len(r.Inputs))
		for i, in := range r.Inputs {
			names[i] = in.Text
		}
		return len(NamesRead(r.Body, names))
	}
	names := map[string]bool{}
	visitTree(r.Body, func(n Node, _ int) {
		if ref, ok := n.(*Ref); ok {
			names[ref.Name] = true
		}
	})
	visitTree(r.Body, func(n Node, _ int) {
		if let, ok := n.(*Let); ok {
			delete(names, let.Name.Text)
		}
	})
	return len(names)
}

// visitTree calls visit for n and all declarations, statements and expressions below it, parents before children and in source
// order. depth counts the operators and calls from the root of the expression down to and with the node. It keeps its own
// stack, so that depth of the tree costs no stack of ours.
func visitTree(root Node, visit func(n Node, depth int)) {
	type item struct {
		n     Node
		depth int
	}
	stack := []item{{n: root}}
	var kids []Node
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		depth := 0
		if _, ok := top.n.(Expr); ok {
			depth = top.depth + min(opsAt(top.n), 1)
		}
		visit(top.n, depth)
		kids = appendChildren(kids[:0], top.n)
		for i := len(kids) - 1; i >= 0; i-- {
			if kids[i] != nil {
				stack = append(stack, item{kids[i], depth})
			}
		}
	}
}

// appendChildren appends the declarations, statements and expressions directly below n to kids, in source order. Names,
// inputs and other lines that hold no expression are not nodes of the walk.
func appendChildren(kids []Node, n Node) []Node {
	switch n := n.(type) {
	case *Signature:
		for _, c := range n.Clauses {
			if c.Expr != nil {
				kids = append(kids, c.Expr)
			}
		}
	case *Rule:
		kids = appendBlock(kids, n.Body)
	case *Policy:
		for _, h := range n.Hooks {
			kids = append(kids, h)
		}
	case *Hook:
		kids = appendBlock(kids, n.Body)
	case *Society:
		for _, e := range n.Edges {
			if e.When != nil {
				kids = append(kids, e.When)
			}
		}
	case *Block, Stmt:
		kids = appendStmtChildren(kids, n)
	case Expr:
		kids = appendExprChildren(kids, n)
	}
	return kids
}

func appendStmtChildren(kids []Node, n Node) []Node {
	switch n := n.(type) {
	case *Block:
		for _, s := range n.Stmts {
			kids = append(kids, s)
		}
	case *Let:
		kids = append(kids, n.Value)
	case *Assign:
		kids = append(kids, n.Value)
	case *Return:
		kids = append(kids, n.Value)
	case *If:
		for _, arm := range n.Arms {
			kids = appendBlock(append(kids, arm.Cond), arm.Body)
		}
		kids = appendBlock(kids, n.Else)
	}
	return kids
}

// appendBlock appends b unless it is nil, which an interface would hide.
func appendBlock(kids []Node, b *Block) []Node {
	if b != nil {
		kids = append(kids, b)
	}
	return kids
}

func appendExprChildren(kids []Node, n Expr) []Node {
	switch n := n.(type) {
	case *Unary:
		kids = append(kids, n.X)
	case *Binary:
		kids = append(kids, n.X, n.Y)
	case *Cond:
		kids = append(kids, n.If, n.Then, n.Else)
	case *Call:
		for _, a := range n.Args {
			kids = append(kids, a)
		}
	}
	return kids
}
