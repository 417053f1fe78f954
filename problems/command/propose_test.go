package command

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/slots"
)

func openProposer(t *testing.T, script string) *Proposer {
	t.Helper()
	p, err := NewProposer(ProposerConfig{
		Spec:  Spec{Command: shell(t, script), Timeout: time.Minute, Retries: -1},
		Tasks: []Task{{ID: "known", Data: json.RawMessage(`{"id":"known","words":"a b"}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// answering replies to each request with a template in which ID stands for its id.
func answering(reply string) string {
	return `while IFS= read -r request; do
	id=${request#*\"id\":}; id=${id%%[!0-9]*}
	printf '%s\n' '` + reply + `' | sed "s/ID/$id/"
done
`
}

// The program echoes the request, without its quotes, so that the test sees what is sent.
func TestProposerIsToldTheRollout(t *testing.T) {
	p := openProposer(t, `while IFS= read -r request; do
	id=${request#*\"id\":}; id=${id%%[!0-9]*}
	echo "{\"id\":$id,\"proposal\":\"$(printf '%s' "$request" | tr -d '"')\"}"
done
`)
	pc := &slots.ProposalContext{
		Candidate: &slots.Candidate{Text: "old"}, Task: slots.Task{ID: "known"}, Round: 3, Seed: 1<<63 | 1<<11 | 7,
		Outcome: slots.Outcome{Reward: 0.25, Feedback: "close", Failure: "none"},
	}
	for _, tt := range [][2]string{{"known", "{id:known,words:a b}"}, {"new", "{id:new}"}} {
		pc.Task.ID = tt[0]
		got, err := p.Propose(context.Background(), pc)
		if err != nil {
			t.Fatal(err)
		}
		// The seed is sent without its low 11 bits: 2⁶³ + 2¹¹ + 7 is 2⁵² + 1.
		want := "candidate:{rule:old},task:" + tt[1] + ",outcome:{score:0.25,feedback:close,failure:none},round:3,seed:4503599627370497}"
		if _, sent, _ := strings.Cut(got.Text, ","); sent != want {
			t.Errorf("sent %s\nwant %s", sent, want)
		}
	}
}

func TestProposals(t *testing.T) {
	tests := map[string]struct {
		reply string
		want  *slots.Proposal
		err   string
	}{
		"text":         {`{"id":ID,"proposal":"new","note":"luck","cost":2.5}`, &slots.Proposal{Text: "new", Note: "luck", Spend: slots.Spend{Cost: 2.5}}, ""},
		"empty text":   {`{"id":ID,"proposal":""}`, &slots.Proposal{}, ""},
		"null":         {`{"id":ID,"proposal":null}`, nil, ""},
		"nothing":      {`{"id":ID}`, nil, ""},
		"error":        {`{"id":ID,"error":"no idea"}`, nil, "rejected: no idea"},
		"wrong id":     {`{"id":77,"proposal":"new"}`, nil, "wrong-id: "},
		"number":       {`{"id":ID,"proposal":3}`, nil, "garbage: the proposal is not a text: 3"},
		"not JSON":     {`new`, nil, "garbage: "},
		"no id":        {`{"proposal":"new"}`, nil, "garbage: "},
		"refund":       {`{"id":ID,"proposal":"new","cost":-1}`, nil, "garbage: cost -1"},
		"cost unknown": {`{"id":ID,"proposal":"new","cost":"1"}`, nil, "garbage: cost"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := openProposer(t, answering(tt.reply))
			got, err := p.Propose(context.Background(), &slots.ProposalContext{Candidate: &slots.Candidate{Text: "old"}})
			if tt.err == "" != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
