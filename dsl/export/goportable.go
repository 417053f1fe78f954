package export

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"

	"github.com/agentdescent/adrun/dsl/fmath"
)

// portableNames are the functions of fmath as the language calls them, and those by which Go knows them.
var portableNames = map[string]string{"exp": "Exp", "log": "Log", "log1p": "Log1p", "tanh": "Tanh", "pow": "Pow", "mod": "Mod"}

// portableFiles are the files of fmath in the order in which a copy has them.
var portableFiles = []string{"exp.go", "log.go", "pow.go", "tanh.go", "mod.go", "tables.go"}

// exportedName finds the exported names in a text of fmath.
var exportedName = regexp.MustCompile(`\b(Exp|Log|Log1p|Tanh|Pow|Mod)\b`)

// chunk is a piece of source that is copied whole: what it declares, and the names it mentions.
type chunk struct {
	text     string
	declares []string
	mentions map[string]bool
	line     bool // stands below another such chunk without a blank line
}

// goPortable returns those declarations of package fmath that the functions in uses need, in their own words but for the
// names, which begin in lower case.
func goPortable(uses map[string]bool) (string, error) {
	wanted := map[string]bool{}
	for name, exportedAs := range portableNames {
		if uses[name] {
			wanted[exportedAs] = true
		}
	}
	if len(wanted) == 0 {
		return "", nil
	}
	chunks, err := goChunks()
	if err != nil {
		return "", err
	}
	text := exportedName.ReplaceAllStringFunc(needed(chunks, wanted), strings.ToLower)
	return "\n// The functions below are those of adrun's package fmath, under the MIT licence: the same bits on every machine.\n" + text, nil
}

// needed returns the texts of the chunks that declare what is wanted, directly or for another, in order.
func needed(chunks []chunk, wanted map[string]bool) string {
	keep := make([]bool, len(chunks))
	for changed := true; changed; {
		changed = false
		for i, c := range chunks {
			if keep[i] || !declaresAny(c, wanted) {
				continue
			}
			keep[i], changed = true, true
			for name := range c.mentions {
				wanted[name] = true
			}
		}
	}
	var b strings.Builder
	line := false
	for i, c := range chunks {
		if !keep[i] {
			continue
		}
		if !line || !c.line {
			b.WriteString("\n")
		}
		b.WriteString(c.text + "\n")
		line = c.line
	}
	return b.String()
}

func declaresAny(c chunk, wanted map[string]bool) bool {
	for _, name := range c.declares {
		if wanted[name] {
			return true
		}
	}
	return false
}

// goChunks returns the declarations of fmath.
func goChunks() ([]chunk, error) {
	sources := fmath.Sources()
	var chunks []chunk
	for _, name := range portableFiles {
		text, err := sources.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("export: the portable functions: %w", err)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("export: the portable functions: %w", err)
		}
		for _, d := range file.Decls {
			if c, ok := goChunk(d, fset, text); ok {
				chunks = append(chunks, c)
			}
		}
	}
	return chunks, nil
}

// goChunk returns a declaration with its comment; ok is false for imports.
func goChunk(d ast.Decl, fset *token.FileSet, text []byte) (c chunk, ok bool) {
	c.mentions = map[string]bool{}
	start := d.Pos()
	switch d := d.(type) {
	case *ast.FuncDecl:
		c.declares = []string{d.Name.Name}
		if d.Doc != nil {
			start = d.Doc.Pos()
		}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return c, false
		}
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				c.declares = append(c.declares, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					c.declares = append(c.declares, id.Name)
				}
			}
		}
		if d.Doc != nil {
			start = d.Doc.Pos()
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if id, isIdent := n.(*ast.Ident); isIdent {
			c.mentions[id.Name] = true
		}
		return true
	})
	c.text = string(text[fset.Position(start).Offset:fset.Position(d.End()).Offset])
	return c, true
}
