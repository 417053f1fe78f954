package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/reflector/model"
	"github.com/agentdescent/adrun/slots"
)

// asked is a model that a plan asks.
type asked struct {
	path     string // in the spec
	spec     *spec.Model
	name     string
	proposer *model.Proposer
}

// value is what a model is told about what evolves.
type value struct {
	gate        model.Gate // nil for a text
	about       string
	description string // "" for a rule, which is described by its signature
	constraints []string
}

// addModel makes a model of the spec one that proposes.
func (p *plan) addModel(path, name string, m *spec.Model, v value) (*model.Proposer, error) {
	mode := model.GrammarMode(m.GrammarMode)
	if v.description != "" && mode != "" && mode != model.FreeText {
		return nil, p.spec.At(path+".grammar_mode", errors.New("the grammar is that of a rule, and what evolves is none: leave it out"))
	}
	client, err := p.client(path, m)
	if err != nil {
		return nil, err
	}
	q := &model.Proposer{
		Completer: kept{p, name, client}, Name: name,
		Settings: model.Settings{Model: m.Model, Temperature: m.Temperature, MaxTokens: m.MaxTokens, Thinking: m.Thinking, Mode: mode},
		Repairs:  noneBelow(m.Repairs), Gate: v.gate, Constraints: v.constraints, About: v.about, Description: v.description,
	}
	if m.Price != nil {
		q.Price = model.Price{Input: m.Price.Input, Output: m.Price.Output}
	}
	p.models = append(p.models, asked{path: path, spec: m, name: name, proposer: q})
	return q, p.atSpec(path, q.Validate())
}

// atSpec is an error of a place in the spec, if it is one.
func (p *plan) atSpec(path string, err error) error {
	if err == nil {
		return nil
	}
	return p.spec.At(path, err)
}

// noneBelow is a number for which 0 means the default: an explicit 0 is below it.
func noneBelow(n *int) int {
	switch {
	case n == nil:
		return 0
	case *n == 0:
		return -1
	}
	return *n
}

// client is who asks the server of a model.
func (p *plan) client(path string, m *spec.Model) (model.Completer, error) {
	timeout, _ := spec.Duration(m.Timeout) // it was checked when the spec was read
	e := model.Endpoint{
		BaseURL: m.BaseURL, Timeout: timeout, Retries: noneBelow(m.Retries),
		RequestsPerMinute: m.RequestsPerMinute, TokensPerMinute: m.TokensPerMinute,
	}
	if name := keyName(m); name != "" {
		e.Key = os.Getenv(name)
	}
	if m.Provider == spec.Anthropic {
		c, err := model.NewAnthropic(e)
		if err == nil {
			p.closers = append(p.closers, c)
		}
		return c, p.atSpec(path, err)
	}
	c, err := model.NewOpenAI(e)
	if err == nil {
		p.closers = append(p.closers, c)
	}
	return c, p.atSpec(path, err)
}

// keyName is the environment variable with the key of a model; "" where none is sent.
func keyName(m *spec.Model) string {
	switch {
	case m.APIKeyEnv != "":
		return m.APIKeyEnv
	case !ownServer(m):
		return ""
	case m.Provider == spec.Anthropic:
		return "ANTHROPIC_API_KEY"
	}
	return "OPENAI_API_KEY"
}

// ownServer reports whether the server of a model is its provider's own.
func ownServer(m *spec.Model) bool {
	if m.BaseURL == "" {
		return true
	}
	own := map[string]string{spec.OpenAI: "api.openai.com", spec.Anthropic: "api.anthropic.com"}
	u, err := url.Parse(m.BaseURL)
	return err == nil && u.Scheme == "https" && u.Host == own[m.Provider]
}

// checkKeys refuses to begin what would fail at its first request. A replay needs no key.
func (p *plan) checkKeys() error {
	if p.replies.replay {
		return nil
	}
	for _, m := range p.models {
		if name := keyName(m.spec); name != "" && os.Getenv(name) == "" {
			path := m.path
			if m.spec.APIKeyEnv != "" {
				path += ".api_key_env"
			}
			return p.spec.At(path, fmt.Errorf("the environment has no %s: export the key of %s, or name another variable in api_key_env", name, shownServer(m.spec)))
		}
	}
	return nil
}

// shownServer names the server of a model.
func shownServer(m *spec.Model) string {
	switch {
	case m.BaseURL != "":
		return m.BaseURL
	case m.Provider == spec.Anthropic:
		return "Anthropic"
	}
	return "OpenAI"
}

// replies says where the replies of models are, and whether a server is asked at all.
type replies struct {
	dir    string // "" for one of the run's own
	replay bool
	fail   func(error) // ends the run
}

func (p *plan) openReplies() {
	if r := p.spec.Propose.Replies; r != nil {
		p.replies = replies{dir: p.file(r.Dir), replay: r.Mode == spec.Replay}
	}
}

// kept answers from the replies of the run, or asks a server and keeps what it says.
type kept struct {
	plan   *plan
	source string
	server model.Completer
}

// Complete implements model.Completer.
func (k kept) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	at := k.plan.replies
	if at.replay {
		reply, err := model.Replayer{Dir: at.dir}.Complete(ctx, r)
		k.end(err)
		return reply, err
	}
	reply, err := model.Recorder{Dir: at.dir, Next: k.server}.Complete(ctx, r)
	if err != nil && ctx.Err() == nil && !k.end(err) {
		kind := "no answer"
		var status *model.StatusError
		if errors.As(err, &status) {
			kind = fmt.Sprintf("%d %s", status.Status, http.StatusText(status.Status))
		}
		slog.New(k.plan.failures).Warn("a request to "+k.source+" failed", "kind", kind, "cause", err.Error())
	}
	return reply, err
}

// end ends the run for failures after which it would not be what it is meant to be: replies that cannot be kept, a
// replay in which one is missing, and a server that does not know the key, the address or the model.
func (k kept) end(err error) bool {
	at := k.plan.replies
	var missing *model.NotRecordedError
	var broken *model.RecordError
	var status *model.StatusError
	switch {
	case at.fail == nil || err == nil:
		return false
	case errors.As(err, &missing), errors.As(err, &broken):
		err = fmt.Errorf("%s: %w", shown(at.dir), err)
	case errors.As(err, &status) && !at.replay && hopeless(status.Status):
		err = fmt.Errorf("%s: %w", k.source, err)
	default:
		return false
	}
	at.fail(err)
	return true
}

// hopeless reports whether no request to the server will do better.
func hopeless(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return true
	}
	return status >= 300 && status < 400
}

// replayFrom has the plan ask nobody and answer from what another run kept: a directory, or a run with its own.
func (p *plan) replayFrom(dir string) error {
	if len(p.models) == 0 {
		return usagef("--replay: no model proposes in this spec, so there are no replies")
	}
	p.replies = replies{dir: dir, replay: true}
	return nil
}

// repliesOf finds the directory of replies that --replay names.
func repliesOf(f evolveFlags) (string, error) {
	if info, err := os.Stat(f.replay); err == nil && info.IsDir() {
		return filepath.Abs(f.replay)
	}
	run, err := f.store.Find(f.replay)
	if err != nil {
		return "", fmt.Errorf("--replay: %s is no directory, and %w", f.replay, err)
	}
	if !exists(run.RepliesDir()) {
		return "", fmt.Errorf("--replay: run %s keeps no replies", run.ID)
	}
	return filepath.Abs(run.RepliesDir())
}

// policyGate shows a model why a policy may not run.
type policyGate struct{ *gate.PolicyGate }

// Check implements model.Gate.
func (g policyGate) Check(src string) gate.Verdict {
	v := g.PolicyGate.Check(src)
	return gate.Verdict{OK: v.OK, Stage: v.Stage, Diags: v.Diags}
}

// reserve is what the models of the plan may cost at most: the first request of a lease, and a merge.
func (p *plan) reserve() engine.Reserve {
	var r engine.Reserve
	for _, m := range p.models {
		request, _ := m.proposer.Most(p.sig)
		r.Lease = r.Lease.Max(request)
	}
	if p.merger != nil {
		r.Merge = p.merger.Most(mergedProposals)
	}
	return r
}

// mergedProposals is how many values one request to merge has at most.
const mergedProposals = 6

// priced reports whether a model has a price: cost is money then.
func (p *plan) priced() bool {
	for _, m := range p.models {
		if m.spec.Price != nil {
			return true
		}
	}
	return false
}

// worst is the most that a run may ask of models.
type worst struct {
	// Lease is the dearest lease, with all its repairs; Run all of them, absent where nothing bounds the rounds.
	Lease slots.Spend  `json:"lease"`
	Run   *slots.Spend `json:"run,omitempty"`
}

func (p *plan) worst() worst {
	var w worst
	for _, m := range p.models {
		_, lease := m.proposer.Most(p.sig)
		w.Lease = w.Lease.Max(lease)
	}
	if n := p.leases(); n > 0 {
		all := w.Lease.Times(n).Plus(p.config.Budget.Reserve.Merge.Times(n / p.lanes()))
		w.Run = &all
	}
	return w
}

func (p *plan) lanes() int {
	if n := p.spec.Evolve.Lanes; n > 0 {
		return n
	}
	return defaultLanes
}

// leases is how many there are at most; 0 where nothing bounds the rounds.
func (p *plan) leases() int {
	s := p.spec
	rounds := s.Evolve.Rounds
	if rounds == 0 && !s.Budget.Capped() && s.Budget.MaxSeconds == 0 && s.Evolve.Target == 0 && s.Evolve.Patience == 0 {
		rounds = defaultRounds
	}
	return rounds * p.lanes()
}
