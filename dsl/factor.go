package dsl

import (
	"slices"
	"strconv"

	"github.com/agentdescent/adrun/dsl/internal/machine"
)

// Part is a piece of a program that reads the inputs of one group.
type Part struct {
	Group   int      // index among the groups that Factor was given
	Program *Program // of the arguments of the whole program
}

// maxParts is the number of parts up to which Factor takes a program apart.
const maxParts = 8

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
	cut := g.Cut(outputs[0], groups)
	if len(cut) == 0 || len(cut) > maxParts {
		return nil, nil
	}
	rest = &Program{result: p.result, inputs: p.inputs + len(cut), names: slices.Clone(p.names)}
	for i, c := range cut {
		part := &Program{result: NumType, inputs: p.inputs, names: p.names}
		if part.code.Assemble(g, []machine.ID{c.Value}, len(part.names), false) != nil {
			return nil, nil
		}
		parts = append(parts, Part{c.Group, part})
		rest.names = append(rest.names, "part"+strconv.Itoa(i))
	}
	if rest.code.Assemble(g.Given(cut, p.inputs), outputs, len(rest.names), false) != nil {
		return nil, nil
	}
	return parts, rest
}
