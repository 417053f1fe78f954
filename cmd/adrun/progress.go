package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/agentdescent/adrun/engine"
)

// progress shows the rounds of a run: a bar on a terminal, a row of the history as JSON a line elsewhere.
type progress struct {
	app    *app
	rounds int
	pool   *mpb.Progress
	bar    *mpb.Bar
	last   string
	// replayed says that the rounds are those that a resume plays back.
	replayed bool
}

func (a *app) newProgress(rounds int) *progress {
	p := &progress{app: a, rounds: rounds}
	f, ok := a.stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return p
	}
	p.pool = mpb.New(mpb.WithOutput(a.stderr), mpb.WithRefreshRate(200*time.Millisecond))
	p.bar = p.pool.AddBar(int64(rounds),
		mpb.PrependDecorators(decor.Name("round "), decor.CountersNoUnit("%d/%d ")),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.last })),
	)
	return p
}

// round is called at the end of each round.
func (p *progress) round(r engine.Row) {
	if p.bar == nil {
		if !p.replayed {
			_ = json.NewEncoder(p.app.stderr).Encode(r)
		}
		return
	}
	p.last = fmt.Sprintf("held out %.4f, %d rollouts", r.HeldOut.Value, r.Spend.Rollouts)
	if r.Commits > 0 {
		p.last += ", committed"
	}
	p.bar.Increment()
}

// done leaves the terminal as it should be.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Abort(false)
		p.pool.Wait()
	}
}
