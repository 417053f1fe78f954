// Package runlog reads the log of a run for people: typed records, filters, a line an entry, the canonical
// log, and a stream for git.
package runlog

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Start is the first entry of a log, as far as reports need it.
type Start struct {
	Problem   string          `json:"problem"`
	Seed      uint64          `json:"seed"`
	Lanes     int             `json:"lanes"`
	Train     int             `json:"train"`
	HeldOut   int             `json:"held_out"`
	Sealed    int             `json:"sealed"`
	Artifacts []StartArtifact `json:"artifacts"`
}

// StartArtifact is where an artifact started.
type StartArtifact struct {
	ID      string      `json:"id"`
	Version int         `json:"version"`
	Hash    string      `json:"hash"`
	State   slots.State `json:"state"`
}

// Log is a log, decoded. The slices hold the entries of their kind in order.
type Log struct {
	Entries []engine.Entry
	Start   *Start // nil for an empty log
	Leases  []engine.LeaseRecord
	Merges  []slots.Report
	Commits []engine.Commit
	Rows    []engine.Row

	views []Row // an entry each
}

// Decode reads the entries of a run.
func Decode(entries []engine.Entry) (*Log, error) {
	l := &Log{Entries: entries}
	leases := map[int]int{} // places of lease entries among the views, by lease
	for _, e := range entries {
		v := Row{Seq: e.Seq, Kind: string(e.Kind), Round: -1, Lease: -1, Lane: -1, Version: -1}
		v.Reward, v.Delta, v.Advantage, v.HeldOut, v.PImprove = nan, nan, nan, nan, nan
		var err error
		switch e.Kind {
		case engine.StartEntry:
			l.Start, err = decode[*Start](e)
		case engine.LeaseEntry:
			err = add(e, &l.Leases, func(r engine.LeaseRecord) { v.lease(r); leases[r.Lease] = len(l.views) })
		case engine.MergeEntry:
			err = add(e, &l.Merges, func(r slots.Report) { v.merge(r) })
		case engine.CommitEntry:
			err = add(e, &l.Commits, func(c engine.Commit) { v.commit(c) })
		case engine.RoundEntry:
			err = add(e, &l.Rows, func(r engine.Row) { v.round(r) })
		}
		if err != nil {
			return nil, err
		}
		l.views = append(l.views, v)
	}
	for i, v := range l.views {
		at, known := leases[v.Lease]
		if !known || v.Kind == string(engine.LeaseEntry) {
			continue
		}
		// A decision has the reward of the lease to which it is attributed, and the lease its outcome.
		from := l.views[at]
		l.views[i].Source = from.Source
		l.views[i].Reward, l.views[i].Task, l.views[i].Lane, l.views[i].Round = from.Reward, from.Task, from.Lane, from.Round
		l.views[at].Outcome = v.Outcome
	}
	return l, nil
}

func decode[T any](e engine.Entry) (v T, err error) {
	if err = json.Unmarshal(e.Data, &v); err != nil {
		err = fmt.Errorf("entry %d of the log, a %s: %w", e.Seq, e.Kind, err)
	}
	return v, err
}

func add[T any](e engine.Entry, to *[]T, then func(T)) error {
	v, err := decode[T](e)
	if err == nil {
		*to = append(*to, v)
		then(v)
	}
	return err
}

// Spend is what the leases and the merges of the finished rounds have used.
func (l *Log) Spend() slots.Spend {
	var s slots.Spend
	for _, r := range l.Rows {
		s = s.Plus(r.Spend)
	}
	return s
}

// Canonical writes the canonical entries (engine.EntryKind): a line each, its kind and its data.
func Canonical(w io.Writer, entries []engine.Entry) error {
	for _, e := range entries {
		if !e.Kind.Canonical() {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s %s\n", e.Kind, e.Data); err != nil {
			return err
		}
	}
	return nil
}

// JSON writes a JSON object an entry.
func JSON(w io.Writer, entries []engine.Entry) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		err := enc.Encode(struct {
			Seq  int              `json:"seq"`
			Kind engine.EntryKind `json:"kind"`
			Data json.RawMessage  `json:"data"`
		}{e.Seq, e.Kind, e.Data})
		if err != nil {
			return err
		}
	}
	return nil
}

// nan is what an absent number is in a filter: every comparison with it is false.
var nan = math.NaN()
