// Package runs keeps runs on disk: a directory a run with what was asked (run.json, spec.yaml), how far it
// came (ledger.db, trajectories/) and what became of it (status.json).
//
// One process at a time evolves a run: it holds the lock of the directory, which the operating system takes
// back from a process that was killed. Everybody may look.
package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentdescent/adrun/internal/atomicfile"
)

// DefaultRoot is where runs are kept unless something else is said.
const DefaultRoot = ".adrun/runs"

// Latest is the word for the run that was created last.
const Latest = "latest"

// Store is a directory of runs.
type Store struct {
	Root string
}

// Info is what was asked of a run. It does not change.
type Info struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Seed uint64 `json:"seed"`
	// Spec is the path that the spec was read from; the run goes by its own copy.
	Spec string `json:"spec"`
	// Out is the directory that the results are written to, Data the files on which rules are compared.
	Out  string   `json:"out"`
	Data []string `json:"data,omitempty"`
	// Replay is the directory of replies that the run answers from instead of asking models; "" when it asks.
	Replay string `json:"replay,omitempty"`
	// Unjudged says that the value of a slot is evolved and not judged.
	Unjudged bool      `json:"unjudged,omitempty"`
	Created  time.Time `json:"created"`
}

// Run is a run of a store.
type Run struct {
	Info
	Dir string
}

// The files of a run.
func (r *Run) path(name string) string { return filepath.Join(r.Dir, name) }

// SpecPath is the run's copy of its spec, LedgerPath its ledger, TrajectoryDir the directory of its
// trajectories, OutputPath what a detached run prints.
func (r *Run) SpecPath() string      { return r.path("spec.yaml") }
func (r *Run) LedgerPath() string    { return r.path("ledger.db") }
func (r *Run) TrajectoryDir() string { return r.path("trajectories") }
func (r *Run) OutputPath() string    { return r.path("output.log") }

// RepliesDir is the directory of the replies of models, unless the spec names another.
func (r *Run) RepliesDir() string { return r.path("replies") }

// MetaPath is the report about an evolved slot's value, once the run is judged.
func (r *Run) MetaPath() string { return r.path("meta.json") }

// LedgerID is the run's name in its ledger. It is the same for every run of the same name and seed, so that
// their logs can be compared.
func (r *Run) LedgerID() string { return fmt.Sprintf("%s-%d", r.Name, r.Seed) }

// Create makes a run. Its ID is NAME-SEED, with a number after it when that is taken. The directory
// appears whole or not at all.
func (s Store) Create(info Info, spec []byte) (*Run, error) {
	if err := os.MkdirAll(s.Root, 0o755); err != nil {
		return nil, fmt.Errorf("making the run store: %w: choose another with --runs", err)
	}
	tmp, err := os.MkdirTemp(s.Root, ".new-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := os.Chmod(tmp, 0o755); err != nil {
		return nil, err
	}
	if err := atomicfile.Write(filepath.Join(tmp, "spec.yaml"), spec, 0o644); err != nil {
		return nil, err
	}
	base := fmt.Sprintf("%s-%d", plainName(info.Name), info.Seed)
	for n := 1; ; n++ {
		info.ID = base
		if n > 1 {
			info.ID = fmt.Sprintf("%s.%d", base, n)
		}
		r := &Run{Info: info, Dir: filepath.Join(s.Root, info.ID)}
		if _, err := os.Lstat(r.Dir); err == nil {
			continue
		}
		if err := writeJSON(filepath.Join(tmp, "run.json"), info); err != nil {
			return nil, err
		}
		err := os.Rename(tmp, r.Dir)
		if errors.Is(err, fs.ErrExist) {
			continue // another process took the name just now
		}
		if err != nil {
			return nil, err
		}
		return r, nil
	}
}

// plainName makes a name fit for a directory.
func plainName(name string) string {
	plain := strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
			return c
		}
		return '-'
	}, name)
	if plain = strings.TrimLeft(plain, "."); plain == "" || plain == Latest {
		return "run"
	}
	return plain
}

// List returns the runs, the oldest first.
func (s Store) List() ([]*Run, error) {
	entries, err := os.ReadDir(s.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []*Run
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || !e.IsDir() {
			continue
		}
		r := &Run{Dir: filepath.Join(s.Root, e.Name())}
		if err := readJSON(r.path("run.json"), &r.Info); err != nil {
			r.Info = Info{} // doctor says what is wrong with it
		}
		r.ID = e.Name()
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b *Run) int { return a.Created.Compare(b.Created) })
	return list, nil
}

// UnknownError says that a word names no run, or more than one.
type UnknownError struct {
	Root, Ref string
	// Matches are the runs of which the word is a prefix; none, or several.
	Matches []string
}

func (e *UnknownError) Error() string {
	switch {
	case len(e.Matches) > 0:
		return fmt.Sprintf("%q is the beginning of several runs: %s", e.Ref, strings.Join(e.Matches, ", "))
	case e.Ref == Latest:
		return fmt.Sprintf("%s holds no runs: 'adrun evolve SPEC' makes one", e.Root)
	}
	return fmt.Sprintf("%s holds no run %q: 'adrun status' lists the runs", e.Root, e.Ref)
}

// Find returns the run that a word names: its ID, the beginning of only one ID, or "latest".
func (s Store) Find(ref string) (*Run, error) {
	list, err := s.List()
	if err != nil {
		return nil, err
	}
	unknown := &UnknownError{Root: s.Root, Ref: ref}
	var matches []*Run
	for _, r := range list {
		if r.ID == ref {
			return r, nil
		}
		if ref != "" && strings.HasPrefix(r.ID, ref) {
			matches = append(matches, r)
			unknown.Matches = append(unknown.Matches, r.ID)
		}
	}
	switch {
	case ref == Latest && len(list) > 0:
		return list[len(list)-1], nil
	case len(matches) == 1:
		return matches[0], nil
	}
	slices.Sort(unknown.Matches)
	return nil, unknown
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(text, '\n'), 0o644)
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
