// Package slots is the contract between the engine and everything that decides or proposes for it.
//
// The records come first: a [Task] is worked on with an [Artifact]; what a proposer suggests becomes a
// [Diff] on a [Card]; a [Candidate] is a value of an artifact that can be evaluated, an [Outcome] what one
// evaluation of it gave. Then the eight decisions of a run, one small interface each:
//
//	selection    which head a lane starts from          Selection
//	task_sampler which task a rollout spends            TaskSampler
//	proposal     whether and whom to ask for a proposal  ProposalPolicy
//	staleness    what becomes of a card that lags        Staleness
//	conflict     which of contradicting cards survive    Conflict
//	fusion       one candidate out of the survivors      Fusion
//	acceptance   commit the candidate or refuse it       Acceptance
//	promotion    whether dev has earned stable           Promotion
//
// [Policies] carries the eight; a nil field is the shipped default, so the empty bundle is the default run.
// A policy belongs to one run: it may keep state, and an instance that is bound twice is refused.
//
// Everything a policy is handed is read-only. The engine calls the policies of a run from one goroutine at
// a time, in lease order, and updates those that learn at the barrier, so a policy that depends only on
// what it is handed (and on Seed where a record has one) keeps the run a function of its spec and seed.
// A [Proposer] alone is called from several goroutines at once.
//
// What this package does not do: run anything. It has no clock, no random state and no goroutine.
package slots
