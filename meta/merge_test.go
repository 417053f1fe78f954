package meta_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/slots"
)

// TestContradictionsAreMerged runs two lanes that rewrite one rule each in its own way. By default both rewrites are
// merged as trees; a merge that fails, repeats a rewrite or may not run is counted, and the better rewrite goes on.
func TestContradictionsAreMerged(t *testing.T) {
	for name, tt := range map[string]struct {
		start, a, b, want string
		failed            int
	}{
		"both changes":            {"return rank", "return rank + prior", "return 2 * rank", "return 2 * rank + prior", 0},
		"nothing stands together": {"return rank", "return 2 * prior", "return depth", "return 2 * prior", 1},
		"the gate refuses": {
			"let d = rank\nreturn d + prior", "return rank + prior + prior", "let d = rank\nreturn d + prior * (d + 0.5)",
			"return rank + prior + prior", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			rule := func(body string) string { return "rule priority {\n" + body + "\n}\n" }
			lanes := []string{rule(tt.a), rule(tt.b)}
			res, err := meta.Evolve(context.Background(), meta.Config{
				Spec: spec(t, rule(tt.start)), Problems: []meta.Problem{level{name: "train", of: rising}}, Seeds: seeds(1, 20),
				Outer: engine.Config{
					Policies: slots.Policies{Acceptance: &slots.PairedAcceptance{}},
					Budget:   engine.Budget{Rounds: 1}, Parallel: engine.Parallel{Lanes: 2},
					Actor: engine.Actor{Proposer: slots.ProposerFunc(func(_ context.Context, pc *slots.ProposalContext) (*slots.Proposal, error) {
						return &slots.Proposal{Text: lanes[pc.Lane]}, nil
					})},
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(res.Rendered, tt.want+"\n") {
				t.Errorf("the run holds\n%swant %s", res.Rendered, tt.want)
			}
			if res.Fusion == nil || res.Fusion.SynthesisFailed != tt.failed {
				t.Errorf("%+v, want %d failed", res.Fusion, tt.failed)
			}
		})
	}
}

// TestMergeParams sends moves of a param half-way, and the rest on.
func TestMergeParams(t *testing.T) {
	asked := ""
	merge := meta.MergeParams(func(_ context.Context, r slots.MergeRequest) (slots.Reply, error) {
		asked = r.Key
		return slots.Reply{Text: "t"}, nil
	})
	for _, tt := range []struct {
		key       string
		proposals []string
		want      string
	}{
		{"param.c", []string{"0.25", "0.75"}, "0.5"}, {"param.n", []string{"2", "7"}, "5"}, {"text", []string{"a", "b"}, "t"},
	} {
		r, err := merge(t.Context(), slots.MergeRequest{Key: tt.key, Proposals: tt.proposals})
		if err != nil || r.Text != tt.want {
			t.Errorf("%s %v: %+v, %v", tt.key, tt.proposals, r, err)
		}
	}
	if asked != "text" {
		t.Errorf("asked about %q", asked)
	}
}
