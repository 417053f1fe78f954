package engine

import (
	"log/slog"
	"time"

	"github.com/agentdescent/adrun/slots"
)

// Config says what a run works on and how. Only Tasks.Problem and Actor.Proposer must be set; every other
// zero field means its default. Validate reports everything that is wrong at once.
type Config struct {
	// Seed starts every random stream of the run.
	Seed uint64
	// Tasks is the work, Artifacts what evolves on it; none means one artifact of the problem's kind.
	Tasks     Tasks
	Artifacts []ArtifactConfig
	Actor     Actor
	Policies  slots.Policies
	Parallel  Parallel
	Budget    Budget
	Gate      Gate
	Ledger    LedgerConfig
	Observe   Observe
}

// Tasks is the work of a run.
type Tasks struct {
	Problem Problem
	// HeldOut is the fraction of the tasks that is never rolled out on; default 0.4.
	HeldOut float64
	// Source, if set, may append training tasks between rounds.
	Source TaskSource
}

// ArtifactConfig is one thing that evolves.
type ArtifactConfig struct {
	// ID names it in cards and commits; default the problem's name.
	ID string
	// Strategy gives its state a meaning; default a rule of the problem's signature, or one text.
	Strategy Strategy
	// Initial is where it starts; default the problem's initial text.
	Initial slots.State
	// BlastRadius in (0, 1] decides its governance layer; default 0.2, which is L2.
	BlastRadius float64
	// Prior of its acceptance; default Beta(1, 1). Trust in the ranking measurement; default 1.
	Prior slots.Beta
	Trust float64
}

// Actor says who proposes and when.
type Actor struct {
	Proposer slots.Proposer
	// Solved is the reward at and above which a rollout asks for no proposal; default 0.999. Above 1
	// every rollout asks.
	Solved float64
	// NoVerify leaves out the second rollout that measures a proposal on its own task.
	NoVerify bool
	// Trials is how many evaluations on training tasks a proposer may spend a lease; 0 grants none.
	Trials int
	// Elites is how many measured values the run remembers for proposers; default 256.
	Elites int
}

// Parallel says how much happens at once. All but Workers belong to the identity of the run.
type Parallel struct {
	// Lanes is the number of rollouts a round; lane i works on training tasks i, i+Lanes, …; default 4.
	Lanes int
	// Workers is how many evaluations are under way at once; default Lanes. It changes nothing else.
	Workers int
	// Refresh is how many rounds a lane keeps its snapshot of the heads; lanes refresh in turn; default 1.
	Refresh int
	// Executor, if set, runs the evaluations; synchronous runs only.
	Executor Executor
	// Async leaves out the barrier between rounds: see Window.
	Async Async
}

// underWay is how many leases there are at once.
func (p Parallel) underWay() int {
	if p.Async.On {
		return p.Async.Ratio * p.Lanes
	}
	return p.Lanes
}

// Order says how a barrier-free run orders its leases.
type Order string

// Window starts lease i from the heads as they are when lease i−W has been merged, in lease order: the run
// is a function of its spec. Arrival merges leases as they finish and records the order, which a resume
// repeats.
const (
	Window  Order = "window"
	Arrival Order = "arrival"
)

// Async configures the barrier-free mode; the zero value is off.
type Async struct {
	On bool
	// Order defaults to Window.
	Order Order
	// Ratio is how many leases a lane may be ahead of the merge: W = Ratio·Lanes; default 3.
	Ratio int
	// MergeAt is the number of cards that start a merge, MergeWait the number of leases without a new
	// card after which a merge starts with fewer; defaults 4 and 3.
	MergeAt   int
	MergeWait int
}

// Budget says when a run ends. A zero limit is no limit; without any, a run makes 10 rounds.
type Budget struct {
	Rounds int
	// Target is the held-out mean at which the run is done, Patience how many rounds without a commit
	// end it.
	Target   float64
	Patience int
	// MaxTime needs Observe.Clock. The others bound the sum of all spend; a round whose mean spend or
	// time no longer fits is not begun.
	MaxTime     time.Duration
	MaxRollouts int
	MaxCalls    int
	MaxTokens   int
	MaxCost     float64
	// Money says that cost is money, which models and evaluators report: the operators of rules then cost nothing.
	Money bool
	// Reserve is what requests to models may cost at most. A round or, without barriers, a lease for which it does
	// not fit is not begun, so that no cap is passed.
	Reserve Reserve
	// Governor shuts off optional spend as the budget runs out, Allocator decides it a candidate; nil is
	// neither.
	Governor  Governor
	Allocator Allocator
	// Stop is asked at every barrier; true ends the run there, to be resumed.
	Stop func() bool
}

// Reserve is what must be left of the caps for a round to begin.
type Reserve struct {
	// Lease is the most that the first request of a lease may cost; later ones keep to the lease's allowance.
	Lease slots.Spend
	// Merge is the most that the requests of a step's merges, one an artifact, may cost.
	Merge slots.Spend
}

// Gate says how a candidate is judged.
type Gate struct {
	// Merge holds the thresholds.
	Merge slots.MergeConfig
	// MinGate is the number of held-out tasks below which a plan warns.
	MinGate int
	// Oracle judges audited merges on all its tasks; nil means that the held-out measurement does.
	Oracle Problem
	// Aggregator, if set, replaces the merge; see Aggregator.
	Aggregator func(Kit) (Aggregator, error)
	// Retries is how often a failed evaluation is tried again; default 2. Wait, if set, is called before
	// each and may back off.
	Retries int
	Wait    func(attempt int) error
}

// LedgerConfig says where the run is kept.
type LedgerConfig struct {
	// Store keeps the run; nil keeps it in memory.
	Store Ledger
	// RunID tells runs that share a ledger apart; default "run".
	RunID string
	// Spec identifies everything about the run that the engine cannot see (the spec's hash).
	Spec string
}

// Observe says who watches. Nothing in it changes a run.
type Observe struct {
	// Events are called from the run's own goroutine, in order; nil functions are left out.
	Events Events
	// Clock returns the time since the run began, from several goroutines; nil means that no time is
	// measured.
	Clock func() time.Duration
	// Log may be nil.
	Log *slog.Logger
}

// LeaseEvent is a lease that was absorbed. Outcome is the whole outcome of its rollout, and zero when the
// lease was played back from the log.
type LeaseEvent struct {
	Record   LeaseRecord
	Outcome  Outcome
	Replayed bool
}

// Events are the things that happen in a run. Leases are told at the barrier, in lease order. A resume
// tells everything again from the start.
type Events struct {
	Lease  func(LeaseEvent)
	Merge  func(slots.Report)
	Commit func(Commit)
	Round  func(Row)
}

// TaskSource appends training tasks between rounds. Next is asked before each round and depends on nothing
// but what it has been told; Record tells it, in lease order, the reward of each rollout. Both are called
// from the run's goroutine, during a resume too.
type TaskSource interface {
	Next(round int) []slots.Task
	Record(task string, reward float64, round int)
}

func (c Config) normalize() Config {
	def(&c.Tasks.HeldOut, 0.4)
	def(&c.Actor.Solved, 0.999)
	def(&c.Actor.Elites, 256)
	def(&c.Parallel.Lanes, 4)
	def(&c.Parallel.Workers, c.Parallel.Lanes)
	def(&c.Parallel.Refresh, 1)
	def(&c.Parallel.Async.Order, Window)
	def(&c.Parallel.Async.Ratio, 3)
	def(&c.Parallel.Async.MergeAt, 4)
	def(&c.Parallel.Async.MergeWait, 3)
	def(&c.Gate.Retries, 2)
	def(&c.Ledger.RunID, "run")
	if c.Ledger.Store == nil {
		c.Ledger.Store = NewMemory()
	}
	if c.Observe.Log == nil {
		c.Observe.Log = slog.New(slog.DiscardHandler)
	}
	if !c.Budget.limited() {
		c.Budget.Rounds = 10
	}
	c.Gate.Merge = c.Gate.Merge.Normalize()
	return c
}

// limited reports whether anything ends the run by itself.
func (b Budget) limited() bool {
	return b.Rounds > 0 || b.Target > 0 || b.Patience > 0 || b.MaxTime > 0 ||
		b.MaxRollouts > 0 || b.MaxCalls > 0 || b.MaxTokens > 0 || b.MaxCost > 0 || b.Stop != nil
}

func def[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}
