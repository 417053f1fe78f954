package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/agentdescent/adrun/cmd/adrun/internal/spec"
	"github.com/agentdescent/adrun/dsl"
)

//go:embed starters
var starters embed.FS

// starter is work of one's own to begin with: a spec, an evaluator and tasks that run as they are.
type starter struct {
	Kind, Target string
	Name         string // with which the names of the files begin
	Rule         string // the last part of the target
}

func starterOf(target string, f initFlags) (starter, error) {
	if f.data != "" && f.data != spec.Command {
		return starter{}, fmt.Errorf("--data is %q: a text is scored by a program: leave --data out, or say %s", f.data, spec.Command)
	}
	s := starter{Kind: f.kind, Target: target, Rule: target[strings.LastIndexByte(target, '.')+1:]}
	if f.kind == spec.KindText {
		if !regexp.MustCompile(`^\w[\w-]*$`).MatchString(target) {
			return s, fmt.Errorf("%q is no name for a text: use letters, digits, _ and -", target)
		}
	} else if text := fmt.Sprintf("signature %s(size: num in [0, 1]) -> num", target); !strings.Contains(target, ".") {
		return s, fmt.Errorf("%q is no name of a signature: say what it is about and what the rule is called, such as jobs.priority", target)
	} else if _, diags := dsl.ParseLimits("TARGET", text, dsl.Limits{}); diags.HasErrors() {
		return s, fmt.Errorf("%q is no name of a signature: %s", target, diags[0].Message)
	}
	if p, err := problemFor(target, ""); err == nil {
		return s, fmt.Errorf("%q is the signature of a problem: choose another name, or leave out --data to evolve on %s", target, p.Name)
	}
	s.Name, _, _ = strings.Cut(target, ".")
	if f.out != "" {
		s.Name = baseName(f.out)
	}
	return s, nil
}

// scalars are what templates of specs write values with: quoted says it in quotes, so that it is one text of YAML.
var scalars = template.FuncMap{"quoted": strconv.Quote}

// write writes the files of the starter beside each other, none over another, and returns their paths, the spec's first.
func (s starter) write(out string) ([]string, error) {
	if out == "" {
		out = s.Name + ".yaml"
	}
	files, err := s.files(filepath.Dir(out))
	if err != nil {
		return nil, err
	}
	files[0].path = out
	var paths []string
	for _, f := range files {
		if err := writeOut(f.path, f.text); err != nil {
			for _, done := range paths {
				err = errors.Join(err, os.Remove(done))
			}
			return nil, err
		}
		paths = append(paths, f.path)
	}
	return paths, nil
}

type starterFile struct {
	path string
	text []byte
}

// files are what is written into a directory, the spec first.
func (s starter) files(dir string) ([]starterFile, error) {
	names := []string{".yaml", "_score.py", "_tasks.jsonl"}
	if s.Kind == spec.KindText {
		names = append(names, "_propose.py")
	}
	var all []starterFile
	for _, name := range names {
		text, err := starters.ReadFile("starters/" + s.Kind + name)
		if err != nil {
			return nil, err
		}
		switch filepath.Ext(name) {
		case ".yaml":
			t, err := template.New(name).Funcs(scalars).Parse(string(text))
			if err != nil {
				return nil, err
			}
			var filled bytes.Buffer
			if err := t.Execute(&filled, s); err != nil {
				return nil, err
			}
			text = filled.Bytes()
			if _, err := spec.Load("the spec of "+s.Target, text); err != nil {
				return nil, err
			}
		case ".py":
			text = bytes.ReplaceAll(text, []byte(`"RULE"`), []byte(`"`+s.Rule+`"`))
		}
		all = append(all, starterFile{filepath.Join(dir, s.Name+name), text})
	}
	return all, nil
}
