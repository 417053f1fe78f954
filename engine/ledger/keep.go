package ledger

import "os"

// Keeper is told when the file itself changes. What is written goes into the write-ahead log beside it, every
// frame of which has a checksum; the file changes only when the log is folded into it. A Keeper that writes
// down what the file is covers the rest of a ledger, so that damage to any byte of it can be found, also
// when its process was killed.
type Keeper interface {
	// Unseal is called before the file changes, Seal when it has changed.
	Unseal() error
	Seal() error
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
	if s.keeper != nil {
		if s.keeper.Unseal() != nil {
			return // the file must not change under its seal
		}
		// Whoever reads the log is not waited for: the run would stand still.
		_, _ = s.db.Exec(`PRAGMA busy_timeout = 0`)
		defer func() { _, _ = s.db.Exec(busyTimeout) }()
	}
	_, _ = s.db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	if s.keeper != nil {
		_ = markLog(s.path + "-wal") // without a mark a torn frame may be taken for a damaged one
		_ = s.keeper.Seal()          // without a seal there is nothing that could be wrong
		s.foldAt = size(s.path+"-wal") + max(leastFold, size(s.path)/4)
	}
}

// size is that of a file, 0 without one.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
