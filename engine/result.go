package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/agentdescent/adrun/slots"
)

// StopReason says why a run ended.
type StopReason string

// The reasons. A run that ended by time, by cancellation or by an error can be resumed; the others are
// done.
const (
	StopRounds    StopReason = "rounds"
	StopTarget    StopReason = "target"
	StopPatience  StopReason = "patience"
	StopRollouts  StopReason = "max-rollouts"
	StopCalls     StopReason = "max-calls"
	StopTokens    StopReason = "max-tokens"
	StopCost      StopReason = "max-cost"
	StopBudget    StopReason = "diminishing-returns"
	StopTime      StopReason = "max-time"
	StopCancelled StopReason = "cancelled"
	StopError     StopReason = "error"
)

// Final reports whether a run that ended so is done.
func (s StopReason) Final() bool {
	switch s {
	case StopTime, StopCancelled, StopError, "":
		return false
	}
	return true
}

// Row is one round of the history.
type Row struct {
	Round int `json:"round"`
	// HeldOut is the head's mean reward on the held-out tasks, of the first artifact.
	HeldOut          slots.Maybe                `json:"held_out"`
	Considered       int                        `json:"considered"`
	DiscardedStale   int                        `json:"discarded_stale"`
	ConflictsDropped int                        `json:"conflicts_dropped"`
	Fused            int                        `json:"fused"`
	Oversized        int                        `json:"oversized"`
	Commits          int                        `json:"commits"`
	Categories       map[slots.MergeOutcome]int `json:"categories"`
	Spend            slots.Spend                `json:"spend"`
}

// Measure is a held-out or sealed measurement before and after a run.
type Measure struct {
	N      int         `json:"n"`
	Before slots.Maybe `json:"before"`
	After  slots.Maybe `json:"after"`
	// Wins and Losses count the tasks on which after is above and below before.
	Wins   int `json:"wins"`
	Losses int `json:"losses"`
}

// FusionStats summarise the contests between single diffs and their union.
type FusionStats struct {
	// Trials and Ranked count contests and those that were scored, Contested those of them that had a
	// union to win; WinRate is the share that it won, absent when there was none. SynthesisFailed counts
	// merged texts that were asked for and could not be used.
	Trials    int         `json:"trials"`
	Ranked    int         `json:"ranked"`
	Contested int         `json:"contested"`
	WinRate   slots.Maybe `json:"win_rate"`

	SynthesisFailed int `json:"synthesis_failed,omitempty"`
}

// ArtifactResult is one artifact at the end of a run.
type ArtifactResult struct {
	ID             string      `json:"id"`
	Dev            Ref         `json:"dev"`
	Stable         Ref         `json:"stable"`
	State          slots.State `json:"state"`
	Rendered       string      `json:"rendered"`
	StableState    slots.State `json:"stable_state"`
	StableRendered string      `json:"stable_rendered"`
	Trust          float64     `json:"trust"`
	Prior          slots.Beta  `json:"prior"`
	// Heads is the archive, when a population was kept.
	Heads []slots.Head `json:"heads,omitempty"`
}

// Result is what a run gave.
type Result struct {
	// Rendered and State are dev of the first artifact, Artifacts all of them in the order of the config.
	Rendered  string           `json:"rendered"`
	State     slots.State      `json:"state"`
	Artifacts []ArtifactResult `json:"artifacts"`
	History   []Row            `json:"history"`
	// Outcomes counts what happened at merges, Refused the proposals and trials that the gate turned
	// away by code, Gated all that it saw.
	Outcomes map[slots.MergeOutcome]int `json:"outcomes"`
	Refused  map[string]int             `json:"refused"`
	Gated    int                        `json:"gated"`
	// Failures counts the rollouts in which a candidate itself failed, Unmeasured the leases and merges
	// that the infrastructure failed.
	Failures   int     `json:"failures"`
	Unmeasured int     `json:"unmeasured"`
	HeldOut    Measure `json:"held_out"`
	// Sealed is measured once, at the end of a run that is done; nil without sealed tasks.
	Sealed *Measure     `json:"sealed"`
	Fusion *FusionStats `json:"fusion"` // nil: not instrumented
	// Allocation counts what the allocator did; nil without one.
	Allocation *AllocationStats `json:"allocation,omitempty"`
	// Log lists the moves of dev that the run made, in order.
	Log []Commit `json:"log"`
	// Sources tallies the sources of proposals, where they have names.
	Sources []slots.SourceTally `json:"sources,omitempty"`

	Spend slots.Spend `json:"spend"`
	Stop  StopReason  `json:"stop"`
	Error string      `json:"error,omitempty"`
	// Meta is for reports that are kept with the result.
	Meta json.RawMessage `json:"meta,omitempty"`
	// Meters are outside the promise of a repeatable result: wall times and evaluations really made.
	Meters Meters `json:"-"`
	// Faults counts by slot what the hosts of policy rules put right in this process; a resume does not ask
	// again what is recorded.
	Faults map[string]slots.Faults `json:"-"`
}

// Stage is one part of the pipeline.
type Stage string

// The metered stages.
const (
	StageRollout Stage = "rollout"
	StagePropose Stage = "propose"
	StageTrial   Stage = "trial"
	StageVerify  Stage = "verify"
	StageMeasure Stage = "measure"
	StageMerge   Stage = "merge"
	StageLedger  Stage = "ledger"
	// StageEvaluate counts the evaluations that were really made: what the cache and the log saved is not
	// among them, retries are.
	StageEvaluate Stage = "evaluate"
)

// Meter is what a stage used.
type Meter struct {
	Wall  time.Duration `json:"wall"`
	Calls int           `json:"calls"`
	Spend slots.Spend   `json:"spend"`
}

// Meters holds a meter a stage.
type Meters map[Stage]Meter

func (m Meters) add(s Stage, wall time.Duration, calls int, spend slots.Spend) {
	v := m[s]
	v.Wall += wall
	v.Calls += calls
	v.Spend = v.Spend.Plus(spend)
	m[s] = v
}

// saved is a result with the states that its commits leave to the ledger.
type saved struct {
	*Result
	LogStates []slots.State `json:"log_states"`
}

// Save writes the result as JSON, Meters and Faults left out.
func (r *Result) Save(w io.Writer) error {
	s := saved{Result: r}
	for _, c := range r.Log {
		s.LogStates = append(s.LogStates, c.State)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(s)
}

// LoadResult reads what Save wrote.
func LoadResult(rd io.Reader) (*Result, error) {
	s := saved{Result: &Result{}}
	if err := json.NewDecoder(rd).Decode(&s); err != nil {
		return nil, fmt.Errorf("reading a result: %w", err)
	}
	r := s.Result
	if len(s.LogStates) != len(r.Log) {
		return nil, fmt.Errorf("reading a result: %d states for %d commits", len(s.LogStates), len(r.Log))
	}
	for i := range r.Log {
		r.Log[i].State = s.LogStates[i]
		if err := r.Log[i].Verify(); err != nil {
			return nil, fmt.Errorf("reading a result: %w", err)
		}
	}
	for i := range r.Artifacts {
		a := &r.Artifacts[i]
		a.Dev.State, a.Stable.State = a.State, a.StableState
	}
	return r, nil
}
