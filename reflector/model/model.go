// Package model proposes with a language model. A [Completer] answers one request: [OpenAI] and [Anthropic] ask
// a server, [Recorder] keeps what one answers and [Replayer] answers from what was kept, with the network off. A
// [Proposer] shows a model what evolves and what came of it, and hands on what it writes once the gate admits
// it; it asks again, a bounded number of times, with the gate's diagnostics.
//
// Nothing that reaches a run's record depends on time: waiting for a server, for its Retry-After or for a rate
// limit delays a reply and changes nothing in it. With recorded replies a run is a function of its spec.
package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Completer answers requests. Several goroutines call it at once. An error is a failure of the infrastructure:
// no reply came, and none of its tokens are known. What a model may do wrong is in the reply.
type Completer interface {
	Complete(ctx context.Context, r Request) (Reply, error)
}

// Settings choose a model and how it answers.
type Settings struct {
	// Model is the server's name of it.
	Model string `json:"model"`
	// Temperature of the sampling; nil leaves it to the server.
	Temperature *float64 `json:"temperature,omitempty"`
	// MaxTokens bounds a reply, its reasoning included; 0 is DefaultMaxTokens.
	MaxTokens int `json:"max_tokens"`
	// Thinking asks for reasoning: of OpenAI-compatible servers an effort ("low", "medium", "high"), of
	// Anthropic a number of tokens; "" asks for none.
	Thinking string `json:"thinking,omitempty"`
	// Mode says how a server is held to a grammar.
	Mode GrammarMode `json:"grammar_mode,omitempty"`
}

// DefaultMaxTokens bounds a reply where the settings do not.
const DefaultMaxTokens = 4096

// GrammarMode names the request field in which a server takes a grammar.
type GrammarMode string

// The grammar modes. FreeText sends no grammar.
const (
	FreeText   GrammarMode = "none"
	OpenAILark GrammarMode = "openai-lark" // a custom tool's format, in Lark
	VLLM       GrammarMode = "vllm"        // structured_outputs.grammar, in GBNF; vLLM 0.12 or later
	SGLang     GrammarMode = "sglang"      // ebnf, in GBNF
	LlamaCpp   GrammarMode = "llamacpp"    // grammar, in GBNF
)

// GrammarModes lists the modes.
func GrammarModes() []GrammarMode {
	return []GrammarMode{FreeText, OpenAILark, VLLM, SGLang, LlamaCpp}
}

// Request is one request, whole: a recorded reply is found by it.
type Request struct {
	Settings
	System   string    `json:"system"`
	Messages []Message `json:"messages"`
	// Grammar is what the reply is held to, in the format of the mode; "" for none.
	Grammar string `json:"grammar,omitempty"`
	// Sample tells requests apart that ask the same thing: two leases are two samples. It is not sent.
	Sample uint64 `json:"sample"`
}

// Message is a turn of the conversation. User and assistant take turns; the first is the user's.
type Message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// The roles of messages.
const (
	User      = "user"
	Assistant = "assistant"
)

// Reply is what a model answered.
type Reply struct {
	Text string `json:"text"`
	// Reasoning is what the server shows of the model's thinking. It is recorded and never used.
	Reasoning string `json:"reasoning,omitempty"`
	Finish    Finish `json:"finish"`
	Usage     Usage  `json:"usage"`
}

// Finish says why a reply ended.
type Finish string

// The ends of a reply. Only one that is Finished is used.
const (
	Finished  Finish = "finished"
	Truncated Finish = "truncated" // at the limit of tokens
	Declined  Finish = "declined"  // by the model or by a filter
)

// Usage counts tokens.
type Usage struct {
	Input int `json:"input"`
	// Output includes Reasoning.
	Output    int `json:"output"`
	Reasoning int `json:"reasoning,omitempty"`
	// Estimated says that the server counted nothing: a token is taken to be four bytes.
	Estimated bool `json:"estimated,omitempty"`
}

// Total is the number of tokens.
func (u Usage) Total() int { return u.Input + u.Output }

// bytesPerToken estimates tokens where nobody counts them.
const bytesPerToken = 4

func estimate(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// bytes is the size of what a request sends for the model to read. The grammar of a tool is in its prompt, as all that
// is said of tools; other servers keep grammars to themselves.
func (r Request) bytes() int {
	n := len(r.System)
	if r.Mode == OpenAILark {
		n += len(r.Grammar)
	}
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	return n
}

// counted fills in the usage where the server left it out.
func (r Reply) counted(asked Request) Reply {
	if r.Usage.Total() == 0 {
		r.Usage = Usage{Input: estimate(asked.bytes()), Output: estimate(len(r.Text) + len(r.Reasoning)), Estimated: true}
	}
	return r
}

// Price is what a million tokens cost, in units of a run's cost.
type Price struct {
	Input, Output float64
}

// Cost of a usage.
func (p Price) Cost(u Usage) float64 {
	return (float64(float64(u.Input)*p.Input) + float64(float64(u.Output)*p.Output)) / 1e6 // rounded alike on every machine
}

// Validate reports everything that is wrong with the settings.
func (s Settings) Validate() error {
	var errs []error
	if s.Model == "" {
		errs = append(errs, errors.New("model is missing: name one that the server has"))
	}
	if t := s.Temperature; t != nil && (math.IsNaN(*t) || *t < 0 || *t > 2) {
		errs = append(errs, fmt.Errorf("temperature %g is outside 0 to 2", *t))
	}
	if s.MaxTokens < 0 {
		errs = append(errs, fmt.Errorf("max_tokens %d is negative", s.MaxTokens))
	}
	if s.Mode != "" && !slices.Contains(GrammarModes(), s.Mode) {
		errs = append(errs, fmt.Errorf("grammar_mode %q is none of %v", s.Mode, GrammarModes()))
	}
	return errors.Join(errs...)
}
