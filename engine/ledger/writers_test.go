package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/ledger"
	"github.com/agentdescent/adrun/slots"
)

const (
	processes = 2
	writers   = 4 // a process
	nameKey   = "ADRUN_LEDGER_TEST_NAME"
	countKey  = "ADRUN_LEDGER_TEST_COUNT"
)

// runWriters lets the writers of one process commit to the same artifact, each from a handle of its own,
// and prints what they saw.
func runWriters(ctx context.Context) int {
	count, _ := strconv.Atoi(os.Getenv(countKey))
	var wg sync.WaitGroup
	errs := make([]error, writers)
	won, lost := make([]int, writers), make([]int, writers)
	for i := range writers {
		wg.Go(func() {
			id := os.Getenv(nameKey) + "-" + strconv.Itoa(i)
			won[i], lost[i], errs[i] = write(ctx, filepath.Join(os.Getenv(dirKey), "l.db"), id, count)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for i := range writers {
		fmt.Println(won[i], lost[i])
	}
	return 0
}

// write makes count commits, each from the head that the writer knows, which others keep moving.
func write(ctx context.Context, path, run string, count int) (won, lost int, err error) {
	s, err := ledger.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	stored, err := s.Begin(ctx, engine.Header{RunID: run})
	if err != nil {
		return 0, 0, err
	}
	head := stored.Dev["a"]
	rng := rand.New(rand.NewPCG(uint64(run[1]), uint64(run[len(run)-1]))) // p0-0 to p1-3
	for won < count {
		// A candidate takes a while to measure; meanwhile others commit.
		time.Sleep(time.Duration(rng.IntN(1000)) * time.Microsecond)
		text := run + " " + strconv.Itoa(won)
		c := engine.Commit{
			RunID: run, Artifact: "a", Version: head.Version + 1, Parent: head.Hash, Outcome: slots.Committed,
			Proposal: run + "/" + strconv.Itoa(won), Diff: slots.Write("k", text), State: slots.State{"k": text},
		}
		if err := c.Seal(); err != nil {
			return won, lost, err
		}
		err := s.Write(ctx, engine.Batch{
			Entries: []engine.Entry{{Seq: won, Kind: engine.MergeEntry, Data: []byte(strconv.Quote(text))}},
			Commits: []engine.Commit{c},
		})
		var race *engine.RaceError
		switch {
		case err == nil:
			won++
			head = engine.Ref{Artifact: "a", Version: c.Version, Hash: c.Hash, State: c.State}
		case errors.As(err, &race):
			lost++
			if race.Head.Hash == head.Hash {
				return won, lost, fmt.Errorf("a race was lost to the head that the writer knew, version %d", head.Version)
			}
			head = race.Head
		default:
			return won, lost, err
		}
	}
	return won, lost, nil
}

// TestWriters lets 8 writers in 2 processes commit to one artifact of one ledger: every commit is there,
// in one chain, and every lost race was seen as one.
func TestWriters(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	each := max(1, *commits/(processes*writers))
	cmds := make([]*exec.Cmd, processes)
	outs := make([]bytes.Buffer, processes)
	for i := range cmds {
		cmds[i] = exec.Command(os.Args[0])
		cmds[i].Env = append(os.Environ(), roleKey+"=write", dirKey+"="+dir, nameKey+"=p"+strconv.Itoa(i), countKey+"="+strconv.Itoa(each))
		cmds[i].Stdout, cmds[i].Stderr = &outs[i], os.Stderr
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	lost := 0
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		for range writers {
			var w, l int
			if _, err := fmt.Fscan(&outs[i], &w, &l); err != nil || w != each {
				t.Fatalf("a writer of process %d made %d commits of %d: %v", i, w, each, err)
			}
			lost += l
		}
	}
	path := filepath.Join(dir, "l.db")
	if err := ledger.Check(ctx, path); err != nil {
		t.Fatal(err)
	}
	r, err := ledger.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	all, err := r.Commits(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if want := each * processes * writers; len(all) != want {
		t.Errorf("%d commits, want %d", len(all), want)
	}
	seen := map[string]bool{}
	for i, c := range all {
		if c.Version != i+1 || seen[c.Proposal] {
			t.Fatalf("commit %d of the file has version %d and proposal %s", i+1, c.Version, c.Proposal)
		}
		seen[c.Proposal] = true
	}
	t.Logf("%d commits, %d lost races", len(all), lost)
}
