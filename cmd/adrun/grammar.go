package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/grammar"
)

func (a *app) grammarCommand() *cobra.Command {
	var format, signature string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "grammar",
		Short: "Print the grammar of the rule language",
		Long: `Grammar prints the grammar of the rule language. The format ebnf is that of the whole language, for people
and editors. gbnf and lark are for model endpoints that can be held to a grammar: they derive one rule in
canonical layout, of any names or, with --signature, of those that the signature has.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := grammarText(format, signature)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(struct {
					Format    string `json:"format"`
					Signature string `json:"signature,omitempty"`
					Text      string `json:"text"`
				}{format, signature, text})
			}
			_, err = fmt.Fprint(a.stdout, text)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "ebnf", "ebnf, gbnf or lark")
	cmd.Flags().StringVar(&signature, "signature", "", "narrow gbnf and lark to the names of a signature")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON with the grammar in it")
	return cmd
}

func grammarText(format, signature string) (string, error) {
	var sig *dsl.Signature
	if signature != "" {
		sigs, _, err := hostDeclarations()
		if err != nil {
			return "", err
		}
		var names []string
		for _, s := range sigs {
			names = append(names, s.Name.Text)
		}
		i := slices.Index(names, signature)
		if i < 0 {
			return "", usagef("--signature: there is no signature %q: there are %s", signature, strings.Join(names, ", "))
		}
		sig = sigs[i]
	}
	switch {
	case format == "gbnf":
		return grammar.GBNF(sig), nil
	case format == "lark":
		return grammar.Lark(sig), nil
	case format != "ebnf":
		return "", usagef("--format: %q is none of ebnf, gbnf, lark", format)
	case sig != nil:
		return "", usagef("--signature narrows gbnf and lark, not ebnf")
	}
	return grammar.EBNF, nil
}
