// Package engine evolves artifacts: it runs rollouts in parallel, merges the proposals they cause, commits
// only what a statistical gate accepts, and records enough to go on after any interruption.
package engine
