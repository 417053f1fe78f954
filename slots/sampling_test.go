package slots_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/slots"
)

// Untried tasks come first, in order; then the one whose trials differ, since 4·½·½ beats the others' 0.001
// plus any bonus of the first few picks.
func TestDifficultyWeightedPrefersWhatIsHalfSolved(t *testing.T) {
	p := &slots.DifficultyWeighted{}
	keys := []string{"always", "sometimes", "never"}
	rewards := map[string][]float64{"always": {1}, "sometimes": {1, 0}, "never": {0.4}}
	tried := map[string]int{}
	var picks []string
	for round := range 12 {
		k := p.Pick(keys, round)
		picks = append(picks, k)
		r := rewards[k]
		p.Record(k, r[tried[k]%len(r)], round)
		tried[k]++
	}
	if diff := cmp.Diff(keys, picks[:3]); diff != "" {
		t.Error("first picks (-want +got):", diff)
	}
	// After the first round all have one trial and a rate of 0 or 1: the bonus is the same, the first wins
	// until its bonus falls behind.
	if tried["sometimes"] < 6 {
		t.Errorf("tried %v", tried)
	}
}

// Picks that have no reward yet count among the picks, not among the trials.
func TestDifficultyWeightedWaitsForRewards(t *testing.T) {
	p := &slots.DifficultyWeighted{}
	for range 3 {
		if k := p.Pick([]string{"a", "b"}, 0); k != "a" {
			t.Errorf("picked %s", k)
		}
	}
	p.Record("a", 1, 0)
	if k := p.Pick([]string{"a", "b"}, 1); k != "b" {
		t.Errorf("picked %s, and b is untried", k)
	}
}
