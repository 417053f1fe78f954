package slots

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate"
)

// shipped is a policy that resolves by name.
type shipped struct {
	slot, name string
	build      func() Policies
}

// catalog lists the shipped policies by slot, the default of each slot first. Native pairs and policies that
// need more than a name are left out.
func catalog() []shipped {
	selection := func(s Selection) func() Policies { return func() Policies { return Policies{Selection: s} } }
	stale := func(s Staleness) func() Policies { return func() Policies { return Policies{Staleness: s} } }
	return []shipped{
		{"selection", "single_head", selection(SingleHead{})},
		{"selection", "beam", selection(Beam{})},
		{"selection", "pareto_win_frequency", selection(ParetoFrontier{})},
		{"selection", "pareto_per_instance", selection(ParetoFrontier{Mode: PerInstance})},
		{"selection", "pareto_topk_aggregate", selection(ParetoFrontier{Mode: TopKAggregate})},
		{"selection", "archive_performance", selection(Archive{Mode: Performance})},
		{"selection", "archive_novelty", selection(Archive{Mode: Novelty})},
		{"selection", "archive_sigmoid_novelty", selection(Archive{})},
		{"selection", "archive_uniform", selection(Archive{Mode: Uniform})},
		{"selection", "archive_best", selection(Archive{Mode: Best})},
		{"selection", "flat_puct", selection(FlatPuct{})},
		{"selection", "mcts", selection(MCTS{})},
		{"task_sampler", "round_robin", func() Policies { return Policies{TaskSampler: RoundRobin{}} }},
		{"task_sampler", "difficulty_weighted", func() Policies { return Policies{TaskSampler: &DifficultyWeighted{}} }},
		{"proposal", "ask_actor", func() Policies { return Policies{Proposal: AskActor{}} }},
		{"staleness", "guarded", stale(Guarded{})},
		{"staleness", "full", stale(Full{})},
		{"staleness", "reflective", stale(Reflective{})},
		{"conflict", "default", func() Policies { return Policies{Conflict: &DefaultConflict{}} }},
		{"conflict", "advantage", func() Policies { return Policies{Conflict: &AdvantageConflict{}} }},
		{"fusion", "default", func() Policies { return Policies{Fusion: &DefaultFusion{}} }},
		{"fusion", "tournament", func() Policies { return Policies{Fusion: &DefaultFusion{Tournament: true}} }},
		{"acceptance", "default", func() Policies { return Policies{Acceptance: &DefaultAcceptance{}} }},
		{"acceptance", "paired", func() Policies { return Policies{Acceptance: &PairedAcceptance{}} }},
		{"acceptance", "advantage", func() Policies { return Policies{Acceptance: &AdvantageAcceptance{}} }},
		{"acceptance", "stable_distance", func() Policies { return Policies{Acceptance: &StableDistanceAcceptance{}} }},
		{"acceptance", "strict_improvement", func() Policies { return Policies{Acceptance: StrictImprovement{}} }},
		{"promotion", "default", func() Policies { return Policies{Promotion: &DefaultPromotion{}} }},
	}
}

// PolicyNames lists the policies of a slot that resolve by name, its default first.
func PolicyNames(slot string) []string {
	var names []string
	for _, s := range catalog() {
		if s.slot == slot {
			names = append(names, s.name)
		}
	}
	return names
}

// ByName returns a bundle with a fresh instance of a shipped policy in its slot. "default" is the default of
// every slot. The error is an *UnknownError.
func ByName(slot, name string) (Policies, error) {
	names := PolicyNames(slot)
	if len(names) == 0 {
		return Policies{}, &UnknownError{What: "slot", Name: slot, Known: SlotNames()}
	}
	for _, s := range catalog() {
		if s.slot == slot && (s.name == name || name == "default" && s.name == names[0]) {
			return s.build(), nil
		}
	}
	return Policies{}, &UnknownError{What: slot + " policy", Name: name, Known: names}
}

// FromText passes a text that holds one policy of the rule language through the gate of the slot, and returns
// a bundle with it. The error is a *dsl.DiagnosticsError when the gate refuses it; name is what diagnostics
// call the text.
func FromText(slot, name, text string) (Policies, error) {
	g, err := NewGate(slot, gate.PolicyConfig{})
	if err != nil {
		return Policies{}, err
	}
	v := g.CheckNamed(name, text)
	if !v.OK {
		return Policies{}, &dsl.DiagnosticsError{List: v.Diags}
	}
	decl, err := Declaration(slot)
	if err != nil {
		return Policies{}, err
	}
	return Compile(v.Policy, []*dsl.Slot{decl}, nil)
}

// Resolve returns a bundle with the policy that a person wrote for a slot: the name of a shipped one, or a text
// for FromText.
func Resolve(slot, name, value string) (Policies, error) {
	if strings.ContainsAny(value, "{\n") {
		return FromText(slot, name, value)
	}
	return ByName(slot, value)
}

// Twin returns a shipped policy as a rule: the text of a policy that decides as the native one of that name
// does. Not every policy has one: tree search by MCTS and the pair of ReflectiveMerge cannot be expressed.
func Twin(slot, name string) (text string, ok bool) {
	text, err := ruleText(fmt.Sprintf("twins/%s.%s.rule", slot, name))
	return text, err == nil
}

// TwinNames lists the slot and name of every twin, sorted by slot and name.
func TwinNames() ([][2]string, error) {
	files, err := fs.Glob(ruleFiles, "rules/twins/*.rule")
	if err != nil {
		return nil, err
	}
	var all [][2]string
	for _, f := range files {
		base := strings.TrimSuffix(strings.TrimPrefix(f, "rules/twins/"), ".rule")
		slot, name, _ := strings.Cut(base, ".")
		all = append(all, [2]string{slot, name})
	}
	return all, nil
}
