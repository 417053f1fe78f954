package spec

import (
	"errors"
	"fmt"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// Policies fill the slots of a run: each with the name of a shipped policy ('adrun schema SLOT' lists them),
// or with the text of a policy in the rule language. An empty one is the default.
type Policies struct {
	Selection   string `yaml:"selection,omitempty" json:"selection,omitempty" jsonschema:"where the next lanes start from; default single_head"`
	TaskSampler string `yaml:"task_sampler,omitempty" json:"task_sampler,omitempty" jsonschema:"which task a rollout spends; default round_robin"`
	Proposal    string `yaml:"proposal,omitempty" json:"proposal,omitempty" jsonschema:"whether a rollout asks for a proposal; default ask_actor"`
	Staleness   string `yaml:"staleness,omitempty" json:"staleness,omitempty" jsonschema:"what becomes of a card that lags; default guarded"`
	Conflict    string `yaml:"conflict,omitempty" json:"conflict,omitempty" jsonschema:"which of two contradicting changes survives"`
	Fusion      string `yaml:"fusion,omitempty" json:"fusion,omitempty" jsonschema:"one candidate out of the survivors"`
	Acceptance  string `yaml:"acceptance,omitempty" json:"acceptance,omitempty" jsonschema:"whether a candidate is committed; paired is for graded rewards of a deterministic problem"`
	Promotion   string `yaml:"promotion,omitempty" json:"promotion,omitempty" jsonschema:"when dev becomes stable"`
}

// texts lists what the spec says for each slot, in the order of slots.SlotNames.
func (p Policies) texts() []string {
	return []string{p.Selection, p.TaskSampler, p.Proposal, p.Staleness, p.Conflict, p.Fusion, p.Acceptance, p.Promotion}
}

// Build returns fresh instances of the policies. A spec that Load has returned builds.
func (p Policies) Build() (slots.Policies, error) {
	var bundle slots.Policies
	for i, text := range p.texts() {
		if text == "" {
			continue
		}
		slot := slots.SlotNames()[i]
		one, err := slots.Resolve(slot, "policies."+slot, text)
		if err != nil {
			return bundle, fmt.Errorf("policies.%s: %w", slot, err)
		}
		if bundle, err = bundle.With(one); err != nil {
			return bundle, err
		}
	}
	return bundle, nil
}

// policies reports names that are unknown and texts that the gate refuses.
func (v *validator) policies(p Policies) {
	for i, text := range p.texts() {
		if text == "" {
			continue
		}
		slot := slots.SlotNames()[i]
		_, err := slots.Resolve(slot, "policies."+slot, text)
		var list *dsl.DiagnosticsError
		switch {
		case errors.As(err, &list):
			for _, d := range list.List {
				v.report("$.policies."+slot, "%v", d)
			}
		case err != nil:
			v.report("$.policies."+slot, "%v", err)
		}
	}
}
