package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
)

var flips = flag.Int("flips", 60, "how many bytes of a ledger are flipped")

// TestDoctorFindsFlippedBytes flips bytes anywhere in the ledger of a run that is done, and of one that was killed
// in its second life: each is found.
func TestDoctorFindsFlippedBytes(t *testing.T) {
	small := crashes()[0]
	t.Run("done", func(t *testing.T) {
		dir := t.TempDir()
		small.install(t, dir)
		output(t, adrun(t, dir, "evolve", "s.yaml"))
		flipAnywhere(t, dir, "ledger.db", *flips)
	})
	t.Run("killed", func(t *testing.T) {
		dir := t.TempDir()
		long := crash{spec: strings.Replace(crashSpec, "rounds: 6", "rounds: 60", 1)}
		long.install(t, dir)
		killInRound(t, adrun(t, dir, "evolve", "s.yaml"), dir, syscall.SIGTERM)
		killInRound(t, adrun(t, dir, "resume", "latest"), dir, syscall.SIGKILL)
		flipAnywhere(t, dir, "ledger.db", *flips)
		flipAnywhere(t, dir, "ledger.db-wal", *flips)
		for name, want := range map[string]string{"ledger.db": "is not as its process left it", "ledger.db-wal": "write-ahead log: frame"} {
			flipOne(t, dir, name)
			out, err := adrun(t, dir, "resume", "latest").CombinedOutput()
			if err == nil || !strings.Contains(string(out), want) {
				t.Errorf("with a flipped byte in %s, resume says %v\n%s", name, err, out)
			}
			flipOne(t, dir, name)
		}
		output(t, adrun(t, dir, "resume", "latest"))
	})
}

// flipOne flips a byte in the middle of a file of the run.
func flipOne(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, ".adrun", "runs", "small-1", name)
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	image[len(image)/2] ^= 8
	if err := os.WriteFile(path, image, 0o644); err != nil {
		t.Fatal(err)
	}
}

// killInRound ends a process when it has added a round to its ledger. One that ends before is an error.
func killInRound(t *testing.T, cmd *exec.Cmd, dir string, sig syscall.Signal) {
	t.Helper()
	run := filepath.Join(dir, ".adrun", "runs", "small-1")
	before, _ := rowsOf(run) // 0 before there is a run
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for n, err := rowsOf(run); err != nil || n <= before; n, err = rowsOf(run) {
		select {
		case err := <-ended:
			t.Fatalf("%v ended before it added a round: %v\n%s", cmd.Args, err, stderr.String())
		case <-time.After(time.Millisecond): // the ledger is another process's, which tells nobody of a round: look again
		}
	}
	_ = cmd.Process.Signal(sig)
	if err := <-ended; err == nil {
		t.Fatalf("%v was done before it could be killed", cmd.Args)
	}
}

// flipAnywhere flips n bytes of a file of the run, one at a time, at the ends of the file and where chance has it.
func flipAnywhere(t *testing.T, dir, name string, n int) {
	t.Helper()
	path := filepath.Join(dir, ".adrun", "runs", "small-1", name)
	image, err := os.ReadFile(path)
	if err != nil || len(image) < 1000 {
		t.Fatalf("%s has %d bytes: %v", name, len(image), err)
	}
	if strings.HasSuffix(name, "-wal") {
		// A frame that was being written when the process was killed is nothing that was acknowledged.
		const header, frame = 32, 24 + 4096
		image = image[:header+(len(image)-header)/frame*frame]
	}
	a := &app{stdout: new(bytes.Buffer), stderr: new(bytes.Buffer)}
	doctor := func() error {
		return a.doctor(t.Context(), "latest", statusFlags{store: runs.Store{Root: filepath.Join(dir, ".adrun", "runs")}})
	}
	if err := doctor(); err != nil {
		t.Fatalf("before anything is flipped: %v\n%s", err, a.stdout)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	flipped := bytes.Clone(image)
	for i := range n {
		at := rng.IntN(len(image))
		switch i {
		case 0:
			at = 0
		case 1:
			at = len(image) - 1
		}
		flipped[at] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(path, flipped, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := doctor(); !errors.Is(err, errFindings) {
			t.Errorf("byte %d of the %d of %s: doctor says %v", at, len(image), name, err)
		}
		flipped[at] = image[at]
	}
	if err := os.WriteFile(path, image, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := doctor(); err != nil {
		t.Errorf("when every byte is back, doctor says %v\n%s", err, a.stdout)
	}
	if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, image) {
		t.Errorf("doctor changed %s (%v)", name, err)
	}
	t.Logf("%d of %d bytes of %s flipped", n, len(image), name)
}

// TestInterruptedBeforeItBegins is a signal that comes while the ledger is opened.
func TestInterruptedBeforeItBegins(t *testing.T) {
	t.Chdir(t.TempDir())
	crashes()[0].install(t, ".")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"evolve", "s.yaml"}, nil, &stdout, &stderr); code != exitFinding {
		t.Errorf("exit %d", code)
	}
	if text := stderr.String(); !strings.Contains(text, "interrupted while the run was being opened: 'adrun resume small-1' goes on") {
		t.Errorf("%s", text)
	}
	if code := run(t.Context(), []string{"resume", "latest"}, nil, &stdout, &stderr); code != exitFine {
		t.Errorf("resume: exit %d\n%s", code, stderr.String())
	}
	if _, err := os.Stat(filepath.Join("runs", "small-1", "best.rule")); errors.Is(err, fs.ErrNotExist) {
		t.Error("the resumed run wrote nothing")
	}
}

// TestDoctorMeetsARunThatBegins looks when the process has opened the ledger and not made its tables yet.
func TestDoctorMeetsARunThatBegins(t *testing.T) {
	store := runs.Store{Root: t.TempDir()}
	r, err := store.Create(runs.Info{Name: "small", Seed: 1}, []byte(crashSpec))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := r.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.LedgerPath(), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	a := &app{stdout: &stdout, stderr: new(bytes.Buffer)}
	if err := a.doctor(t.Context(), "latest", statusFlags{store: store}); err != nil || !strings.Contains(stdout.String(), "the run has not begun") {
		t.Errorf("%v\n%s", err, stdout.String())
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}
