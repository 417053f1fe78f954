package model

import (
	"context"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// Merger asks a model for one value that has the changes of several. It is the completion of a reflective merge.
type Merger struct {
	// Proposer is who is asked: its completer, settings, price and descriptions are used.
	Proposer *Proposer
	// Signature is that of the value; nil for a text or a policy.
	Signature *dsl.Signature
}

// Merge asks. A failure of the server and a reply of no use are answers with an Error: the merge then goes on
// without.
func (m Merger) Merge(ctx context.Context, r slots.MergeRequest) (slots.Reply, error) {
	p := m.Proposer.normal()
	asked := Request{
		Settings: p.Settings, System: p.describe(m.Signature), Grammar: p.grammar(m.Signature),
		Messages: []Message{{User, r.Prompt()}},
	}
	reply, err := p.Completer.Complete(ctx, asked)
	if err != nil {
		return slots.Reply{Error: err.Error()}, ctx.Err()
	}
	out := slots.Reply{Spend: slots.Spend{Calls: 1, Tokens: reply.Usage.Total(), Cost: p.Price.Cost(reply.Usage)}}
	text, err := valueOf(reply)
	if err != nil {
		out.Error = err.Error()
		return out, nil
	}
	out.Text = canonical(text)
	return out, nil
}

// Most is the most that a request may spend which merges so many proposals.
func (m Merger) Most(proposals int) slots.Spend {
	request, _ := m.Proposer.Most(m.Signature)
	more := proposals * mostTokens(m.Proposer.valueBytes(m.Signature))
	return request.Plus(slots.Spend{Tokens: more, Cost: m.Proposer.Price.Cost(Usage{Input: more})})
}

// canonical is a declaration in canonical layout, so that it can be told whether it repeats another; a text that
// is none is itself.
func canonical(text string) string {
	f, ds := dsl.ParseLimits("reply", text, dsl.Limits{})
	if ds.HasErrors() || len(f.Decls) != 1 {
		return text
	}
	return dsl.FormatDecl(f.Decls[0])
}
