package ledger

import (
	"context"
	"io"
	"math"
	"os"
)

// Keeper is told when the file itself changes. What is written goes into the write-ahead log beside it, every
// frame of which has a checksum; the file changes only when the log is folded into it. A Keeper that writes
// down what the file is covers the rest of a ledger, so that damage to any byte of it can be found, also
// when its process was killed.
type Keeper interface {
	// Unseal is called before the file changes, Seal with what it is when it has changed. Neither may open the file:
	// closing it again would give up every lock that SQLite has on it, as POSIX locks are.
	Unseal() error
	Seal(file io.Reader) error
}

// leastFold is the size of a write-ahead log that is worth folding.
const leastFold = 4 << 20

// Keep has the keeper told from now on. It is for a ledger that no other process writes: another one's
// folding would not be told.
func (s *Store) Keep(k Keeper) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.db.Exec(`PRAGMA wal_autocheckpoint = 0`); err != nil {
		return s.explain("preparing", err)
	}
	if s.file == nil {
		var err error
		if s.file, err = os.Open(s.path); err != nil {
			return s.explain("preparing", err)
		}
	}
	s.keeper, s.tidy = k, true
	s.fold()
	return nil
}

// foldIfLong folds a log that has grown. The caller holds mu.
func (s *Store) foldIfLong() {
	if s.keeper != nil && size(s.path+"-wal") > s.foldAt {
		s.fold()
	}
}

// fold folds the log into the file. Without success, for want of space or because somebody still reads the
// log, it stays beside the file and is as good there. The caller holds mu.
func (s *Store) fold() {
	if s.keeper == nil {
		_, _ = s.db.Exec(foldLog)
		return
	}
	if s.keeper.Unseal() != nil {
		return // the file must not change under its seal
	}
	s.foldKept()
	_ = s.endLog()                                                   // else frames that nobody needs may be taken for damaged ones
	_ = s.keeper.Seal(io.NewSectionReader(s.file, 0, math.MaxInt64)) // without a seal there is nothing that could be wrong
	s.foldAt = size(s.path+"-wal") + max(leastFold, size(s.path)/4)
}

const foldLog = `PRAGMA wal_checkpoint(TRUNCATE)`

// foldKept folds the log of a ledger that nobody else writes.
func (s *Store) foldKept() {
	ctx := context.Background()
	conn, err := s.db.Conn(ctx) // the only one: an outcome that is stored meanwhile has its patience
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	// Whoever reads the log is not waited for: the run would stand still.
	_, _ = conn.ExecContext(ctx, `PRAGMA busy_timeout = 0`)
	_, _ = conn.ExecContext(ctx, foldLog)
	_, _ = conn.ExecContext(ctx, busyTimeout)
}

// size is that of a file, 0 without one.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
