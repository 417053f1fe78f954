package slots

import "github.com/agentdescent/adrun/gate"

// NewGate builds the gate of a slot: what an evolved policy must pass before it decides anything. Slot and,
// when it is nil, Trace of the config are filled in.
func NewGate(slot string, cfg gate.PolicyConfig) (*gate.PolicyGate, error) {
	decl, err := Declaration(slot)
	if err != nil {
		return nil, err
	}
	cfg.Slot = decl
	if cfg.Trace == nil {
		cfg.Trace = SmokeTrace(slot)
	}
	return gate.NewPolicyGate(cfg)
}

// SmokeTrace is a short history of a slot with the corners that runs meet: fresh keys, a shard all seen and a
// disjoint one; contradicting cards with equal and with zero scores; counts that are equal and zero; steps
// without a report; cards that are fresh and beyond the tolerance. It is nil for a name that is no slot.
func SmokeTrace(slot string) gate.Trace {
	switch slot {
	case "selection":
		return selectionTrace()
	case "task_sampler":
		return samplerTrace()
	case "proposal":
		return calls("propose", "", [][]float64{{0, 0, 0, 0.999}, {0.5, 3, 0, 0.999}, {1, 9, 1, 1.1}, {1, 9, 1, 2}})
	case "staleness":
		return calls("decide", "", [][]float64{
			{0, 1, 0, 0}, {1, 1, 0, 1}, {2, 1, 0, 2}, {5, 5, 0, 1}, {6, 5, 0, 2}, {0, 0, 1, 0}, {1, 0, 1, 2},
		})
	case "conflict":
		return calls("prefer", "", [][]float64{
			{0, 0, 0, 0, 0, 1, 1, 0}, {0.5, 0.5, 0, 0, 0, 1, 1, 0}, {0.75, 0.5, 1.5, -0.5, 1, 1, 2, 1},
			{0.5, 0.75, -0.5, 1.5, 1, 6, 1, 0}, {1, 1, 0.25, 0.25, 1, 2, 2, 0},
		})
	case "fusion":
		return calls("merit", "", [][]float64{
			{0, 1, 1, 0, 0}, {1, 1, 1, 0, 0}, {0, 2, 1, 0.5, 0.5}, {0, 1, 1, 0.75, 0.5}, {1, 3, 2, 0.75, 0.5}, {1, 6, 4, 1, 0},
		})
	case "acceptance":
		return append(calls("shift", "", [][]float64{{0, 0}, {1.5, 1}, {-1.5, 1}}), calls("accept", "", [][]float64{
			{0, 0, 0, 0, 0, 0.5, 1, 0, 0.5, 0, 0, 0, 0, 0},
			{0.5, 0.5, 8, 0, 0, 0.5, 1, 0, 0.5, 0, 0, 0, 0, 0},
			{0.5, 0.5, 8, 2, 2, 0.5, 0.5, 0, 0.75, 64, 0.1, 0.5, 1, 0},
			{0, 1, 8, 8, 0, 0.999, 63, 1, 0.5, 0, 1, 1.5, 1, 1},
			{1, 0, 8, 0, 8, 0.001, 0.004, -1, 0.99, 400, 1, -1.5, 1, 0},
		})...)
	case "promotion":
		return promotionTrace()
	}
	return nil
}

func calls(hook, key string, args [][]float64) gate.Trace {
	var t gate.Trace
	for _, a := range args {
		t = append(t, gate.Event{Hook: hook, Key: key, Args: a})
	}
	return t
}

// selectionTrace is a lone root, then an archive in which one head is not measured.
func selectionTrace() gate.Trace {
	t := calls("priority", "", [][]float64{
		{0.5, 0, 0, 1, 0, 1}, {0, 0, 1, 0.5, 0, 2}, {1, 3, 7, 0.25, 1, 4}, {0.33, 12, 40, 0.01, 6, 25}, {0.9, 1, 300, 0, 12, 120},
	})
	return append(t, calls("score", "", [][]float64{
		{1, 0, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0},
		{1, 0.5, 1, 1, 3, 12, 4, 0, 2, 4, 3, 0},
		{0, 0, 0, 0, 0, 12, 4, 1, 2, 4, 3, 1},
		{0, 0.25, 1, 2, 9, 12, 0, -1, 2, 4, 3, 3},
	})...)
}

// samplerTrace is a few rounds over one shard, first fresh, then all seen, and then over a disjoint one.
func samplerTrace() gate.Trace {
	var t gate.Trace
	picks := 0.0
	play := func(keys []string, rounds int) {
		for round := range rounds {
			picks++
			for i, key := range keys {
				t = append(t, gate.Event{Hook: "weight", Key: key, Args: []float64{picks, float64(i), float64(len(keys)), float64(round)}})
			}
			score := []float64{0, 1, 0.5, 1, 1}[round%5]
			t = append(t, gate.Event{Hook: "record", Key: keys[round%len(keys)], Args: []float64{score, float64(round)}})
		}
	}
	play([]string{"a", "b", "c"}, 9)
	play([]string{"d", "e"}, 4)
	play([]string{"f"}, 2)
	return t
}

// promotionTrace is two artifacts: one that commits, is refused by the oracle and then left alone, and one
// that nothing happens to.
func promotionTrace() gate.Trace {
	var t gate.Trace
	survived, commits, rejections := 0.0, 0.0, 0.0
	for step := range 12 {
		committed, rejected := indicator(step == 0 || step == 4), indicator(step == 2)
		survived++
		if committed+rejected > 0 {
			survived = 0
		}
		commits, rejections = commits+committed, rejections+rejected
		t = append(t,
			gate.Event{Hook: "promote", Key: "busy", Args: []float64{survived, commits, rejections, 3}},
			gate.Event{Hook: "report", Key: "busy", Args: []float64{committed, rejected, indicator(survived == 3)}},
			gate.Event{Hook: "promote", Key: "idle", Args: []float64{float64(step + 1), 0, 0, 3}},
			gate.Event{Hook: "report", Key: "idle", Args: []float64{0, 0, 0}},
		)
	}
	return t
}
