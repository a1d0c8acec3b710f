package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// generic are the packages that serve every kind of record alike. What is special about one is in its own file in package crm, which
// says so by what it declares. The numbers are how often they still name one; they may only fall.
var generic = map[string]int{
	"internal/record": 0, "internal/work": 0, "internal/merge": 0, "internal/exchange": 50, "internal/store": 0, "internal/query": 0,
	"internal/body": 0, "internal/schema": 0, "internal/tabular": 0, "internal/oauth": 0, "internal/agents": 0,
}

func TestGenericCodeNamesNoKind(t *testing.T) {
	named := map[string]int{}
	goFiles(t, func(path string, text []byte) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if _, is := generic[dir]; !is || strings.HasSuffix(path, "_test.go") {
			return
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "crm" {
					named[dir]++
				}
			}
			return true
		})
	})
	for _, dir := range slices.Sorted(maps.Keys(generic)) {
		if named[dir] != generic[dir] {
			t.Errorf("%s names kinds %d times, and did so %d times: let the kinds declare what it has to know", dir, named[dir],
				generic[dir])
		}
	}
}
