package runlog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Row is an entry as a filter sees it. Words that do not apply are empty, whole numbers −1; other numbers
// are no number, so that every comparison with them is false. A merge and a commit have the task, round,
// lane, source and reward of the lease to which they are attributed, and that lease has their outcome.
type Row struct {
	Seq       int     `expr:"seq"`
	Kind      string  `expr:"kind"`
	Round     int     `expr:"round"`
	Lease     int     `expr:"lease"`
	Lane      int     `expr:"lane"`
	Artifact  string  `expr:"artifact"`
	Task      string  `expr:"task"`
	Reward    float64 `expr:"reward"`
	Delta     float64 `expr:"delta"` // what a proposal gained where it was verified, or a merge on the held-out tasks
	Advantage float64 `expr:"advantage"`
	Failure   string  `expr:"failure"`
	Error     string  `expr:"error"`
	Note      string  `expr:"note"`
	Source    string  `expr:"source"`
	Outcome   string  `expr:"outcome"`
	Reason    string  `expr:"reason"`
	PImprove  float64 `expr:"p_improve"`
	HeldOut   float64 `expr:"held_out"`
	Version   int     `expr:"version"`
	Identity  string  `expr:"identity"`
	Rollouts  int     `expr:"rollouts"`
	Tokens    int     `expr:"tokens"`
	Cost      float64 `expr:"cost"`
}

func (v *Row) spend(s slots.Spend) { v.Rollouts, v.Tokens, v.Cost = s.Rollouts, s.Tokens, s.Cost }

func (v *Row) lease(r engine.LeaseRecord) {
	v.Round, v.Lease, v.Lane, v.Artifact, v.Task = r.Round, r.Lease, r.Lane, r.Artifact, r.Task
	v.Failure, v.Error, v.Note, v.Source, v.Identity = r.Failure, r.Error, r.Note, r.Source, r.Identity
	v.Delta, v.Advantage = r.Delta.Or(nan), r.Advantage.Or(nan)
	if r.Error == "" {
		v.Reward = r.Reward
	}
	v.spend(r.Spend)
}

func (v *Row) merge(r slots.Report) {
	v.Artifact, v.Lease, v.Version, v.Identity = r.Artifact, r.Lease, r.Version, r.Identity
	v.Outcome, v.Reason = string(r.Outcome), r.Reason
	v.Delta, v.PImprove, v.HeldOut = r.ObservedDelta.Or(nan), r.PImprove.Or(nan), r.CandRate.Or(nan)
}

func (v *Row) commit(c engine.Commit) {
	v.Artifact, v.Lease, v.Version, v.Round, v.Outcome = c.Artifact, c.Lease, c.Version, c.Round, string(c.Outcome)
}

func (v *Row) round(r engine.Row) {
	v.Round, v.HeldOut = r.Round, r.HeldOut.Or(nan)
	v.spend(r.Spend)
}

// builtins are the functions that a filter may call; none of them makes a text or a list grow.
func builtins() []string {
	return []string{"abs", "ceil", "floor", "len", "lower", "max", "min", "round"}
}

// maxNodes bounds a filter.
const maxNodes = 200

// Filter is a compiled --where expression.
type Filter struct {
	program *vm.Program
}

// NewFilter compiles an expression over the fields of Row, such as reward > 0.5 && outcome == "committed".
func NewFilter(text string) (*Filter, error) {
	options := []expr.Option{expr.Env(Row{}), expr.AsBool(), expr.MaxNodes(maxNodes), expr.DisableAllBuiltins()}
	for _, name := range builtins() {
		options = append(options, expr.EnableBuiltin(name))
	}
	only := &onlyListed{}
	p, err := expr.Compile(text, append(options, expr.Patch(only))...)
	if err == nil {
		err = only.err
	}
	if err != nil {
		return nil, err
	}
	return &Filter{program: p}, nil
}

// onlyListed refuses what DisableAllBuiltins lets pass: functions that take a predicate, and ranges, which
// make lists of any length.
type onlyListed struct {
	err error
}

// Visit looks at a node.
func (o *onlyListed) Visit(n *ast.Node) {
	switch n := (*n).(type) {
	case *ast.BuiltinNode:
		if !slices.Contains(builtins(), n.Name) {
			o.err = fmt.Errorf("a filter cannot call %s: it has %s", n.Name, strings.Join(builtins(), ", "))
		}
	case *ast.BinaryNode:
		if n.Operator == ".." {
			o.err = errors.New("a filter cannot make a range")
		}
	}
}

// Where returns the entries for which the filter holds.
func (l *Log) Where(f *Filter) ([]engine.Entry, error) {
	var kept []engine.Entry
	for i, e := range l.Entries {
		v, err := expr.Run(f.program, l.views[i])
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", e.Seq, err)
		}
		if yes, ok := v.(bool); ok && yes {
			kept = append(kept, e)
		}
	}
	return kept, nil
}
