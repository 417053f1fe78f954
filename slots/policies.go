package slots

import "context"

// Policies is the bundle of a run's decisions. A nil field is the shipped default.
type Policies struct {
	Selection   Selection
	TaskSampler TaskSampler
	Proposal    ProposalPolicy
	Staleness   Staleness
	Conflict    Conflict
	Fusion      Fusion
	Acceptance  Acceptance
	Promotion   Promotion
}

// Named is implemented by policies that reports can name; the default name is the Go type.
type Named interface {
	// PolicyName is the name the policy resolves by ("beam").
	PolicyName() string
}

// Head is a member of the population: a head that was committed. ID is its place in the archive; the
// first head of a run is 0 and its own parent.
type Head struct {
	ID     int
	Parent int
	// Version is the artifact's when the head was committed, Round the round of that commit.
	Version int
	Round   int
	// Score is the mean held-out reward, absent when the head has not been measured (which is not zero).
	// −Inf marks a dead end.
	Score Maybe
	// TaskScores are the rewards a held-out task, in the order of the split; nil when not measured.
	TaskScores []float64
	// Selected counts how often a policy has picked the head, Children its committed offspring.
	Selected int
	Children int
	State    State
}

// SelectionContext is what a selection is handed, once a merge.
type SelectionContext struct {
	// Head is where the run would go on with no policy; it is one of Heads.
	Head Head
	// Heads is the archive by ascending ID.
	Heads []Head
	Round int
	Lanes int
	// Seed starts the random stream of this decision.
	Seed uint64
}

// Selection picks the heads from which the next lanes start.
type Selection interface {
	// Select returns the IDs of up to n heads; a repeat puts more lanes there, and fewer than n are
	// assigned in turn. The first is the one that becomes dev. An ID that is not in the archive, or an
	// empty answer, is a contract error. Called from the merging goroutine.
	Select(ctx SelectionContext, n int) ([]int, error)
}

// HeadOnly is implemented by selections that may never pick anything but the head: a run keeps no
// population for one whose HeadOnly returns true.
type HeadOnly interface {
	HeadOnly() bool
}

// TaskSampler picks the task that a rollout spends.
type TaskSampler interface {
	// Pick returns one of keys, the task ids of the lane's shard; it must not change keys. Picks of a
	// round are made in lease order before the first of its rollouts starts.
	Pick(keys []string, round int) string
	// Record reports the reward, in [0, 1], of the rollout that a pick led to. Called at the barrier, in
	// lease order.
	Record(task string, score float64, round int)
}

// ProposalPolicy decides whether and whom to ask for a proposal, once a rollout, after its reward.
type ProposalPolicy interface {
	// Propose returns zero or one proposal; more is a contract error. ask is the actor's own proposer.
	// Several lanes call it at once.
	Propose(ctx context.Context, pc *ProposalContext, ask Proposer) ([]Proposal, error)
}

// StaleAction is what becomes of a card that may lag.
type StaleAction uint8

// Accept takes the diff as it is (reapplied to the head when it lags), Rebase re-verifies it on its
// evidence and keeps it if it still gains, Discard returns its evidence to the pool.
const (
	Accept StaleAction = iota
	Rebase
	Discard
)

func (a StaleAction) String() string {
	switch a {
	case Accept:
		return "accept"
	case Rebase:
		return "rebase"
	case Discard:
		return "discard"
	}
	return "invalid"
}

// Staleness decides, once a card at a merge.
type Staleness interface {
	// Decide is told how many versions the card is behind (eta), the tolerance of the artifact's layer
	// (alpha), and whether the diff breaks a contract.
	Decide(eta, alpha int, contractBreaking bool) StaleAction
}

// Conflict decides which of contradicting cards survive, once a merge.
type Conflict interface {
	// Resolve returns the survivors, in the order they came, no two of which contradict unless the
	// fusion that is installed with it merges contradictions, and how many were dropped. It keeps at
	// least one card.
	Resolve(ctx context.Context, a Artifact, cards []*Card) (kept []*Card, dropped int, err error)
}

// Choice is the one diff that goes to the gate.
type Choice struct {
	Diff Diff
	// Union says that the diff combines several.
	Union bool
}

// Fusion makes one candidate out of the survivors, once a merge.
type Fusion interface {
	// Select returns the diff that goes to the gate; diffs has at least one.
	Select(ctx context.Context, a Artifact, diffs []Diff) (Choice, error)
}

// Thrifty is implemented by fusions that buy scores which they can do without. Thrift is called before each
// Select and says whether the budget is too tight to buy any.
type Thrifty interface {
	Thrift(on bool)
}

// FusionTrial is one contest between single diffs and their union.
type FusionTrial struct {
	// Members is the number of diffs, Ranked whether the contest was scored, Contested whether a union
	// of at least two was among the contestants, UnionWon whether it won.
	Members   int  `json:"members"`
	Ranked    bool `json:"ranked"`
	Contested bool `json:"contested"`
	UnionWon  bool `json:"union_won"`
	// Synthesized says that a merged text was among the contestants, SynthesisFailed that one was asked
	// for and could not be used.
	Synthesized     bool `json:"synthesized,omitempty"`
	SynthesisFailed bool `json:"synthesis_failed,omitempty"`
}

// FusionTrialer is implemented by fusions that keep a record of their contests.
type FusionTrialer interface {
	FusionTrials() []FusionTrial
}

// MergeContext is what an acceptance is handed, once a candidate. It holds the measurements; an acceptance
// buys none.
type MergeContext struct {
	Artifact  Artifact
	Candidate State
	// BaseCounts and CandCounts are the whole held-out measurement: they decide.
	BaseCounts, CandCounts Counts
	// BaseRewards and CandRewards are the same measurement a task, in the order of the split. A task that
	// could not be measured on both sides is in neither.
	BaseRewards, CandRewards []float64
	// BaseCheap and CandCheap are the sub-sample: they rank, and their type keeps them from deciding.
	BaseCheap, CandCheap CheapScore
	// Prior is the artifact's running posterior. It is a value: return a changed one in the decision.
	Prior Beta
	// Cards are those that contributed keys to the candidate, in lease order.
	Cards []*Card
	// Version is the base's, StableDistance how far it is from stable, in [0, 1].
	Version        int
	StableDistance float64
	// Advantage is that of the card to which the candidate is attributed.
	Advantage Maybe
	Fused     bool
}

// AcceptDecision is the answer of an acceptance.
type AcceptDecision struct {
	Accept bool
	// Category is Committed for a yes and a word of the vocabulary for a no, BelowThreshold as a rule.
	Category MergeOutcome
	Reason   string
	// PImprove and EValue are the evidence that decided, Threshold what it was held against.
	PImprove, EValue, Threshold Maybe
	// ObservedDelta is the measured change of the mean held-out reward.
	ObservedDelta float64
	// Prior is the artifact's posterior after the decision.
	Prior Beta
}

// Acceptance commits a candidate or refuses it.
type Acceptance interface {
	Accept(ctx MergeContext) (AcceptDecision, error)
}

// Sensitive is implemented by acceptances that know what they can see.
type Sensitive interface {
	// SmallestGain is the smallest share of n held-out tasks that must be won for the first merge of a run
	// to accept, and the same in words; absent when n tasks can show nothing.
	SmallestGain(n int) (gain Maybe, words string)
}

// Promotion decides what dev has earned stable.
type Promotion interface {
	// Observe is called once a step with the reports of that step, and returns the artifacts to copy
	// from dev onto stable. An artifact without a report has survived another step.
	Observe(reports []Report) []string
}

// Survivor is implemented by promotions that count steps, for diagnostics.
type Survivor interface {
	Survival() map[string]int
}

// Verifier measures states of an artifact on held-out tasks. The engine builds it and hands it to policies
// that implement Binder.
type Verifier interface {
	// CheapEval ranks: the mean reward on a fixed sub-sample of the held-out tasks.
	CheapEval(ctx context.Context, artifact string, s State) (CheapScore, error)
	// EvalCounts decides: the whole held-out set.
	EvalCounts(ctx context.Context, artifact string, s State) (Counts, error)
}

// Vetter is implemented by verifiers that can tell, at no cost, whether a state may run.
type Vetter interface {
	Admits(artifact string, s State) (bool, error)
}

// Binder is implemented by merge-side policies that rank. Bind is called once, before the first decision;
// an instance that is bound already returns an error.
type Binder interface {
	Bind(Verifier) error
}

// Configurer is implemented by policies that read the run's numbers. It never overwrites a number that was
// set explicitly.
type Configurer interface {
	Configure(MergeConfig)
}

// Starter is implemented by policies that keep state, or draw. Start is called once, before the first
// decision of a run, with the seed of a random stream that is the policy's own; an instance that was started
// already returns an error. Tests that drive a policy by hand may leave it out.
type Starter interface {
	Start(seed uint64) error
}

// Warner is implemented by policies that can tell what a person who plans a run should know.
type Warner interface {
	Warnings(MergeConfig) []string
}

// Reply is what a call to the outside brought. A call that failed has an Error and no Text.
type Reply struct {
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
	Spend Spend  `json:"spend"`
}

// Recorder keeps replies, so that a resume gets the same ones without asking again.
type Recorder interface {
	// Reply returns the recorded reply, or calls and records.
	Reply(ctx context.Context, call func(context.Context) (Reply, error)) (Reply, error)
}

// Recording is implemented by merge-side policies that call out. Record is called before the first decision.
type Recording interface {
	Record(Recorder)
}

// ContradictionKeeper is implemented by conflict policies whose survivors may contradict each other.
type ContradictionKeeper interface {
	KeepsContradictions() bool
}

// ContradictionMerger is implemented by fusions that merge contradicting diffs, and need a conflict policy
// that leaves them any.
type ContradictionMerger interface {
	MergesContradictions() bool
}

// MergeConfig holds the thresholds of a merge: numbers are changed here, decisions in Policies. A zero
// field means its default.
type MergeConfig struct {
	// The acceptance threshold of version v is 1 − max(MinDelta, BaseDelta·2^(−v/HalfLife)).
	BaseDelta float64 // default 0.5
	MinDelta  float64 // default 0.01
	HalfLife  float64 // default 64
	// Alpha is the level of PairedAcceptance; default 0.05.
	Alpha float64
	// PromoteAfter is how many steps a head survives before it becomes stable; default 3.
	PromoteAfter int
	// TrustKeys and TrustChars bound a diff; defaults 6 and 32,000. TrustAdaptive moves both with the
	// share of commits.
	TrustKeys     int
	TrustChars    int
	TrustAdaptive bool
	// CASRetries bounds how often a lost race is tried again; default 3.
	CASRetries int
	// OracleBudget is the number of audits by an independent oracle; default 200, negative for none.
	OracleBudget int
	// CheapTasks is the size of the ranking sub-sample; default 8.
	CheapTasks int
}

// Normalize returns the config with defaults for the fields that are zero.
func (c MergeConfig) Normalize() MergeConfig {
	def(&c.BaseDelta, 0.5)
	def(&c.MinDelta, 0.01)
	def(&c.HalfLife, 64)
	def(&c.Alpha, 0.05)
	def(&c.PromoteAfter, 3)
	def(&c.TrustKeys, 6)
	def(&c.TrustChars, 32000)
	def(&c.CASRetries, 3)
	def(&c.OracleBudget, 200)
	def(&c.CheapTasks, 8)
	return c
}

func def[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}
