// Package modeltest is a server of models on the loopback, for tests: it speaks OpenAI's chat completions and
// Anthropic's messages, and answers by a script, badly in every way there is, or with rules that the grammar of a
// request derives. It is for tests.
//
// An answer depends on the conversation and on how often it was sent, never on which request came first, so that
// runs against a server can be compared.
package modeltest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/agentdescent/adrun/grammar/grammartest"
)

// Asked is what a server sees of a request.
type Asked struct {
	Model    string
	Messages []Message
	// Grammar is what the reply is to be held to, in whichever field; Lark says in which format.
	Grammar string
	Lark    bool
	// N is a hash of what was said, without what describes the value; Attempt counts how often it was sent, from 1.
	N       uint64
	Attempt int
}

// Message is a turn of the conversation.
type Message struct{ Role, Content string }

// Answer is what a server says.
type Answer struct {
	Text   string
	Finish string // "" is stop
	// Status other than 0 is an error of the server's; Header goes with either.
	Status int
	Header map[string]string
	// Raw is sent instead of an answer that is well formed.
	Raw string
	// Hang answers nothing until the client gives up.
	Hang bool
	// In and Out count tokens; 0 is 100 and 20.
	In, Out int
}

// Server is a running server. URL is its base address for either provider.
type Server struct {
	URL string

	server *httptest.Server
	answer func(Asked) Answer
	closed chan struct{}
	once   sync.Once

	mu     sync.Mutex
	bodies []string
	keys   map[string]bool
	sent   map[string]int
}

// Start starts a server; Close ends it.
func Start(answer func(Asked) Answer) *Server {
	s := &Server{answer: answer, closed: make(chan struct{}), keys: map[string]bool{}, sent: map[string]int{}}
	s.server = httptest.NewServer(http.HandlerFunc(s.handle))
	s.URL = s.server.URL
	return s
}

// Close ends the server: from then on every connection is refused. It may be called again.
func (s *Server) Close() {
	s.once.Do(func() {
		close(s.closed)
		s.server.CloseClientConnections()
		s.server.Close()
	})
}

// Bodies are the requests so far, as they came over the wire, sorted.
func (s *Server) Bodies() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.bodies))
}

// SawKey reports whether every request carried the key, and there was one.
func (s *Server) SawKey(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.keys) == 1 && s.keys[key]
}

// body is a request of either provider.
type body struct {
	Model      string
	System     string
	Messages   []Message
	EBNF       string
	Grammar    string
	Structured struct{ Grammar string } `json:"structured_outputs"`
	Tools      []struct {
		Custom struct {
			Format struct {
				Grammar struct{ Definition string }
			}
		}
	}
}

func (b body) grammar() (text string, lark bool) {
	if len(b.Tools) > 0 {
		return b.Tools[0].Custom.Format.Grammar.Definition, true
	}
	return b.EBNF + b.Grammar + b.Structured.Grammar, false
}

// said is the conversation without what describes the value.
func (b body) said() string {
	var text strings.Builder
	for _, m := range b.Messages {
		if m.Role != "system" {
			text.WriteString(m.Role + ": " + m.Content + "\n")
		}
	}
	return text.String()
}

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var b body
	if err == nil {
		err = json.Unmarshal(raw, &b)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	key := r.Header.Get("X-Api-Key")
	if key == "" {
		key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	asked := Asked{Model: b.Model, Messages: b.Messages, N: Hash(b.said())}
	asked.Grammar, asked.Lark = b.grammar()
	s.mu.Lock()
	s.bodies = append(s.bodies, string(raw))
	s.keys[key] = true
	s.sent[string(raw)]++
	asked.Attempt = s.sent[string(raw)]
	s.mu.Unlock()
	s.reply(w, r, asked, s.answer(asked))
}

// Hash is a hash of a text.
func Hash(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, asked Asked, a Answer) {
	if a.Hang {
		select {
		case <-r.Context().Done():
		case <-s.closed:
		}
		return
	}
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	switch {
	case a.Status != 0:
		http.Error(w, a.Text, a.Status)
		return
	case a.Raw != "":
		_, _ = io.WriteString(w, a.Raw)
		return
	}
	if a.In+a.Out == 0 {
		a.In, a.Out = 100, 20
	}
	var out any
	if strings.HasSuffix(r.URL.Path, "/messages") {
		stop := map[string]string{"": "end_turn", "stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}[a.Finish]
		out = map[string]any{
			"content": []any{map[string]any{"type": "text", "text": a.Text}}, "stop_reason": stop,
			"usage": map[string]int{"input_tokens": a.In, "output_tokens": a.Out},
		}
	} else {
		if a.Finish == "" {
			a.Finish = "stop"
		}
		message := map[string]any{"content": a.Text}
		if asked.Lark {
			call := map[string]any{"type": "custom", "custom": map[string]any{"name": "propose_rule", "input": a.Text}}
			message = map[string]any{"content": nil, "tool_calls": []any{call}}
		}
		out = map[string]any{
			"choices": []any{map[string]any{"finish_reason": a.Finish, "message": message}},
			"usage":   map[string]int{"prompt_tokens": a.In, "completion_tokens": a.Out},
		}
	}
	_ = json.NewEncoder(w).Encode(out)
}

// Always says one text.
func Always(text string) func(Asked) Answer {
	return func(Asked) Answer { return Answer{Text: text} }
}

// Sample answers with rules that the grammar of a request derives, as a model does that is held to it.
func Sample(a Asked) Answer {
	read := grammartest.ReadGBNF
	if a.Lark {
		read = grammartest.ReadLark
	}
	g, err := read(a.Grammar)
	if err != nil {
		return Answer{Status: http.StatusBadRequest, Text: fmt.Sprintf("the grammar of the request: %v", err)}
	}
	return Answer{Text: g.Derive(rand.New(rand.NewPCG(a.N, 1)), 14)}
}

// Misbehave does everything that a server and a model may do wrong, and sometimes says one of the good values.
func Misbehave(good ...string) func(Asked) Answer {
	soon := map[string]string{"Retry-After-Ms": "2"}
	return func(a Asked) Answer {
		value := good[a.N/16%uint64(len(good))]
		first := a.Attempt == 1
		switch a.N % 16 {
		case 1:
			return Answer{Text: "Sure! Here it is:\n```rule\n" + value + "\n```\nEnjoy."}
		case 2:
			return Answer{Text: value[:len(value)/2], Finish: "length"}
		case 3:
			return Answer{Text: "```\n" + value}
		case 4:
			return Answer{Text: "  \n"}
		case 5:
			if first {
				return Answer{Status: http.StatusTooManyRequests, Text: `{"error": {"message": "slow down"}}`, Header: map[string]string{"Retry-After-Ms": "20"}}
			}
		case 6:
			if first {
				return Answer{Status: http.StatusInternalServerError, Text: "oops", Header: soon}
			}
		case 7:
			if first {
				return Answer{Raw: `{"choices": [{"mess`, Header: soon}
			}
		case 8:
			return Answer{Text: "rule priority { retrun wdith ^ 2 if height else lenght }"}
		case 9:
			return Answer{Text: "\x00\u202e{{{{((((", Finish: "content_filter"}
		case 10:
			if first && a.N/16%4 == 0 { // seldom, as it takes time
				return Answer{Hang: true}
			}
		case 11:
			return Answer{Status: http.StatusServiceUnavailable, Text: "down for good", Header: soon}
		case 12:
			return Answer{Text: "<think>Is it this?\nrule x { return 1 }</think>\n" + value}
		case 13:
			return Answer{Text: "I would rather not change anything."}
		}
		return Answer{Text: value}
	}
}
