package budget_test

import (
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/budget"
	"github.com/agentdescent/adrun/slots"
)

func TestFloors(t *testing.T) {
	for _, tt := range []struct {
		name               string
		governor           budget.Governor
		remaining          float64
		tournament, verify bool
	}{
		{"fresh", budget.Governor{}, 1, true, true},
		{"before the soft floor", budget.Governor{}, 0.2501, true, true},
		{"at the soft floor", budget.Governor{}, 0.25, false, true},
		{"before the hard floor", budget.Governor{}, 0.1001, false, true},
		{"at the hard floor", budget.Governor{}, 0.1, false, false},
		{"spent", budget.Governor{}, 0, false, false},
		{"own floors", budget.Governor{SoftFloor: 0.25, HardFloor: 0.5}, 0.6, false, true},
		{"floors that nothing reaches", budget.Governor{SoftFloor: 1, HardFloor: 1}, 1e-9, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.governor.Tournament(tt.remaining); got != tt.tournament {
				t.Errorf("tournament with %v left: %v", tt.remaining, got)
			}
			if got := tt.governor.SelfVerify(tt.remaining); got != tt.verify {
				t.Errorf("self-verification with %v left: %v", tt.remaining, got)
			}
		})
	}
}

// rows makes a history of held-out means; a negative one was not measured.
func rows(means ...float64) []engine.Row {
	var h []engine.Row
	for _, m := range means {
		r := engine.Row{}
		if m >= 0 {
			r.HeldOut = slots.Known(m)
		}
		h = append(h, r)
	}
	return h
}

func TestReturnsDiminish(t *testing.T) {
	two := budget.Returns{Rounds: 2, Gain: 0.1}
	for _, tt := range []struct {
		name    string
		returns budget.Returns
		history []engine.Row
		want    bool
	}{
		{"never asked", budget.Returns{Gain: 1}, rows(0.5, 0.5, 0.5), false},
		{"too early", two, rows(0.5, 0.5), false},
		{"flat", two, rows(0.5, 0.5, 0.5), true},
		{"just enough", two, rows(0.5, 0.5, 0.625), false},
		{"too little", two, rows(0.5, 0.5, 0.5625), true},
		{"a fall after a rise counts as the rise", two, rows(0.5, 0.75, 0.25), false},
		{"a rise that came before", two, rows(0.25, 0.75, 0.75, 0.75), true},
		{"below an earlier best", two, rows(0.75, 0.25, 0.5), true},
		{"nothing to compare with", two, rows(-1, -1, 0.5), false},
		{"nothing measured since", two, rows(0.5, -1, -1), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (budget.Governor{Returns: tt.returns}).StopEarly(tt.history); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
