package binpack

import (
	"math"

	"github.com/agentdescent/adrun/dsl"
)

// factorer is a rule that can be taken apart; *dsl.Program is one. See [dsl.Program.Factor].
type factorer interface {
	Factor(groups ...[]int) ([]dsl.Part, *dsl.Program)
}

// factored is a rule taken apart into what looks at one bin, what looks at the bin before it, and the rest. Few pairs of
// an item and a remaining capacity ever occur, so the parts are tabulated; a step does the rest only.
type factored struct {
	rest  *dsl.Program // nil when the rule is in one piece
	parts []part
	args  [NumInputs]float64
}

// part is a part of a rule and its table.
type part struct {
	program  *dsl.Program
	previous bool        // it looks at the bin before
	rows     [][]float64 // [size][remaining]: values, unasked where not known; empty for sizes that did not occur
	column   []float64   // values for the valid bins
}

const (
	// maxFactored bounds the capacity up to which parts are tabulated, at most 2 MB for each.
	maxFactored = 512
	// unasked are the bits of a NaN that no program returns.
	unasked = 0x7ff8_dead_0000_0000
)

// take takes a rule apart for a capacity and forgets all about another.
func (f *factored) take(rule Priority, capacity int) {
	f.rest, f.parts = nil, f.parts[:0]
	whole, ok := rule.(factorer)
	if !ok || capacity > maxFactored {
		return
	}
	var pieces []dsl.Part
	pieces, f.rest = whole.Factor([]int{Item, Bin, Cap, MaxBin}, []int{Item, Prev, HasPrev, Cap, MaxBin})
	f.args[Cap], f.args[MaxBin] = float64(capacity), float64(capacity)
	for _, piece := range pieces {
		if len(f.parts) == cap(f.parts) {
			f.parts = append(f.parts, part{})
		} else {
			f.parts = f.parts[:len(f.parts)+1] // with the memory of an earlier rule's
		}
		p := &f.parts[len(f.parts)-1]
		p.program, p.previous = piece.Program, piece.Group == 1
		for len(p.rows) <= capacity {
			p.rows = append(p.rows, nil)
		}
		for size := range p.rows {
			p.rows[size] = p.rows[size][:0]
		}
	}
}

// grow makes room for n valid bins.
func (f *factored) grow(n int) {
	for i := range f.parts {
		if len(f.parts[i].column) < n {
			f.parts[i].column = make([]float64, n)
		}
	}
}

// find fills the columns for an item; lefts are 0 and the remaining capacities of the valid bins.
func (f *factored) find(size float64, lefts []float64) {
	f.args[Item] = size
	n := len(lefts) - 1
	for i := range f.parts {
		p := &f.parts[i]
		looked := lefts[1:]
		if p.previous {
			looked = lefts[:n]
		}
		row, column := p.row(int(size), int(f.args[Cap])+1), p.column[:n]
		for i, left := range looked {
			value := row[int(left)]
			if math.Float64bits(value) == unasked {
				value = f.ask(p, left)
				row[int(left)] = value
			}
			column[i] = value
		}
	}
}

// row returns the values for a size, of which there are n.
func (p *part) row(size, n int) []float64 {
	row := p.rows[size]
	if len(row) == n {
		return row
	}
	if cap(row) < n {
		row = make([]float64, n)
	}
	row = row[:n]
	for i := range row {
		row[i] = math.Float64frombits(unasked)
	}
	p.rows[size] = row
	return row
}

// ask evaluates a part.
func (f *factored) ask(p *part, left float64) float64 {
	if p.previous {
		f.args[Prev], f.args[HasPrev] = left, min(left, 1) // what is left in a valid bin is at least 1
	} else {
		f.args[Bin] = left
	}
	return p.program.Num(f.args[:])
}
