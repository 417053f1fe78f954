package engine

import (
	"context"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// Outcome is what one evaluation gave: a reward in [0, 1], or the candidate's own failure as data.
type Outcome = slots.Outcome

// Problem is work on which artifacts evolve.
type Problem interface {
	// Describe returns what there is to work on. The engine calls it once; the answer does not change.
	Describe() Description
	// Evaluate tries the candidate on one task. Several goroutines call it at once, so scratch space is
	// the call's own (or pooled). The answer may depend on nothing but the candidate, the task and seed.
	//
	// What the candidate did wrong, a reward that is not a number included, is Outcome.Failure. An error
	// is an infrastructure failure, which the engine retries, and ctx's error when it was cancelled.
	Evaluate(ctx context.Context, c *slots.Candidate, task slots.Task, seed uint64) (Outcome, error)
}

// Description is what a problem offers.
type Description struct {
	// Name is the problem's ("binpack").
	Name string
	// Fingerprint identifies everything that an outcome depends on beside candidate, task and seed:
	// settings, a hash of the data, the version of the evaluator.
	Fingerprint string
	// Tasks are split by position into training and held-out tasks. Sealed tasks are measured once, at
	// the end, and reported apart.
	Tasks  []slots.Task
	Sealed []slots.Task
	// Signature is what the evolved rule is a function of; nil for artifacts that are text.
	Signature *dsl.Signature
	// Initial is the text a run starts from when its spec names none.
	Initial string
	// Stochastic says that equal candidates may score differently on another seed, so that a second
	// measurement is worth something.
	Stochastic bool
	// Dear says that an evaluation is worth keeping: each outcome is stored durably before it is used,
	// and at most as many evaluations as the run has lanes are under way at once.
	Dear bool
}
