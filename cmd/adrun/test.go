package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate"
)

// jsonTest is one case or contract as --json prints it.
type jsonTest struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Rule   string `json:"rule"`
	Test   string `json:"test"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
}

func (a *app) testCommand() *cobra.Command {
	var signature string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "test FILE...",
		Short: "Run the cases and contracts of rule files",
		Long: `Test evaluates every case of a file, and checks every rule on the grid of its signature: that it is
finite there, and that the signature's contracts hold. It exits with 1 if anything fails.`,
		Args: atLeast(1, "at least one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			results := []jsonTest{}
			for _, path := range args {
				src, err := a.mustLoad(path, signature)
				if err != nil {
					return err
				}
				found, err := src.tests()
				if err != nil {
					return err
				}
				results = append(results, found...)
			}
			return a.printTests(results, asJSON)
		},
	}
	cmd.Flags().StringVar(&signature, "signature", "", "the signature that rules bind to, when several fit")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the results as a JSON array")
	return cmd
}

// tests runs everything that a file says about its rules.
func (s *source) tests() ([]jsonTest, error) {
	var results []jsonTest
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *dsl.Rule:
			found, err := s.contractTests(d)
			if err != nil {
				return nil, err
			}
			results = append(results, found...)
		case *dsl.Case:
			t, err := s.caseTest(d)
			if err != nil {
				return nil, err
			}
			results = append(results, t)
		}
	}
	return results, nil
}

// contractTests checks a rule on the grid: the gate's stages without those that are about admission.
func (s *source) contractTests(r *dsl.Rule) ([]jsonTest, error) {
	sig := s.info.Signatures[r]
	g, err := gate.New(gate.Config{Signature: sig, Prove: gate.ProveOff})
	if err != nil {
		return nil, err
	}
	v := g.CheckAST(r)
	t := jsonTest{File: s.path, Line: r.Start.Line, Rule: r.Name.Text, OK: true, Test: fmt.Sprintf("finite on %d grid points", g.Grid().Len())}
	if contracts := countContracts(sig); contracts > 0 {
		t.Test += fmt.Sprintf(", %d contracts", contracts)
	}
	var results []jsonTest
	for _, d := range v.Diags {
		if d.Severity == dsl.Error {
			failed := t
			failed.OK, failed.Test, failed.Detail = false, d.Code, d.Message
			results = append(results, failed)
		}
	}
	if len(results) == 0 {
		results = append(results, t)
	}
	return results, nil
}

func countContracts(sig *dsl.Signature) int {
	n := 0
	for _, c := range sig.Clauses {
		if c.Kind == dsl.EnsureClause || c.Kind == dsl.IncreasingClause || c.Kind == dsl.DecreasingClause {
			n++
		}
	}
	return n
}

// caseTest evaluates one case.
func (s *source) caseTest(c *dsl.Case) (jsonTest, error) {
	t := jsonTest{File: s.path, Line: c.Start.Line, Rule: c.Rule.Text, Test: caseText(c)}
	r := s.info.Cases[c]
	sig := s.info.Signatures[r]
	p, err := dsl.Compile(r, sig)
	if err != nil {
		return t, err
	}
	args := make([]float64, len(sig.Inputs))
	for i, in := range sig.Inputs {
		args[i] = in.Lo
		for _, arg := range c.Args {
			if arg.Name.Text == in.Name.Text {
				args[i] = literal(in.Type, arg.Value)
			}
		}
	}
	sig.Clamp(args)
	got, want := p.Num(args), literal(sig.Result, c.Want)
	t.OK = got == want || math.IsNaN(got) && math.IsNaN(want)
	if c.Tol != nil {
		t.OK = math.Abs(got-want) <= c.Tol.Value
	}
	if !t.OK {
		t.Detail = "got " + gate.FormatValue(sig.Result, got)
	}
	return t, nil
}

// caseText is the case without its keyword, as written.
func caseText(c *dsl.Case) string {
	plain := *c
	plain.Comments = dsl.Comments{}
	text := dsl.FormatDecl(&plain)
	return text[len("case ") : len(text)-1]
}

// literal is the value of a case's literal as arguments hold it.
func literal(t dsl.Type, e dsl.Expr) float64 {
	switch e := e.(type) {
	case *dsl.Num:
		return e.Value
	case *dsl.Bool:
		if e.Value {
			return 1
		}
	case *dsl.Ref:
		for i, w := range t.Words {
			if w == e.Name {
				return float64(i)
			}
		}
	}
	return 0
}

func (a *app) printTests(results []jsonTest, asJSON bool) error {
	failed := 0
	for _, t := range results {
		if !t.OK {
			failed++
		}
	}
	if asJSON {
		if err := a.printJSON(results); err != nil {
			return err
		}
	} else {
		for _, t := range results {
			if t.OK {
				fmt.Fprintf(a.stdout, "ok    %s:%d: %s: %s\n", t.File, t.Line, t.Rule, t.Test)
			} else {
				fmt.Fprintf(a.stdout, "FAIL  %s:%d: %s: %s: %s\n", t.File, t.Line, t.Rule, t.Test, t.Detail)
			}
		}
		fmt.Fprintf(a.stdout, "%d passed, %d failed\n", len(results)-failed, failed)
	}
	if failed > 0 {
		return errFindings
	}
	return nil
}
