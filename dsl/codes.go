package dsl

// Codes of what the checker finds. A code is stable: scripts and models may match on it.
const (
	// Names and words.

	CodeUndefinedName     = "undefined-name"        // a name that nothing declares
	CodeUndefinedFunction = "undefined-function"    // a call of what the language does not have
	CodeForbiddenFunction = "function-not-allowed"  // a function that the host has switched off
	CodeUnknownWord       = "unknown-word"          // a name where one of a closed set of words must stand
	CodeShadowing         = "shadowing"             // a declaration that would hide another
	CodeDuplicate         = "duplicate-declaration" // two declarations of one name
	CodeDuplicateInput    = "duplicate-input"       // an input listed twice
	CodeUnknownInput      = "unknown-input"         // a listed input that the signature does not have
	CodeUnusedLocal       = "unused-local"          // a local that nothing reads; a warning
	CodeInvalidName       = "invalid-name"          // a built name that no text could hold
	CodeInvalidTree       = "invalid-tree"          // a built tree with a hole or a value that no text could hold

	// Types.

	CodeArgumentCount = "argument-count"     // too few or too many arguments
	CodeBoolAsNumber  = "bool-as-number"     // a bool where a number is needed
	CodeNumberAsBool  = "number-as-bool"     // a number where a bool is needed
	CodeTypeMismatch  = "type-mismatch"      // any other operand, branch or value of a wrong type
	CodeChained       = "chained-comparison" // a < b < c

	// Statements.

	CodeMissingReturn   = "missing-return"   // a path that ends without a value
	CodeUnreachable     = "unreachable-code" // statements after a return
	CodeHookReturn      = "return-in-hook"   // a value returned from an on-hook, which has none
	CodeAssignToInput   = "assign-to-input"  // an assignment to an input
	CodeAssignToParam   = "assign-to-param"  // an assignment to a param
	CodeAssignToWord    = "assign-to-word"   // an assignment to a word or a function
	CodeStateWrite      = "state-write"      // a state written outside an on-hook
	CodeUndeclaredLocal = "undeclared-local" // an assignment to a name that nothing declares

	// Sizes.

	CodeTooManyOps    = "too-many-ops"    // more operators and calls than the limit
	CodeTooManyLocals = "too-many-locals" // more locals than the limit

	// Signatures, binding and cases.

	CodeNoSignature       = "no-signature"       // no signature fits a rule
	CodeManySignatures    = "several-signatures" // more than one signature fits a rule
	CodeUnknownSignature  = "unknown-signature"  // a signature was asked for that nobody declares
	CodeSignatureConflict = "signature-conflict" // a file declares a host's signature otherwise than the host
	CodeBadDomain         = "bad-domain"         // a domain with lo > hi, or not finite, or not whole for int
	CodeOverlappingWords  = "overlapping-words"  // two word sets that are neither equal nor disjoint
	CodeTooManyWords      = "too-many-words"     // more word sets in a signature than the checkers take
	CodeShapeOfWords      = "shape-of-words"     // increasing or decreasing where there is no number
	CodeMissingArgument   = "missing-argument"   // a case that leaves an input open
	CodeDuplicateArgument = "duplicate-argument" // a case that gives an input twice
	CodeOutsideDomain     = "outside-domain"     // a case value outside its input's domain; a warning in a rule's case
	CodeBrokenAssumption  = "broken-assumption"  // a case that breaks an assume; a warning
	CodeUnknownRule       = "unknown-rule"       // a case of a rule that the file does not hold
	CodeTolerance         = "tolerance"          // a tolerance below 0, or where the result is not a number

	// Policies.

	CodeUnknownSlot   = "unknown-slot"    // a policy that fills what is no slot
	CodeUnknownHook   = "unknown-hook"    // a hook that the slot does not have
	CodeMissingHook   = "missing-hook"    // a policy that decides nothing
	CodeTooManyParams = "too-many-params" // more than 16 params
	CodeTooManyStates = "too-many-states" // more than 16 states
	CodeOutsideBounds = "outside-bounds"  // a default outside its own bounds
	CodeUnknownPick   = "unknown-pick"    // a way to pick that does not exist

	// Societies.

	CodeSocietySize     = "society-size"     // no node, or more than 16
	CodeInstruction     = "instruction-size" // an instruction of more than 2,000 characters, or none
	CodeBudget          = "budget"           // a budget outside 1 to 64
	CodeUnknownNode     = "unknown-node"     // an edge to or from what is no node
	CodeCycle           = "cycle"            // edges that lead back to where they started
	CodeUnreachableNode = "unreachable-node" // a node that no edge leads to from the first
	CodeDeadEdge        = "dead-edge"        // an edge after one that always holds
)
