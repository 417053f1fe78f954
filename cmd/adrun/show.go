package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
	"github.com/agentdescent/adrun/engine"
	"github.com/agentdescent/adrun/slots"
)

type showFlags struct {
	store  runs.Store
	dev    bool
	asJSON bool
}

func (f showFlags) branch() string {
	if f.dev {
		return devBranch
	}
	return stableBranch
}

func (a *app) showCommand() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Print the rule that a run has come to",
		Long: `Show prints the rule of a run as a file that 'adrun check', 'eval' and 'score' take: what is stable, or
with --dev the head, with a comment that says which. RUN is an id, the beginning of one, or latest.`,
		Args: exactly(1, "one RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.show(cmd.Context(), args[0], f) },
	}
	runsFlag(cmd, &f.store)
	cmd.Flags().BoolVar(&f.dev, "dev", false, "the head, instead of what is stable")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the rule and the state of the run as JSON")
	return cmd
}

// shownValue is what a run has come to: a version of its value that has passed the gate again.
type shownValue struct {
	run       *runs.Run
	book      *book
	plan      *plan
	at        engine.Ref
	candidate *slots.Candidate
	text      string // with the signature
}

// valueOf opens a run and gates what its stable branch, or its head, holds.
func (a *app) valueOf(ctx context.Context, ref string, f showFlags) (v shownValue, err error) {
	if v.run, v.book, err = a.open(ctx, f.store, ref); err != nil {
		return v, err
	}
	if v.at, err = v.book.head(f.branch()); err != nil {
		return v, fmt.Errorf("run %s: %w", v.run.ID, err)
	}
	if v.plan, err = a.planOf(v.run); err != nil {
		return v, err
	}
	if v.candidate, err = v.plan.ready(v.at.State); err != nil {
		return v, fmt.Errorf("version %d of run %s may not run here: %w", v.at.Version, v.run.ID, err)
	}
	v.text, err = v.plan.ruleFile(v.candidate.Text)
	return v, err
}

func (a *app) show(ctx context.Context, ref string, f showFlags) error {
	v, err := a.valueOf(ctx, ref, f)
	if err != nil {
		return err
	}
	o, err := overviewOf(v.run, v.book)
	if err != nil {
		return err
	}
	if f.asJSON {
		return a.printJSON(struct {
			*overview
			Branch   string               `json:"branch"`
			Version  int                  `json:"version"`
			Hash     string               `json:"hash"`
			Rule     string               `json:"rule"`
			Outcomes []slots.MergeOutcome `json:"outcomes"`
		}{o, f.branch(), v.at.Version, v.at.Hash, v.text, outcomesOf(v.book)})
	}
	if v.plan.sig == nil && v.plan.meta == nil {
		_, err = fmt.Fprint(a.stdout, v.text) // a text has no comments
		return err
	}
	fmt.Fprintf(a.stdout, "# Run %s, %s: %s, version %d; the head is version %d. Held out %s after %d rounds.\n",
		v.run.ID, o.State, f.branch(), v.at.Version, o.Head, maybe(o.HeldOut), o.Rounds)
	if o.Meta != nil {
		fmt.Fprintf(a.stdout, "# Verdict: %s, %s.\n", o.Meta.Verdict, o.Meta.Reason)
	}
	_, err = fmt.Fprint(a.stdout, v.text)
	return err
}

// outcomesOf lists what became of each merge, in order.
func outcomesOf(b *book) []slots.MergeOutcome {
	list := make([]slots.MergeOutcome, len(b.log.Merges))
	for i, m := range b.log.Merges {
		list[i] = m.Outcome
	}
	return list
}
