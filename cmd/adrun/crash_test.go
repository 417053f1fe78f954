package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/engine/trajectory"
)

var kills = flag.Int("kills", 20, "how many processes of the command line are killed")

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

// evaluatorSpec is a run whose evaluator writes each of its calls down before it answers.
const evaluatorSpec = `version: 1
kind: text
name: small
start: "10"
data: {problem: command, command: [sh, eval.sh], tasks: tasks.jsonl}
propose: {program: {command: [sh, propose.sh]}}
evolve: {rounds: 6, solved: 1.1}
`

// bredSpec is a run whose breeder tries rules on such an evaluator.
const bredSpec = `version: 1
kind: rule
name: small
start: "rule score(x) { return x }"
data: {problem: command, command: [sh, eval.sh], tasks: tasks.jsonl, signature: "signature toy.score(x: num in [0, 1]) -> num"}
propose: {breeder: {trials: 28, random: 8}}
evolve: {rounds: 3, solved: 1.1}
`

const crashEvaluator = `while IFS= read -r request; do
	id=${request#*\"id\":}; id=${id%%[!0-9]*}
	text=${request#*\"rule\":\"}; text=${text%%\"*}
	task=${request##*\"id\":\"}; task=${task%%\"*}
	printf '%s %s\n' "$text" "$task" >>calls
	case $text in
	*[!0-9]*) score=$((100 + ${#text} % 800)) ;; # a rule
	*) score=$text ;;
	esac
	echo "{\"id\":$id,\"score\":0.$score}"
done
`

const crashProposer = `while IFS= read -r request; do
	id=${request#*\"id\":}; id=${id%%[!0-9]*}
	text=${request#*\"rule\":\"}; text=${text%%\"*}
	seed=${request##*\"seed\":}; seed=${seed%%[!0-9]*}
	echo "{\"id\":$id,\"proposal\":\"$((text + seed % 4 - 1))\"}"
done
`

// crash is a kind of run that is killed.
type crash struct {
	name, spec string
	// exact says that the run is a function of its spec, logged that its evaluator writes its calls down.
	exact, logged bool
}

func crashes() []crash {
	order := func(spec, order string) string {
		return strings.Replace(spec, "solved: 1.1", "solved: 1.1, order: "+order, 1)
	}
	return []crash{
		{"rounds", crashSpec, true, false},
		{"window", order(crashSpec, "window"), true, false},
		{"arrival", order(crashSpec, "arrival"), false, false},
		{"evaluator", evaluatorSpec, true, true},
		{"evaluator, window", order(evaluatorSpec, "window"), true, true},
		{"evaluator, bred", bredSpec, true, true},
	}
}

// install writes the spec and what it names into a directory.
func (c crash) install(t testing.TB, dir string) {
	t.Helper()
	var tasks strings.Builder
	for i := range 12 {
		fmt.Fprintf(&tasks, "{\"id\":\"t%d\"}\n", i)
	}
	for name, text := range map[string]string{"s.yaml": c.spec, "eval.sh": crashEvaluator, "propose.sh": crashProposer, "tasks.jsonl": tasks.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// adrun is the command line as a process of its own, in a directory.
func adrun(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
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

func canonicalLog(t testing.TB, dir string) string {
	t.Helper()
	return output(t, adrun(t, dir, "log", "latest", "--canonical"))
}

// calls counts what the evaluator wrote down.
func calls(t testing.TB, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}

// sameEnd holds what a directory has come to against the undisturbed run.
func sameEnd(t testing.TB, how, undisturbed, dir, out string) {
	t.Helper()
	if want, got := canonicalLog(t, undisturbed), canonicalLog(t, dir); want != got {
		t.Errorf("%s: the canonical log is not that of the undisturbed run:\n%s\nwant:\n%s", how, got, want)
	}
	best := "best.rule"
	if exists(filepath.Join(undisturbed, "runs", "small-1", "best.txt")) {
		best = "best.txt"
	}
	for _, name := range []string{best, "history.jsonl", "summary.json"} {
		a, err1 := os.ReadFile(filepath.Join(undisturbed, "runs", "small-1", name))
		b, err2 := os.ReadFile(filepath.Join(dir, out, name))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %s differs (%v)", how, name, err)
		}
	}
	if d := cmp.Diff(rollouts(t, undisturbed), rollouts(t, dir)); d != "" {
		t.Errorf("%s: the trajectories differ (-undisturbed +resumed):\n%s", how, d)
	}
	output(t, adrun(t, dir, "doctor", "latest"))
}

// rollouts are the trajectories of a run by lease. The last line of a lease counts.
func rollouts(t testing.TB, dir string) map[int]trajectory.Record {
	t.Helper()
	all := map[int]trajectory.Record{}
	err := trajectory.Read(filepath.Join(dir, ".adrun", "runs", "small-1", "trajectories"), func(r trajectory.Record) error {
		all[r.Lease.Lease] = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestKilledRunsResume kills evolve and resume at random instants, with kill -9 and, one time in four, SIGTERM. What
// 'adrun resume' comes to is the undisturbed run, and each kill costs at most one evaluation a lane.
func TestKilledRunsResume(t *testing.T) {
	for i, c := range crashes() {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath("sh"); c.logged && err != nil {
				t.Skip("sh is not installed") // the evaluator is a script; adrun itself needs no shell
			}
			base := t.TempDir()
			c.install(t, base)
			start := time.Now()
			output(t, adrun(t, base, "evolve", "s.yaml"))
			d := disturber{crash: c, base: base, took: time.Since(start), rng: rand.New(rand.NewPCG(3, uint64(i)))}
			share := (*kills + len(crashes()) - 1) / len(crashes())
			for runs := 0; d.killed < share; runs++ {
				if runs > 20*share {
					t.Fatalf("%d runs, and only %d were killed", runs, d.killed)
				}
				d.run(t)
			}
			t.Logf("%d processes killed by -9, %d by SIGTERM", d.killed, d.terminated)
		})
	}
}

// disturber kills runs.
type disturber struct {
	crash
	base               string
	took               time.Duration // of the undisturbed run
	rng                *rand.Rand
	killed, terminated int
}

// run kills a run twice and resumes it.
func (d *disturber) run(t *testing.T) {
	dir, before := t.TempDir(), d.killed+d.terminated
	d.install(t, dir)
	var how []string
	prefix := ""
	for _, args := range [][]string{{"evolve", "s.yaml"}, {"resume", "latest"}} {
		how = append(how, args[0]+" "+d.disturb(t, adrun(t, dir, args...)))
		if exists(filepath.Join(dir, ".adrun", "runs", "small-1", "ledger.db")) {
			if log, err := adrun(t, dir, "log", "latest", "--canonical").Output(); err == nil {
				if !strings.HasPrefix(string(log), prefix) {
					t.Fatalf("%s: what the log had is gone:\n%s\nit was:\n%s", strings.Join(how, ", "), log, prefix)
				}
				prefix = string(log)
			}
		}
	}
	text, out := strings.Join(how, ", "), filepath.Join("runs", "small-1")
	switch err := adrun(t, dir, "resume", "latest").Run(); {
	case err == nil:
	case !exists(filepath.Join(dir, ".adrun", "runs", "small-1")):
		// It died before there was a run; its empty directory may be there.
		out = "again"
		output(t, adrun(t, dir, "evolve", "s.yaml", "--out", out))
	case !strings.Contains(output(t, adrun(t, dir, "status", "latest")), "done"):
		t.Errorf("%s: resume says %v, and the run is not done", text, err)
		return
	}
	if d.exact {
		sameEnd(t, text, d.base, dir, out)
	} else {
		d.wholeEnd(t, text, dir, prefix)
	}
	const lanes = 4
	if d.logged {
		most, disturbances := calls(t, d.base), d.killed+d.terminated-before
		if got := calls(t, dir); got > most+lanes*disturbances {
			t.Errorf("%s: %d evaluations, undisturbed %d", text, got, most)
		}
	}
}

// disturb kills a command at a random instant, unless it is done before, and says how.
func (d *disturber) disturb(t *testing.T, cmd *exec.Cmd) string {
	after, sig := time.Duration(d.rng.Float64()*float64(d.took)), syscall.SIGKILL
	if d.rng.IntN(4) == 0 {
		sig = syscall.SIGTERM
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Signal(sig) })
	err := cmd.Wait()
	timer.Stop()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if cmd.Args[1] == "evolve" {
			d.took = min(d.took, time.Since(start)) // the machine was slower when it was measured
		}
		return "done before " + after.String()
	}
	how := fmt.Sprintf("%v after %s", sig, after)
	switch ws, text := exit.Sys().(syscall.WaitStatus), stderr.String(); {
	case ws.Signaled() && ws.Signal() == syscall.SIGKILL:
		d.killed++
	case ws.Signaled() && ws.Signal() == syscall.SIGTERM, strings.Contains(text, "adrun: interrupted "):
		d.terminated++
	case strings.Contains(text, "holds no run"), strings.Contains(text, "is done"):
		return "with nothing to resume"
	default:
		t.Errorf("%s: %v\n%s", how, err, text)
	}
	return how
}

var leaseNumber = regexp.MustCompile(`(?m)^(lease \{"lease":\d+|commit \{.*?"version":\d+),`)

// wholeEnd checks a run that is not a function of its spec: what was in the log stays, nothing is in it twice, and it
// comes to its end.
func (d *disturber) wholeEnd(t *testing.T, how, dir, prefix string) {
	log := canonicalLog(t, dir)
	if !strings.HasPrefix(log, prefix) {
		t.Errorf("%s: what was acknowledged is gone:\n%s\nit was:\n%s", how, log, prefix)
	}
	seen := map[string]bool{}
	for _, id := range leaseNumber.FindAllString(log, -1) {
		if seen[id] {
			t.Errorf("%s: %s stands twice in the log", how, id)
		}
		seen[id] = true
	}
	if len(seen) < 24 || strings.Count(log, "\nend ") != 1 {
		t.Errorf("%s: the log has %d leases and commits, and %d ends", how, len(seen), strings.Count(log, "\nend "))
	}
	output(t, adrun(t, dir, "doctor", "latest"))
}
