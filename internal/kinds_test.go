package internal_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// generic are the packages that serve every kind of record alike. What is special about one is in its own file in package crm, which
// says so by what it declares.
var generic = []string{
	"internal/record", "internal/work", "internal/merge", "internal/exchange", "internal/store", "internal/query", "internal/body",
	"internal/schema", "internal/tabular", "internal/oauth", "internal/agents",
}

func TestGenericCodeNamesNoKind(t *testing.T) {
	seen := map[string]bool{}
	goFiles(t, func(path string, text []byte) {
		from := group(filepath.ToSlash(filepath.Dir(path)))
		if !slices.Contains(generic, from) || strings.HasSuffix(path, "_test.go") {
			return
		}
		seen[from] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			if spec.Path.Value == `"`+module+`/internal/crm"` {
				t.Errorf("%s imports the kinds: let them declare what it has to know", path)
			}
		}
	})
	if len(seen) != len(generic) {
		t.Errorf("looked into %v of %v only", seen, generic)
	}
}
