package gate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/interpreter"

	"github.com/agentdescent/adrun/dsl"
)

// Admission constraints are expressions of the Common Expression Language (CEL), the form that
// Kubernetes made familiar, over facts of a rule:
//
//	ops       int           operators and calls, as adrun cost counts
//	nodes     int           the same, a min or max of many arguments counting once
//	depth     int           nesting of operators and calls within one expression
//	bytes     int           of the canonical text
//	calls     list(string)  names of the functions called, each once, sorted
//	inputs    list(string)  names of the inputs read, in the signature's order
//	identity  string        of the rule
//
// For example: ops <= 40 && !("pow" in calls).
var factTypes = []cel.EnvOption{
	cel.Variable("ops", cel.IntType),
	cel.Variable("nodes", cel.IntType),
	cel.Variable("depth", cel.IntType),
	cel.Variable("bytes", cel.IntType),
	cel.Variable("calls", cel.ListType(cel.StringType)),
	cel.Variable("inputs", cel.ListType(cel.StringType)),
	cel.Variable("identity", cel.StringType),
}

// constraintCost bounds the evaluation of one constraint, in CEL's cost units.
const constraintCost = 100_000

// ConstraintError says where an admission constraint is wrong.
type ConstraintError struct {
	// Index is its place in the list, from 0; Line and Col are in its text, from 1.
	Index, Line, Col int
	Text, Message    string
}

// Error returns the place, what is wrong and the text.
func (e *ConstraintError) Error() string {
	return fmt.Sprintf("constraint %d, %d:%d: %s in %q", e.Index+1, e.Line, e.Col, e.Message, e.Text)
}

// constraints are compiled admission constraints.
type constraints struct {
	texts    []string
	programs []cel.Program
}

// newConstraints compiles the texts. The error joins a *ConstraintError for every fault.
func newConstraints(texts []string) (*constraints, error) {
	c := &constraints{texts: texts}
	if len(texts) == 0 {
		return c, nil
	}
	env, err := cel.NewEnv(factTypes...)
	if err != nil {
		return nil, err
	}
	var bad []error
	for i, text := range texts {
		p, err := compileConstraint(env, i, text)
		bad = append(bad, err)
		c.programs = append(c.programs, p)
	}
	return c, errors.Join(bad...)
}

func compileConstraint(env *cel.Env, index int, text string) (cel.Program, error) {
	ast, issues := env.Compile(text)
	if issues != nil && issues.Err() != nil {
		var bad []error
		for _, e := range issues.Errors() {
			message, _, _ := strings.Cut(e.Message, "\n")
			bad = append(bad, &ConstraintError{index, e.Location.Line(), e.Location.Column() + 1, text, message})
		}
		return nil, errors.Join(bad...)
	}
	if ast.OutputType() != cel.BoolType {
		return nil, &ConstraintError{index, 1, 1, text, "a constraint is true or false, this is " + ast.OutputType().String()}
	}
	p, err := env.Program(ast, cel.CostLimit(constraintCost))
	if err != nil {
		return nil, &ConstraintError{index, 1, 1, text, err.Error()}
	}
	return p, nil
}

// check evaluates every constraint on the facts and returns the findings.
func (c *constraints) check(f *facts) []finding {
	var out []finding
	for i, p := range c.programs {
		v, _, err := p.Eval(f)
		switch {
		case err != nil:
			out = append(out, finding{CodeConstraints, fmt.Sprintf("constraint %d, %s: %v", i+1, c.texts[i], err), ""})
		case v.Value() != true:
			out = append(out, finding{CodeConstraint, "the rule does not satisfy " + c.texts[i], f.String()})
		}
	}
	return out
}

// facts resolves the names of constraints for one rule; the lists are made when a constraint asks.
type facts struct {
	cost   dsl.Cost
	rule   *dsl.Rule
	inputs func() []string
}

var _ interpreter.Activation = (*facts)(nil)

// ResolveName returns the value of a fact.
func (f *facts) ResolveName(name string) (any, bool) {
	switch name {
	case "ops":
		return f.cost.Ops, true
	case "nodes":
		return f.cost.Nodes, true
	case "depth":
		return f.cost.Depth, true
	case "bytes":
		return f.cost.Bytes, true
	case "calls":
		return dsl.FunctionsCalled(f.rule.Body), true
	case "inputs":
		return f.inputs(), true
	case "identity":
		return f.cost.Identity, true
	}
	return nil, false
}

// Parent returns nil: there are no other names.
func (f *facts) Parent() interpreter.Activation { return nil }

// String lists the facts, for the author of a refused rule.
func (f *facts) String() string {
	return fmt.Sprintf("it has ops = %d, nodes = %d, depth = %d, bytes = %d, calls = [%s], inputs = [%s]",
		f.cost.Ops, f.cost.Nodes, f.cost.Depth, f.cost.Bytes,
		strings.Join(dsl.FunctionsCalled(f.rule.Body), ", "), strings.Join(f.inputs(), ", "))
}
