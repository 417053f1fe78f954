package engine

import (
	"fmt"

	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/slots"
)

// artifact is one evolving artifact during a run.
type artifact struct {
	id       string
	index    int
	strategy Strategy
	radius   float64
	layer    slots.Layer

	dev       Ref
	candidate *slots.Candidate // dev, ready to be evaluated
	devHead   int              // dev's place in the archive
	stable    Ref
	first     slots.State
	start     *sweep // of the initial state
	commits   int    // accepted so far; what an acceptance takes for the version
	prior     slots.Beta
	trust     float64
	region    trustRegion

	// populated says that a selection keeps an archive of heads. plan are the heads from which the next
	// lanes start.
	populated bool
	heads     []slots.Head
	known     map[string]int // archive IDs by hash of the state
	plan      []int
	ready     map[int]*slots.Candidate // heads that lanes have started from

	evidence  []string // failing tasks of cards that were discarded
	questions map[int]question
}

// sight is what a lane sees of one artifact.
type sight struct {
	id        string
	epoch     int // dev's version at the time of looking: how far the lane lags is counted from it
	head      int
	state     slots.State
	candidate *slots.Candidate
}

// view is what a lane sees, an artifact each, in the order of the config.
type view []sight

// with returns the candidate among the other artifacts of the view.
func (v view) with(c *slots.Candidate) *slots.Candidate {
	if len(v) <= 1 {
		return c
	}
	out := *c
	out.Others = make(map[string]*slots.Candidate, len(v)-1)
	for _, s := range v {
		if s.id != c.Artifact {
			bare := *s.candidate
			bare.Others = nil
			out.Others[s.id] = &bare
		}
	}
	return &out
}

// look returns what the lane sees this round: a new view, or the one it keeps.
func (r *run) look(round, lane int) view {
	n := r.cfg.Parallel.Refresh
	if v := r.views[lane]; v != nil && (round+lane)%n != 0 && !r.cfg.Parallel.Async.On {
		return v
	}
	v := make(view, len(r.artifacts))
	for i, a := range r.artifacts {
		s := sight{id: a.id, epoch: a.dev.Version, head: a.devHead, state: a.dev.State, candidate: a.candidate}
		if len(a.plan) > 0 {
			s.head = a.plan[lane%len(a.plan)]
			s.state, s.candidate = a.heads[s.head].State, a.ready[s.head]
		}
		v[i] = s
	}
	for i := range v {
		v[i].candidate = v.with(v[i].candidate)
	}
	r.views[lane] = v
	return v
}

// openArtifacts sets up what evolves: from the ledger's heads where it has some, else from the config,
// else from the problem.
func (r *run) openArtifacts(stored Stored) error {
	configs := r.cfg.Artifacts
	if len(configs) == 0 {
		configs = []ArtifactConfig{{}}
	}
	resumed := len(stored.Entries) > 0
	for i, c := range configs {
		a, err := r.newArtifact(i, c)
		if err != nil {
			return err
		}
		head, moved := stored.Dev[a.id]
		switch {
		case moved && !resumed && c.Initial != nil:
			return fmt.Errorf("artifact %q has an initial state, and the ledger has %d commits to it: leave out "+
				"the initial state, or use a ledger without commits", a.id, head.Version)
		case moved && !resumed:
			a.dev = head
		}
		if resumed {
			if a.dev, err = startOf(stored.Entries, a.id, a.dev); err != nil {
				return err
			}
		}
		a.first, a.stable = a.dev.State, a.dev
		if a.candidate, err = a.strategy.Ready(a.id, a.dev.State); err != nil {
			return fmt.Errorf("the initial state of %q may not run: %w", a.id, err)
		}
		r.artifacts = append(r.artifacts, a)
		r.byID[a.id] = a
	}
	return nil
}

func (r *run) newArtifact(i int, c ArtifactConfig) (*artifact, error) {
	def(&c.ID, r.desc.Name)
	def(&c.BlastRadius, 0.2)
	def(&c.Prior, slots.UniformPrior())
	def(&c.Trust, 1)
	initial := c.Initial
	if initial == nil {
		initial = slots.State{}
		if r.desc.Initial != "" {
			initial[slots.RuleKey] = r.desc.Initial
		}
	}
	if c.Strategy == nil {
		c.Strategy = SingleSlot{}
		if r.desc.Signature != nil {
			g, err := gate.New(gate.Config{Signature: r.desc.Signature})
			if err != nil {
				return nil, fmt.Errorf("building the gate of %s: %w", r.desc.Name, err)
			}
			c.Strategy = NewRules(Gated(g))
		}
	}
	return &artifact{
		id: c.ID, index: i, strategy: c.Strategy, radius: c.BlastRadius,
		layer: slots.LayerOf(c.ID, c.BlastRadius), prior: c.Prior, trust: c.Trust,
		dev:       Ref{Artifact: c.ID, State: initial.Clone()},
		region:    newTrustRegion(r.cfg.Gate.Merge),
		populated: keepsPopulation(r.policies.Selection),
		known:     map[string]int{}, ready: map[int]*slots.Candidate{},
		questions: map[int]question{},
	}, nil
}

// keepsPopulation reports whether a selection needs an archive of heads.
func keepsPopulation(s slots.Selection) bool {
	h, ok := s.(slots.HeadOnly)
	return !ok || !h.HeadOnly()
}

// startOf returns where a stored run began.
func startOf(entries []Entry, id string, initial Ref) (Ref, error) {
	rec, err := decode[startRecord](entries[0], StartEntry)
	if err != nil {
		return Ref{}, err
	}
	for _, a := range rec.Artifacts {
		if a.ID != id {
			continue
		}
		if a.Version == 0 {
			return initial, nil // checked against the log when the start is noted
		}
		return Ref{Artifact: id, Version: a.Version, Hash: a.Hash, State: a.State}, nil
	}
	return Ref{}, &DivergedError{Seq: 0, Want: "a run without artifact " + id, Got: "artifact " + id}
}

// score is dev's held-out mean.
func (a *artifact) score() slots.Maybe {
	if a.devHead < len(a.heads) {
		return a.heads[a.devHead].Score
	}
	return slots.Maybe{}
}

// maxEvidence bounds the failing tasks that wait for a later card.
const maxEvidence = 8

// returnEvidence keeps the failing tasks of a discarded card for the next one.
func (a *artifact) returnEvidence(c *slots.Card) {
	for _, id := range c.Failing {
		known := false
		for _, e := range a.evidence {
			known = known || e == id
		}
		if !known && len(a.evidence) < maxEvidence {
			a.evidence = append(a.evidence, id)
		}
	}
}

func (a *artifact) takeEvidence() []string {
	e := a.evidence
	a.evidence = nil
	return e
}

// archive adds a measured head and makes it dev's place. A state that is known keeps its place.
func (r *run) archive(a *artifact, s *sweep, round, parent int) {
	key := hashState(a.dev.State)
	if id, known := a.known[key]; known {
		a.devHead = id
		return
	}
	id := len(a.heads)
	h := slots.Head{ID: id, Parent: max(parent, 0), Version: a.dev.Version, Round: round, State: a.dev.State}
	if s != nil && s.Error == "" {
		h.Score, h.TaskScores = slots.Known(s.rate()), s.Rewards
	}
	if !a.populated && id > 0 {
		// Without a population only dev is remembered.
		h.ID = 0
		a.heads[0], a.devHead = h, 0
		a.known = map[string]int{key: 0}
		return
	}
	if parent >= 0 {
		a.heads[parent].Children++
	}
	a.heads = append(a.heads, h)
	a.known[key] = id
	a.devHead = id
	a.ready[id] = a.candidate
}
