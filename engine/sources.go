package engine

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/agentdescent/adrun/slots"
)

// tallies keep count of what comes of each source of proposals. They follow from the records of leases and
// merges alone, so that a resume has the same ones.
type tallies struct {
	bySource map[string]*slots.SourceTally
	view     []slots.SourceTally // nil when something was counted since
}

// of is the tally of a source; nil for a lease that names none.
func (t *tallies) of(source string) *slots.SourceTally {
	if source == "" {
		return nil
	}
	t.view = nil
	if t.bySource == nil {
		t.bySource = map[string]*slots.SourceTally{}
	}
	s := t.bySource[source]
	if s == nil {
		s = &slots.SourceTally{Source: source}
		t.bySource[source] = s
	}
	return s
}

// lease counts a lease.
func (t *tallies) lease(rec LeaseRecord) {
	s := t.of(rec.Source)
	if s == nil {
		return
	}
	s.Leases++
	s.Spend, s.Own = s.Spend.Plus(rec.Spend), s.Own.Plus(rec.Proposing)
	switch {
	case len(rec.Diff) > 0: // an error is the evaluator's then, which could not verify it
		s.Proposals++
	case rec.Error != "":
		s.Failed++
	}
	for cause, n := range rec.Replies {
		if s.Replies == nil {
			s.Replies = map[string]int{}
		}
		s.Replies[cause] += n
	}
}

// commit counts a commit that is attributed to a source.
func (t *tallies) commit(source string, gain slots.Maybe) {
	if s := t.of(source); s != nil {
		s.Commits++
		s.Gain += gain.Or(0)
	}
}

// list is an immutable view in the order of names; nil when no lease named a source.
func (t *tallies) list() []slots.SourceTally {
	if t.view == nil && len(t.bySource) > 0 {
		for _, s := range t.bySource {
			c := *s
			c.Replies = maps.Clone(s.Replies)
			t.view = append(t.view, c)
		}
		slices.SortFunc(t.view, func(a, b slots.SourceTally) int { return cmp.Compare(a.Source, b.Source) })
	}
	return t.view
}

// population is what the leases of a round know of the run.
func (r *run) population() *slots.Population {
	p := r.elites.snapshot()
	if sources := r.sources.list(); sources != nil {
		with := *p
		with.Sources = sources
		return &with
	}
	return p
}

// sourceOf names the source that a failure is of; "" if it is of none in particular.
func sourceOf(err error) string {
	var s *slots.SourceError
	if errors.As(err, &s) {
		return s.Source
	}
	return ""
}
