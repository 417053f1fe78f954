package table

import (
	"math"

	"github.com/agentdescent/adrun/dsl"
)

// Scale turns the payoffs of a decision into rewards in [0, 1].
type Scale string

const (
	// Ratio is payoff / best, the zero value. Payoffs must not be negative. Where the best is 0, nothing can be won and every
	// row earns 1.
	Ratio Scale = ""
	// Span is (payoff − worst) / (best − worst), for payoffs of any sign; where all are equal, every row earns 1. Costs are
	// payoffs with their sign turned.
	Span Scale = "span"
)

// Table is the decisions of a file.
type Table struct {
	// Signature is what a priority is a function of: its inputs are the columns of Row.Inputs, in this order.
	Signature *dsl.Signature
	Decisions []Decision // in the order of their first rows
	Scale     Scale
	// Clamped counts the cells that lay outside the domain of a given signature and were brought into it.
	Clamped int
	// Fingerprint identifies the data and how it was read.
	Fingerprint string

	index map[string]int // of Decisions, by ID
}

// Decision is a choice between rows, at least one.
type Decision struct {
	ID          string
	Rows        []Row
	Best, Worst float64 // payoff
}

// Row is an alternative.
type Row struct {
	Inputs []float64 // finite, in the order of the signature
	Payoff float64   // finite
	Line   int       // of the file, 1-based
}

// Priority rates rows, the highest is chosen. Num is called once a row from the goroutine that scores, with the row's inputs in
// the order of the signature; it must be a function of them alone and must neither keep nor change the slice.
type Priority interface {
	Num(args []float64) float64
}

// Func is a priority written in Go.
type Func func(args []float64) float64

// Num calls f.
func (f Func) Num(args []float64) float64 { return f(args) }

var (
	_ Priority = Func(nil)
	_ Priority = (*dsl.Program)(nil)
)

// Choice is what a priority made of a decision.
type Choice struct {
	Row      int     // the chosen row, −1 when no row had a finite priority
	Reward   float64 // in [0, 1]; 0 when Row is −1
	Unranked int     // rows without a finite priority
}

// Choose lets the priority decide.
func (t *Table) Choose(d *Decision, p Priority) Choice {
	c := Choice{Row: -1}
	best := math.Inf(-1)
	for i := range d.Rows {
		switch v := p.Num(d.Rows[i].Inputs); {
		case math.IsNaN(v) || math.IsInf(v, 0):
			c.Unranked++
		case v > best:
			best, c.Row = v, i
		}
	}
	if c.Row >= 0 {
		c.Reward = t.reward(d, d.Rows[c.Row].Payoff)
	}
	return c
}

func (t *Table) reward(d *Decision, payoff float64) float64 {
	if t.Scale == Span {
		if d.Best == d.Worst {
			return 1
		}
		if span := d.Best - d.Worst; !math.IsInf(span, 0) {
			return (payoff - d.Worst) / span
		}
		return (payoff/2 - d.Worst/2) / (d.Best/2 - d.Worst/2) // of opposite sign and extreme size
	}
	if d.Best == 0 {
		return 1
	}
	return payoff / d.Best
}

// Score is how a priority did on a table.
type Score struct {
	Decisions int
	Reward    float64 // mean over the decisions
	Optimal   int     // decisions where the chosen row has the best payoff
	Payoff    float64 // sum of the chosen rows
	Best      float64 // sum of the best rows
	Unranked  int     // rows without a finite priority
}

// Evaluate lets the priority decide everything.
func (t *Table) Evaluate(p Priority) Score {
	s := Score{Decisions: len(t.Decisions)}
	for i := range t.Decisions {
		d := &t.Decisions[i]
		c := t.Choose(d, p)
		s.Reward += c.Reward
		s.Unranked += c.Unranked
		s.Best += d.Best
		if c.Row >= 0 {
			payoff := d.Rows[c.Row].Payoff
			s.Payoff += payoff
			if payoff == d.Best {
				s.Optimal++
			}
		}
	}
	if s.Decisions > 0 {
		s.Reward /= float64(s.Decisions)
	}
	return s
}

// Random is the mean reward of a choice by lot, the floor to compare a rule with.
func (t *Table) Random() float64 {
	total := 0.0
	for i := range t.Decisions {
		d := &t.Decisions[i]
		sum := 0.0
		for _, r := range d.Rows {
			sum += t.reward(d, r.Payoff)
		}
		total += sum / float64(len(d.Rows))
	}
	return total / float64(max(1, len(t.Decisions)))
}

// Trivial counts the decisions in which every row has the same payoff, so that no rule can do better than another.
func (t *Table) Trivial() int {
	n := 0
	for _, d := range t.Decisions {
		if d.Best == d.Worst {
			n++
		}
	}
	return n
}

// Decision returns the decision of that id, nil if there is none.
func (t *Table) Decision(id string) *Decision {
	if i, ok := t.index[id]; ok {
		return &t.Decisions[i]
	}
	return nil
}
