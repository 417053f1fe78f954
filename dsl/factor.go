package dsl

import (
	"math/bits"
	"slices"
	"strconv"
)

// Part is a piece of a program that reads the inputs of one group.
type Part struct {
	Group   int      // index among the groups that Factor was given
	Program *Program // of the arguments of the whole program
}

// Limits of Factor.
const (
	// leastPart is the least work that makes a part: less is done as fast as its outcome is fetched.
	leastPart = 3
	dearPart  = 10 // the work of a dear operation
	maxParts  = 8
)

// Factor takes a rule's program apart: each of the parts reads inputs of one group only, and rest finishes the work, given
// the arguments of the program followed by the values of the parts, in order. The values of rest are those of the program,
// bit for bit. An input may belong to several groups.
//
// It is for hosts that meet the inputs of a group in the same combinations over and over: they tabulate the parts. When no
// part is worth that, when there are more than eight, and for hooks and what Factor itself returned, there are no parts and rest is nil.
func (p *Program) Factor(groups ...[]int) (parts []Part, rest *Program) {
	if p.source == nil || p.source.on || len(p.states) > 0 {
		return nil, nil
	}
	g, outputs, err := lower(p.source)
	if err != nil {
		return nil, nil
	}
	cut := g.cut(outputs[0], groups)
	if len(cut) == 0 || len(cut) > maxParts {
		return nil, nil
	}
	rest = &Program{result: p.result, inputs: p.inputs + len(cut), names: slices.Clone(p.names)}
	remainder := &graph{values: slices.Clone(g.values), groups: g.groups}
	for i, c := range cut {
		part := &Program{result: NumType, inputs: p.inputs, names: p.names}
		if part.assemble(g, []id{c.value}, false) != nil {
			return nil, nil
		}
		parts = append(parts, Part{c.group, part})
		rest.names = append(rest.names, "part"+strconv.Itoa(i))
		remainder.values[c.value] = value{op: vArg, arg: [3]id{id(p.inputs + i)}}
	}
	if rest.assemble(remainder, outputs, false) != nil {
		return nil, nil
	}
	return parts, rest
}

// cutValue is a value to be given from outside.
type cutValue struct {
	value id
	group int
}

// cut finds the largest sub-expressions of a value that read inputs of one group only and are worth being parts.
func (g *graph) cut(output id, groups [][]int) []cutValue {
	within := make([]uint64, len(g.values)) // groups that have all inputs the value reads
	work := make([]int, len(g.values))
	for x := range g.values {
		v := &g.values[x]
		within[x] = 1<<len(groups) - 1
		if v.op == vArg {
			for k, group := range groups {
				if !slices.Contains(group, int(v.arg[0])) {
					within[x] &^= 1 << k
				}
			}
		}
		if v.op > vArg {
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
	var parts []cutValue
	read := make([]bool, len(g.values))
	read[output] = true
	for x := len(g.values) - 1; x >= 0; x-- { // users before what they use
		v := &g.values[x]
		switch {
		case !read[x]:
		case within[x] != 0 && work[x] >= leastPart:
			parts = append(parts, cutValue{id(x), bits.TrailingZeros64(within[x])})
		default:
			for _, o := range v.arg[:v.op.arity()] {
				read[o] = true
			}
		}
	}
	return parts
}
