package main

import (
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/dsl"
)

func (a *app) fmtCommand() *cobra.Command {
	var f fmtFlags
	cmd := &cobra.Command{
		Use:   "fmt FILE...",
		Short: "Print rule files in canonical layout",
		Long: `Fmt prints each file in canonical layout; "-" is standard input. With -w it rewrites the files
that differ, with -d it prints what would change and exits with 1 if anything would.`,
		Args: atLeast(1, "at least one FILE, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.write && f.diff {
				return usagef("-w and -d exclude each other")
			}
			failed := false
			all := []jsonFormatted{}
			for _, path := range args {
				bad, done, err := a.fmtFile(path, f)
				if err != nil {
					return err
				}
				failed = failed || bad
				all = append(all, done)
			}
			if f.asJSON {
				if err := a.printJSON(all); err != nil {
					return err
				}
			}
			if failed {
				return errFindings
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "rewrite the files")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print the difference")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON: an object a file, with its text in canonical layout")
	return cmd
}

type fmtFlags struct{ write, diff, asJSON bool }

// jsonFormatted is a file as --json prints it. Text and diff are empty when it does not parse.
type jsonFormatted struct {
	File      string `json:"file"`
	Parsed    bool   `json:"parsed"`
	Canonical bool   `json:"canonical"` // it was before
	Text      string `json:"text"`
	Diff      string `json:"diff,omitempty"` // with -d
}

// fmtFile formats one file; bad says that it does not parse or, with -d, that it would change.
func (a *app) fmtFile(path string, f fmtFlags) (bad bool, j jsonFormatted, err error) {
	name, text, err := a.readSource(path)
	j.File = name
	if err != nil {
		return false, j, err
	}
	if f.write && path == "-" {
		return false, j, usagef("-w needs a file, not standard input")
	}
	file, diags := dsl.ParseLimits(name, text, dsl.Limits{})
	if diags.HasErrors() {
		a.printDiagnostics(text, diags)
		return true, j, nil
	}
	out := dsl.Format(file)
	j.Parsed, j.Canonical, j.Text = true, out == text, out
	shown := out
	switch {
	case f.diff:
		j.Diff = string(diff.Diff(name, []byte(text), name+" (formatted)", []byte(out)))
		shown, bad = j.Diff, !j.Canonical
	case f.write:
		shown = ""
		if !j.Canonical {
			err = replaceFile(path, []byte(out))
		}
	}
	if !f.asJSON {
		fmt.Fprint(a.stdout, shown)
	}
	return bad, j, err
}
