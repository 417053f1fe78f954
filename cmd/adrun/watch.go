package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
)

// watchEvery is how often watch looks, watchNew how long it waits for a run to begin.
const (
	watchEvery = 200 * time.Millisecond
	watchNew   = 30 * time.Second
)

func (a *app) watchCommand() *cobra.Command {
	var f statusFlags
	cmd := &cobra.Command{
		Use:   "watch RUN",
		Short: "Follow a run until it ends",
		Long: `Watch prints a line for each round of a run, those that are over first, until nobody evolves the run any
more. It fails when the run is not done then. Watching changes nothing: ^C ends the watching only.`,
		Args: exactly(1, "one RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.watch(cmd.Context(), args[0], f) },
	}
	runsFlag(cmd, &f.store)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print a row of the history as JSON a line")
	return cmd
}

func (a *app) watch(ctx context.Context, ref string, f statusFlags) error {
	run, err := find(f.store, ref)
	if err != nil {
		return err
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	begun := time.Now()
	for told := 0; ; {
		// The state is read before the log, so that a run that ended in between is told whole.
		st, err := run.Status()
		if err != nil {
			return err
		}
		if told, err = a.tell(ctx, run, told, f.asJSON); err != nil {
			return err
		}
		waiting := st.State == runs.Running || st.State == runs.New && time.Since(begun) < watchNew
		if !waiting {
			return a.watched(run, st)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// tell prints the rounds that were not told yet.
func (a *app) tell(ctx context.Context, run *runs.Run, told int, asJSON bool) (int, error) {
	b, err := openBook(ctx, run)
	if err != nil {
		return told, err
	}
	for ; told < len(b.log.Rows); told++ {
		row := b.log.Rows[told]
		if asJSON {
			err = json.NewEncoder(a.stdout).Encode(row)
		} else {
			_, err = fmt.Fprintf(a.stdout, "round %d: held out %s, %d rollouts, %d commits\n",
				row.Round, maybe(row.HeldOut), row.Spend.Rollouts, row.Commits)
		}
		if err != nil {
			return told, err
		}
	}
	return told, nil
}

// watched says how the run ended.
func (a *app) watched(run *runs.Run, st runs.Status) error {
	o := overview{Run: run.ID, State: st.State, Stop: st.Stop}
	fmt.Fprintf(a.stderr, "adrun: run %s is %s\n", run.ID, o.state())
	if st.Error != "" {
		fmt.Fprintf(a.stderr, "adrun: %s\n", st.Error)
	}
	if st.State != runs.Done {
		return errFindings
	}
	return nil
}
