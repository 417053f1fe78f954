package slots_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// fuse installs a fusion with byValue, under which a text is worth the sum of its digits, and asks it.
func fuse(t *testing.T, f slots.Fusion, diffs ...slots.Diff) slots.Choice {
	t.Helper()
	if err := slots.Install(f, byValue{}, slots.MergeConfig{}); err != nil {
		t.Fatal(err)
	}
	a := slots.Artifact{ID: "a", State: slots.State{"k": "0"}}
	c, err := f.Select(context.Background(), a, diffs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaultFusion(t *testing.T) {
	k, l, both := slots.Write("k", "1"), slots.Write("l", "2"), slots.NewDiff(slots.Edit{Key: "k", Value: "1"}, slots.Edit{Key: "l", Value: "2"})
	for name, tt := range map[string]struct {
		in   []slots.Diff
		want slots.Choice
	}{
		"one":                   {[]slots.Diff{k}, slots.Choice{Diff: k}},
		"two":                   {[]slots.Diff{k, l}, slots.Choice{Diff: both, Union: true}},
		"one is the union":      {[]slots.Diff{l, both, k}, slots.Choice{Diff: both}},
		"the same twice":        {[]slots.Diff{k, k}, slots.Choice{Diff: k}},
		"contradictions, alone": {[]slots.Diff{k, slots.Write("k", "2")}, slots.Choice{Diff: k}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, fuse(t, &slots.DefaultFusion{}, tt.in...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTournament(t *testing.T) {
	f := &slots.DefaultFusion{Tournament: true}
	// Singles are worth 0+1+0… the union 1+2: it wins.
	if c := fuse(t, f, slots.Write("l", "1"), slots.Write("m", "2")); !c.Union {
		t.Errorf("%+v", c)
	}
	// An edit of l to nothing is worth 0; the union is worth no more than the better single, and loses the tie.
	f2 := &slots.DefaultFusion{Tournament: true}
	if c := fuse(t, f2, slots.Write("l", "3"), slots.Write("m", "0")); c.Union || !c.Diff.Equal(slots.Write("l", "3")) {
		t.Errorf("%+v", c)
	}
	want := []slots.FusionTrial{{Members: 2, Ranked: true, Contested: true, UnionWon: true}}
	if diff := cmp.Diff(want, f.FusionTrials()); diff != "" {
		t.Error(diff)
	}
	if f2.FusionTrials()[0].UnionWon {
		t.Error("a tie counts as a win of the union")
	}
}

// merged answers with a text that has all proposals, worth the sum of their digits.
func merged(_ context.Context, r slots.MergeRequest) (slots.Reply, error) {
	return slots.Reply{Text: strings.Join(r.Proposals, ""), Spend: slots.Spend{Calls: 1, Tokens: 10}}, nil
}

func TestReflectiveFusion(t *testing.T) {
	k1, k2, l := slots.Write("k", "1"), slots.Write("k", "2"), slots.Write("l", "4")
	reply := func(text, failure string) slots.Completion {
		return func(context.Context, slots.MergeRequest) (slots.Reply, error) {
			return slots.Reply{Text: text, Error: failure}, nil
		}
	}
	union := func(k string) slots.Diff {
		return slots.NewDiff(slots.Edit{Key: "k", Value: k}, slots.Edit{Key: "l", Value: "4"})
	}
	for name, tt := range map[string]struct {
		complete slots.Completion
		in       []slots.Diff
		want     slots.Choice
		trial    slots.FusionTrial
	}{
		"merged": {
			merged, []slots.Diff{k1, k2, l}, slots.Choice{Diff: union("12"), Union: true},
			slots.FusionTrial{Members: 3, Ranked: true, Contested: true, UnionWon: true, Synthesized: true},
		},
		"agreeing diffs are united without asking": {
			nil, []slots.Diff{k1, l}, slots.Choice{Diff: union("1"), Union: true},
			slots.FusionTrial{Members: 2, Ranked: true, Contested: true, UnionWon: true},
		},
		"worse than a single one": {
			reply("00", ""), []slots.Diff{k1, k2}, slots.Choice{Diff: k2},
			slots.FusionTrial{Members: 2, Ranked: true, Contested: true, Synthesized: true},
		},
		"what is there already": {
			reply("0 ", ""), []slots.Diff{k1, k2}, slots.Choice{Diff: k2},
			slots.FusionTrial{Members: 2, Ranked: true, SynthesisFailed: true},
		},
		"a tie loses": {
			reply("11", ""), []slots.Diff{k1, k2}, slots.Choice{Diff: k2},
			slots.FusionTrial{Members: 2, Ranked: true, Contested: true, Synthesized: true},
		},
		"a repetition": {
			reply(" 2 ", ""), []slots.Diff{k1, k2}, slots.Choice{Diff: k2},
			slots.FusionTrial{Members: 2, Ranked: true, SynthesisFailed: true},
		},
		"no answer": {
			reply("", "overloaded"), []slots.Diff{k1, k2}, slots.Choice{Diff: k2},
			slots.FusionTrial{Members: 2, Ranked: true, SynthesisFailed: true},
		},
		"too long": {
			reply(strings.Repeat("9", 40000), ""), []slots.Diff{k1, k2}, slots.Choice{Diff: k2},
			slots.FusionTrial{Members: 2, Ranked: true, SynthesisFailed: true},
		},
		"to write and to delete": {
			merged, []slots.Diff{k1, slots.NewDiff(slots.Edit{Key: "k", Delete: true})}, slots.Choice{Diff: k1},
			slots.FusionTrial{Members: 2, Ranked: true, SynthesisFailed: true},
		},
		"one": {nil, []slots.Diff{k1}, slots.Choice{Diff: k1}, slots.FusionTrial{Members: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			f := slots.ReflectiveMerge(tt.complete).Fusion
			if diff := cmp.Diff(tt.want, fuse(t, f, tt.in...)); diff != "" {
				t.Error("choice (-want +got):\n", diff)
			}
			if diff := cmp.Diff([]slots.FusionTrial{tt.trial}, f.(slots.FusionTrialer).FusionTrials()); diff != "" {
				t.Error("trial (-want +got):\n", diff)
			}
		})
	}
}

// A request has a few proposals at most: with more it would ask for a summary.
func TestARequestHasSixProposals(t *testing.T) {
	n := 0
	f := slots.ReflectiveMerge(func(_ context.Context, r slots.MergeRequest) (slots.Reply, error) {
		n = len(r.Proposals)
		return slots.Reply{Text: "99"}, nil
	}).Fusion
	var diffs []slots.Diff
	for i := range 8 {
		diffs = append(diffs, slots.Write("k", fmt.Sprint(i+1)))
	}
	if c := fuse(t, f, diffs...); !c.Union || n != 6 {
		t.Errorf("%d proposals, %+v", n, c)
	}
}

func TestMergeRequestPrompt(t *testing.T) {
	p := slots.MergeRequest{Current: "old", Proposals: []string{"one", "two"}}.Prompt()
	contains(t, p, "2 changes", "old", "Change 1:\none", "Change 2:\ntwo")
}

// mean merges contradicting numbers into one between them; calls counts how often it is asked.
func mean(calls *int) slots.Completion {
	return func(_ context.Context, r slots.MergeRequest) (slots.Reply, error) {
		*calls++
		var sum float64
		for _, p := range r.Proposals {
			var x float64
			if _, err := fmt.Sscan(p, &x); err != nil {
				return slots.Reply{Error: err.Error()}, nil
			}
			sum += x
		}
		return slots.Reply{Text: fmt.Sprintf("%.5g", sum/float64(len(r.Proposals))), Spend: slots.Spend{Calls: 1, Tokens: 7}}, nil
	}
}

// The pair drops nothing, is metered, and a resume after any write neither asks again nor decides otherwise.
func TestReflectiveMergeRuns(t *testing.T) {
	calls := 0
	want := run(t, knobConfig(slots.ReflectiveMerge(mean(&calls))))
	for _, row := range want.History {
		if row.ConflictsDropped > 0 {
			t.Fatalf("conflicts were dropped: %+v", row)
		}
	}
	if calls == 0 || want.Spend.Calls != calls || want.Spend.Tokens != 7*calls {
		t.Errorf("%d calls, spend %+v", calls, want.Spend)
	}
	if want.Fusion == nil || want.Fusion.Contested == 0 {
		t.Errorf("fusion %+v", want.Fusion)
	}
	for left := 0; ; left += 3 {
		again := 0
		k := &cut{Memory: engine.NewMemory(), left: left}
		c := knobConfig(slots.ReflectiveMerge(mean(&again)))
		c.Ledger.Store = k
		_, err := engine.Run(context.Background(), c)
		if err == nil {
			return
		}
		if !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		c = knobConfig(slots.ReflectiveMerge(mean(&again)))
		c.Ledger.Store = k.Memory
		if _, err := engine.Run(context.Background(), c); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		for _, e := range k.Memory.Entries() {
			if e.Kind.Canonical() {
				fmt.Fprintf(&log, "%s %s\n", e.Kind, e.Data)
			}
		}
		if d := firstDiff(want.log, log.String()); d != "" {
			t.Fatalf("resumed after %d writes:\n%s", left, d)
		}
		if again > calls+1 { // a reply that was under way when the run was cut is asked for once more
			t.Fatalf("resumed after %d writes: asked %d times, undisturbed %d", left, again, calls)
		}
	}
}

// cut is a ledger whose writes stop being acknowledged after the first few.
type cut struct {
	*engine.Memory
	left int
}

var errCut = errors.New("cut")

func (k *cut) Write(ctx context.Context, b engine.Batch) error {
	if k.left == 0 {
		return errCut
	}
	k.left--
	return k.Memory.Write(ctx, b)
}
