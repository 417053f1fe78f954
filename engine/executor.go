package engine

import (
	"context"

	"github.com/agentdescent/adrun/slots"
)

// Job is one evaluation as data. What goes to another machine is everything but Candidate.
type Job struct {
	Problem     string
	Fingerprint string
	Artifact    string
	Text        string
	State       slots.State
	Task        string
	Seed        uint64
	// Candidate is the same value ready to be evaluated, for executors in this process.
	Candidate *slots.Candidate
}

// Executor runs evaluations somewhere else. Evaluate is called from several goroutines and answers like
// Problem.Evaluate.
type Executor interface {
	Evaluate(ctx context.Context, j Job) (Outcome, error)
}
