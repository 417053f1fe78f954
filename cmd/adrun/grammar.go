package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/grammar"
)

func (a *app) grammarCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "grammar",
		Short: "Print the grammar of the rule language",
		Args:  exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := fmt.Fprint(a.stdout, grammar.EBNF)
			return err
		},
	}
}
