package gate

import (
	"fmt"
	"strings"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate/prove"
)

// Stage is a step of the gate. A candidate is refused at the first stage that finds an error, and all
// findings of that stage are reported.
type Stage uint8

// The stages, in the order in which a candidate passes them.
const (
	Size        Stage = iota // bytes of the text
	Syntax                   // tokens and grammar
	Names                    // names, flow, words, declarations
	Types                    // types of expressions
	Nodes                    // nodes, nesting, locals
	OnGrid                   // the result is finite on every grid point
	Contracts                // the signature's contracts hold on the grid
	Proving                  // finiteness and contracts for all inputs
	Constraints              // the host's admission constraints
	Smoke                    // replay of a policy over its slot's trace
	Admitted                 // no stage refused
)

func (s Stage) String() string {
	return [...]string{"size", "syntax", "names", "types", "nodes", "grid", "contracts", "proof", "constraints", "smoke", "admitted"}[s]
}

// Codes of the gate's own findings, beside those of package dsl.
const (
	CodeNotOneRule  = "not-one-rule"       // a text that holds no rule, or several
	CodeNotFinite   = "not-finite"         // a result that is not finite at a witness
	CodeContract    = "contract-broken"    // a contract that fails at a witness
	CodeNotProved   = "not-proved"         // no proof where one is required
	CodeConstraint  = "constraint-not-met" // an admission constraint that is false
	CodeConstraints = "constraint-failed"  // an admission constraint that could not be evaluated
)

// stageOf tells at which stage a finding of package dsl arises.
func stageOf(code string) Stage {
	switch code {
	case dsl.CodeTooLarge:
		return Size
	case dsl.CodeTooManyOps, dsl.CodeTooManyLocals, dsl.CodeNesting:
		return Nodes
	case dsl.CodeArgumentCount, dsl.CodeBoolAsNumber, dsl.CodeNumberAsBool, dsl.CodeTypeMismatch, dsl.CodeChained:
		return Types
	}
	return Names
}

// Verdict is what the gate says about a candidate.
type Verdict struct {
	// OK says that the candidate may run. Stage is Admitted then, else the stage that refused.
	OK    bool
	Stage Stage
	// Diags are the findings of that stage; an admitted candidate may carry warnings.
	Diags dsl.Diagnostics
	// Rule is the candidate without its comments: text of a model never reaches a later prompt. It is
	// nil if the text holds no rule.
	Rule *dsl.Rule
	// Program runs the rule; nil if the stages up to Nodes refused it.
	Program *dsl.Program
	// Cost is zero where Program is nil.
	Cost dsl.Cost
	// Proof is about finiteness. Contracts has a proof for each contract of the signature. Both are
	// zero where an earlier stage refused, or the gate does not prove.
	Proof     prove.Proof
	Contracts []Contract
}

// Contract is a contract of a signature and what is known of it for one rule.
type Contract struct {
	Clause *dsl.Clause
	Proof  prove.Proof
}

// clauseText prints a contract as its signature states it.
func clauseText(c *dsl.Clause) string {
	switch c.Kind {
	case dsl.IncreasingClause:
		return "ensure increasing(" + c.Input.Text + ")"
	case dsl.DecreasingClause:
		return "ensure decreasing(" + c.Input.Text + ")"
	}
	return "ensure " + dsl.FormatExpr(c.Expr)
}

// Text returns the contract as its signature states it: "ensure increasing(x)", "ensure result >= 0".
func (c Contract) Text() string { return clauseText(c.Clause) }

// FormatPoint writes a point for a person: "rank = 0.5, visits = 7", the inputs in names only, or
// all if names is nil. Words and truth values are written as such.
func FormatPoint(sig *dsl.Signature, point []float64, names []string) string {
	shown := make(map[string]bool, len(names))
	for _, n := range names {
		shown[n] = true
	}
	var parts []string
	for i, in := range sig.Inputs {
		if names == nil || shown[in.Name.Text] {
			parts = append(parts, in.Name.Text+" = "+FormatValue(in.Type, point[i]))
		}
	}
	return strings.Join(parts, ", ")
}

// FormatValue writes a value of a type: a number in shortest form, true, false, or a word.
func FormatValue(t dsl.Type, v float64) string {
	switch {
	case t.Kind == dsl.BoolKind:
		return fmt.Sprint(v != 0)
	case t.Kind == dsl.WordKind && v >= 0 && int(v) < len(t.Words):
		return t.Words[int(v)]
	}
	return dsl.FormatNumber(v)
}
