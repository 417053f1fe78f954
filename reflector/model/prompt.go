package model

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/grammar"
	"github.com/agentdescent/adrun/slots"
)

// The prompt is four things: what the value is (describe), the current value, what came of it as JSON, and the
// reward. It gives no advice and nothing that hints at an answer: a run then says what the search finds, not
// what the prompt knew.

// outcomeChars bounds the JSON of an outcome in a prompt.
const outcomeChars = 2000

// describe says what a value is: for a rule its signature with the meanings, domains and contracts, the grammar,
// the functions and the limits.
func (p *Proposer) describe(sig *dsl.Signature) string {
	var b strings.Builder
	if p.About != "" {
		b.WriteString(strings.TrimSpace(p.About) + "\n\n")
	}
	switch {
	case p.Description != "":
		b.WriteString(p.Description)
	case sig == nil:
		b.WriteString("The value is a text.\n\nReply with the whole new text and nothing else.\n")
	default:
		p.describeRule(&b, sig)
	}
	return b.String()
}

// describeRule says what a rule of the signature is.
func (p *Proposer) describeRule(b *strings.Builder, sig *dsl.Signature) {
	b.WriteString("The value is a rule: a function of the inputs of this signature. An assume states what always holds of " +
		"the inputs, an ensure what must hold of the result.\n\n")
	b.WriteString(dsl.FormatDecl(sig))
	name := sig.Name.Text
	fmt.Fprintf(b, "\nA rule is named by the last part of the signature's name, %s. It is written in this grammar. Tokens stand in "+
		"angle brackets; layout means nothing.\n\n", name[strings.LastIndexByte(name, '.')+1:])
	b.WriteString(grammar.RuleEBNF())
	b.WriteString(language(p.functions()))
	b.WriteString(bounds(p.Limits, p.Limits.Normalize().RuleBytes, p.Constraints))
	b.WriteString("\nReply with one whole rule and nothing else.\n")
}

// PolicyLanguage is what a model needs to know to write a policy, beside the declaration of its slot: the grammar,
// what it leaves open, the limits and constraints.
func PolicyLanguage(limits dsl.Limits, constraints []string) string {
	return "A policy defines some of the hooks of its slot. A param is a number that may be moved within its bounds; a state " +
		"is a number that hooks read and on-hooks write, clamped to its bounds; a hook may be given a list of the inputs that " +
		"it reads, by their names. It is written in this grammar. Tokens stand in angle brackets; layout means nothing.\n\n" +
		grammar.PolicyEBNF() + language(dsl.FunctionNames()) + bounds(limits, limits.Normalize().DeclBytes, constraints) +
		"\nReply with one whole policy and nothing else.\n"
}

// language says what a grammar of the language leaves open: the functions and what everything means.
func language(functions []string) string {
	return fmt.Sprintf("\nFunctions: %s. min and max take two or more numbers, pow two, clamp three (x, lo, hi), the others one.\n",
		strings.Join(functions, ", ")) +
		"Numbers are 64-bit floats; true and false are no numbers. % has the sign of its divisor. " +
		"Every path ends in a return, and nothing follows one. A local is declared by let before it is read, in its block, " +
		"and no name is declared twice. No type is written. There are no loops and no functions of one's own.\n"
}

// bounds says how large a value may be, and what else must hold of it.
func bounds(l dsl.Limits, bytes int, constraints []string) string {
	l = l.Normalize()
	text := fmt.Sprintf("Limits: %d bytes, %d operators and calls, nesting %d, %d locals.\n", bytes, l.Nodes, l.Nesting, l.Locals)
	for _, c := range constraints {
		text += fmt.Sprintf("It must satisfy: %s\n", c)
	}
	return text
}

func (p *Proposer) functions() []string {
	if p.Functions != nil {
		return p.Functions
	}
	return dsl.FunctionNames()
}

// evidence is what the user's turn says: the current value, the outcome and the reward.
func evidence(pc *slots.ProposalContext) (string, error) {
	outcome, err := outcomeJSON(pc.Outcome)
	if err != nil {
		return "", fmt.Errorf("writing the outcome: %w", err)
	}
	return fmt.Sprintf("Current value:\n\n%s\nOutcome: %s\n\nReward: %s\n",
		current(pc), clip(string(outcome), outcomeChars), dsl.FormatNumber(pc.Outcome.Reward)), nil
}

// outcomeJSON is an outcome as JSON. An output that is JSON itself, such as the outcome of an inner search, is no
// text within it.
func outcomeJSON(o slots.Outcome) ([]byte, error) {
	if !json.Valid([]byte(o.Output)) {
		return json.Marshal(o)
	}
	return json.Marshal(struct {
		slots.Outcome
		Output json.RawMessage `json:"output"`
	}{o, json.RawMessage(o.Output)})
}

// current is the value that the rollout ran, ending in a line end.
func current(pc *slots.ProposalContext) string {
	text := pc.Artifact.State[slots.RuleKey]
	switch {
	case text == "" && pc.Candidate != nil && pc.Candidate.Rule != nil:
		text = dsl.FormatRule(pc.Candidate.Rule)
	case text == "" && pc.Candidate != nil:
		text = pc.Candidate.Text
	}
	return strings.TrimRight(text, "\n") + "\n"
}

// shownReplyChars bounds how much of a reply is sent back: a server may not keep to max_tokens.
const shownReplyChars = 16000

// shownDiagnostics bounds how many diagnostics a repair shows.
const shownDiagnostics = 8

// complaintOf shows a model why its value, a rule or another thing, may not run.
func complaintOf(what, text string, ds dsl.Diagnostics) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The %s may not run:\n\n", what)
	shown := 0
	for _, d := range ds {
		if d.Severity != dsl.Error {
			continue
		}
		if shown++; shown <= shownDiagnostics {
			b.WriteString(d.Render(text))
		}
	}
	if shown > shownDiagnostics {
		fmt.Fprintf(&b, "and %d more\n", shown-shownDiagnostics)
	}
	if shown == 0 {
		b.WriteString("the gate refuses it\n")
	}
	fmt.Fprintf(&b, "\nReply with one whole %s that may run, and nothing else.\n", what)
	return b.String()
}
