package main

import (
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/dsl"
)

func (a *app) fmtCommand() *cobra.Command {
	var write, showDiff bool
	cmd := &cobra.Command{
		Use:   "fmt FILE...",
		Short: "Print rule files in canonical layout",
		Long: `Fmt prints each file in canonical layout; "-" is standard input. With -w it rewrites the files
that differ, with -d it prints what would change and exits with 1 if anything would.`,
		Args: atLeast(1, "at least one FILE, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if write && showDiff {
				return usagef("-w and -d exclude each other")
			}
			failed := false
			for _, path := range args {
				bad, err := a.fmtFile(path, write, showDiff)
				if err != nil {
					return err
				}
				failed = failed || bad
			}
			if failed {
				return errFindings
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&write, "write", "w", false, "rewrite the files")
	cmd.Flags().BoolVarP(&showDiff, "diff", "d", false, "print the difference")
	return cmd
}

// fmtFile formats one file; bad says that it does not parse or, with showDiff, that it would change.
func (a *app) fmtFile(path string, write, showDiff bool) (bad bool, err error) {
	name, text, err := a.readSource(path)
	if err != nil {
		return false, err
	}
	file, diags := dsl.ParseLimits(name, text, dsl.Limits{})
	if diags.HasErrors() {
		a.printDiagnostics(text, diags)
		return true, nil
	}
	out := dsl.Format(file)
	switch {
	case showDiff:
		_, err = a.stdout.Write(diff.Diff(name, []byte(text), name+" (formatted)", []byte(out)))
		return out != text, err
	case write && path == "-":
		return false, usagef("-w needs a file, not standard input")
	case write && out != text:
		return false, replaceFile(path, []byte(out))
	case !write:
		fmt.Fprint(a.stdout, out)
	}
	return false, nil
}
