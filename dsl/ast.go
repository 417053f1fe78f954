package dsl

import "strings"

// Pos is a place in a source text. Offset counts bytes from 0; Line and Col count
// from 1, Col in code points. The zero Pos is the place of a node that was built, not parsed.
type Pos struct {
	Offset, Line, Col int
}

// Span is the half-open range of a node in its source text. Every node embeds one,
// so that n.Span is its place. A built node has the zero Span.
type Span struct {
	Start, End Pos
}

// Range returns the span itself; it makes every node a Node.
func (s Span) Range() Span { return s }

// IsZero reports whether the node was built rather than parsed.
func (s Span) IsZero() bool { return s.Start.Line == 0 }

// Node is anything with a place.
type Node interface {
	Range() Span
}

// Comments are the comments that belong to a declaration, a statement, an input or another line.
type Comments struct {
	// Lead holds the comment lines above the node, without "#"; "" separates two groups, and a comment
	// without text is " ".
	Lead []string
	// Trail is the comment at the end of the node's line, "" if none.
	Trail string
	// Gap reports a blank line above the node and its comments.
	Gap bool
}

// Doc returns the comments as a text: the last group above the node, then the one beside it.
func (c *Comments) Doc() string {
	var lines []string
	for _, l := range c.Lead {
		if l == "" {
			lines = lines[:0]
			continue
		}
		lines = append(lines, strings.TrimSpace(l))
	}
	if c.Trail != "" {
		lines = append(lines, c.Trail)
	}
	return strings.Join(lines, " ")
}

// Ident is a name at a place. Text may be qualified ("selection.priority") where the language says so.
type Ident struct {
	Span
	Text string
}

// File is one parsed source text.
type File struct {
	// Name is what diagnostics call the file.
	Name string
	// Source is the text that was parsed; "" for a built file.
	Source string
	// Decls are the declarations in source order.
	Decls []Decl
	// Foot holds the comments after the last declaration.
	Foot []string
}

// Decl is a declaration: *Signature, *Rule, *Policy, *Slot, *Society or *Case.
type Decl interface {
	Node
	// DeclName is the declared name; for a *Case the name of the rule it tests.
	DeclName() string
	comments() *Comments
}

// Kind is the sort of a value.
type Kind uint8

// The three sorts of values, and the absence of one.
const (
	NoKind   Kind = iota
	NumKind       // IEEE-754 binary64
	BoolKind      // true or false; 1 and 0 in argument slices
	WordKind      // one of a closed set of words; its index in argument slices
)

// Type is the type of an input, a result or an expression. Words is the closed set, in declared
// order, when Kind is WordKind.
type Type struct {
	Kind  Kind
	Words []string
}

// String returns the type as written: num, bool, or the words with | between them.
func (t Type) String() string { return typeText(t, false) }

// Num and Bool are the two types that need no words.
var (
	// NumType is the type of numbers.
	NumType = Type{Kind: NumKind}
	// BoolType is the type of truth values.
	BoolType = Type{Kind: BoolKind}
)

// Input is a declared input of a signature or of a slot's hook.
type Input struct {
	Span
	Comments
	Name Ident
	Type Type
	// Int says that the domain holds whole numbers only. Lo and Hi bound a number, inclusive;
	// both are 0 for bool and words.
	Int    bool
	Lo, Hi float64
	// LoText and HiText are the bounds as written, "" in a built node.
	LoText, HiText string
	// TypeSpan is the place of the type and domain.
	TypeSpan Span
}

// ClauseKind says what a clause of a signature states.
type ClauseKind uint8

// The clauses of a signature.
const (
	AssumeClause     ClauseKind = iota // inputs that break Expr never occur
	EnsureClause                       // Expr over inputs and result holds
	IncreasingClause                   // the result never falls when Input grows
	DecreasingClause                   // the result never grows when Input grows
	CaseClause                         // Args is a grid point of its own
)

// Clause is one line of a signature's body.
type Clause struct {
	Span
	Comments
	Kind  ClauseKind
	Expr  Expr  // AssumeClause, EnsureClause
	Input Ident // IncreasingClause, DecreasingClause
	Args  []Arg // CaseClause
}

// Arg gives an input a value in a case: a number, true, false or a word.
type Arg struct {
	Span
	Name  Ident
	Value Expr // *Num, *Bool or *Ref (a word)
}

// Signature is what a host calls: inputs with domains, a result, assumptions and contracts.
type Signature struct {
	Span
	Comments
	Name    Ident
	Inputs  []*Input
	Result  Type
	Clauses []*Clause
	// ResultSpan is the place of the result type. Body says that braces were written.
	ResultSpan Span
	Body       bool
	// Foot holds the comments before the closing brace.
	Foot []string
}

// Rule is a function of a signature's inputs.
type Rule struct {
	Span
	Comments
	Name Ident
	// Inputs are the names in the list, in written order; HasInputs is false when no list was
	// written, which means all inputs of the signature.
	Inputs    []Ident
	HasInputs bool
	Body      *Block
}

// Case is a test of a rule: the rule at Args equals Want, within Tol if Tol is not nil.
type Case struct {
	Span
	Comments
	Rule Ident
	Args []Arg
	Want Expr // *Num, *Bool or *Ref (a word)
	Tol  *Num
}

// Policy fills a slot: parameters with bounds, bounded state, hooks.
type Policy struct {
	Span
	Comments
	Name   Ident
	Fills  Ident
	Params []*Param
	States []*State
	// Pick is how a selection or a sampler chooses: "top", "distinct", "sample", "sample_one"; "" if not said.
	Pick         Ident
	PickComments Comments
	Hooks        []*Hook
	Foot         []string
}

// Param is a number that parameter evolution moves within its bounds.
type Param struct {
	Span
	Comments
	Name   Ident
	Int    bool
	Value  float64
	Lo, Hi float64
	// ValueText, LoText and HiText are the numbers as written, "" in a built node.
	ValueText, LoText, HiText string
}

// State is a number that on-hooks write, clamped to its bounds.
type State struct {
	Span
	Comments
	Name   Ident
	Value  float64
	Lo, Hi float64
	// ValueText, LoText and HiText are the numbers as written, "" in a built node.
	ValueText, LoText, HiText string
}

// Hook is one function of a policy. On says that it reacts to an event and may write state;
// such a hook returns nothing.
type Hook struct {
	Span
	Comments
	On        bool
	Name      Ident
	Inputs    []Ident
	HasInputs bool
	Body      *Block
}

// Slot declares the hooks that a policy filling it may define.
type Slot struct {
	Span
	Comments
	Name Ident
	// Per is the key that state is kept for; "" if the slot keeps one state.
	Per   Ident
	Hooks []*HookDecl
	Foot  []string
}

// HookDecl is a hook of a slot: a signature whose name is the hook's; On hooks have no result.
type HookDecl struct {
	Signature
	On bool
}

// Society is a directed acyclic graph of agents over a task's features.
type Society struct {
	Span
	Comments
	Name   Ident
	Inputs []Ident
	Nodes  []*SocietyNode
	Edges  []*Edge
	Foot   []string
}

// SocietyNode is an agent: what it is told, and how many steps it may take.
type SocietyNode struct {
	Span
	Comments
	Name        Ident
	Instruction string
	Budget      int
}

// Edge leads from one node to another when its condition holds; a nil When always holds.
type Edge struct {
	Span
	Comments
	From, To Ident
	When     Expr
}

// Block is a braced sequence of statements.
type Block struct {
	Span
	Stmts []Stmt
	// Foot holds the comments before the closing brace.
	Foot []string
}

// Stmt is a statement: *Let, *Assign, *Return or *If.
type Stmt interface {
	Node
	comments() *Comments
}

// Let declares a local.
type Let struct {
	Span
	Comments
	Name  Ident
	Value Expr
}

// AssignOp is the operator of an assignment.
type AssignOp uint8

// The assignment operators: = += -= *= /=.
const (
	Set AssignOp = iota
	AddSet
	SubSet
	MulSet
	DivSet
)

// Assign writes a local, or a state in an on-hook.
type Assign struct {
	Span
	Comments
	Name  Ident
	Op    AssignOp
	Value Expr
}

// Return ends the rule with a value.
type Return struct {
	Span
	Comments
	Value Expr
}

// If runs the body of the first arm whose condition holds, else Else, which may be nil.
type If struct {
	Span
	Comments
	Arms []*Arm
	Else *Block
}

// Arm is a condition and what follows from it.
type Arm struct {
	Span
	Cond Expr
	Body *Block
}

// Expr is an expression: *Num, *Bool, *Ref, *Unary, *Binary, *Cond or *Call.
// Parentheses are not kept: the printer writes those that the grouping needs.
type Expr interface {
	Node
	exprNode()
}

// Num is a literal. Parsing folds a minus in front of a literal into Value, so Value may be negative;
// Text is the literal as written, "" in a built node. Value is finite.
type Num struct {
	Span
	Value float64
	Text  string
}

// Bool is true or false.
type Bool struct {
	Span
	Value bool
}

// Ref is a name: an input, a param, a state, a local or a word.
type Ref struct {
	Span
	Name string
}

// Op is an operator.
type Op uint8

// The operators. Neg, Plus and Not are unary, the others binary.
const (
	NoOp Op = iota
	Neg     // -x
	Plus    // +x
	Not     // !x
	Or      // ||
	And     // &&
	Eq      // ==
	Ne      // !=
	Lt      // <
	Le      // <=
	Gt      // >
	Ge      // >=
	Add     // +
	Sub     // -
	Mul     // *
	Div     // /
	Mod     // %
	Pow     // **
)

// Unary applies Neg, Plus or Not.
type Unary struct {
	Span
	Op Op
	X  Expr
}

// Binary applies a binary operator. OpSpan is the operator's own place.
type Binary struct {
	Span
	Op     Op
	OpSpan Span
	X, Y   Expr
}

// Cond is If ? Then : Else.
type Cond struct {
	Span
	If, Then, Else Expr
}

// Call calls a function of the language.
type Call struct {
	Span
	Fn   Ident
	Args []Expr
}

func (*Num) exprNode()    {}
func (*Bool) exprNode()   {}
func (*Ref) exprNode()    {}
func (*Unary) exprNode()  {}
func (*Binary) exprNode() {}
func (*Cond) exprNode()   {}
func (*Call) exprNode()   {}

func (c *Comments) comments() *Comments { return c }

// DeclName returns the qualified name of the signature.
func (s *Signature) DeclName() string { return s.Name.Text }

// DeclName returns the rule's name.
func (r *Rule) DeclName() string { return r.Name.Text }

// DeclName returns the name of the rule under test.
func (c *Case) DeclName() string { return c.Rule.Text }

// DeclName returns the policy's name.
func (p *Policy) DeclName() string { return p.Name.Text }

// DeclName returns the slot's name.
func (s *Slot) DeclName() string { return s.Name.Text }

// DeclName returns the society's name.
func (s *Society) DeclName() string { return s.Name.Text }
