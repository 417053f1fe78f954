package model

import (
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// What a request may cost has to be known before it is sent. Tokens of a prompt are counted by a server's
// tokenizer, which is not ours: rules, JSON and English have three to four bytes a token, and leastBytesPerToken
// leaves room below that.
const leastBytesPerToken = 2

// mostTokens bounds the tokens of so many bytes.
func mostTokens(bytes int) int { return (bytes + leastBytesPerToken - 1) / leastBytesPerToken }

// The most bytes of the parts of a prompt that are not known beforehand.
const (
	mostTextBytes      = 32000                             // of a text: what a proposal may write
	mostOutcomeBytes   = leastBytesPerToken * outcomeChars // a character is a token at most
	mostComplaintBytes = shownDiagnostics*400 + 200
	mostFrameBytes     = 500 // what stands around them
)

// Most is the most that the first request of a lease may spend, and the lease with all its repairs. sig is the
// signature of the value, nil for a text or a policy. A text may grow beyond it: a request about one that has is made
// only if the lease's allowance holds it.
func (p *Proposer) Most(sig *dsl.Signature) (request, lease slots.Spend) {
	q := p.normal()
	known := Request{Settings: q.Settings, System: q.describe(sig), Grammar: q.grammar(sig)}
	prompt := mostTokens(known.bytes() + q.valueBytes(sig) + mostOutcomeBytes + mostFrameBytes)
	request = q.spends(prompt, q.MaxTokens)
	repair := q.spends(prompt+q.MaxTokens+mostTokens(mostComplaintBytes), q.MaxTokens)
	return request, request.Plus(repair.Times(q.Repairs))
}

// valueBytes is the most that a value of the signature has, or a described one, or a text.
func (p *Proposer) valueBytes(sig *dsl.Signature) int {
	limits := p.Limits.Normalize()
	switch {
	case p.Description != "":
		return limits.DeclBytes
	case sig != nil:
		return limits.RuleBytes
	}
	return mostTextBytes
}

// spends is what a request of so many tokens costs.
func (p *Proposer) spends(prompt, reply int) slots.Spend {
	return slots.Spend{Calls: 1, Tokens: prompt + reply, Cost: p.Price.Cost(Usage{Input: prompt, Output: reply})}
}
