package meta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// RunConfig is an outer run and what its value is judged on.
type RunConfig struct {
	Config
	// Validation are the problems that the outer run never sees, ValidationSeeds the seeds on which it is
	// judged; default the training seeds + DefaultSeedShift. An overlap with training is an error.
	Validation      []Problem
	ValidationSeeds []int64
	// MinGain is what the mean gain on the validation pairs must exceed, TransferFloor the least share of the
	// source gain that it must be.
	MinGain       float64
	TransferFloor float64
	// Draw proposes changes of the seed value for the control best-of-N; nil leaves that control out. It is
	// asked with the seed value alone, so it may not need trials.
	Draw slots.Proposer
	// Workers is how many searches of the report are under way at once; default GOMAXPROCS.
	Workers int
}

// DefaultSeedShift is added to the training seeds where no validation seeds are named.
const DefaultSeedShift = 1_000_000

// Verdict is the decision about an evolved value.
type Verdict string

// The verdicts.
const (
	Adopt  Verdict = "adopt"
	Reject Verdict = "reject"
)

// Report says what an evolved value is worth. It is kept as the Meta of the run's result.
type Report struct {
	Slot        string `json:"slot"`
	Fingerprint string `json:"fingerprint"`
	Score       string `json:"score"`
	// Value is the evolved value and Seed the one it started from, rendered.
	Value   string  `json:"value"`
	Seed    string  `json:"seed"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`
	// Source is measured on the pairs of the training, SourceUnseen on the training problems with the seeds
	// of the validation, Validation on problems and seeds that the run never saw. Before is Seed, After Value.
	Source       Comparison  `json:"source"`
	SourceUnseen Comparison  `json:"source_unseen"`
	Validation   Comparison  `json:"validation"`
	Transfer     slots.Maybe `json:"transfer"`
	// Family and BestOf are the controls: values that people would try, and proposals from the seed without
	// a search. A control that could not be made is null, and Notes say why.
	Family *FamilyControl `json:"family"`
	BestOf *BestControl   `json:"best_of"`
	// Headroom is what a selection that knows the optimum gains above Value; null where no problem knows.
	Headroom *Headroom `json:"headroom"`
	// Searches counts the inner searches of the outer run.
	Searches int      `json:"searches"`
	Notes    []string `json:"notes,omitempty"`
}

// Headroom compares Value with the oracle.
type Headroom struct {
	SourceUnseen Paired `json:"source_unseen"`
	Validation   Paired `json:"validation"`
}

// Run evolves a slot's value, measures it beside its seed and two controls, and decides. A result comes with
// an error when the outer run has failed on its way; the report is nil then, and also when the outer run was
// cancelled: what it holds is not what it would have ended with.
func Run(ctx context.Context, c RunConfig) (*Report, *engine.Result, error) {
	e, err := c.Engine()
	if err != nil {
		return nil, nil, err
	}
	res, err := engine.Run(ctx, e)
	if err != nil || !res.Stop.Final() {
		return nil, res, err
	}
	report, err := c.Judge(ctx, res)
	return report, res, err
}

// Engine is the outer run as the engine takes it, once the whole configuration holds.
func (c RunConfig) Engine() (engine.Config, error) {
	e, err := c.Config.Engine()
	return e, errors.Join(err, c.checkValidation())
}

func (c RunConfig) checkValidation() error {
	if c.Spec == nil {
		return nil // said before
	}
	seeds := c.JudgingSeeds()
	errs := []error{
		checkProblems("Validation", c.Spec, c.Validation),
		checkSeeds("ValidationSeeds", seeds),
	}
	for _, p := range c.Validation {
		name := p.Describe().Name
		if slices.ContainsFunc(c.Problems, func(q Problem) bool { return q.Describe().Name == name }) {
			errs = append(errs, fmt.Errorf("problem %s trains and validates: a value is judged on problems that it never saw", name))
		}
	}
	for _, s := range seeds {
		if slices.Contains(c.Seeds, s) {
			errs = append(errs, fmt.Errorf("seed %d trains and validates: a value is judged on seeds that it never saw", s))
			break
		}
	}
	return errors.Join(errs...)
}

// JudgingSeeds are ValidationSeeds or their default.
func (c RunConfig) JudgingSeeds() []int64 {
	if len(c.ValidationSeeds) > 0 {
		return c.ValidationSeeds
	}
	seeds := make([]int64, len(c.Seeds))
	for i, s := range c.Seeds {
		seeds[i] = s + DefaultSeedShift
	}
	return seeds
}

// judge measures values for a report.
type judge struct {
	RunConfig
	report                     *Report
	source, unseen, validation *bench
	seed, value                measured
}

// measured is a value with its rewards.
type measured struct {
	state                      slots.State
	source, unseen, validation []float64
}

// Judge measures what a finished outer run evolved, decides, and stores the report in the result.
func (c RunConfig) Judge(ctx context.Context, res *engine.Result) (*Report, error) {
	val := c.JudgingSeeds()
	j := &judge{
		RunConfig:  c,
		source:     &bench{c.Spec, c.Score, pairsOf(c.Problems, c.Seeds), c.Workers},
		unseen:     &bench{c.Spec, c.Score, pairsOf(c.Problems, val), c.Workers},
		validation: &bench{c.Spec, c.Score, pairsOf(c.Validation, val), c.Workers},
	}
	start := c.start()
	j.report = &Report{
		Slot: c.Spec.Slot(), Fingerprint: c.Spec.Fingerprint(), Score: c.Score.String(),
		Value: c.Spec.Render(res.State), Seed: c.Spec.Render(start), Searches: res.Spend.Rollouts,
	}
	for _, step := range []func() error{
		func() (err error) { j.seed, err = j.measure(ctx, start); return err },
		func() (err error) { j.value, err = j.measure(ctx, res.State); return err },
		func() error { return j.family(ctx) },
		func() error { return j.bestOf(ctx) },
		func() error { return j.headroom(ctx) },
	} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("judging the evolved value: %w", err)
		}
	}
	j.decide()
	text, err := json.Marshal(j.report)
	if err != nil {
		return nil, fmt.Errorf("keeping the report: %w", err)
	}
	res.Meta = text
	return j.report, nil
}

// start is the value that the outer run started from.
func (c RunConfig) start() slots.State {
	if a := c.Outer.Artifacts; len(a) > 0 && a[0].Initial != nil {
		return a[0].Initial
	}
	return c.Spec.Initial()
}

func (j *judge) measure(ctx context.Context, s slots.State) (m measured, err error) {
	m.state = s
	if m.source, err = j.source.rewards(ctx, s); err != nil {
		return m, err
	}
	return m, j.onUnseen(ctx, &m)
}

func (j *judge) onUnseen(ctx context.Context, m *measured) (err error) {
	if m.unseen, err = j.unseen.rewards(ctx, m.state); err != nil {
		return err
	}
	m.validation, err = j.validation.rewards(ctx, m.state)
	return err
}

func (j *judge) headroom(ctx context.Context) error {
	var validation []float64
	unseen, err := j.unseen.oracle(ctx)
	if err == nil {
		validation, err = j.validation.oracle(ctx)
	}
	if errors.Is(err, ErrNoOracle) {
		j.note("no oracle: how much a better value could still gain is not known")
		return nil
	}
	if err != nil {
		return err
	}
	j.report.Headroom = &Headroom{
		SourceUnseen: Compare(j.value.unseen, unseen), Validation: Compare(j.value.validation, validation),
	}
	return nil
}

func (j *judge) note(format string, args ...any) {
	j.report.Notes = append(j.report.Notes, fmt.Sprintf(format, args...))
}

// decide fills in the comparisons and the verdict.
func (j *judge) decide() {
	r := j.report
	r.Source = j.source.compare(j.seed.source, j.value.source)
	r.SourceUnseen = j.unseen.compare(j.seed.unseen, j.value.unseen)
	r.Validation = j.validation.compare(j.seed.validation, j.value.validation)
	r.Transfer = TransferRatio(r.Validation.Gain, r.Source.Gain)
	r.Verdict = Reject
	switch gain := r.Validation.Gain; {
	case j.seed.state.Equal(j.value.state):
		r.Reason = "no change: the run committed nothing"
	case !r.Transfer.Known:
		r.Reason = fmt.Sprintf("no source gain: %+.4f on the pairs it was trained on", r.Source.Gain)
	case !(gain > j.MinGain):
		r.Reason = fmt.Sprintf("no gain on unseen problems: %+.4f, not above %g (source %+.4f)", gain, j.MinGain, r.Source.Gain)
	case r.Transfer.Value < j.TransferFloor:
		r.Reason = fmt.Sprintf("too little of the source gain transfers: a ratio of %.3f, below %g", r.Transfer.Value, j.TransferFloor)
	default:
		r.Verdict = Adopt
		r.Reason = fmt.Sprintf("a gain of %+.4f on unseen problems, %.2f of the gain on its own", gain, r.Transfer.Value)
	}
	if p := r.Validation; r.Verdict == Adopt && p.Lo.Known && p.Lo.Value <= 0 {
		j.note("the gain on unseen problems is not distinguishable from none: its 95 %% interval is %+.4f to %+.4f (n = %d)",
			p.Lo.Value, p.Hi.Value, p.N)
	}
}
