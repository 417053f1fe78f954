package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agentdescent/adrun/slots"
)

// EntryKind is the sort of an entry of a run's log.
type EntryKind string

// The entries. Those that record an effect (a lease, a sweep, …) give a resume what the run need not do
// again; the others follow from them, and a resume checks that they still do.
const (
	StartEntry   EntryKind = "start"   // what the run is
	TasksEntry   EntryKind = "tasks"   // training tasks that a source appended
	LeaseEntry   EntryKind = "lease"   // effect: a finished rollout and what it proposed
	SweepEntry   EntryKind = "sweep"   // effect: a measurement on the held-out tasks
	RankEntry    EntryKind = "rank"    // effect: a measurement on the ranking sub-sample
	RebaseEntry  EntryKind = "rebase"  // effect: a lagging card verified again
	AuditEntry   EntryKind = "audit"   // effect: an oracle's verdict
	RaceEntry    EntryKind = "race"    // effect: another writer moved the head
	MergeEntry   EntryKind = "merge"   // a decision
	ObserveEntry EntryKind = "observe" // the allocator learned from a decision
	CommitEntry  EntryKind = "commit"  // dev moved
	PromoteEntry EntryKind = "promote" // stable moved
	RoundEntry   EntryKind = "round"   // a row of the history
	ClockEntry   EntryKind = "clock"   // effect: a reading of the clock at a barrier; not canonical
	SealedEntry  EntryKind = "sealed"  // effect: the measurement on the sealed tasks
	ReplyEntry   EntryKind = "reply"   // what a policy was told from outside
	EndEntry     EntryKind = "end"     // why the run was done
)

// Canonical reports whether entries of the kind belong to the canonical log, which is the same for every
// number of workers and through every resume. Processors of another kind may differ in the last bits of what an
// acceptance has computed.
func (k EntryKind) Canonical() bool { return k != ClockEntry }

// effect reports whether entries of the kind hold what came from outside and does not follow from others.
func (k EntryKind) effect() bool {
	switch k {
	case StartEntry, MergeEntry, ObserveEntry, CommitEntry, PromoteEntry, RoundEntry, EndEntry:
		return false
	}
	return true
}

// Entry is one record of a run's log. Data is a JSON object in a fixed order of fields. Seq counts from 0.
type Entry struct {
	Seq  int
	Kind EntryKind
	Data json.RawMessage
}

// Header identifies a run: a resume under another identity is refused.
type Header struct {
	RunID string `json:"run"`
	// Spec is the caller's identity of the spec, Problem and Fingerprint the problem's.
	Spec        string `json:"spec,omitempty"`
	Problem     string `json:"problem"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Seed        uint64 `json:"seed"`
}

// Commit is a move of dev. Commits of an artifact are chained: Hash covers Parent and everything else.
type Commit struct {
	RunID    string             `json:"run"`
	Artifact string             `json:"artifact"`
	Version  int                `json:"version"`
	Parent   string             `json:"parent"`
	Hash     string             `json:"hash"`
	Outcome  slots.MergeOutcome `json:"outcome"`
	Round    int                `json:"round"`
	// Lease is the card's to which the commit is attributed; −1 for a commit of the population.
	Lease int `json:"lease"`
	// Proposal is unique in the ledger, so that writing the same commit twice is writing it once.
	Proposal string      `json:"proposal"`
	Diff     slots.Diff  `json:"diff"`
	State    slots.State `json:"-"`
	// StateHash is the hash of the whole state after the commit.
	StateHash string `json:"state"`
}

// Seal fills in the hashes.
func (c *Commit) Seal() error {
	c.StateHash = hashState(c.State)
	h, err := c.digest()
	c.Hash = h
	return err
}

func (c Commit) digest() (string, error) {
	c.Hash = ""
	b, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("hashing commit %d of %s: %w", c.Version, c.Artifact, err)
	}
	return hashBytes(b), nil
}

// Verify reports whether the commit's hashes are those of its content.
func (c Commit) Verify() error {
	want, err := c.digest()
	if err != nil {
		return err
	}
	if want != c.Hash {
		return fmt.Errorf("commit %d of %s: hash is %s, its content gives %s", c.Version, c.Artifact, c.Hash, want)
	}
	if got := hashState(c.State); got != c.StateHash {
		return fmt.Errorf("commit %d of %s: state hash is %s, its state gives %s", c.Version, c.Artifact, c.StateHash, got)
	}
	return nil
}

// Ref is where dev or stable of an artifact is. Version 0 with the hash "" is the initial state.
type Ref struct {
	Artifact string      `json:"artifact"`
	Version  int         `json:"version"`
	Hash     string      `json:"hash"`
	State    slots.State `json:"-"`
}

// Batch is one durable step.
type Batch struct {
	Entries []Entry
	// Commits move dev, each from its Parent; Stable moves stable.
	Commits []Commit
	Stable  []Ref
}

// Stored is what a ledger knows when a run is opened.
type Stored struct {
	// Entries of this run, in order; empty for a new one.
	Entries []Entry
	// Dev holds the heads of the ledger, by artifact, those of other runs included.
	Dev map[string]Ref
}

// RaceError says that dev was not where a commit expected it. Head is where it is.
type RaceError struct {
	Head Ref
}

func (e *RaceError) Error() string {
	return fmt.Sprintf("dev of %s has moved to version %d by another writer", e.Head.Artifact, e.Head.Version)
}

// Ledger keeps runs. What it has acknowledged survives a crash: a resume is a function of the spec and the
// entries that Begin returns, which are a prefix of what was written.
//
// A Ledger value is the handle of one run: Begin, called first and once, binds it. Several handles, in
// several processes, may share what is behind them. Write is called from one goroutine of the run at a
// time, Outcome and PutOutcome from several.
type Ledger interface {
	// Begin opens a run. It stores the header of a new one and returns what is stored of a known one; a
	// known RunID with another header is an error.
	Begin(ctx context.Context, h Header) (Stored, error)
	// Write stores the batch, all of it or nothing. Entries follow those already stored without a gap.
	// A commit whose Parent is not dev's hash is a *RaceError.
	Write(ctx context.Context, b Batch) error
	// Outcome returns the outcome stored under a key, PutOutcome stores one durably. Only evaluations of
	// problems that are Dear come here.
	Outcome(ctx context.Context, key string) (Outcome, bool, error)
	PutOutcome(ctx context.Context, key string, o Outcome) error
}

// Memory is a ledger without a disk, for one run. Use NewMemory. Begin may be called again with the same
// header: the run goes on from what was written, as it would from a disk.
type Memory struct {
	mu       sync.Mutex
	header   *Header
	entries  []Entry
	dev      map[string]Ref
	stable   map[string]Ref
	commits  []Commit
	outcomes map[string]Outcome
}

// NewMemory returns an empty ledger.
func NewMemory() *Memory {
	return &Memory{dev: map[string]Ref{}, stable: map[string]Ref{}, outcomes: map[string]Outcome{}}
}

// Begin opens the run.
func (m *Memory) Begin(_ context.Context, h Header) (Stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.header != nil && *m.header != h {
		return Stored{}, &IdentityError{Stored: *m.header, Asked: h}
	}
	m.header = &h
	return Stored{Entries: slices.Clone(m.entries), Dev: maps.Clone(m.dev)}, nil
}

// Write stores the batch.
func (m *Memory) Write(_ context.Context, b Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, e := range b.Entries {
		if want := len(m.entries) + i; e.Seq != want {
			return fmt.Errorf("entry %d cannot follow entry %d", e.Seq, want-1)
		}
	}
	for _, c := range b.Commits {
		if at := m.dev[c.Artifact]; at.Hash != c.Parent {
			return &RaceError{Head: at}
		}
	}
	m.entries = append(m.entries, b.Entries...)
	for _, c := range b.Commits {
		m.dev[c.Artifact] = Ref{Artifact: c.Artifact, Version: c.Version, Hash: c.Hash, State: c.State}
		m.commits = append(m.commits, c)
	}
	for _, r := range b.Stable {
		m.stable[r.Artifact] = r
	}
	return nil
}

// Outcome returns a stored outcome.
func (m *Memory) Outcome(_ context.Context, key string) (Outcome, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.outcomes[key]
	return o, ok, nil
}

// PutOutcome stores an outcome.
func (m *Memory) PutOutcome(_ context.Context, key string, o Outcome) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outcomes[key] = o
	return nil
}

// Entries returns the log.
func (m *Memory) Entries() []Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.entries)
}

// Commits returns the chain of every artifact, in the order of writing.
func (m *Memory) Commits() []Commit {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.commits)
}

// Stable returns where stable is, by artifact.
func (m *Memory) Stable() map[string]Ref {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.stable)
}

var _ Ledger = (*Memory)(nil)

// IdentityError says that a ledger holds another run under the same RunID.
type IdentityError struct {
	Stored, Asked Header
}

func (e *IdentityError) Error() string {
	var changed []string
	if e.Stored.Spec != e.Asked.Spec {
		changed = append(changed, "the spec")
	}
	if e.Stored.Seed != e.Asked.Seed {
		changed = append(changed, fmt.Sprintf("the seed (%d then, %d now)", e.Stored.Seed, e.Asked.Seed))
	}
	if e.Stored.Problem != e.Asked.Problem {
		changed = append(changed, fmt.Sprintf("the problem (%s then, %s now)", e.Stored.Problem, e.Asked.Problem))
	} else {
		changed = append(changed, changedWork(e.Stored.Fingerprint, e.Asked.Fingerprint)...)
	}
	return fmt.Sprintf("run %s began with other work; changed since: %s: put that back, or begin a new run",
		e.Stored.RunID, strings.Join(changed, ", "))
}

// changedWork names the parts of a fingerprint that differ: "NAME = WORDS; …", of which a word may be key=value.
func changedWork(stored, asked string) []string {
	if stored == asked {
		return nil
	}
	was, is := strings.Split(stored, "; "), strings.Split(asked, "; ")
	if len(was) != len(is) {
		return []string{"the work"}
	}
	var changed []string
	for i, part := range was {
		if part == is[i] {
			continue
		}
		name, words, named := strings.Cut(part, " = ")
		_, now, _ := strings.Cut(is[i], " = ")
		if !named {
			name, words, now = "the work", part, is[i]
		}
		changed = append(changed, name+" ("+strings.Join(changedWords(strings.Fields(words), strings.Fields(now)), ", ")+")")
	}
	return changed
}

func changedWords(was, is []string) []string {
	if len(was) != len(is) {
		return []string{"data"}
	}
	var changed []string
	for i, word := range was {
		if word == is[i] {
			continue
		}
		key, _, keyed := strings.Cut(word, "=")
		if !keyed {
			key = "data"
		}
		changed = append(changed, key)
	}
	return slices.Compact(changed)
}

// hashState hashes a state key by key.
func hashState(s slots.State) string {
	var b []byte
	for _, k := range s.Keys() {
		b = binary.BigEndian.AppendUint64(b, uint64(len(k)))
		b = append(b, k...)
		b = binary.BigEndian.AppendUint64(b, uint64(len(s[k])))
		b = append(b, s[k]...)
	}
	return hashBytes(b)
}

func hashBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}
