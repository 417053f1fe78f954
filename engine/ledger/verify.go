package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentdescent/adrun/engine"
)

// DamageError lists what is damaged in a ledger.
type DamageError struct {
	Path string
	List []string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("the ledger %s is damaged: %s; restore it from a copy, and do not go on with its runs", e.Path, strings.Join(e.List, "; "))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is the CRC-32C of the fields, each after its length.
func checksum(fields ...string) int64 {
	var buf []byte
	for _, f := range fields {
		buf = strconv.AppendInt(buf, int64(len(f)), 10)
		buf = append(append(buf, ':'), f...)
	}
	return int64(crc32.Checksum(buf, castagnoli))
}

func entrySum(id int64, kind, data string) int64 {
	return checksum(strconv.FormatInt(id, 10), kind, data)
}

func runSum(n int64, run, header string) int64 {
	return checksum(strconv.FormatInt(n, 10), run, header)
}

func headSum(branch, artifact string, version int, hash, state string) int64 {
	return checksum(branch, artifact, strconv.Itoa(version), hash, state)
}

// Check verifies a ledger that is not open: first the write-ahead log that a killed process left, since
// opening the file forgets what is damaged there, then as Verify does.
func Check(ctx context.Context, path string) error {
	if err := CheckLog(path); err != nil {
		return err
	}
	r, err := OpenReader(path)
	if err != nil {
		return err
	}
	return errors.Join(r.Verify(ctx), r.Close())
}

// Verify checks the whole file: SQLite's structure, the checksum of every row, the chain of the commits,
// that each head is the end of its chain, and that logs and commits tell the same. Damage is a *DamageError
// that lists all that was found; another error means that the file could not be read. While the ledger is
// written, Verify sees it as it was at one moment.
func (r *Reader) Verify(ctx context.Context) error {
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return r.explain("reading", err)
	}
	defer func() { _ = tx.Rollback() }()
	v := &verifier{db: tx, path: r.path, runs: map[int64]string{}, chains: map[string][]engine.Commit{}, logged: map[string]int{}}
	for _, check := range []func(context.Context) error{
		v.structure, v.tables, v.runRows, v.commitRows, v.entryRows, v.headRows, v.outcomeRows,
	} {
		err := check(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // a row that cannot be read as what it was
			v.report("%v", err)
		}
	}
	v.agreement()
	if len(v.found) > 0 {
		return &DamageError{Path: r.path, List: v.found}
	}
	return nil
}

// verifier gathers what is wrong with a ledger.
type verifier struct {
	db     queryer
	path   string
	found  []string
	runs   map[int64]string
	chains map[string][]engine.Commit // by artifact
	logged map[string]int             // how often a commit, by proposal and hash, stands in a log
}

// mostFindings bounds the report on a file that is damaged all over.
const mostFindings = 20

func (v *verifier) report(format string, args ...any) {
	if len(v.found) < mostFindings {
		v.found = append(v.found, fmt.Sprintf(format, args...))
	}
}

// structure lets SQLite check its trees and indexes.
func (v *verifier) structure(ctx context.Context) error {
	return rows(ctx, v.db, func(rs *sql.Rows) error {
		var text string
		if err := rs.Scan(&text); err != nil {
			return err
		}
		if text != "ok" {
			v.report("%s", text)
		}
		return nil
	}, `PRAGMA integrity_check`)
}

// tables compares the declarations with those that Open makes.
func (v *verifier) tables(ctx context.Context) error {
	var got []string
	err := rows(ctx, v.db, func(rs *sql.Rows) error {
		var text string
		err := rs.Scan(&text)
		got = append(got, text)
		return err
	}, `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid`)
	if err != nil {
		return err
	}
	if !slices.Equal(got, tables) {
		v.report("the declarations of the tables are not those of a ledger")
	}
	return nil
}

func (v *verifier) runRows(ctx context.Context) error {
	return rows(ctx, v.db, func(rs *sql.Rows) error {
		var n, sum int64
		var run, header string
		if err := rs.Scan(&n, &run, &header, &sum); err != nil {
			return err
		}
		if want := int64(len(v.runs)) + 1; n != want {
			v.report("run %d is missing", want)
		}
		if sum != runSum(n, run, header) {
			v.report("run %d: the checksum is wrong", n)
		}
		v.runs[n] = run
		return nil
	}, `SELECT n, run, header, sum FROM runs ORDER BY n`)
}

// commitRows follows the chain of each artifact.
func (v *verifier) commitRows(ctx context.Context) error {
	want := int64(0)
	return rows(ctx, v.db, func(rs *sql.Rows) error {
		var n int64
		var proposal, body, state string
		if err := rs.Scan(&n, &proposal, &body, &state); err != nil {
			return err
		}
		if want++; n != want {
			v.report("commit %d of the file is missing", want)
			want = n
		}
		c, err := decodeCommit(body, state)
		if err != nil {
			v.report("commit %d of the file cannot be read: %v", n, err)
			return nil
		}
		again, _ := json.Marshal(c)
		text, _ := json.Marshal(c.State)
		switch err := c.Verify(); {
		case err != nil:
			v.report("%v", err)
		case c.Proposal != proposal || string(again) != body || string(text) != state:
			v.report("commit %d of %s: the row does not say what its content says", c.Version, c.Artifact)
		}
		chain := v.chains[c.Artifact]
		if len(chain) > 0 && (c.Parent != chain[len(chain)-1].Hash || c.Version != chain[len(chain)-1].Version+1) {
			v.report("commit %d of %s does not follow the commit before it", c.Version, c.Artifact)
		}
		if len(chain) == 0 && (c.Parent != "" || c.Version != 1) {
			v.report("commit %d of %s is the first of its chain, and is none", c.Version, c.Artifact)
		}
		v.chains[c.Artifact] = append(chain, c)
		return nil
	}, `SELECT n, proposal, body, state FROM commits ORDER BY n`)
}

func (v *verifier) entryRows(ctx context.Context) error {
	next := map[int64]int64{}
	return rows(ctx, v.db, func(rs *sql.Rows) error {
		var id, sum int64
		var kind, data string
		if err := rs.Scan(&id, &kind, &data, &sum); err != nil {
			return err
		}
		run, seq := id/entriesARun, id%entriesARun
		if sum != entrySum(id, kind, data) {
			v.report("entry %d of run %d: the checksum is wrong", seq, run)
			return nil
		}
		if _, known := v.runs[run]; !known {
			v.report("entry %d belongs to run %d, which is missing", seq, run)
		}
		if seq != next[run] {
			v.report("entry %d of run %d is missing", next[run], run)
		}
		next[run] = seq + 1
		if engine.EntryKind(kind) == engine.CommitEntry {
			var c engine.Commit
			if err := json.Unmarshal([]byte(data), &c); err != nil {
				return err
			}
			v.logged[c.Proposal+" "+c.Hash]++
		}
		return nil
	}, `SELECT id, kind, data, sum FROM entries ORDER BY id`)
}

// headRows checks that dev is the end of each chain, and that stable is on it.
func (v *verifier) headRows(ctx context.Context) error {
	for _, branch := range []string{dev, stable} {
		heads, err := readHeads(ctx, v.db, v.path, branch)
		if err != nil {
			return err
		}
		for _, artifact := range slices.Sorted(maps.Keys(heads)) {
			v.head(branch, heads[artifact])
		}
		if branch == stable {
			continue
		}
		for _, artifact := range slices.Sorted(maps.Keys(v.chains)) {
			chain := v.chains[artifact]
			if end := chain[len(chain)-1]; heads[artifact].Hash != end.Hash {
				v.report("dev of %s is not at its last commit, %d", artifact, end.Version)
			}
		}
	}
	var others int
	err := v.db.QueryRowContext(ctx, `SELECT count(*) FROM heads WHERE branch NOT IN ('dev', 'stable')`).Scan(&others)
	if others > 0 {
		v.report("%d heads are neither dev nor stable", others)
	}
	return err
}

func (v *verifier) head(branch string, at engine.Ref) {
	if at.Version == 0 && at.Hash == "" {
		return // promoted without a commit
	}
	i := slices.IndexFunc(v.chains[at.Artifact], func(c engine.Commit) bool { return c.Hash == at.Hash })
	if i < 0 {
		v.report("%s of %s is at %s, which is no commit", branch, at.Artifact, at.Hash)
		return
	}
	if c := v.chains[at.Artifact][i]; c.Version != at.Version || !c.State.Equal(at.State) {
		v.report("%s of %s is not what its commit %d says", branch, at.Artifact, c.Version)
	}
}

func (v *verifier) outcomeRows(ctx context.Context) error {
	return rows(ctx, v.db, func(rs *sql.Rows) error {
		var key, text string
		var sum int64
		if err := rs.Scan(&key, &text, &sum); err != nil {
			return err
		}
		if sum != checksum(key, text) {
			v.report("outcome %s: the checksum is wrong", key)
		}
		return nil
	}, `SELECT key, outcome, sum FROM outcomes`)
}

// agreement checks that every commit of a log is in the chain, and that no log has one twice.
func (v *verifier) agreement() {
	for _, artifact := range slices.Sorted(maps.Keys(v.chains)) {
		for _, c := range v.chains[artifact] {
			key := c.Proposal + " " + c.Hash
			if n := v.logged[key]; n > 1 {
				v.report("commit %d of %s stands %d times in the logs", c.Version, artifact, n)
			}
			delete(v.logged, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(v.logged)) {
		v.report("commit %s stands in a log and is no commit of the ledger", key)
	}
}
