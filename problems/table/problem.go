package table

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Problem evolves priorities on a table; a task is a decision.
type Problem struct {
	name          string
	table, sealed *Table
}

var _ engine.Problem = (*Problem)(nil)

// NewProblem makes a problem of a table, and of another that is measured once, at the end of a run; nil is none. The sealed
// table must have been read with the signature of the first, and share no decision with it.
func NewProblem(name string, table, sealed *Table) (*Problem, error) {
	if table == nil {
		return nil, errors.New("table: no table")
	}
	p := &Problem{name: name, table: table, sealed: sealed}
	if sealed == nil {
		return p, nil
	}
	var errs []error
	if dsl.FormatDecl(sealed.Signature) != dsl.FormatDecl(table.Signature) {
		errs = append(errs, errors.New("table: the sealed table has another signature; read it with that of the first"))
	}
	for _, d := range sealed.Decisions {
		if table.Decision(d.ID) != nil {
			errs = append(errs, fmt.Errorf("table: decision %q is in both tables; what is sealed must be unseen", d.ID))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return p, nil
}

// Describe returns the decisions as tasks.
func (p *Problem) Describe() engine.Description {
	d := engine.Description{
		Name:        p.name,
		Fingerprint: "table/1 " + p.table.Fingerprint,
		Tasks:       tasks(p.table),
		Signature:   p.table.Signature,
		Initial:     p.table.Initial(),
	}
	if p.sealed != nil {
		d.Sealed = tasks(p.sealed)
		d.Fingerprint += " " + p.sealed.Fingerprint
	}
	return d
}

func tasks(t *Table) []slots.Task {
	list := make([]slots.Task, len(t.Decisions))
	for i, d := range t.Decisions {
		list[i] = slots.Task{ID: d.ID}
	}
	return list
}

// Evaluate lets the candidate's rule decide. A decision in which no row gets a finite priority is the rule's own failure. The
// metrics are payoff, best and unranked.
func (p *Problem) Evaluate(ctx context.Context, c *slots.Candidate, task slots.Task, _ uint64) (engine.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return engine.Outcome{}, err
	}
	if c.Program == nil {
		return engine.Outcome{}, fmt.Errorf("table: candidate %q is not a compiled rule", c.Identity)
	}
	t, d := p.table, p.table.Decision(task.ID)
	if d == nil && p.sealed != nil {
		t, d = p.sealed, p.sealed.Decision(task.ID)
	}
	if d == nil {
		return engine.Outcome{}, fmt.Errorf("table: no decision %q", task.ID)
	}
	choice := t.Choose(d, c.Program)
	if choice.Row < 0 {
		return engine.Outcome{Failure: "no row has a finite priority"}, nil
	}
	row := d.Rows[choice.Row]
	return engine.Outcome{
		Reward:   choice.Reward,
		Feedback: fmt.Sprintf("chose the row of line %d with payoff %v; the best of %d rows pays %v", row.Line, row.Payoff, len(d.Rows), d.Best),
		Metrics: map[string]float64{
			"payoff":   row.Payoff,
			"best":     d.Best,
			"unranked": float64(choice.Unranked),
		},
	}, nil
}
