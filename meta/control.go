package meta

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/internal/stats"
	"github.com/agentdescent/adrun/slots"
)

// FamilyControl measures values that people would try by hand.
type FamilyControl struct {
	Members []MemberRow `json:"members"`
	// Tuned is the member that is best on the training pairs: what tuning by hand would have given. The
	// comparisons are of that member (before) and the evolved value (after).
	Tuned      string `json:"tuned"`
	Unseen     Paired `json:"source_unseen"`
	Validation Paired `json:"validation"`
	// BestUnseen and BestValidation are the members that are best in hindsight on each side, compared
	// likewise: nobody could have known them, so they favour the family.
	BestUnseen     Rival `json:"best_source_unseen"`
	BestValidation Rival `json:"best_validation"`
}

// MemberRow is a member's mean rewards.
type MemberRow struct {
	Name         string  `json:"name"`
	Source       float64 `json:"source"`
	SourceUnseen float64 `json:"source_unseen"`
	Validation   float64 `json:"validation"`
}

// Rival is a comparison with a named value.
type Rival struct {
	Name string `json:"name"`
	Paired
}

// BestControl is the best of many proposals made from the seed value without looking at what came of the
// others, chosen on the training pairs within the searches that the outer run spent.
type BestControl struct {
	// Proposals were drawn, Admitted passed the gate, Searches were spent on choosing.
	Proposals  int    `json:"proposals"`
	Admitted   int    `json:"admitted"`
	Searches   int    `json:"searches"`
	Value      string `json:"value"`
	Source     Paired `json:"source"`
	Unseen     Paired `json:"source_unseen"`
	Validation Paired `json:"validation"`
}

func (j *judge) family(ctx context.Context) error {
	f, ok := j.Spec.(Family)
	if !ok || len(f.Family()) == 0 {
		j.note("no hand-tuned family: nobody has said which values of this slot people would try")
		return nil
	}
	c := &FamilyControl{}
	var all []measured
	for _, m := range f.Family() {
		v, err := j.measure(ctx, m.State)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		all = append(all, v)
		c.Members = append(c.Members, MemberRow{m.Name, stats.Mean(v.source), stats.Mean(v.unseen), stats.Mean(v.validation)})
	}
	best := func(of func(MemberRow) float64) int {
		at := 0
		for i, m := range c.Members {
			if of(m) > of(c.Members[at]) {
				at = i
			}
		}
		return at
	}
	tuned := best(func(m MemberRow) float64 { return m.Source })
	c.Tuned = c.Members[tuned].Name
	c.Unseen = Compare(all[tuned].unseen, j.value.unseen)
	c.Validation = Compare(all[tuned].validation, j.value.validation)
	u := best(func(m MemberRow) float64 { return m.SourceUnseen })
	c.BestUnseen = Rival{c.Members[u].Name, Compare(all[u].unseen, j.value.unseen)}
	v := best(func(m MemberRow) float64 { return m.Validation })
	c.BestValidation = Rival{c.Members[v].Name, Compare(all[v].validation, j.value.validation)}
	j.report.Family = c
	return nil
}

// rungs are the pairs on which a drawn proposal is tried before it is tried on twice as many.
const firstRung = 8

// bestOf draws proposals from the seed value until the searches of the outer run are spent, and measures the
// one that is best on the training pairs. One that falls behind the best so far by more than a standard error
// is dropped early, as the breeder does.
func (j *judge) bestOf(ctx context.Context) error {
	if j.Draw == nil {
		j.note("no best-of-N: the proposer draws nothing without a search")
		return nil
	}
	seed, err := ready(j.Spec, j.seed.state)
	if err != nil {
		return err
	}
	d := &draws{judge: j, seed: seed, best: j.seed, seen: map[string]bool{seed.Identity: true}}
	for i := 0; d.c.Searches+len(j.source.pairs) <= j.report.Searches && d.idle < maxIdle; i++ {
		if err := d.draw(ctx, i); err != nil {
			return err
		}
	}
	if err := j.onUnseen(ctx, &d.best); err != nil {
		return err
	}
	d.c.Value = j.Spec.Render(d.best.state)
	d.c.Source = Compare(d.best.source, j.value.source)
	d.c.Unseen = Compare(d.best.unseen, j.value.unseen)
	d.c.Validation = Compare(d.best.validation, j.value.validation)
	j.report.BestOf = &d.c
	return nil
}

// maxIdle is how many proposals in a row may come to nothing new before drawing ends.
const maxIdle = 2000

type draws struct {
	*judge
	c    BestControl
	seed *slots.Candidate
	best measured
	seen map[string]bool
	idle int
}

func (d *draws) draw(ctx context.Context, i int) error {
	d.idle++
	pc := &slots.ProposalContext{
		Artifact: slots.Artifact{ID: d.Spec.Slot(), State: d.seed.State}, Candidate: d.seed,
		Population: &slots.Population{}, Seed: drawSeed(d.Outer.Seed, i), Lease: i, K: 1,
	}
	if t, ok := d.Spec.(Typed); ok {
		pc.Signature = t.Signature()
	}
	p, err := d.Draw.Propose(ctx, pc)
	if err != nil || p == nil {
		return err
	}
	d.c.Proposals++
	diff := p.Diff
	if diff == nil {
		diff, err = d.Spec.Diff(d.seed.State, *p)
	}
	var no *engine.Refusal
	if errors.As(err, &no) {
		return nil
	}
	if err != nil {
		return err
	}
	state := d.seed.State.Apply(diff)
	c, err := d.Spec.Ready(d.Spec.Slot(), state)
	if errors.As(err, &no) || err == nil && d.seen[c.Identity] {
		return nil
	}
	if err != nil {
		return err
	}
	d.seen[c.Identity], d.idle = true, 0
	d.c.Admitted++
	return d.try(ctx, state)
}

// try measures a state on more and more training pairs while it keeps up.
func (d *draws) try(ctx context.Context, state slots.State) error {
	all := d.source.pairs
	var rewards []float64
	for n := firstRung; len(rewards) < len(all); n *= 2 {
		part := *d.source
		part.pairs = all[len(rewards):min(n, len(all))]
		more, err := part.rewards(ctx, state)
		if err != nil {
			return err
		}
		rewards = append(rewards, more...)
		d.c.Searches += len(more)
		if stats.Behind(rewards, d.best.source, 1) {
			return nil
		}
	}
	if stats.Mean(rewards) > stats.Mean(d.best.source) {
		d.best = measured{state: state, source: rewards}
	}
	return nil
}
