package slots

import "slices"

// MergeOutcome says what became of a merge. The words are a closed vocabulary.
type MergeOutcome string

// The outcomes of a merge.
const (
	Committed       MergeOutcome = "committed"
	BelowThreshold  MergeOutcome = "below-threshold"
	AllStale        MergeOutcome = "all-stale"
	Oversized       MergeOutcome = "oversized"
	OracleRejected  MergeOutcome = "oracle-rejected"
	CASConflict     MergeOutcome = "cas-conflict"
	UnknownArtifact MergeOutcome = "unknown-artifact"
	PopulationPick  MergeOutcome = "population-select"
	Unmeasured      MergeOutcome = "unmeasured"
)

// MergeOutcomes lists the vocabulary, in the order of the pipeline.
func MergeOutcomes() []MergeOutcome {
	return []MergeOutcome{
		Committed, BelowThreshold, AllStale, Oversized, OracleRejected,
		CASConflict, UnknownArtifact, PopulationPick, Unmeasured,
	}
}

// Valid reports whether the word belongs to the vocabulary.
func (o MergeOutcome) Valid() bool { return slices.Contains(MergeOutcomes(), o) }

// Report is what a merge did to one artifact in one step.
type Report struct {
	Artifact string       `json:"artifact"`
	Outcome  MergeOutcome `json:"outcome"`
	Reason   string       `json:"reason,omitempty"`
	// Version is the head's after the merge.
	Version int `json:"version"`
	// Considered cards entered the merge; of them DiscardedStale lagged too far, ConflictsDropped lost
	// to a contradicting card, Oversized broke the trust region.
	Considered       int `json:"considered"`
	DiscardedStale   int `json:"discarded_stale"`
	Rebased          int `json:"rebased"`
	ConflictsDropped int `json:"conflicts_dropped"`
	Oversized        int `json:"oversized"`
	// Fused says that the candidate was a union, Lease which card it is attributed to (-1: none).
	Fused bool `json:"fused"`
	Lease int  `json:"lease"`
	// The numbers of the decision; absent when nothing was measured.
	BaseRate      Maybe `json:"base_rate"`
	CandRate      Maybe `json:"cand_rate"`
	PImprove      Maybe `json:"p_improve"`
	EValue        Maybe `json:"e_value"`
	ObservedDelta Maybe `json:"observed_delta"`
	Threshold     Maybe `json:"threshold"`
	// Identity of the candidate, Diff what it changes; the diff is empty unless the merge measured one.
	Identity string `json:"identity,omitempty"`
	Diff     Diff   `json:"diff,omitempty"`
}
