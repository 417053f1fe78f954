package slots

import (
	"errors"
	"fmt"
	"strings"
)

// ErrTrialsSpent says that a lease has fewer evaluations left than were asked for.
var ErrTrialsSpent = errors.New("the lease has no evaluations left for this trial")

// ContractError says that a policy or proposer broke the contract of its slot. It ends the run: what such
// a policy would have decided is unknown.
type ContractError struct {
	// Slot is the slot's name ("fusion"), Rule what the contract asks, Got what came instead.
	Slot string
	Rule string
	Got  string
}

func (e *ContractError) Error() string {
	return fmt.Sprintf("%s policy: %s, got %s", e.Slot, e.Rule, e.Got)
}

// UnboundError says that a policy needs something that the engine offers through a hook, and was used
// without having been installed.
type UnboundError struct {
	// Policy names the policy, Needs what is missing ("a verifier").
	Policy string
	Needs  string
}

func (e *UnboundError) Error() string {
	return fmt.Sprintf("%s needs %s: install it with slots.Install, or let a run do so", e.Policy, e.Needs)
}

// UnknownError says that there is nothing of a name.
type UnknownError struct {
	// What is the kind of thing ("slot", "acceptance policy"), Known lists the names that there are.
	What  string
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no %s %q: there are %s", e.What, e.Name, strings.Join(e.Known, ", "))
}
