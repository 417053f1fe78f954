package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
)

// format is the version of the tables, kept in SQLite's user_version.
const format = 1

// tables are what a ledger consists of. An entry's id is its run's number · 2³² + its place in the run's
// log, so that the log is one tree that grows at its end.
var tables = []string{
	`CREATE TABLE runs (n INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, header TEXT NOT NULL, sum INTEGER NOT NULL) STRICT`,
	`CREATE TABLE entries (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, data TEXT NOT NULL, sum INTEGER NOT NULL) STRICT`,
	`CREATE TABLE commits (n INTEGER PRIMARY KEY, proposal TEXT NOT NULL UNIQUE, body TEXT NOT NULL, state TEXT NOT NULL) STRICT`,
	`CREATE TABLE heads (branch TEXT NOT NULL, artifact TEXT NOT NULL, version INTEGER NOT NULL, hash TEXT NOT NULL,
		state TEXT NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (branch, artifact)) STRICT, WITHOUT ROWID`,
	`CREATE TABLE outcomes (key TEXT PRIMARY KEY, outcome TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
}

// entriesARun is how many entries the id of an entry has room for.
const entriesARun = 1 << 32

// busyTimeout is how long a lock is waited for, in milliseconds.
const busyTimeout = `PRAGMA busy_timeout = 30000`

// open opens the file in a mode of SQLite's URI names: rwc creates it, ro does not change it.
func open(path, mode string, pragmas ...string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	q := url.Values{"mode": {mode}, "_txlock": {"immediate"}}
	q["_pragma"] = append([]string{"busy_timeout(30000)", "synchronous(FULL)"}, pragmas...)
	u := url.URL{Scheme: "file", Path: abs, RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	// One connection: a run writes from one goroutine at a time, and prepared statements stay prepared.
	db.SetMaxOpenConns(1)
	return db, nil
}

// install makes the tables in a file that has none. Of several processes that meet in a new file, one does.
func install(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var version, found int
	if err := tx.QueryRow(`PRAGMA user_version`).Scan(&version); err != nil {
		return err
	}
	if version == format {
		return nil
	}
	if err := tx.QueryRow(`SELECT count(*) FROM sqlite_schema`).Scan(&found); err != nil {
		return err
	}
	if version != 0 || found > 0 {
		return &FormatError{Version: version, Tables: found}
	}
	for _, stmt := range append(slices.Clone(tables), fmt.Sprintf(`PRAGMA user_version = %d`, format)) {
		if _, err := tx.Exec(stmt); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// FormatError says that a file is a database, but not a ledger that this program can read. Without tables
// it is one that its first process was about to make.
type FormatError struct {
	Version int
	Tables  int // and indexes
}

// Empty reports whether the database holds nothing at all.
func (e *FormatError) Empty() bool { return e.Version == 0 && e.Tables == 0 }

func (e *FormatError) Error() string {
	return fmt.Sprintf("the database is no ledger of format %d (its user_version is %d): "+
		"name another file, or use the program that wrote it", format, e.Version)
}
