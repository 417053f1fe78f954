package ledger

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
)

// SetFormat makes the file one of another format.
func SetFormat(t *testing.T, s *Store, version int) {
	if _, err := s.db.Exec(fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		t.Fatal(err)
	}
}

// Exec runs a statement on the file.
func Exec(t testing.TB, s *Store, query string, args ...any) {
	if _, err := s.db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

// Hold reads the file in a transaction that lasts until the returned function is called.
func Hold(t testing.TB, path string) func() error {
	r, err := OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := r.db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRow(`SELECT count(*) FROM entries`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return func() error { return errors.Join(tx.Rollback(), r.Close()) }
}

// Fold folds the log into the file as it is done when the log is long.
func Fold(s *Store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fold()
}
