package gate

import (
	"fmt"
	"slices"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate/prove"
)

// ensure is a contract over inputs and result, compiled.
type ensure struct {
	clause  *dsl.Clause
	program *dsl.Program
}

// shape is a contract on the direction in which the result moves with an input, with a second
// grid: each point's neighbour, which differs in that input alone and satisfies the assumptions
// too. A point without a neighbour is its own.
type shape struct {
	clause *dsl.Clause
	input  int
	dir    prove.Direction
	cols   [][]float64
}

// resultName is what an ensure clause calls the result.
const resultName = "result"

// prepare compiles the signature's contracts.
func (g *Gate) prepare(allow func([]float64) bool) error {
	sig := g.cfg.Signature
	inputs := append(slices.Clone(sig.Inputs), &dsl.Input{Name: dsl.Ident{Text: resultName}, Type: sig.Result})
	for _, c := range sig.Clauses {
		switch c.Kind {
		case dsl.EnsureClause:
			p, err := condition(sig, inputs, c.Expr)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", clauseText(c), sig.Name.Text, err)
			}
			g.ensures = append(g.ensures, ensure{c, p})
		case dsl.IncreasingClause, dsl.DecreasingClause:
			dir := prove.Increasing
			if c.Kind == dsl.DecreasingClause {
				dir = prove.Decreasing
			}
			at := slices.IndexFunc(sig.Inputs, func(in *dsl.Input) bool { return in.Name.Text == c.Input.Text })
			g.shapes = append(g.shapes, shape{clause: c, input: at, dir: dir, cols: g.neighbours(at, allow)})
		}
	}
	return nil
}

// neighbours returns the grid's columns with the values of one input exchanged between points.
func (g *Gate) neighbours(at int, allow func([]float64) bool) [][]float64 {
	cols := slices.Clone(g.grid.cols)
	cols[at] = slices.Clone(cols[at])
	for i := range g.grid.n {
		p := g.grid.Point(i)
		for k := 1; k < g.grid.n; k++ {
			x := g.grid.cols[at][(i+k)%g.grid.n]
			if x == g.grid.cols[at][i] {
				continue
			}
			if p[at] = x; allow(p) {
				cols[at][i] = x
				break
			}
		}
	}
	return cols
}

// contractsOnGrid checks every contract on the grid.
func (b *bench) contractsOnGrid() bool {
	var findings []finding
	for _, e := range b.ensures {
		if c, ok := b.ensureOnGrid(e); !ok {
			b.contracts = append(b.contracts, c)
			findings = append(findings, b.broken(c))
		}
	}
	for i := range b.shapes {
		if c, ok := b.shapeOnGrid(&b.shapes[i]); !ok {
			b.contracts = append(b.contracts, c)
			findings = append(findings, b.broken(c))
		}
	}
	if len(findings) > 0 {
		return b.refuse(Contracts, findings...)
	}
	return true
}

func (b *bench) ensureOnGrid(e ensure) (Contract, bool) {
	truth := make([]float64, b.grid.n)
	e.program.Batch(append(slices.Clone(b.grid.cols), b.out), truth)
	for i, v := range truth {
		if v == 0 {
			return Contract{e.clause, prove.Proof{
				Answer: prove.Refuted, Witness: b.grid.Point(i), Value: b.out[i], Reason: "a point of the grid",
			}}, false
		}
	}
	return Contract{}, true
}

func (b *bench) shapeOnGrid(s *shape) (Contract, bool) {
	moved := make([]float64, b.grid.n)
	b.program.BatchIn(&b.scratch, s.cols, moved)
	for i, v := range moved {
		here, there := b.grid.Point(i), b.grid.Point(i)
		there[s.input] = s.cols[s.input][i]
		w := b.out[i]
		if here[s.input] > there[s.input] {
			here, there, v, w = there, here, w, v
		}
		if here[s.input] < there[s.input] && prove.WrongMove(s.dir, w, v) {
			return Contract{s.clause, prove.Proof{
				Answer: prove.Refuted, Witness: here, Value: w, Other: there, OtherValue: v, Reason: "two points of the grid",
			}}, false
		}
	}
	return Contract{}, true
}

// broken is the finding that a contract fails.
func (b *bench) broken(c Contract) finding {
	p := c.Proof
	result := b.cfg.Signature.Result
	if p.Other == nil {
		return finding{code: CodeContract, message: fmt.Sprintf("%s fails: result = %s at %s",
			c.Text(), FormatValue(result, p.Value), b.atAll(p.Witness))}
	}
	return finding{code: CodeContract, message: fmt.Sprintf("%s fails: from %s = %s to %s the result goes from %s to %s at %s",
		c.Text(), c.Clause.Input.Text, b.value(c, p.Witness), b.value(c, p.Other), FormatValue(result, p.Value), FormatValue(result, p.OtherValue), b.at(p.Witness))}
}

// atAll writes a point with the inputs that the rule reads; a contract may read others, so that a rule which
// reads few is shown with all.
func (b *bench) atAll(point []float64) string { return FormatPoint(b.cfg.Signature, point, nil) }

// value writes the value that the contract's input has at a point.
func (b *bench) value(c Contract, point []float64) string {
	for i, in := range b.cfg.Signature.Inputs {
		if in.Name.Text == c.Clause.Input.Text {
			return FormatValue(in.Type, point[i])
		}
	}
	return ""
}

// proveContracts looks for a proof of every contract.
func (g *Gate) proveContracts(rule *dsl.Rule, p *dsl.Program, boxes int) []Contract {
	var out []Contract
	for _, e := range g.ensures {
		holds := func(point []float64, result float64) bool {
			return e.program.Bool(append(slices.Clone(point), result))
		}
		out = append(out, Contract{e.clause, g.prover.Ensure(rule, e.clause.Expr, p.Num, holds, boxes)})
	}
	for _, s := range g.shapes {
		out = append(out, Contract{s.clause, g.prover.Shape(rule, s.clause.Input.Text, s.dir, p.Num, nil, boxes)})
	}
	return out
}

// seeds returns the grid's points.
func (g *Gate) seeds() [][]float64 {
	out := make([][]float64, g.grid.n)
	for i := range out {
		out[i] = g.grid.Point(i)
	}
	return out
}
