package model

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// OpenAI asks a server that speaks OpenAI's chat completions: OpenAI itself, vLLM, SGLang, llama.cpp and many more.
type OpenAI struct {
	server *server
	own    bool // OpenAI's own server, which has renamed max_tokens
}

// openAIBase is OpenAI's own server.
const openAIBase = "https://api.openai.com/v1"

var _ Completer = (*OpenAI)(nil)

// NewOpenAI returns a client. The endpoint's base URL is what stands before /chat/completions.
func NewOpenAI(e Endpoint) (*OpenAI, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	h := http.Header{}
	if e.Key != "" {
		h.Set("Authorization", "Bearer "+e.Key)
	}
	own := e.BaseURL == "" || strings.HasPrefix(e.BaseURL, openAIBase)
	return &OpenAI{server: newServer(e, openAIBase, "/chat/completions", h), own: own}, nil
}

// chatRequest is the body of a request. The grammar fields are those of the servers that have them.
type chatRequest struct {
	Model           string             `json:"model"`
	Messages        []chatMessage      `json:"messages"`
	Temperature     *float64           `json:"temperature,omitempty"`
	MaxTokens       int                `json:"max_tokens,omitempty"`
	MaxOutput       int                `json:"max_completion_tokens,omitempty"`
	ReasoningEffort string             `json:"reasoning_effort,omitempty"`
	Tools           []chatTool         `json:"tools,omitempty"`
	ToolChoice      *chatTool          `json:"tool_choice,omitempty"`
	Structured      *structuredOutputs `json:"structured_outputs,omitempty"` // vLLM
	EBNF            string             `json:"ebnf,omitempty"`               // SGLang
	Grammar         string             `json:"grammar,omitempty"`            // llama.cpp
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type structuredOutputs struct {
	Grammar string `json:"grammar"`
}

// chatTool is a custom tool, whose input is free text that a grammar may bind; or the choice of one by name.
type chatTool struct {
	Type   string     `json:"type"`
	Custom customTool `json:"custom"`
}

type customTool struct {
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	Format      *customFormat `json:"format,omitempty"`
}

type customFormat struct {
	Type    string        `json:"type"`
	Grammar customGrammar `json:"grammar"`
}

type customGrammar struct {
	Syntax     string `json:"syntax"`
	Definition string `json:"definition"`
}

// toolName is the custom tool by which a rule comes back.
const toolName = "propose_rule"

func (c *OpenAI) body(r Request) chatRequest {
	b := chatRequest{Model: r.Model, Temperature: r.Temperature, ReasoningEffort: r.Thinking}
	if c.own {
		b.MaxOutput = r.MaxTokens
	} else {
		b.MaxTokens = r.MaxTokens
	}
	b.Messages = append(b.Messages, chatMessage{Role: "system", Content: r.System})
	for _, m := range r.Messages {
		b.Messages = append(b.Messages, chatMessage{Role: m.Role, Content: m.Text})
	}
	if r.Grammar == "" {
		return b
	}
	switch r.Mode {
	case OpenAILark:
		b.Tools = []chatTool{{Type: "custom", Custom: customTool{
			Name: toolName, Description: "Takes the rule.",
			Format: &customFormat{Type: "grammar", Grammar: customGrammar{Syntax: "lark", Definition: r.Grammar}},
		}}}
		b.ToolChoice = &chatTool{Type: "custom", Custom: customTool{Name: toolName}}
	case VLLM:
		b.Structured = &structuredOutputs{Grammar: r.Grammar}
	case SGLang:
		b.EBNF = r.Grammar
	case LlamaCpp:
		b.Grammar = r.Grammar
	}
	return b
}

// Close ends the connections. It may be called when no request is under way.
func (c *OpenAI) Close() error { return c.server.close() }

// chatAnswer is what is read of an answer.
type chatAnswer struct {
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content          chatText `json:"content"`
			Refusal          string   `json:"refusal"`
			ReasoningContent string   `json:"reasoning_content"`
			Reasoning        string   `json:"reasoning"`
			ToolCalls        []struct {
				Custom struct{ Input string }
			} `json:"tool_calls"`
		}
	}
	Usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		Details          struct {
			ReasoningTokens int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
}

// chatText is the content of a message: a text, null, or a list of parts.
type chatText string

// UnmarshalJSON reads each of the forms.
func (t *chatText) UnmarshalJSON(b []byte) error {
	var s *string
	if json.Unmarshal(b, &s) == nil {
		*t = ""
		if s != nil {
			*t = chatText(*s)
		}
		return nil
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*t += chatText(p.Text)
	}
	return nil
}

// Complete asks the server.
func (c *OpenAI) Complete(ctx context.Context, r Request) (Reply, error) {
	var reply Reply
	err := c.server.post(ctx, c.body(r), estimate(r.bytes())+r.MaxTokens, func(answer []byte) (err error) {
		reply, err = readChat(answer)
		return err
	})
	return reply.counted(r), err
}

func readChat(answer []byte) (Reply, error) {
	var a chatAnswer
	if err := json.Unmarshal(answer, &a); err != nil {
		return Reply{}, errors.New("the answer is no chat completion: " + clip(err.Error(), 200))
	}
	if len(a.Choices) == 0 {
		return Reply{}, errors.New("the answer is no chat completion: it has no choices")
	}
	c := a.Choices[0]
	reply := Reply{
		Text: string(c.Message.Content), Reasoning: c.Message.ReasoningContent + c.Message.Reasoning, Finish: Finished,
		Usage: Usage{Input: a.Usage.PromptTokens, Output: a.Usage.CompletionTokens, Reasoning: a.Usage.Details.ReasoningTokens},
	}
	if len(c.Message.ToolCalls) > 0 && c.Message.ToolCalls[0].Custom.Input != "" {
		reply.Text = c.Message.ToolCalls[0].Custom.Input
	}
	switch {
	case c.FinishReason == "length":
		reply.Finish = Truncated
	case c.FinishReason == "content_filter", c.Message.Refusal != "":
		reply.Finish = Declined
	}
	return reply, nil
}
