package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var kills = flag.Int("kills", 4, "how many runs of the command line are killed")

// crashSpec is a run of some rounds that commits and seals.
const crashSpec = `version: 1
kind: rule
name: small
data: {problem: landscape, settings: {budget: 20}, seeds: "1:41", sealed: "50:55"}
start: "rule priority(rank, visits, total, prior, depth, n_nodes) { return prior }"
propose: {breeder: {trials: 200, random: 16}}
evolve: {rounds: 6, solved: 1.1}
policies: {acceptance: paired}
`

// adrun is the command line as a process of its own, in a directory that holds the spec as s.yaml.
func adrun(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(dir, "s.yaml")
	if !exists(spec) {
		if err := os.WriteFile(spec, []byte(crashSpec), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"adrun"}, args...)
	cmd.Dir = dir
	return cmd
}

// output runs a command that must succeed.
func output(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return string(out)
}

// sameEnd holds what a directory has come to against the undisturbed run.
func sameEnd(t testing.TB, how, undisturbed, dir, out string) {
	t.Helper()
	want, got := output(t, adrun(t, undisturbed, "log", "latest", "--canonical")), output(t, adrun(t, dir, "log", "latest", "--canonical"))
	if want != got {
		t.Errorf("%s: the canonical log is not that of the undisturbed run:\n%s\nwant:\n%s", how, got, want)
	}
	for _, name := range []string{"best.rule", "history.jsonl", "summary.json"} {
		a, err1 := os.ReadFile(filepath.Join(undisturbed, "runs", "small-1", name))
		b, err2 := os.ReadFile(filepath.Join(dir, out, name))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %s differs (%v)", how, name, err)
		}
	}
	output(t, adrun(t, dir, "doctor", "latest"))
}

// TestKilledRunsResume kills evolve at random instants, and resume too. What 'adrun resume' comes to is the
// undisturbed run.
func TestKilledRunsResume(t *testing.T) {
	base := t.TempDir()
	start := time.Now()
	output(t, adrun(t, base, "evolve", "s.yaml"))
	took := time.Since(start)
	rng := rand.New(rand.NewPCG(3, 4))
	for range *kills {
		dir := t.TempDir()
		var how []string
		args := []string{"evolve", "s.yaml"}
		for range 2 {
			after := time.Duration(rng.Float64() * float64(took))
			how = append(how, args[0]+" killed after "+after.String())
			cmd := adrun(t, dir, args...)
			ctx, cancel := context.WithTimeout(context.Background(), after)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
			_ = cmd.Wait()
			stop()
			cancel()
			args = []string{"resume", "latest"}
		}
		out := filepath.Join("runs", "small-1")
		switch err := adrun(t, dir, "resume", "latest").Run(); {
		case err == nil:
		case !exists(filepath.Join(dir, ".adrun", "runs", "small-1")):
			// It died before there was a run; its empty directory may be there.
			out = "again"
			output(t, adrun(t, dir, "evolve", "s.yaml", "--out", out))
		case !strings.Contains(output(t, adrun(t, dir, "status", "latest")), "done"):
			t.Errorf("%s: resume says %v, and the run is not done", strings.Join(how, ", "), err)
			continue
		}
		sameEnd(t, strings.Join(how, ", "), base, dir, out)
	}
}
