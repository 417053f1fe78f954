package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
)

func (a *app) cancelCommand() *cobra.Command {
	var store runs.Store
	var now, asJSON bool
	cmd := &cobra.Command{
		Use:   "cancel RUN",
		Short: "Stop a run that is being evolved",
		Long: `Cancel asks the process that evolves a run to stop at the end of its round; with --now it stops at once,
and what its round has done so far is kept. 'adrun resume' goes on.`,
		Args: exactly(1, "one RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.cancel(store, args[0], now, asJSON) },
	}
	runsFlag(cmd, &store)
	cmd.Flags().BoolVar(&now, "now", false, "do not wait for the end of the round")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was asked as JSON")
	return cmd
}

func (a *app) cancel(store runs.Store, ref string, now, asJSON bool) error {
	run, err := find(store, ref)
	if err != nil {
		return err
	}
	st, err := run.Status()
	if err != nil {
		return err
	}
	if st.State == runs.New {
		return fmt.Errorf("run %s is new: nobody evolves it: 'adrun resume %s' begins it", run.ID, run.ID)
	}
	if st.State != runs.Running {
		return fmt.Errorf("run %s is %s: nobody evolves it", run.ID, st.State)
	}
	if err := run.RequestCancel(); err != nil {
		return err
	}
	pid, _, err := run.Holder()
	if err != nil {
		return err
	}
	now = now && pid != 0
	if asJSON {
		err = a.printJSON(struct {
			Run string `json:"run"`
			PID int    `json:"pid"`
			Now bool   `json:"now"`
		}{run.ID, pid, now})
	}
	if !now {
		fmt.Fprintf(a.stderr, "adrun: run %s will stop at the end of its round\n", run.ID)
		return err
	}
	process, findErr := os.FindProcess(pid)
	if findErr != nil {
		return findErr
	}
	switch err := process.Signal(syscall.SIGTERM); {
	case errors.Is(err, os.ErrProcessDone): // the request was enough
	case err != nil:
		return fmt.Errorf("signalling process %d of run %s: %w; it will stop at the end of its round", pid, run.ID, err)
	}
	fmt.Fprintf(a.stderr, "adrun: process %d of run %s is told to stop\n", pid, run.ID)
	return err
}
