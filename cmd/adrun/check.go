package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/dsl"
)

// jsonPos is a place in a file, 1-based, columns in code points.
type jsonPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

type jsonEdit struct {
	jsonPos
	End  jsonPos `json:"end"`
	Text string  `json:"text"`
}

type jsonFix struct {
	Title string     `json:"title"`
	Edits []jsonEdit `json:"edits"`
}

// jsonDiagnostic is a diagnostic as --json prints it.
type jsonDiagnostic struct {
	File string `json:"file"`
	jsonPos
	End      jsonPos  `json:"end"`
	Code     string   `json:"code"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint"`
	Fix      *jsonFix `json:"fix"`
	Severity string   `json:"severity"`
}

func toPos(p dsl.Pos) jsonPos { return jsonPos{p.Line, p.Col} }

func toJSON(d dsl.Diagnostic) jsonDiagnostic {
	j := jsonDiagnostic{
		File: d.File, jsonPos: toPos(d.Start), End: toPos(d.Span.End),
		Code: d.Code, Message: d.Message, Hint: d.Hint, Severity: d.Severity.String(),
	}
	if d.Fix != nil {
		j.Fix = &jsonFix{Title: d.Fix.Title}
		for _, e := range d.Fix.Edits {
			j.Fix.Edits = append(j.Fix.Edits, jsonEdit{toPos(e.Start), toPos(e.Span.End), e.Text})
		}
	}
	return j
}

func (a *app) checkCommand() *cobra.Command {
	var signature string
	var asJSON, fix bool
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check rule files and report every mistake",
		Long: `Check parses rule files and checks names, types, flow and sizes. It exits with 0, or with 1 and
every diagnostic on standard error. With --fix it applies the fixes that a machine may apply and
checks what it wrote.`,
		Args: atLeast(1, "at least one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			all := []jsonDiagnostic{}
			failed := false
			for _, path := range args {
				src, diags, err := a.checkFile(path, signature, fix)
				if err != nil {
					return err
				}
				failed = failed || diags.HasErrors()
				if !asJSON {
					a.printDiagnostics(src.text, diags)
				}
				for _, d := range diags {
					all = append(all, toJSON(d))
				}
			}
			if asJSON {
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
	cmd.Flags().StringVar(&signature, "signature", "", "the signature that rules bind to, when several fit")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the diagnostics as a JSON array on standard output")
	cmd.Flags().BoolVar(&fix, "fix", false, "apply machine-applicable fixes to the files")
	return cmd
}

// maxFixRounds bounds how often a file is fixed again: a fix can uncover the next mistake.
const maxFixRounds = 10

// checkFile checks one file, after fixing it if that was asked for.
func (a *app) checkFile(path, signature string, fix bool) (*source, dsl.Diagnostics, error) {
	src, diags, err := a.load(path, signature)
	if err != nil || !fix {
		return src, diags, err
	}
	if path == "-" {
		return nil, nil, usagef("--fix needs a file, not standard input")
	}
	applied := 0
	for round := 0; round < maxFixRounds; round++ {
		text, n := dsl.ApplyFixes(src.text, diags)
		if n == 0 {
			break
		}
		applied += n
		if src, diags, err = check(path, text, signature); err != nil {
			return nil, nil, err
		}
	}
	if applied == 0 {
		return src, diags, nil
	}
	if err := replaceFile(path, []byte(src.text)); err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(a.stderr, "%s: applied %d fixes\n", path, applied)
	return src, diags, nil
}
