package model

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChatRequests holds the bodies to what each server documents.
func TestChatRequests(t *testing.T) {
	half := 0.5
	const start = `{"model": "m", "messages": [{"role": "system", "content": "what"}, {"role": "user", "content": "now"}], `
	for _, tc := range []struct {
		name, base string
		settings   Settings
		want       string
	}{
		{"free text", "http://127.0.0.1:1/v1", Settings{}, start + `"max_tokens": 7}`},
		{"OpenAI's own", "", Settings{}, start + `"max_completion_tokens": 7}`},
		{"temperature and effort", "http://127.0.0.1:1/v1", Settings{Temperature: &half, Thinking: "low"},
			start + `"max_tokens": 7, "temperature": 0.5, "reasoning_effort": "low"}`},
		{"no grammar", "http://127.0.0.1:1/v1", Settings{Mode: FreeText}, start + `"max_tokens": 7}`},
		{"OpenAI Lark", "http://127.0.0.1:1/v1", Settings{Mode: OpenAILark}, start + `"max_tokens": 7,
			"tools": [{"type": "custom", "custom": {"name": "propose_rule", "description": "Takes the rule.",
				"format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "G"}}}}],
			"tool_choice": {"type": "custom", "custom": {"name": "propose_rule"}}}`},
		{"vLLM", "http://127.0.0.1:1/v1", Settings{Mode: VLLM}, start + `"max_tokens": 7, "structured_outputs": {"grammar": "G"}}`},
		{"SGLang", "http://127.0.0.1:1/v1", Settings{Mode: SGLang}, start + `"max_tokens": 7, "ebnf": "G"}`},
		{"llama.cpp", "http://127.0.0.1:1/v1", Settings{Mode: LlamaCpp}, start + `"max_tokens": 7, "grammar": "G"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := &answers{script: []answer{chat("ok")}}
			c, err := NewOpenAI(Endpoint{BaseURL: tc.base, Transport: a})
			if err != nil {
				t.Fatal(err)
			}
			tc.settings.Model, tc.settings.MaxTokens = "m", 7
			r := Request{Settings: tc.settings, System: "what", Messages: []Message{{User, "now"}}, Grammar: "G", Sample: 9}
			if tc.settings.Mode == "" {
				r.Grammar = ""
			}
			if _, err := c.Complete(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			var got, want any
			for text, v := range map[string]*any{a.bodies[0]: &got, tc.want: &want} {
				if err := json.Unmarshal([]byte(text), v); err != nil {
					t.Fatalf("%v: %s", err, text)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestChatAnswers(t *testing.T) {
	const usage = `"usage": {"prompt_tokens": 3, "completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 2}}`
	counted := Usage{Input: 3, Output: 4, Reasoning: 2}
	for _, tc := range []struct {
		name, body string
		want       Reply
	}{
		{"text", `{"choices": [{"finish_reason": "stop", "message": {"content": "a"}}], ` + usage + `}`,
			Reply{Text: "a", Finish: Finished, Usage: counted}},
		{"null is empty", `{"choices": [{"finish_reason": "stop", "message": {"content": null}}], ` + usage + `}`,
			Reply{Finish: Finished, Usage: counted}},
		{"parts", `{"choices": [{"finish_reason": "stop", "message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}]}}], ` + usage + `}`,
			Reply{Text: "ab", Finish: Finished, Usage: counted}},
		{"reasoning", `{"choices": [{"finish_reason": "stop", "message": {"content": "a", "reasoning_content": "hm"}}], ` + usage + `}`,
			Reply{Text: "a", Reasoning: "hm", Finish: Finished, Usage: counted}},
		{"a custom tool", `{"choices": [{"finish_reason": "tool_calls", "message": {"content": null,
			"tool_calls": [{"type": "custom", "custom": {"name": "propose_rule", "input": "rule"}}]}}], ` + usage + `}`,
			Reply{Text: "rule", Finish: Finished, Usage: counted}},
		{"truncated", `{"choices": [{"finish_reason": "length", "message": {"content": "rule a {"}}], ` + usage + `}`,
			Reply{Text: "rule a {", Finish: Truncated, Usage: counted}},
		{"filtered", `{"choices": [{"finish_reason": "content_filter", "message": {"content": ""}}], ` + usage + `}`,
			Reply{Finish: Declined, Usage: counted}},
		{"refused", `{"choices": [{"finish_reason": "stop", "message": {"content": null, "refusal": "no"}}], ` + usage + `}`,
			Reply{Finish: Declined, Usage: counted}},
		{"nobody counts", `{"choices": [{"finish_reason": "stop", "message": {"content": "12345678"}}]}`,
			Reply{Text: "12345678", Finish: Finished, Usage: Usage{Input: 2, Output: 2, Estimated: true}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ask(t, &answers{script: []answer{{status: 200, body: tc.body}}}, Endpoint{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAnthropic(t *testing.T) {
	half := 0.5
	a := &answers{script: []answer{{status: 200, body: `{"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"},
		{"type": "text", "text": "b"}], "stop_reason": "end_turn",
		"usage": {"input_tokens": 3, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 1, "output_tokens": 4}}`}}}
	var headers http.Header
	c, err := NewAnthropic(Endpoint{Key: "k", Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		headers = r.Header
		if r.URL.String() != "https://api.anthropic.com/v1/messages" {
			t.Errorf("asked %s", r.URL)
		}
		return a.RoundTrip(r)
	})})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Complete(t.Context(), Request{
		Settings: Settings{Model: "m", MaxTokens: 3000, Temperature: &half, Thinking: "2000"},
		System:   "what", Messages: []Message{{User, "now"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Reply{Text: "ab", Reasoning: "hm", Finish: Finished, Usage: Usage{Input: 6, Output: 4}}, got); d != "" {
		t.Error(d)
	}
	if headers.Get("X-Api-Key") != "k" || headers.Get("Anthropic-Version") != "2023-06-01" {
		t.Errorf("headers %v", headers)
	}
	want := `{"model":"m","max_tokens":3000,"temperature":0.5,"system":"what","messages":[{"role":"user","content":"now"}],` +
		`"thinking":{"type":"enabled","budget_tokens":2000}}`
	if a.bodies[0] != want {
		t.Errorf("sent %s\nwant %s", a.bodies[0], want)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAnthropicStops(t *testing.T) {
	for reason, want := range map[string]Finish{
		"end_turn": Finished, "stop_sequence": Finished, "max_tokens": Truncated, "model_context_window_exceeded": Truncated, "refusal": Declined,
	} {
		r, err := readMessages([]byte(`{"content": [], "stop_reason": "` + reason + `"}`))
		if err != nil || r.Finish != want {
			t.Errorf("%s: %v, %v", reason, r.Finish, err)
		}
	}
	for _, bad := range []string{"", "{}", `{"content": "a", "stop_reason": "end_turn"}`} {
		if _, err := readMessages([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestCheckAnthropic(t *testing.T) {
	half := 0.5
	err := CheckAnthropic(Settings{Mode: VLLM, Thinking: "low", Temperature: &half})
	for _, want := range []string{"grammar_mode vllm", `thinking "low"`, "temperature 0.5"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := CheckAnthropic(Settings{Thinking: "2048"}); err != nil {
		t.Error(err)
	}
}
