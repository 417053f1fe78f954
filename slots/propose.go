package slots

import (
	"context"

	"github.com/agentdescent/adrun/dsl"
)

// Proposal is a suggested new value of the artifact: Text, or Rule for a tree that was built and is
// printed only when it must be stored. At most one of Text, Rule and Diff is set. Without any it proposes
// nothing, and says only what was spent and found on the way.
type Proposal struct {
	Text string
	Rule *dsl.Rule
	// Diff proposes edits instead of a whole value; it skips the strategy.
	Diff Diff
	// Note says where the proposal comes from ("crossover", a model's name), for reports; after a slash, what
	// else there is to say.
	Note string
	// Source names who proposes where a run has several; "" where it does not matter. Tallies are kept a source.
	Source string
	// Replies counts what became of the replies of a model, by cause; nil when none was asked for.
	Replies map[string]int
	// Spend is what making the proposal cost, trials not included: the engine meters those itself.
	Spend Spend
	// Elites are values worth keeping for later proposals. The engine merges them into the population at
	// the barrier, in lease order.
	Elites []Elite
}

// Empty reports whether the proposal holds no value.
func (p *Proposal) Empty() bool { return p.Text == "" && p.Rule == nil && len(p.Diff) == 0 }

// Elite is a value that trials have measured on training tasks.
type Elite struct {
	Rule     *dsl.Rule
	Text     string
	Identity string
	// Score is the mean reward over N training tasks.
	Score float64
	N     int
	// Ops is the rule's cost.
	Ops int
	// Niche keeps elites of different kinds apart; a population keeps the best of each niche first.
	Niche string
}

// Population is the run as a proposer may see it: an immutable view of the last barrier. It holds training
// scores only; what the gate measured on held-out tasks stays with the gate.
type Population struct {
	// Elites in descending order of Score, ties to the smaller Ops, then to the earlier.
	Elites []Elite
	// Commits counts the run's commits so far.
	Commits int
	// Sources tallies what has come of each source of proposals, in the order of their names.
	Sources []SourceTally
}

// SourceTally is what has come of one source of proposals.
type SourceTally struct {
	Source string `json:"source"`
	// Leases counts the leases that it was asked in, Failed those of them in which it could not be reached.
	Leases int `json:"leases"`
	Failed int `json:"failed"`
	// Proposals counts what passed the gate, Commits what was committed, Gain the sum of the held-out gains
	// of those. A commit belongs to the lease that its merge is attributed to.
	Proposals int     `json:"proposals"`
	Commits   int     `json:"commits"`
	Gain      float64 `json:"gain"`
	// Spend is that of its leases, rollouts and trials included; Own what proposing itself cost.
	Spend Spend `json:"spend"`
	Own   Spend `json:"own"`
	// Replies counts what became of the replies of a model, by cause.
	Replies map[string]int `json:"replies,omitempty"`
}

// SourceError is the infrastructure failure of one of several sources.
type SourceError struct {
	Source string
	Err    error
}

func (e *SourceError) Error() string { return e.Source + ": " + e.Err.Error() }

// Unwrap returns the failure.
func (e *SourceError) Unwrap() error { return e.Err }

// Trial lets a proposer try values on the run's training tasks before it proposes one. Every evaluation
// is charged to the lease as a rollout, cached or not, so that what a proposer may do depends on nothing
// but its lease. It belongs to one call of Propose and one goroutine.
type Trial interface {
	// Tasks are the training tasks, in the order of the split.
	Tasks() []Task
	// Left is how many evaluations the lease still has.
	Left() int
	// Admit passes the rule through the run's gate and returns it ready to be tried; ok is false when
	// the gate refuses it. It costs nothing.
	Admit(rule *dsl.Rule) (c *Candidate, ok bool)
	// AdmitText does the same for a text, as if it were proposed.
	AdmitText(text string) (c *Candidate, ok bool)
	// Try evaluates the candidate, one that was admitted here or that of the context, on the training tasks
	// with the given indices, one rollout each. Rewards
	// come in the order of the indices; a failed candidate has reward 0. The slice is the caller's. When
	// fewer evaluations are left than asked for, the error is ErrTrialsSpent and nothing is evaluated.
	Try(ctx context.Context, c *Candidate, tasks []int) ([]float64, error)
}

// ProposalContext is what a proposer is handed: one rollout and the run around it.
type ProposalContext struct {
	// Artifact is what the rollout ran; Candidate the same, ready to be evaluated.
	Artifact  Artifact
	Candidate *Candidate
	// Signature is what the artifact's rule is a function of; nil for text.
	Signature *dsl.Signature
	Task      Task
	Outcome   Outcome
	// Advantage is the reward's z-score in its group, absent until the group is known.
	Advantage Maybe
	// Solved is the reward at and above which no proposal is asked for.
	Solved float64
	Round  int
	Lane   int
	Lease  int
	// Seed starts the random stream of this lease; it depends on the run's seed and the lease alone.
	Seed uint64
	// Population is the view of the last barrier.
	Population *Population
	// Allowance is the most that proposing may spend, the lease's share of what is left of the run's caps; nil
	// without a cap. The first request of a lease is always within it.
	Allowance *Spend
	// Trial is nil when the run grants no trials.
	Trial Trial
	// History holds earlier proposals of the lane for batched rollouts; K how many proposals are wanted.
	// Today they are empty and 1.
	History []Proposal
	K       int
}

// Proposer turns evidence into a proposal. Propose returns zero (nil) or one; several lanes call it at
// once, so it keeps no state that a call changes. An error is an infrastructure failure, which the engine
// retries; a proposer that has nothing to say returns nil, nil.
type Proposer interface {
	Propose(ctx context.Context, pc *ProposalContext) (*Proposal, error)
}

// ProposerFunc is a function that proposes.
type ProposerFunc func(ctx context.Context, pc *ProposalContext) (*Proposal, error)

// Propose calls f.
func (f ProposerFunc) Propose(ctx context.Context, pc *ProposalContext) (*Proposal, error) {
	return f(ctx, pc)
}
