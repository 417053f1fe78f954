package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
)

// The exit codes.
const (
	exitFine    = 0
	exitFinding = 1 // a finding or a failure
	exitUsage   = 2 // wrong words or flags
)

// app is what every verb works with: where it reads and writes.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// usageError says that the command line is wrong.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// errFindings says that everything there is to say was printed.
var errFindings = errors.New("findings")

// run runs one command line and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	results := &resultWriter{to: stdout}
	a := &app{stdin: stdin, stdout: results, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(results)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if results.err != nil && (err == nil || errors.Is(err, errFindings)) {
		err = fmt.Errorf("the results could not be written: %w", results.err)
	}
	var usage *usageError
	var inSpec *spec.Errors
	switch {
	case errors.As(err, &inSpec) && err == error(inSpec):
		fmt.Fprintln(stderr, err) // it begins with a place, as those of a rule do
		return exitFinding
	case err == nil:
		return exitFine
	case errors.Is(err, errFindings):
		return exitFinding
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "adrun: interrupted")
		return exitFinding
	case errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command"):
		fmt.Fprintf(stderr, "adrun: %s\nSee 'adrun --help'.\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "adrun: %s\n", err)
	return exitFinding
}

// resultWriter remembers that results were lost, so that no verb can end with 0 on a full disk.
type resultWriter struct {
	to  io.Writer
	err error
}

func (w *resultWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "adrun",
		Short: "Evolve the decision rules inside other systems",
		Long: `adrun evolves the decision rules inside other systems: which bin takes an item, which node a
search expands, which model answers. A rule is text in a small language without loops, so it
terminates, costs a known amount and can be read by the person who signs it off.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%s: %w", cmd.CommandPath(), err)
	})
	root.AddCommand(
		a.checkCommand(), a.fmtCommand(), a.testCommand(), a.evalCommand(), a.costCommand(), a.proveCommand(),
		a.explainCommand(), a.exportCommand(), a.scoreCommand(),
		a.initCommand(), a.planCommand(), a.evolveCommand(), a.resumeCommand(), a.cancelCommand(), a.statusCommand(),
		a.watchCommand(), a.showCommand(), a.diffCommand(), a.applyCommand(), a.logCommand(), a.doctorCommand(),
		a.metaCommand(), a.benchCommand(), a.schemaCommand(), a.grammarCommand(), a.versionCommand(),
	)
	refuseUnknownWords(root)
	return root
}

// refuseUnknownWords makes "help" and "completion" with a word that they do not know a usage error: cobra prints help
// and ends with 0.
func refuseUnknownWords(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return usagef("no help for %q: there is no such command", strings.Join(args, " "))
				}
				return nil
			}
		case "completion":
			c.Args, c.RunE = nil, func(cmd *cobra.Command, args []string) error {
				if len(args) > 0 {
					return usagef("completion for %q: want bash, fish, powershell or zsh", args[0])
				}
				return cmd.Help()
			}
		}
	}
}

// atLeast and exactly check the number of arguments, as usage errors that say what is wanted.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usagef("%s needs %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

func atMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usagef("%s takes %s, got %d arguments", cmd.CommandPath(), what, len(args))
		}
		return nil
	}
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s takes %s, got %d arguments", cmd.CommandPath(), what, len(args))
		}
		return nil
	}
}

// printJSON writes v on stdout, indented.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
