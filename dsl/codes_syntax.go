package dsl

// Codes of what the lexer and the parser find. A code is stable: scripts and models may match on it.
const (
	CodeTooLarge      = "too-large"           // a file or declaration has too many bytes
	CodeBadUTF8       = "bad-utf8"            // bytes that are not UTF-8
	CodeBadCharacter  = "bad-character"       // a control, a bidirectional override, or a character without meaning here
	CodeBadNumber     = "bad-number"          // a malformed or overflowing literal
	CodeBadString     = "bad-string"          // an escape that Go does not know
	CodeUnterminated  = "unterminated-string" // a string without its closing quote
	CodeNameTooLong   = "name-too-long"       // a name of more than 64 characters
	CodeNesting       = "nested-too-deep"     // more nesting than the limit
	CodeBracket       = "unbalanced-bracket"  // a bracket without its partner
	CodeSyntax        = "syntax"              // a token that does not fit where it stands
	CodeFloorDivision = "floor-division"      // a // b, which is not division here
	CodeCaret         = "caret-power"         // a ^ b, which is not a power here
	CodeAnnotation    = "annotation"          // a type where the language has none
	CodePythonIf      = "python-if"           // if c:
	CodePythonCond    = "python-conditional"  // a if c else b
	CodeUnknownType   = "unknown-type"        // a type that is neither num, int, bool nor a set of words
	CodeMissingDomain = "missing-domain"      // a number without its domain
	CodeNotWhole      = "not-a-whole-number"  // a budget that is not a whole number
)
