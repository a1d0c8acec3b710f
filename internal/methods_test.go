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

// mostMethods is how many exported methods the types have at which everything meets: whoever reads one of them has to know them all. The
// numbers may only fall; what does not need all of such a type is a function, or a method of what it needs.
var mostMethods = map[string]int{"internal/record.Engine": 20, "internal/store.Tx": 40}

func TestTypesHaveFewMethods(t *testing.T) {
	has := map[string]int{}
	goFiles(t, func(path string, text []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() {
				continue
			}
			of := f.Recv.List[0].Type
			if pointer, ok := of.(*ast.StarExpr); ok {
				of = pointer.X
			}
			if name, ok := of.(*ast.Ident); ok {
				has[filepath.ToSlash(filepath.Dir(path))+"."+name.Name]++
			}
		}
	})
	for _, name := range slices.Sorted(maps.Keys(mostMethods)) {
		if has[name] == 0 || has[name] > mostMethods[name] {
			t.Errorf("%s has %d exported methods, and had %d: it may not grow", name, has[name], mostMethods[name])
		}
	}
}
