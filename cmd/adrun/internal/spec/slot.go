package spec

import (
	"maps"
	"slices"
	"strings"
)

// slot reports what is missing for the kind policy_slot, and what belongs to another kind.
func (v *validator) slot(s *Spec) {
	own := []struct {
		path string
		set  bool
	}{
		{"$.score", s.Score != ""}, {"$.data.problems", s.Data.Problems != nil}, {"$.data.val_problems", s.Data.ValProblems != nil},
		{"$.data.val_seeds", s.Data.ValSeeds != ""}, {"$.data.runs", s.Data.Runs != nil}, {"$.gate.min_gain", s.Gate.MinGain != 0}, {"$.gate.transfer_floor", s.Gate.TransferFloor != 0},
	}
	if s.Kind != KindPolicySlot {
		for _, k := range own {
			if k.set {
				v.report(k.path, "only kind %s has this key", KindPolicySlot)
			}
		}
		return
	}
	if s.Target == "" {
		v.report("$.target", "target is missing: it names the slot, such as selection")
	}
	if len(s.Data.Problems) == 0 {
		v.report("$.data.problems", "data.problems is missing: 'adrun schema' lists the inner problems")
	}
	if s.Data.Problem != "" {
		v.report("$.data.problem", "inner problems are listed in data.problems")
	}
	if s.Data.Sealed != "" {
		v.report("$.data.sealed", "val_problems and val_seeds judge the value of a slot")
	}
	if len(s.Data.ValProblems) == 0 && s.Data.ValSeeds != "" {
		v.report("$.data.val_seeds", "there is no data.val_problems: a value is judged on problems that it never saw")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Data.Runs)) {
		if name == "" || strings.ContainsAny(name, "./") {
			v.report("$.data.runs", "a run is called %q: a name is not empty and has neither dot nor slash", name)
		}
		if s.Data.Runs[name] == "" {
			v.report("$.data.runs", "run %s names no spec", name)
		}
	}
	v.within("$.gate.min_gain", s.Gate.MinGain, -1, 1)
	v.within("$.gate.transfer_floor", s.Gate.TransferFloor, -1e6, 1e6)
}
