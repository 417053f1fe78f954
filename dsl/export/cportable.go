package export

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"

	"github.com/agentdescent/adrun/dsl/fmath"
)

//go:embed portable/portable.c
var portableC string

// identifiers finds the names in a piece of C, declaredC the one that it declares: of a macro, a type, or a function.
var (
	identifiers = regexp.MustCompile(`[A-Za-z_]\w*`)
	declaredC   = regexp.MustCompile(`(?m)^#define (\w+)|^typedef .*\} (\w+);|^static [^(=]*?(\w+)\(`)
)

// cPortable returns what the functions in uses need of the portable functions in C.
func cPortable(uses map[string]bool) (string, error) {
	tables, err := cTables()
	if err != nil {
		return "", err
	}
	var types, functions []chunk
	for _, text := range strings.Split(strings.TrimSpace(portableC), "\n\n")[1:] {
		c := cChunk(text)
		m := declaredC.FindStringSubmatch(text)
		if m == nil {
			return "", fmt.Errorf("export: a piece of portable.c declares nothing: %.40q", text)
		}
		c.declares = []string{m[1] + m[2] + m[3]}
		if strings.HasPrefix(text, "typedef") {
			types = append(types, c)
		} else {
			functions = append(functions, c)
		}
	}
	wanted := map[string]bool{}
	for name := range uses {
		wanted[name] = true
	}
	text := needed(append(append(types, tables...), functions...), wanted)
	if text == "" {
		return "", nil
	}
	return "\n// The portable functions of adrun, under the MIT licence.\n" + text, nil
}

func cChunk(text string) chunk {
	c := chunk{text: text, mentions: map[string]bool{}, line: !strings.Contains(text, "\n")}
	for _, name := range identifiers.FindAllString(text, -1) {
		c.mentions[name] = true
	}
	return c
}

// cTables returns the coefficients and tables of fmath as C. Numbers are written alike in both languages.
func cTables() ([]chunk, error) {
	text, err := fmath.Sources().ReadFile("tables.go")
	if err != nil {
		return nil, fmt.Errorf("export: the tables: %w", err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "tables.go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("export: the tables: %w", err)
	}
	source := func(n ast.Node) string {
		return string(text[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
	}
	var chunks []chunk
	for _, d := range file.Decls {
		for _, s := range d.(*ast.GenDecl).Specs {
			spec, ok := s.(*ast.ValueSpec)
			if !ok {
				continue
			}
			c := cChunk(cTable(spec, source))
			c.declares = []string{spec.Names[0].Name}
			chunks = append(chunks, c)
		}
	}
	return chunks, nil
}

// cTable writes a constant or a table.
func cTable(spec *ast.ValueSpec, source func(ast.Node) string) string {
	name, value := spec.Names[0].Name, spec.Values[0]
	if table, ok := value.(*ast.CompositeLit); ok {
		array := table.Type.(*ast.ArrayType)
		var rows strings.Builder
		for _, row := range table.Elts {
			rows.WriteString("\t" + source(row) + ",\n")
		}
		return fmt.Sprintf("static const %s %s[%s] = {\n%s};", source(array.Elt), name, source(array.Len), rows.String())
	}
	number := source(value)
	switch {
	case strings.Contains(number, "p"), strings.Contains(number, "."):
		return fmt.Sprintf("static const double %s = %s;", name, number)
	case strings.HasPrefix(number, "0x"):
		return fmt.Sprintf("static const uint64_t %s = %s;", name, number)
	}
	return fmt.Sprintf("enum { %s = %s };", name, number)
}
