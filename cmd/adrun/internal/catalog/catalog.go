// Package catalog lists the problems that the command line can score and evolve rules on. It is the one
// place that knows them all; a [Problem] says what its settings mean and builds engine problems from them.
//
// A list is a value that is built when it is asked for: nothing registers itself.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Setting is a number or word that a problem can be given.
type Setting struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Default string `json:"default"`
}

// Value is one number of a score.
type Value struct {
	Name  string
	Value any // int or float64
}

// Request says what to score a rule on.
type Request struct {
	Program  *dsl.Program
	Data     string   // a file, "" to use generated instances
	Settings Settings // of the problem
	Seeds    Range    // of generated instances
}

// Files names the work of a problem that is in files.
type Files struct {
	Path   string
	Sealed string // "" is none
	// Signature is nil when the file is to make one.
	Signature *dsl.Signature
	Settings  Settings
}

// Problem is work that a rule can be scored on and evolved for.
type Problem struct {
	Name     string
	Meaning  string
	Settings []Setting
	// Open makes the problem of files that decide what its rules are functions of; until then Signature, Score and
	// Build are nil. Nil for a problem that is complete.
	Open func(Files) (Problem, error)
	// SeedMeaning is what a seed means, "" when tasks come from files, and DefaultSeeds the range of score.
	SeedMeaning  string
	DefaultSeeds Range
	// Data says what files hold; "" when the problem reads none.
	Data string
	// Signature is what its rules are functions of, nil for texts; SignatureName its name.
	SignatureName string
	Signature     func() (*dsl.Signature, error)
	// MinGate is the number of held-out tasks below which a plan warns where the spec names none; 0 is the engine's.
	MinGate int
	// Score measures a rule; the values come in a fixed order. It is nil where only a run measures.
	Score func(ctx context.Context, r Request) ([]Value, error)
	// Build makes the problem that a run works on: a task a seed, sealed ones measured once at the end. Who builds an
	// [io.Closer] closes it.
	Build func(s Settings, seeds, sealed Range) (engine.Problem, error)
}

// All returns the problems, by name.
func All() []Problem {
	return []Problem{binPacking(), commands(), landscapeSearch(), tables()}
}

// ByName returns a problem, or an error that lists those there are.
func ByName(name string) (Problem, error) {
	all := All()
	if i := slices.IndexFunc(all, func(p Problem) bool { return p.Name == name }); i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	return Problem{}, fmt.Errorf("unknown problem %q: there are %s", name, strings.Join(names, ", "))
}

// Signatures returns the signatures of all problems that have their own, each once.
func Signatures() ([]*dsl.Signature, error) {
	var sigs []*dsl.Signature
	for _, p := range All() {
		if p.Signature == nil {
			continue
		}
		sig, err := p.Signature()
		if err != nil {
			return nil, fmt.Errorf("problem %s: %w", p.Name, err)
		}
		if !slices.ContainsFunc(sigs, func(s *dsl.Signature) bool { return s.Name.Text == sig.Name.Text }) {
			sigs = append(sigs, sig)
		}
	}
	return sigs, nil
}

// CheckSettings reports every setting that the problem does not have.
func (p Problem) CheckSettings(s Settings) error { return checkSettings(p.Name, p.Settings, s) }

func checkSettings(problem string, known []Setting, s Settings) error {
	var errs []error
	var names []string
	for _, d := range known {
		names = append(names, d.Name)
	}
	for _, name := range s.Names() {
		if !slices.Contains(names, name) {
			errs = append(errs, fmt.Errorf("%s has no setting %q: it has %s", problem, name, strings.Join(names, ", ")))
		}
	}
	return errors.Join(errs...)
}

// declared returns the signature that a text declares.
func declared(name, text string) (*dsl.Signature, error) {
	f, err := dsl.Parse(name, text)
	if err != nil {
		return nil, err
	}
	if sig, ok := dsl.First[*dsl.Signature](f); ok {
		return sig, nil
	}
	return nil, fmt.Errorf("%s declares no signature", name)
}

// means evaluates a rule on every task of a problem and returns the means of metrics over the tasks.
func means(ctx context.Context, p engine.Problem, program *dsl.Program, metrics ...string) (map[string]float64, error) {
	tasks := p.Describe().Tasks
	sums := map[string]float64{}
	for _, t := range tasks {
		o, err := p.Evaluate(ctx, &slots.Candidate{Program: program}, t, 0)
		if err != nil {
			return nil, err
		}
		if o.Failure != "" {
			return nil, fmt.Errorf("task %s: %s", t.ID, o.Failure)
		}
		for _, m := range metrics {
			sums[m] += o.Metrics[m]
		}
	}
	for m := range sums {
		sums[m] /= float64(len(tasks))
	}
	return sums, nil
}
