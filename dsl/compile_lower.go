package dsl

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agentdescent/adrun/dsl/internal/machine"
)

// lowerer turns the statements of a unit into a graph. Each variable (a local, a state, a counter) has a current value; a
// branch is lowered arm by arm from the same values, and what the arms changed is merged by selects. A return inside a
// branch becomes an exit: a condition and a value that wait for the rest of the block.
type lowerer struct {
	u      *unit
	g      *machine.Graph
	locals map[string]int // variable of each visible local
	vars   []machine.ID   // current value of each variable
	log    []change       // what to restore to leave an arm
}

// change is a variable's value before it was assigned.
type change struct {
	variable int
	old      machine.ID
}

// exit is a return that happens where cond holds and no earlier exit did.
type exit struct {
	cond, value machine.ID
}

// Variables that an on hook has besides its states.
const (
	clampedVar = iota
	nanVar
	firstStateVar
)

// lower returns the graph of u and its outputs: the result; of an on hook the counters and the final states instead.
func lower(u *unit) (*machine.Graph, []machine.ID, error) {
	l := &lowerer{u: u, g: machine.NewGraph(64), locals: map[string]int{}}
	if u.on {
		l.vars = append(l.vars, l.g.Constant(0), l.g.Constant(0))
		for i := range u.states {
			l.vars = append(l.vars, l.g.Argument(len(u.inputs)+i))
		}
	}
	value, returned, exits, err := l.block(u.body)
	switch {
	case err != nil:
		return nil, nil, err
	case u.on && (returned || len(exits) > 0):
		return nil, nil, l.fault("an on hook returns nothing")
	case u.on:
		return l.g, l.vars[:firstStateVar+len(u.states)], nil
	case !returned:
		return nil, nil, l.fault("a path does not return")
	}
	return l.g, []machine.ID{value}, nil
}

func (l *lowerer) fault(format string, args ...any) error {
	return fmt.Errorf("compile %s: %s", l.u.what, fmt.Sprintf(format, args...))
}

// block lowers the statements of b. If every path returns, value is what it returns; else exits are the returns that may
// have happened before its end.
func (l *lowerer) block(b *Block) (value machine.ID, returned bool, exits []exit, err error) {
	var declared []string
	defer func() {
		for _, name := range declared {
			delete(l.locals, name)
		}
	}()
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Let:
			if value, err = l.expr(s.Value); err != nil {
				return 0, false, nil, err
			}
			l.locals[s.Name.Text] = len(l.vars)
			l.vars = append(l.vars, value)
			declared = append(declared, s.Name.Text)
		case *Assign:
			if err = l.assign(s); err != nil {
				return 0, false, nil, err
			}
		case *Return:
			value, err = l.expr(s.Value)
			return l.leave(exits, value), true, nil, err
		case *If:
			value, returned, more, err := l.branch(s)
			exits = append(exits, more...)
			if err != nil || returned {
				return l.leave(exits, value), true, nil, err
			}
		}
	}
	return 0, false, exits, nil
}

// leave is the value of a block that returns value unless it left by an exit before.
func (l *lowerer) leave(exits []exit, value machine.ID) machine.ID {
	for i := len(exits) - 1; i >= 0; i-- {
		value = l.g.Choose(l.g.NewGroup(), exits[i].cond, exits[i].value, value)
	}
	return value
}

func (l *lowerer) assign(s *Assign) error {
	v, err := l.expr(s.Value)
	if err != nil {
		return err
	}
	variable, local := l.locals[s.Name.Text]
	state := -1
	if !local {
		sym, ok := l.u.names[s.Name.Text]
		if !ok || sym.kind != isState || !l.u.on {
			return l.fault("%q cannot be assigned", s.Name.Text)
		}
		state = sym.index
		variable = firstStateVar + state
	}
	old := l.vars[variable]
	switch s.Op {
	case AddSet:
		v = l.g.Binary(machine.Add, old, v)
	case SubSet:
		v = l.g.Binary(machine.Sub, old, v)
	case MulSet:
		v = l.g.Binary(machine.Mul, old, v)
	case DivSet:
		v = l.g.Binary(machine.Div, old, v)
	}
	if local {
		l.set(variable, v)
	} else {
		l.write(l.u.states[state], variable, v)
	}
	return nil
}

func (l *lowerer) set(variable int, v machine.ID) {
	l.log = append(l.log, change{variable, l.vars[variable]})
	l.vars[variable] = v
}

// write assigns a state: clamped to its bounds, NaN keeps the old value, both counted.
func (l *lowerer) write(s *State, variable int, v machine.ID) {
	g := l.g
	lo, hi, one := g.Constant(s.Lo), g.Constant(s.Hi), g.Constant(1)
	below, above, isNaN := g.Binary(machine.Lt, v, lo), g.Binary(machine.Lt, hi, v), g.Binary(machine.Ne, v, v)
	clamped, nan := l.vars[clampedVar], l.vars[nanVar]
	l.set(clampedVar, g.Choose(g.NewGroup(), g.Or(below, above), g.Binary(machine.Add, clamped, one), clamped))
	l.set(nanVar, g.Choose(g.NewGroup(), isNaN, g.Binary(machine.Add, nan, one), nan))
	v = g.Choose(g.NewGroup(), below, lo, g.Choose(g.NewGroup(), above, hi, v))
	l.set(variable, g.Choose(g.NewGroup(), isNaN, l.vars[variable], v))
}

// arm is the outcome of one arm of a branch.
type armOutcome struct {
	cond     machine.ID
	value    machine.ID
	returned bool
	exits    []exit
	changed  map[int]machine.ID // final values of the variables it assigned
}

// branch lowers an if with all its arms, as block does.
func (l *lowerer) branch(s *If) (value machine.ID, returned bool, exits []exit, err error) {
	arms := make([]armOutcome, 0, len(s.Arms)+1)
	for _, a := range s.Arms {
		cond, err := l.expr(a.Cond)
		if err != nil {
			return 0, false, nil, err
		}
		arm, err := l.arm(a.Body)
		if err != nil {
			return 0, false, nil, err
		}
		arm.cond = cond
		arms = append(arms, arm)
	}
	last := armOutcome{}
	if s.Else != nil {
		if last, err = l.arm(s.Else); err != nil {
			return 0, false, nil, err
		}
	}
	last.cond = l.g.Constant(1)
	arms = append(arms, last)
	value, returned, exits = l.mergeReturns(arms)
	if !returned {
		l.mergeVariables(arms)
	}
	return value, returned, exits, nil
}

// arm lowers one arm and takes back what it assigned.
func (l *lowerer) arm(b *Block) (armOutcome, error) {
	mark, depth := len(l.log), len(l.vars)
	value, returned, exits, err := l.block(b)
	out := armOutcome{value: value, returned: returned, exits: exits}
	for i := len(l.log) - 1; i >= mark; i-- {
		c := l.log[i]
		if c.variable < depth {
			if out.changed == nil {
				out.changed = map[int]machine.ID{}
			}
			if _, later := out.changed[c.variable]; !later {
				out.changed[c.variable] = l.vars[c.variable]
			}
		}
		l.vars[c.variable] = c.old
	}
	l.log = l.log[:mark]
	l.vars = l.vars[:depth]
	return out, err
}

// mergeReturns gives the value of a branch all of whose arms return; otherwise the exits of those that do.
func (l *lowerer) mergeReturns(arms []armOutcome) (value machine.ID, returned bool, exits []exit) {
	returned = true
	for _, a := range arms {
		returned = returned && a.returned
	}
	if returned {
		value = arms[len(arms)-1].value
		for i := len(arms) - 2; i >= 0; i-- {
			value = l.g.Choose(l.g.NewGroup(), arms[i].cond, arms[i].value, value)
		}
		return value, true, nil
	}
	// open holds where an earlier arm ran without returning for certain, so that a later one did not run.
	open := l.g.Constant(0)
	for _, a := range arms {
		reached := l.g.Choose(l.g.NewGroup(), open, l.g.Constant(0), a.cond)
		if a.returned {
			exits = append(exits, exit{reached, a.value})
			continue
		}
		if len(a.exits) > 0 {
			exits = append(exits, l.collapse(reached, a.exits))
		}
		open = l.g.Or(open, a.cond)
	}
	return 0, false, exits
}

// collapse makes one exit of those that an arm may leave by, so that nesting does not multiply them.
func (l *lowerer) collapse(reached machine.ID, exits []exit) exit {
	last := exits[len(exits)-1]
	any, value := last.cond, last.value
	for i := len(exits) - 2; i >= 0; i-- {
		any = l.g.Or(exits[i].cond, any)
		value = l.g.Choose(l.g.NewGroup(), exits[i].cond, exits[i].value, value)
	}
	return exit{l.g.And(reached, any), value}
}

// mergeVariables sets each variable that an arm assigned to what the arm taken left in it. The selects of one arm form a
// group: one branch decides them all.
func (l *lowerer) mergeVariables(arms []armOutcome) {
	var order []int // the variables that an arm which goes on has assigned
	for _, a := range arms {
		if !a.returned {
			order = slices.AppendSeq(order, maps.Keys(a.changed))
		}
	}
	slices.Sort(order)
	order = slices.Compact(order)
	merged := make([]machine.ID, len(order))
	for i := len(arms) - 1; i >= 0; i-- {
		group := l.g.NewGroup()
		for j, v := range order {
			value, ok := arms[i].changed[v]
			if !ok {
				value = l.vars[v]
			}
			if arms[i].returned {
				value = l.g.Undef()
			}
			merged[j] = l.g.Choose(group, arms[i].cond, value, merged[j])
		}
	}
	for j, v := range order {
		l.set(v, merged[j])
	}
}
