package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/cmd/adrun/internal/catalog"
	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

// hostDeclarations returns the signatures and slots that rule files may refer to without declaring them.
func hostDeclarations() ([]*dsl.Signature, []*dsl.Slot, error) {
	sigs, err := catalog.Signatures()
	if err != nil {
		return nil, nil, err
	}
	decls, err := slots.Declarations()
	return sigs, decls, err
}

type jsonInput struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Words   []string `json:"words,omitempty"`
	Lo      *float64 `json:"lo,omitempty"`
	Hi      *float64 `json:"hi,omitempty"`
	Meaning string   `json:"meaning"`
}

type jsonSignature struct {
	Name    string      `json:"name"`
	Meaning string      `json:"meaning"`
	Inputs  []jsonInput `json:"inputs"`
	Result  string      `json:"result"`
	Text    string      `json:"text"`
}

type jsonProblem struct {
	Name        string            `json:"name"`
	Meaning     string            `json:"meaning"`
	Signature   string            `json:"signature"`
	Settings    []catalog.Setting `json:"settings"`
	SeedMeaning string            `json:"seed_meaning"`
	Seeds       string            `json:"default_seeds"`
	Data        string            `json:"data"`
}

func (a *app) schemaCommand() *cobra.Command {
	var asJSON, specOnly bool
	var data string
	var set []string
	cmd := &cobra.Command{
		Use:   "schema [NAME]",
		Short: "List problems, signatures, slots and the format of a spec",
		Long: `Schema lists the problems with their settings, the signatures with their inputs, and the slots with
their shipped policies; a NAME prints one of them, a slot with its hooks. --spec prints the JSON schema
of the file that evolve reads. --data prints the signature that the columns of a table make: put a rule
below it, and the file can be checked and scored by itself.`,
		Args: atMost(1, "one NAME or none"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if specOnly {
				s, err := spec.Schema()
				if err != nil {
					return err
				}
				return a.printJSON(s)
			}
			name := strings.Join(args, "")
			if data != "" {
				if name != "" {
					return usagef("--data prints the signature of a table: leave out %s", name)
				}
				return a.dataSchema(data, set, asJSON)
			}
			if len(set) > 0 {
				return usagef("--set is about --data")
			}
			if slices.Contains(slots.SlotNames(), name) {
				return a.slotSchema(name, asJSON)
			}
			return a.schema(name, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print problems, signatures, slots and the spec's schema as JSON")
	cmd.Flags().StringVar(&data, "data", "", "print the signature that the columns of a CSV file make for problem table")
	cmd.Flags().StringArrayVar(&set, "set", nil, "with --data, a setting of problem table, key=value (repeatable)")
	cmd.Flags().BoolVar(&specOnly, "spec", false, "print the JSON schema of a spec")
	return cmd
}

func (a *app) schema(name string, asJSON bool) error {
	sigs, err := catalog.Signatures()
	if err != nil {
		return err
	}
	problems := catalog.All()
	if name != "" {
		problems = slices.DeleteFunc(problems, func(p catalog.Problem) bool { return p.Name != name })
		sigs = slices.DeleteFunc(sigs, func(s *dsl.Signature) bool {
			return s.Name.Text != name && !slices.ContainsFunc(problems, func(p catalog.Problem) bool { return p.SignatureName == s.Name.Text })
		})
		if len(sigs) == 0 && len(problems) == 0 {
			return usagef("no problem, signature or slot %q: 'adrun schema' lists them", name)
		}
	}
	if asJSON {
		return a.schemaJSON(problems, sigs)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	for _, p := range problems {
		fmt.Fprintf(w, "problem %s: %s\n", p.Name, p.Meaning)
		for _, s := range p.Settings {
			fmt.Fprintf(w, "  %s\t%s\t(default %s)\n", s.Name, s.Meaning, s.Default)
		}
		if p.SeedMeaning != "" {
			fmt.Fprintf(w, "  --seeds\t%s\t(default %s)\n", p.SeedMeaning, p.DefaultSeeds)
		}
		if p.Data != "" {
			fmt.Fprintf(w, "  --data\t%s\t\n", p.Data)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, s := range sigs {
		fmt.Fprintln(a.stdout, dsl.FormatDecl(s))
	}
	if name == "" {
		if err := a.listSlots(); err != nil {
			return err
		}
		return a.listInners()
	}
	return nil
}

func (a *app) schemaJSON(problems []catalog.Problem, sigs []*dsl.Signature) error {
	schema, err := spec.Schema()
	if err != nil {
		return err
	}
	out := struct {
		Problems   []jsonProblem   `json:"problems"`
		Signatures []jsonSignature `json:"signatures"`
		Slots      []jsonSlot      `json:"slots"`
		Inners     []jsonInner     `json:"inner_problems"`
		Spec       any             `json:"spec"`
	}{[]jsonProblem{}, []jsonSignature{}, []jsonSlot{}, describeInners(), schema}
	for _, p := range problems {
		out.Problems = append(out.Problems, describeProblem(p))
	}
	for _, s := range sigs {
		out.Signatures = append(out.Signatures, describe(s))
	}
	for _, name := range slots.SlotNames() {
		s, err := describeSlot(name)
		if err != nil {
			return err
		}
		out.Slots = append(out.Slots, s)
	}
	return a.printJSON(out)
}

func describeProblem(p catalog.Problem) jsonProblem {
	j := jsonProblem{
		Name: p.Name, Meaning: p.Meaning, Signature: p.SignatureName, Settings: p.Settings, SeedMeaning: p.SeedMeaning, Data: p.Data,
	}
	if p.SeedMeaning != "" {
		j.Seeds = p.DefaultSeeds.String()
	}
	if j.Settings == nil {
		j.Settings = []catalog.Setting{}
	}
	return j
}

// dataSchema prints the signature that the columns of a table make.
func (a *app) dataSchema(data string, set []string, asJSON bool) error {
	problem, q, err := scoreRequest("table", scoreFlags{data: data, set: set})
	if err != nil {
		return &usageError{err}
	}
	if problem, err = problem.Open(catalog.Files{Path: data, Settings: q.Settings}); err != nil {
		return err
	}
	sig, err := problem.Signature()
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(describe(sig))
	}
	_, err = fmt.Fprintln(a.stdout, dsl.FormatDecl(sig))
	return err
}

func describe(s *dsl.Signature) jsonSignature {
	j := jsonSignature{Name: s.Name.Text, Meaning: s.Comments.Doc(), Result: s.Result.String(), Text: dsl.FormatDecl(s)}
	for _, in := range s.Inputs {
		ji := jsonInput{Name: in.Name.Text, Type: in.Type.String(), Words: in.Type.Words, Meaning: in.Comments.Doc()}
		if in.Type.Kind == dsl.NumKind {
			lo, hi := in.Lo, in.Hi
			ji.Lo, ji.Hi = &lo, &hi
			if in.Int {
				ji.Type = "int"
			}
		}
		j.Inputs = append(j.Inputs, ji)
	}
	return j
}
