package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/ledger"
	"github.com/agentdescent/adrun/slots"
)

func open(t testing.TB, path string) *ledger.Store {
	t.Helper()
	s, err := ledger.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func runOn(t testing.TB, l engine.Ledger) *engine.Result {
	t.Helper()
	res, err := engine.Run(context.Background(), hillConfig(l, hill{}))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestARunIsKeptAsInMemory(t *testing.T) {
	ctx := context.Background()
	memory := engine.NewMemory()
	want := runOn(t, memory)
	if len(want.Log) < 2 {
		t.Fatalf("the run makes %d commits; the test wants some", len(want.Log))
	}
	path := filepath.Join(t.TempDir(), "a ledger? 100%#.db")
	s, err := ledger.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	runOn(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := ledger.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := r.Entries(ctx, "run", 0)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(memory.Entries(), entries); d != "" {
		t.Errorf("entries (-memory +file):\n%s", d)
	}
	commits, err := r.Commits(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(memory.Commits(), commits); d != "" {
		t.Errorf("commits (-memory +file):\n%s", d)
	}
	stable, err := r.Stable(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(memory.Stable(), stable); d != "" {
		t.Errorf("stable (-memory +file):\n%s", d)
	}
	tail, err := r.Entries(ctx, "run", len(entries)-2)
	if err != nil || len(tail) != 2 || tail[0].Seq != len(entries)-2 {
		t.Errorf("the last two entries: %v, %v", tail, err)
	}
	if err := errors.Join(r.Verify(ctx), r.Close(), ledger.Check(ctx, path)); err != nil {
		t.Error(err)
	}
}

func TestAFinishedRunIsPlayedBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.db")
	s := open(t, path)
	want := runOn(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := engine.Run(context.Background(), hillConfig(open(t, path), hill{call: func(string, string) {
		t.Error("an evaluation was made again")
	}}))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, again, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Meters" }, cmp.Ignore())); d != "" {
		t.Errorf("(-run +played back):\n%s", d)
	}
}

func TestAnotherRunUnderTheSameNameIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.db")
	s := open(t, path)
	if _, err := s.Begin(context.Background(), engine.Header{RunID: "a", Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(context.Background(), engine.Header{RunID: "a", Seed: 1}); err == nil {
		t.Error("a handle began twice")
	}
	_, err := open(t, path).Begin(context.Background(), engine.Header{RunID: "a", Seed: 2})
	var identity *engine.IdentityError
	if !errors.As(err, &identity) || identity.Stored.Seed != 1 {
		t.Errorf("error %v, want an identity error that names seed 1", err)
	}
	b, err := open(t, path).Begin(context.Background(), engine.Header{RunID: "b", Seed: 2})
	if err != nil || len(b.Entries) > 0 {
		t.Errorf("another run of the file: %v, %v", b, err)
	}
}

func TestADatabaseThatIsNoLedgerIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.db")
	if _, err := ledger.OpenReader(path); err == nil {
		t.Error("a reader made a file")
	}
	s := open(t, path)
	ledger.SetFormat(t, s, 99)
	_, err := ledger.Open(path)
	var format *ledger.FormatError
	if !errors.As(err, &format) || format.Version != 99 {
		t.Errorf("error %v, want one about format 99", err)
	}
}

// sealed makes a commit on a parent.
func sealed(t testing.TB, run, artifact string, version int, parent, text string) engine.Commit {
	c := engine.Commit{
		RunID: run, Artifact: artifact, Version: version, Parent: parent, Outcome: slots.Committed,
		Proposal: fmt.Sprintf("%s/%s/%d", run, artifact, version),
		Diff:     slots.Write(slots.RuleKey, text), State: slots.State{slots.RuleKey: text},
	}
	if err := c.Seal(); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestStoreAgainstMemory drives a file and the engine's model with the same operations, and reopens the
// file in between.
func TestStoreAgainstMemory(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	files := 0
	rapid.Check(t, func(rt *rapid.T) {
		files++
		path := filepath.Join(dir, strconv.Itoa(files)+".db")
		model, header := engine.NewMemory(), engine.Header{RunID: "r", Seed: 1}
		var s *ledger.Store
		reopen := func(rt *rapid.T) {
			if s != nil {
				if err := s.Close(); err != nil {
					rt.Fatal(err)
				}
			}
			s = open(t, path)
			got, err := s.Begin(ctx, header)
			if err != nil {
				rt.Fatal(err)
			}
			want, _ := model.Begin(ctx, header)
			if d := cmp.Diff(want.Entries, append([]engine.Entry(nil), got.Entries...)); d != "" {
				rt.Fatalf("entries after opening:\n%s", d)
			}
			if d := cmp.Diff(want.Dev, got.Dev); d != "" {
				rt.Fatalf("heads after opening:\n%s", d)
			}
		}
		reopen(rt)
		next := 0
		heads := map[string]engine.Ref{}
		rt.Repeat(map[string]func(*rapid.T){
			"": func(rt *rapid.T) {},
			"write": func(rt *rapid.T) {
				var b engine.Batch
				gap := rapid.IntRange(0, 9).Draw(rt, "gap") == 9
				for range rapid.IntRange(0, 3).Draw(rt, "entries") {
					seq := next + len(b.Entries)
					if gap {
						seq++
					}
					b.Entries = append(b.Entries, engine.Entry{Seq: seq, Kind: engine.LeaseEntry, Data: json.RawMessage(`{"lease":` + strconv.Itoa(seq) + `}`)})
				}
				for _, artifact := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b"}), 0, 2, rapid.ID).Draw(rt, "artifacts") {
					at := heads[artifact]
					if rapid.IntRange(0, 4).Draw(rt, "stale") == 4 {
						at.Hash = "another"
					}
					b.Commits = append(b.Commits, sealed(t, "r", artifact, at.Version+1, at.Hash, rapid.StringN(0, 5, 20).Draw(rt, "text")))
				}
				if rapid.Bool().Draw(rt, "promote") && heads["a"].Hash != "" {
					b.Stable = []engine.Ref{heads["a"]}
				}
				want, got := model.Write(ctx, b), s.Write(ctx, b)
				sameError(rt, want, got)
				if want == nil {
					next += len(b.Entries)
					for _, c := range b.Commits {
						heads[c.Artifact] = engine.Ref{Artifact: c.Artifact, Version: c.Version, Hash: c.Hash, State: c.State}
					}
				}
			},
			"outcome": func(rt *rapid.T) {
				key := rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "key")
				o, ok, err := s.Outcome(ctx, key)
				wantO, wantOK, _ := model.Outcome(ctx, key)
				if err != nil || ok != wantOK || cmp.Diff(wantO, o) != "" {
					rt.Fatalf("outcome %s: %v, %v, %v; want %v, %v", key, o, ok, err, wantO, wantOK)
				}
				o.Reward, o.Metrics = o.Reward/2+0.1, map[string]float64{"m": o.Reward}
				if err := errors.Join(s.PutOutcome(ctx, key, o), model.PutOutcome(ctx, key, o)); err != nil {
					rt.Fatal(err)
				}
			},
			"reopen": reopen,
			"verify": func(rt *rapid.T) {
				if err := s.Verify(ctx); err != nil {
					rt.Fatal(err)
				}
			},
		})
		if err := s.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

func sameError(rt *rapid.T, want, got error) {
	var wantRace, gotRace *engine.RaceError
	switch {
	case (want == nil) != (got == nil), errors.As(want, &wantRace) != errors.As(got, &gotRace):
		rt.Fatalf("the file says %v, the model %v", got, want)
	case wantRace != nil:
		// The model may name no artifact when there is no head yet.
		wantRace.Head.Artifact, gotRace.Head.Artifact = "", ""
		if d := cmp.Diff(wantRace.Head, gotRace.Head); d != "" {
			rt.Fatalf("head of a lost race:\n%s", d)
		}
	}
}

func TestACommitIsWrittenOnce(t *testing.T) {
	ctx := context.Background()
	s := open(t, filepath.Join(t.TempDir(), "l.db"))
	if _, err := s.Begin(ctx, engine.Header{RunID: "r"}); err != nil {
		t.Fatal(err)
	}
	first := sealed(t, "r", "a", 1, "", "one")
	for range 2 {
		if err := s.Write(ctx, engine.Batch{Commits: []engine.Commit{first}}); err != nil {
			t.Fatal(err)
		}
	}
	second := sealed(t, "r", "a", 2, first.Hash, "two")
	for _, c := range []engine.Commit{second, first} {
		if err := s.Write(ctx, engine.Batch{Commits: []engine.Commit{c}}); err != nil {
			t.Fatal(err)
		}
	}
	commits, err := s.Commits(ctx)
	if d := cmp.Diff([]engine.Commit{first, second}, commits); d != "" || err != nil {
		t.Errorf("commits (-want +got): %v\n%s", err, d)
	}
	if err := s.Verify(ctx); err != nil {
		t.Error(err)
	}
}

// Whoever looks at a ledger while it is written, and while its log is folded, sees it as it was at one moment.
func TestVerifySeesOneMoment(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "l.db")
	s := open(t, path)
	if err := s.Keep(&memory{path: path}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(ctx, engine.Header{RunID: "r"}); err != nil {
		t.Fatal(err)
	}
	const least = 10 // looks
	var looks atomic.Int64
	done := make(chan error, 1)
	go func() {
		parent := ""
		for n := 1; n <= 300 || looks.Load() < least; n++ {
			c := sealed(t, "r", "a", n, parent, strconv.Itoa(n)+strings.Repeat("x", 20_000))
			if err := s.Write(ctx, engine.Batch{Commits: []engine.Commit{c}}); err != nil {
				done <- err
				return
			}
			parent = c.Hash
		}
		done <- nil
	}()
	for n := 1; ; n++ {
		r, err := ledger.OpenReader(path)
		if err != nil {
			t.Fatalf("look %d: %v", n, err)
		}
		if err := errors.Join(r.Verify(ctx), r.Close()); err != nil {
			t.Fatalf("look %d: %v", n, err)
		}
		looks.Add(1)
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("%d looks: %v", n, err)
			}
			return
		default:
		}
	}
}

// Several processes that meet in a new file wait for the one that makes it a ledger.
func TestOpenersMeetInANewFile(t *testing.T) {
	dir := t.TempDir()
	for n := range 30 {
		path := filepath.Join(dir, strconv.Itoa(n)+".db")
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				s, err := ledger.Open(path)
				if err == nil {
					err = s.Close()
				}
				errs[i] = err
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
}
