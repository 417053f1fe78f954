package slots

import (
	"context"
	"fmt"
	"strings"
)

// DefaultFusion sends the union of the diffs to the gate. With Tournament it ranks the single diffs and
// their union on the ranking sub-sample first, and the union must beat every single one.
type DefaultFusion struct {
	Tournament bool

	verifier Verifier
	thrifty  bool
	trials   []FusionTrial
}

// PolicyName returns "default", or "tournament".
func (p *DefaultFusion) PolicyName() string {
	if p.Tournament {
		return "tournament"
	}
	return "default"
}

// Bind takes the verifier that ranks.
func (p *DefaultFusion) Bind(v Verifier) error { return bindOnce(&p.verifier, v, "DefaultFusion") }

// Thrift leaves out the tournament while the budget is tight.
func (p *DefaultFusion) Thrift(on bool) { p.thrifty = on }

// FusionTrials returns the record of the contests.
func (p *DefaultFusion) FusionTrials() []FusionTrial { return p.trials }

// Select returns the union, the only diff, or the winner of the tournament.
func (p *DefaultFusion) Select(ctx context.Context, a Artifact, diffs []Diff) (Choice, error) {
	in := contestants(diffs)
	if !p.Tournament || p.thrifty || len(in) == 1 {
		p.trials = append(p.trials, trial(in, union(in), false))
		return in[union(in)].choice(), nil
	}
	best, err := rank(ctx, p.verifier, "DefaultFusion", a, in)
	if err != nil {
		return Choice{}, err
	}
	p.trials = append(p.trials, trial(in, best, true))
	return in[best].choice(), nil
}

// rank returns the first contestant of the highest score on the ranking sub-sample. One alone is not scored.
func rank(ctx context.Context, v Verifier, policy string, a Artifact, in []contestant) (int, error) {
	if v == nil {
		return 0, &UnboundError{Policy: policy, Needs: "a verifier"}
	}
	best, most := 0, CheapScore(0)
	for i := range in {
		if len(in) == 1 {
			break
		}
		score, err := v.CheapEval(ctx, a.ID, a.State.Apply(in[i].diff))
		if err != nil {
			return 0, err
		}
		if i == 0 || score > most {
			best, most = i, score
		}
	}
	return best, nil
}

// contestant is a diff that may go to the gate.
type contestant struct {
	diff    Diff
	members int  // diffs that it was made of
	whole   bool // it makes every edit of the survivors
}

func (c contestant) choice() Choice { return Choice{Diff: c.diff, Union: c.members > 1} }

// contestants lists the single diffs, then their union unless a single diff is that already or the diffs
// contradict.
func contestants(diffs []Diff) []contestant {
	u := Union(diffs...)
	whole := contradict(diffs)
	var in []contestant
	for _, d := range diffs {
		c := contestant{diff: d, members: 1, whole: !whole && d.Equal(u)}
		whole = whole || c.whole
		in = append(in, c)
	}
	if !whole {
		in = append(in, contestant{diff: u, members: len(diffs), whole: true})
	}
	return in
}

// contradict reports whether two of the diffs contradict.
func contradict(diffs []Diff) bool {
	for i, d := range diffs {
		for _, e := range diffs[:i] {
			if d.Contradicts(e) {
				return true
			}
		}
	}
	return false
}

// union is the place of the contestant that makes every edit; the first when none does.
func union(in []contestant) int {
	for i, c := range in {
		if c.whole {
			return i
		}
	}
	return 0
}

// trial records a contest that contestant best won.
func trial(in []contestant, best int, ranked bool) FusionTrial {
	t := FusionTrial{Ranked: ranked, UnionWon: in[best].members > 1}
	for _, c := range in {
		if c.members > 1 {
			t.Contested = true
		} else {
			t.Members++
		}
	}
	return t
}

// MergeRequest asks for one text that keeps what several proposals for it contribute.
type MergeRequest struct {
	Artifact string
	// Key is the text's, Current its value in dev, "" when it is new.
	Key     string
	Current string
	// Proposals are the competing values, in lease order; at least two, none equal to another.
	Proposals []string
}

// Prompt puts the request to a model.
func (r MergeRequest) Prompt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d changes of one text were made independently of each other, each because of another failure. "+
		"Write the text that has all of their changes. Where two cannot stand together keep the more specific one. "+
		"Add nothing that none of them has. Answer with the text alone.\n\nThe text before the changes:\n%s\n",
		len(r.Proposals), r.Current)
	for i, p := range r.Proposals {
		fmt.Fprintf(&b, "\nChange %d:\n%s\n", i+1, p)
	}
	return b.String()
}

// Completion answers a MergeRequest, by a model or otherwise. An answer with an Error, or an empty one, is
// no answer; the error of the call ends the run.
type Completion func(ctx context.Context, r MergeRequest) (Reply, error)

// KeepContradictions leaves contradicting diffs to a fusion that merges them. It is one half of
// ReflectiveMerge, and refused alone.
type KeepContradictions struct{}

// PolicyName returns "keep_contradictions".
func (KeepContradictions) PolicyName() string { return "keep_contradictions" }

// KeepsContradictions returns true.
func (KeepContradictions) KeepsContradictions() bool { return true }

// Resolve keeps every card.
func (KeepContradictions) Resolve(_ context.Context, _ Artifact, cards []*Card) ([]*Card, int, error) {
	return cards, 0, nil
}

// ReflectiveFusion has contradicting values merged into one text, which then competes with the single diffs
// on the ranking sub-sample and must beat them all. Diffs that agree are united without asking. An answer
// that is missing, too long, a repetition of what was there or no value that may run is counted as a failed
// synthesis, and the single diffs compete alone. Use ReflectiveMerge: the other half of the pair keeps the contradictions.
type ReflectiveFusion struct {
	complete Completion
	recorder Recorder
	verifier Verifier
	thrifty  bool
	trials   []FusionTrial
}

const (
	// mergedChars bounds a merged text: it does not pass the trust region, which looks at cards.
	mergedChars = 32000
	// mergedProposals is how many values one request has at most; with more it would ask for a summary.
	mergedProposals = 6
)

// ReflectiveMerge returns the two policies that merge contradictions, as a bundle.
func ReflectiveMerge(c Completion) Policies {
	return Policies{Conflict: KeepContradictions{}, Fusion: &ReflectiveFusion{complete: c}}
}

// PolicyName returns "reflective".
func (p *ReflectiveFusion) PolicyName() string { return "reflective" }

// MergesContradictions returns true.
func (p *ReflectiveFusion) MergesContradictions() bool { return true }

// Bind takes the verifier that ranks.
func (p *ReflectiveFusion) Bind(v Verifier) error {
	return bindOnce(&p.verifier, v, "ReflectiveFusion")
}

// Record takes the keeper of replies.
func (p *ReflectiveFusion) Record(r Recorder) { p.recorder = r }

// Thrift leaves out asking while the budget is tight.
func (p *ReflectiveFusion) Thrift(on bool) { p.thrifty = on }

// FusionTrials returns the record of the contests.
func (p *ReflectiveFusion) FusionTrials() []FusionTrial { return p.trials }

// Select returns the winner of the contest.
func (p *ReflectiveFusion) Select(ctx context.Context, a Artifact, diffs []Diff) (Choice, error) {
	in := contestants(diffs)
	asked := contradict(diffs) && !p.thrifty
	synthesized := -1
	if asked {
		d, err := p.synthesize(ctx, a, diffs)
		if err == nil && d != nil {
			d, err = p.vetted(a, d)
		}
		if err != nil {
			return Choice{}, err
		}
		if d != nil {
			synthesized = len(in)
			in = append(in, contestant{diff: d, members: len(diffs), whole: true})
		}
	}
	best, err := rank(ctx, p.verifier, "ReflectiveFusion", a, in)
	if err != nil {
		return Choice{}, err
	}
	t := trial(in, best, len(in) > 1)
	t.Synthesized, t.SynthesisFailed = synthesized >= 0, asked && synthesized < 0
	p.trials = append(p.trials, t)
	return in[best].choice(), nil
}

// synthesize makes one diff of all: edits that agree as they are, contested values merged. It is nil when one
// of them could not be merged, since half a merge would drop a contribution unseen.
func (p *ReflectiveFusion) synthesize(ctx context.Context, a Artifact, diffs []Diff) (Diff, error) {
	var edits []Edit
	for _, key := range Union(diffs...).Keys() {
		rivals := editsOf(diffs, key)
		if len(rivals) == 1 {
			edits = append(edits, rivals[0])
			continue
		}
		text, err := p.ask(ctx, a, key, rivals)
		if text == "" || err != nil {
			return nil, err
		}
		edits = append(edits, Edit{Key: key, Value: text})
	}
	return NewDiff(edits...), nil
}

// vetted is the diff, or nil if what it makes may not run. A verifier that cannot tell ranks it.
func (p *ReflectiveFusion) vetted(a Artifact, d Diff) (Diff, error) {
	v, ok := p.verifier.(Vetter)
	if !ok {
		return d, nil
	}
	if ok, err := v.Admits(a.ID, a.State.Apply(d)); !ok || err != nil {
		return nil, err
	}
	return d, nil
}

// editsOf lists the different edits of a key, in order.
func editsOf(diffs []Diff, key string) []Edit {
	var out []Edit
	for _, d := range diffs {
		for _, e := range d {
			known := e.Key != key
			for _, o := range out {
				known = known || o == e
			}
			if !known {
				out = append(out, e)
			}
		}
	}
	return out
}

// ask has contested values merged; "" is no usable answer.
func (p *ReflectiveFusion) ask(ctx context.Context, a Artifact, key string, rivals []Edit) (string, error) {
	r := MergeRequest{Artifact: a.ID, Key: key, Current: a.State[key]}
	for _, e := range rivals {
		if !e.Delete && len(r.Proposals) < mergedProposals {
			r.Proposals = append(r.Proposals, e.Value)
		}
	}
	if len(r.Proposals) < 2 {
		return "", nil // to write and to delete cannot both be had
	}
	call := func(ctx context.Context) (Reply, error) { return p.complete(ctx, r) }
	var reply Reply
	var err error
	if p.recorder != nil {
		reply, err = p.recorder.Reply(ctx, call)
	} else {
		reply, err = call(ctx)
	}
	if err != nil || reply.Error != "" {
		return "", err
	}
	text := strings.TrimSpace(reply.Text)
	if len(text) > mergedChars || text == strings.TrimSpace(r.Current) {
		return "", nil
	}
	for _, q := range r.Proposals {
		if text == strings.TrimSpace(q) {
			return "", nil
		}
	}
	return text, nil
}

var (
	_ Fusion              = (*DefaultFusion)(nil)
	_ Fusion              = (*ReflectiveFusion)(nil)
	_ FusionTrialer       = (*DefaultFusion)(nil)
	_ FusionTrialer       = (*ReflectiveFusion)(nil)
	_ Thrifty             = (*DefaultFusion)(nil)
	_ Thrifty             = (*ReflectiveFusion)(nil)
	_ Recording           = (*ReflectiveFusion)(nil)
	_ Conflict            = KeepContradictions{}
	_ ContradictionKeeper = KeepContradictions{}
	_ ContradictionMerger = (*ReflectiveFusion)(nil)
)
