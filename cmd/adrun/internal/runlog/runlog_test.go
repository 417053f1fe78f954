package runlog_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runlog"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// entries makes a log of pairs of kind and data.
func entries(t *testing.T, pairs ...any) (list []engine.Entry) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		data, err := json.Marshal(pairs[i+1])
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, engine.Entry{Seq: i / 2, Kind: pairs[i].(engine.EntryKind), Data: data})
	}
	return list
}

func sample(t *testing.T) *runlog.Log {
	t.Helper()
	l, err := runlog.Decode(entries(t,
		engine.StartEntry, runlog.Start{Problem: "p", Lanes: 2},
		engine.LeaseEntry, engine.LeaseRecord{Lease: 0, Task: "a", Reward: 0.75, Delta: slots.Known(0.1)},
		engine.LeaseEntry, engine.LeaseRecord{Lease: 1, Lane: 1, Task: "b", Failure: "no number"},
		engine.LeaseEntry, engine.LeaseRecord{Lease: 2, Task: "c", Error: "no network"},
		engine.ClockEntry, struct{ Elapsed int }{7},
		engine.CommitEntry, engine.Commit{Artifact: "p", Version: 1, Lease: 0, Outcome: slots.Committed},
		engine.MergeEntry, slots.Report{Artifact: "p", Outcome: slots.Committed, Lease: 0, PImprove: slots.Known(0.9)},
		engine.RoundEntry, engine.Row{HeldOut: slots.Known(0.5), Spend: slots.Spend{Rollouts: 12}},
	))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestWhere(t *testing.T) {
	l := sample(t)
	for where, want := range map[string][]int{
		`true`:                                   {0, 1, 2, 3, 4, 5, 6, 7},
		`reward > 0.5 && outcome == "committed"`: {1, 5, 6},
		`reward < 0.5`:                           {2}, // a lease without a measurement has no reward
		`not (reward >= 0)`:                      {0, 3, 4, 7},
		`failure != "" || error contains "net"`:  {2, 3},
		`kind == "lease" && lane == 1`:           {2},
		`task == "a"`:                            {1, 5, 6},
		`delta > 0`:                              {1},
		`p_improve > 0.5`:                        {6},
		`round < 0`:                              {0, 4},
		`max(rollouts, seq) == 12`:               {7},
		`held_out == 0.5`:                        {7},
	} {
		f, err := runlog.NewFilter(where)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		kept, err := l.Where(f)
		if err != nil {
			t.Errorf("%s: %v", where, err)
		}
		var got []int
		for _, e := range kept {
			got = append(got, e.Seq)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", where, d)
		}
	}
}

func TestFiltersAreBounded(t *testing.T) {
	for _, where := range []string{
		`lease`, `nothing > 1`, `reward >`, `repeat("a", 9) == ""`, `len(filter([1], true)) > 0`, `now() > now()`, `1..9 == [1]`,
		strings.Repeat(`seq > 0 && `, 300) + `true`,
	} {
		if _, err := runlog.NewFilter(where); err == nil {
			t.Errorf("%.40s is taken", where)
		}
	}
}

func TestCanonicalLeavesTheClockOut(t *testing.T) {
	var b bytes.Buffer
	if err := runlog.Canonical(&b, sample(t).Entries); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 7 || strings.Contains(b.String(), "clock") {
		t.Errorf("%d lines:\n%s", n, b.String())
	}
}

// TestGit imports a run of two artifacts, with a deletion and names that git would not take.
func TestGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	start := &runlog.Start{Problem: "p", Artifacts: []runlog.StartArtifact{
		{ID: "a/../b", State: slots.State{"rule": "one\n", ".git": "x"}}, {ID: "c", State: slots.State{"k": "é"}},
	}}
	first := engine.Commit{Artifact: "a/../b", Version: 1, Hash: "h1", Diff: slots.NewDiff(slots.Edit{Key: ".git", Delete: true}, slots.Edit{Key: "rule", Value: "two"})}
	second := engine.Commit{Artifact: "c", Version: 1, Hash: "h2", Diff: slots.Write("new key", "v")}
	var stream bytes.Buffer
	err := runlog.Git(&stream, start, []engine.Commit{first, second}, map[string]engine.Ref{"a/../b": {Hash: "h1"}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Stdin = bytes.NewReader(stream.Bytes())
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q", "--bare")
	git("fast-import", "--quiet")
	if d := cmp.Diff("c: version 1\na/../b: version 1\nStart of p, seed 0\n", git("log", "--format=%s", "dev")); d != "" {
		t.Errorf("subjects:\n%s", d)
	}
	if d := cmp.Diff("a%2F.%2E%2Fb/rule\nc/k\nc/new%20key\n", git("ls-tree", "-r", "--name-only", "dev")); d != "" {
		t.Errorf("files:\n%s", d)
	}
	if got := git("show", "dev~2:a%2F.%2E%2Fb/rule") + git("show", "dev:a%2F.%2E%2Fb/rule") + git("show", "dev:c/k"); got != "one\ntwoé" {
		t.Errorf("contents %q", got)
	}
	if git("rev-parse", "stable/a%2F.%2E%2Fb") != git("rev-parse", "dev~1") || git("rev-parse", "stable/c") != git("rev-parse", "dev~2") {
		t.Error("the stable branches are elsewhere")
	}
}

// An entry is a line, whatever a program says that scores or proposes.
func TestTextIsALineAnEntry(t *testing.T) {
	list := entries(t, engine.LeaseEntry, engine.LeaseRecord{Task: "a", Failure: "rejected: Traceback:\n  line 1\x1b[2J"})
	l, err := runlog.Decode(list)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := l.Text(&b, list); err != nil {
		t.Fatal(err)
	}
	if want := "    0  lease    0 (round 0, lane 0) on a: failed: rejected: Traceback:   line 1 [2J\n"; b.String() != want {
		t.Errorf("got %q", b.String())
	}
}
