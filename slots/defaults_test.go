package slots_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/slots"
)

// scores is a verifier that knows a score for the text of each state.
type scores map[string]slots.CheapScore

func (s scores) CheapEval(_ context.Context, _ string, st slots.State) (slots.CheapScore, error) {
	return s[st[slots.RuleKey]], nil
}

func (s scores) EvalCounts(context.Context, string, slots.State) (slots.Counts, error) {
	return slots.Counts{}, errors.New("ranking does not buy a full measurement")
}

func write(lease int, text string) *slots.Card {
	return &slots.Card{Lease: lease, Diff: slots.Write(slots.RuleKey, text)}
}

func TestDefaultConflict(t *testing.T) {
	other := &slots.Card{Lease: 9, Diff: slots.Write("other", "x")}
	for name, tt := range map[string]struct {
		cards []*slots.Card
		want  []int
	}{
		"the better one wins":         {[]*slots.Card{write(0, "low"), write(1, "high")}, []int{1}},
		"the earlier one keeps a tie": {[]*slots.Card{write(0, "low"), write(1, "low too")}, []int{0}},
		"equal diffs agree":           {[]*slots.Card{write(0, "low"), write(1, "low")}, []int{0, 1}},
		"a winner displaces all":      {[]*slots.Card{write(0, "low"), write(1, "low"), other, write(2, "high")}, []int{9, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &slots.DefaultConflict{}
			if err := slots.Install(p, scores{"low": 0.1, "low too": 0.1, "high": 0.9}, slots.MergeConfig{}); err != nil {
				t.Fatal(err)
			}
			kept, dropped, err := p.Resolve(context.Background(), slots.Artifact{ID: "a"}, tt.cards)
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, c := range kept {
				got = append(got, c.Lease)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || dropped != len(tt.cards)-len(got) {
				t.Errorf("%d dropped, kept (-want +got):\n%s", dropped, diff)
			}
		})
	}
}

func TestAnUnboundConflictSaysWhatItNeeds(t *testing.T) {
	_, _, err := (&slots.DefaultConflict{}).Resolve(context.Background(), slots.Artifact{}, []*slots.Card{write(0, "a"), write(1, "b")})
	var unbound *slots.UnboundError
	if !errors.As(err, &unbound) || unbound.Needs != "a verifier" {
		t.Errorf("error %v", err)
	}
}

func TestGuarded(t *testing.T) {
	for _, tt := range []struct {
		eta, alpha int
		breaking   bool
		want       slots.StaleAction
	}{
		{0, 1, false, slots.Accept}, {0, 0, true, slots.Accept}, {1, 1, false, slots.Rebase},
		{2, 1, false, slots.Discard}, {1, 5, true, slots.Discard},
	} {
		if got := (slots.Guarded{}).Decide(tt.eta, tt.alpha, tt.breaking); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

func TestUnion(t *testing.T) {
	a := slots.NewDiff(slots.Edit{Key: "b", Value: "1"}, slots.Edit{Key: "a", Delete: true, Value: "ignored"})
	b := slots.NewDiff(slots.Edit{Key: "c", Value: "2"}, slots.Edit{Key: "b", Value: "0"}, slots.Edit{Key: "b", Value: "1"})
	if a.Contradicts(b) || !a.Meets(b) {
		t.Errorf("%v and %v write b alike", a, b)
	}
	u := slots.Union(a, b)
	want := slots.Diff{{Key: "a", Delete: true}, {Key: "b", Value: "1"}, {Key: "c", Value: "2"}}
	if diff := cmp.Diff(want, u); diff != "" {
		t.Error(diff)
	}
	got := slots.State{"a": "old", "z": "kept"}.Apply(u)
	if diff := cmp.Diff(slots.State{"b": "1", "c": "2", "z": "kept"}, got); diff != "" {
		t.Error(diff)
	}
	if c := slots.Write("b", "other"); !c.Contradicts(a) || c.Contradicts(slots.Write("d", "other")) {
		t.Error("contradiction is about one key written differently")
	}
}
