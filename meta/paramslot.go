package meta

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Param is a number of a policy that may move within its bounds.
type Param struct {
	Name  string
	Value float64
	// Lo and Hi are the bounds, both included. Int holds the value to whole numbers.
	Lo, Hi float64
	Int    bool
}

// holds refuses a value that the parameter cannot take.
func (p Param) holds(v float64) error {
	switch {
	case !(v >= p.Lo && v <= p.Hi):
		return &engine.Refusal{Code: CodeOutOfBounds, Detail: fmt.Sprintf("%s = %v is outside %v to %v", p.Name, v, p.Lo, p.Hi)}
	case p.Int && v != math.Trunc(v):
		return &engine.Refusal{Code: CodeOutOfBounds, Detail: fmt.Sprintf("%s = %v is not a whole number", p.Name, v)}
	}
	return nil
}

// The codes by which refusals of parameters are counted.
const (
	CodeUnknownParam = "unknown-param"
	CodeOutOfBounds  = "out-of-bounds"
	CodeNotAssigned  = "no-assignment"
)

// Parametric is implemented by specs whose values have parameters.
type Parametric interface {
	// Parameters are those of a value, with the values that they have in it.
	Parameters(s slots.State) ([]Param, error)
	// Move is the diff that sets parameters by name. Unknown ones and values out of bounds are refused.
	Move(s slots.State, values map[string]float64) (slots.Diff, error)
}

// ParamConfig configures a ParamSlot.
type ParamConfig struct {
	Slot   string
	Params []Param
	// Build returns a bundle with a fresh policy of the parameters, in their order, in the slot.
	Build func(values []float64) (slots.Policies, error)
	// About says what the parameters do, for Describe.
	About string
}

// ParamSlot evolves the numbers of a policy: a state has a key for each parameter, so that proposals which
// move different parameters are united and those which move the same one contradict. A proposal is lines
// "name = value". Use NewParams.
type ParamSlot struct {
	cfg ParamConfig
}

var (
	_ SlotSpec   = (*ParamSlot)(nil)
	_ Parametric = (*ParamSlot)(nil)
	_ Family     = (*ParamSlot)(nil)
)

// NewParams returns the spec of a policy's parameters. The error lists everything that is wrong with them.
func NewParams(c ParamConfig) (*ParamSlot, error) {
	errs := []error{CheckSlot(c.Slot)}
	if len(c.Params) == 0 || c.Build == nil {
		errs = append(errs, errors.New("parameters and a Build function are needed"))
	}
	seen := map[string]bool{}
	for _, p := range c.Params {
		if p.Name == "" || seen[p.Name] {
			errs = append(errs, fmt.Errorf("parameter %q has no name of its own", p.Name))
		}
		seen[p.Name] = true
		if err := p.holds(p.Value); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &ParamSlot{cfg: c}, nil
}

// Slot returns the slot's name.
func (s *ParamSlot) Slot() string { return s.cfg.Slot }

// Initial holds the values that the parameters were declared with.
func (s *ParamSlot) Initial() slots.State {
	st := slots.State{}
	for _, p := range s.cfg.Params {
		st[p.Name] = dsl.FormatNumber(p.Value)
	}
	return st
}

// Parameters returns the parameters with the values of a state.
func (s *ParamSlot) Parameters(st slots.State) ([]Param, error) {
	return held(s.cfg.Params, "", st)
}

// held is the parameters with the values that a state has under keys with a prefix. It refuses any other key. The keys
// are read in order, so that what is wrong first does not depend on the map.
func held(params []Param, prefix string, st slots.State) ([]Param, error) {
	params = slices.Clone(params)
	for _, key := range st.Keys() {
		name := strings.TrimPrefix(key, prefix)
		i := slices.IndexFunc(params, func(p Param) bool { return prefix+p.Name == key })
		if i < 0 {
			return nil, unknownParam(name, params)
		}
		v, err := number(name, st[key])
		if err != nil {
			return nil, err
		}
		if err := params[i].holds(v); err != nil {
			return nil, err
		}
		params[i].Value = v
	}
	return params, nil
}

func unknownParam(name string, params []Param) error {
	var known []string
	for _, p := range params {
		known = append(known, p.Name)
	}
	return &engine.Refusal{Code: CodeUnknownParam, Detail: fmt.Sprintf("there is no parameter %q: there are %s", name, strings.Join(known, ", "))}
}

func number(name, text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, &engine.Refusal{Code: CodeNotAssigned, Detail: fmt.Sprintf("%s = %q is not a number", name, text)}
	}
	return v, nil
}

// assignments reads lines "name = value".
func assignments(text string) (map[string]float64, error) {
	values := map[string]float64{}
	for _, line := range strings.Split(unfenced(text), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, &engine.Refusal{Code: CodeNotAssigned, Detail: fmt.Sprintf("%q is not name = value", line)}
		}
		v, err := number(strings.TrimSpace(name), value)
		if err != nil {
			return nil, err
		}
		values[strings.TrimSpace(name)] = v
	}
	if len(values) == 0 {
		return nil, &engine.Refusal{Code: "empty", Detail: "the proposal is empty"}
	}
	return values, nil
}

// Move sets parameters.
func (s *ParamSlot) Move(st slots.State, values map[string]float64) (slots.Diff, error) {
	params, err := s.Parameters(st)
	if err != nil {
		return nil, err
	}
	return moved(params, "", values)
}

// moved is the diff that sets parameters, under keys with a prefix; one that is what it was is left out.
func moved(params []Param, prefix string, values map[string]float64) (slots.Diff, error) {
	var edits []slots.Edit
	for _, p := range params {
		v, ok := values[p.Name]
		if !ok {
			continue
		}
		if err := p.holds(v); err != nil {
			return nil, err
		}
		if v != p.Value {
			edits = append(edits, slots.Edit{Key: prefix + p.Name, Value: dsl.FormatNumber(v)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Name == name }) {
			return nil, unknownParam(name, params)
		}
	}
	if len(edits) == 0 {
		return nil, &engine.Refusal{Code: "unchanged", Detail: "the proposal moves no parameter"}
	}
	return slots.NewDiff(edits...), nil
}

// Diff reads assignments.
func (s *ParamSlot) Diff(st slots.State, p slots.Proposal) (slots.Diff, error) {
	values, err := assignments(p.Text)
	if err != nil {
		return nil, err
	}
	return s.Move(st, values)
}

// Ready checks names and bounds.
func (s *ParamSlot) Ready(artifact string, st slots.State) (*slots.Candidate, error) {
	if _, err := s.Parameters(st); err != nil {
		return nil, err
	}
	c, err := engine.KeyedRules{}.Ready(artifact, st)
	if err == nil {
		c.Text = s.Render(st)
	}
	return c, err
}

// Render writes an assignment a line, in the order of the parameters.
func (s *ParamSlot) Render(st slots.State) string {
	params, err := s.Parameters(st)
	if err != nil {
		params = s.cfg.Params
	}
	return strings.TrimSuffix(assignText(params, valuesOf(params)), "\n")
}

// Compile builds the policy.
func (s *ParamSlot) Compile(c *slots.Candidate) (Value, error) {
	params, err := s.Parameters(c.State)
	if err != nil {
		return Value{}, err
	}
	values := valuesOf(params)
	return Value{Slot: s.cfg.Slot, Policies: func() (slots.Policies, error) { return s.cfg.Build(values) }}, nil
}

// Describe lists the parameters and their bounds.
func (s *ParamSlot) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A value is the parameters of a policy of slot %s, a line \"name = value\" each. %s\n", s.cfg.Slot, s.cfg.About)
	for _, p := range s.cfg.Params {
		kind := "a number"
		if p.Int {
			kind = "a whole number"
		}
		fmt.Fprintf(&b, "  %s: %s from %v to %v\n", p.Name, kind, p.Lo, p.Hi)
	}
	return b.String()
}

// Fingerprint identifies slot and parameters.
func (s *ParamSlot) Fingerprint() string {
	return fmt.Sprintf("params %s %v %s", s.cfg.Slot, s.cfg.Params, s.cfg.About)
}

// familySteps is how many values of a parameter people would try.
const familySteps = 5

// Family moves one parameter at a time over an even grid within its bounds.
func (s *ParamSlot) Family() []Member {
	all := []Member{{"as declared", s.Initial()}}
	for _, p := range s.cfg.Params {
		for i := range familySteps {
			v := p.Lo + float64((p.Hi-p.Lo)*float64(i)/(familySteps-1))
			if p.Int {
				v = math.Round(v)
			}
			st := s.Initial()
			st[p.Name] = dsl.FormatNumber(v)
			all = append(all, Member{p.Name + " = " + st[p.Name], st})
		}
	}
	return all
}
