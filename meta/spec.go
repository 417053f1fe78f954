package meta

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/treesearch"
	"github.com/agentdescent/adrun/slots"
)

// SlotSpec holds the values of one slot: what they look like, which may run, and how they are installed. Diff
// and Ready are those of an engine strategy. It is safe for concurrent use.
type SlotSpec interface {
	engine.Strategy
	// Slot is the slot's name ("selection").
	Slot() string
	// Initial is where an evolution starts.
	Initial() slots.State
	// Render shows a value to a person, as a text that Diff accepts.
	Render(s slots.State) string
	// Compile makes a value that is ready to be evaluated one that can be installed.
	Compile(c *slots.Candidate) (Value, error)
	// Describe tells a proposer what a value is: inputs, domains, contracts, grammar, limits. It holds no
	// advice about what to change.
	Describe() string
	// Fingerprint identifies the spec: two specs with one fingerprint give a state the same meaning.
	Fingerprint() string
}

// Typed is implemented by specs whose value is one rule, which the breeder can breed.
type Typed interface {
	Signature() *dsl.Signature
}

// Family is implemented by specs that know values which people have tuned by hand.
type Family interface {
	Family() []Member
}

// Member is a value with a name.
type Member struct {
	Name  string
	State slots.State
}

// Value is a slot's value, ready to be installed in an inner search. Several searches use one at once.
type Value struct {
	Slot string
	// Priority drives a tree search; nil for a value that does not rank nodes.
	Priority treesearch.Priority
	// Policies returns a bundle with a fresh instance in the value's slot and nothing else; nil for a value
	// that only drives tree searches.
	Policies func() (slots.Policies, error)
}

// machinery are the parts of a run that judge it or keep its books. They are governance layer L0.
func machinery() []string {
	return []string{
		"verifier", "ledger", "executor", "evaluator", "eval_cache", "aggregator", "aggregator_factory", "oracle",
		"budget", "governor", "allocator", "gate",
	}
}

// CheckSlot refuses what may not evolve: machinery by name, and names that are no slot.
func CheckSlot(name string) error {
	switch {
	case slices.Contains(slots.SlotNames(), name):
		return nil
	case slices.Contains(machinery(), name) || strings.HasPrefix(name, "sandbox"):
		return fmt.Errorf("%q is machinery that judges or records a run (governance layer L0): no run may evolve it; the slots are %s",
			name, strings.Join(slots.SlotNames(), ", "))
	}
	return &slots.UnknownError{What: "slot", Name: name, Known: slots.SlotNames()}
}

// ParseValue makes a state of a text, as if it were proposed. Signatures and cases may stand beside a rule.
func ParseValue(spec SlotSpec, text string) (slots.State, error) {
	d, err := spec.Diff(slots.State{}, slots.Proposal{Text: text})
	if err != nil {
		return nil, err
	}
	s := slots.State{}.Apply(d)
	_, err = ready(spec, s)
	return s, err
}

// ready makes a state of the spec an installed value.
func ready(spec SlotSpec, s slots.State) (*slots.Candidate, error) {
	c, err := spec.Ready(spec.Slot(), s)
	var no *engine.Refusal
	if errors.As(err, &no) {
		return nil, fmt.Errorf("a value of slot %s is refused by its own gate: %w", spec.Slot(), err)
	}
	return c, err
}

// unfenced strips the fence that models put around a text.
func unfenced(text string) string {
	t := strings.TrimSpace(text)
	rest, ok := strings.CutPrefix(t, "```")
	if !ok {
		return t
	}
	_, body, ok := strings.Cut(rest, "\n")
	if !ok {
		return t
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(body), "```"))
}
