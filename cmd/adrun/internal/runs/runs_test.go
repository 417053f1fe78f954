package runs_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
)

func create(t *testing.T, s runs.Store, name string, seed uint64, minute int) *runs.Run {
	t.Helper()
	r, err := s.Create(runs.Info{Name: name, Seed: seed, Created: time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)}, []byte("version: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestIDs(t *testing.T) {
	s := runs.Store{Root: filepath.Join(t.TempDir(), "a", "b")}
	var got []string
	for i, name := range []string{"pack", "pack", "pack", "a b/c", "..", "latest", ".hidden"} {
		got = append(got, create(t, s, name, 7, i).ID)
	}
	want := []string{"pack-7", "pack-7.2", "pack-7.3", "a-b-c-7", "run-7", "run-7.2", "hidden-7"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, r := range list {
		got = append(got, r.ID)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("listed (-want +got):\n%s", d)
	}
}

func TestFind(t *testing.T) {
	s := runs.Store{Root: t.TempDir()}
	if _, err := s.Find("latest"); err == nil || !strings.Contains(err.Error(), "adrun evolve") {
		t.Errorf("latest of none: %v", err)
	}
	create(t, s, "pack", 1, 3)
	create(t, s, "pack", 1, 5)
	create(t, s, "search", 2, 4)
	for ref, want := range map[string]string{
		"pack-1": "pack-1", "pack-1.": "pack-1.2", "s": "search-2", "latest": "pack-1.2",
	} {
		if r, err := s.Find(ref); err != nil || r.ID != want {
			t.Errorf("%q: %v, %v; want %s", ref, r, err, want)
		}
	}
	for ref, want := range map[string]string{
		"p": "several runs: pack-1, pack-1.2", "x": "holds no run", "": "holds no run",
	} {
		_, err := s.Find(ref)
		var unknown *runs.UnknownError
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", ref, err, want)
		}
	}
}

func TestOneProcessEvolves(t *testing.T) {
	r := create(t, runs.Store{Root: t.TempDir()}, "pack", 1, 0)
	state := func() runs.State {
		t.Helper()
		st, err := r.Status()
		if err != nil {
			t.Fatal(err)
		}
		return st.State
	}
	if got := state(); got != runs.New {
		t.Errorf("a new run is %s", got)
	}
	l, err := r.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SetStatus(runs.Status{State: runs.Running}); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != runs.Running {
		t.Errorf("a locked run is %s", got)
	}
	_, err = r.Lock()
	var held *runs.HeldError
	if !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Errorf("a second lock: %v", err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	// The process ended without saying how.
	if got := state(); got != runs.Killed || !got.Resumable() {
		t.Errorf("a run without its process is %s", got)
	}
	if l, err = r.Lock(); err != nil {
		t.Fatalf("taking a stale lock over: %v", err)
	}
	if err := errors.Join(r.SetStatus(runs.Status{State: runs.Done}), l.Unlock()); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != runs.Done || got.Resumable() {
		t.Errorf("a run that is done is %s", got)
	}
}

func TestCancel(t *testing.T) {
	r := create(t, runs.Store{Root: t.TempDir()}, "pack", 1, 0)
	if r.CancelRequested() {
		t.Error("nobody asked")
	}
	if err := r.RequestCancel(); err != nil || !r.CancelRequested() {
		t.Errorf("not asked: %v", err)
	}
	for range 2 {
		if err := r.ClearCancel(); err != nil || r.CancelRequested() {
			t.Errorf("not cleared: %v", err)
		}
	}
}

func TestASealFindsEveryFlippedByte(t *testing.T) {
	r := create(t, runs.Store{Root: t.TempDir()}, "pack", 1, 0)
	image := []byte("not a ledger, but every byte of it counts")
	if err := os.WriteFile(r.LedgerPath(), image, 0o644); err != nil {
		t.Fatal(err)
	}
	if sealed, err := r.CheckSeal(); sealed || err != nil {
		t.Errorf("unsealed: %v, %v", sealed, err)
	}
	if err := r.Seal(bytes.NewReader(image)); err != nil {
		t.Fatal(err)
	}
	if sealed, err := r.CheckSeal(); !sealed || err != nil {
		t.Errorf("sealed: %v, %v", sealed, err)
	}
	for i := range image {
		image[i] ^= 16
		if err := os.WriteFile(r.LedgerPath(), image, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := r.CheckSeal(); err == nil {
			t.Errorf("the flipped byte %d is not found", i)
		}
		image[i] ^= 16
	}
	if err := errors.Join(r.Unseal(), r.Unseal()); err != nil {
		t.Error(err)
	}
}
