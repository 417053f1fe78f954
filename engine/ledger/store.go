package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/agentdescent/adrun/engine"
)

// The branches of an artifact.
const (
	dev    = "dev"
	stable = "stable"
)

// Store is the handle of one run, for reading and writing. Use Open. Its methods may be called from several
// goroutines; they take turns.
type Store struct {
	*Reader

	mu    sync.Mutex
	runID string
	run   int64 // the run's number in the file; 0 before Begin
	next  int   // entries stored
	stmts statements

	keeper Keeper   // nil: SQLite folds the log into the file when it likes
	file   *os.File // the keeper's, open until SQLite has no locks on it
	foldAt int64    // the size of the log at which it is folded
}

var _ engine.Ledger = (*Store)(nil)

// statements are prepared once a handle.
type statements struct {
	entry, move, first, commit, stable, outcome, put *sql.Stmt
}

// attempts bound how often a file is opened, with pauses of five seconds in all.
const attempts = 100

// Open opens a ledger, or makes one.
func Open(path string) (*Store, error) {
	for n := 1; ; n++ {
		s, err := openOnce(path)
		var e *sqlite.Error
		if n == attempts || !errors.As(err, &e) || e.Code()&0xff != lib.SQLITE_BUSY {
			return s, err
		}
		// The lock with which a new file becomes one with a log is the only one that SQLite does not wait for.
		time.Sleep(time.Duration(n) * time.Millisecond)
	}
}

func openOnce(path string) (*Store, error) {
	ctx := context.Background()
	// A log that starts anew over an old one is cut to its own size when it is first committed to: see CheckLog.
	db, err := open(path, "rwc", "journal_mode(WAL)", "journal_size_limit(0)")
	if err != nil {
		return nil, fmt.Errorf("opening the ledger %s: %w", path, err)
	}
	s := &Store{Reader: &Reader{db: db, path: path}}
	if err = install(ctx, db); err == nil {
		_ = s.endLog() // as a killed process left it
		err = s.prepare(ctx)
	}
	if err != nil {
		_ = db.Close()
		return nil, s.explain("opening", err)
	}
	return s, nil
}

// Close folds the write-ahead log into the file and closes it.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fold()
	err := s.Reader.Close()
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	return err
}

func (s *Store) prepare(ctx context.Context) error {
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&s.stmts.entry, `INSERT INTO entries (id, kind, data, sum) VALUES (?, ?, ?, ?)`},
		{&s.stmts.move, `UPDATE heads SET version = ?, hash = ?, state = ?, sum = ? WHERE branch = 'dev' AND artifact = ? AND hash = ?`},
		{&s.stmts.first, `INSERT INTO heads (branch, artifact, version, hash, state, sum) VALUES ('dev', ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`},
		{&s.stmts.commit, `INSERT INTO commits (proposal, body, state) VALUES (?, ?, ?)`},
		{&s.stmts.stable, `INSERT OR REPLACE INTO heads (branch, artifact, version, hash, state, sum) VALUES ('stable', ?, ?, ?, ?, ?)`},
		{&s.stmts.outcome, `SELECT outcome, sum FROM outcomes WHERE key = ?`},
		{&s.stmts.put, `INSERT OR REPLACE INTO outcomes (key, outcome, sum) VALUES (?, ?, ?)`},
	} {
		var err error
		if *p.stmt, err = s.db.PrepareContext(ctx, p.text); err != nil {
			return err
		}
	}
	return nil
}

// Begin opens a run: a new one is stored, of a known one everything is returned.
func (s *Store) Begin(ctx context.Context, h engine.Header) (engine.Stored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != 0 {
		return engine.Stored{}, fmt.Errorf("the handle of the ledger %s has begun run %q: open another for %q", s.path, s.runID, h.RunID)
	}
	n, err := s.enter(ctx, h)
	if err != nil {
		return engine.Stored{}, s.explain("beginning a run in", err)
	}
	var out engine.Stored
	if out.Entries, err = s.entries(ctx, n, 0); err != nil {
		return out, err
	}
	if out.Dev, err = s.heads(ctx, dev); err != nil {
		return out, err
	}
	s.run, s.runID, s.next = n, h.RunID, len(out.Entries)
	return out, nil
}

// enter finds the number of a run, or gives it one.
func (s *Store) enter(ctx context.Context, h engine.Header) (n int64, err error) {
	text, err := json.Marshal(h)
	if err != nil {
		return 0, err
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		known, number, err := findRun(ctx, tx, h.RunID)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return err
		case known != h:
			return &engine.IdentityError{Stored: known, Asked: h}
		default:
			n = number
			return nil
		}
		if err := tx.QueryRow(`SELECT coalesce(max(n), 0) + 1 FROM runs`).Scan(&n); err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO runs (n, run, header, sum) VALUES (?, ?, ?, ?)`, n, h.RunID, string(text), runSum(n, h.RunID, string(text)))
		return err
	})
	return n, err
}

// transact runs do in one transaction that holds the write lock from its start.
func (s *Store) transact(ctx context.Context, do func(*sql.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// A transaction that has begun is finished: it is short, and its answer must be certain.
	tx, err := s.db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	if err = do(tx); err == nil {
		err = tx.Commit()
	}
	if err != nil {
		_ = tx.Rollback()
	}
	if failed := new(sqlite.Error); errors.As(err, &failed) {
		_ = s.endLog() // a part of it may be written, for want of space
	}
	return err
}

// Write stores a batch in one transaction. A commit whose Parent is not dev's hash is an
// *engine.RaceError, and nothing of the batch is stored; a commit that is stored already is not stored
// again.
func (s *Store) Write(ctx context.Context, b engine.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == 0 {
		return fmt.Errorf("writing the ledger %s: no run has begun", s.path)
	}
	for i, e := range b.Entries {
		if want := s.next + i; e.Seq != want {
			return fmt.Errorf("writing run %q: entry %d cannot follow entry %d", s.runID, e.Seq, want-1)
		}
	}
	err := s.transact(ctx, func(tx *sql.Tx) error {
		for _, c := range b.Commits {
			if err := s.commit(ctx, tx, c); err != nil {
				return err
			}
		}
		for _, r := range b.Stable {
			state, err := json.Marshal(r.State)
			if err != nil {
				return err
			}
			sum := headSum(stable, r.Artifact, r.Version, r.Hash, string(state))
			if _, err := tx.Stmt(s.stmts.stable).Exec(r.Artifact, r.Version, r.Hash, string(state), sum); err != nil {
				return err
			}
		}
		stmt := tx.Stmt(s.stmts.entry)
		for _, e := range b.Entries {
			id := s.run*entriesARun + int64(e.Seq)
			if _, err := stmt.Exec(id, string(e.Kind), string(e.Data), entrySum(id, string(e.Kind), string(e.Data))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return s.explain("writing", err)
	}
	s.next += len(b.Entries)
	s.foldIfLong()
	return nil
}

// commit moves dev by compare-and-swap and adds to the chain.
func (s *Store) commit(ctx context.Context, tx *sql.Tx, c engine.Commit) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	text, err := json.Marshal(c.State)
	if err != nil {
		return err
	}
	state := string(text)
	sum := headSum(dev, c.Artifact, c.Version, c.Hash, state)
	var res sql.Result
	if c.Parent == "" {
		res, err = tx.Stmt(s.stmts.first).Exec(c.Artifact, c.Version, c.Hash, state, sum)
	} else {
		res, err = tx.Stmt(s.stmts.move).Exec(c.Version, c.Hash, state, sum, c.Artifact, c.Parent)
	}
	if err != nil {
		return err
	}
	moved, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if moved == 0 {
		return s.lost(ctx, tx, c)
	}
	_, err = tx.Stmt(s.stmts.commit).Exec(c.Proposal, string(body), state)
	return err
}

// lost says why dev is not where a commit expected it: because the commit is stored already, which is
// fine, or because another came first.
func (s *Store) lost(ctx context.Context, tx *sql.Tx, c engine.Commit) error {
	var body string
	err := tx.QueryRow(`SELECT body FROM commits WHERE proposal = ?`, c.Proposal).Scan(&body)
	if err == nil {
		var stored engine.Commit
		if err := json.Unmarshal([]byte(body), &stored); err == nil && stored.Hash == c.Hash {
			return nil
		}
	} else if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	heads, err := readHeads(ctx, tx, s.path, dev)
	if err != nil {
		return err
	}
	head, ok := heads[c.Artifact]
	if !ok {
		head.Artifact = c.Artifact
	}
	return &engine.RaceError{Head: head}
}

// Outcome returns the outcome stored under a key.
func (s *Store) Outcome(ctx context.Context, key string) (o engine.Outcome, ok bool, err error) {
	var text string
	var sum int64
	err = s.stmts.outcome.QueryRowContext(ctx, key).Scan(&text, &sum)
	if errors.Is(err, sql.ErrNoRows) {
		return o, false, nil
	}
	if err != nil {
		return o, false, s.explain("reading", err)
	}
	if sum != checksum(key, text) {
		return o, false, &DamageError{Path: s.path, List: []string{"outcome " + key + ": the checksum is wrong"}}
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return o, false, fmt.Errorf("outcome %s of the ledger %s: %w", key, s.path, err)
	}
	return o, true, nil
}

// PutOutcome stores an outcome durably.
func (s *Store) PutOutcome(ctx context.Context, key string, o engine.Outcome) error {
	text, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("storing an outcome: %w", err)
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.Stmt(s.stmts.put).Exec(key, string(text), checksum(key, string(text)))
		return err
	})
	if err != nil {
		return s.explain("writing", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.foldIfLong()
	return nil
}

// FullError says that the disk has no room for a write. What was acknowledged before is safe.
type FullError struct {
	Path string
	Err  error
}

func (e *FullError) Error() string {
	return fmt.Sprintf("no space left for the ledger %s: free some space and resume the run; what was written before is safe (%v)", e.Path, e.Err)
}

// Unwrap returns SQLite's error.
func (e *FullError) Unwrap() error { return e.Err }

// explain says what was done to which file, and what to do where that is known. Errors of the engine's
// vocabulary are handed on as they are.
func (r *Reader) explain(doing string, err error) error {
	var race *engine.RaceError
	var identity *engine.IdentityError
	var damage *DamageError
	if errors.As(err, &race) || errors.As(err, &identity) || errors.As(err, &damage) {
		return err
	}
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch code := e.Code(); {
		case code&0xff == lib.SQLITE_FULL, code == lib.SQLITE_IOERR_WRITE, code == lib.SQLITE_IOERR_SHMSIZE:
			return &FullError{Path: r.path, Err: err}
		case code&0xff == lib.SQLITE_CONSTRAINT:
			return fmt.Errorf("%s the ledger %s: another process writes the same run: %w", doing, r.path, err)
		case code&0xff == lib.SQLITE_CORRUPT, code&0xff == lib.SQLITE_NOTADB:
			return &DamageError{Path: r.path, List: []string{e.Error()}}
		}
	}
	return fmt.Errorf("%s the ledger %s: %w", doing, r.path, err)
}
