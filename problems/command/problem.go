package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Config describes a problem whose candidates a command scores.
type Config struct {
	Name   string
	Spec   Spec
	Tasks  []Task // of which the engine makes training and held-out tasks
	Sealed []Task // measured once, at the end of a run
	// Signature is what the evolved rule is a function of; nil when the artifact is a text.
	Signature *dsl.Signature
	Initial   string
	// Stochastic sends each task with a seed: "seed", a whole number below 2⁵³. The score may depend on it and on nothing else
	// that is random.
	Stochastic bool
	// Encode says in which forms a candidate is sent; nil is RuleForms where there is a Signature, and else sends its text.
	Encode func(*slots.Candidate) (Candidate, error)
	// Log is told what evaluators write to stderr when they fail; nil is nobody.
	Log *slog.Logger
}

// Problem scores candidates with the workers of a pool. Replies are kept by the engine before they are used.
type Problem struct {
	config      Config
	fingerprint string
	tasks       map[string]json.RawMessage
	pool        *Pool
}

var _ engine.Problem = (*Problem)(nil)

// NewProblem checks the configuration and returns the problem, to be ended with Close.
func NewProblem(c Config) (*Problem, error) {
	var errs []error
	if len(c.Tasks) == 0 {
		errs = append(errs, errors.New("evaluator: no tasks"))
	}
	p := &Problem{config: c, tasks: map[string]json.RawMessage{}}
	for _, t := range append(append([]Task{}, c.Tasks...), c.Sealed...) {
		if _, twice := p.tasks[t.ID]; twice {
			errs = append(errs, fmt.Errorf("evaluator: task %q is given twice", t.ID))
		}
		p.tasks[t.ID] = t.Data
		if !t.object() {
			errs = append(errs, fmt.Errorf("evaluator: the data of task %q is not a JSON object with at least one field", t.ID))
		}
		if c.Stochastic && t.has("seed") {
			errs = append(errs, fmt.Errorf("evaluator: task %q has a seed of its own, where the run is to send one; rename that field", t.ID))
		}
	}
	switch {
	case c.Encode != nil:
	case c.Signature != nil:
		p.config.Encode = RuleForms(c.Signature)
	default:
		p.config.Encode = textOnly
	}
	if p.config.Log == nil {
		p.config.Log = slog.New(slog.DiscardHandler)
	}
	pool, err := New(c.Spec)
	if errs = append(errs, err); errors.Join(errs...) != nil {
		return nil, errors.Join(errs...)
	}
	p.pool = pool
	p.fingerprint, err = p.identify()
	return p, err
}

// identify hashes what an outcome depends on.
func (p *Problem) identify() (string, error) {
	evaluator, err := p.config.Spec.Fingerprint()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, list := range [][]Task{p.config.Tasks, p.config.Sealed} {
		for _, t := range list {
			fmt.Fprintf(h, "%q %s\n", t.ID, t.Data)
		}
		fmt.Fprintln(h)
	}
	return fmt.Sprintf("command/1 stochastic=%t evaluator=%s tasks=%s", p.config.Stochastic, evaluator, hex.EncodeToString(h.Sum(nil))), nil
}

// textOnly sends the text of a candidate.
func textOnly(c *slots.Candidate) (Candidate, error) {
	if c.Text == "" && c.Rule != nil {
		return Candidate{Rule: dsl.FormatRule(c.Rule)}, nil
	}
	return Candidate{Rule: c.Text}, nil
}

// Describe returns the tasks.
func (p *Problem) Describe() engine.Description {
	return engine.Description{
		Name:        p.config.Name,
		Fingerprint: p.fingerprint,
		Tasks:       described(p.config.Tasks),
		Sealed:      described(p.config.Sealed),
		Signature:   p.config.Signature,
		Initial:     p.config.Initial,
		Stochastic:  p.config.Stochastic,
		Dear:        true,
	}
}

func described(tasks []Task) []slots.Task {
	list := make([]slots.Task, len(tasks))
	for i, t := range tasks {
		list[i] = slots.Task{ID: t.ID, Cluster: t.Cluster}
	}
	return list
}

// Evaluate asks the evaluator. A failure of the candidate's own is an outcome with its kind and cause; one of the infrastructure
// is an error, a [*Failure]. A reply's cost is the spend; its detail is the feedback, and the numbers of a detail that is an object are the metrics.
func (p *Problem) Evaluate(ctx context.Context, c *slots.Candidate, task slots.Task, seed uint64) (engine.Outcome, error) {
	data, ok := p.tasks[task.ID]
	if !ok {
		return engine.Outcome{}, fmt.Errorf("evaluator: no task %q", task.ID)
	}
	if p.config.Stochastic {
		data = withSeed(data, seed)
	}
	candidate, err := p.config.Encode(c)
	if err != nil {
		return engine.Outcome{}, fmt.Errorf("evaluator: encode candidate %s: %w", c.Identity, err)
	}
	reply, err := p.pool.Call(ctx, candidate, data)
	if f, failed := errors.AsType[*Failure](err); failed {
		p.config.Log.Warn("evaluator failed", "task", task.ID, "candidate", c.Identity, "kind", string(f.Kind), "cause", f.Msg,
			"attempts", f.Attempts, "left", f.Left, "stderr", f.Stderr)
		if !f.Infrastructure() {
			return engine.Outcome{Failure: fmt.Sprintf("%s: %s", f.Kind, f.Msg)}, nil
		}
	}
	if err != nil {
		return engine.Outcome{}, err
	}
	return engine.Outcome{
		Reward:   reply.Score,
		Feedback: feedback(reply.Detail),
		Spend:    slots.Spend{Cost: reply.Cost},
		Metrics:  metrics(reply.Detail),
	}, nil
}

// Close ends the workers.
func (p *Problem) Close() error { return p.pool.Close() }

// sentSeed is the top 53 bits of a seed: many languages read JSON numbers as float64.
func sentSeed(seed uint64) uint64 { return seed >> 11 }

// withSeed adds the seed to a task.
func withSeed(data json.RawMessage, seed uint64) json.RawMessage {
	object := bytes.TrimRight(data, " \t\r\n")
	object = append(bytes.Clone(object[:len(object)-1]), `,"seed":`...)
	return append(strconv.AppendUint(object, sentSeed(seed), 10), '}')
}

// maxFeedback bounds what a detail tells a proposer, in bytes.
const maxFeedback = 2000

func feedback(detail json.RawMessage) string {
	if !present(detail) {
		return ""
	}
	text := strings.ToValidUTF8(textOf(detail), "\uFFFD") // as it is once it was stored
	return beginning(text, maxFeedback)
}

// metrics are the numbers among the fields of a detail.
func metrics(detail json.RawMessage) map[string]float64 {
	var fields map[string]json.RawMessage
	if !present(detail) || json.Unmarshal(detail, &fields) != nil {
		return nil
	}
	var m map[string]float64
	for name, v := range fields {
		if x, err := number(v); err == nil {
			if m == nil {
				m = map[string]float64{}
			}
			m[name] = x
		}
	}
	return m
}
