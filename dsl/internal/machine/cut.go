package machine

import (
	"math/bits"
	"slices"
)

// Limits of what Cut cuts.
const (
	// leastPart is the least work that makes a part: less is done as fast as its outcome is fetched.
	leastPart = 3
	dearPart  = 10 // the work of a dear operation
)

// Piece is a value that reads the arguments of one group only.
type Piece struct {
	Value ID
	Group int
}

// Cut finds the largest sub-expressions of a value that read arguments of one group only and are worth being parts.
func (g *Graph) Cut(output ID, groups [][]int) []Piece {
	within := make([]uint64, len(g.values)) // groups that have all arguments the value reads
	work := make([]int, len(g.values))
	for x := range g.values {
		v := &g.values[x]
		within[x] = 1<<len(groups) - 1
		if v.op == Arg {
			for k, group := range groups {
				if !slices.Contains(group, int(v.arg[0])) {
					within[x] &^= 1 << k
				}
			}
		}
		if v.op > Arg {
			work[x] = 1
		}
		if v.op.dear() {
			work[x] = dearPart
		}
		for _, o := range v.arg[:v.op.arity()] {
			within[x] &= within[o]
			work[x] = min(work[x]+work[o], dearPart)
		}
	}
	var parts []Piece
	read := make([]bool, len(g.values))
	read[output] = true
	for x := len(g.values) - 1; x >= 0; x-- { // users before what they use
		v := &g.values[x]
		switch {
		case !read[x]:
		case within[x] != 0 && work[x] >= leastPart:
			parts = append(parts, Piece{ID(x), bits.TrailingZeros64(within[x])})
		default:
			for _, o := range v.arg[:v.op.arity()] {
				read[o] = true
			}
		}
	}
	return parts
}

// Given returns the graph in which the values of the pieces are arguments, from number first on.
func (g *Graph) Given(pieces []Piece, first int) *Graph {
	rest := &Graph{values: slices.Clone(g.values), groups: g.groups}
	for i, p := range pieces {
		rest.values[p.Value] = value{op: Arg, arg: [3]ID{ID(first + i)}}
	}
	return rest
}
