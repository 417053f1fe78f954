package dsl

import (
	"io"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar is these structs: participle parses by them and prints grammar/rule.ebnf from them.
// An expression is a flat list here; convert.go groups it by precedence, so that neither a long
// sum nor a long chain of conditionals needs a deep stack.

type gNode struct {
	Pos    lexer.Position
	EndPos lexer.Position
}

type gFile struct {
	Decls []*gDecl `parser:"@@*"`
}

type gDecl struct {
	Signature *gSignature `parser:"  @@"`
	Rule      *gRule      `parser:"| @@"`
	Case      *gCase      `parser:"| @@"`
	Policy    *gPolicy    `parser:"| @@"`
	Slot      *gSlot      `parser:"| @@"`
	Society   *gSociety   `parser:"| @@"`
}

type gIdent struct {
	gNode
	Text string `parser:"@Name"`
}

type gQualified struct {
	gNode
	Text []string `parser:"@Name ( @'.' @Name )*"`
}

type gSignature struct {
	gNode
	Name   *gQualified `parser:"'signature' @@"`
	Inputs []*gInput   `parser:"'(' ( @@ ( ',' @@ )* ','? )? ')'"`
	Result *gType      `parser:"'->' @@"`
	Body   *gClauses   `parser:"@@?"`
}

type gInput struct {
	gNode
	Name *gIdent `parser:"@@ ':'"`
	Type *gType  `parser:"@@"`
}

type gType struct {
	gNode
	Names  []*gIdent `parser:"@@ ( '|' @@ )*"`
	Domain *gDomain  `parser:"@@?"`
}

type gDomain struct {
	gNode
	Lo *gSigned `parser:"'in' '[' @@ ','"`
	Hi *gSigned `parser:"@@ ']'"`
}

type gSigned struct {
	gNode
	Sign   string `parser:"@Sign?"`
	Number string `parser:"@Number"`
}

type gClauses struct {
	gNode
	Clauses []*gClause `parser:"'{' @@* '}'"`
}

type gClause struct {
	gNode
	Assume *gExpr  `parser:"(  'assume' @@"`
	Ensure *gExpr  `parser:" | 'ensure' @@"`
	Case   []*gArg `parser:" | 'case' '(' ( @@ ( ',' @@ )* ','? )? ')' ) ';'?"`
}

type gArg struct {
	gNode
	Name  *gIdent `parser:"@@ '='"`
	Value *gValue `parser:"@@"`
}

type gValue struct {
	gNode
	Number *gSigned `parser:"  @@"`
	Bool   string   `parser:"| @Bool"`
	Word   string   `parser:"| @Name"`
}

type gCase struct {
	gNode
	Rule *gIdent  `parser:"'case' @@"`
	Args []*gArg  `parser:"'(' ( @@ ( ',' @@ )* ','? )? ')'"`
	Want *gValue  `parser:"'==' @@"`
	Tol  *gSigned `parser:"( '±' @@ )?"`
}

type gRule struct {
	gNode
	Name   *gIdent `parser:"'rule' @@"`
	Inputs *gNames `parser:"@@?"`
	Result *gType  `parser:"( '->' @@ )?"`
	Body   *gBlock `parser:"@@"`
}

type gNames struct {
	gNode
	Names []*gName `parser:"'(' ( @@ ( ',' @@ )* ','? )? ')'"`
}

type gName struct {
	gNode
	Name *gIdent `parser:"@@"`
	Type *gType  `parser:"( ':' @@ )?"`
}

type gPolicy struct {
	gNode
	Name  *gIdent        `parser:"'policy' @@ 'fills'"`
	Fills *gQualified    `parser:"@@"`
	Items []*gPolicyItem `parser:"'{' @@* '}'"`
}

type gPolicyItem struct {
	gNode
	Param *gParam `parser:"(  @@"`
	State *gState `parser:" | @@"`
	Pick  *gPick  `parser:" | @@"`
	On    *gOn    `parser:" | @@"`
	Hook  *gHook  `parser:" | @@ ) ';'?"`
}

type gParam struct {
	Name   *gIdent  `parser:"'param' @@"`
	Type   *gIdent  `parser:"( ':' @@ )?"`
	Value  *gSigned `parser:"'=' @@"`
	Domain *gDomain `parser:"@@"`
}

type gState struct {
	Name   *gIdent  `parser:"'state' @@"`
	Value  *gSigned `parser:"'=' @@"`
	Domain *gDomain `parser:"@@"`
}

type gPick struct {
	How *gIdent `parser:"'pick' @@"`
}

type gOn struct {
	Hook *gHook `parser:"'on' @@"`
}

type gHook struct {
	Name   *gIdent `parser:"@@"`
	Inputs *gNames `parser:"@@?"`
	Body   *gBlock `parser:"@@"`
}

type gSlot struct {
	gNode
	Name  *gIdent      `parser:"'slot' @@"`
	Per   *gIdent      `parser:"( 'per' @@ )?"`
	Hooks []*gHookDecl `parser:"'{' @@* '}'"`
}

type gHookDecl struct {
	gNode
	On   *gHookHead `parser:"(  'on' @@"`
	Hook *gHookHead `parser:" | @@ ) ';'?"`
}

type gHookHead struct {
	Name   *gIdent   `parser:"@@"`
	Inputs []*gInput `parser:"'(' ( @@ ( ',' @@ )* ','? )? ')'"`
	Result *gType    `parser:"( '->' @@ )?"`
	Body   *gClauses `parser:"@@?"`
}

type gSociety struct {
	gNode
	Name   *gIdent         `parser:"'society' @@"`
	Inputs *gNames         `parser:"@@"`
	Items  []*gSocietyItem `parser:"'{' @@* '}'"`
}

type gSocietyItem struct {
	gNode
	Edge *gEdge        `parser:"(  @@"`
	Node *gSocietyNode `parser:" | @@ ) ';'?"`
}

type gSocietyNode struct {
	Name  *gIdent       `parser:"'node' @@"`
	Attrs []*gAttribute `parser:"'{' @@* '}'"`
}

type gAttribute struct {
	gNode
	Instruction string `parser:"(  'instruction' @String"`
	Budget      string `parser:" | 'budget' @Number ) ';'?"`
}

type gEdge struct {
	From *gIdent `parser:"@@ '->'"`
	To   *gIdent `parser:"@@"`
	When *gExpr  `parser:"( 'when' @@ )?"`
}

type gBlock struct {
	gNode
	Stmts []*gStmt `parser:"'{' @@* '}'"`
}

type gStmt struct {
	gNode
	Let    *gLet    `parser:"(  @@"`
	Return *gExpr   `parser:" | 'return' @@"`
	If     *gIf     `parser:" | @@"`
	Assign *gAssign `parser:" | @@ ) ';'?"`
}

type gLet struct {
	Name  *gIdent `parser:"'let' @@"`
	Type  *gType  `parser:"( ':' @@ )?"`
	Value *gExpr  `parser:"'=' @@"`
}

type gAssign struct {
	Name  *gIdent `parser:"@@"`
	Op    string  `parser:"@Assignment"`
	Value *gExpr  `parser:"@@"`
}

type gIf struct {
	First *gArm   `parser:"'if' @@"`
	Rest  []*gArm `parser:"( ( 'elif' | 'else' 'if' ) @@ )*"`
	Else  *gBlock `parser:"( 'else' @@ )?"`
}

type gArm struct {
	gNode
	Cond *gExpr  `parser:"@@"`
	Body *gBlock `parser:"@@"`
}

// The structs of expressions are few and wide, for participle's time goes into structs.

type gExpr struct {
	gNode
	gOperands
	Tail []*gCondTail `parser:"@@*"`
}

type gCondTail struct {
	Then *gExpr `parser:"'?' @@ ':'"`
	gOperands
}

type gOperands struct {
	First *gUnary     `parser:"@@"`
	Rest  []*gOperand `parser:"@@*"`
}

type gOperand struct {
	Pos lexer.Position
	Op  string  `parser:"@( Operator | Sign )"`
	X   *gUnary `parser:"@@"`
}

type gUnary struct {
	gNode
	Ops    []string `parser:"@( Sign | Negation )*"`
	Number string   `parser:"(  @Number"`
	Bool   string   `parser:" | @Bool"`
	Name   []string `parser:" | @Name ( @'.' @Name )*"`
	Args   *gArgs   `parser:"   @@?"`
	Paren  *gExpr   `parser:" | '(' @@ ')' )"`
}

type gArgs struct {
	gNode
	Args []*gExpr `parser:"'(' ( @@ ( ',' @@ )* ','? )? ')'"`
}

// wordClasses are the kinds of tokens that participle is told of words and marks which occur in the same places: it
// tries the alternatives of a grammar one by one, so one class costs it a fraction of sixteen literals.
var wordClasses = [...]struct {
	name  string
	kind  lexer.TokenType
	words []string
}{
	{"Operator", -7, []string{"||", "or", "&&", "and", "==", "!=", "<=", ">=", "<", ">", "*", "/", "%", "**"}},
	{"Sign", -8, []string{"+", "-"}},
	{"Negation", -9, []string{"!", "not"}},
	{"Bool", -10, []string{"true", "false"}},
	{"Assignment", -11, []string{"=", "+=", "-=", "*=", "/="}},
}

// wordKinds are the kinds of the words of wordClasses.
var wordKinds = sync.OnceValue(func() map[string]lexer.TokenType {
	kinds := map[string]lexer.TokenType{}
	for _, class := range wordClasses {
		for _, word := range class.words {
			kinds[word] = class.kind
		}
	}
	return kinds
})

// tokenDefinition tells participle the names of our tokens; the tokens themselves come from lex.
type tokenDefinition struct{}

func (tokenDefinition) Symbols() map[string]lexer.TokenType {
	symbols := map[string]lexer.TokenType{
		"EOF": tokEOF, "Name": tokName, "Keyword": tokKeyword, "Number": tokNumber, "String": tokString, "Punct": tokPunct,
	}
	for _, class := range wordClasses {
		symbols[class.name] = class.kind
	}
	return symbols
}

func (d tokenDefinition) Lex(file string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return newTokenLexer(lex(file, string(src), Limits{}.Normalize()).toks), nil
}

// tokenLexer hands a slice of tokens to participle.
type tokenLexer struct {
	toks  []token
	next  int
	kinds map[string]lexer.TokenType
}

func newTokenLexer(toks []token) *tokenLexer { return &tokenLexer{toks: toks, kinds: wordKinds()} }

func (l *tokenLexer) Next() (lexer.Token, error) {
	t := l.toks[min(l.next, len(l.toks)-1)]
	l.next++
	kind := lexer.TokenType(t.kind)
	if t.kind == tokPunct || t.kind == tokKeyword {
		if class, ok := l.kinds[t.text]; ok {
			kind = class
		}
	}
	return lexer.Token{Type: kind, Value: t.text, Pos: lexer.Position{Offset: t.start.Offset, Line: t.start.Line, Column: t.start.Col}}, nil
}

// newGrammar builds the parser. It is a value of the program's text, so building it cannot fail.
func newGrammar() *participle.Parser[gFile] {
	return participle.MustBuild[gFile](participle.Lexer(tokenDefinition{}), participle.UseLookahead(3))
}
