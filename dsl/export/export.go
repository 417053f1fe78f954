// Package export writes a rule as source code of another language: as a function that stands alone, to be deployed where
// the rule is to decide.
//
//	text, err := export.Source(export.Go, rule, sig)
//	files, err := export.Files(export.C, rule, sig, points)
//
// The function's parameters are the signature's inputs, in order, also those that the rule does not read: a later rule for
// the same signature has the same call. Statements, names, grouping and comments are those of the rule.
//
// Go and C give the bits that every evaluator of the language gives, since they carry the portable functions along. Python and
// JavaScript give these bits for rules without exp, log, log1p, tanh and pow, and call their own libraries for those. LaTeX is for
// people. [Vectors] computes inputs with the expected bits, and [Files] writes them beside the code with a program that tests
// the copy. [AST] is the tree as JSON.
//
// An exported function does not clamp its inputs to their domains; its host does, or passes what lies within.
//
// All functions are pure: the same rule gives the same text everywhere.
package export

import (
	"fmt"

	"github.com/agentdescent/adrun/dsl"
)

// Language is what a rule can be written in.
type Language string

// The languages.
const (
	Go         Language = "go"
	Python     Language = "python"
	C          Language = "c"
	JavaScript Language = "javascript"
	LaTeX      Language = "latex"
)

// Languages returns all languages.
func Languages() []Language { return []Language{Go, Python, C, JavaScript, LaTeX} }

// File is a file to be written.
type File struct {
	Name string // without a directory
	Text string
}

// limits are those of what can be exported: far above what any host admits.
var limits = dsl.Limits{RuleBytes: 1 << 20, Nodes: 1 << 14, Nesting: dsl.MaxNesting, Locals: 1 << 10}

// Source returns the rule as one file of the language. The error says why the rule is no function of sig: it is that of
// [dsl.CheckRule].
func Source(lang Language, r *dsl.Rule, sig *dsl.Signature) (string, error) {
	t, err := targetOf(lang)
	if err != nil {
		return "", err
	}
	f, err := newFunction(r, sig, t)
	if err != nil {
		return "", err
	}
	return t.source(f)
}

// Files returns the rule as files of the language: the code, what belongs to it and, given points, its values there in a
// program that tests the code and as JSON. A point has an argument for every input of sig, see [dsl.Program]. LaTeX has no vectors.
func Files(lang Language, r *dsl.Rule, sig *dsl.Signature, points [][]float64) ([]File, error) {
	t, err := targetOf(lang)
	if err != nil {
		return nil, err
	}
	f, err := newFunction(r, sig, t)
	if err != nil {
		return nil, err
	}
	vectors, err := Vectors(r, sig, points)
	if err != nil {
		return nil, err
	}
	return t.files(f, vectors)
}

// target is a language as this package writes it.
type target interface {
	vocabulary
	// source returns the file of the function, files all files.
	source(f *function) (string, error)
	files(f *function, vectors []Vector) ([]File, error)
}

func targetOf(lang Language) (target, error) {
	switch lang {
	case Go:
		return golang{}, nil
	case Python:
		return python{}, nil
	case C:
		return clang{}, nil
	case JavaScript:
		return javaScript{}, nil
	case LaTeX:
		return latex{}, nil
	}
	return nil, fmt.Errorf("export: unknown language %q: choose one of %v", lang, Languages())
}
