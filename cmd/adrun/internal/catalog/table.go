package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/problems/table"
)

// tables scores and evolves priorities on logged decisions. What its rules are functions of is known once
// its file is opened.
func tables() Problem {
	return Problem{
		Name:    "table",
		Meaning: "logged decisions: the row of a decision with the highest priority is taken",
		Settings: []Setting{
			{"decision", "the column that names the decision of a row", "decision"},
			{"payoff", "the column that holds what a row pays", "payoff"},
			{"ignore", "columns that are no inputs, with commas between", "none"},
			{"comma", "what separates the cells, one character or tab", ","},
			{"scale", "the reward: ratio is payoff / best, span (payoff - worst) / (best - worst)", "ratio"},
		},
		Data: "decisions as CSV with a header; 'adrun schema --data FILE' prints the signature of its columns",
		Open: openTable,
	}
}

func openTable(f Files) (Problem, error) {
	p := tables()
	o, err := tableOptions(f)
	if err != nil {
		return p, err
	}
	t, err := table.Load(f.Path, o)
	if err != nil {
		return p, err
	}
	o.Signature = t.Signature // other files are read like this one
	p.SignatureName = t.Signature.DeclName()
	p.Signature = func() (*dsl.Signature, error) { return t.Signature, nil }
	p.Score = func(_ context.Context, q Request) ([]Value, error) {
		other := t
		if q.Data != "" && q.Data != f.Path {
			var err error
			if other, err = table.Load(q.Data, o); err != nil {
				return nil, err
			}
		}
		return tableValues(other, other.Evaluate(q.Program)), nil
	}
	p.Build = func(Settings, Range, Range) (engine.Problem, error) {
		if f.Sealed == "" {
			return table.NewProblem(p.Name, t, nil)
		}
		sealed, err := table.Load(f.Sealed, o)
		if err != nil {
			return nil, err
		}
		return table.NewProblem(p.Name, t, sealed)
	}
	return p, nil
}

func tableValues(t *table.Table, s table.Score) []Value {
	return []Value{
		{"reward", s.Reward}, {"random", t.Random()}, {"optimal", s.Optimal}, {"payoff", s.Payoff}, {"best_payoff", s.Best},
		{"decisions", s.Decisions}, {"trivial", t.Trivial()}, {"unranked", s.Unranked}, {"clamped", t.Clamped},
	}
}

func tableOptions(f Files) (table.Options, error) {
	r := &reader{settings: f.Settings}
	o := table.Options{Decision: r.word("decision", ""), Payoff: r.word("payoff", ""), Signature: f.Signature}
	for _, column := range strings.Split(r.word("ignore", ""), ",") {
		if column = strings.TrimSpace(column); column != "" {
			o.Ignore = append(o.Ignore, column)
		}
	}
	var errs []error
	switch scale := r.word("scale", "ratio"); scale {
	case "ratio":
	case "span":
		o.Scale = table.Span
	default:
		errs = append(errs, fmt.Errorf("setting scale: %q is neither ratio nor span", scale))
	}
	if comma := r.word("comma", ","); comma == "tab" {
		o.Comma = '\t'
	} else if c, n := utf8.DecodeRuneInString(comma); n == 0 || n < len(comma) || strings.ContainsRune("\"\r\n\uFFFD", c) {
		errs = append(errs, fmt.Errorf("setting comma: %q is neither one character nor tab", comma))
	} else {
		o.Comma = c
	}
	return o, errors.Join(errs...)
}
