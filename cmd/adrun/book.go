package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runlog"
	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/ledger"
	"github.com/agentdescent/adrun/meta"
	"github.com/agentdescent/adrun/slots"
)

// book is what the ledger of a run holds.
type book struct {
	log     *runlog.Log
	commits []engine.Commit
	dev     map[string]engine.Ref
	stable  map[string]engine.Ref
}

// openBook reads the ledger of a run; that of a run that has not begun is empty.
func openBook(ctx context.Context, run *runs.Run) (b *book, err error) {
	b = &book{}
	if err := readable(run); err != nil {
		return nil, err
	}
	r, err := openLedger(run)
	if err != nil {
		return nil, err
	}
	if r == nil {
		b.log, err = runlog.Decode(nil)
		return b, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	entries, err := r.Entries(ctx, run.LedgerID(), 0)
	if err != nil {
		return nil, err
	}
	if b.log, err = runlog.Decode(entries); err != nil {
		return nil, err
	}
	if b.commits, err = r.Commits(ctx); err != nil {
		return nil, err
	}
	if b.dev, err = r.Dev(ctx); err != nil {
		return nil, err
	}
	b.stable, err = r.Stable(ctx)
	return b, err
}

// openLedger opens the ledger of a run to look at; there is none without an error before the run has begun.
func openLedger(run *runs.Run) (*ledger.Reader, error) {
	if exists(run.LedgerPath()) {
		r, err := ledger.OpenReader(run.LedgerPath())
		var empty *ledger.FormatError
		if !errors.As(err, &empty) || !empty.Empty() {
			return r, err
		}
	}
	return nil, run.CheckUnbegun()
}

// The branches as people name them.
const (
	stableBranch = "stable"
	devBranch    = "dev"
)

// head is where a branch of the run's artifact is.
func (b *book) head(branch string) (engine.Ref, error) {
	start, err := b.version(0)
	if err != nil {
		return start, err
	}
	refs := b.stable
	if branch == devBranch {
		refs = b.dev
	}
	if ref, moved := refs[start.Artifact]; moved {
		return ref, nil
	}
	return start, nil
}

// version is the run's artifact after so many commits; 0 is where it started.
func (b *book) version(n int) (engine.Ref, error) {
	if b.log.Start == nil || len(b.log.Start.Artifacts) == 0 {
		return engine.Ref{}, errors.New("the run has not begun: 'adrun resume' begins it")
	}
	a := b.log.Start.Artifacts[0]
	at := engine.Ref{Artifact: a.ID, Version: a.Version, Hash: a.Hash, State: a.State}
	if n == 0 {
		return at, nil
	}
	for _, c := range b.commits {
		if c.Artifact == at.Artifact && c.Version == n {
			return engine.Ref{Artifact: c.Artifact, Version: c.Version, Hash: c.Hash, State: c.State}, nil
		}
	}
	return at, fmt.Errorf("there is no version %d: the head is version %d", n, b.dev[at.Artifact].Version)
}

// overview is a run as status, watch and show present it.
type overview struct {
	Run      string      `json:"run"`
	State    runs.State  `json:"state"`
	Stop     string      `json:"stop,omitempty"`
	Error    string      `json:"error,omitempty"`
	Problem  string      `json:"problem,omitempty"`
	Seed     uint64      `json:"seed"`
	Rounds   int         `json:"rounds"`
	Rollouts int         `json:"rollouts"`
	Commits  int         `json:"commits"`
	HeldOut  slots.Maybe `json:"held_out"`
	Stable   int         `json:"stable"`
	Head     int         `json:"head"`
	Created  string      `json:"created"`
	Out      string      `json:"out"`
	// Meta says what an evolved slot's value is worth; absent for other kinds, and until it is judged.
	Meta *meta.Report `json:"meta,omitempty"`
}

// overviewOf looks at a run.
func overviewOf(run *runs.Run, b *book) (*overview, error) {
	st, err := run.Status()
	if err != nil {
		return nil, err
	}
	o := &overview{
		Run: run.ID, State: st.State, Stop: st.Stop, Error: st.Error, Seed: run.Seed, Out: run.Out,
		Created: run.Created.Format("2006-01-02T15:04:05Z07:00"),
		Rounds:  len(b.log.Rows), Rollouts: b.log.Spend().Rollouts, Commits: len(b.commits),
	}
	if o.Meta, err = metaOf(run); err != nil {
		return nil, err
	}
	if b.log.Start == nil {
		return o, nil
	}
	o.Problem = b.log.Start.Problem
	if n := len(b.log.Rows); n > 0 {
		o.HeldOut = b.log.Rows[n-1].HeldOut
	}
	for _, at := range []struct {
		branch string
		to     *int
	}{{stableBranch, &o.Stable}, {devBranch, &o.Head}} {
		ref, err := b.head(at.branch)
		if err != nil {
			return nil, err
		}
		*at.to = ref.Version
	}
	return o, nil
}

// open finds a run and reads its ledger.
func (a *app) open(ctx context.Context, s runs.Store, ref string) (*runs.Run, *book, error) {
	run, err := find(s, ref)
	if err != nil {
		return nil, nil, err
	}
	b, err := openBook(ctx, run)
	return run, b, err
}

// find finds a run of which it is known what was asked; doctor looks at others too.
func find(s runs.Store, ref string) (*runs.Run, error) {
	run, err := s.Find(ref)
	if err != nil {
		return nil, err
	}
	return run, readable(run)
}

// readable is an error of a run whose run.json is missing or damaged.
func readable(run *runs.Run) error {
	if run.Name == "" {
		return fmt.Errorf("run %s has no run.json that can be read: what was asked is lost; restore it from a copy ('adrun doctor %s')", run.ID, run.ID)
	}
	return nil
}
