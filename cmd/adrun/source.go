package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/agentdescent/adrun/dsl"
)

// source is a rule file that was read, parsed and checked.
type source struct {
	path string
	text string
	file *dsl.File
	info *dsl.Info
}

// readSource reads a file, or standard input for "-".
func (a *app) readSource(path string) (name, text string, err error) {
	if path == "-" {
		b, err := io.ReadAll(a.stdin)
		return "<stdin>", string(b), err
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return path, "", fmt.Errorf("%s: no such file", path)
	}
	return path, string(b), err
}

// load reads, parses and checks a file. The diagnostics are in src.info or, if the text could not
// be parsed, in the list; a missing file is an error.
func (a *app) load(path, signature string) (*source, dsl.Diagnostics, error) {
	name, text, err := a.readSource(path)
	if err != nil {
		return nil, nil, err
	}
	src, diags, err := check(name, text, signature)
	return src, diags, err
}

// check parses and checks a text. It may refer to the signatures and slots of the host, and to more signatures.
func check(name, text, signature string, more ...*dsl.Signature) (*source, dsl.Diagnostics, error) {
	src := &source{path: name, text: text}
	file, diags := dsl.ParseLimits(name, text, dsl.Limits{})
	src.file = file
	if diags.HasErrors() {
		return src, diags, nil
	}
	sigs, slotDecls, err := hostDeclarations()
	if err != nil {
		return nil, nil, err
	}
	src.info = dsl.Check(file, append(sigs, more...), dsl.CheckOptions{Signature: signature, Slots: slotDecls})
	return src, src.info.Diags, nil
}

// mustLoad loads a file that has to be right: what is wrong with it is printed.
func (a *app) mustLoad(path, signature string) (*source, error) {
	src, diags, err := a.load(path, signature)
	if err != nil {
		return nil, err
	}
	a.printDiagnostics(src.text, diags)
	if diags.HasErrors() {
		return nil, errFindings
	}
	return src, nil
}

func (a *app) printDiagnostics(text string, diags dsl.Diagnostics) {
	for _, d := range diags {
		fmt.Fprint(a.stderr, d.Render(text))
	}
}

// rules returns the rules of the file, or the one that is named.
func (s *source) rules(name string) ([]*dsl.Rule, error) {
	var all []*dsl.Rule
	for _, d := range s.file.Decls {
		if r, ok := d.(*dsl.Rule); ok && (name == "" || r.Name.Text == name) {
			all = append(all, r)
		}
	}
	if len(all) == 0 && name != "" {
		return nil, usagef("%s has no rule %q", s.path, name)
	}
	return all, nil
}

// rule returns the rule that is named, or the only one.
func (s *source) rule(name string) (*dsl.Rule, *dsl.Signature, error) {
	all, err := s.rules(name)
	switch {
	case err != nil:
		return nil, nil, err
	case len(all) == 0:
		return nil, nil, fmt.Errorf("%s holds no rule", s.path)
	case len(all) > 1:
		return nil, nil, usagef("%s holds %d rules: choose one with --rule", s.path, len(all))
	}
	return all[0], s.info.Signatures[all[0]], nil
}
