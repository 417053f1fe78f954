package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/ledger"
)

// The environment of a victim: where it works, whether it runs barrier-free, and after how many durable
// writes it kills itself (-1: never).
const (
	dirKey   = "ADRUN_LEDGER_TEST_DIR"
	asyncKey = "ADRUN_LEDGER_TEST_ASYNC"
	writeKey = "ADRUN_LEDGER_TEST_WRITES"
)

// lethal is a ledger whose process dies, as by kill -9, when so many writes are durable.
type lethal struct {
	*ledger.Store
	mu   sync.Mutex
	left int
}

func (l *lethal) Write(ctx context.Context, b engine.Batch) error {
	return l.count(l.Store.Write(ctx, b))
}

func (l *lethal) PutOutcome(ctx context.Context, key string, o engine.Outcome) error {
	return l.count(l.Store.PutOutcome(ctx, key, o))
}

func (l *lethal) count(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left--; l.left == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
	return err
}

// runVictim makes the run of the crash test, in a process of its own. The evaluator's calls stand in a
// file, a line each.
func runVictim(ctx context.Context) int {
	dir := os.Getenv(dirKey)
	writes, _ := strconv.Atoi(os.Getenv(writeKey))
	calls, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, err := ledger.Open(filepath.Join(dir, "l.db"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	l := &lethal{Store: s, left: writes}
	c := hillConfig(l, hill{dear: true, call: func(candidate, task string) {
		fmt.Fprintf(calls, "%s %s\n", candidate, task)
	}})
	c.Parallel.Workers = 16
	c.Parallel.Async.On = os.Getenv(asyncKey) != ""
	if _, err := engine.Run(ctx, c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := s.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(writes - l.left)
	return 0
}

// victim starts a run in its own process.
func victim(t *testing.T, dir string, async bool, writes int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleKey+"=run", dirKey+"="+dir, writeKey+"="+strconv.Itoa(writes))
	if async {
		cmd.Env = append(cmd.Env, asyncKey+"=1")
	}
	cmd.Stderr = os.Stderr
	return cmd
}

// ended is what a directory holds when the run is done: its canonical log and its evaluator's calls.
func ended(t *testing.T, dir string) (log string, calls int) {
	t.Helper()
	ctx, path := context.Background(), filepath.Join(dir, "l.db")
	if err := ledger.Check(ctx, path); err != nil {
		t.Fatal(err)
	}
	r, err := ledger.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := r.Entries(ctx, "run", 0)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return canonical(entries), strings.Count(string(text), "\n")
}

// TestKills kills real processes, half of them after the n-th durable write, every n in turn or evenly
// spread, half at random instants. Each resume must end in the canonical log of the undisturbed run, and
// pay for at most one evaluation a lane twice.
func TestKills(t *testing.T) {
	for _, mode := range []struct {
		name  string
		async bool
	}{{"rounds", false}, {"barrier-free", true}} {
		t.Run(mode.name, func(t *testing.T) { testKills(t, mode.async, max(2, *kills/2)) })
	}
}

func testKills(t *testing.T, async bool, n int) {
	base := t.TempDir()
	start := time.Now()
	out, err := victim(t, base, async, -1).Output()
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	writes, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || writes < 50 {
		t.Fatalf("the run makes %q durable writes", out)
	}
	want, most := ended(t, base)
	const lanes = 4
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		dir, how := t.TempDir(), ""
		if i%2 == 0 {
			at := 1 + (i/2)*(writes-1)/max(1, (n+1)/2)
			how = fmt.Sprintf("killed after %d of %d durable writes", at, writes)
			err = victim(t, dir, async, at).Run()
		} else {
			after := time.Duration(rng.Float64() * float64(took))
			how = fmt.Sprintf("killed after %s of %s", after, took)
			err = killAfter(t, victim(t, dir, async, -1), after)
		}
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL) {
			t.Fatalf("%s: %v", how, err)
		}
		if err := victim(t, dir, async, -1).Run(); err != nil {
			t.Fatalf("%s, resumed: %v", how, err)
		}
		got, calls := ended(t, dir)
		if got != want {
			t.Fatalf("%s: the resumed log is not that of the undisturbed run:\n%s\nwant:\n%s", how, got, want)
		}
		if calls > most+lanes {
			t.Errorf("%s: %d evaluations, undisturbed %d", how, calls, most)
		}
	}
}

// killAfter kills a process at an instant, unless it is done before.
func killAfter(t *testing.T, cmd *exec.Cmd, d time.Duration) error {
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(d, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	return cmd.Wait()
}
