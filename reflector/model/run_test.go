package model_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/reflector/model"
	"github.com/agentdescent/adrun/reflector/model/modeltest"
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

// serve starts a fake server that the test closes, if it has not been closed by then.
func serve(t testing.TB, answer func(modeltest.Asked) modeltest.Answer) *modeltest.Server {
	t.Helper()
	s := modeltest.Start(answer)
	t.Cleanup(s.Close)
	return s
}

// quick is an endpoint whose waits are too short to notice.
func quick(url string) model.Endpoint {
	return model.Endpoint{BaseURL: url, WaitMin: time.Microsecond, WaitMax: time.Millisecond, Timeout: 10 * time.Second, Retries: 2}
}

func client(t testing.TB, f *modeltest.Server) model.Completer {
	t.Helper()
	return patient(t, f, 10*time.Second)
}

// patient is a client that waits so long for an attempt.
func patient(t testing.TB, f *modeltest.Server, timeout time.Duration) model.Completer {
	t.Helper()
	e := quick(f.URL)
	e.Timeout = timeout
	c, err := model.NewOpenAI(e)
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
	f := serve(t, modeltest.Sample)
	res, log := run(t, client(t, f), func(c *engine.Config, _ *model.Proposer) { c.Budget.Rounds = 30 })
	before, after := res.HeldOut.Before.Value, res.HeldOut.After.Value
	t.Logf("%d requests, %d commits, held out %.3f → %.3f, refused %v", len(f.Bodies()), len(res.Log), before, after, res.Refused)
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
	f := serve(t, modeltest.Misbehave(good, "rule area { return width }", "rule area { return wdith ^ 2 }"))
	every := func(c *engine.Config, _ *model.Proposer) { c.Actor.Solved = 2 }
	_, recorded := run(t, model.Recorder{Dir: dir, Next: patient(t, f, 200*time.Millisecond)}, every)
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

const good = "rule area { return width * height }"

// A run survives every bad reply and says what became of each.
func TestRunSurvivesBadReplies(t *testing.T) {
	f := serve(t, modeltest.Misbehave(good, "rule area { return width }", "rule area { return wdith ^ 2 }"))
	res, log := run(t, patient(t, f, 200*time.Millisecond), func(c *engine.Config, _ *model.Proposer) {
		c.Budget.Rounds, c.Actor.Solved = 30, 2
	})
	if res.Stop != engine.StopRounds || len(res.History) != 30 {
		t.Errorf("stopped by %s after %d rounds", res.Stop, len(res.History))
	}
	for _, want := range []string{
		"503 Service Unavailable: down for good", // leases that are not measured
		`"note":"fake/1 repaired"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	tally := res.Sources[0]
	for _, cause := range []string{"used", "refused", "truncated", "unclosed", "empty", "declined"} {
		if tally.Replies[cause] == 0 {
			t.Errorf("no reply was %s: %v", cause, tally.Replies)
		}
	}
	if tally.Failed == 0 || tally.Failed != res.Unmeasured {
		t.Errorf("%d leases failed, %d were not measured", tally.Failed, res.Unmeasured)
	}
}

// spender is a model whose replies cost any number of tokens that they may, and may run or not.
type spender struct{}

func (spender) Complete(_ context.Context, r model.Request) (model.Reply, error) {
	bytes := len(r.System)
	for _, m := range r.Messages {
		bytes += len(m.Text)
	}
	rng := rand.New(rand.NewPCG(r.Sample, 7))
	reply := model.Reply{
		Text: "rule area { return wdith }", Finish: model.Finished,
		Usage: model.Usage{Input: 1 + rng.IntN(bytes/2), Output: rng.IntN(r.MaxTokens + 1)},
	}
	if rng.IntN(3) == 0 {
		reply.Text = "rule area { return width * width }"
	}
	return reply, nil
}

// No budget of tokens or money is passed, however the replies turn out, and not much of it is left.
func TestRunKeepsToItsBudget(t *testing.T) {
	price := model.Price{Input: 2, Output: 8}
	for seed := range uint64(2) {
		for _, lanes := range []int{1, 4} {
			var reserve engine.Reserve
			setup := func(b engine.Budget) func(*engine.Config, *model.Proposer) {
				return func(c *engine.Config, p *model.Proposer) {
					p.Price, p.MaxTokens = price, 500
					reserve.Lease, _ = p.Most(newArea(t).sig)
					c.Seed, c.Parallel.Lanes, c.Actor.Solved = seed, lanes, 2
					c.Budget = b
					c.Budget.Reserve, c.Budget.Money = reserve, true
				}
			}
			res, _ := run(t, spender{}, setup(engine.Budget{MaxTokens: 90_000}))
			if left := 90_000 - res.Spend.Tokens; res.Stop != engine.StopTokens || left < 0 || left > 2*lanes*reserve.Lease.Tokens {
				t.Errorf("seed %d, %d lanes: stopped by %s with %d tokens left of 90000, a lease may take %d", seed, lanes, res.Stop, left, reserve.Lease.Tokens)
			}
			res, _ = run(t, spender{}, setup(engine.Budget{MaxCost: 0.3}))
			if left := 0.3 - res.Spend.Cost; res.Stop != engine.StopCost || left < 0 || left > 2*float64(lanes)*reserve.Lease.Cost {
				t.Errorf("seed %d, %d lanes: stopped by %s with %g left", seed, lanes, res.Stop, left)
			}
		}
	}
}

// A budget that does not hold one round is no run.
func TestRunRefusesATinyBudget(t *testing.T) {
	_, err := engine.Run(t.Context(), engine.Config{
		Tasks: engine.Tasks{Problem: newArea(t)}, Actor: engine.Actor{Proposer: &model.Proposer{Completer: spender{}}},
		Budget: engine.Budget{MaxTokens: 100, Reserve: engine.Reserve{Lease: slots.Spend{Calls: 1, Tokens: 26}}},
	})
	if err == nil || !strings.Contains(err.Error(), "Budget.MaxTokens is 100; one round of 4 lanes may ask for 104") {
		t.Error(err)
	}
}

// memory carries requests to a function, so that time can be that of a test bubble.
type memory func(body string) (status int, header http.Header, answer string)

func (m memory) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	status, header, answer := m(string(body))
	return &http.Response{
		StatusCode: status, Header: header, Request: r, ProtoMajor: 1, ProtoMinor: 1, Body: io.NopCloser(strings.NewReader(answer)),
	}, nil
}

// A whole run waits as long as its server asks for, and no longer.
func TestRunHonoursRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		sent := map[string][]time.Time{}
		c, err := model.NewOpenAI(model.Endpoint{Transport: memory(func(body string) (int, http.Header, string) {
			mu.Lock()
			defer mu.Unlock()
			sent[body] = append(sent[body], time.Now())
			if len(sent[body]) == 1 {
				return http.StatusTooManyRequests, http.Header{"Retry-After": {"30"}}, `{"error": {"message": "slow down"}}`
			}
			return http.StatusOK, http.Header{}, `{"choices": [{"finish_reason": "stop", "message": {"content": "rule area { return width * height }"}}]}`
		})})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		res, _ := run(t, c, func(c *engine.Config, _ *model.Proposer) {
			c.Budget.Rounds, c.Actor.Solved, c.Parallel.Workers = 3, 2, 1
		})
		retried := 0
		for body, at := range sent {
			if len(at) < 2 || at[1].Sub(at[0]) != 30*time.Second {
				t.Errorf("asked at %v: %s", at, body)
			}
			retried++
		}
		if took := time.Since(start); retried < 3 || took != time.Duration(retried)*30*time.Second || res.Unmeasured != 0 {
			t.Errorf("%d requests were sent again in %v, %d leases were not measured", retried, took, res.Unmeasured)
		}
	})
}

// A run that was killed resumes on the recorded replies: none is paid for twice.
func TestResumePaysOnce(t *testing.T) {
	dir := t.TempDir()
	f := serve(t, modeltest.Sample)
	_, whole := run(t, model.Recorder{Dir: dir, Next: client(t, f)}, nil)
	asked := len(f.Bodies())
	_, again := run(t, model.Recorder{Dir: dir, Next: client(t, f)}, nil)
	if len(f.Bodies()) != asked || again != whole {
		t.Errorf("%d requests more", len(f.Bodies())-asked)
	}
}

// TestSlowServer cuts an attempt short and asks again.
func TestSlowServer(t *testing.T) {
	f := serve(t, func(a modeltest.Asked) modeltest.Answer {
		return modeltest.Answer{Text: good, Hang: a.Attempt == 1}
	})
	c := patient(t, f, 50*time.Millisecond)
	r, err := c.Complete(t.Context(), model.Request{Settings: model.Settings{Model: "fake"}})
	if err != nil || r.Text != good || len(f.Bodies()) < 2 {
		t.Errorf("%+v, %v", r, err)
	}
}
