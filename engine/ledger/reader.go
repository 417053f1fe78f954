package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Reader looks at a ledger. Use OpenReader. Its methods may be called from several goroutines.
type Reader struct {
	db   *sql.DB
	path string
	tidy bool // closing must fold nothing, though the handle may write
}

// OpenReader opens a ledger that exists and changes nothing of it. What a killed process left in the
// write-ahead log is read from there.
func OpenReader(path string) (*Reader, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("opening the ledger: %w", err)
	}
	// Closing a database that may be written folds its log into it, which is for its writer to do. Closing
	// one that may not leaves the empty files behind that SQLite puts beside it.
	r := &Reader{path: path, tidy: size(path+"-wal") == 0}
	mode := "ro"
	if r.tidy {
		mode = "rw"
	}
	var err error
	if r.db, err = open(path, mode, "query_only(1)"); err != nil {
		return nil, fmt.Errorf("opening the ledger %s: %w", path, err)
	}
	var version, found int
	err = r.db.QueryRow(`SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version`).Scan(&version, &found)
	if err == nil && version != format {
		err = &FormatError{Version: version, Tables: found}
	}
	if err != nil {
		_ = r.db.Close()
		return nil, r.explain("opening", err)
	}
	return r, nil
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.tidy && size(r.path+"-wal") > 0 {
		// Somebody has written since, and may be dead, or the log could not be folded before the file was sealed:
		// while another handle is open nothing is folded.
		if other, err := open(r.path, "ro"); err == nil && other.Ping() == nil {
			defer func() { _ = other.Close() }()
		}
	}
	if err := r.db.Close(); err != nil {
		return fmt.Errorf("closing the ledger %s: %w", r.path, err)
	}
	return nil
}

// queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// rows calls each for every row of a query.
func rows(ctx context.Context, q queryer, each func(*sql.Rows) error, query string, args ...any) error {
	rs, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rs.Close() }()
	for rs.Next() {
		if err := each(rs); err != nil {
			return err
		}
	}
	return rs.Err()
}

// findRun returns a run's header and number; without one the error is sql.ErrNoRows.
func findRun(ctx context.Context, q queryer, run string) (h engine.Header, n int64, err error) {
	var text string
	if err = q.QueryRowContext(ctx, `SELECT n, header FROM runs WHERE run = ?`, run).Scan(&n, &text); err != nil {
		return h, 0, err
	}
	return h, n, json.Unmarshal([]byte(text), &h)
}

// Runs lists the runs of the ledger in the order in which they began.
func (r *Reader) Runs(ctx context.Context) ([]engine.Header, error) {
	var list []engine.Header
	err := rows(ctx, r.db, func(rs *sql.Rows) error {
		var text string
		if err := rs.Scan(&text); err != nil {
			return err
		}
		var h engine.Header
		if err := json.Unmarshal([]byte(text), &h); err != nil {
			return err
		}
		list = append(list, h)
		return nil
	}, `SELECT header FROM runs ORDER BY n`)
	if err != nil {
		return nil, r.explain("reading", err)
	}
	return list, nil
}

// Entries returns the entries of a run from the given place on; none for a run that the ledger does not
// have.
func (r *Reader) Entries(ctx context.Context, run string, from int) ([]engine.Entry, error) {
	_, n, err := findRun(ctx, r.db, run)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, r.explain("reading", err)
	}
	return r.entries(ctx, n, from)
}

func (r *Reader) entries(ctx context.Context, n int64, from int) ([]engine.Entry, error) {
	var list []engine.Entry
	err := rows(ctx, r.db, func(rs *sql.Rows) error {
		var id, sum int64
		var kind, data string
		if err := rs.Scan(&id, &kind, &data, &sum); err != nil {
			return err
		}
		e := engine.Entry{Seq: int(id % entriesARun), Kind: engine.EntryKind(kind), Data: json.RawMessage(data)}
		if want := from + len(list); e.Seq != want {
			return &DamageError{Path: r.path, List: []string{fmt.Sprintf("entry %d of run %d is missing", want, n)}}
		}
		if sum != entrySum(id, kind, data) {
			return &DamageError{Path: r.path, List: []string{fmt.Sprintf("entry %d of run %d: the checksum is wrong", e.Seq, n)}}
		}
		list = append(list, e)
		return nil
	}, `SELECT id, kind, data, sum FROM entries WHERE id >= ? AND id < ? ORDER BY id`, n*entriesARun+int64(from), (n+1)*entriesARun)
	if err != nil {
		return nil, r.explain("reading", err)
	}
	return list, nil
}

// Commits returns the commits of every artifact, in the order of writing.
func (r *Reader) Commits(ctx context.Context) ([]engine.Commit, error) {
	var list []engine.Commit
	err := rows(ctx, r.db, func(rs *sql.Rows) error {
		var body, state string
		if err := rs.Scan(&body, &state); err != nil {
			return err
		}
		c, err := decodeCommit(body, state)
		list = append(list, c)
		return err
	}, `SELECT body, state FROM commits ORDER BY n`)
	if err != nil {
		return nil, r.explain("reading", err)
	}
	return list, nil
}

func decodeCommit(body, state string) (c engine.Commit, err error) {
	if err = json.Unmarshal([]byte(body), &c); err != nil {
		return c, err
	}
	return c, json.Unmarshal([]byte(state), &c.State)
}

// Dev returns the heads, Stable what was promoted last, by artifact. An artifact that never moved is not
// among them.
func (r *Reader) Dev(ctx context.Context) (map[string]engine.Ref, error) { return r.heads(ctx, dev) }

// Stable is described at Dev.
func (r *Reader) Stable(ctx context.Context) (map[string]engine.Ref, error) {
	return r.heads(ctx, stable)
}

func (r *Reader) heads(ctx context.Context, branch string) (map[string]engine.Ref, error) {
	heads, err := readHeads(ctx, r.db, r.path, branch)
	if err != nil {
		return nil, r.explain("reading", err)
	}
	return heads, nil
}

func readHeads(ctx context.Context, q queryer, path, branch string) (map[string]engine.Ref, error) {
	heads := map[string]engine.Ref{}
	err := rows(ctx, q, func(rs *sql.Rows) error {
		var ref engine.Ref
		var text string
		var sum int64
		if err := rs.Scan(&ref.Artifact, &ref.Version, &ref.Hash, &text, &sum); err != nil {
			return err
		}
		if sum != headSum(branch, ref.Artifact, ref.Version, ref.Hash, text) {
			return &DamageError{Path: path, List: []string{fmt.Sprintf("%s of %s: the checksum is wrong", branch, ref.Artifact)}}
		}
		ref.State = slots.State{}
		if err := json.Unmarshal([]byte(text), &ref.State); err != nil {
			return err
		}
		heads[ref.Artifact] = ref
		return nil
	}, `SELECT artifact, version, hash, state, sum FROM heads WHERE branch = ?`, branch)
	return heads, err
}
