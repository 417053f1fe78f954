package prove

import (
	"slices"

	"github.com/agentdescent/adrun/dsl"
)

// evaluator returns the language's reference evaluator of the rule.
func evaluator(sig *dsl.Signature, rule *dsl.Rule) Eval {
	ref, err := dsl.NewReference(rule, sig)
	if err != nil {
		panic(err)
	}
	return func(point []float64) float64 {
		v, err := ref.Eval(point)
		if err != nil {
			panic(err)
		}
		return v
	}
}

// condition returns the reference evaluator of a contract over inputs and result.
func condition(sig *dsl.Signature, e dsl.Expr) func(point []float64, result float64) bool {
	wide := &dsl.Signature{Name: sig.Name, Result: dsl.BoolType}
	wide.Inputs = append(slices.Clone(sig.Inputs), &dsl.Input{Name: dsl.Ident{Text: "result"}, Type: sig.Result})
	eval := evaluator(wide, &dsl.Rule{Body: &dsl.Block{Stmts: []dsl.Stmt{&dsl.Return{Value: e}}}})
	return func(point []float64, result float64) bool { return eval(append(slices.Clone(point), result)) != 0 }
}

// allowed reports whether a point satisfies the assumptions.
func allowed(sig *dsl.Signature) func(point []float64) bool {
	var all []func(point []float64, result float64) bool
	for _, c := range sig.Clauses {
		if c.Kind == dsl.AssumeClause {
			all = append(all, condition(sig, c.Expr))
		}
	}
	return func(point []float64) bool {
		for _, holds := range all {
			if !holds(point, 0) {
				return false
			}
		}
		return true
	}
}
