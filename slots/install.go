package slots

import (
	"fmt"

	"github.com/agentdescent/adrun/internal/derive"
)

// Fill returns the bundle with the shipped default in every field that is nil. The defaults are fresh
// instances: policies keep state, so a bundle belongs to one run.
func (p Policies) Fill() Policies {
	if p.Selection == nil {
		p.Selection = SingleHead{}
	}
	if p.TaskSampler == nil {
		p.TaskSampler = RoundRobin{}
	}
	if p.Proposal == nil {
		p.Proposal = AskActor{}
	}
	if p.Staleness == nil {
		p.Staleness = Guarded{}
	}
	if p.Conflict == nil {
		p.Conflict = &DefaultConflict{}
	}
	if p.Fusion == nil {
		p.Fusion = &DefaultFusion{}
	}
	if p.Acceptance == nil {
		p.Acceptance = &DefaultAcceptance{}
	}
	if p.Promotion == nil {
		p.Promotion = &DefaultPromotion{}
	}
	return p
}

// Install offers a merge-side policy what a run offers it: the verifier through Bind, the run's numbers
// through Configure. A policy with neither hook is left alone.
func Install(policy any, v Verifier, c MergeConfig) error {
	if q, ok := policy.(Configurer); ok {
		q.Configure(c)
	}
	if q, ok := policy.(Binder); ok {
		return q.Bind(v)
	}
	return nil
}

// Install installs the four merge-side policies of the bundle, in the order conflict, fusion, acceptance,
// promotion.
func (p Policies) Install(v Verifier, c MergeConfig) error {
	for _, f := range p.fields()[4:] {
		if err := Install(f.policy, v, c); err != nil {
			return &InstallError{Slot: f.slot, Err: err}
		}
	}
	return nil
}

// Start takes every instance of the bundle for one run and gives each a random stream of its own. The error
// is an *InstallError when an instance has served a run already.
func (p Policies) Start(seed uint64) error {
	for i, f := range p.fields() {
		s, ok := f.policy.(Starter)
		if !ok {
			continue
		}
		if err := s.Start(derive.Seed(seed, "policy", uint64(i))); err != nil {
			return &InstallError{Slot: f.slot, Err: err}
		}
	}
	return nil
}

// Record offers the policies of the bundle that call out a place to keep the replies.
func (p Policies) Record(r Recorder) {
	for _, f := range p.fields() {
		if q, ok := f.policy.(Recording); ok {
			q.Record(r)
		}
	}
}

// Warnings lists what policies hold against the run's numbers. It is asked before they are configured.
func (p Policies) Warnings(c MergeConfig) []string {
	var out []string
	for _, f := range p.fields() {
		if w, ok := f.policy.(Warner); ok {
			out = append(out, w.Warnings(c)...)
		}
	}
	return out
}

// Problems lists combinations of policies that do not work together. The one pair is a fusion that merges
// contradictions and a conflict policy that keeps them: either alone is refused.
func (p Policies) Problems() []string {
	keeps, ok := p.Conflict.(ContradictionKeeper)
	kept := ok && keeps.KeepsContradictions()
	merges, ok := p.Fusion.(ContradictionMerger)
	merged := ok && merges.MergesContradictions()
	switch {
	case merged && !kept:
		return []string{"Policies.Fusion merges contradictions, and Policies.Conflict drops them before it sees any: " +
			"install both halves of slots.ReflectiveMerge"}
	case kept && !merged:
		return []string{"Policies.Conflict keeps contradictions, and Policies.Fusion cannot merge them: " +
			"install both halves of slots.ReflectiveMerge"}
	}
	return nil
}

// With returns the bundle with the fields that q fills. A slot that both fill is an error.
func (p Policies) With(q Policies) (Policies, error) {
	mine := p.fields()
	for i, f := range q.fields() {
		if f.policy != nil && mine[i].policy != nil {
			return p, &InstallError{Slot: f.slot, Err: fmt.Errorf("the bundle has %s already", nameOf(mine[i].policy))}
		}
	}
	return p.Replace(q), nil
}

// Replace returns the bundle with q's policy in each slot that q fills.
func (p Policies) Replace(q Policies) Policies {
	overlay(&p.Selection, q.Selection)
	overlay(&p.TaskSampler, q.TaskSampler)
	overlay(&p.Proposal, q.Proposal)
	overlay(&p.Staleness, q.Staleness)
	overlay(&p.Conflict, q.Conflict)
	overlay(&p.Fusion, q.Fusion)
	overlay(&p.Acceptance, q.Acceptance)
	overlay(&p.Promotion, q.Promotion)
	return p
}

func overlay[T comparable](to *T, from T) {
	var none T
	if from != none {
		*to = from
	}
}

// Names returns the name of the policy in each slot that is filled.
func (p Policies) Names() map[string]string {
	names := map[string]string{}
	for _, f := range p.fields() {
		if f.policy != nil {
			names[f.slot] = nameOf(f.policy)
		}
	}
	return names
}

// Faults returns, by slot, what the hosts of policy rules have put right; slots without any are left out.
func (p Policies) Faults() map[string]Faults {
	all := map[string]Faults{}
	for _, f := range p.fields() {
		if q, ok := f.policy.(Faulty); ok && q.Faults() != (Faults{}) {
			all[f.slot] = q.Faults()
		}
	}
	return all
}

func nameOf(policy any) string {
	if n, ok := policy.(Named); ok {
		return n.PolicyName()
	}
	return fmt.Sprintf("%T", policy)
}

// field is one slot of a bundle; its policy is nil when it is not filled.
type field struct {
	slot   string
	policy any
}

// fields lists the slots in the order of SlotNames. The four merge-side ones come last.
func (p Policies) fields() []field {
	all := make([]field, 0, 8)
	add := func(policy any) { all = append(all, field{SlotNames()[len(all)], policy}) }
	add(p.Selection)
	add(p.TaskSampler)
	add(p.Proposal)
	add(p.Staleness)
	add(p.Conflict)
	add(p.Fusion)
	add(p.Acceptance)
	add(p.Promotion)
	return all
}

// InstallError says which field of the bundle could not be installed.
type InstallError struct {
	Slot string
	Err  error
}

func (e *InstallError) Error() string {
	return "installing the " + e.Slot + " policy: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *InstallError) Unwrap() error { return e.Err }
