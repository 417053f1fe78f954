package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fullWriter is standard output on a full disk.
type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestLostResults runs verbs whose results cannot be written: none may end as if they had been.
func TestLostResults(t *testing.T) {
	rule := filepath.Join(t.TempDir(), "a.rule")
	text := "signature demo.a(x: num in [0, 1]) -> num\nrule a {return x}\n"
	if err := os.WriteFile(rule, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--help"}, {"help", "fmt"}, {"fmt", rule}, {"fmt", "-d", rule}, {"eval", rule, "x=1"}, {"eval", rule, "x=1", "--json"},
		{"eval", rule, "--csv", "-"}, {"cost", rule}, {"prove", rule}, {"prove", rule, "--json"}, {"explain", rule}, {"test", rule},
		{"export", rule, "--to", "c"}, {"export", rule, "--to", "c", "--out", t.TempDir()}, {"schema"}, {"grammar"}, {"version"},
		{"check", "--json", rule}, {"score", "landscape", "--rule", "-"},
	} {
		in := "x\n0.5\n"
		if args[0] == "score" {
			in = "rule priority { return rank }\n"
		}
		var stderr bytes.Buffer
		code := run(context.Background(), args, strings.NewReader(in), fullWriter{}, &stderr)
		if code != exitFinding || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%q ended with %d and said %q", args, code, stderr.String())
		}
		if code := run(context.Background(), args, strings.NewReader(in), io.Discard, io.Discard); args[1%len(args)] != "-d" && code != exitFine {
			t.Errorf("%q ended with %d where results can be written", args, code)
		}
	}
}

// TestEndsInOrder: ^C ends a verb that reads a terminal at once, and a run in order.
func TestEndsInOrder(t *testing.T) {
	if endsInOrder([]string{"fmt", "-"}) || endsInOrder([]string{"export", "a.rule"}) || endsInOrder(nil) {
		t.Error("a verb that has nothing to end in order waits for a second ^C")
	}
	for _, verb := range []string{"evolve", "resume", "watch", "score", "meta", "bench"} {
		if !endsInOrder([]string{verb, "x"}) {
			t.Errorf("%s is cut off", verb)
		}
	}
}
