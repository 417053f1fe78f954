package dsl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/internal/paired"
)

// speedSlices is how many slices a comparison takes: about half a second for two functions.
const speedSlices = 250

//go:noinline
func nativeR1(rank, visits, total, prior, depth, nodes float64) float64 {
	c := 1.0
	return rank + c*(1/nodes)*math.Sqrt(total)/(1+visits)
}

//go:noinline
func nativeR2(rank, visits, total, prior, depth, nodes float64) float64 {
	c, d := 1.0, 0.1
	exploration := c * math.Sqrt(fmath.Log1p(total)+1.0) / (1.0 + visits)
	priorTerm := float64(prior * math.Sqrt(total+1.0) * (1.0 - rank))
	return rank + priorTerm + exploration - float64(d*depth)
}

//go:noinline
func nativeR3(rank, visits, total, prior, depth, nodes float64) float64 {
	explore := math.Sqrt(fmath.Log1p(total)) / (1 + visits)
	weight := 0.5
	if visits == 0 {
		weight = fmath.Pow(prior, 0.3)
	} else if visits < 4 {
		weight = min(prior*nodes, 2)
	}
	if depth > 12 {
		explore *= fmath.Tanh(12 / depth)
	}
	score := rank + float64(weight*explore) - float64(0.01*depth)
	if rank > 0.9 {
		return max(score, 0.95)
	}
	return score + 0.1*(1-prior)/nodes
}

// speedCase is a rule and the same function in Go.
type speedCase struct {
	name   string
	native func(rank, visits, total, prior, depth, nodes float64) float64
	loop   func(cols [][]float64, out []float64)
}

//go:noinline
func loopR1(cols [][]float64, out []float64) {
	rank, visits, total, nodes := cols[0][:len(out)], cols[1][:len(out)], cols[2][:len(out)], cols[5][:len(out)]
	c := 1.0
	for i := range out {
		out[i] = rank[i] + c*(1/nodes[i])*math.Sqrt(total[i])/(1+visits[i])
	}
}

//go:noinline
func loopR2(cols [][]float64, out []float64) {
	rank, visits, total, prior, depth := cols[0][:len(out)], cols[1][:len(out)], cols[2][:len(out)], cols[3][:len(out)], cols[4][:len(out)]
	c, d := 1.0, 0.1
	for i := range out {
		exploration := c * math.Sqrt(fmath.Log1p(total[i])+1.0) / (1.0 + visits[i])
		priorTerm := float64(prior[i] * math.Sqrt(total[i]+1.0) * (1.0 - rank[i]))
		out[i] = rank[i] + priorTerm + exploration - float64(d*depth[i])
	}
}

//go:noinline
func loopR3(cols [][]float64, out []float64) {
	rank, visits, total, prior, depth, nodes := cols[0][:len(out)], cols[1][:len(out)], cols[2][:len(out)], cols[3][:len(out)], cols[4][:len(out)], cols[5][:len(out)]
	for i := range out {
		explore := math.Sqrt(fmath.Log1p(total[i])) / (1 + visits[i])
		weight := 0.5
		if visits[i] == 0 {
			weight = fmath.Pow(prior[i], 0.3)
		} else if visits[i] < 4 {
			weight = min(prior[i]*nodes[i], 2)
		}
		if depth[i] > 12 {
			explore *= fmath.Tanh(12 / depth[i])
		}
		score := rank[i] + float64(weight*explore) - float64(0.01*depth[i])
		if rank[i] > 0.9 {
			out[i] = max(score, 0.95)
		} else {
			out[i] = score + 0.1*(1-prior[i])/nodes[i]
		}
	}
}

var speedCases = []speedCase{{"r1", nativeR1, loopR1}, {"r2", nativeR2, loopR2}, {"r3", nativeR3, loopR3}}

// speedRows is how many different rows a comparison goes through.
const speedRows = 1024

// speedColumns draws the columns of the priority signature as a search has them: most nodes have few visits and a middling
// depth. Of r3's conditions the first holds for a fifth of the rows, the others for 0.4, 0.16 and 0.1.
func speedColumns(rows int) [][]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	cols := make([][]float64, 6)
	for range rows {
		visits, nodes := math.Floor(4*rng.ExpFloat64()), float64(1+rng.IntN(500))
		depth := float64(rng.IntN(7) + rng.IntN(7) + rng.IntN(7))
		row := []float64{rng.Float64(), visits, visits + float64(rng.IntN(1000)), rng.Float64(), depth, nodes}
		for i, v := range row {
			cols[i] = append(cols[i], v)
		}
	}
	return cols
}

func speedProgram(tb testing.TB, name string) *dsl.Program {
	tb.Helper()
	path := filepath.Join("testdata", "bench", name+".rule")
	src, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	file, err := dsl.Parse(path, string(src))
	if err != nil {
		tb.Fatal(err)
	}
	rule := file.Decls[0].(*dsl.Rule)
	sig := &dsl.Signature{Name: dsl.Ident{Text: "selection.priority"}, Result: dsl.NumType}
	for _, in := range rule.Inputs {
		sig.Inputs = append(sig.Inputs, &dsl.Input{Name: in, Type: dsl.NumType, Hi: 1e8})
	}
	p, err := dsl.Compile(rule, sig)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// rowsOf turns columns into rows.
func rowsOf(cols [][]float64) [][]float64 {
	rows := make([][]float64, len(cols[0]))
	for r := range rows {
		for _, col := range cols {
			rows[r] = append(rows[r], col[r])
		}
	}
	return rows
}

// TestNativeFunctionsAreTheRules holds what the benchmarks compare to the rules, bit for bit.
func TestNativeFunctionsAreTheRules(t *testing.T) {
	cols := speedColumns(speedRows)
	out := make([]float64, speedRows)
	for _, c := range speedCases {
		p := speedProgram(t, c.name)
		c.loop(cols, out)
		for i, r := range rowsOf(cols) {
			sameBits(t, c.name, c.native(r[0], r[1], r[2], r[3], r[4], r[5]), p.Num(r))
			sameBits(t, c.name+" loop", out[i], p.Num(r))
		}
	}
}

// sink keeps the compiler from dropping what is measured.
var sink float64

// BenchmarkScalar reports one evaluation by the program and by the same function in Go, in alternating slices.
func BenchmarkScalar(b *testing.B) {
	rows := rowsOf(speedColumns(speedRows))
	for _, c := range speedCases {
		p := speedProgram(b, c.name)
		b.Run(c.name, func(b *testing.B) {
			var ratio, ns, native float64
			for b.Loop() {
				ratio, ns, native = paired.Compare(speedSlices, func(n int) {
					sum := 0.0
					for i := range n {
						sum += p.Num(rows[i%speedRows])
					}
					sink = sum
				}, func(n int) {
					sum := 0.0
					for i := range n {
						r := rows[i%speedRows]
						sum += c.native(r[0], r[1], r[2], r[3], r[4], r[5])
					}
					sink = sum
				})
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ratio, "×native")
			b.ReportMetric(ns, "ns/eval")
			b.ReportMetric(native, "ns/native")
			b.ReportMetric(testing.AllocsPerRun(1000, func() { sink = p.Num(rows[0]) }), "allocs/eval")
		})
	}
}

// BenchmarkBatch reports a row of a batch by the program and by the same loop in Go, in alternating slices.
func BenchmarkBatch(b *testing.B) {
	for _, rows := range []int{8, 32, 256, 1024} {
		cols := speedColumns(rows)
		out := make([]float64, rows)
		for _, c := range speedCases {
			p := speedProgram(b, c.name)
			b.Run(fmt.Sprintf("%s/rows=%d", c.name, rows), func(b *testing.B) {
				var ratio, ns, native float64
				for b.Loop() {
					ratio, ns, native = paired.Compare(speedSlices, func(n int) {
						for range n {
							p.Batch(cols, out)
						}
					}, func(n int) {
						for range n {
							c.loop(cols, out)
						}
					})
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(ratio, "×native")
				b.ReportMetric(ns/float64(rows), "ns/row")
				b.ReportMetric(native/float64(rows), "ns/native")
				b.ReportMetric(testing.AllocsPerRun(1000, func() { p.Batch(cols, out) }), "allocs/batch")
			})
		}
	}
}

// BenchmarkToProgram reports what it costs until a rule runs: from its tree and from its text to a checked program, and
// what expr and CEL take from text to program for the same rule as one expression, in alternating slices.
func BenchmarkToProgram(b *testing.B) {
	for _, c := range speedCases {
		src, err := os.ReadFile(filepath.Join("testdata", "bench", c.name+".rule"))
		if err != nil {
			b.Fatal(err)
		}
		rule := parse(b, string(src))
		sig := signatureFor(rule)
		checker := dsl.NewChecker(sig, dsl.Limits{}, nil)
		fromTree := func() {
			if err := checker.AST(rule); err != nil {
				b.Fatal(err)
			}
			if _, err := dsl.Compile(rule, sig); err != nil {
				b.Fatal(err)
			}
		}
		fromText := func() {
			f, err := dsl.Parse(c.name, string(src))
			if err != nil {
				b.Fatal(err)
			}
			r, _ := dsl.First[*dsl.Rule](f)
			if ds := checker.Text(r); len(ds) > 0 {
				b.Fatal(ds)
			}
			if _, err := dsl.Compile(r, sig); err != nil {
				b.Fatal(err)
			}
		}
		exprCompile, celCompile := exprCompiler(b), celCompiler(b)
		times := func(f func()) func(n int) {
			return func(n int) {
				for range n {
					f()
				}
			}
		}
		b.Run(c.name, func(b *testing.B) {
			var ns []float64
			for b.Loop() {
				ns = paired.Times(speedSlices, times(fromTree), times(fromText),
					times(func() { exprCompile(engineTexts[c.name]) }), times(func() { celCompile(engineTexts[c.name]) }))
			}
			b.ReportMetric(0, "ns/op")
			for i, name := range []string{"µs/tree", "µs/text", "µs/expr", "µs/CEL"} {
				b.ReportMetric(ns[i]/1e3, name)
			}
		})
	}
}
