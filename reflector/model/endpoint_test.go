package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// answers is a transport that gives one scripted answer after the other, the last again and again. Nothing
// leaves the process, so that time can be that of a test bubble.
type answers struct {
	script []answer
	bodies []string
	times  []time.Time
}

type answer struct {
	status int
	body   string
	header http.Header
	err    error
	slow   time.Duration
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	a.times = append(a.times, time.Now())
	a.bodies = append(a.bodies, string(body))
	x := a.script[min(len(a.times), len(a.script))-1]
	if x.slow > 0 {
		select {
		case <-time.After(x.slow):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	if x.err != nil {
		return nil, x.err
	}
	h := x.header
	if h == nil {
		h = http.Header{}
	}
	return &http.Response{
		StatusCode: x.status, Header: h, Request: req, ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewBufferString(x.body)), ContentLength: int64(len(x.body)),
	}, nil
}

// chat is a chat completion that says text.
func chat(text string) answer {
	return answer{status: 200, body: fmt.Sprintf(`{"choices":[{"finish_reason":"stop","message":{"content":%q}}],`+
		`"usage":{"prompt_tokens":10,"completion_tokens":5}}`, text)}
}

func failed(status int, header ...string) answer {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return answer{status: status, header: h, body: `{"error":{"message":"not  now"}}`}
}

func ask(t *testing.T, a *answers, e Endpoint) (Reply, error) {
	t.Helper()
	e.Transport = a
	c, err := NewOpenAI(e)
	if err != nil {
		t.Fatal(err)
	}
	return c.Complete(t.Context(), Request{Settings: Settings{Model: "m", MaxTokens: 100}, Messages: []Message{{User, "hello"}}})
}

// TestRetries gives failures that may pass and a good answer, and reads off a clock that moves only while
// everybody waits how long each retry waited.
func TestRetries(t *testing.T) {
	broken := errors.New("connection reset by peer")
	for _, tc := range []struct {
		name   string
		script []answer
		waits  []time.Duration
	}{
		{"at once", []answer{chat("ok")}, nil},
		{"server errors double the wait", []answer{failed(500), failed(502), failed(529), chat("ok")},
			[]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}},
		{"timeout and conflict", []answer{failed(408), failed(409), chat("ok")}, []time.Duration{500 * time.Millisecond, time.Second}},
		{"a connection breaks", []answer{{err: broken}, chat("ok")}, []time.Duration{500 * time.Millisecond}},
		{"Retry-After in seconds", []answer{failed(429, "Retry-After", "7"), chat("ok")}, []time.Duration{7 * time.Second}},
		{"Retry-After on a server error", []answer{failed(503, "Retry-After", "0.25"), chat("ok")}, []time.Duration{250 * time.Millisecond}},
		{"Retry-After-Ms comes first", []answer{failed(429, "Retry-After", "7", "Retry-After-Ms", "30"), chat("ok")}, []time.Duration{30 * time.Millisecond}},
		{"Retry-After has a limit", []answer{failed(429, "Retry-After", "86400"), chat("ok")}, []time.Duration{10 * time.Minute}},
		{"Retry-After beyond the longest wait", []answer{failed(429, "Retry-After", "90"), chat("ok")}, []time.Duration{90 * time.Second}},
		{"a bubble begins in 2000", []answer{failed(429, "Retry-After", "Sat, 01 Jan 2000 00:00:20 GMT"), chat("ok")}, []time.Duration{20 * time.Second}},
		{"garbled", []answer{{status: 200, body: `{"choi`}, {status: 200, body: `{}`}, chat("ok")}, []time.Duration{500 * time.Millisecond, time.Second}},
		{"slow", []answer{{status: 200, slow: time.Hour}, chat("ok")}, []time.Duration{DefaultTimeout + 500*time.Millisecond}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &answers{script: tc.script}
				reply, err := ask(t, a, Endpoint{})
				if err != nil || reply.Text != "ok" {
					t.Fatalf("%+v, %v", reply, err)
				}
				if len(a.times) != len(tc.waits)+1 {
					t.Fatalf("%d attempts, want %d", len(a.times), len(tc.waits)+1)
				}
				for i, want := range tc.waits {
					if got := a.times[i+1].Sub(a.times[i]); got != want {
						t.Errorf("wait %d was %v, want %v", i, got, want)
					}
					if a.bodies[i+1] != a.bodies[0] {
						t.Errorf("attempt %d sent %s", i+1, a.bodies[i+1])
					}
				}
			})
		})
	}
}

func TestFailuresThatStay(t *testing.T) {
	for _, tc := range []struct {
		answer   answer
		attempts int
		want     string
	}{
		{failed(400), 1, "POST https://api.openai.com/v1/chat/completions: 400 Bad Request: not now"},
		{failed(401), 1, "401 Unauthorized: not now"},
		{failed(404), 1, "404 Not Found: not now"},
		{failed(307, "Location", "http://elsewhere.example/"), 1, "307 Temporary Redirect: not now"},
		{answer{status: 401, body: `{"error":{"message":"wrong key: secret"}}`}, 1, "401 Unauthorized: wrong key: [key]"},
		{failed(500), 3, "500 Internal Server Error: not now"},
		{failed(429), 3, "429 Too Many Requests: not now"},
		{answer{status: 503, body: strings.Repeat("<p>", 1000)}, 3, "503 Service Unavailable: " + strings.Repeat("<p>", 100)},
		{answer{status: 200, body: "<html>"}, 3, "the answer is no chat completion: invalid character"},
		{answer{status: 200, body: `{"choices":[]}`}, 3, "the answer is no chat completion: it has no choices"},
		{answer{err: errors.New("no route to host")}, 3, "POST https://api.openai.com/v1/chat/completions: no route to host"},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := &answers{script: []answer{tc.answer}}
			_, err := ask(t, a, Endpoint{Retries: 2, Key: "secret"})
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v, want %s", err, tc.want)
			}
			if len(a.times) != tc.attempts {
				t.Errorf("%s: %d attempts, want %d", tc.want, len(a.times), tc.attempts)
			}
			var status *StatusError
			if tc.answer.status >= 400 && (!errors.As(err, &status) || status.Status != tc.answer.status) {
				t.Errorf("%v is no StatusError of %d", err, tc.answer.status)
			}
		})
	}
}

// A run that is being stopped waits for nobody.
func TestCancelEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a := &answers{script: []answer{failed(429, "Retry-After", "50")}}
		c, err := NewOpenAI(Endpoint{Transport: a})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		go func() {
			time.Sleep(time.Second)
			cancel()
		}()
		_, err = c.Complete(ctx, Request{Settings: Settings{Model: "m"}})
		if !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestRates(t *testing.T) {
	for _, tc := range []struct {
		e    Endpoint
		want time.Duration
	}{
		{Endpoint{}, 0},
		{Endpoint{RequestsPerMinute: 60}, 3 * time.Second},
		// hello is 2 tokens and the answer at most 100: a request is a minute's worth, and the first is free.
		{Endpoint{TokensPerMinute: 102}, 3 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := &answers{script: []answer{chat("ok")}}
			tc.e.Transport = a
			c, err := NewOpenAI(tc.e)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			for range 4 {
				if _, err := c.Complete(t.Context(), Request{Settings: Settings{MaxTokens: 100}, Messages: []Message{{User, "hello"}}}); err != nil {
					t.Fatal(err)
				}
			}
			if got := time.Since(start).Round(time.Millisecond); got != tc.want {
				t.Errorf("%+v: 4 requests took %v, want %v", tc.e, got, tc.want)
			}
		})
	}
}

// A retry is a request too: it waits for its turn, whatever its own wait is.
func TestRetriesKeepToTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{script: []answer{failed(500), failed(429, "Retry-After-Ms", "10"), chat("ok")}}
		if _, err := ask(t, a, Endpoint{RequestsPerMinute: 6}); err != nil {
			t.Fatal(err)
		}
		for i, at := range a.times[1:] {
			if wait := at.Sub(a.times[i]).Round(time.Millisecond); wait != 10*time.Second {
				t.Errorf("attempt %d came after %v", i+2, wait)
			}
		}
	})
}

func TestEndpointValidate(t *testing.T) {
	err := Endpoint{BaseURL: "localhost:8000", Timeout: -1, RequestsPerMinute: -1}.Validate()
	for _, want := range []string{`base_url "localhost:8000"`, "timeouts and waits", "rates"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := (Endpoint{BaseURL: "http://127.0.0.1:8000/v1"}).Validate(); err != nil {
		t.Error(err)
	}
}
