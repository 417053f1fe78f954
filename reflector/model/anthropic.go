package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// Anthropic asks a server that speaks Anthropic's messages.
type Anthropic struct {
	server *server
}

var _ Completer = (*Anthropic)(nil)

const (
	anthropicBase    = "https://api.anthropic.com"
	anthropicVersion = "2023-06-01"
	// leastThinking is the smallest number of tokens that may be asked for to think with.
	leastThinking = 1024
)

// NewAnthropic returns a client. The endpoint's base URL is what stands before /v1/messages.
func NewAnthropic(e Endpoint) (*Anthropic, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	h := http.Header{}
	h.Set("Anthropic-Version", anthropicVersion)
	if e.Key != "" {
		h.Set("X-Api-Key", e.Key)
	}
	return &Anthropic{server: newServer(e, anthropicBase, "/v1/messages", h)}, nil
}

type messagesRequest struct {
	Model       string        `json:"model"`
	MaxTokens   int           `json:"max_tokens"`
	Temperature *float64      `json:"temperature,omitempty"`
	System      string        `json:"system,omitempty"`
	Messages    []chatMessage `json:"messages"`
	Thinking    *thinking     `json:"thinking,omitempty"`
}

type thinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens"`
}

// CheckAnthropic reports everything that settings ask of Anthropic and it does not do.
func CheckAnthropic(s Settings) error {
	var errs []error
	if s.Mode != "" && s.Mode != FreeText {
		errs = append(errs, fmt.Errorf("grammar_mode %s: Anthropic's messages take no grammar", s.Mode))
	}
	if s.Thinking == "" {
		return errors.Join(errs...)
	}
	most := cmp.Or(s.MaxTokens, DefaultMaxTokens)
	if n, err := strconv.Atoi(s.Thinking); err != nil || n < leastThinking || n >= most {
		errs = append(errs, fmt.Errorf("thinking %q: Anthropic wants a number of tokens from %d to below max_tokens (%d)", s.Thinking, leastThinking, most))
	}
	if s.Temperature != nil && *s.Temperature != 1 {
		errs = append(errs, fmt.Errorf("temperature %g: Anthropic thinks at temperature 1 only", *s.Temperature))
	}
	return errors.Join(errs...)
}

// Close ends the connections. It may be called when no request is under way.
func (c *Anthropic) Close() error { return c.server.close() }

type messagesAnswer struct {
	Content []struct {
		Type     string
		Text     string
		Thinking string
	}
	StopReason string `json:"stop_reason"`
	Usage      struct {
		Input       int `json:"input_tokens"`
		CacheWrites int `json:"cache_creation_input_tokens"`
		CacheReads  int `json:"cache_read_input_tokens"`
		Output      int `json:"output_tokens"`
	}
}

// Complete asks the server.
func (c *Anthropic) Complete(ctx context.Context, r Request) (Reply, error) {
	b := messagesRequest{Model: r.Model, MaxTokens: r.MaxTokens, Temperature: r.Temperature, System: r.System}
	for _, m := range r.Messages {
		b.Messages = append(b.Messages, chatMessage{Role: m.Role, Content: m.Text})
	}
	if n, err := strconv.Atoi(r.Thinking); err == nil {
		b.Thinking = &thinking{Type: "enabled", Budget: n}
	}
	var reply Reply
	err := c.server.post(ctx, b, estimate(r.bytes())+r.MaxTokens, func(answer []byte) (err error) {
		reply, err = readMessages(answer)
		return err
	})
	return reply.counted(r), err
}

func readMessages(answer []byte) (Reply, error) {
	var a messagesAnswer
	if err := json.Unmarshal(answer, &a); err != nil {
		return Reply{}, errors.New("the answer is no message: " + clip(err.Error(), 200))
	}
	if a.StopReason == "" {
		return Reply{}, errors.New("the answer is no message: it has no stop_reason")
	}
	u := a.Usage
	reply := Reply{Finish: Finished, Usage: Usage{Input: u.Input + u.CacheWrites + u.CacheReads, Output: u.Output}}
	for _, part := range a.Content {
		switch part.Type {
		case "text":
			reply.Text += part.Text
		case "thinking":
			reply.Reasoning += part.Thinking
		}
	}
	switch a.StopReason {
	case "max_tokens", "model_context_window_exceeded":
		reply.Finish = Truncated
	case "refusal":
		reply.Finish = Declined
	}
	return reply, nil
}
