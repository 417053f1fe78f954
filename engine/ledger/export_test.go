package ledger

import (
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
