package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
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

func (a *app) show(ctx context.Context, ref string, f showFlags) error {
	run, b, err := a.open(ctx, f.store, ref)
	if err != nil {
		return err
	}
	at, err := b.head(f.branch())
	if err != nil {
		return fmt.Errorf("run %s: %w", run.ID, err)
	}
	plan, err := a.planOf(run)
	if err != nil {
		return err
	}
	c, err := plan.ready(at.State)
	if err != nil {
		return err
	}
	text, err := plan.ruleFile(c.Text)
	if err != nil {
		return err
	}
	o, err := overviewOf(run, b)
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
		}{o, f.branch(), at.Version, at.Hash, text, outcomesOf(b)})
	}
	if plan.sig == nil && plan.meta == nil {
		_, err = fmt.Fprint(a.stdout, text) // a text has no comments
		return err
	}
	fmt.Fprintf(a.stdout, "# Run %s, %s: %s, version %d; the head is version %d. Held out %s after %d rounds.\n",
		run.ID, o.State, f.branch(), at.Version, o.Head, maybe(o.HeldOut), o.Rounds)
	if o.Meta != nil {
		fmt.Fprintf(a.stdout, "# Verdict: %s, %s.\n", o.Meta.Verdict, o.Meta.Reason)
	}
	_, err = fmt.Fprint(a.stdout, text)
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
