// Package spec reads the YAML file that describes a run. [Load] is strict: an unknown key, a value of the
// wrong type and a number out of range are errors that name the line and column. JSON is YAML, so a spec may
// be JSON as well. [Schema] publishes the same structs as a JSON schema.
package spec

// Spec describes a run. It is part of the run's identity: a run is a function of its spec and seed.
type Spec struct {
	Version     int      `yaml:"version" json:"version" jsonschema:"the version of this format: 1"`
	Kind        string   `yaml:"kind" json:"kind" jsonschema:"what evolves: rule, text, or policy_slot for the value of one of the engine's own slots"`
	Name        string   `yaml:"name,omitempty" json:"name,omitempty" jsonschema:"names the output directory; default the file's name"`
	Target      string   `yaml:"target,omitempty" json:"target,omitempty" jsonschema:"the signature that the rule is a function of, default the problem's; for policy_slot the slot"`
	Data        Data     `yaml:"data" json:"data" jsonschema:"the work"`
	Start       string   `yaml:"start,omitempty" json:"start,omitempty" jsonschema:"the rule or text to start from; default the problem's own"`
	Score       string   `yaml:"score,omitempty" json:"score,omitempty" jsonschema:"policy_slot: what an inner search is worth: auc (the default), final_reward, rollouts_to(T) or an expression"`
	Description string   `yaml:"description,omitempty" json:"description,omitempty" jsonschema:"what the rule or text is about, for a model that proposes: it is told nothing else about the work"`
	Strategy    string   `yaml:"strategy,omitempty" json:"strategy,omitempty" jsonschema:"what a proposal does to a text: single_slot (the default) replaces it, append_rules adds a line, keyed_rules writes the line that begins with name:"`
	Propose     Propose  `yaml:"propose,omitempty" json:"propose,omitempty" jsonschema:"who proposes"`
	Evolve      Evolve   `yaml:"evolve,omitempty" json:"evolve,omitempty" jsonschema:"how the run goes"`
	Budget      Budget   `yaml:"budget,omitempty" json:"budget,omitempty" jsonschema:"when the run ends early"`
	Policies    Policies `yaml:"policies,omitempty" json:"policies,omitempty" jsonschema:"the decisions of the run, each by name or as the text of a policy"`
	Gate        Gate     `yaml:"gate,omitempty" json:"gate,omitempty" jsonschema:"what a candidate must satisfy"`

	place func(path string) Problem // finds a value in the file
}

// Propose says who proposes.
type Propose struct {
	Breeder *Breeder `yaml:"breeder,omitempty" json:"breeder,omitempty" jsonschema:"breed rules offline; the default"`
	Program *Program `yaml:"program,omitempty" json:"program,omitempty" jsonschema:"ask a program of your own, in JSON lines"`
	Model   *Model   `yaml:"model,omitempty" json:"model,omitempty" jsonschema:"ask a language model"`
	Mix     []Source `yaml:"mix,omitempty" json:"mix,omitempty" jsonschema:"several models, or models and the breeder: each lease goes to the one that has brought most commits for what it costs"`
	Explore float64  `yaml:"explore,omitempty" json:"explore,omitempty" jsonschema:"the share of the leases of a mix that goes to any source; default 0.05"`
	Replies *Replies `yaml:"replies,omitempty" json:"replies,omitempty" jsonschema:"what becomes of the replies of models"`
}

// Breeder configures the offline proposer.
type Breeder struct {
	Trials int      `yaml:"trials,omitempty" json:"trials,omitempty" jsonschema:"evaluations on training tasks that each proposal may spend; default 400"`
	MaxOps int      `yaml:"max_ops,omitempty" json:"max_ops,omitempty" jsonschema:"the most operators and calls of a bred rule; default 40, or what the rule has that it is bred from if that is more"`
	Inputs []string `yaml:"inputs,omitempty" json:"inputs,omitempty" jsonschema:"the inputs that bred rules read; default all"`
	Random int      `yaml:"random,omitempty" json:"random,omitempty" jsonschema:"random rules that the search starts with beside the start rule; default 64"`
}

// Evolve says how the run goes.
type Evolve struct {
	Rounds   int     `yaml:"rounds,omitempty" json:"rounds,omitempty" jsonschema:"rounds of the run; default 10"`
	Lanes    int     `yaml:"lanes,omitempty" json:"lanes,omitempty" jsonschema:"rollouts a round; part of the run's identity; default 4"`
	Seed     *uint64 `yaml:"seed,omitempty" json:"seed,omitempty" jsonschema:"starts every random stream; --seed overrides it; default 1"`
	Solved   float64 `yaml:"solved,omitempty" json:"solved,omitempty" jsonschema:"the reward at which a rollout asks for no proposal; above 1 every rollout asks"`
	Target   float64 `yaml:"target,omitempty" json:"target,omitempty" jsonschema:"the held-out reward at which the run is done"`
	Patience int     `yaml:"patience,omitempty" json:"patience,omitempty" jsonschema:"rounds without a commit that end the run"`
	Order    string  `yaml:"order,omitempty" json:"order,omitempty" jsonschema:"what waits for what: rounds (the default) end when every lane is done; window and arrival merge while other lanes go on, window in the order of the leases, the same for any --workers, arrival as they finish, which only a resume repeats"`
	Refresh  int     `yaml:"refresh,omitempty" json:"refresh,omitempty" jsonschema:"rounds for which a lane keeps what it has seen of the head; lanes look again in turn; default 1"`
}

// The orders of a run.
const (
	OrderRounds  = "rounds"
	OrderWindow  = "window"
	OrderArrival = "arrival"
)

// Budget bounds what a run spends.
type Budget struct {
	MaxSeconds  int     `yaml:"max_seconds,omitempty" json:"max_seconds,omitempty" jsonschema:"wall time"`
	MaxRollouts int     `yaml:"max_rollouts,omitempty" json:"max_rollouts,omitempty" jsonschema:"evaluations, trials among them"`
	MaxCalls    int     `yaml:"max_calls,omitempty" json:"max_calls,omitempty" jsonschema:"requests to a model"`
	MaxTokens   int     `yaml:"max_tokens,omitempty" json:"max_tokens,omitempty" jsonschema:"tokens of a model"`
	MaxCost     float64 `yaml:"max_cost,omitempty" json:"max_cost,omitempty" jsonschema:"units of cost: the operators of each rule evaluated, and what evaluators report"`
	// The governor comes with any of the caps above but max_seconds.
	SoftFloor float64  `yaml:"soft_floor,omitempty" json:"soft_floor,omitempty" jsonschema:"the fraction spent from which fusion ranks nothing; 1 is never; default 0.75"`
	HardFloor float64  `yaml:"hard_floor,omitempty" json:"hard_floor,omitempty" jsonschema:"the fraction spent from which proposals are not measured on their own task; 1 is never; default 0.9"`
	Returns   *Returns `yaml:"returns,omitempty" json:"returns,omitempty" jsonschema:"end the run when its returns diminish"`
	Allocator string   `yaml:"allocator,omitempty" json:"allocator,omitempty" jsonschema:"value spends self-verification on likely commits once half of a cap is spent; default none"`
}

// Capped reports whether there is a budget whose fractions mean something.
func (b Budget) Capped() bool {
	return b.MaxRollouts > 0 || b.MaxCalls > 0 || b.MaxTokens > 0 || b.MaxCost > 0
}

// Returns says when the returns of a run have diminished.
type Returns struct {
	Rounds int     `yaml:"rounds" json:"rounds" jsonschema:"look at this many last rounds"`
	Gain   float64 `yaml:"gain" json:"gain" jsonschema:"the least rise of the best held-out mean in them"`
}

// Gate says what a candidate must satisfy before it is tried.
type Gate struct {
	Constraints string  `yaml:"constraints,omitempty" json:"constraints,omitempty" jsonschema:"a CEL expression over the facts of a rule, such as ops <= 40 && !('pow' in calls)"`
	CheapTasks  int     `yaml:"cheap_tasks,omitempty" json:"cheap_tasks,omitempty" jsonschema:"held-out tasks that rank contradicting proposals before one is measured; default 8"`
	Grid        int     `yaml:"grid,omitempty" json:"grid,omitempty" jsonschema:"points at which a rule must be finite; default 256"`
	Alpha       float64 `yaml:"alpha,omitempty" json:"alpha,omitempty" jsonschema:"the error rate of paired acceptance; default 0.05"`
	MinGate     int     `yaml:"min_gate,omitempty" json:"min_gate,omitempty" jsonschema:"held-out tasks below which 'adrun plan' warns; default the problem's own, such as 60 for the landscape, else 4"`
	// The last two are of kind policy_slot.
	MinGain       float64 `yaml:"min_gain,omitempty" json:"min_gain,omitempty" jsonschema:"policy_slot: what the mean gain on unseen problems must exceed"`
	TransferFloor float64 `yaml:"transfer_floor,omitempty" json:"transfer_floor,omitempty" jsonschema:"policy_slot: the least share of the source gain that must transfer"`
}
