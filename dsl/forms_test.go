package dsl_test

import (
	"math"
	"testing"

	"github.com/agentdescent/adrun/dsl"
)

// TestEveryForm puts operands of every form on both sides of every operation, under functions and in choices, so that each
// instruction, with each mode of its operand, and each kernel of a batch is compared with the reference.
func TestEveryForm(t *testing.T) {
	operands := exprs(t, "2.5", "x", "y", "x + 2.5", "2.5 - x", "x * 2.5", "x / 3", "2.5 / x", "x + y", "x - y", "x * y", "x / y",
		"sqrt(x)", "sqrt(x + 2.5)", "exp(x)", "exp(y) * 3", "sqrt(x * y)", "sqrt(x / y)", "-y", "x > y ? x : exp(y)", "abs(x)")
	var all []dsl.Expr
	for _, a := range operands {
		for _, b := range operands {
			for op := dsl.Add; op <= dsl.Pow; op++ {
				all = append(all, &dsl.Binary{Op: op, X: a, Y: b})
			}
			all = append(all, call("min", a, b), call("max", a, b))
			for op := dsl.Eq; op <= dsl.Ge; op++ {
				cond := &dsl.Binary{Op: op, X: a, Y: b}
				not := &dsl.Unary{Op: dsl.Not, X: cond}
				all = append(all,
					&dsl.Cond{If: cond, Then: operands[1], Else: operands[14]}, &dsl.Cond{If: not, Then: operands[15], Else: operands[2]},
					&dsl.Cond{If: &dsl.Binary{Op: dsl.And, X: not, Y: cond}, Then: call("tanh", a), Else: call("log", b)},
					&dsl.Cond{If: &dsl.Binary{Op: dsl.Or, X: cond, Y: &dsl.Binary{Op: dsl.Gt, X: b, Y: a}}, Then: call("tanh", a), Else: call("log", b)})
			}
		}
		for _, fn := range []string{"abs", "sqrt", "log", "log1p", "exp", "tanh", "floor", "ceil"} {
			all = append(all, call(fn, a))
		}
	}
	points := [][]float64{{2.5, 1}, {-1, 3}, {0.3, -0.7}, {math.NaN(), 2}, {7, 7}}
	for _, e := range all {
		compareForm(t, e, points)
	}
}

// exprs parses expressions.
func exprs(t *testing.T, texts ...string) []dsl.Expr {
	t.Helper()
	list := make([]dsl.Expr, len(texts))
	for i, text := range texts {
		e, err := dsl.ParseExpr("test", text)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = e
	}
	return list
}

func call(fn string, args ...dsl.Expr) dsl.Expr {
	return &dsl.Call{Fn: dsl.Ident{Text: fn}, Args: args}
}

// compareForm holds program and batch to the reference at the points, repeated to as many rows as a batch needs.
func compareForm(t *testing.T, e dsl.Expr, points [][]float64) {
	t.Helper()
	rule := &dsl.Rule{
		Name: dsl.Ident{Text: "f"}, Inputs: []dsl.Ident{{Text: "x"}, {Text: "y"}}, HasInputs: true,
		Body: &dsl.Block{Stmts: []dsl.Stmt{&dsl.Return{Value: e}}},
	}
	sig := signatureFor(rule)
	program, reference := compiled(t, rule, sig)
	const rows = 40
	cols, out := make([][]float64, 2), make([]float64, rows)
	for r := range rows {
		for i := range cols {
			cols[i] = append(cols[i], points[r%len(points)][i])
		}
	}
	program.Batch(cols, out)
	for i, p := range points {
		want, err := reference.Eval(p)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, dsl.FormatExpr(e)+"\n"+program.String(), program.Num(p), want)
		sameBits(t, dsl.FormatExpr(e)+" in a batch", out[i], want)
	}
}
