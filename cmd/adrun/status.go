package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
	"github.com/agentdescent/adrun/slots"
)

type statusFlags struct {
	store  runs.Store
	asJSON bool
}

func (a *app) statusCommand() *cobra.Command {
	var f statusFlags
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Say how a run is, or list the runs",
		Long: `Status says how a run is: new, running, done, stopped (by ^C, 'adrun cancel', a limit of time or an
error) or killed; stopped and killed runs can be resumed. Without RUN it lists the runs, the oldest
first. RUN is an id, the beginning of one, or latest.`,
		Args: atMost(1, "one RUN or none"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.statusAll(cmd.Context(), f)
			}
			return a.status(cmd.Context(), args[0], f)
		},
	}
	runsFlag(cmd, &f.store)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) status(ctx context.Context, ref string, f statusFlags) error {
	run, b, err := a.open(ctx, f.store, ref)
	if err != nil {
		return err
	}
	o, err := overviewOf(run, b)
	if err != nil {
		return err
	}
	if f.asJSON {
		return a.printJSON(o)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "run\t%s\n", o.Run)
	fmt.Fprintf(w, "state\t%s\n", o.state())
	if o.Error != "" {
		fmt.Fprintf(w, "error\t%s\n", o.Error)
	}
	if o.Problem != "" {
		fmt.Fprintf(w, "problem\t%s, seed %d\n", o.Problem, o.Seed)
	}
	fmt.Fprintf(w, "rounds\t%d\n", o.Rounds)
	fmt.Fprintf(w, "rollouts\t%d\n", o.Rollouts)
	fmt.Fprintf(w, "commits\t%d\n", o.Commits)
	fmt.Fprintf(w, "held out\t%s\n", maybe(o.HeldOut))
	fmt.Fprintf(w, "stable\tversion %d of %d\n", o.Stable, o.Head)
	fmt.Fprintf(w, "results\t%s\n", shown(o.Out))
	if o.Meta != nil {
		fmt.Fprintf(w, "verdict\t%s: %s\n", o.Meta.Verdict, o.Meta.Reason)
	}
	return w.Flush()
}

// state says in words how a run is.
func (o *overview) state() string {
	text := string(o.State)
	if o.Stop != "" && o.State != runs.Running && o.State != runs.Killed {
		text += " (" + o.Stop + ")"
	}
	if o.State.Resumable() {
		text += ": 'adrun resume " + o.Run + "' goes on"
	}
	return text
}

func maybe(m slots.Maybe) string {
	if !m.Known {
		return "–"
	}
	return fmt.Sprintf("%.4f", m.Value)
}

func (a *app) statusAll(ctx context.Context, f statusFlags) error {
	list, err := f.store.List()
	if err != nil {
		return err
	}
	all := make([]*overview, 0, len(list))
	for _, run := range list {
		o := &overview{Run: run.ID}
		b, err := openBook(ctx, run)
		if err == nil {
			o, err = overviewOf(run, b)
		}
		if err != nil {
			o = &overview{Run: run.ID, State: "unreadable", Error: err.Error()}
			fmt.Fprintf(a.stderr, "adrun: run %s: %s\n", run.ID, err)
		}
		all = append(all, o)
	}
	if f.asJSON {
		return a.printJSON(all)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	for _, o := range all {
		fmt.Fprintf(w, "%s\t%s\t%d rounds\t%d commits\theld out %s\t%s\n", o.Run, o.State, o.Rounds, o.Commits, maybe(o.HeldOut), o.Created)
	}
	return w.Flush()
}
