package fmath

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"
)

// exact lists what of package math gives the same bits everywhere: operations
// on bits, and rounding to whole numbers, which is exact.
var exact = map[string]bool{
	"Abs": true, "Copysign": true, "Float64bits": true, "Float64frombits": true,
	"Inf": true, "NaN": true, "Signbit": true, "Trunc": true,
}

// The language lets a compiler fuse x*y + z unless the product is converted
// explicitly, and compilers do on arm64, ppc64, s390x, riscv64 and amd64 v3. So
// every product that is not itself a factor must stand in float64(…), also
// where it is returned or assigned: inlining could bring a sum to it.
func TestEveryProductIsRounded(t *testing.T) {
	files, info := load(t)
	for _, file := range files {
		var stack []ast.Node
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if isProduct(n, info) && !isRounded(stack) {
				t.Errorf("%s: product outside float64(…)", file.fset.Position(n.Pos()))
			}
			if sel, ok := n.(*ast.SelectorExpr); ok && isMath(sel, info) && !exact[sel.Sel.Name] {
				t.Errorf("%s: math.%s may differ between machines", file.fset.Position(n.Pos()), sel.Sel.Name)
			}
			stack = append(stack, n)
			return true
		})
	}
}

// isProduct reports whether n multiplies floats at run time.
func isProduct(n ast.Node, info *types.Info) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return n.Op == token.MUL && isFloat(n, info)
	case *ast.AssignStmt:
		return n.Tok == token.MUL_ASSIGN && isFloat(n.Lhs[0], info)
	}
	return false
}

func isFloat(e ast.Expr, info *types.Info) bool {
	tv := info.Types[e]
	basic, ok := tv.Type.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsFloat != 0 && tv.Value == nil
}

// isRounded reports whether the innermost of the enclosing nodes that is not a
// parenthesis is a conversion to float64, or another product or quotient.
func isRounded(stack []ast.Node) bool {
	for i := len(stack) - 1; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.BinaryExpr:
			return n.Op == token.MUL || n.Op == token.QUO
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			return ok && id.Name == "float64"
		}
		return false
	}
	return false
}

func isMath(sel *ast.SelectorExpr, info *types.Info) bool {
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	pkg, ok := info.Uses[id].(*types.PkgName)
	return ok && pkg.Imported().Path() == "math"
}

type sourceFile struct {
	fset   *token.FileSet
	syntax *ast.File
}

// load parses and checks the package, and the test inputs that the golden file
// of results depends on.
func load(t *testing.T) ([]sourceFile, *types.Info) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []sourceFile
	var syntax []*ast.File
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") && name != "stream_test.go" {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, sourceFile{fset, f})
		syntax = append(syntax, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := conf.Check("fmath", fset, syntax, info); err != nil {
		t.Fatal(err)
	}
	return files, info
}
