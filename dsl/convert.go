package dsl

import (
	"strconv"
	"strings"
)

// converter turns participle's tree into the syntax tree. What the grammar lets through only to be
// told what is wrong with it (annotations, habits) is reported here.
type converter struct {
	*parser
	toks []token
	// parens holds the places of the expressions that stand in parentheses.
	parens map[Expr]Span
}

// span is the place of a grammar node: participle's end is the start of the next token.
func (c *converter) span(n gNode) Span {
	from := tokenAt(c.toks, n.Pos.Offset)
	to := max(tokenAt(c.toks, n.EndPos.Offset)-1, from)
	return Span{c.toks[from].start, c.toks[to].end}
}

func (c *converter) ident(g *gIdent) Ident {
	return Ident{Span: c.span(g.gNode), Text: g.Text}
}

func (c *converter) qualified(g *gQualified) Ident {
	return Ident{Span: c.span(g.gNode), Text: strings.Join(g.Text, "")}
}

func (c *converter) decl(d *gDecl) Decl {
	switch {
	case d.Signature != nil:
		return c.signature(d.Signature)
	case d.Rule != nil:
		return c.rule(d.Rule)
	case d.Case != nil:
		return c.testCase(d.Case)
	case d.Policy != nil:
		return c.policy(d.Policy)
	case d.Slot != nil:
		return c.slot(d.Slot)
	case d.Society != nil:
		return c.society(d.Society)
	}
	return nil
}

func (c *converter) signature(g *gSignature) *Signature {
	s := &Signature{Span: c.span(g.gNode), Name: c.qualified(g.Name), Inputs: c.inputs(g.Inputs)}
	s.Result, s.ResultSpan = c.result(g.Result), c.span(g.Result.gNode)
	c.clauses(s, g.Body)
	return s
}

func (c *converter) clauses(s *Signature, g *gClauses) {
	if g == nil {
		return
	}
	s.Body = true
	for _, cl := range g.Clauses {
		s.Clauses = append(s.Clauses, c.clause(cl))
	}
}

func (c *converter) inputs(gs []*gInput) []*Input {
	var ins []*Input
	for _, g := range gs {
		in := &Input{Span: c.span(g.gNode), Name: c.ident(g.Name), TypeSpan: c.span(g.Type.gNode)}
		c.inputType(in, g.Type)
		ins = append(ins, in)
	}
	return ins
}

func (c *converter) inputType(in *Input, g *gType) {
	in.Type, in.Int = c.typ(g)
	if in.Type.Kind != NumKind {
		if g.Domain != nil {
			c.report(CodeUnknownType, c.span(g.Domain.gNode), "remove it", "only a number has a domain")
		}
		return
	}
	if g.Domain == nil {
		c.report(CodeMissingDomain, in.TypeSpan, "say which values occur: "+in.Name.Text+": num in [0, 1]", "input %q has no domain", in.Name.Text)
		return
	}
	in.Lo, in.LoText = c.signed(g.Domain.Lo)
	in.Hi, in.HiText = c.signed(g.Domain.Hi)
}

// result is the type after "->", which has no domain.
func (c *converter) result(g *gType) Type {
	t, whole := c.typ(g)
	if whole {
		c.report(CodeUnknownType, c.span(g.gNode), "write num", "a result is num, bool or a set of words")
	}
	if g.Domain != nil {
		c.report(CodeUnknownType, c.span(g.Domain.gNode), "state it as a contract: ensure result >= 0", "a result has no domain")
	}
	return t
}

func (c *converter) typ(g *gType) (t Type, whole bool) {
	if len(g.Names) == 1 {
		switch name := g.Names[0].Text; name {
		case "num":
			return NumType, false
		case "int":
			return NumType, true
		case "bool":
			return BoolType, false
		default:
			c.report(CodeUnknownType, c.span(g.gNode), "a type is num, int, bool, or two or more words: yes | no", "unknown type %q", clip(name))
			return NumType, false
		}
	}
	t.Kind = WordKind
	for _, n := range g.Names {
		t.Words = append(t.Words, n.Text)
	}
	return t, false
}

func (c *converter) clause(g *gClause) *Clause {
	cl := &Clause{Span: c.span(g.gNode)}
	switch {
	case g.Assume != nil:
		cl.Kind, cl.Expr = AssumeClause, c.expr(g.Assume)
	case g.Ensure != nil:
		cl.Kind, cl.Expr = EnsureClause, c.expr(g.Ensure)
		if call, ok := cl.Expr.(*Call); ok && len(call.Args) == 1 && (call.Fn.Text == "increasing" || call.Fn.Text == "decreasing") {
			c.shape(cl, call)
		}
	default:
		cl.Kind, cl.Args = CaseClause, c.args(g.Case)
	}
	return cl
}

func (c *converter) shape(cl *Clause, call *Call) {
	ref, ok := call.Args[0].(*Ref)
	if !ok {
		c.report(CodeSyntax, call.Args[0].Range(), "name one input: increasing(x)", "%s is about an input", call.Fn.Text)
		return
	}
	cl.Kind = IncreasingClause
	if call.Fn.Text == "decreasing" {
		cl.Kind = DecreasingClause
	}
	cl.Input, cl.Expr = Ident{ref.Span, ref.Name}, nil
}

func (c *converter) args(gs []*gArg) []Arg {
	var as []Arg
	for _, g := range gs {
		as = append(as, Arg{Span: c.span(g.gNode), Name: c.ident(g.Name), Value: c.value(g.Value)})
	}
	return as
}

func (c *converter) value(g *gValue) Expr {
	span := c.span(g.gNode)
	switch {
	case g.Number != nil:
		return c.signedNum(g.Number)
	case g.Bool != "":
		return &Bool{span, g.Bool == "true"}
	}
	return &Ref{span, g.Word}
}

func (c *converter) signedNum(g *gSigned) *Num {
	v, text := c.signed(g)
	return &Num{c.span(g.gNode), v, text}
}

// signed returns the value of a literal with an optional sign, and its normal text.
func (c *converter) signed(g *gSigned) (float64, string) {
	v, text := c.literal(c.span(g.gNode), g.Number)
	if g.Sign == "-" {
		return -v, "-" + text
	}
	return v, text
}

// literal returns the value of a literal without a sign, and its normal text.
func (c *converter) literal(at Span, number string) (float64, string) {
	text := normalNumber(number)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		c.report(CodeBadNumber, at, "the largest number is about 1.8e308", "number %s is too large", clip(number))
		return 0, "0"
	}
	return v, text
}

// normalNumber completes ".5" and "1." and writes the exponent with a small e.
func normalNumber(text string) string {
	text = strings.ToLower(text)
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	mant, exp, found := strings.Cut(text, "e")
	if strings.HasSuffix(mant, ".") {
		mant += "0"
	}
	if found {
		return mant + "e" + strings.TrimPrefix(exp, "+")
	}
	return mant
}

func (c *converter) testCase(g *gCase) *Case {
	k := &Case{Span: c.span(g.gNode), Rule: c.ident(g.Rule), Args: c.args(g.Args), Want: c.value(g.Want)}
	if g.Tol != nil {
		k.Tol = c.signedNum(g.Tol)
	}
	return k
}

func (c *converter) rule(g *gRule) *Rule {
	r := &Rule{Span: c.span(g.gNode), Name: c.ident(g.Name), Body: c.block(g.Body)}
	r.Inputs, r.HasInputs = c.names(g.Inputs)
	if g.Result != nil {
		c.annotation(g.Result, "->", "the result type is the signature's")
	}
	return r
}

func (c *converter) names(g *gNames) ([]Ident, bool) {
	if g == nil {
		return nil, false
	}
	var ids []Ident
	for _, n := range g.Names {
		ids = append(ids, c.ident(n.Name))
		if n.Type != nil {
			c.annotation(n.Type, ":", "types stand in the signature")
		}
	}
	return ids, true
}

// annotation reports a type and its mark, and cuts both out.
func (c *converter) annotation(g *gType, mark, hint string) {
	span := c.span(g.gNode)
	i := tokenAt(c.toks, span.Start.Offset)
	if i > 0 && c.toks[i-1].text == mark {
		span.Start = c.toks[i-1].start
	}
	if i > 1 && mark == "->" {
		span.Start = c.toks[i-2].end
	}
	d := c.report(CodeAnnotation, span, hint, "no type is written here")
	d.Fix = &Fix{Title: "remove the type", Edits: []Edit{{Span: span}}}
}

func (c *converter) policy(g *gPolicy) *Policy {
	p := &Policy{Span: c.span(g.gNode), Name: c.ident(g.Name), Fills: c.qualified(g.Fills)}
	for _, it := range g.Items {
		c.policyItem(p, it)
	}
	return p
}

func (c *converter) policyItem(p *Policy, it *gPolicyItem) {
	span := c.span(it.gNode)
	switch {
	case it.Param != nil:
		g := it.Param
		q := &Param{Span: span, Name: c.ident(g.Name)}
		q.Value, q.ValueText = c.signed(g.Value)
		q.Lo, q.LoText = c.signed(g.Domain.Lo)
		q.Hi, q.HiText = c.signed(g.Domain.Hi)
		if g.Type != nil {
			q.Int = g.Type.Text == "int"
			if !q.Int && g.Type.Text != "num" {
				c.report(CodeUnknownType, c.span(g.Type.gNode), "a param is num or int", "unknown type %q", clip(g.Type.Text))
			}
		}
		p.Params = append(p.Params, q)
	case it.State != nil:
		g := it.State
		s := &State{Span: span, Name: c.ident(g.Name)}
		s.Value, s.ValueText = c.signed(g.Value)
		s.Lo, s.LoText = c.signed(g.Domain.Lo)
		s.Hi, s.HiText = c.signed(g.Domain.Hi)
		p.States = append(p.States, s)
	case it.Pick != nil:
		if p.Pick.Text != "" {
			c.report(CodeSyntax, span, "keep one", "pick is said twice")
		}
		p.Pick = c.ident(it.Pick.How)
		p.PickComments = Comments{}
	case it.On != nil:
		p.Hooks = append(p.Hooks, c.hook(it.On.Hook, span, true))
	case it.Hook != nil:
		p.Hooks = append(p.Hooks, c.hook(it.Hook, span, false))
	}
}

func (c *converter) hook(g *gHook, span Span, on bool) *Hook {
	h := &Hook{Span: span, On: on, Name: c.ident(g.Name), Body: c.block(g.Body)}
	h.Inputs, h.HasInputs = c.names(g.Inputs)
	return h
}

func (c *converter) slot(g *gSlot) *Slot {
	s := &Slot{Span: c.span(g.gNode), Name: c.ident(g.Name)}
	if g.Per != nil {
		s.Per = c.ident(g.Per)
	}
	for _, h := range g.Hooks {
		s.Hooks = append(s.Hooks, c.hookDecl(h))
	}
	return s
}

func (c *converter) hookDecl(g *gHookDecl) *HookDecl {
	head, on := g.Hook, false
	if g.On != nil {
		head, on = g.On, true
	}
	h := &HookDecl{On: on}
	h.Span, h.Name, h.Inputs = c.span(g.gNode), c.ident(head.Name), c.inputs(head.Inputs)
	switch {
	case head.Result != nil && on:
		c.report(CodeSyntax, c.span(head.Result.gNode), "remove the result", "an on hook has no result")
	case head.Result != nil:
		h.Result, h.ResultSpan = c.result(head.Result), c.span(head.Result.gNode)
	case !on:
		c.report(CodeSyntax, h.Name.Span, "say what it returns: -> num", "hook %q has no result", h.Name.Text)
	}
	c.clauses(&h.Signature, head.Body)
	return h
}

func (c *converter) society(g *gSociety) *Society {
	s := &Society{Span: c.span(g.gNode), Name: c.ident(g.Name)}
	s.Inputs, _ = c.names(g.Inputs)
	for _, it := range g.Items {
		if it.Node != nil {
			s.Nodes = append(s.Nodes, c.societyNode(it))
			continue
		}
		e := &Edge{Span: c.span(it.gNode), From: c.ident(it.Edge.From), To: c.ident(it.Edge.To)}
		if it.Edge.When != nil {
			e.When = c.expr(it.Edge.When)
		}
		s.Edges = append(s.Edges, e)
	}
	return s
}

func (c *converter) societyNode(it *gSocietyItem) *SocietyNode {
	n := &SocietyNode{Span: c.span(it.gNode), Name: c.ident(it.Node.Name)}
	for _, a := range it.Node.Attrs {
		if a.Instruction != "" {
			text, err := strconv.Unquote(a.Instruction)
			if err != nil {
				c.report(CodeBadString, c.span(a.gNode), `write \" for a quote and \\ for a backslash`, "the string has an unknown escape")
			}
			n.Instruction = text
			continue
		}
		v, err := strconv.Atoi(a.Budget)
		if err != nil {
			c.report(CodeNotWhole, c.span(a.gNode), "write a whole number from 1 to 64", "budget %s is not a whole number", clip(a.Budget))
		}
		n.Budget = v
	}
	return n
}

func (c *converter) block(g *gBlock) *Block {
	b := &Block{Span: c.span(g.gNode)}
	for _, s := range g.Stmts {
		b.Stmts = append(b.Stmts, c.stmt(s))
	}
	return b
}

func (c *converter) stmt(g *gStmt) Stmt {
	span := c.span(g.gNode)
	switch {
	case g.Let != nil:
		if g.Let.Type != nil {
			c.annotation(g.Let.Type, ":", "a local takes the type of its value")
		}
		return &Let{Span: span, Name: c.ident(g.Let.Name), Value: c.expr(g.Let.Value)}
	case g.Return != nil:
		return &Return{Span: span, Value: c.expr(g.Return)}
	case g.If != nil:
		s := &If{Span: span, Arms: []*Arm{c.arm(g.If.First)}}
		for _, a := range g.If.Rest {
			s.Arms = append(s.Arms, c.arm(a))
		}
		if g.If.Else != nil {
			s.Else = c.block(g.If.Else)
		}
		return s
	}
	return &Assign{Span: span, Name: c.ident(g.Assign.Name), Op: assignOp(g.Assign.Op), Value: c.expr(g.Assign.Value)}
}

func (c *converter) arm(g *gArm) *Arm {
	return &Arm{Span: c.span(g.gNode), Cond: c.expr(g.Cond), Body: c.block(g.Body)}
}

func assignOp(s string) AssignOp {
	switch s {
	case "+=":
		return AddSet
	case "-=":
		return SubSet
	case "*=":
		return MulSet
	case "/=":
		return DivSet
	}
	return Set
}
