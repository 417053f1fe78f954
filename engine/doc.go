// Package engine evolves artifacts: it runs rollouts in parallel, merges the proposals they cause, commits
// only what a statistical gate accepts, and records enough to go on after any interruption.
//
//	result, err := engine.Run(ctx, engine.Config{
//		Tasks: engine.Tasks{Problem: problem},
//		Actor: engine.Actor{Proposer: proposer},
//	})
//
// A [Problem] offers tasks and evaluates candidates on them; a proposer turns what a rollout showed into a
// proposal; a [Strategy] gives the evolving state its meaning: a rule, a text, a set of texts. The decisions
// in between are the policies of package slots.
//
// # Rounds
//
// In a synchronous round each lane samples a training task, rolls out on it, asks for a proposal, and
// measures the proposal on the same task. At the barrier the leases are absorbed in lease order, then the
// cards of each artifact are merged: trust region, staleness, conflict, fusion, measurement on the held-out
// tasks, audit, acceptance, commit. The barrier-free mode runs the same stages with leases that overlap
// merges.
//
// # Determinism
//
// A run is a journal. What came from outside (a lease's result, a measurement, a lost race, a reading of
// the clock) is recorded as an effect; everything else follows from the configuration and the effects. A
// resume plays the journal back: recorded effects are not done again, and what follows from them must come
// out as it was recorded, else the run stops with a [DivergedError]. So the canonical log is the same for
// every number of workers and through every kill, provided that problem, proposer and policies are
// functions of what they are handed.
//
// # What it does not do
//
// The engine reads no clock but the one it is given, no global random source, no file and no environment.
// It does not know any problem, model or database: those are handed to it behind interfaces.
package engine
