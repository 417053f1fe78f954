package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/gate/prove"
)

// jsonProof is an answer as --json prints it. A witness gives a value to each input; other is the
// second point of a contract about two.
type jsonProof struct {
	Rule    string `json:"rule"`
	Claim   string `json:"claim"`
	Answer  string `json:"answer"`
	Witness string `json:"witness,omitempty"`
	Value   string `json:"value,omitempty"`
	Other   string `json:"other,omitempty"`
	// OtherValue is the rule's value at the second point.
	OtherValue string `json:"other_value,omitempty"`
	Boxes      int    `json:"boxes"`
	Reason     string `json:"reason"`
}

func (a *app) proveCommand() *cobra.Command {
	var rule, signature string
	var boxes int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "prove FILE",
		Short: "Prove rules finite, and their contracts",
		Long: `Prove asks, for each rule, whether its result is finite for all inputs within their domains and
assumptions, and whether each contract of its signature holds. An answer is proved, refuted with a
witness (exit 1), or unknown.`,
		Args: exactly(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if boxes < 1 {
				return usagef("--boxes is %d: want at least 1", boxes)
			}
			src, err := a.mustLoad(args[0], signature)
			if err != nil {
				return err
			}
			rules, err := src.rules(rule)
			if err != nil {
				return err
			}
			proofs := []jsonProof{}
			for _, r := range rules {
				found, err := proofsOf(r, src.info.Signatures[r], boxes)
				if err != nil {
					return err
				}
				proofs = append(proofs, found...)
			}
			return a.printProofs(proofs, asJSON)
		},
	}
	cmd.Flags().StringVar(&rule, "rule", "", "the rule, when the file holds several")
	cmd.Flags().StringVar(&signature, "signature", "", "the signature that the rule binds to, when several fit")
	cmd.Flags().IntVar(&boxes, "boxes", prove.ProveBoxes, "how many boxes a proof may look at")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answers as a JSON array")
	return cmd
}

// proofsOf proves finiteness and the contracts of one rule.
func proofsOf(r *dsl.Rule, sig *dsl.Signature, boxes int) ([]jsonProof, error) {
	g, err := gate.New(gate.Config{Signature: sig, Prove: gate.ProveOff})
	if err != nil {
		return nil, err
	}
	finite, contracts, err := g.Prove(r, boxes)
	if err != nil {
		return nil, err
	}
	names := dsl.NamesRead(r.Body, inputNames(sig))
	proofs := []jsonProof{describeProof(r, sig, "finite", finite, names)}
	for _, c := range contracts {
		proofs = append(proofs, describeProof(r, sig, c.Text(), c.Proof, nil))
	}
	return proofs, nil
}

func inputNames(sig *dsl.Signature) []string {
	var names []string
	for _, in := range sig.Inputs {
		names = append(names, in.Name.Text)
	}
	return names
}

func describeProof(r *dsl.Rule, sig *dsl.Signature, claim string, p prove.Proof, names []string) jsonProof {
	j := jsonProof{Rule: r.Name.Text, Claim: claim, Answer: p.Answer.String(), Boxes: p.Boxes, Reason: p.Reason}
	if p.Witness != nil {
		j.Witness, j.Value = gate.FormatPoint(sig, p.Witness, names), gate.FormatValue(sig.Result, p.Value)
	}
	if p.Other != nil {
		j.Other, j.OtherValue = gate.FormatPoint(sig, p.Other, names), gate.FormatValue(sig.Result, p.OtherValue)
	}
	return j
}

func (a *app) printProofs(proofs []jsonProof, asJSON bool) error {
	refuted := false
	for _, p := range proofs {
		refuted = refuted || p.Answer == prove.Refuted.String()
		if asJSON {
			continue
		}
		fmt.Fprintf(a.stdout, "%s: %s: %s\n", p.Rule, p.Claim, p.Answer)
		if p.Witness != "" {
			fmt.Fprintf(a.stdout, "  at %s the result is %s\n", p.Witness, p.Value)
		}
		if p.Other != "" {
			fmt.Fprintf(a.stdout, "  at %s the result is %s\n", p.Other, p.OtherValue)
		}
		if p.Answer == prove.Unknown.String() && p.Reason != "" {
			fmt.Fprintf(a.stdout, "  %s\n", p.Reason)
		}
	}
	if asJSON {
		if err := a.printJSON(proofs); err != nil {
			return err
		}
	}
	if refuted {
		return errFindings
	}
	return nil
}
