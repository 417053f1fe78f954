package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/ledger"
)

// The sizes of a log's header, of a frame's header and of a frame.
const (
	logHeader   = 32
	frameHeader = 24
	frame       = frameHeader + 4096
)

// kept is a ledger with a keeper, and how often it was written.
type kept struct {
	*ledger.Store
	path string
	seq  int
}

func openKept(t *testing.T) *kept {
	t.Helper()
	k := &kept{path: filepath.Join(t.TempDir(), "l.db")}
	k.Store = open(t, k.path)
	if err := k.Keep(&memory{path: k.path}); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Begin(t.Context(), engine.Header{RunID: "r"}); err != nil {
		t.Fatal(err)
	}
	return k
}

// write makes entries of a page each, in one transaction.
func (k *kept) write(t *testing.T, pages int) {
	t.Helper()
	if err := k.try(t, pages); err != nil {
		t.Fatal(err)
	}
}

func (k *kept) try(t *testing.T, pages int) error {
	var b engine.Batch
	data := json.RawMessage(`"` + strings.Repeat("x", 4000) + `"`)
	for i := range pages {
		b.Entries = append(b.Entries, engine.Entry{Seq: k.seq + i, Kind: engine.LeaseEntry, Data: data})
	}
	err := k.Write(t.Context(), b)
	if err == nil {
		k.seq += pages
	}
	return err
}

// image is what the ledger's file and its log are.
type image struct{ db, log []byte }

func (k *kept) image(t *testing.T) image {
	t.Helper()
	db, err1 := os.ReadFile(k.path)
	log, err2 := os.ReadFile(k.path + "-wal")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return image{db, log}
}

func (i image) check(t *testing.T, log []byte) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.db")
	if err := errors.Join(os.WriteFile(path, i.db, 0o644), os.WriteFile(path+"-wal", log, 0o644)); err != nil {
		t.Fatal(err)
	}
	return ledger.Check(t.Context(), path)
}

// readWhileFolded folds the log while somebody reads its end: everything is in the file then, and the log
// starts anew over its own remains.
func (k *kept) readWhileFolded(t *testing.T) {
	t.Helper()
	release := ledger.Hold(t, k.path)
	ledger.Fold(k.Store)
	if err := release(); err != nil {
		t.Fatal(err)
	}
}

// TestATornFrameOverAnOldLog has a process die while it writes over an old log, at every frame of it.
func TestATornFrameOverAnOldLog(t *testing.T) {
	for _, pages := range []int{1, 3} {
		k := openKept(t)
		ledger.Fold(k.Store)
		k.write(t, pages)
		k.readWhileFolded(t)
		old := k.image(t)
		slots := (len(old.log) - logHeader) / frame
		k.write(t, 2*slots)
		log := k.image(t).log
		if bytes.Equal(log[:logHeader], old.log[:logHeader]) || slots < pages {
			t.Fatalf("the log of %d frames did not start anew over the remains of %d", (len(log)-logHeader)/frame, slots)
		}
		for slot := range slots {
			for _, written := range []int{0, 10, frameHeader, frameHeader + 1000} {
				at := logHeader + slot*frame + written
				torn := append(bytes.Clone(log[:at]), old.log[at:]...)
				if err := old.check(t, torn); err != nil {
					t.Errorf("%d bytes of frame %d, over %d frames: %v", written, slot, slots, err)
				}
			}
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAFlippedByteOverAnOldLog damages what was acknowledged in a log that has started anew over its remains.
func TestAFlippedByteOverAnOldLog(t *testing.T) {
	k := openKept(t)
	for range 20 {
		k.write(t, 1)
	}
	k.readWhileFolded(t)
	k.write(t, 1)
	k.write(t, 1)
	now := k.image(t)
	if err := now.check(t, now.log); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(now.log); at += 97 {
		now.log[at] ^= 4
		var damage *ledger.DamageError
		if err := now.check(t, now.log); !errors.As(err, &damage) {
			t.Fatalf("flipped byte %d of %d: %v", at, len(now.log), err)
		}
		now.log[at] ^= 4
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFoldingBesideOutcomes folds again and again beside a reader, while outcomes are stored.
func TestFoldingBesideOutcomes(t *testing.T) {
	k := openKept(t)
	k.write(t, 1)
	release := ledger.Hold(t, k.path)
	stored := make(chan error)
	const writers, each = 4, 60
	for w := range writers {
		go func() {
			var err error
			for i := range each {
				o := engine.Outcome{Failure: strings.Repeat("x", 100*i)}
				err = errors.Join(err, k.PutOutcome(t.Context(), fmt.Sprint(w, i), o))
			}
			stored <- err
		}()
	}
	for left := writers; left > 0; {
		select {
		case err := <-stored:
			if left--; err != nil {
				t.Error(err)
			}
		default:
			ledger.Fold(k.Store)
		}
	}
	now := k.image(t)
	if err := now.check(t, now.log); err != nil {
		t.Error(err)
	}
	if err := errors.Join(release(), k.Close()); err != nil {
		t.Fatal(err)
	}
}

// killed is what is left of a ledger, to be opened, whose process was killed in a transaction of several frames.
func killed(t *testing.T) *kept {
	t.Helper()
	k := openKept(t)
	k.write(t, 1)
	left := &kept{path: filepath.Join(t.TempDir(), "l.db"), seq: k.seq}
	k.write(t, 5)
	now := k.image(t)
	err := errors.Join(os.WriteFile(left.path, now.db, 0o644), os.WriteFile(left.path+"-wal", now.log[:len(now.log)-frame], 0o644), k.Close())
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// TestAnUnfinishedTransactionIsOverwritten goes on, beside a reader, with the ledger of a process that was killed
// in a transaction of several frames, and is killed before it has written as much.
func TestAnUnfinishedTransactionIsOverwritten(t *testing.T) {
	again := killed(t)
	release := ledger.Hold(t, again.path)
	again.Store = open(t, again.path)
	if err := again.Keep(&memory{path: again.path}); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Begin(t.Context(), engine.Header{RunID: "r"}); err != nil {
		t.Fatal(err)
	}
	again.write(t, 1)
	left := again.image(t)
	if err := left.check(t, left.log); err != nil {
		t.Error(err)
	}
	if err := errors.Join(release(), again.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestAnUnfinishedTransactionWithoutAKeeper is the same with a ledger that several processes may write: it is cut when it is opened.
func TestAnUnfinishedTransactionWithoutAKeeper(t *testing.T) {
	again := killed(t)
	again.Store = open(t, again.path)
	if _, err := again.Begin(t.Context(), engine.Header{RunID: "r"}); err != nil {
		t.Fatal(err)
	}
	again.write(t, 1)
	left := again.image(t)
	if err := left.check(t, left.log); err != nil {
		t.Error(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestAFailedTransactionIsCut has no room for a transaction of which a part is in the log already.
func TestAFailedTransactionIsCut(t *testing.T) {
	k := openKept(t)
	k.write(t, 1)
	ledger.Exec(t, k.Store, `PRAGMA max_page_count = 800`)
	var full *ledger.FullError
	if err := k.try(t, 1000); !errors.As(err, &full) {
		t.Fatal(err)
	}
	k.write(t, 1)
	left := k.image(t)
	if err := left.check(t, left.log); err != nil {
		t.Error(err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFoldingHidesNoDamage damages the log of a run that goes on, beside a reader that keeps it from being folded.
func TestFoldingHidesNoDamage(t *testing.T) {
	k := openKept(t)
	k.write(t, 1)
	release := ledger.Hold(t, k.path)
	for range 5 {
		k.write(t, 1)
	}
	f, err := os.OpenFile(k.path+"-wal", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := int64(len(k.image(t).log) - 4*frame + 16)
	if _, err := f.WriteAt([]byte{1, 2, 3, 4}, at); err != nil {
		t.Fatal(err)
	}
	ledger.Fold(k.Store)
	var damage *ledger.DamageError
	left := k.image(t)
	if err := left.check(t, left.log); !errors.As(err, &damage) {
		t.Errorf("the damage is gone: %v", err)
	}
	if err := errors.Join(f.Close(), release(), k.Close()); err != nil {
		t.Fatal(err)
	}
}
