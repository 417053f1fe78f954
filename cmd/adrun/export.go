package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/export"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/internal/atomicfile"
)

// defaultVectors is how many values are written beside exported code.
const defaultVectors = 64

// maxVectors bounds them: they are computed and written whole.
const maxVectors = 65536

type exportFlags struct {
	to, rule, signature, out string
	vectors                  int
	asJSON                   bool
}

func (a *app) exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export FILE --to LANGUAGE",
		Short: "Write a rule in another language",
		Long: `Export prints a rule as a function of another language that stands alone. With --out it writes the
function into a directory, and beside it its values at points of the signature's grid and a program
that compares the copy with them, to be run where the copy is deployed.`,
		Args: exactly(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("vectors") && f.out == "" {
				return usagef("--vectors are files beside the code: give --out DIR")
			}
			return a.export(args[0], f)
		},
	}
	cmd.Flags().StringVar(&f.to, "to", "", "the language: "+languageList(", "))
	cmd.Flags().StringVar(&f.rule, "rule", "", "the rule, when the file holds several")
	cmd.Flags().StringVar(&f.signature, "signature", "", "the signature that the rule binds to, when several fit")
	cmd.Flags().StringVar(&f.out, "out", "", "write files into this directory, which is made if need be")
	cmd.Flags().IntVar(&f.vectors, "vectors", defaultVectors, "how many values to write beside the code")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON: the code, or with --out the files")
	return cmd
}

func languageList(separator string) string {
	var names []string
	for _, l := range export.Languages() {
		names = append(names, string(l))
	}
	return strings.Join(names, separator)
}

func (a *app) export(path string, f exportFlags) error {
	lang := export.Language(f.to)
	switch {
	case f.to == "":
		return usagef("adrun export needs --to LANGUAGE: %s", languageList(", "))
	case !slices.Contains(export.Languages(), lang):
		return usagef("--to %q is none of %s", f.to, languageList(", "))
	case f.vectors < 0 || f.vectors > maxVectors:
		return usagef("--vectors %d is not in 0 to %d", f.vectors, maxVectors)
	}
	src, err := a.mustLoad(path, f.signature)
	if err != nil {
		return err
	}
	r, sig, err := src.rule(f.rule)
	if err != nil {
		return err
	}
	if f.out == "" {
		text, err := export.Source(lang, r, sig)
		if err != nil {
			return err
		}
		if f.asJSON {
			return a.printJSON(jsonExport{Language: f.to, Rule: r.Name.Text, Signature: sig.Name.Text, Text: text})
		}
		_, err = fmt.Fprint(a.stdout, text)
		return err
	}
	points, err := gridPoints(sig, f.vectors)
	if err != nil {
		return err
	}
	files, err := export.Files(lang, r, sig, points)
	if err != nil {
		return err
	}
	paths, err := writeFiles(f.out, files)
	if err != nil {
		return err
	}
	if f.asJSON {
		return a.printJSON(jsonExport{Language: f.to, Rule: r.Name.Text, Signature: sig.Name.Text, Files: paths})
	}
	for _, path := range paths {
		fmt.Fprintln(a.stdout, path)
	}
	return nil
}

// jsonExport is a rule in another language as --json prints it: its text, or the files that were written.
type jsonExport struct {
	Language  string   `json:"language"`
	Rule      string   `json:"rule"`
	Signature string   `json:"signature"`
	Text      string   `json:"text,omitempty"`
	Files     []string `json:"files,omitempty"`
}

// gridPoints returns n points of a signature's grid, fewer where the grid has fewer.
func gridPoints(sig *dsl.Signature, n int) ([][]float64, error) {
	if n == 0 {
		return nil, nil
	}
	g, err := gate.New(gate.Config{Signature: sig, Prove: gate.ProveOff, GridPoints: n})
	if err != nil {
		return nil, err
	}
	grid := g.Grid()
	points := make([][]float64, min(n, grid.Len()))
	for i := range points {
		points[i] = grid.Point(i)
	}
	return points, nil
}

// writeFiles writes files whole and returns their paths.
func writeFiles(dir string, files []export.File) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := atomicfile.Write(path, []byte(f.Text), 0o644); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
