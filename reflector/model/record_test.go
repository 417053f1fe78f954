package model

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// completer is a function that completes.
type completer func(ctx context.Context, r Request) (Reply, error)

func (f completer) Complete(ctx context.Context, r Request) (Reply, error) { return f(ctx, r) }

func never(t *testing.T) Completer {
	return completer(func(context.Context, Request) (Reply, error) {
		t.Helper()
		t.Error("the model was asked")
		return Reply{}, nil
	})
}

func says(text string) Completer {
	return completer(func(context.Context, Request) (Reply, error) {
		return Reply{Text: text, Reasoning: "hm", Finish: Finished, Usage: Usage{Input: 1, Output: 2}}, nil
	})
}

func TestRecordAndReplay(t *testing.T) {
	dir := t.TempDir()
	r := Request{Settings: Settings{Model: "m"}, System: "s", Messages: []Message{{User, "u"}}, Sample: 1 << 63}
	got, err := Recorder{dir, says("a")}.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Completer{"replay": Replayer{dir}, "recorder": Recorder{dir, never(t)}} {
		again, err := c.Complete(t.Context(), r)
		if d := cmp.Diff(got, again); d != "" || err != nil {
			t.Errorf("%s: %s %v", name, d, err)
		}
	}
	if left := files(t, dir); len(left) != 1 || filepath.Ext(left[0]) != ".json" {
		t.Errorf("the directory holds %v", left)
	}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Everything that is asked is in the key: a replay finds no reply to another question.
func TestReplayKey(t *testing.T) {
	dir := t.TempDir()
	half, one := 0.5, 1.0
	base := func() Request {
		return Request{Settings: Settings{Model: "m", Temperature: &half, MaxTokens: 9, Thinking: "low", Mode: VLLM},
			System: "s", Messages: []Message{{User, "u"}}, Grammar: "g", Sample: 1}
	}
	if _, err := (Recorder{dir, says("a")}).Complete(t.Context(), base()); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Request){
		"model": func(r *Request) { r.Model = "n" }, "temperature": func(r *Request) { r.Temperature = &one },
		"no temperature": func(r *Request) { r.Temperature = nil }, "max tokens": func(r *Request) { r.MaxTokens = 8 },
		"thinking": func(r *Request) { r.Thinking = "" }, "mode": func(r *Request) { r.Mode = SGLang },
		"system": func(r *Request) { r.System = "t" }, "message": func(r *Request) { r.Messages[0].Text = "v" },
		"role": func(r *Request) { r.Messages[0].Role = Assistant }, "grammar": func(r *Request) { r.Grammar = "" },
		"sample": func(r *Request) { r.Sample = 2 },
	} {
		r := base()
		change(&r)
		var missing *NotRecordedError
		if _, err := (Replayer{dir}).Complete(t.Context(), r); !errors.As(err, &missing) {
			t.Errorf("with another %s: %v", name, err)
		}
	}
	if _, err := (Replayer{dir}).Complete(t.Context(), base()); err != nil {
		t.Error(err)
	}
}

// A failure is kept for a replay to repeat, asked again while recording, and gives way to a reply.
func TestFailuresAreRecorded(t *testing.T) {
	dir := t.TempDir()
	down := completer(func(context.Context, Request) (Reply, error) { return Reply{}, errors.New("the server is down") })
	for range 2 {
		if _, err := (Recorder{dir, down}).Complete(t.Context(), Request{}); err == nil {
			t.Fatal("no failure")
		}
	}
	if _, err := (Replayer{dir}).Complete(t.Context(), Request{}); err == nil || err.Error() != "the server is down" {
		t.Errorf("replayed %v", err)
	}
	if _, err := (Recorder{dir, says("up")}).Complete(t.Context(), Request{}); err != nil {
		t.Fatal(err)
	}
	if r, err := (Replayer{dir}).Complete(t.Context(), Request{}); err != nil || r.Text != "up" {
		t.Errorf("replayed %+v, %v", r, err)
	}
}

// A run that is being stopped records no failure: that would be the run's, not the server's.
func TestCancelledIsNotRecorded(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	stop := completer(func(context.Context, Request) (Reply, error) {
		cancel()
		return Reply{}, ctx.Err()
	})
	if _, err := (Recorder{dir, stop}).Complete(ctx, Request{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("the directory holds %v", left)
	}
}

func TestDamagedRecord(t *testing.T) {
	dir := t.TempDir()
	if _, err := (Recorder{dir, says("a")}).Complete(t.Context(), Request{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files(t, dir)[0], []byte(`{"version": 1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Completer{Replayer{dir}, Recorder{dir, never(t)}} {
		if _, err := c.Complete(t.Context(), Request{}); err == nil || !strings.Contains(err.Error(), "holds no recorded reply") {
			t.Error(err)
		}
	}
}
