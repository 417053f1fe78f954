package dsl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"testing"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

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

// exprCompiler compiles with typed functions.
func exprCompiler(b *testing.B) func(text string) *vm.Program {
	opts := []expr.Option{expr.Env(engineRow{}), expr.AsFloat64()}
	for name, f := range engineUnary {
		opts = append(opts, expr.Function(name, func(a ...any) (any, error) { return f(a[0].(float64)), nil }, f))
	}
	for name, f := range engineBinary {
		opts = append(opts, expr.Function(name, func(a ...any) (any, error) { return f(a[0].(float64), a[1].(float64)), nil }, f))
	}
	return func(text string) *vm.Program {
		program, err := expr.Compile(text, opts...)
		if err != nil {
			b.Fatal(err)
		}
		return program
	}
}

// exprEngine runs in one reused machine, which is how expr is fastest.
func exprEngine(b *testing.B, text string) func(row *engineRow) float64 {
	program, machine := exprCompiler(b)(text), new(vm.VM)
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

// celCompiler compiles in an environment that is built once.
func celCompiler(b *testing.B) func(text string) cel.Program {
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
	return func(text string) cel.Program {
		ast, issues := env.Compile(text)
		if issues.Err() != nil {
			b.Fatal(issues.Err())
		}
		program, err := env.Program(ast)
		if err != nil {
			b.Fatal(err)
		}
		return program
	}
}

func celEngine(b *testing.B, text string) func(row *engineRow) float64 {
	program := celCompiler(b)(text)
	return func(row *engineRow) float64 {
		v, _, err := program.Eval(row)
		if err != nil {
			b.Fatal(err)
		}
		return float64(v.(types.Double))
	}
}

// pythonTexts are the rules of speedCases as Python writes them, which is also Starlark.
var pythonTexts = map[string]string{
	"r1": `def rule(rank, visits, total, prior, depth, n_nodes):
    c = 1.0
    return rank + c * (1.0 / n_nodes) * sqrt(total) / (1.0 + visits)
`,
	"r2": `def rule(rank, visits, total, prior, depth, n_nodes):
    c = 1.0
    d = 0.1
    exploration = c * sqrt(log1p(total) + 1.0) / (1.0 + visits)
    prior_term = prior * sqrt(total + 1.0) * (1.0 - rank)
    return rank + prior_term + exploration - d * depth
`,
	"r3": `def rule(rank, visits, total, prior, depth, n_nodes):
    explore = sqrt(log1p(total)) / (1.0 + visits)
    weight = 0.5
    if visits == 0.0:
        weight = pow(prior, 0.3)
    elif visits < 4.0:
        weight = min(prior * n_nodes, 2.0)
    if depth > 12.0:
        explore *= tanh(12.0 / depth)
    score = rank + weight * explore - 0.01 * depth
    if rank > 0.9:
        return max(score, 0.95)
    return score + 0.1 * (1.0 - prior) / n_nodes
`,
}

// starlarkEngine calls the function of a frozen module on a reused thread with reused arguments.
func starlarkEngine(b *testing.B, text string) func(row []float64) float64 {
	known := starlark.StringDict{}
	for name, f := range engineUnary {
		known[name] = starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.Float(f(float64(args[0].(starlark.Float)))), nil
		})
	}
	known["pow"] = starlark.NewBuiltin("pow", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return starlark.Float(fmath.Pow(float64(args[0].(starlark.Float)), float64(args[1].(starlark.Float)))), nil
	})
	thread := new(starlark.Thread)
	module, err := starlark.ExecFileOptions(&syntax.FileOptions{}, thread, "rule", text, known)
	if err != nil {
		b.Fatal(err)
	}
	rule, args := module["rule"], make(starlark.Tuple, 6)
	return func(row []float64) float64 {
		for i, v := range row {
			args[i] = starlark.Float(v)
		}
		v, err := starlark.Call(thread, rule, args, nil)
		if err != nil {
			b.Fatal(err)
		}
		return float64(v.(starlark.Float))
	}
}

// pythonTimer calls the function on all rows, in slices, and prints the least nanoseconds of a call and the values.
const pythonTimer = `
import json, sys
from math import log1p, pow, sqrt, tanh
from time import perf_counter_ns
%s
rows = json.load(sys.stdin)
least = float("inf")
for _ in range(250):
    start = perf_counter_ns()
    for row in rows:
        rule(*row)
    least = min(least, (perf_counter_ns() - start) / len(rows))
json.dump({"ns": least, "values": [rule(*row) for row in rows]}, sys.stdout)
`

// pythonTime is the least time of a call of CPython, once its values are found to be the rule's; 0 where there is no python3.
func pythonTime(b *testing.B, text string, rows [][]float64, want func(row []float64) float64) float64 {
	python, err := exec.LookPath("python3")
	if err != nil {
		return 0
	}
	input, err := json.Marshal(rows)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(python, "-c", fmt.Sprintf(pythonTimer, text))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var got struct {
		NS     float64
		Values []float64
	}
	if err := json.Unmarshal(out, &got); err != nil {
		b.Fatal(err)
	}
	for i, row := range rows {
		if w := want(row); math.Abs(got.Values[i]-w) > 1e-12*math.Abs(w) {
			b.Fatalf("row %d: CPython makes %v of it, the rule %v", i, got.Values[i], w)
		}
	}
	return got.NS
}

// BenchmarkEngines reports how many times as long others take as the program: expr, CEL and Starlark in alternating slices,
// CPython (which has its own process) after them.
func BenchmarkEngines(b *testing.B) {
	rows := rowsOf(speedColumns(speedRows))
	records := make([]*engineRow, len(rows))
	for i, r := range rows {
		records[i] = &engineRow{r[0], r[1], r[2], r[3], r[4], r[5]}
	}
	for _, c := range speedCases {
		p, x, y, z := speedProgram(b, c.name), exprEngine(b, engineTexts[c.name]), celEngine(b, engineTexts[c.name]), starlarkEngine(b, pythonTexts[c.name])
		for i, row := range rows { // the same work, to the bit
			for name, got := range map[string]float64{"expr": x(records[i]), "CEL": y(records[i]), "Starlark": z(row)} {
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
				}, func(n int) {
					for i := range n {
						sink = z(rows[i%speedRows])
					}
				})
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(t[0], "ns/eval")
			b.ReportMetric(t[1]/t[0], "×expr")
			b.ReportMetric(t[2]/t[0], "×CEL")
			b.ReportMetric(t[3]/t[0], "×Starlark")
			if ns := pythonTime(b, pythonTexts[c.name], rows, p.Num); ns > 0 {
				b.ReportMetric(ns/t[0], "×CPython")
			}
		})
	}
}
