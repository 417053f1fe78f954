package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/dsl"
)

// ruleCost is what a rule costs, as --json prints it. These are the facts that admission constraints
// are written over.
type ruleCost struct {
	Rule     string   `json:"rule"`
	Ops      int      `json:"ops"`
	Nodes    int      `json:"nodes"`
	Depth    int      `json:"depth"`
	Calls    []string `json:"calls"`
	Inputs   []string `json:"inputs"`
	Bytes    int      `json:"bytes"`
	Identity string   `json:"identity"`
}

func (a *app) costCommand() *cobra.Command {
	var rule, signature string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cost FILE",
		Short: "Count what a rule costs",
		Long: `Cost counts the operators and calls of each rule. With --json it prints an object, or an array
when the file holds several rules.`,
		Args: exactly(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			src, err := a.mustLoad(args[0], signature)
			if err != nil {
				return err
			}
			rules, err := src.rules(rule)
			if err != nil {
				return err
			}
			costs := make([]ruleCost, 0, len(rules))
			for _, r := range rules {
				costs = append(costs, costOf(r, src.info))
			}
			return a.printCosts(costs, asJSON)
		},
	}
	cmd.Flags().StringVar(&rule, "rule", "", "the rule, when the file holds several")
	cmd.Flags().StringVar(&signature, "signature", "", "the signature that the rule binds to, when several fit")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func costOf(r *dsl.Rule, info *dsl.Info) ruleCost {
	m := dsl.Measure(r)
	return ruleCost{
		Rule: m.Rule, Ops: m.Ops, Nodes: m.Nodes, Depth: m.Depth, Bytes: m.Bytes, Identity: m.Identity,
		Calls: orEmpty(dsl.FunctionsCalled(r)), Inputs: orEmpty(info.InputsRead(r)),
	}
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (a *app) printCosts(costs []ruleCost, asJSON bool) error {
	switch {
	case asJSON && len(costs) == 1:
		return a.printJSON(costs[0])
	case asJSON:
		return a.printJSON(costs)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "rule\tops\tnodes\tdepth\tbytes\tcalls\tinputs\tidentity")
	for _, c := range costs {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", c.Rule, c.Ops, c.Nodes, c.Depth, c.Bytes,
			dash(strings.Join(c.Calls, " ")), dash(strings.Join(c.Inputs, " ")), c.Identity)
	}
	return w.Flush()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
