package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/ledger"
)

// memory is a keeper that remembers the whole file.
type memory struct {
	path   string
	sealed bool
	image  string
	seals  int
}

func (m *memory) Unseal() error { m.sealed = false; return nil }

func (m *memory) Seal(file io.Reader) error {
	image, err := io.ReadAll(file)
	m.sealed, m.image, m.seals = err == nil, string(image), m.seals+1
	return err
}

func (m *memory) check(t *testing.T) {
	t.Helper()
	image, err := os.ReadFile(m.path)
	if err != nil || !m.sealed || string(image) != m.image {
		t.Fatalf("the file is not what the keeper was told (sealed: %v, %v)", m.sealed, err)
	}
}

// TestAKeeperKnowsTheFile writes more than a log holds before it is folded. Between two calls the file does
// not change, a reader keeps no writer waiting, and looking changes nothing.
func TestAKeeperKnowsTheFile(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "l.db")
	s := open(t, path)
	m := &memory{path: path}
	if err := s.Keep(m); err != nil {
		t.Fatal(err)
	}
	m.check(t)
	if _, err := s.Begin(ctx, engine.Header{RunID: "r"}); err != nil {
		t.Fatal(err)
	}
	data := json.RawMessage(`"` + strings.Repeat("x", 60_000) + `"`)
	longest := int64(0)
	var release func() error
	for i := range 300 {
		if i == 50 {
			release = ledger.Hold(t, path)
		}
		if err := s.Write(ctx, engine.Batch{Entries: []engine.Entry{{Seq: i, Kind: engine.LeaseEntry, Data: data}}}); err != nil {
			t.Fatal(err)
		}
		if i == 120 {
			if err := release(); err != nil {
				t.Fatal(err)
			}
		}
		if i%25 == 0 {
			m.check(t)
			r, err := ledger.OpenReader(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(r.Verify(ctx), r.Close()); err != nil {
				t.Fatal(err)
			}
			m.check(t)
		}
		if info, err := os.Stat(path + "-wal"); err == nil {
			longest = max(longest, info.Size())
		}
	}
	if m.seals < 4 || longest > 12<<20 {
		t.Errorf("folded %d times, the longest log has %d bytes", m.seals, longest)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	m.check(t)
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		t.Errorf("closing leaves a log of %d bytes", info.Size())
	}
	if err := ledger.Check(ctx, path); err != nil {
		t.Fatal(err)
	}
	m.check(t)
}

// beside lists the files of a directory but for what the evaluator wrote.
func beside(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "l.db*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestLookingChangesNothing looks at a ledger that is closed, and at one whose writer comes and is killed in
// the meantime.
func TestLookingChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "l.db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	for _, killed := range []bool{false, true, true} {
		r, err := ledger.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
		if killed {
			if err := victim(t, dir, "", 30).Run(); err == nil {
				t.Fatal("the process was not killed")
			}
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("killed %v: closing a reader changed the file (%v)", killed, err)
		}
		if info, err := os.Stat(path + "-wal"); killed && (err != nil || info.Size() == 0) {
			t.Errorf("closing a reader took the log away (%v)", err)
		}
		if files := beside(t, dir); !killed && len(files) != 1 {
			t.Errorf("looking left %v", files)
		}
	}
}

// leaving is a keeper during whose Seal a reader goes away.
type leaving struct {
	memory
	release func() error
}

func (l *leaving) Seal(file io.Reader) error {
	err := l.memory.Seal(file)
	if l.release != nil {
		err = errors.Join(err, l.release())
	}
	return err
}

// TestAReaderLeavesWhileTheLedgerIsClosed has a reader keep the log from being folded and then go: the file
// is sealed by then, so SQLite must not fold the log when it closes.
func TestAReaderLeavesWhileTheLedgerIsClosed(t *testing.T) {
	k := openKept(t)
	l := &leaving{memory: memory{path: k.path}}
	if err := k.Keep(l); err != nil {
		t.Fatal(err)
	}
	k.write(t, 1)
	release := ledger.Hold(t, k.path)
	k.write(t, 3)
	l.release = release
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	l.check(t)
	if err := ledger.Check(t.Context(), k.path); err != nil {
		t.Fatal(err)
	}
	l.check(t)
}

// lookForLock reports, as its exit code, whether another process locks a ledger where SQLite says that the database is in use.
func lookForLock() int {
	f, err := os.Open(os.Getenv(dirKey))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	l := syscall.Flock_t{Type: syscall.F_WRLCK, Start: 0x40000002, Len: 510}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &l); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if l.Type == syscall.F_UNLCK {
		return 1
	}
	return 0
}

// TestSealingKeepsTheLock seals while SQLite has the file open: an older SQLite that looks at it and finds no lock takes
// itself for the last and removes the log, into which the run goes on writing.
func TestSealingKeepsTheLock(t *testing.T) {
	k := openKept(t)
	ledger.Fold(k.Store)
	look := exec.Command(os.Args[0])
	look.Env, look.Stderr = append(os.Environ(), roleKey+"=look", dirKey+"="+k.path), os.Stderr
	if err := look.Run(); err != nil {
		t.Errorf("the ledger is not locked: %v", err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}
