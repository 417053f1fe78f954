package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/slots"
)

// gated lets rules through a gate.Gate.
type gated struct {
	gate *gate.Gate
}

// Gated makes a gate the door of rules. It also tells how far apart two rules rank the points of its grid.
func Gated(g *gate.Gate) RuleGate { return gated{gate: g} }

func (g gated) Text(src string) (Admitted, error)  { return admitted(g.gate.Check(src)) }
func (g gated) Tree(r *dsl.Rule) (Admitted, error) { return admitted(g.gate.CheckAST(r)) }
func (g gated) Columns() (cols [][]float64, points int) {
	return g.gate.Grid().Columns(), g.gate.Grid().Len()
}

// admitted turns a verdict into what the engine goes on with.
func admitted(v gate.Verdict) (Admitted, error) {
	if v.OK {
		return Admitted{Rule: v.Rule, Program: v.Program, Identity: dsl.Identity(v.Rule)}, nil
	}
	return Admitted{}, refusalOf(v.Diags.Err())
}

// gridded is implemented by gates that have a grid: columns of input values, and their length.
type gridded interface {
	Columns() (cols [][]float64, points int)
}

// Distance is the mean change of the normalised rank between two rules on the gate's grid, in [0, 0.5]; 0
// without a grid or for a text that may not run.
func (s *Rules) Distance(a, b slots.State) float64 {
	g, ok := s.gate.(gridded)
	if !ok || a.Equal(b) {
		return 0
	}
	cols, n := g.Columns()
	ra, rb := s.ranks(a, cols, n), s.ranks(b, cols, n)
	if n < 2 || ra == nil || rb == nil {
		return 0
	}
	sum := 0.0
	for i := range n {
		sum += math.Abs(ra[i] - rb[i])
	}
	return sum / float64(n) / float64(n-1)
}

// ranks evaluates a rule on every point and ranks the values from 0, equal values sharing their mean rank.
func (s *Rules) ranks(st slots.State, cols [][]float64, n int) []float64 {
	c, err := s.Ready("", st)
	if err != nil {
		return nil
	}
	values := make([]float64, n)
	c.Program.Batch(cols, values)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks := make([]float64, n)
	for i := 0; i < n; {
		j := i + 1
		for j < n && cmp.Compare(values[order[i]], values[order[j]]) == 0 {
			j++
		}
		for _, p := range order[i:j] {
			ranks[p] = float64(i+j-1) / 2
		}
		i = j
	}
	return ranks
}

var _ Distancer = (*Rules)(nil)
