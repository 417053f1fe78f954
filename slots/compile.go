package slots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/agentdescent/adrun/dsl"
)

// Faults counts what a policy rule got wrong and its host put right.
type Faults struct {
	// Clamped inputs were outside the domain that the slot declares.
	Clamped int64 `json:"clamped"`
	// NotFinite results lost to every finite one; a shift that is not finite counted as none.
	NotFinite int64 `json:"not_finite"`
	// Writes were clamped to the bounds of their state, or left it as it was because they were NaN.
	Writes int64 `json:"writes"`
}

// Faulty is implemented by policies that were compiled from rules.
type Faulty interface {
	Faults() Faults
}

// Compile makes a checked policy of the rule language a working one: the bundle that is returned fills the
// slot that the policy fills, and nothing else. decls are the slots as Declarations returns them. params
// replace the values of the policy's params, in order; nil leaves them as written.
//
// The host of a slot does the bookkeeping, so a rule can only be wrong about the decision: arguments are
// clamped to their domains, results that are not finite lose, scores are measured only for a hook that reads
// them. The instance keeps the policy's state and belongs to one run.
func Compile(p *dsl.Policy, decls []*dsl.Slot, params []float64) (Policies, error) {
	i := slices.IndexFunc(decls, func(s *dsl.Slot) bool { return s.Name.Text == p.Fills.Text })
	if i < 0 {
		return Policies{}, &UnknownError{What: "slot", Name: p.Fills.Text, Known: SlotNames()}
	}
	b := &builder{policy: p, slot: decls[i], params: params}
	b.rule = rule{name: p.Name.Text, faults: &faultCount{}}
	for _, s := range p.States {
		b.rule.start = append(b.rule.start, s.Value)
	}
	bundle := b.build()
	if b.err != nil {
		return Policies{}, fmt.Errorf("policy %s: %w", p.Name.Text, b.err)
	}
	return bundle, nil
}

// builder compiles the hooks of one policy; it keeps the first error.
type builder struct {
	policy *dsl.Policy
	slot   *dsl.Slot
	params []float64
	rule   rule
	err    error
}

func (b *builder) build() Policies {
	if b.policy.Pick.Text != "" && b.slot.Name.Text != "selection" && b.slot.Name.Text != "task_sampler" {
		b.fail("pick %s: slot %s makes no choice among several", b.policy.Pick.Text, b.slot.Name.Text)
	}
	switch b.slot.Name.Text {
	case "selection":
		return Policies{Selection: b.selection()}
	case "task_sampler":
		return Policies{TaskSampler: b.sampler()}
	case "proposal":
		return Policies{Proposal: b.proposal()}
	case "staleness":
		return Policies{Staleness: b.staleness()}
	case "conflict":
		return Policies{Conflict: b.conflict()}
	case "fusion":
		return Policies{Fusion: b.fusion()}
	case "acceptance":
		return Policies{Acceptance: b.acceptance()}
	case "promotion":
		return Policies{Promotion: b.promotion()}
	}
	b.err = &UnknownError{What: "slot", Name: b.slot.Name.Text, Known: SlotNames()}
	return Policies{}
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// hook compiles the hook of that name, nil when the policy has none. The host passes arguments by position:
// inputs are their names, and a declaration with others is refused.
func (b *builder) hook(name string, inputs ...string) *hook {
	find := func(h *dsl.HookDecl) bool { return h.Name.Text == name }
	at := slices.IndexFunc(b.slot.Hooks, find)
	if at < 0 {
		b.fail("slot %s is declared without hook %s", b.slot.Name.Text, name)
		return nil
	}
	decl := b.slot.Hooks[at]
	var declared []string
	for _, in := range decl.Inputs {
		declared = append(declared, in.Name.Text)
	}
	if !slices.Equal(declared, inputs) {
		b.fail("hook %s of slot %s is declared with inputs %s, and called with %s",
			name, b.slot.Name.Text, strings.Join(declared, ", "), strings.Join(inputs, ", "))
		return nil
	}
	for _, h := range b.policy.Hooks {
		if h.Name.Text != name {
			continue
		}
		p, err := dsl.CompileHook(b.policy, h, decl, b.params)
		if err != nil {
			b.fail("%w", err)
			return nil
		}
		return &hook{sig: &decl.Signature, program: p}
	}
	return nil
}

// must is hook for one that the policy cannot do without.
func (b *builder) must(name string, inputs ...string) *hook {
	h := b.hook(name, inputs...)
	if h == nil {
		b.fail("it has no hook %s, so it decides nothing in slot %s", name, b.slot.Name.Text)
	}
	return h
}

// hook is one hook of a policy, compiled.
type hook struct {
	sig     *dsl.Signature
	program *dsl.Program
}

// reads reports whether one of the inputs can influence the hook. There is none in a hook that is nil.
func (h *hook) reads(inputs ...string) bool {
	if h == nil {
		return false
	}
	for i, in := range h.sig.Inputs {
		if h.program.Reads(i) && slices.Contains(inputs, in.Name.Text) {
			return true
		}
	}
	return false
}

// rule is what every compiled policy has.
type rule struct {
	name   string
	start  []float64 // the state of a fresh key
	faults *faultCount
}

// faultCount is Faults while they are counted, from several goroutines for a proposal.
type faultCount struct {
	clamped, notFinite, writes atomic.Int64
}

// PolicyName returns the name that the policy's text gives.
func (r *rule) PolicyName() string { return r.name }

// Faults returns what has been put right so far.
func (r *rule) Faults() Faults {
	return Faults{r.faults.clamped.Load(), r.faults.notFinite.Load(), r.faults.writes.Load()}
}

// fresh is the state of a key that is seen for the first time.
func (r *rule) fresh() []float64 { return slices.Clone(r.start) }

// num runs a hook that decides by a number. The result is −Inf when it is not finite.
func (r *rule) num(h *hook, state []float64, args ...float64) float64 {
	v := r.value(h, state, args)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		r.faults.notFinite.Add(1)
		return math.Inf(-1)
	}
	return v
}

// yes runs a hook that decides by a truth value.
func (r *rule) yes(h *hook, state []float64, args ...float64) bool {
	return r.value(h, state, args) != 0
}

func (r *rule) value(h *hook, state, args []float64) float64 {
	r.clamp(h, args)
	return h.program.Step(args, state)
}

func (r *rule) clamp(h *hook, args []float64) {
	if n := h.sig.Clamp(args); n > 0 {
		r.faults.clamped.Add(int64(n))
	}
}

// tell runs an on hook, if the policy has it.
func (r *rule) tell(h *hook, state []float64, args ...float64) {
	if h == nil {
		return
	}
	r.clamp(h, args)
	if e := h.program.Apply(args, state); e.Clamped+e.NaN > 0 {
		r.faults.writes.Add(int64(e.Clamped + e.NaN))
	}
}

// keyed is state for each key, made when a key is first seen.
type keyed map[string][]float64

func (k keyed) of(key string, r *rule) []float64 {
	s, ok := k[key]
	if !ok {
		s = r.fresh()
		k[key] = s
	}
	return s
}
