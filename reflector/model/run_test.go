package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/grammar/grammartest"
	"github.com/agentdescent/adrun/reflector/model"
	"github.com/agentdescent/adrun/slots"
)

// area is a problem that a rule can get better at: the area of a rectangle, from a rule that knows no side.
type area struct{ sig *dsl.Signature }

const areaSignature = "signature area(width: num in [0, 1], height: num in [0, 1]) -> num\n"

func newArea(t testing.TB) area {
	t.Helper()
	f, err := dsl.Parse("area", areaSignature)
	if err != nil {
		t.Fatal(err)
	}
	return area{f.Decls[0].(*dsl.Signature)}
}

func (a area) Describe() engine.Description {
	d := engine.Description{Name: "area", Fingerprint: "1", Signature: a.sig, Initial: "rule area { return 1 }\n"}
	for i := range 40 {
		d.Tasks = append(d.Tasks, slots.Task{ID: fmt.Sprint(i)})
	}
	return d
}

func (a area) Evaluate(_ context.Context, c *slots.Candidate, task slots.Task, _ uint64) (engine.Outcome, error) {
	rng := rand.New(rand.NewPCG(uint64(len(task.ID)), hash(task.ID)))
	w, h := rng.Float64(), rng.Float64()
	off := math.Abs(c.Program.Num([]float64{w, h}) - w*h)
	return engine.Outcome{Reward: math.Max(0, 1-off), Feedback: fmt.Sprintf("task %s is off by %.3f", task.ID, off)}, nil
}

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s)
	return h.Sum64()
}

// fake is a server on the loopback. Its answer depends on the request alone, never on which came first.
type fake struct {
	*httptest.Server
	mu    sync.Mutex
	asked int
}

// asking is what a fake sees of a request.
type asking struct {
	Model    string
	Grammar  string
	Messages []struct{ Role, Content string }
	n        uint64 // of the conversation, without what describes the value
}

func serve(t testing.TB, answer func(w http.ResponseWriter, a asking)) *fake {
	t.Helper()
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var a asking
		if err == nil {
			err = json.Unmarshal(body, &a)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		said := ""
		for _, m := range a.Messages {
			if m.Role != "system" {
				said += m.Content
			}
		}
		a.n = hash(said)
		f.mu.Lock()
		f.asked++
		f.mu.Unlock()
		answer(w, a)
	}))
	t.Cleanup(f.Close)
	return f
}

// say writes a chat completion of 100 and 20 tokens.
func say(w http.ResponseWriter, text, finish string) {
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"finish_reason": finish, "message": map[string]any{"content": text}}},
		"usage":   map[string]int{"prompt_tokens": 100, "completion_tokens": 20},
	})
}

// sampler writes rules that the grammar of the request derives, as a model does that is held to it.
func sampler(t testing.TB) *fake {
	return serve(t, func(w http.ResponseWriter, a asking) {
		g, err := grammartest.ReadGBNF(a.Grammar)
		if err != nil {
			t.Errorf("the grammar of a request: %v", err)
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		say(w, g.Derive(rand.New(rand.NewPCG(a.n, 1)), 18), "stop")
	})
}

// quick is an endpoint whose waits are too short to notice.
func quick(url string) model.Endpoint {
	return model.Endpoint{BaseURL: url, WaitMin: time.Microsecond, WaitMax: time.Millisecond, Timeout: 10 * time.Second, Retries: 2}
}

func client(t testing.TB, f *fake) model.Completer {
	t.Helper()
	c, err := model.NewOpenAI(quick(f.URL))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// run evolves on the area with a model, and returns the result and the canonical log.
func run(t testing.TB, c model.Completer, change func(*engine.Config, *model.Proposer)) (*engine.Result, string) {
	t.Helper()
	problem := newArea(t)
	g, err := gate.New(gate.Config{Signature: problem.sig})
	if err != nil {
		t.Fatal(err)
	}
	p := &model.Proposer{Completer: c, Settings: model.Settings{Model: "fake", Mode: model.LlamaCpp}, Gate: g}
	store := engine.NewMemory()
	cfg := engine.Config{
		Seed: 3, Tasks: engine.Tasks{Problem: problem}, Actor: engine.Actor{Proposer: p},
		Artifacts: []engine.ArtifactConfig{{Strategy: engine.NewRules(engine.Gated(g))}},
		Budget:    engine.Budget{Rounds: 8}, Ledger: engine.LedgerConfig{Store: store},
	}
	cfg.Policies.Acceptance = &slots.PairedAcceptance{}
	if change != nil {
		change(&cfg, p)
	}
	res, err := engine.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := store.Begin(t.Context(), engine.Header{RunID: "run", Problem: "area", Fingerprint: "1", Seed: cfg.Seed})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	for _, e := range stored.Entries {
		fmt.Fprintf(&log, "%d %s %s\n", e.Seq, e.Kind, e.Data)
	}
	return res, log.String()
}

// TestRunWithAGrammar runs the whole path without a key: a server that samples from the grammar it is sent.
func TestRunWithAGrammar(t *testing.T) {
	f := sampler(t)
	res, log := run(t, client(t, f), func(c *engine.Config, _ *model.Proposer) { c.Budget.Rounds = 30 })
	before, after := res.HeldOut.Before.Value, res.HeldOut.After.Value
	t.Logf("%d requests, %d commits, held out %.3f → %.3f, refused %v", f.asked, len(res.Log), before, after, res.Refused)
	if len(res.Log) == 0 || after <= before {
		t.Errorf("nothing was found: %s", res.Rendered)
	}
	if !strings.Contains(log, `"note":"fake"`) {
		t.Error("no lease names the model")
	}
}

// TestReplayIsByteIdentical records a run, shuts the server, and replays it.
func TestReplayIsByteIdentical(t *testing.T) {
	dir := t.TempDir()
	f := misbehaving(t)
	every := func(c *engine.Config, _ *model.Proposer) { c.Actor.Solved = 2 }
	_, recorded := run(t, model.Recorder{Dir: dir, Next: client(t, f)}, every)
	f.Close()
	_, replayed := run(t, model.Replayer{Dir: dir}, func(c *engine.Config, p *model.Proposer) {
		every(c, p)
		c.Parallel.Workers = 1
	})
	if recorded != replayed {
		t.Errorf("recorded\n%s\nreplayed\n%s", recorded, replayed)
	}
	_, other := run(t, model.Replayer{Dir: dir}, func(c *engine.Config, _ *model.Proposer) { c.Seed = 4 })
	if !strings.Contains(other, "no reply was recorded") {
		t.Error("a run of another seed finds its replies")
	}
}

// misbehaving does everything that a server and a model may do wrong.
func misbehaving(t testing.TB) *fake {
	return serve(t, func(w http.ResponseWriter, a asking) {
		const good = "rule area { return width * height }"
		switch a.n % 11 {
		case 0:
			say(w, good, "stop")
		case 1:
			say(w, "Sure! Here it is:\n```rule\n"+good+"\n```\nEnjoy.", "stop")
		case 2:
			say(w, "rule area { return width * ", "length")
		case 3:
			say(w, "```\n"+good, "stop")
		case 4:
			say(w, "", "stop")
		case 5:
			w.Header().Set("Retry-After-Ms", "1")
			http.Error(w, `{"error": {"message": "slow down"}}`, http.StatusTooManyRequests)
		case 6:
			http.Error(w, "oops", http.StatusInternalServerError)
		case 7:
			_, _ = io.WriteString(w, `{"choices": [{"mess`)
		case 8:
			say(w, "rule area { return wdith ^ 2 if height else lenght }", "stop")
		case 9:
			say(w, "\x00\u202e{{{{((((", "content_filter")
		default:
			say(w, "rule area { retrun width }", "stop")
		}
	})
}

// A run survives every bad reply and says what became of each.
func TestRunSurvivesBadReplies(t *testing.T) {
	f := misbehaving(t)
	res, log := run(t, client(t, f), func(c *engine.Config, _ *model.Proposer) {
		c.Budget.Rounds, c.Actor.Solved = 30, 2
	})
	if res.Stop != engine.StopRounds || len(res.History) != 30 {
		t.Errorf("stopped by %s after %d rounds", res.Stop, len(res.History))
	}
	for _, want := range []string{
		"429 Too Many Requests: slow down", "500 Internal Server Error: oops", "the answer is no chat completion", // unmeasured leases
		`"note":"fake/1 repaired"`, `"note":"fake/refused"`, `"refused":{"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %s", want)
		}
	}
}

// A run stops before the round that its budget of tokens does not hold.
func TestRunStopsAtItsTokens(t *testing.T) {
	f := serve(t, func(w http.ResponseWriter, a asking) { say(w, "rule area { return width * width }", "stop") })
	// A lease costs 120 tokens, a round of four lanes 480.
	res, _ := run(t, client(t, f), func(c *engine.Config, _ *model.Proposer) { c.Budget = engine.Budget{MaxTokens: 2000} })
	if res.Stop != engine.StopTokens || res.Spend.Tokens != 1920 || f.asked != 16 {
		t.Errorf("stopped by %s with %d tokens after %d requests", res.Stop, res.Spend.Tokens, f.asked)
	}
}

// A run that was killed resumes on the recorded replies: none is paid for twice.
func TestResumePaysOnce(t *testing.T) {
	dir := t.TempDir()
	f := sampler(t)
	_, whole := run(t, model.Recorder{Dir: dir, Next: client(t, f)}, nil)
	asked := f.asked
	_, again := run(t, model.Recorder{Dir: dir, Next: client(t, f)}, nil)
	if f.asked != asked || again != whole {
		t.Errorf("%d requests more", f.asked-asked)
	}
}

// TestSlowServer cuts an attempt short and asks again.
func TestSlowServer(t *testing.T) {
	var mu sync.Mutex
	seen := map[uint64]int{}
	release := make(chan struct{})
	f := serve(t, func(w http.ResponseWriter, a asking) {
		mu.Lock()
		seen[a.n]++
		first := seen[a.n] == 1
		mu.Unlock()
		if first {
			<-release
			return
		}
		say(w, "rule area { return width * height }", "stop")
	})
	defer close(release)
	e := quick(f.URL)
	e.Timeout = 50 * time.Millisecond
	c, err := model.NewOpenAI(e)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Complete(t.Context(), model.Request{Settings: model.Settings{Model: "fake"}})
	if err != nil || r.Text != "rule area { return width * height }" {
		t.Errorf("%+v, %v", r, err)
	}
}
