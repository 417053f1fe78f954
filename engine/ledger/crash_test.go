package ledger_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/ledger"
)

// The environment of a victim: where it works, the order of a barrier-free run ("": rounds), and after how
// many durable writes it kills itself (-1: never).
const (
	dirKey   = "ADRUN_LEDGER_TEST_DIR"
	orderKey = "ADRUN_LEDGER_TEST_ORDER"
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
	c.Parallel.Async.Order = engine.Order(os.Getenv(orderKey))
	c.Parallel.Async.On = c.Parallel.Async.Order != ""
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
func victim(t *testing.T, dir string, order engine.Order, writes int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleKey+"=run", dirKey+"="+dir, orderKey+"="+string(order), writeKey+"="+strconv.Itoa(writes))
	cmd.Stderr = os.Stderr
	return cmd
}

// stored is the canonical log that a directory's ledger holds, "" when there is none.
func stored(t *testing.T, dir string) string {
	t.Helper()
	ctx, path := context.Background(), filepath.Join(dir, "l.db")
	r, err := ledger.OpenReader(path)
	if err != nil {
		return "" // killed before there was a ledger
	}
	defer func() { _ = r.Close() }()
	if known, err := r.Runs(ctx); err != nil || len(known) == 0 {
		return ""
	}
	entries, err := r.Entries(ctx, "run", 0)
	if err != nil {
		t.Fatal(err)
	}
	return canonical(entries)
}

// ended is what a directory holds when the run is done: its canonical log and its evaluator's calls.
func ended(t *testing.T, dir string) (log string, calls []string) {
	t.Helper()
	if err := ledger.Check(context.Background(), filepath.Join(dir, "l.db")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return stored(t, dir), strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// TestKills kills real processes, half of them after the n-th durable write, every n in turn or evenly
// spread, half at random instants. Each resume must end in the canonical log of the undisturbed run, and
// pay for at most one evaluation a lane twice.
func TestKills(t *testing.T) {
	for _, order := range []engine.Order{"", engine.Window, engine.Arrival} {
		t.Run(cmp.Or(string(order), "rounds"), func(t *testing.T) { testKills(t, order, (*kills+2)/3) })
	}
}

const lanes = 4

func testKills(t *testing.T, order engine.Order, n int) {
	base := t.TempDir()
	start := time.Now()
	out, err := victim(t, base, order, -1).Output()
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	writes, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || writes < 50 {
		t.Fatalf("the run makes %q durable writes", out)
	}
	want, most := ended(t, base)
	rng := rand.New(rand.NewPCG(1, 2))
	afterWrite, atRandom, late := 0, 0, 0
	for i := 0; afterWrite+atRandom < n; i++ {
		dir, how := t.TempDir(), ""
		counter := &atRandom
		if i%2 == 0 {
			at := 1 + i/2*max(1, 2*writes/n)%writes
			how, counter = fmt.Sprintf("killed after %d of %d durable writes", at, writes), &afterWrite
			err = victim(t, dir, order, at).Run()
		} else {
			after := time.Duration(rng.Float64() * float64(took))
			how = fmt.Sprintf("killed after %s of %s", after, took)
			start = time.Now()
			if err = killAfter(t, victim(t, dir, order, -1), after); err == nil {
				took = min(took, time.Since(start)) // the machine was slower when it was measured
			}
		}
		var exit *exec.ExitError
		switch {
		case err == nil:
			if late++; late > 2*n {
				t.Fatalf("of %d processes %d were done before they could be killed", i+1, late)
			}
		case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
			*counter++
		default:
			t.Fatalf("%s: %v", how, err)
		}
		before := stored(t, dir)
		if err := victim(t, dir, order, -1).Run(); err != nil {
			t.Fatalf("%s, resumed: %v", how, err)
		}
		got, calls := ended(t, dir)
		if order == engine.Arrival {
			repeatedNothing(t, how, before, got, calls)
			continue
		}
		if got != want {
			t.Fatalf("%s: the resumed log is not that of the undisturbed run:\n%s\nwant:\n%s", how, got, want)
		}
		if len(calls) > len(most)+lanes {
			t.Errorf("%s: %d evaluations, undisturbed %d", how, len(calls), len(most))
		}
	}
	t.Logf("%d processes killed after a durable write, of %d, and %d at random instants", afterWrite, writes, atRandom)
}

var once = regexp.MustCompile(`(?m)^(lease \{"lease":\d+|commit \{.*?"version":\d+),`)

// repeatedNothing checks a run that is no function of its spec: what it had acknowledged is still there,
// nothing is in its log twice, and at most an evaluation a lane was made twice.
func repeatedNothing(t *testing.T, how, before, log string, calls []string) {
	t.Helper()
	if !strings.HasPrefix(log, before) {
		t.Fatalf("%s: what was acknowledged is gone:\n%s\nit was:\n%s", how, log, before)
	}
	all := once.FindAllString(log, -1)
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(all) || len(all) < 6*lanes {
		t.Errorf("%s: of the leases and commits some are missing, or there twice: %v", how, all)
	}
	if strings.Count(log, "\nend ") != 1 {
		t.Errorf("%s: the run has not one end:\n%s", how, log)
	}
	slices.Sort(calls)
	if again := len(calls) - len(slices.Compact(slices.Clone(calls))); again > lanes {
		t.Errorf("%s: %d of %d evaluations were made twice", how, again, len(calls))
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
