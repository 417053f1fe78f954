package spec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Problem is one thing that is wrong with a spec.
type Problem struct {
	File         string
	Line, Column int
	Message      string
}

func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Errors lists everything that is wrong with a spec, in the order of its lines.
type Errors struct {
	List []Problem
}

func (e *Errors) Error() string {
	lines := make([]string, len(e.List))
	for i, p := range e.List {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Load parses and validates the text of a spec. name is what errors call it.
func Load(name string, text []byte) (*Spec, error) {
	one := func(line, column int, message string) (*Spec, error) {
		return nil, &Errors{[]Problem{{name, line, column, message}}}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	switch {
	case len(text) > maxBytes:
		return one(1, 1, fmt.Sprintf("the spec has %d bytes; at most %d are read", len(text), maxBytes))
	case !utf8.Valid(text):
		return one(1, 1, "the spec is not UTF-8: save it as UTF-8")
	}
	tokens := lexer.Tokenize(string(text))
	if t := tooDeep(tokens); t != nil {
		return one(t.Position.Line, t.Position.Column, fmt.Sprintf("more than %d brackets are nested here", maxNesting))
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, &Errors{[]Problem{decodeProblem(name, err)}}
	}
	v := &validator{name: name, file: file}
	if len(file.Docs) > 0 && file.Docs[0].Body != nil {
		ast.Walk(aliases{validator: v, seen: new(int)}, file.Docs[0].Body)
		v.shape(reflect.TypeFor[Spec](), file.Docs[0].Body)
	}
	if len(v.list) > 0 {
		return nil, v.errors()
	}
	var s Spec
	d := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict())
	if err := d.Decode(&s); err != nil {
		return nil, &Errors{[]Problem{decodeProblem(name, err)}}
	}
	if err := d.Decode(new(Spec)); !errors.Is(err, io.EOF) {
		return one(1, 1, "a spec is one YAML document")
	}
	v.validate(&s)
	if len(v.list) > 0 {
		return nil, v.errors()
	}
	s.place = v.place
	return &s, nil
}

// At is an error of the value that a path leads to ("$.data.path"), found when the spec was put to use. Joined
// errors are listed one by one. A spec that was not read from a file has no places.
func (s *Spec) At(path string, err error) error {
	if s.place == nil {
		return fmt.Errorf("%s: %w", strings.TrimPrefix(path, "$."), err)
	}
	p := s.place(path)
	var e Errors
	for _, err := range flat(err) {
		p.Message = err.Error()
		e.List = append(e.List, p)
	}
	return &e
}

// flat is the errors that were joined, and joined again.
func flat(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, flat(err)...)
	}
	return all
}

// decodeProblem takes the position out of the library's error.
func decodeProblem(name string, err error) Problem {
	p := Problem{File: name, Line: 1, Column: 1, Message: "the spec is empty"}
	if errors.Is(err, io.EOF) {
		return p
	}
	p.Message = err.Error()
	var y yaml.Error
	if errors.As(err, &y) {
		p.Message = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			p.Line, p.Column = t.Position.Line, t.Position.Column
		}
	}
	if strings.Contains(p.Message, "'\t'") {
		p.Message = "a tab stands where YAML has spaces: indent with spaces"
	}
	return p
}

// validator gathers what is wrong with values.
type validator struct {
	name string
	file *ast.File
	list []Problem
}

// errors lists what was found in the order of the lines.
func (v *validator) errors() *Errors {
	slices.SortStableFunc(v.list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &Errors{v.list}
}

// report adds a problem at the value that a path ("$.evolve.rounds") leads to, or at the nearest parent.
func (v *validator) report(path, format string, args ...any) {
	p := v.place(path)
	p.Message = fmt.Sprintf(format, args...)
	v.list = append(v.list, p)
}

// place finds the value that a path leads to, or the nearest parent.
func (v *validator) place(path string) Problem {
	p := Problem{File: v.name, Line: 1, Column: 1}
	for at := path; at != "$"; at = at[:strings.LastIndexByte(at, '.')] {
		if y, err := yaml.PathString(at); err == nil {
			if n, err := y.FilterFile(v.file); err == nil && first(n) != nil {
				p.Line, p.Column = first(n).Position.Line, first(n).Position.Column
				break
			}
		}
	}
	return p
}

// first is the token with which a value begins; that of a block mapping is its first key, not the colon after it.
func first(n ast.Node) *token.Token {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return m.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return m.Key.GetToken()
	}
	return n.GetToken()
}

func (v *validator) oneOf(path, value string, words ...string) {
	if !slices.Contains(words, value) {
		v.report(path, "%q is none of %s", value, strings.Join(words, ", "))
	}
}

func (v *validator) within(path string, value, lo, hi float64) {
	if !(value >= lo && value <= hi) { // not a number is outside too
		v.report(path, "%g is outside %g to %g", value, lo, hi)
	}
}

// notZero reports a 0 that would be read as the default: a key that is left out says that.
func (v *validator) notZero(path string, value float64, def string) {
	y, err := yaml.PathString(path)
	if value != 0 || err != nil {
		return
	}
	if n, err := y.FilterFile(v.file); err == nil && n != nil && n.Type() != ast.NullType {
		v.report(path, "0 is not possible here: leave the key out for %s, or write what is more", def)
	}
}

func (v *validator) validate(s *Spec) {
	switch {
	case s.Version == 0:
		v.report("$.version", "version is missing: the format of this file, 1")
	case s.Version != 1:
		v.report("$.version", "version is %d: this program reads version 1", s.Version)
	}
	v.kind(s)
	v.data(s)
	v.within("$.data.held_out", s.Data.HeldOut, 0, 0.9)
	v.within("$.evolve.rounds", float64(s.Evolve.Rounds), 0, 1e9)
	v.within("$.evolve.lanes", float64(s.Evolve.Lanes), 0, 4096)
	v.within("$.evolve.solved", s.Evolve.Solved, 0, 2)
	v.within("$.evolve.target", s.Evolve.Target, 0, 1)
	v.within("$.evolve.patience", float64(s.Evolve.Patience), 0, 1e9)
	v.order(s.Evolve)
	v.within("$.budget.max_seconds", float64(s.Budget.MaxSeconds), 0, 1e9)
	v.within("$.budget.max_rollouts", float64(s.Budget.MaxRollouts), 0, 1e15)
	v.budget(s.Budget)
	v.within("$.gate.cheap_tasks", float64(s.Gate.CheapTasks), 0, 1e6)
	v.within("$.gate.grid", float64(s.Gate.Grid), 0, 65536)
	v.within("$.gate.min_gate", float64(s.Gate.MinGate), 0, 1e9)
	v.within("$.gate.alpha", s.Gate.Alpha, 0, 0.5)
	v.notZero("$.evolve.rounds", float64(s.Evolve.Rounds), "10")
	v.notZero("$.evolve.lanes", float64(s.Evolve.Lanes), "4")
	v.notZero("$.data.held_out", s.Data.HeldOut, "0.4")
	v.notZero("$.gate.alpha", s.Gate.Alpha, "0.05")
	v.notZero("$.gate.grid", float64(s.Gate.Grid), "256")
	if strings.ContainsAny(s.Name, "/\\") || strings.HasPrefix(s.Name, ".") {
		v.report("$.name", "%q names no directory: leave out / and \\ and a dot in front", s.Name)
	}
	v.policies(s.Policies)
}

// order checks how the lanes of a run wait for each other.
func (v *validator) order(e Evolve) {
	v.within("$.evolve.refresh", float64(e.Refresh), 0, 1e6)
	if e.Order != "" {
		v.oneOf("$.evolve.order", e.Order, OrderRounds, OrderWindow, OrderArrival)
	}
	if e.Refresh > 1 && (e.Order == OrderWindow || e.Order == OrderArrival) {
		v.report("$.evolve.refresh", "order %s has no rounds that a lane could skip: it looks at the head with every lease", e.Order)
	}
}

func (v *validator) budget(b Budget) {
	v.within("$.budget.max_calls", float64(b.MaxCalls), 0, 1e15)
	v.within("$.budget.max_tokens", float64(b.MaxTokens), 0, 1e15)
	v.within("$.budget.max_cost", b.MaxCost, 0, 1e300)
	v.within("$.budget.soft_floor", b.SoftFloor, 0, 1)
	v.within("$.budget.hard_floor", b.HardFloor, 0, 1)
	if b.Returns != nil {
		v.within("$.budget.returns.rounds", float64(b.Returns.Rounds), 1, 1e9)
		v.within("$.budget.returns.gain", b.Returns.Gain, 0, 1)
	}
	if b.Allocator != "" {
		v.oneOf("$.budget.allocator", b.Allocator, "none", "value")
	}
	if b.Allocator == "value" && !b.Capped() {
		v.report("$.budget.allocator", "an allocator divides what a cap leaves: set max_tokens, max_cost or max_rollouts")
	}
}
