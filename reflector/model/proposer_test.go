package model

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/grammar"
	"github.com/agentdescent/adrun/slots"
)

var update = flag.Bool("update", false, "rewrite golden files")

const signatureText = `signature demo.score(
  gap: num in [0, 1], # how much is missing
  tries: int in [0, 100], # how often it was tried
) -> num {
  assume gap <= tries
  ensure increasing(gap)
}
`

func demo(t testing.TB) *dsl.Signature {
	t.Helper()
	f, err := dsl.Parse("demo", signatureText)
	if err != nil {
		t.Fatal(err)
	}
	return f.Decls[0].(*dsl.Signature)
}

func lease(t testing.TB) *slots.ProposalContext {
	return &slots.ProposalContext{
		Artifact:  slots.Artifact{ID: "demo", State: slots.State{slots.RuleKey: "rule score { return gap }\n"}},
		Signature: demo(t), Seed: 7,
		Outcome: slots.Outcome{Reward: 0.25, Feedback: "too low", Metrics: map[string]float64{"b": 2, "a": 1}},
	}
}

// script answers with one reply after the other and keeps the requests.
type script struct {
	replies  []Reply
	requests []Request
}

func (s *script) Complete(_ context.Context, r Request) (Reply, error) {
	r.Messages = slices.Clone(r.Messages)
	s.requests = append(s.requests, r)
	if len(s.requests) > len(s.replies) {
		return Reply{}, errors.New("the server is down")
	}
	return s.replies[len(s.requests)-1], nil
}

func texts(all ...string) *script {
	s := &script{}
	for _, text := range all {
		s.replies = append(s.replies, Reply{Text: text, Finish: Finished, Usage: Usage{Input: 100, Output: 10}})
	}
	return s
}

func proposer(t testing.TB, c Completer) *Proposer {
	t.Helper()
	g, err := gate.New(gate.Config{Signature: demo(t)})
	if err != nil {
		t.Fatal(err)
	}
	return &Proposer{Completer: c, Settings: Settings{Model: "m"}, Gate: g, Price: Price{Input: 10_000, Output: 100_000}}
}

// TestPrompt is the whole prompt, for people to read: what the value is, the value, what came of it, the reward.
func TestPrompt(t *testing.T) {
	s := texts("rule score { return gap * 2 }")
	p := proposer(t, s)
	p.Constraints = []string{"ops <= 40"}
	if _, err := p.Propose(t.Context(), lease(t)); err != nil {
		t.Fatal(err)
	}
	r := s.requests[0]
	got := r.System + "\n--- user ---\n\n" + r.Messages[0].Text
	path := filepath.Join("testdata", "prompt.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
	if len(r.Messages) != 1 || r.MaxTokens != DefaultMaxTokens || r.Grammar != "" {
		t.Errorf("the request is %+v", r)
	}
}

// An outcome is cut to 2,000 characters, not bytes, and never within one.
func TestOutcomeIsCut(t *testing.T) {
	pc := lease(t)
	pc.Outcome.Feedback = strings.Repeat("größer", 1000)
	text, err := evidence(pc)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(text, "Outcome: ")
	outcome, _, _ := strings.Cut(rest, "\n")
	if n := utf8.RuneCountInString(outcome); n != 2000 || !utf8.ValidString(outcome) {
		t.Errorf("the outcome has %d characters", n)
	}
}

// An output that is JSON is shown as such.
func TestOutputIsJSON(t *testing.T) {
	for output, want := range map[string]string{
		`{"curve": [0.5]}`: `"output":{"curve":[0.5]}`, `{"curve": [0.`: `"output":"{\"curve\": [0."`, "": `{"reward":0.25`,
	} {
		pc := lease(t)
		pc.Outcome.Output = output
		if text, err := evidence(pc); err != nil || !strings.Contains(text, want) {
			t.Errorf("%q: %s %v", output, text, err)
		}
	}
}

func TestProposals(t *testing.T) {
	const fine = "rule score { return gap * 2 }"
	truncated := Reply{Text: fine, Finish: Truncated, Usage: Usage{Input: 100, Output: 10}}
	for _, tc := range []struct {
		name    string
		replies []Reply
		want    string // the value
		note    string
	}{
		{"fine", texts(fine).replies, fine, "m"},
		{"fenced", texts("```\n" + fine + "\n```").replies, fine, "m"},
		{"a machine fixes it", texts("rule score {\n  x = gap\n  return x\n}").replies, "rule score {\n  let x = gap\n  return x\n}", "m"},
		{"repaired", texts("rule score { return gp }", fine).replies, fine, "m/1 repaired"},
		{"repaired twice", texts("rule score { return gp }", "no rule", fine).replies, fine, "m/2 repaired"},
		{"refused three times", texts("rule score { return gp }", "rule score { return g }", "rule score { return -gap }").replies, "rule score { return -gap }", "m/refused"},
		{"truncated, then fine", []Reply{truncated, texts(fine).replies[0]}, fine, "m/1 repaired"},
		{"truncated three times", []Reply{truncated, truncated, truncated}, "", "m/the reply was cut off: it reached the limit of tokens"},
		{"empty three times", texts("", " ", "```\n```").replies, "", "m/the reply was empty"},
		{"down during a repair", texts("rule score { return gp }").replies, "", "m/no reply to repair 1: the server is down"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &script{replies: tc.replies}
			p, err := proposer(t, s).Propose(t.Context(), lease(t))
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(p.Text) != tc.want || p.Note != tc.note {
				t.Errorf("%q, %q", p.Text, p.Note)
			}
			n := len(tc.replies)
			// 100 tokens at 0.01 and 10 at 0.1 are 2 units.
			if want := (slots.Spend{Calls: n, Tokens: 110 * n, Cost: 2 * float64(n)}); p.Spend != want {
				t.Errorf("spent %+v, want %+v", p.Spend, want)
			}
			if p.Empty() != (tc.want == "") {
				t.Errorf("empty is %t", p.Empty())
			}
		})
	}
}

// A repair shows the prompt, the last reply and its diagnostics, and nothing of earlier ones.
func TestRepairs(t *testing.T) {
	s := texts("rule score { return gp }", "rule score { return tris }", "")
	if _, err := proposer(t, s).Propose(t.Context(), lease(t)); err != nil {
		t.Fatal(err)
	}
	if len(s.requests) != 3 {
		t.Fatalf("asked %d times", len(s.requests))
	}
	seen := map[uint64]bool{}
	for i, r := range s.requests {
		if seen[r.Sample] {
			t.Errorf("request %d repeats a sample", i)
		}
		seen[r.Sample] = true
	}
	last := s.requests[2].Messages
	if len(last) != 3 || last[0] != s.requests[0].Messages[0] || last[1].Text != "rule score { return tris }\n" || last[1].Role != Assistant {
		t.Fatalf("%+v", last)
	}
	for _, want := range []string{`reply:1:21`, `candidate:1:21: undefined name "tris" [undefined-name]`, `did you mean "tries"?`} {
		if strings.Contains(last[2].Text, want) == strings.HasPrefix(want, "reply") {
			t.Errorf("%q in\n%s", want, last[2].Text)
		}
	}
}

// A reply beyond all limits goes back in part, with few words about it.
func TestHugeReply(t *testing.T) {
	s := texts("rule score { return "+strings.Repeat("gap + ", 1<<20)+"}", "rule score { return gap }")
	p, err := proposer(t, s).Propose(t.Context(), lease(t))
	if err != nil || p.Text != "rule score { return gap }\n" {
		t.Fatalf("%v, %v", p.Note, err)
	}
	if n := s.requests[1].bytes(); n > 40_000 {
		t.Errorf("the repair sends %d bytes", n)
	}
}

// Without a gate the language is checked and the run's gate decides later. -gap breaks the contract, which only
// a gate finds out.
func TestWithoutAGate(t *testing.T) {
	s := texts("rule score { return gp }", "rule score { return -gap }")
	p := proposer(t, s)
	p.Gate = nil
	got, err := p.Propose(t.Context(), lease(t))
	if err != nil || got.Text != "rule score { return -gap }\n" || len(s.requests) != 2 {
		t.Errorf("%+v, %v after %d requests", got, err, len(s.requests))
	}
}

// The first failure is the engine's to retry.
func TestServerIsDown(t *testing.T) {
	if p, err := proposer(t, texts()).Propose(t.Context(), lease(t)); err == nil || p != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestNoRepairs(t *testing.T) {
	s := texts("rule score { return gp }", "never asked for")
	p := proposer(t, s)
	p.Repairs = -1
	if got, err := p.Propose(t.Context(), lease(t)); err != nil || got.Note != "m/refused" || len(s.requests) != 1 {
		t.Errorf("%+v, %v after %d requests", got, err, len(s.requests))
	}
}

// tried is a trial that admits what does not name gp, and rewards by the length of the text.
type tried struct {
	left     int
	admitted int
}

func (t *tried) Tasks() []slots.Task                      { return make([]slots.Task, 4) }
func (t *tried) Left() int                                { return t.left }
func (t *tried) Admit(*dsl.Rule) (*slots.Candidate, bool) { return nil, false }
func (t *tried) AdmitText(text string) (*slots.Candidate, bool) {
	t.admitted++
	if strings.Contains(text, "gp") {
		return nil, false
	}
	return &slots.Candidate{Text: text, Identity: "id"}, true
}

func (t *tried) Try(_ context.Context, c *slots.Candidate, tasks []int) ([]float64, error) {
	if len(tasks) > t.left {
		return nil, slots.ErrTrialsSpent
	}
	t.left -= len(tasks)
	return []float64{0, 0.5, 0.5, 1}, nil
}

// With a trial the run's own gate decides, and what it admits is measured for the population.
func TestTrials(t *testing.T) {
	for left, elites := range map[int]int{0: 0, 3: 0, 4: 1, 9: 1} {
		trial := &tried{left: left}
		pc := lease(t)
		pc.Trial = trial
		p, err := proposer(t, texts("rule score { return gp }", "rule score { return gap }")).Propose(t.Context(), pc)
		if err != nil || p.Text != "rule score { return gap }\n" || trial.admitted != 2 || len(p.Elites) != elites {
			t.Fatalf("%+v, %v", p, err)
		}
		if elites > 0 {
			want := slots.Elite{Text: p.Text, Identity: "id", Score: 0.5, N: 4}
			if d := cmp.Diff(want, p.Elites[0]); d != "" || trial.left != left-4 {
				t.Errorf("%s, %d left", d, trial.left)
			}
		}
	}
	pc := lease(t)
	pc.Trial = &tried{}
	p, err := proposer(t, texts("gp", "gp", "gp")).Propose(t.Context(), pc)
	if err != nil || !p.Empty() || p.Note != "m/refused" {
		t.Errorf("%+v, %v", p, err) // each refusal is counted by the trial already
	}
}

// The grammar is that of the mode, narrowed to the signature and the functions.
func TestGrammarOfTheMode(t *testing.T) {
	g := grammar.New(demo(t), grammar.Options{Functions: []string{"sqrt"}})
	for mode, want := range map[GrammarMode]string{
		"": "", FreeText: "", OpenAILark: g.Lark(), VLLM: g.GBNF(), SGLang: g.GBNF(), LlamaCpp: g.GBNF(),
	} {
		s := texts("rule score { return gap }")
		p := proposer(t, s)
		p.Mode, p.Functions = mode, []string{"sqrt"}
		if _, err := p.Propose(t.Context(), lease(t)); err != nil {
			t.Fatal(err)
		}
		if s.requests[0].Grammar != want {
			t.Errorf("%s sends\n%s", mode, s.requests[0].Grammar)
		}
	}
}

// A text has no grammar and no checker of ours: what comes is proposed.
func TestTextArtifacts(t *testing.T) {
	s := texts("Answer briefly.")
	p := &Proposer{Completer: s, Settings: Settings{Model: "m", Mode: VLLM}}
	pc := &slots.ProposalContext{Artifact: slots.Artifact{State: slots.State{slots.RuleKey: "Answer."}}}
	got, err := p.Propose(t.Context(), pc)
	if err != nil || got.Text != "Answer briefly.\n" {
		t.Errorf("%+v, %v", got, err)
	}
	if r := s.requests[0]; r.Grammar != "" || !strings.Contains(r.Messages[0].Text, "Current value:\n\nAnswer.\n\n") {
		t.Errorf("%+v", r)
	}
}

func TestProposerValidate(t *testing.T) {
	hot := 3.0
	err := (&Proposer{Settings: Settings{Temperature: &hot, MaxTokens: -1, Mode: "xml"}}).Validate()
	for _, want := range []string{"model is missing", "temperature 3", "max_tokens -1", `grammar_mode "xml"`, "completes"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := proposer(t, texts()).Validate(); err != nil {
		t.Error(err)
	}
}

func ExampleProposer() {
	replay := Replayer{Dir: "replies"} // what a Recorder kept
	p := &Proposer{Completer: replay, Settings: Settings{Model: "some-model", Mode: LlamaCpp}}
	fmt.Println(p.Validate())
	// Output: <nil>
}

// A value that was paid for is proposed and its price counted when the tasks cannot be evaluated: the engine would
// ask again, and count nothing.
func TestTrialsThatFailKeepWhatWasPaid(t *testing.T) {
	pc := lease(t)
	pc.Trial = &brokenTrial{}
	s := texts("rule score { return gap * 2 }")
	p, err := proposer(t, s).Propose(t.Context(), pc)
	if err != nil {
		t.Fatal(err)
	}
	if p.Spend.Tokens != 110 || p.Text != "rule score { return gap * 2 }\n" || len(p.Elites) != 0 || !strings.Contains(p.Note, "the evaluator is down") {
		t.Errorf("%+v", p)
	}
}

// brokenTrial admits everything and evaluates nothing.
type brokenTrial struct{}

func (brokenTrial) Tasks() []slots.Task { return make([]slots.Task, 3) }
func (brokenTrial) Left() int           { return 10 }
func (brokenTrial) Admit(r *dsl.Rule) (*slots.Candidate, bool) {
	return &slots.Candidate{Rule: r}, true
}
func (brokenTrial) AdmitText(text string) (*slots.Candidate, bool) {
	return &slots.Candidate{Text: text}, true
}
func (brokenTrial) Try(context.Context, *slots.Candidate, []int) ([]float64, error) {
	return nil, errors.New("the evaluator is down")
}
