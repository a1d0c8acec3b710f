package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// What is registered is registered by a call that can be read where it stands, in an order that it shows, and not because a file is
// compiled in. What a variable needs at start it says in its own value.
func TestNothingIsRegisteredByInit(t *testing.T) {
	read := 0
	goFiles(t, func(path string, text []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		read++
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init: name the function, and call it from where it can be seen", set.Position(f.Pos()))
			}
		}
	})
	if read < 200 {
		t.Errorf("only %d files were read", read)
	}
}
