package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

func (a *app) applyCommand() *cobra.Command {
	var f showFlags
	var to string
	cmd := &cobra.Command{
		Use:   "apply RUN --to FILE",
		Short: "Write the rule of a run where it is used",
		Long: `Apply writes the rule of a run, what is stable or with --dev the head, into a file. The rule passes
through the gate of the run's spec once more; a file that is there is kept beside the new one, with
.bak after its name; the new one appears whole.`,
		Args: exactly(1, "one RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return usagef("apply needs --to FILE: where the rule is to be written")
			}
			return a.apply(cmd.Context(), args[0], to, f)
		},
	}
	runsFlag(cmd, &f.store)
	cmd.Flags().StringVar(&to, "to", "", "the file to write (required)")
	cmd.Flags().BoolVar(&f.dev, "dev", false, "the head, instead of what is stable")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print what was done as JSON")
	return cmd
}

func (a *app) apply(ctx context.Context, ref, to string, f showFlags) error {
	v, err := a.valueOf(ctx, ref, f)
	if err != nil {
		return err
	}
	backup, err := backUp(to)
	if err != nil {
		return err
	}
	if err := replaceFile(to, []byte(v.text)); err != nil {
		return err
	}
	if f.asJSON {
		return a.printJSON(struct {
			File     string `json:"file"`
			Backup   string `json:"backup,omitempty"`
			Branch   string `json:"branch"`
			Version  int    `json:"version"`
			Identity string `json:"identity"`
		}{to, backup, f.branch(), v.at.Version, v.candidate.Identity})
	}
	fmt.Fprintf(a.stdout, "%s holds %s of run %s, version %d\n", to, f.branch(), v.run.ID, v.at.Version)
	if backup != "" {
		fmt.Fprintf(a.stdout, "%s holds what was there\n", backup)
	}
	return nil
}

// backUp copies a file that is there to a name that is free: with .bak after its own, then .bak2 and so on.
func backUp(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		name := path + ".bak"
		if n > 1 {
			name = fmt.Sprintf("%s%d", name, n)
		}
		err := writeNew(name, text, modeOf(path))
		if !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}
