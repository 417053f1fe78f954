package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/ledger"
)

// content is everything that can be read from a ledger.
func content(t testing.TB, path string) string {
	t.Helper()
	ctx := context.Background()
	r, err := ledger.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	runs, err1 := r.Runs(ctx)
	commits, err2 := r.Commits(ctx)
	dev, err3 := r.Dev(ctx)
	stable, err4 := r.Stable(ctx)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, runs, commits, dev, stable)
	for _, h := range runs {
		entries, err := r.Entries(ctx, h.RunID, 0)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(canonical(entries))
	}
	return b.String()
}

// whole makes a ledger with a run and the outcomes of its evaluations.
func whole(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "l.db")
	s := open(t, path)
	c := hillConfig(s, hill{dear: true})
	c.Budget.Rounds = 2
	if _, err := engine.Run(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFlippedBytes flips bytes all over the file, one at a time. Each is found, or stands where nothing is
// read: then all that the ledger holds is still as it was.
func TestFlippedBytes(t *testing.T) {
	ctx, path := context.Background(), whole(t)
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := content(t, path)
	flipped := filepath.Join(t.TempDir(), "f.db")
	found, tried := 0, 0
	for at := 0; at < len(image); at += 397 {
		image[at] ^= 1 << (tried % 8)
		if err := os.WriteFile(flipped, image, 0o644); err != nil {
			t.Fatal(err)
		}
		image[at] ^= 1 << (tried % 8)
		tried++
		if err := ledger.Check(ctx, flipped); err != nil {
			found++
		} else if got := content(t, flipped); got != want {
			t.Fatalf("the flipped byte %d of %d is not found, and changes what is read", at, len(image))
		}
	}
	if found < tried/4 {
		t.Errorf("%d of %d flipped bytes were found", found, tried)
	}
	t.Logf("%d of %d flipped bytes were found; the others hold nothing", found, tried)
}

func TestDamageIsNamed(t *testing.T) {
	for _, test := range []struct{ do, want string }{
		{`UPDATE entries SET data = data || ' ' WHERE kind = 'lease'`, "entry 2 of run 1: the checksum is wrong"},
		{`DELETE FROM entries WHERE kind = 'round'`, "entry 12 of run 1 is missing"},
		{`UPDATE commits SET body = replace(body, '"round":0', '"round":1')`, "commit 1 of hill: hash is"},
		{`UPDATE commits SET state = '{"rule":"9"}'`, "commit 1 of hill: state hash is"},
		{`DELETE FROM commits WHERE n = 1`, "commit 1 of the file is missing"},
		{`DELETE FROM heads WHERE branch = 'dev'`, "dev of hill is not at its last commit"},
		{`UPDATE heads SET branch = 'main' WHERE branch = 'stable'`, "1 heads are neither dev nor stable"},
		{`UPDATE outcomes SET outcome = '{}'`, "the checksum is wrong"},
		{`UPDATE runs SET header = replace(header, '7', '8')`, "run 1: the checksum is wrong"},
		{`CREATE INDEX more ON entries (kind)`, "the declarations of the tables"},
	} {
		path := whole(t)
		s := open(t, path)
		ledger.Exec(t, s, test.do)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		err := ledger.Check(context.Background(), path)
		var damage *ledger.DamageError
		if !errors.As(err, &damage) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.do, err, test.want)
		}
	}
}

// TestAFlippedByteInTheLog damages the write-ahead log of a process that was killed: SQLite would read it
// up to there and lose the rest without a word.
func TestAFlippedByteInTheLog(t *testing.T) {
	dir := t.TempDir()
	if err := victim(t, dir, "", 60).Run(); err == nil {
		t.Fatal("the process was not killed")
	}
	wal := filepath.Join(dir, "l.db-wal")
	image, err := os.ReadFile(wal)
	if err != nil {
		t.Fatal(err)
	}
	db, err := os.ReadFile(filepath.Join(dir, "l.db"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(image []byte) error {
		copied := filepath.Join(t.TempDir(), "c.db")
		if err := errors.Join(os.WriteFile(copied, db, 0o644), os.WriteFile(copied+"-wal", image, 0o644)); err != nil {
			t.Fatal(err)
		}
		return ledger.Check(context.Background(), copied)
	}
	if err := check(image); err != nil {
		t.Fatalf("the log of a killed process: %v", err)
	}
	if err := check(image[:len(image)-100]); err != nil {
		t.Errorf("a log whose last frame is torn: %v", err)
	}
	for at := 0; at < len(image); at += 1 + len(image)/200 {
		image[at] ^= 4
		var damage *ledger.DamageError
		if err := check(image); !errors.As(err, &damage) {
			t.Fatalf("flipped byte %d of %d: %v", at, len(image), err)
		}
		image[at] ^= 4
	}
}
