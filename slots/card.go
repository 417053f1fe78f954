package slots

import (
	"encoding/json"
	"math"
	"strconv"
)

// Maybe is a number that may be absent. Absent is not zero: it prints as null.
type Maybe struct {
	Value float64
	Known bool
}

// Known returns a Maybe that holds v.
func Known(v float64) Maybe { return Maybe{Value: v, Known: true} }

// Or returns the number, or def when it is absent.
func (m Maybe) Or(def float64) float64 {
	if m.Known {
		return m.Value
	}
	return def
}

// MarshalJSON writes the number in shortest form, or null when it is absent or not finite.
func (m Maybe) MarshalJSON() ([]byte, error) {
	if !m.Known || math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, m.Value, 'g', -1, 64), nil
}

// UnmarshalJSON reads a number or null.
func (m *Maybe) UnmarshalJSON(b []byte) error {
	*m = Maybe{}
	if string(b) == "null" {
		return nil
	}
	m.Known = true
	return json.Unmarshal(b, &m.Value)
}

// Spend is what something cost. Cost is in the evaluator's declared units; Tokens are a model's.
type Spend struct {
	Rollouts int     `json:"rollouts,omitempty"`
	Calls    int     `json:"calls,omitempty"`
	Tokens   int     `json:"tokens,omitempty"`
	Cost     float64 `json:"cost,omitempty"`
}

// Plus returns the sum of both.
func (s Spend) Plus(t Spend) Spend {
	return Spend{
		Rollouts: s.Rollouts + t.Rollouts,
		Calls:    s.Calls + t.Calls,
		Tokens:   s.Tokens + t.Tokens,
		Cost:     s.Cost + t.Cost,
	}
}

// Minus returns s without t.
func (s Spend) Minus(t Spend) Spend {
	return Spend{
		Rollouts: s.Rollouts - t.Rollouts,
		Calls:    s.Calls - t.Calls,
		Tokens:   s.Tokens - t.Tokens,
		Cost:     s.Cost - t.Cost,
	}
}

// Times returns the spend n times.
func (s Spend) Times(n int) Spend {
	return Spend{Rollouts: n * s.Rollouts, Calls: n * s.Calls, Tokens: n * s.Tokens, Cost: float64(float64(n) * s.Cost)}
}

// Max is the larger of both, part by part.
func (s Spend) Max(t Spend) Spend {
	return Spend{
		Rollouts: max(s.Rollouts, t.Rollouts), Calls: max(s.Calls, t.Calls), Tokens: max(s.Tokens, t.Tokens), Cost: max(s.Cost, t.Cost),
	}
}

// Within reports whether no part of the spend exceeds that of the other.
func (s Spend) Within(most Spend) bool {
	return s.Rollouts <= most.Rollouts && s.Calls <= most.Calls && s.Tokens <= most.Tokens && s.Cost <= most.Cost
}

// Touch names an artifact that a rollout depended on, and the version it saw.
type Touch struct {
	Artifact string `json:"artifact"`
	Version  int    `json:"version"`
}

// Card is the evidence for one proposed diff.
type Card struct {
	// Lease numbers the rollout that caused the card, over the whole run, from 0.
	Lease int `json:"lease"`
	Lane  int `json:"lane"`
	Round int `json:"round"`
	// Head is the archive ID of the head that the rollout started from; 0 without a population.
	Head int `json:"head,omitempty"`
	// Artifact is the one that Diff changes.
	Artifact string `json:"artifact"`
	Diff     Diff   `json:"diff"`
	// Identity of the proposed value, where the artifact is a rule; else a hash of the diff.
	Identity string `json:"identity,omitempty"`
	// Touched lists the artifacts that the rollout saw; the one that is changed comes first.
	Touched []Touch `json:"touched"`
	// ContractBreaking says that the diff changes what callers of the artifact rely on.
	ContractBreaking bool `json:"contract_breaking,omitempty"`
	// Task is the rollout's, Reward what it got before the diff.
	Task   string  `json:"task"`
	Reward float64 `json:"reward"`
	// Delta is after − before on the card's own task; absent when not verified.
	Delta Maybe `json:"delta"`
	// Advantage is the reward's z-score in its group; absent is not zero.
	Advantage Maybe `json:"advantage"`
	// Failing lists the tasks that speak for the change.
	Failing []string `json:"failing,omitempty"`
	// Source names who proposed, where a run has several.
	Source string `json:"source,omitempty"`
	Spend  Spend  `json:"spend"`
}
