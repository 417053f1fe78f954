package dials

import (
	"fmt"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Regime is a kind of run in which one decision of the engine matters most.
type Regime struct {
	Name    string
	Meaning string
	// Slot is the decision's.
	Slot string
	// Small and Large are machines for the training and, unlike them, for the judging of a value.
	Small, Large Config
	// Run is what every run of the regime has; problem, artifact, actor and seed are filled in.
	Run engine.Config
	// Stable says that what counts is the stable head.
	Stable bool
}

// Regimes lists the regimes, one a slot, in the order of slots.SlotNames.
func Regimes() []Regime {
	rounds := func(lanes, rounds int) engine.Config {
		return engine.Config{Parallel: engine.Parallel{Lanes: lanes}, Budget: engine.Budget{Rounds: rounds}}
	}
	lagging := rounds(6, 24)
	lagging.Parallel.Refresh = 6
	frugal := rounds(4, 60)
	frugal.Budget.MaxCalls = 48
	return []Regime{
		{
			Name: "rugged", Slot: "selection", Meaning: "local optima: going on from the best head alone gets stuck",
			Small: Config{Dials: 4, Tasks: 24, Reads: 2, Rugged: 0.2, Skill: 0.7, Stride: 4},
			Large: Config{Dials: 6, Tasks: 30, Reads: 3, Rugged: 0.25, Skill: 0.7, Stride: 4}, Run: rounds(4, 24),
		},
		{
			Name: "idle", Slot: "task_sampler", Meaning: "most tasks are solved from the start, and a rollout on them teaches nothing",
			Small: Config{Dials: 24, Tasks: 60, Reads: 1, Easy: 0.75, Skill: 0.9, Stride: 4},
			Large: Config{Dials: 40, Tasks: 100, Reads: 1, Easy: 0.8, Skill: 0.9, Stride: 4}, Run: rounds(3, 24),
		},
		{
			Name: "frugal", Slot: "proposal", Meaning: "proposals are few: each call of the mechanic counts against a cap",
			Small: Config{Dials: 8, Tasks: 30, Reads: 2, Easy: 0.5, Skill: 0.8, Stride: 6},
			Large: Config{Dials: 14, Tasks: 40, Reads: 2, Easy: 0.5, Skill: 0.8, Stride: 6}, Run: frugal,
		},
		{
			Name: "lagging", Slot: "staleness", Meaning: "lanes look at the head every sixth round only, so that most cards lag",
			Small: Config{Dials: 10, Tasks: 30, Reads: 2, Skill: 0.8, Stride: 4},
			Large: Config{Dials: 16, Tasks: 40, Reads: 2, Skill: 0.8, Stride: 4}, Run: lagging,
		},
		{
			Name: "clashing", Slot: "conflict", Meaning: "many lanes move few dials, and most of their proposals contradict",
			Small: Config{Dials: 2, Tasks: 40, Reads: 1, Spread: 4, Noise: 0.1, Skill: 0.6, Stride: 4},
			Large: Config{Dials: 3, Tasks: 60, Reads: 1, Spread: 4, Noise: 0.1, Skill: 0.6, Stride: 4}, Run: rounds(8, 12),
		},
		{
			Name: "mixed", Slot: "fusion", Meaning: "half of the proposals do harm, and a union has some of each",
			Small: Config{Dials: 12, Tasks: 40, Reads: 2, Skill: 0.3, Stride: 4},
			Large: Config{Dials: 20, Tasks: 60, Reads: 2, Skill: 0.3, Stride: 4}, Run: rounds(6, 16),
		},
		{
			Name: "noisy", Slot: "acceptance", Meaning: "few held-out tasks with noise: the gate commits luck",
			Small: Config{Dials: 6, Tasks: 20, Reads: 2, Easy: 0.5, Noise: 0.15, Skill: 0.4, Stride: 4},
			Large: Config{Dials: 10, Tasks: 24, Reads: 2, Easy: 0.5, Noise: 0.2, Skill: 0.4, Stride: 4}, Run: rounds(2, 32),
		},
		{
			Name: "trailing", Slot: "promotion", Meaning: "what counts is the stable head, which trails dev",
			Small: Config{Dials: 8, Tasks: 30, Reads: 2, Skill: 0.8, Stride: 4},
			Large: Config{Dials: 12, Tasks: 40, Reads: 2, Skill: 0.8, Stride: 4}, Run: rounds(4, 20), Stable: true,
		},
	}
}

// RegimeByName returns a regime.
func RegimeByName(name string) (Regime, error) {
	var known []string
	for _, r := range Regimes() {
		if r.Name == name {
			return r, nil
		}
		known = append(known, r.Name)
	}
	return Regime{}, &slots.UnknownError{What: "regime", Name: name, Known: known}
}

// Fingerprint identifies the runs of a regime on machines.
func (r Regime) Fingerprint(c Config) string {
	return fmt.Sprintf("dials/1 %+v lanes=%d refresh=%d rounds=%d calls=%d stable=%t", c,
		r.Run.Parallel.Lanes, r.Run.Parallel.Refresh, r.Run.Budget.Rounds, r.Run.Budget.MaxCalls, r.Stable)
}

// Config is the run of the regime on a machine.
func (r Regime) Config(m *Machine) engine.Config {
	c := r.Run
	c.Seed = m.seed
	c.Tasks.Problem = m
	c.Artifacts = []engine.ArtifactConfig{{ID: "machine", Strategy: engine.KeyedRules{}, Initial: m.Initial()}}
	c.Actor.Proposer = m
	c.Parallel.Workers = 1
	return c
}
