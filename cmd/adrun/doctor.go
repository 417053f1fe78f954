package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
	"github.com/agentdescent/adrun/engine/ledger"
	"github.com/agentdescent/adrun/engine/trajectory"
)

// finding is what doctor says about one part of a run.
type finding struct {
	Part string `json:"part"`
	Fine bool   `json:"fine"`
	Text string `json:"text"`
}

func (a *app) doctorCommand() *cobra.Command {
	var f statusFlags
	cmd := &cobra.Command{
		Use:   "doctor RUN",
		Short: "Check that nothing of a run is damaged",
		Long: `Doctor checks what is stored of a run: its spec, its ledger (the chain of commits, a checksum of every
other row, SQLite's own structure, the hash of the whole file and the checksums of the write-ahead log beside
it) and its trajectories. It fails when something is damaged. A run that was killed in the moment in which its
log was folded into the file has no hash: there a change in bytes that hold nothing is not seen.`,
		Args: exactly(1, "one RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.doctor(cmd.Context(), args[0], f) },
	}
	runsFlag(cmd, &f.store)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the findings as JSON")
	return cmd
}

func (a *app) doctor(ctx context.Context, ref string, f statusFlags) error {
	run, err := f.store.Find(ref)
	if err != nil {
		return err
	}
	list := []finding{a.checkRun(run)}
	list = append(list, a.checkLedger(ctx, run)...)
	list = append(list, checkTrajectories(run))
	fine := true
	for _, x := range list {
		fine = fine && x.Fine
	}
	if f.asJSON {
		err = a.printJSON(list)
	} else {
		for _, x := range list {
			word := "ok"
			if !x.Fine {
				word = "DAMAGED"
			}
			fmt.Fprintf(a.stdout, "%-12s %-8s %s\n", x.Part, word, x.Text)
		}
	}
	if err == nil && !fine {
		return errFindings
	}
	return err
}

// found makes a finding of an error, or of none.
func found(part string, err error, fine string) finding {
	if err != nil {
		return finding{Part: part, Text: err.Error()}
	}
	return finding{Part: part, Fine: true, Text: fine}
}

// checkRun looks at what was asked and at the state.
func (a *app) checkRun(run *runs.Run) finding {
	st, err := run.Status()
	if err != nil {
		return found("run", err, "")
	}
	if run.Name == "" {
		return found("run", fmt.Errorf("%s has no run.json that can be read: what was asked is lost", run.Dir), "")
	}
	if _, err := a.specOf(run); err != nil {
		return found("run", fmt.Errorf("its spec %s is not right: %w", run.SpecPath(), err), "")
	}
	o := overview{Run: run.ID, State: st.State, Stop: st.Stop}
	return found("run", nil, o.state())
}

func (a *app) checkLedger(ctx context.Context, run *runs.Run) []finding {
	if !exists(run.LedgerPath()) {
		return []finding{found("ledger", run.CheckUnbegun(), "the run has not begun")}
	}
	_, held, err := run.Holder()
	if err != nil {
		return []finding{found("ledger", err, "")}
	}
	if held {
		return []finding{checkLive(ctx, run)}
	}
	sealed, err := run.CheckSeal()
	list := []finding{found("seal", err, "the file is as its process left it")}
	if !sealed && err == nil {
		list[0].Text = "none: the process was killed while it folded its log into the file, or the run is new"
	}
	err = ledger.Check(ctx, run.LedgerPath())
	var empty *ledger.FormatError
	if errors.As(err, &empty) && empty.Empty() {
		return append(list, found("ledger", run.CheckUnbegun(), "the run has not begun"))
	}
	return append(list, found("ledger", err, "every row and the chain are right"))
}

// checkLive checks from inside what is stored so far: the file changes while it is looked at.
func checkLive(ctx context.Context, run *runs.Run) finding {
	r, err := openLedger(run)
	if r == nil {
		return found("ledger", err, "the run has not begun")
	}
	return found("ledger", errors.Join(r.Verify(ctx), r.Close()), "every row and the chain are right so far")
}

func checkTrajectories(run *runs.Run) finding {
	n := 0
	err := trajectory.Read(run.TrajectoryDir(), func(trajectory.Record) error { n++; return nil })
	text := fmt.Sprintf("%d lines are right", n)
	var damage *trajectory.DamageError
	if errors.As(err, &damage) && damage.Torn {
		return found("trajectories", nil, fmt.Sprintf("%s, and the last one is torn: resuming the run cuts it", text))
	}
	return found("trajectories", err, text)
}
