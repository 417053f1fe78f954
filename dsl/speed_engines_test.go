package dsl_test

import (
	"math"
	"testing"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/internal/paired"
)

// engineTexts are the rules of speedCases as one expression, for engines that have no statements. Both engines read them.
var engineTexts = map[string]string{
	"r1": "rank + 1.0 * (1.0 / n_nodes) * sqrt(total) / (1.0 + visits)",
	"r2": "rank + prior * sqrt(total + 1.0) * (1.0 - rank) + 1.0 * sqrt(log1p(total) + 1.0) / (1.0 + visits) - 0.1 * depth",
	"r3": "rank > 0.9 ? larger(" + score + ", 0.95) : " + score + " + 0.1 * (1.0 - prior) / n_nodes",
}

// score is the part of r3 that both of its ends read.
const score = "(rank + (visits == 0.0 ? pow(prior, 0.3) : visits < 4.0 ? smaller(prior * n_nodes, 2.0) : 0.5)" +
	" * (depth > 12.0 ? sqrt(log1p(total)) / (1.0 + visits) * tanh(12.0 / depth) : sqrt(log1p(total)) / (1.0 + visits))" +
	" - 0.01 * depth)"

var (
	engineUnary  = map[string]func(float64) float64{"sqrt": math.Sqrt, "log1p": fmath.Log1p, "tanh": fmath.Tanh}
	engineBinary = map[string]func(x, y float64) float64{
		"pow":     fmath.Pow,
		"larger":  func(x, y float64) float64 { return max(x, y) },
		"smaller": func(x, y float64) float64 { return min(x, y) },
	}
)

// engineRow is the environment of expr, and CEL's activation.
type engineRow struct {
	Rank   float64 `expr:"rank"`
	Visits float64 `expr:"visits"`
	Total  float64 `expr:"total"`
	Prior  float64 `expr:"prior"`
	Depth  float64 `expr:"depth"`
	Nodes  float64 `expr:"n_nodes"`
}

// exprEngine compiles with typed functions and runs in one reused machine, which is how expr is fastest.
func exprEngine(b *testing.B, text string) func(row *engineRow) float64 {
	opts := []expr.Option{expr.Env(engineRow{}), expr.AsFloat64()}
	for name, f := range engineUnary {
		opts = append(opts, expr.Function(name, func(a ...any) (any, error) { return f(a[0].(float64)), nil }, f))
	}
	for name, f := range engineBinary {
		opts = append(opts, expr.Function(name, func(a ...any) (any, error) { return f(a[0].(float64), a[1].(float64)), nil }, f))
	}
	program, err := expr.Compile(text, opts...)
	if err != nil {
		b.Fatal(err)
	}
	machine := new(vm.VM)
	return func(row *engineRow) float64 {
		v, err := machine.Run(program, row)
		if err != nil {
			b.Fatal(err)
		}
		return v.(float64)
	}
}

// ResolveName makes the row an activation without a map.
func (r *engineRow) ResolveName(name string) (any, bool) {
	switch name {
	case "rank":
		return r.Rank, true
	case "visits":
		return r.Visits, true
	case "total":
		return r.Total, true
	case "prior":
		return r.Prior, true
	case "depth":
		return r.Depth, true
	case "n_nodes":
		return r.Nodes, true
	}
	return nil, false
}

// Parent is nil: the row is the only scope.
func (r *engineRow) Parent() cel.Activation { return nil }

func celEngine(b *testing.B, text string) func(row *engineRow) float64 {
	var opts []cel.EnvOption
	for _, name := range []string{"rank", "visits", "total", "prior", "depth", "n_nodes"} {
		opts = append(opts, cel.Variable(name, cel.DoubleType))
	}
	for name, f := range engineUnary {
		opts = append(opts, cel.Function(name, cel.Overload(name+"_double", []*cel.Type{cel.DoubleType}, cel.DoubleType,
			cel.UnaryBinding(func(x ref.Val) ref.Val { return types.Double(f(float64(x.(types.Double)))) }))))
	}
	for name, f := range engineBinary {
		opts = append(opts, cel.Function(name, cel.Overload(name+"_doubles", []*cel.Type{cel.DoubleType, cel.DoubleType}, cel.DoubleType,
			cel.BinaryBinding(func(x, y ref.Val) ref.Val {
				return types.Double(f(float64(x.(types.Double)), float64(y.(types.Double))))
			}))))
	}
	env, err := cel.NewEnv(opts...)
	if err != nil {
		b.Fatal(err)
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		b.Fatal(issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		b.Fatal(err)
	}
	return func(row *engineRow) float64 {
		v, _, err := program.Eval(row)
		if err != nil {
			b.Fatal(err)
		}
		return float64(v.(types.Double))
	}
}

// BenchmarkEngines reports how many times as long expr and CEL take as the program, in alternating slices.
func BenchmarkEngines(b *testing.B) {
	rows := rowsOf(speedColumns(speedRows))
	records := make([]*engineRow, len(rows))
	for i, r := range rows {
		records[i] = &engineRow{r[0], r[1], r[2], r[3], r[4], r[5]}
	}
	for _, c := range speedCases {
		p, x, y := speedProgram(b, c.name), exprEngine(b, engineTexts[c.name]), celEngine(b, engineTexts[c.name])
		for i, row := range rows { // the same work, to the bit
			for name, got := range map[string]float64{"expr": x(records[i]), "CEL": y(records[i])} {
				sameBits(b, c.name+" by "+name, got, p.Num(row))
			}
		}
		b.Run(c.name, func(b *testing.B) {
			var t []float64
			for b.Loop() {
				t = paired.Times(speedSlices, func(n int) {
					for i := range n {
						sink = p.Num(rows[i%speedRows])
					}
				}, func(n int) {
					for i := range n {
						sink = x(records[i%speedRows])
					}
				}, func(n int) {
					for i := range n {
						sink = y(records[i%speedRows])
					}
				})
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(t[0], "ns/eval")
			b.ReportMetric(t[1]/t[0], "×expr")
			b.ReportMetric(t[2]/t[0], "×CEL")
		})
	}
}
