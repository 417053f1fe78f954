package slots

import "github.com/agentdescent/adrun/dsl"

// Program is a compiled rule as evaluators see it; *dsl.Program is one. Arguments come in the order of
// the signature's inputs. It is safe for concurrent use and allocates nothing.
type Program interface {
	// Num evaluates the rule once.
	Num(args []float64) float64
	// Batch evaluates a row per element of out: cols[i][r] is input i of row r.
	Batch(cols [][]float64, out []float64)
}

// Candidate is a value of an artifact that can be evaluated.
type Candidate struct {
	// Artifact is the artifact's id.
	Artifact string
	// Text is the rendered value: the source of a rule, or the text that an agent is given. It may be ""
	// for a rule that was built and never stored; Rule is set then.
	Text string
	// State is the value by key; nil for a rule that was never stored.
	State State
	// Identity names the value: equal identities evaluate equally.
	Identity string
	// Rule and Program are the tree and its compiled form; nil for artifacts that are not rules.
	Rule    *dsl.Rule
	Program Program
	// Others are the run's other artifacts, by id, when it has several.
	Others map[string]*Candidate
}

// Outcome is what one evaluation gave.
type Outcome struct {
	// Reward is finite and in [0, 1].
	Reward float64 `json:"reward"`
	// Failure is the cause when the candidate itself failed; Reward is 0 then. The failure of anything
	// else is an error of the call, not an Outcome.
	Failure string `json:"failure,omitempty"`
	// Output is what the candidate produced and Feedback what is worth telling a proposer about it.
	Output   string `json:"output,omitempty"`
	Feedback string `json:"feedback,omitempty"`
	// Spend is what the evaluation cost beyond being one rollout.
	Spend Spend `json:"spend"`
	// Metrics are further numbers by name, for reports and score expressions.
	Metrics map[string]float64 `json:"metrics,omitempty"`
}
