package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runlog"
	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
)

type logFlags struct {
	store     runs.Store
	where     string
	canonical bool
	git       bool
	asJSON    bool
}

func (a *app) logCommand() *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use:   "log RUN",
		Short: "Print what a run has recorded",
		Long: `Log prints the log of a run, a line an entry. RUN is an id, the beginning of one, or latest.

--where keeps the entries for which an expression holds, such as
  reward > 0.5 && outcome == "committed"
  kind == "lease" && failure != ""
over seq, kind, round, lease, lane, artifact, task, reward, delta, advantage, failure, error, note, source,
outcome, reason, p_improve, held_out, version, identity, rollouts, tokens and cost. A merge and a commit
have the task and the reward of their lease, and the lease their outcome. What does not apply is the
empty word, −1, or a number with which every comparison is false.

--canonical prints the log that is the same for every --workers and through every resume. Processors of
another kind may differ in the last bits of what an acceptance has computed. --git prints a stream for git:
  adrun log latest --git | git -C new-repository fast-import`,
		Args: exactly(1, "one RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.log(cmd.Context(), args[0], f) },
	}
	runsFlag(cmd, &f.store)
	cmd.Flags().StringVar(&f.where, "where", "", "keep the entries for which this expression holds")
	cmd.Flags().BoolVar(&f.canonical, "canonical", false, "print the canonical log: kind and data of each entry")
	cmd.Flags().BoolVar(&f.git, "git", false, "print the commits as a stream for git fast-import")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print a JSON object an entry")
	return cmd
}

func (a *app) log(ctx context.Context, ref string, f logFlags) error {
	var filter *runlog.Filter
	if f.where != "" {
		var err error
		if filter, err = runlog.NewFilter(f.where); err != nil {
			return usagef("--where: %w", err)
		}
	}
	if f.git && (f.canonical || f.asJSON || filter != nil) {
		return usagef("--git prints the commits of the whole run: leave out --canonical, --json and --where")
	}
	run, book, err := a.open(ctx, f.store, ref)
	if err != nil {
		return err
	}
	if f.git {
		if book.log.Start == nil {
			return fmt.Errorf("run %s has not begun: there is nothing to export", run.ID)
		}
		return runlog.Git(a.stdout, book.log.Start, book.commits, book.stable)
	}
	entries := book.log.Entries
	if filter != nil {
		if entries, err = book.log.Where(filter); err != nil {
			return err
		}
	}
	switch {
	case f.canonical:
		return runlog.Canonical(a.stdout, entries)
	case f.asJSON:
		return runlog.JSON(a.stdout, entries)
	}
	return book.log.Text(a.stdout, entries)
}
