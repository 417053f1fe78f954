package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/grammar"
	"github.com/agentdescent/adrun/internal/derive"
	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/slots"
)

// Gate says why a text may not run. A *gate.Gate is one.
type Gate interface {
	Check(src string) gate.Verdict
}

// Proposer proposes what a model writes. It keeps no state: what a call does depends on its context and on what
// the Completer answers. Only Completer and Settings.Model must be set.
type Proposer struct {
	Completer Completer
	Settings
	// Name is what the run calls the source of the proposals; "" is the model.
	Name string
	// Price of the tokens, for the spend of a proposal.
	Price Price
	// Repairs is how often a reply that may not run is sent back; 0 is DefaultRepairs, below 0 none.
	Repairs int
	// Gate explains refusals. Without one the checker of the language does, and the run's own gate decides.
	Gate Gate
	// Functions, Limits and Constraints are those of the run's gate, for the description and the grammar; zero
	// values are the language's own.
	Functions   []string
	Limits      dsl.Limits
	Constraints []string
	// About is what else there is to say about the value, before its description.
	About string
	// Description says what a value is, instead of what is made of the signature; there is no grammar then.
	Description string
}

// DefaultRepairs is how often a reply that may not run is sent back.
const DefaultRepairs = 2

var _ slots.Proposer = (*Proposer)(nil)

// Validate reports everything that is wrong with the proposer.
func (p *Proposer) Validate() error {
	err := p.Settings.Validate()
	if p.Completer == nil {
		err = errors.Join(err, errors.New("a model needs something that completes: a client or a replay"))
	}
	return err
}

// source names the model in tallies.
func (p *Proposer) source() string {
	return cmp.Or(p.Name, p.Model)
}

// normal is the proposer with its defaults.
func (p *Proposer) normal() *Proposer {
	q := *p
	q.MaxTokens = cmp.Or(q.MaxTokens, DefaultMaxTokens)
	q.Repairs = max(cmp.Or(q.Repairs, DefaultRepairs), 0)
	return &q
}

// Propose asks the model. A failure of the server before any reply is an error, which the engine retries. Bad
// replies are none: what they cost is in the proposal's spend, which then holds no value.
func (p *Proposer) Propose(ctx context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
	prompt, err := evidence(pc)
	if err != nil {
		return nil, err
	}
	p = p.normal()
	c := &conversation{Proposer: p, pc: pc, prompt: prompt, replies: map[string]int{}}
	c.request.Settings = p.Settings
	c.request.System, c.request.Grammar = p.describe(pc.Signature), p.grammar(pc.Signature)
	c.request.Messages = []Message{{User, prompt}}
	// What a first request may cost was reserved, but for a text that has outgrown it.
	if reserved, _ := p.Most(pc.Signature); !c.next().Within(reserved) && !c.affords() {
		c.replies[causeBudget]++
		return c.proposal("", "the budget does not hold the request"), nil
	}
	for n := 0; ; n++ {
		done, err := c.ask(ctx, n)
		switch {
		case err != nil && (n == 0 || ctx.Err() != nil):
			return nil, &slots.SourceError{Source: p.source(), Err: err}
		case err != nil:
			// What was spent already must be counted, so this is no failure of the whole.
			c.replies[causeNone]++
			return c.proposal("", fmt.Sprintf("no reply to repair %d: %v", n, err)), nil
		case done:
			c.replies[causeUsed]++
			return c.finish(ctx, n)
		case n >= p.Repairs:
			return c.refused(), nil
		case !c.affords():
			c.replies[causeBudget]++
			return c.refused(), nil
		}
	}
}

// What becomes of a reply, beside the ways in which it may be of no use.
const (
	causeUsed    = "used"    // its value may run
	causeRefused = "refused" // its value may not run
	causeNone    = "none"    // no reply came to a repair
	causeBudget  = "budget"  // none was asked for: the budget does not hold the request
)

// noun is what a value is called.
func (p *Proposer) noun() string {
	if p.Description != "" {
		return "value"
	}
	return "rule"
}

// next is what the request may spend at most.
func (c *conversation) next() slots.Spend {
	return c.spends(mostTokens(c.request.bytes()), c.MaxTokens)
}

// affords reports whether the lease's allowance holds the request.
func (c *conversation) affords() bool {
	return c.pc.Allowance == nil || c.spend.Plus(c.next()).Within(*c.pc.Allowance)
}

// grammar is what replies are held to: "" where the server takes none or the value is no rule.
func (p *Proposer) grammar(sig *dsl.Signature) string {
	if sig == nil || p.Description != "" {
		return ""
	}
	g := grammar.New(sig, grammar.Options{Functions: p.Functions})
	switch p.Mode {
	case OpenAILark:
		return g.Lark()
	case VLLM, SGLang, LlamaCpp:
		return g.GBNF()
	}
	return ""
}

// conversation is one call of Propose.
type conversation struct {
	*Proposer
	pc      *slots.ProposalContext
	prompt  string
	request Request
	spend   slots.Spend
	replies map[string]int // what became of them

	text      string           // the last value that was read from a reply
	candidate *slots.Candidate // the value when a trial admitted it
	problem   error            // why the last reply was of no use, nil if it was refused as a rule
}

// ask sends the request and judges the reply; done says that the value may run. Otherwise the request becomes
// the next: the prompt again, the reply if there was one, and what is wrong with it. Earlier repairs are left
// out, so that a prompt does not grow.
func (c *conversation) ask(ctx context.Context, n int) (done bool, err error) {
	c.request.Sample = derive.Seed(c.pc.Seed, "complete", uint64(n))
	reply, err := c.Completer.Complete(ctx, c.request)
	if err != nil {
		return false, err
	}
	c.spend = c.spend.Plus(slots.Spend{Calls: 1, Tokens: reply.Usage.Total(), Cost: c.Price.Cost(reply.Usage)})
	c.text, c.problem = "", nil
	text, problem := valueOf(reply)
	if problem != nil {
		c.problem = problem
		c.replies[causeOf(problem)]++
		c.request.Messages = []Message{{User, fmt.Sprintf("%s\nAn earlier reply was of no use: %v.\n", c.prompt, problem)}}
		return false, nil
	}
	ds, ok := c.judge(text)
	if fixed, applied := dsl.ApplyFixes(text, ds); !ok && applied > 0 {
		text = fixed
		ds, ok = c.judge(text)
	}
	c.text = text
	if !ok {
		c.replies[causeRefused]++
		c.request.Messages = []Message{{User, c.prompt}, {Assistant, clip(text, shownReplyChars)}, {User, complaintOf(c.noun(), text, ds)}}
	}
	return ok, nil
}

// judge asks whether a value may run: the run's gate through the trial, or the gate that was handed in. Where
// neither is there, only the language is checked, and the run's gate decides when it gets the proposal.
func (c *conversation) judge(text string) (dsl.Diagnostics, bool) {
	if c.pc.Trial != nil {
		if cand, ok := c.pc.Trial.AdmitText(text); ok {
			c.candidate = cand
			return nil, true
		}
	}
	switch {
	case c.Gate != nil:
		v := c.Gate.Check(text)
		return v.Diags, v.OK && c.pc.Trial == nil
	case c.pc.Signature == nil:
		return nil, c.pc.Trial == nil
	}
	f, ds := dsl.ParseLimits("reply", text, c.Limits)
	if !ds.HasErrors() {
		ds = dsl.Check(f, []*dsl.Signature{c.pc.Signature}, dsl.CheckOptions{
			Limits: c.Limits, Signature: c.pc.Signature.Name.Text, Functions: c.Functions,
		}).Diags
	}
	return ds, !ds.HasErrors() && c.pc.Trial == nil
}

// finish proposes the value. With a trial it is measured on the training tasks first, for the population; that it
// could not be is no failure of the whole, as what was paid for it must be counted.
func (c *conversation) finish(ctx context.Context, repairs int) (*slots.Proposal, error) {
	note := ""
	if repairs > 0 {
		note = fmt.Sprintf("%d repaired", repairs)
	}
	elites, err := c.measure(ctx)
	var broken *slots.ContractError
	switch {
	case err == nil:
	case ctx.Err() != nil, errors.As(err, &broken):
		return nil, err
	default:
		note = fmt.Sprintf("not tried: %v", err)
	}
	p := c.proposal(c.text, note)
	p.Elites = elites
	return p, nil
}

// measure tries the value on the training tasks, if a trial admitted it and has as many evaluations left.
func (c *conversation) measure(ctx context.Context) ([]slots.Elite, error) {
	if c.candidate == nil || c.pc.Trial.Left() < len(c.pc.Trial.Tasks()) {
		return nil, nil
	}
	tasks := make([]int, len(c.pc.Trial.Tasks()))
	for i := range tasks {
		tasks[i] = i
	}
	rewards, err := c.pc.Trial.Try(ctx, c.candidate, tasks)
	if err != nil {
		return nil, err
	}
	e := slots.Elite{Text: c.text, Identity: c.candidate.Identity, Score: stats.Mean(rewards), N: len(rewards)}
	if c.candidate.Rule != nil {
		e.Text, e.Rule, e.Ops = "", c.candidate.Rule, dsl.Ops(c.candidate.Rule)
	}
	return []slots.Elite{e}, nil
}

// refused ends a conversation in which no value may run. The engine counts a refusal by its code when it is
// handed the value; a trial has counted each already.
func (c *conversation) refused() *slots.Proposal {
	switch {
	case c.problem != nil:
		return c.proposal("", c.problem.Error())
	case c.pc.Trial != nil:
		return c.proposal("", "refused")
	}
	return c.proposal(c.text, "refused")
}

// proposal notes the model and, after a slash, what became of its reply.
func (c *conversation) proposal(text, note string) *slots.Proposal {
	if note != "" {
		note = "/" + note
	}
	return &slots.Proposal{Text: text, Note: c.Model + note, Source: c.source(), Replies: c.replies, Spend: c.spend}
}
