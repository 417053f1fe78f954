package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/engine/ledger"
	"github.com/agentdescent/adrun/engine/trajectory"
)

// driver evolves one run of the store in this process.
type driver struct {
	app     *app
	run     *runs.Run
	plan    *plan
	workers int
	asJSON  bool
}

// runsFlag adds --runs to a verb.
func runsFlag(cmd *cobra.Command, s *runs.Store) {
	cmd.Flags().StringVar(&s.Root, "runs", runs.DefaultRoot, "the directory of the runs")
}

// specIdentity identifies a spec: a run is resumed under the same one. Its limit of time only says how much
// of the run is made at once, and where replies are kept changes none of them.
func specIdentity(s *spec.Spec) (string, error) {
	same := *s
	same.Budget.MaxSeconds = 0
	same.Propose.Replies = nil
	text, err := json.Marshal(same)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// drive takes the run's lock, evolves it from where it is, and writes its results.
func (d *driver) drive(ctx context.Context) (err error) {
	lock, err := d.run.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	d.plan.failures.to = d.app.stderr
	defer func() { err = errors.Join(err, d.plan.close()) }()
	status := runs.Status{State: runs.Running, PID: os.Getpid(), Updated: time.Now()}
	if err := d.run.SetStatus(status); err != nil {
		return err
	}
	start := time.Now()
	res, err := d.evolve(ctx, start)
	if res != nil && err == nil {
		err = d.finish(ctx, res, time.Since(start))
	}
	status = runs.Status{State: runs.Stopped, Updated: time.Now()}
	if res != nil {
		status.Stop = string(res.Stop)
	}
	interrupted := errors.Is(err, context.Canceled)
	if res == nil && interrupted {
		status.Stop = string(engine.StopCancelled)
	} else if err != nil && !interrupted {
		status.Error = err.Error()
	} else if err == nil && res.Stop.Final() {
		status.State = runs.Done
	}
	// What is left to be written is not worth an error beside one that says why.
	if last := errors.Join(d.run.ClearCancel(), d.run.SetStatus(status)); err == nil {
		err = last
	}
	return d.verdict(res, err)
}

// verdict says what a run that did not end by itself leaves behind.
func (d *driver) verdict(res *engine.Result, err error) error {
	id, stderr := d.run.ID, d.app.stderr
	switch {
	case res == nil && errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "adrun: interrupted while the run was being opened: 'adrun resume %s' goes on\n", id)
		return errFindings
	case errors.Is(err, context.Canceled): // its rounds cannot be interrupted with an error
		fmt.Fprintf(stderr, "adrun: interrupted while the value was being judged: 'adrun resume %s' goes on\n", id)
		return errFindings
	case err != nil && res == nil:
		return err
	case err != nil:
		return fmt.Errorf("run %s stopped: %w\n'adrun resume %s' goes on from what is stored", id, err, id)
	case res.Stop == engine.StopCancelled:
		at := res.Artifacts[0]
		fmt.Fprintf(stderr, "adrun: interrupted after %d rounds: %s holds stable, version %d; the head, the best so far, is version %d ('adrun show %s --dev')\n",
			len(res.History), shown(d.run.Out), at.Stable.Version, at.Dev.Version, id)
		fmt.Fprintf(stderr, "adrun: 'adrun resume %s' goes on\n", id)
		return errFindings
	case !res.Stop.Final():
		fmt.Fprintf(stderr, "adrun: stopped by %s: 'adrun resume %s --max-seconds N' goes on\n", res.Stop, id)
	}
	return nil
}

// whole refuses a ledger that is not as its process left it: going on would seal the damage.
func (d *driver) whole() error {
	if !exists(d.run.LedgerPath()) {
		return d.run.CheckUnbegun()
	}
	if _, err := d.run.CheckSeal(); err != nil {
		return err
	}
	return ledger.CheckLog(d.run.LedgerPath())
}

// evolve runs the engine on the run's ledger.
func (d *driver) evolve(ctx context.Context, start time.Time) (res *engine.Result, err error) {
	if err := d.whole(); err != nil {
		return nil, err
	}
	store, err := ledger.Open(d.run.LedgerPath())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := store.Keep(d.run); err != nil {
		return nil, err
	}
	rollouts, err := trajectory.Open(d.run.TrajectoryDir())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rollouts.Close()) }()

	c := d.plan.config
	c.Parallel.Workers = d.workers
	c.Ledger = engine.LedgerConfig{Store: store, RunID: d.run.LedgerID()}
	if c.Ledger.Spec, err = specIdentity(d.plan.spec); err != nil {
		return nil, err
	}
	c.Observe.Clock = func() time.Duration { return time.Since(start) }
	c.Budget.Stop = d.run.CancelRequested
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.plan.replies.fail = cancel
	if d.plan.replies.dir == "" {
		d.plan.replies.dir = d.run.RepliesDir()
	}
	bar := d.app.newProgress(c.Budget.Rounds)
	c.Observe.Events.Lease = func(e engine.LeaseEvent) {
		bar.replayed = e.Replayed
		if err := rollouts.Append(e); err != nil {
			cancel(err)
		}
	}
	c.Observe.Events.Round = bar.round
	res, err = engine.Run(ctx, c)
	bar.done()
	if res != nil && res.Stop == engine.StopCancelled && errors.Is(err, context.Canceled) {
		err = nil // being interrupted is no failure
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
		if res != nil {
			res.Stop, res.Error = engine.StopError, cause.Error()
		}
	}
	return res, err
}

// finish writes and prints the results. A run that was interrupted is not compared on data: whoever
// interrupts it does not want to wait.
func (d *driver) finish(ctx context.Context, res *engine.Result, took time.Duration) error {
	data := d.run.Data
	if !res.Stop.Final() {
		data = nil
	}
	report, err := d.plan.report(context.WithoutCancel(ctx), res, data)
	if err != nil {
		return err
	}
	if d.plan.meta != nil {
		// Judging takes as long as evolving did: it can be interrupted, and a resume judges again.
		if err := d.judge(ctx, report, res); err != nil {
			return err
		}
	}
	report.Out, report.Run = shown(d.run.Out), d.run.ID
	if err := os.MkdirAll(d.run.Out, 0o755); err != nil {
		return err
	}
	if err := d.plan.write(d.run.Out, res, report); err != nil {
		return err
	}
	if d.asJSON {
		err = d.app.printJSON(report)
	} else {
		err = d.app.printReport(report, res, took)
	}
	return errors.Join(report.uncompared, err)
}
