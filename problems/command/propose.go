package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/agentdescent/adrun/slots"
)

// ProposerConfig describes a program that proposes.
type ProposerConfig struct {
	Spec Spec
	// Tasks are those of the problem, to send their data; a task that is not among them is sent as its id.
	Tasks []Task
	// Encode says in which forms a candidate is sent, see RuleForms; nil sends its text.
	Encode func(*slots.Candidate) (Candidate, error)
	// Log is told what the program writes to stderr when it fails; nil is nobody.
	Log *slog.Logger
}

// Proposer asks a program for proposals, in the protocol of evaluators:
//
//	{"id":7,"candidate":{"rule":"…"},"task":{…},"outcome":{"score":0.4,"feedback":"…"},"round":2,"seed":123}
//	{"id":7,"proposal":"the new text"}   null, or no proposal at all, when it has nothing to say; optional "note" and "cost"
//	{"id":7,"error":"out of ideas"}
//
// The proposal must be a function of the request; all chance must come from the seed, a whole number below 2⁵³. Every failure is
// one of the infrastructure: the lease it belongs to is recorded with its cause, and the run goes on.
type Proposer struct {
	config ProposerConfig
	tasks  map[string]json.RawMessage
	pool   *Pool
}

var _ slots.Proposer = (*Proposer)(nil)

// NewProposer returns the proposer, to be ended with Close.
func NewProposer(c ProposerConfig) (*Proposer, error) {
	pool, err := New(c.Spec)
	if err != nil {
		return nil, err
	}
	p := &Proposer{config: c, tasks: map[string]json.RawMessage{}, pool: pool}
	for _, t := range c.Tasks {
		p.tasks[t.ID] = t.Data
	}
	if p.config.Encode == nil {
		p.config.Encode = textOnly
	}
	if p.config.Log == nil {
		p.config.Log = slog.New(slog.DiscardHandler)
	}
	return p, nil
}

type proposalRequest struct {
	ID        uint64          `json:"id"`
	Candidate Candidate       `json:"candidate"`
	Task      json.RawMessage `json:"task"`
	Outcome   sentOutcome     `json:"outcome"`
	Round     int             `json:"round"`
	Seed      uint64          `json:"seed"`
}

// sentOutcome is what the candidate made of the task.
type sentOutcome struct {
	Score    float64 `json:"score"`
	Feedback string  `json:"feedback,omitempty"`
	Failure  string  `json:"failure,omitempty"`
}

type rawProposal struct {
	ID       json.RawMessage `json:"id"`
	Proposal json.RawMessage `json:"proposal"`
	Note     string          `json:"note"`
	Cost     json.RawMessage `json:"cost"`
	Error    json.RawMessage `json:"error"`
}

// Propose asks the program.
func (p *Proposer) Propose(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	candidate, err := p.config.Encode(pc.Candidate)
	if err != nil {
		return nil, fmt.Errorf("proposer: encode candidate %s: %w", pc.Candidate.Identity, err)
	}
	q := proposalRequest{
		Candidate: candidate, Task: p.tasks[pc.Task.ID], Round: pc.Round, Seed: sentSeed(pc.Seed),
		Outcome: sentOutcome{Score: pc.Outcome.Reward, Feedback: pc.Outcome.Feedback, Failure: pc.Outcome.Failure},
	}
	if q.Task == nil {
		if q.Task, err = json.Marshal(map[string]string{"id": pc.Task.ID}); err != nil {
			return nil, err
		}
	}
	var proposal *slots.Proposal
	err = p.pool.do(ctx, exchange{
		encode: func(buf *bytes.Buffer, id uint64) error {
			q.ID = id
			return appendLine(buf, q)
		},
		parse: func(line []byte, id uint64) (f *Failure) {
			proposal, f = parseProposal(line, id)
			return f
		},
	})
	if f, failed := errors.AsType[*Failure](err); failed {
		p.config.Log.Warn("proposer failed", "task", pc.Task.ID, "kind", string(f.Kind), "cause", f.Msg, "attempts", f.Attempts, "stderr", f.Stderr)
		return nil, fmt.Errorf("%s: %s", f.Kind, f.Msg)
	}
	return proposal, err
}

// parseProposal reads the reply to request id; nil is no proposal.
func parseProposal(line []byte, id uint64) (*slots.Proposal, *Failure) {
	var raw rawProposal
	if err := json.Unmarshal(line, &raw); err != nil || raw.ID == nil {
		return nil, failf(Garbage, "expected a JSON object with an id, got %q", clip(string(line)))
	}
	if f := checkID(raw.ID, id); f != nil {
		return nil, f
	}
	if present(raw.Error) {
		return nil, failf(Rejected, "%s", clip(textOf(raw.Error)))
	}
	if !present(raw.Proposal) {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw.Proposal, &text) != nil {
		return nil, failf(Garbage, "the proposal is not a text: %s", clip(string(raw.Proposal)))
	}
	proposal := &slots.Proposal{Text: text, Note: clip(strings.ToValidUTF8(raw.Note, ""))}
	if present(raw.Cost) {
		cost, err := number(raw.Cost)
		if err != nil || cost < 0 {
			return nil, failf(Garbage, "cost %s is not a finite number >= 0", clip(string(raw.Cost)))
		}
		proposal.Spend.Cost = cost
	}
	return proposal, nil
}

// Close ends the workers.
func (p *Proposer) Close() error { return p.pool.Close() }
