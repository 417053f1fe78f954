package model

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/slots"
)

// A request never asks for more than Most says, repairs included, whatever the value, the outcome and the replies are.
func TestMostBounds(t *testing.T) {
	sig := demo(t)
	rapid.Check(t, func(r *rapid.T) {
		value := "rule score { return gap }\n# " + strings.Repeat("x", rapid.IntRange(0, 4000).Draw(r, "value"))
		pc := &slots.ProposalContext{
			Signature: sig, Seed: 1,
			Artifact: slots.Artifact{State: slots.State{slots.RuleKey: value[:min(len(value), 4096)]}},
			Outcome: slots.Outcome{
				Feedback: strings.Repeat("ü", rapid.IntRange(0, 5000).Draw(r, "feedback")),
				Output:   strings.Repeat("o", rapid.IntRange(0, 5000).Draw(r, "output")),
			},
		}
		s := &script{}
		reply := rapid.SampledFrom([]string{"", "rule score { return gp }", "nonsense ^ here", strings.Repeat("a + ", 500)})
		for range 3 {
			s.replies = append(s.replies, Reply{Text: reply.Draw(r, "reply"), Finish: Finished, Usage: Usage{Input: 1}})
		}
		p := proposer(t, s)
		p.MaxTokens = 1000 // 2,000 bytes of reply
		p.Mode = rapid.SampledFrom(GrammarModes()).Draw(r, "mode")
		p.About = strings.Repeat("about ", rapid.IntRange(0, 100).Draw(r, "about"))
		if _, err := p.Propose(t.Context(), pc); err != nil {
			r.Fatal(err)
		}
		request, lease := p.Most(sig)
		sum := 0
		for i, asked := range s.requests {
			tokens := mostTokens(asked.bytes()) + p.MaxTokens
			sum += tokens
			if i == 0 && tokens > request.Tokens {
				r.Fatalf("the first request may take %d tokens, more than %d", tokens, request.Tokens)
			}
		}
		if sum > lease.Tokens || len(s.requests) > lease.Calls {
			r.Fatalf("%d requests may take %d tokens, more than %+v", len(s.requests), sum, lease)
		}
	})
}

// A grammar that stands in a tool is read by the model, and paid for.
func TestMostCountsTools(t *testing.T) {
	p := proposer(t, nil)
	free, _ := p.Most(demo(t))
	for mode, more := range map[GrammarMode]bool{OpenAILark: true, VLLM: false, SGLang: false, LlamaCpp: false} {
		p.Mode = mode
		if request, _ := p.Most(demo(t)); (request.Tokens >= free.Tokens+mostTokens(len(p.grammar(demo(t))))) != more || request.Tokens < free.Tokens {
			t.Errorf("%s: %d tokens, %d without a grammar", mode, request.Tokens, free.Tokens)
		}
	}
}

// A price makes a bound of money.
func TestMostCosts(t *testing.T) {
	p := proposer(t, nil)
	p.Price = Price{Input: 1e6, Output: 1e6}
	request, lease := p.Most(demo(t))
	if request.Cost != float64(request.Tokens) || lease.Cost != float64(lease.Tokens) || lease.Calls != 1+DefaultRepairs {
		t.Errorf("%+v, %+v", request, lease)
	}
	p.Repairs = -1
	if request, lease := p.Most(demo(t)); request != lease {
		t.Errorf("without repairs a lease is a request: %+v, %+v", request, lease)
	}
}

// A repair is asked for only within the lease's allowance.
func TestRepairsKeepToTheAllowance(t *testing.T) {
	for most, want := range map[int]int{1: 1, 4000: 1, 1 << 30: 3} {
		s := texts("rule score { return gp }", "rule score { return gp }", "rule score { return gp }")
		pc := lease(t)
		pc.Allowance = &slots.Spend{Rollouts: math.MaxInt, Calls: math.MaxInt, Tokens: most, Cost: math.Inf(1)}
		p, err := proposer(t, s).Propose(t.Context(), pc)
		if err != nil || len(s.requests) != want {
			t.Errorf("%d tokens: %d requests, %v", most, len(s.requests), err)
			continue
		}
		if p.Replies["refused"] != want || (p.Replies["budget"] == 1) != (want == 1) || p.Source != "m" {
			t.Errorf("%d tokens: %+v", most, p)
		}
	}
}

// Replies are counted by what became of them, and a failure names its source.
func TestReplyCounts(t *testing.T) {
	s := texts("", "rule score { return gp }", "rule score { return gap }")
	q := proposer(t, s)
	q.Name = "small"
	p, err := q.Propose(t.Context(), lease(t))
	if err != nil || p.Source != "small" || p.Replies["empty"] != 1 || p.Replies["refused"] != 1 || p.Replies["used"] != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	_, err = q.Propose(t.Context(), lease(t))
	var failed *slots.SourceError
	if !errors.As(err, &failed) || failed.Source != "small" {
		t.Errorf("%v", err)
	}
}

// TestMerger asks for the union of changes, and makes every failure an answer without a text.
func TestMerger(t *testing.T) {
	ask := slots.MergeRequest{Current: "rule score { return gap }\n", Proposals: []string{"rule score { return gap * 2 }\n", "rule score { return gap + 1 }\n"}}
	for _, tc := range []struct {
		name  string
		reply Reply
		text  string
		cause string
	}{
		{"fenced", Reply{Text: "```\nrule score {return gap*2+1}\n```", Finish: Finished}, "rule score { return gap * 2 + 1 }\n", ""},
		{"no rule", Reply{Text: "no", Finish: Finished}, "no\n", ""},
		{"truncated", Reply{Text: "rule score { return gap * 2 + 1 }", Finish: Truncated}, "", "cut off"},
		{"empty", Reply{Finish: Finished}, "", "empty"},
	} {
		tc.reply.Usage = Usage{Input: 100, Output: 10}
		s := &script{replies: []Reply{tc.reply}}
		p := proposer(t, s)
		p.Mode = LlamaCpp
		m := Merger{Proposer: p, Signature: demo(t)}
		got, err := m.Merge(t.Context(), ask)
		if err != nil || got.Text != tc.text || !strings.Contains(got.Error, tc.cause) || (got.Error == "") != (tc.cause == "") {
			t.Errorf("%s: %+v, %v", tc.name, got, err)
		}
		if got.Spend.Tokens != 110 || got.Spend.Calls != 1 || got.Spend.Cost != 2 {
			t.Errorf("%s: spent %+v", tc.name, got.Spend)
		}
		r := s.requests[0]
		if r.Grammar == "" || !strings.Contains(r.System, "demo.score") || !strings.Contains(r.Messages[0].Text, "Change 2:\nrule score { return gap + 1 }") {
			t.Errorf("%s: asked %+v", tc.name, r)
		}
		if most := m.Most(2); mostTokens(r.bytes())+DefaultMaxTokens > most.Tokens {
			t.Errorf("%s: a merge may take more than %+v", tc.name, most)
		}
	}
	got, err := Merger{Proposer: proposer(t, texts())}.Merge(t.Context(), ask)
	if err != nil || got.Error != "the server is down" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A text may outgrow what was reserved for the first request: it is asked about within the allowance only.
func TestLongTextsKeepToTheAllowance(t *testing.T) {
	for tokens, want := range map[int]int{30_000: 0, 60_000: 1} {
		s := texts("A further line.")
		p := &Proposer{Completer: s, Settings: Settings{Model: "m"}, Description: "The value is a text that grows by lines.\n"}
		pc := &slots.ProposalContext{
			Artifact:  slots.Artifact{State: slots.State{slots.RuleKey: strings.Repeat("A line.\n", 10_000)}},
			Allowance: &slots.Spend{Rollouts: math.MaxInt, Calls: math.MaxInt, Tokens: tokens, Cost: math.Inf(1)},
		}
		got, err := p.Propose(t.Context(), pc)
		if err != nil || len(s.requests) != want || got.Replies["budget"] != 1-want || got.Empty() != (want == 0) {
			t.Errorf("%d tokens: %d requests, %+v, %v", tokens, len(s.requests), got, err)
		}
	}
}
