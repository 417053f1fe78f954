package meta

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

// Evolution is an inner problem that is a run of the engine, with a slot's value installed in it. Everything
// else of the inner run is the problem's, its budget included.
type Evolution struct {
	// Name, Fingerprint and Slots as in Description.
	Name        string
	Fingerprint string
	Slots       []string
	// Start returns the inner run of a seed, with fresh policies, of which the value's is replaced. quality
	// may be nil: a state is then worth its held-out mean, which the acceptance of the run has optimised.
	// Several goroutines call Start at once. The run's events Commit and Round are the problem's to draw the
	// curve by, and are set over what Start says of them.
	Start func(seed int64) (run engine.Config, quality Quality, err error)
	// Stable draws the curve of the stable head instead of dev; it needs a quality.
	Stable bool
	// Dear as in Description.
	Dear bool
}

var _ Problem = (*Evolution)(nil)

// Describe describes the problem.
func (p *Evolution) Describe() Description {
	return Description{Name: p.Name, Fingerprint: p.Fingerprint, Slots: p.Slots, Dear: p.Dear}
}

// Run makes the inner run. A value that breaks the contract of its slot fails.
func (p *Evolution) Run(ctx context.Context, v Value, seed int64) (Outcome, error) {
	if v.Policies == nil {
		return Outcome{Detail: Detail{Error: "the value is no policy, so it cannot decide in a run"}}, nil
	}
	c, quality, err := p.Start(seed)
	if err != nil {
		return Outcome{}, fmt.Errorf("the inner run %s of seed %d: %w", p.Name, seed, err)
	}
	bundle, err := v.Policies()
	if err != nil {
		return Outcome{}, err
	}
	c.Policies = c.Policies.Replace(bundle)
	w := &watch{onStable: p.Stable && quality != nil}
	if quality != nil {
		w.quality = func(s slots.State) (float64, error) { return quality(ctx, s) }
	}
	w.observe(&c)
	o, err := w.outcome(engine.Run(ctx, c))
	if err != nil {
		return o, fmt.Errorf("the inner run %s of seed %d: %w", p.Name, seed, err)
	}
	return o, nil
}

// watch draws the curve of an inner run.
type watch struct {
	quality  func(slots.State) (float64, error)
	onStable bool
	dev      slots.State
	stable   slots.State
	curve    []float64
	err      error // the first of the quality
}

// observe hooks into the run.
func (w *watch) observe(c *engine.Config) {
	if len(c.Artifacts) > 0 {
		w.dev, w.stable = c.Artifacts[0].Initial, c.Artifacts[0].Initial
	}
	c.Observe.Events.Commit = func(k engine.Commit) { w.dev = k.State }
	c.Observe.Events.Round = w.round
	if w.onStable {
		if c.Policies.Promotion == nil {
			c.Policies.Promotion = &slots.DefaultPromotion{}
		}
		c.Policies.Promotion = &watchedPromotion{Promotion: c.Policies.Promotion, watch: w}
	}
}

func (w *watch) round(r engine.Row) {
	at := r.HeldOut.Or(0)
	if w.quality != nil {
		head := w.dev
		if w.onStable {
			head = w.stable
		}
		var err error
		if at, err = w.quality(head); err != nil && w.err == nil {
			w.err = err
		}
	}
	w.curve = append(w.curve, at)
}

func (w *watch) outcome(res *engine.Result, err error) (Outcome, error) {
	o := Outcome{Curve: w.curve}
	if res != nil {
		o.Rollouts = res.Spend.Rollouts
		o.Detail = Detail{Outcomes: res.Outcomes, Stop: res.Stop}
		o.Final = res.HeldOut.After.Or(0)
	}
	if n := len(w.curve); n > 0 && w.quality != nil {
		o.Final = w.curve[n-1]
	}
	var broken *slots.ContractError
	if errors.As(err, &broken) {
		o.Detail.Error = broken.Error()
		return o, nil
	}
	return o, errors.Join(err, w.err)
}

// watchedPromotion tells what is promoted.
type watchedPromotion struct {
	slots.Promotion
	watch *watch
}

// Observe asks, and notes what becomes stable.
func (p *watchedPromotion) Observe(reports []slots.Report) []string {
	promoted := p.Promotion.Observe(reports)
	if len(promoted) > 0 {
		p.watch.stable = p.watch.dev
	}
	return promoted
}

// Start, Configure and Bind forward what the run offers.
func (p *watchedPromotion) Start(seed uint64) error {
	if q, ok := p.Promotion.(slots.Starter); ok {
		return q.Start(seed)
	}
	return nil
}

// Configure forwards.
func (p *watchedPromotion) Configure(c slots.MergeConfig) {
	if q, ok := p.Promotion.(slots.Configurer); ok {
		q.Configure(c)
	}
}

// Bind forwards.
func (p *watchedPromotion) Bind(v slots.Verifier) error {
	if q, ok := p.Promotion.(slots.Binder); ok {
		return q.Bind(v)
	}
	return nil
}
