package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/runs"
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/engine"
)

type diffFlags struct {
	store    runs.Store
	from, to int
	dev      bool
	asJSON   bool
}

func (a *app) diffCommand() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff RUN",
		Short: "Print what a run has changed",
		Long: `Diff prints the change of a run's rule from where it started to what is stable, as a unified diff.
--dev takes the head, --from and --to take versions; version 0 is the start.`,
		Args: exactly(1, "one RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("to") && f.to < 0 || f.from < 0 {
				return usagef("versions count from 0")
			}
			if f.dev && f.to >= 0 {
				return usagef("--dev and --to both name where the diff ends: choose one")
			}
			return a.diff(cmd.Context(), args[0], f)
		},
	}
	runsFlag(cmd, &f.store)
	cmd.Flags().IntVar(&f.from, "from", 0, "the version to start from")
	cmd.Flags().IntVar(&f.to, "to", -1, "the version to end at (default: what is stable)")
	cmd.Flags().BoolVar(&f.dev, "dev", false, "end at the head, instead of at what is stable")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print both texts and the diff as JSON")
	return cmd
}

func (a *app) diff(ctx context.Context, ref string, f diffFlags) error {
	run, b, err := a.open(ctx, f.store, ref)
	if err != nil {
		return err
	}
	old, err := b.version(f.from)
	if err != nil {
		return fmt.Errorf("run %s: %w", run.ID, err)
	}
	var now engine.Ref
	switch {
	case f.to >= 0:
		now, err = b.version(f.to)
	case f.dev:
		now, err = b.head(devBranch)
	default:
		now, err = b.head(stableBranch)
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", run.ID, err)
	}
	was, err := a.formatted(run, old)
	if err != nil {
		return err
	}
	is, err := a.formatted(run, now)
	if err != nil {
		return err
	}
	text := diff.Diff(fmt.Sprintf("version %d", old.Version), []byte(was), fmt.Sprintf("version %d", now.Version), []byte(is))
	if f.asJSON {
		return a.printJSON(struct {
			From  int    `json:"from"`
			To    int    `json:"to"`
			Start string `json:"start"`
			End   string `json:"end"`
			Diff  string `json:"diff"`
		}{old.Version, now.Version, was, is, string(text)})
	}
	_, err = a.stdout.Write(text)
	return err
}

// formatted is a version's rule in the canonical layout, so that a diff shows nothing but changes, or its text.
func (a *app) formatted(run *runs.Run, at engine.Ref) (string, error) {
	p, err := a.planOf(run)
	if err != nil {
		return "", err
	}
	c, err := p.ready(at.State)
	if err != nil {
		return "", err
	}
	if p.sig == nil {
		return p.ruleFile(c.Text)
	}
	r, err := p.compiled(c.Text)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(dsl.FormatRule(r.rule), "\n") + "\n", nil
}
