package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agentdescent/adrun/slots"
)

// journal is the log of a run while it runs. During a resume it first plays back what is stored: recorded
// effects are returned instead of done again, and everything that follows from them is checked against
// what was recorded. New entries gather in pending until the next durable step.
type journal struct {
	ledger  Ledger
	stored  []Entry
	leases  map[int]Entry // stored leases by number
	order   []int         // their numbers, as they were merged
	next    int           // entries played back or made, so far
	pending []Entry
	stable  []Ref
}

func newJournal(l Ledger, stored []Entry) (*journal, error) {
	j := &journal{ledger: l, stored: stored, leases: map[int]Entry{}}
	for _, e := range stored {
		if e.Kind != LeaseEntry {
			continue
		}
		rec, err := decode[struct{ Lease int }](e, LeaseEntry)
		if err != nil {
			return nil, err
		}
		j.leases[rec.Lease], j.order = e, append(j.order, rec.Lease)
	}
	return j, nil
}

// lease returns the stored record of a lease.
func (j *journal) lease(id int) (rec LeaseRecord, ok bool, err error) {
	e, ok := j.leases[id]
	if ok {
		rec, err = decode[LeaseRecord](e, LeaseEntry)
	}
	return rec, ok, err
}

// decode reads the data of an entry.
func decode[T any](e Entry, kind EntryKind) (v T, err error) {
	if e.Kind != kind {
		return v, &DivergedError{Seq: e.Seq, Want: clip(string(e.Kind) + " " + string(e.Data)), Got: string(kind)}
	}
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return v, fmt.Errorf("entry %d of the log, a %s: %w", e.Seq, kind, err)
	}
	return v, nil
}

// DivergedError says that a resumed run does not follow its own log: the spec, the data, a policy or the
// program is not the one that wrote it.
type DivergedError struct {
	Seq       int
	Want, Got string
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("the run diverges from its log at entry %d: recorded %s, now %s; "+
		"resume with the program, spec and data that wrote the log, or start a new run", e.Seq, e.Want, e.Got)
}

// replaying reports whether the next entry is stored already.
func (j *journal) replaying() bool { return j.next < len(j.stored) }

// upcoming reports whether the next stored entry is of the kind.
func (j *journal) upcoming(kind EntryKind) bool {
	return j.replaying() && j.stored[j.next].Kind == kind
}

// note records something that happened: on playback it must be what is stored.
func (j *journal) note(kind EntryKind, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("recording a %s entry: %w", kind, err)
	}
	return j.add(kind, data)
}

func (j *journal) add(kind EntryKind, data []byte) error {
	seq := j.next
	j.next++
	if seq < len(j.stored) {
		old := j.stored[seq]
		if old.Kind != kind || !bytes.Equal(old.Data, data) {
			return &DivergedError{
				Seq:  seq,
				Want: clip(string(old.Kind) + " " + string(old.Data)),
				Got:  clip(string(kind) + " " + string(data)),
			}
		}
		return nil
	}
	j.pending = append(j.pending, Entry{Seq: seq, Kind: kind, Data: data})
	return nil
}

// clip bounds what an error quotes.
func clip(s string) string {
	const most = 300
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// effect returns the recorded result of a step, or does the step and records its result.
func effect[T any](j *journal, kind EntryKind, do func() (T, error)) (T, error) {
	var v T
	if !j.replaying() {
		v, err := do()
		if err != nil {
			return v, err
		}
		return v, j.note(kind, v)
	}
	v, err := decode[T](j.stored[j.next], kind)
	j.next++
	return v, err
}

// commit records a move of dev and makes everything up to it durable. On a race nothing is recorded.
func (j *journal) commit(ctx context.Context, c Commit) error {
	before := j.next
	if err := j.note(CommitEntry, c); err != nil {
		return err
	}
	if len(j.pending) == 0 {
		return nil // played back
	}
	err := j.write(ctx, []Commit{c})
	if err != nil && len(j.pending) > 0 {
		j.pending = j.pending[:len(j.pending)-1]
		j.next = before
	}
	return err
}

// promote records a move of stable.
func (j *journal) promote(r Ref) error {
	live := !j.replaying()
	if err := j.note(PromoteEntry, r); err != nil {
		return err
	}
	if live {
		j.stable = append(j.stable, r)
	}
	return nil
}

// settle makes what is pending durable if it holds an effect. What follows from effects that are durable
// already is worked out again by a resume, so it may wait for the next durable step: a round that commits
// takes one.
func (j *journal) settle(ctx context.Context) error {
	if slices.ContainsFunc(j.pending, func(e Entry) bool { return e.Kind.effect() }) {
		return j.flush(ctx)
	}
	return nil
}

// flush makes what is pending durable.
func (j *journal) flush(ctx context.Context) error {
	if len(j.pending) == 0 && len(j.stable) == 0 {
		return nil
	}
	return j.write(ctx, nil)
}

func (j *journal) write(ctx context.Context, commits []Commit) error {
	b := Batch{Entries: j.pending, Commits: commits, Stable: j.stable}
	if err := j.ledger.Write(ctx, b); err != nil {
		return err
	}
	j.pending, j.stable = nil, nil
	return nil
}

// replies keeps what policies are told from outside, and charges the run for it.
type replies struct{ run *run }

var _ slots.Recorder = replies{}

// Reply returns the recorded reply, or asks and makes the answer durable before it is used.
func (p replies) Reply(ctx context.Context, call func(context.Context) (slots.Reply, error)) (slots.Reply, error) {
	r := p.run
	live := !r.journal.replaying()
	start := r.now()
	reply, err := effect(r.journal, ReplyEntry, func() (slots.Reply, error) { return call(ctx) })
	if err == nil && live {
		err = r.journal.flush(ctx)
	}
	r.spend = r.spend.Plus(reply.Spend)
	r.meters.add(StageMerge, r.now()-start, 1, reply.Spend)
	return reply, err
}
