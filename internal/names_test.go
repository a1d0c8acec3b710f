package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// resolvers are the functions that may look up a field by a name that is written out: they run when the program starts.
var resolvers = []string{"Open", "CompileApart", "CompileLog", "resolveListItems"}

// A field that code spells out is found when the program starts, or the program does not start (schema.Bind). A look-up by a written
// name inside any other function would only fail when somebody comes by.
func TestFieldsAreNamedAtStart(t *testing.T) {
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(file, "../")))
		if slices.Contains(testOnly, dir) {
			return nil
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || slices.Contains(resolvers, fn.Name.Name) {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && looksUpByName(call) {
					t.Errorf("%s looks a field up by its written name; name it in a struct that schema.Bind fills",
						set.Position(call.Pos()))
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func looksUpByName(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) != 1 || method.Sel.Name != "Must" && method.Sel.Name != "Leaf" {
		return false
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	return ok && literal.Kind == token.STRING
}
