package gate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/gate/prove"
)

// DefaultGridPoints is the size of a grid that does not say otherwise.
const DefaultGridPoints = 256

// Grid is a fixed set of points of a signature on which every candidate is run: the signature's own
// cases, corners of the domains, each word, and a low-discrepancy sample that is uniform on narrow
// domains and log-uniform on wide ones. Every point satisfies the assumptions and is whole where
// the input is. The same signature and size give the same grid everywhere. It is immutable.
type Grid struct {
	cols     [][]float64
	n        int
	identity string
}

// Len returns the number of points. A signature with few values has fewer than were asked for.
func (g *Grid) Len() int { return g.n }

// Columns returns a column of values for each input, for Program.Batch; they must not be changed.
func (g *Grid) Columns() [][]float64 { return g.cols }

// Point returns a copy of point i: a value for each input.
func (g *Grid) Point(i int) []float64 {
	p := make([]float64, len(g.cols))
	for k, c := range g.cols {
		p[k] = c[i]
	}
	return p
}

// Identity is a hash of the points.
func (g *Grid) Identity() string { return g.identity }

// gridBuilder collects distinct points.
type gridBuilder struct {
	sig    *dsl.Signature
	prover *prove.Prover
	allow  func(point []float64) bool
	want   int
	points [][]float64
	seen   map[string]bool
}

// newGrid builds the grid of a signature with about n points. Cases come first, and may be
// more than n.
func newGrid(sig *dsl.Signature, p *prove.Prover, allow func([]float64) bool, n int) (*Grid, error) {
	b := &gridBuilder{sig: sig, prover: p, allow: allow, want: n, seen: map[string]bool{}}
	b.cases()
	b.corners()
	b.words()
	b.sample()
	if len(b.points) == 0 {
		return nil, fmt.Errorf("signature %s: no point of its domains satisfies its assumptions; relax an assume", sig.Name.Text)
	}
	return b.grid(), nil
}

func (b *gridBuilder) grid() *Grid {
	g := &Grid{n: len(b.points), cols: make([][]float64, len(b.sig.Inputs))}
	h := sha256.New()
	for i := range g.cols {
		g.cols[i] = make([]float64, g.n)
		for k, p := range b.points {
			g.cols[i][k] = p[i]
		}
		for _, x := range g.cols[i] {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	g.identity = hex.EncodeToString(h.Sum(nil)[:16])
	return g
}

// add appends a point that is new.
func (b *gridBuilder) add(p []float64) {
	key := make([]byte, 0, 8*len(p))
	for _, x := range p {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
	}
	if !b.seen[string(key)] {
		b.seen[string(key)] = true
		b.points = append(b.points, p)
	}
}

func (b *gridBuilder) full() bool { return len(b.points) >= b.want }

// cases adds the signature's own points. One that breaks an assumption never occurs.
func (b *gridBuilder) cases() {
	for _, c := range b.sig.Clauses {
		if c.Kind != dsl.CaseClause {
			continue
		}
		p := make([]float64, len(b.sig.Inputs))
		for i, in := range b.sig.Inputs {
			for _, a := range c.Args {
				if a.Name.Text == in.Name.Text {
					p[i] = argument(in.Type, a.Value)
				}
			}
		}
		b.sig.Clamp(p)
		if b.allow(p) {
			b.add(p)
		}
	}
}

// argument is the value that a literal of a case stands for.
func argument(t dsl.Type, e dsl.Expr) float64 {
	switch e := e.(type) {
	case *dsl.Num:
		return e.Value
	case *dsl.Bool:
		if e.Value {
			return 1
		}
	case *dsl.Ref:
		for i, w := range t.Words {
			if w == e.Name {
				return float64(i)
			}
		}
	}
	return 0
}

// corners adds the lowest and the highest point, those that differ from either in one input, and,
// of few inputs, all others; at most a quarter of the grid.
func (b *gridBuilder) corners() {
	d := len(b.sig.Inputs)
	limit := len(b.points) + max(b.want/4, 2)
	corner := func(high func(i int) bool) {
		if len(b.points) >= limit || b.full() {
			return
		}
		u := make([]float64, d)
		for i := range u {
			if high(i) {
				u[i] = 1
			}
		}
		b.place(u, 0)
	}
	corner(func(int) bool { return false })
	corner(func(int) bool { return true })
	for k := range d {
		corner(func(i int) bool { return i == k })
		corner(func(i int) bool { return i != k })
	}
	for mask := 0; d <= 6 && mask < 1<<d; mask++ {
		corner(func(i int) bool { return mask>>i&1 == 1 })
	}
}

// words adds a point for every word and truth value, the other inputs in the middle.
func (b *gridBuilder) words() {
	for i, in := range b.sig.Inputs {
		n := len(in.Type.Words)
		if in.Type.Kind == dsl.BoolKind {
			n = 2
		}
		for w := range n {
			if b.full() {
				return
			}
			u := make([]float64, len(b.sig.Inputs))
			for k := range u {
				u[k] = 0.5
			}
			u[i] = (float64(w) + 0.5) / float64(n)
			b.place(u, i)
		}
	}
}

// triesPerPoint bounds the search for points in a space of few values.
const triesPerPoint = 8

// sample fills the grid from an additive recurrence: point k has the fractional parts of ½ + k·αᵢ,
// αᵢ the powers of 1/φ, where φ > 1 solves φ^(d+1) = φ + 1 (M. Roberts, "The unreasonable
// effectiveness of quasirandom sequences", 2018). Each point fixes its inputs in another order, so
// that no input has the first choice under the assumptions.
func (b *gridBuilder) sample() {
	d := len(b.sig.Inputs)
	if d == 0 {
		b.place(nil, 0)
		return
	}
	phi := 2.0
	for range 64 { // the fixed-point iteration contracts by at least 2 a step
		phi = fmath.Pow(1+phi, 1/float64(d+1))
	}
	for k := 1; k <= triesPerPoint*b.want && !b.full(); k++ {
		u := make([]float64, d)
		alpha := 1.0
		for i := range u {
			alpha /= phi
			x := 0.5 + float64(float64(k)*alpha)
			u[i] = x - math.Floor(x)
		}
		b.place(u, k%d)
	}
}

// place adds the point at the shares u of the domains, if the assumptions leave one.
func (b *gridBuilder) place(u []float64, first int) {
	if p, ok := b.prover.Sample(u, first); ok {
		b.add(p)
	}
}
