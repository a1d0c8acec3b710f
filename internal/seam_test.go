package internal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The store has two engines, each a package, and in package search a planner for each, in the files that begin with its name; engines.go
// chooses between them. All other files of the store, and the packages engine, layout and search, work with either, and do not ask which
// it is.
func TestOnlyItsOwnFilesKnowAnEngine(t *testing.T) {
	files, err := filepath.Glob("store/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, shared := range []string{"engine", "layout", "search"} {
		some, err := filepath.Glob("store/" + shared + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		if len(some) == 0 {
			t.Errorf("the package %s was not found", shared)
		}
		files = append(files, some...)
	}
	read := 0
	for _, file := range files {
		name := filepath.Base(file)
		if knowsEngine(name) {
			continue
		}
		read++
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, leak := range leaks(fset, parsed) {
			t.Error(leak)
		}
	}
	if read < 10 {
		t.Fatalf("%d files of the store were read", read)
	}
}

// knowsEngine tells whether a file of the store may know an engine.
func knowsEngine(name string) bool {
	return strings.HasPrefix(name, "sqlite") || strings.HasPrefix(name, "postgres") || name == "engines.go" ||
		strings.HasSuffix(name, "_test.go")
}

var (
	engineName = regexp.MustCompile(`(?i)sqlite|postgres|pgx`)
	// engineSQL is what only one of them understands.
	engineSQL     = regexp.MustCompile(`(?i)sqlite|postgres|\bpg_|INDEXED BY|_fts\b|::\w|LATERAL`)
	engineDrivers = regexp.MustCompile(`pgx|zombiezen|modernc`)
)

// leaks lists where a file knows an engine.
func leaks(fset *token.FileSet, file *ast.File) (found []string) {
	add := func(at ast.Node, format string, args ...any) {
		found = append(found, fmt.Sprintf("%v: %s", fset.Position(at.Pos()), fmt.Sprintf(format, args...)))
	}
	for _, spec := range file.Imports {
		if engineDrivers.MatchString(spec.Path.Value) {
			add(spec, "imports the driver %s", spec.Path.Value)
		}
	}
	var imports []ast.Node
	for _, spec := range file.Imports {
		imports = append(imports, spec.Path)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if engineName.MatchString(n.Name) {
				add(n, "names %s", n.Name)
			}
		case *ast.BasicLit:
			if n.Kind != token.STRING || slices.Contains(imports, ast.Node(n)) {
				break
			}
			if text, err := strconv.Unquote(n.Value); err == nil && engineSQL.MatchString(text) {
				add(n, "has %s, which is for one engine", n.Value)
			}
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (asksName(n.X) || asksName(n.Y)) {
				add(n, "asks which engine it is")
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && asksName(n.Tag) {
				add(n, "asks which engine it is")
			}
		}
		return true
	})
	return found
}

// asksName tells whether an expression is the name of an engine.
func asksName(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (method.Sel.Name == "Name" || method.Sel.Name == "Engine") && len(call.Args) == 0
}

// The rule is only worth something if it does find leaks.
func TestLeaksAreFound(t *testing.T) {
	for code, want := range map[string]int{
		`func f(d dialect) string { return d.lock() }`:                         0,
		`func f(s *Store) string { return s.engine.Name() }`:                   0,
		`func f(s *Store) bool { return s.engine.Name() == x }`:                1,
		`func f(s *Store) { switch s.engine.Name() { case x: } }`:              1,
		`func f(c conn) { _, _ = c.(*sqliteConn) }`:                            1,
		`func f(e engine) { switch e.(type) { case *postgresEngine: } }`:       1,
		`const sql = "SELECT 1 FROM t INDEXED BY i"`:                           1,
		"const sql = `SELECT t.n::bigint FROM t`":                              1,
		`import "github.com/jackc/pgx/v5"`:                                     1,
		`func f(s *Store) bool { return s.Engine() != "sqlite" }`:              2,
		`// f is about SQLite.` + "\n" + `func f() string { return "SELECT" }`: 0,
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "f.go", "package store\n"+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if found := leaks(fset, file); len(found) != want {
			t.Errorf("%s: %q, want %d", code, found, want)
		}
	}
}
