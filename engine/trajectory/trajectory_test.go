package trajectory_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/trajectory"
	"github.com/agentdescent/adrun/slots"
)

func event(lease int) engine.LeaseEvent {
	return engine.LeaseEvent{
		Record:  engine.LeaseRecord{Lease: lease, Task: "t", Reward: 0.25, Diff: slots.Write("k", "a\nb \"c\" é")},
		Outcome: engine.Outcome{Reward: 0.25, Feedback: "line one\nline two", Metrics: map[string]float64{"m": 1}},
	}
}

func write(t testing.TB, dir string, events ...engine.LeaseEvent) {
	t.Helper()
	w, err := trajectory.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := w.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func leases(dir string) (list []int, err error) {
	err = trajectory.Read(dir, func(r trajectory.Record) error {
		list = append(list, r.Lease.Lease)
		return nil
	})
	return list, err
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	write(t, dir, event(0), event(1))
	replayed := engine.LeaseEvent{Record: event(2).Record, Replayed: true}
	again := event(1)
	again.Record.Reward = 0.5
	// A resume tells lease 0 and 1 again; lease 2 is known from the ledger only; lease 1 was made again.
	write(t, dir, engine.LeaseEvent{Record: event(0).Record, Replayed: true}, event(1), replayed, again)
	var got []trajectory.Record
	if err := trajectory.Read(dir, func(r trajectory.Record) error { got = append(got, r); return nil }); err != nil {
		t.Fatal(err)
	}
	o := event(0).Outcome
	want := []trajectory.Record{
		{Lease: event(0).Record, Outcome: &o}, {Lease: event(1).Record, Outcome: &o},
		{Lease: replayed.Record}, {Lease: again.Record, Outcome: &o},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestEveryCut cuts the file at every place, as a dying process may: whole lines before the cut are kept,
// and writing goes on.
func TestEveryCut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, event(0), event(1), event(2))
	path := filepath.Join(dir, "000001.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(text) {
		if err := os.WriteFile(path, text[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		whole := bytes.Count(text[:cut], []byte("\n"))
		got, err := leases(dir)
		var damage *trajectory.DamageError
		if torn := cut > 0 && text[cut-1] != '\n'; torn != (errors.As(err, &damage) && damage.Torn) || len(got) != whole {
			t.Fatalf("cut at %d: read %v, %v", cut, got, err)
		}
		write(t, dir, event(0), event(1), event(2))
		after, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(after, text) {
			t.Fatalf("cut at %d, written on: %v\n%s", cut, err, after)
		}
	}
}

func TestDamageInTheMiddleIsRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, event(0), event(1), event(2))
	path := filepath.Join(dir, "000001.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range text {
		text[at] ^= 1
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		_, readErr := leases(dir)
		_, openErr := trajectory.Open(dir)
		text[at] ^= 1
		var damage *trajectory.DamageError
		if !errors.As(readErr, &damage) {
			t.Fatalf("flipped byte %d: %v", at, readErr)
		}
		if damage.Torn != (at == len(text)-1) { // the last line's end
			t.Fatalf("flipped byte %d: torn is %v", at, damage.Torn)
		}
		if !damage.Torn && (openErr == nil || !strings.Contains(openErr.Error(), "000001.jsonl:") || !strings.Contains(openErr.Error(), "restore")) {
			t.Fatalf("flipped byte %d: opening says %v", at, openErr)
		}
		if want := 1 + bytes.Count(text[:at], []byte("\n")); damage.Line != want {
			t.Fatalf("flipped byte %d of line %d is reported on line %d", at, want, damage.Line)
		}
	}
}

func TestAMissingSegmentIsRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, event(0))
	if err := os.Rename(filepath.Join(dir, "000001.jsonl"), filepath.Join(dir, "000002.jsonl")); err != nil {
		t.Fatal(err)
	}
	if _, err := trajectory.Open(dir); err == nil || !strings.Contains(err.Error(), "000001.jsonl is missing") {
		t.Errorf("error %v", err)
	}
}
