package reflector

import "testing"

// A rule is dropped when it is behind its rival, when it is no better after the first rung, and when it earns to the bit
// what the rival earns and is no smaller.
func TestDrop(t *testing.T) {
	long := func(x float64) []float64 {
		r := make([]float64, 2*firstRung)
		for i := range r {
			r[i] = x + 0.01*float64(i%3)
		}
		return r
	}
	rival := &individual{rewards: long(0.5), ops: 9}
	noisy := func(n int, d float64) []float64 {
		r := append([]float64(nil), rival.rewards[:n]...)
		for i := range r {
			r[i] += d + 0.3*float64(1-2*(i%2))
		}
		return r
	}
	s := &search{}
	for name, tt := range map[string]struct {
		rewards []float64
		ops     int
		want    bool
	}{
		"behind":                     {long(0.3)[:firstRung], 1, true},
		"level on the first rung":    {noisy(firstRung, -0.01), 9, false},
		"level after the first rung": {noisy(2*firstRung, -0.01), 9, true},
		"better":                     {noisy(2*firstRung, 0.01), 9, false},
		"the rival in other words":   {long(0.5)[:firstRung], 9, true},
		"the rival in fewer words":   {long(0.5)[:firstRung], 8, false},
	} {
		if got := s.drop(&individual{rewards: tt.rewards, ops: tt.ops}, rival); got != tt.want {
			t.Errorf("%s: dropped is %v", name, got)
		}
	}
}

// Of rules that the rewards do not tell apart the smallest is proposed, but none that is no better than the incumbent.
func TestChoice(t *testing.T) {
	best := &individual{rewards: []float64{0.9, 0.5, 0.7, 0.6}, ops: 20}
	equal := &individual{rewards: []float64{0.5, 0.9, 0.65, 0.65}, ops: 4}
	worse := &individual{rewards: []float64{0.6, 0.2, 0.4, 0.3}, ops: 3}
	smallest := &individual{rewards: []float64{0.4, 0.1, 0.3, 0.3}, ops: 1}
	for _, tt := range []struct {
		pool            []*individual
		incumbent, want *individual
	}{
		{[]*individual{best, equal, worse, smallest}, worse, equal},
		{[]*individual{best, worse}, worse, best},
		{[]*individual{best, equal, worse}, equal, best}, // equal is what there is already
		{[]*individual{best, worse}, best, nil},
	} {
		s := &search{pool: tt.pool, incumbent: tt.incumbent}
		if got := s.choice(); got != tt.want {
			t.Errorf("proposed %+v, want %+v", got, tt.want)
		}
	}
}
