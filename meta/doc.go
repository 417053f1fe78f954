// Package meta evolves the rules by which searches are run: the engine, one level up.
//
// The artifact is the value of a decision slot, held by a [SlotSpec] that also knows how to install it. A
// task is a pair of an inner [Problem] and a seed: one whole inner search at a fixed budget with the candidate's
// value installed. What the search gave is an [Outcome], and a [Score] of it, by default the mean of the
// best so far, is the reward: a rule of decision cannot make a better answer exist, only find one sooner.
//
//	spec, err := meta.NewPriority(meta.RuleConfig{})
//	result, err := meta.Evolve(ctx, meta.Config{
//		Spec: spec, Problems: []meta.Problem{search}, Seeds: seeds,
//		Outer: engine.Config{Seed: 1, Actor: engine.Actor{Proposer: reflector.Breeder{}, Trials: 4000}},
//	})
//
// [Evolve] is an ordinary engine run with three things substituted, governed at layer L1. [Validate] measures
// two values on pairs that the run never saw; [Run] evolves, validates and decides, and reports what the
// decision is worth beside two controls. [Doctor] says whether a problem can carry such a run at all.
//
// What is evolved is a decision. The machinery that judges (verifier, ledger, executor, budget) is refused by
// name.
//
// Everything here is a function of its configuration and seeds: pairs are measured on several goroutines and
// gathered in order. Inner problems and specs are shared by those goroutines.
package meta
