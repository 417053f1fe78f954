package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
)

type resumeFlags struct {
	store   runs.Store
	workers int
	seconds int
	asJSON  bool
}

func (a *app) resumeCommand() *cobra.Command {
	var f resumeFlags
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was interrupted",
		Long: `Resume goes on with a run that was interrupted, killed, cancelled or stopped by its time limit, and ends
as it would have ended undisturbed: its log is played back, and what is recorded there is not done
again. RUN is an id, the beginning of one, or latest.`,
		Args: exactly(1, "one RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.resume(cmd, args[0], f) },
	}
	runsFlag(cmd, &f.store)
	workersFlag(cmd, &f.workers)
	cmd.Flags().IntVar(&f.seconds, "max-seconds", 0, "another limit of time, in all, for a run whose spec has one")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	return cmd
}

func (a *app) resume(cmd *cobra.Command, ref string, f resumeFlags) error {
	if err := checkWorkers(f.workers); err != nil {
		return err
	}
	run, err := find(f.store, ref)
	if err != nil {
		return err
	}
	status, err := run.Status()
	if err != nil {
		return err
	}
	if status.State == runs.Done {
		if _, err := openBook(cmd.Context(), run); err != nil {
			return err // show would say so too
		}
		return fmt.Errorf("run %s is done (%s): 'adrun show %s' prints its rule", run.ID, status.Stop, run.ID)
	}
	if status.State == runs.Stopped || status.State == runs.Killed {
		// Whoever asked a process to stop that was killed before it did has been obeyed.
		if err := run.ClearCancel(); err != nil {
			return err
		}
	}
	plan, err := a.planOf(run)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("max-seconds") {
		if plan.spec.Budget.MaxSeconds == 0 || f.seconds < 1 {
			return usagef("--max-seconds replaces the limit of a run that has one, by at least 1")
		}
		plan.config.Budget.MaxTime = seconds(f.seconds)
	}
	if err := plan.checkKeys(); err != nil {
		return err
	}
	d := driver{app: a, run: run, plan: plan, workers: f.workers, asJSON: f.asJSON}
	return d.drive(cmd.Context())
}

// planOf builds the plan of a run from its copy of the spec.
func (a *app) planOf(run *runs.Run) (*plan, error) {
	s, err := a.specOf(run)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(s, run.Spec)
	if err != nil {
		return nil, err
	}
	p.name = run.Name
	if run.Unjudged {
		p.meta.Validation = nil
	}
	if run.Replay != "" {
		return p, p.replayFrom(run.Replay)
	}
	return p, nil
}

func (a *app) specOf(run *runs.Run) (*spec.Spec, error) {
	s, _, err := a.loadSpec(run.SpecPath())
	if err != nil {
		return nil, err
	}
	s.Evolve.Seed = &run.Seed
	return s, nil
}
