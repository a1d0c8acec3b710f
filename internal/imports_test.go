// Package internal_test checks which package imports which.
package internal_test

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/kith-crm/kith"

// allowed says which of our packages each of our packages may import. Imports
// only point down this list: the further up, the less a package knows about the
// rest. A package in a subfolder follows the rule of its first folder, and may
// import the other packages in there.
var allowed = map[string][]string{
	"internal/problem": {},
	"internal/schema":  {"internal/problem"},
	"internal/body":    {"internal/problem", "internal/schema"},
	"internal/query":   {"internal/problem", "internal/schema", "internal/body"},
	"internal/tabular": {"internal/problem", "internal/schema", "internal/body", "internal/query"},
	"internal/paper":   {"internal/problem", "internal/schema"},
	"internal/store":   {"internal/problem", "internal/schema", "internal/body", "internal/query"},
	"internal/record":  {"internal/problem", "internal/schema", "internal/body", "internal/query", "internal/store", "internal/paper"},
	"internal/account": {
		"internal/problem", "internal/schema", "internal/body", "internal/query", "internal/store", "internal/paper", "internal/record",
	},
	"internal/crm": {
		"internal/problem", "internal/schema", "internal/body", "internal/query", "internal/store", "internal/record", "internal/account",
	},

	"internal/throttle": {},
	"internal/outbound": {},
	"internal/metrics":  {},
	"internal/tracing":  {"internal/problem", "internal/store"},

	// What works on the engine, and what puts both together.
	"internal/work": {
		"internal/problem", "internal/schema", "internal/body", "internal/query", "internal/store", "internal/record", "internal/account",
	},
	"internal/exchange": {
		"internal/problem", "internal/schema", "internal/body", "internal/query", "internal/store", "internal/tabular",
		"internal/record", "internal/account", "internal/work",
	},
	"internal/merge": {
		"internal/problem", "internal/schema", "internal/body", "internal/query", "internal/store", "internal/record",
	},
	"internal/webhook": {
		"internal/problem", "internal/schema", "internal/body", "internal/query", "internal/store", "internal/record",
		"internal/account", "internal/crm", "internal/stream", "internal/outbound",
	},
	"internal/offer": {
		"internal/problem", "internal/schema", "internal/body", "internal/store", "internal/paper", "internal/record",
		"internal/account", "internal/crm",
	},
	"internal/notify": {
		"internal/problem", "internal/schema", "internal/body", "internal/query", "internal/store", "internal/record",
		"internal/account", "internal/crm", "internal/work", "internal/outbound",
	},
	"internal/operator": {"internal/problem", "internal/schema", "internal/body", "internal/store", "internal/record", "internal/account"},
	"internal/stream":   {"internal/problem", "internal/schema", "internal/store", "internal/record"},
	"internal/wiring": {
		"internal/store", "internal/record", "internal/crm", "internal/merge", "internal/work", "internal/exchange",
		"internal/notify",
	},

	// What faces the outside may use everything below, and each other: Go itself
	// refuses circles.
	"internal/oauth":   outside,
	"internal/httpapi": outside,
	"internal/openapi": outside,
	"internal/web":     outside,
	"internal/bench":   outside,
	"internal/demo":    outside,
	"internal/agents":  outside,

	// The app as the browser gets it, made from TypeScript: files and nothing else.
	"web": {},

	// What others import: it knows the server only by its HTTP interface.
	"client": {},

	// A module of its own, which measures kith beside other products.
	"bench": {"internal/schema", "internal/store", "internal/bench"},

	// For tests only, see testOnly.
	"internal/pgtest":    {},
	"internal/testworld": outside,
	"internal/apitest":   outside,
}

var outside = []string{
	"internal/problem", "internal/schema", "internal/body", "internal/query", "internal/store", "internal/record", "internal/account",
	"internal/crm", "internal/merge", "internal/work", "internal/exchange", "internal/webhook", "internal/offer", "internal/stream",
	"internal/notify",
	"internal/wiring",
	"internal/operator",
	"internal/throttle", "internal/metrics", "internal/outbound",
	"internal/oauth", "internal/httpapi", "internal/openapi", "internal/web", "web",
	"internal/tabular", "internal/paper",
}

// testOnly lists packages that must never end up in the program. Only test
// files import them, and they may import each other.
var testOnly = []string{
	"internal/pgtest",
	"internal/testworld",
	"internal/apitest",
	"internal/store/storetest",
	"internal/store/sqlite/faultfs",
}

// benchmarkOnly looks at how the store works, which nothing else is to depend on.
const benchmarkOnly = "internal/store/watch"

func TestImportDirection(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			hidden := name != ".." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"))
			if hidden || name == "testdata" || name == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		files++

		relative, err := filepath.Rel("..", file)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		// Reading the files, rather than asking `go list`, also covers files
		// which are built on other systems only.
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imported, ours := strings.CutPrefix(imported, module+"/")
			if !ours {
				continue
			}
			if err := check(path.Dir(relative), imported, strings.HasSuffix(name, "_test.go")); err != nil {
				t.Errorf("%s imports %s/%s: %v", relative, module, imported, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// This file alone makes one; anything else missing means we looked in the
	// wrong place.
	if files < 2 {
		t.Fatalf("found %d Go files only", files)
	}
}

// check says what is wrong with the package importer importing the package
// imported, or nil. Both are paths below the module.
func check(importer, imported string, inTest bool) error {
	if slices.Contains(testOnly, imported) {
		if inTest || slices.Contains(testOnly, importer) {
			return nil
		}
		return errors.New("that package is for tests only; import it from _test.go files")
	}
	// Tests may reach across: they often check one package with the help of
	// another. Go refuses the circles that would matter.
	if inTest {
		return nil
	}
	from, to := group(importer), group(imported)
	if from == to || from == "cmd" {
		return nil
	}
	if imported == benchmarkOnly && from != "internal/bench" && from != "bench" {
		return errors.New("that package is for the benchmark only")
	}
	list, known := allowed[from]
	if !known {
		return errors.New(from + " has no rule yet; give it one in internal/imports_test.go")
	}
	if !slices.Contains(list, to) {
		if len(list) == 0 {
			return errors.New(from + " may not import any of our packages")
		}
		return errors.New(from + " may only import " + strings.Join(list, ", "))
	}
	return nil
}

// group returns the part of a package's path the rules are about: internal/store
// for internal/store/sqlite, and cmd for cmd/kith.
func group(pkg string) string {
	parts := strings.Split(pkg, "/")
	if parts[0] == "internal" && len(parts) > 1 {
		return "internal/" + parts[1]
	}
	return parts[0]
}

// The rules are only worth something if they do refuse.
func TestImportRules(t *testing.T) {
	for _, tt := range []struct {
		importer, imported string
		inTest, ok         bool
	}{
		{"cmd/kith", "internal/httpapi", false, true},
		{"internal/crm", "internal/store", false, true},
		{"internal/store", "internal/crm", false, false},
		{"internal/crm", "internal/store/keep", false, true},
		{"internal/crm", "internal/store/queue", false, true},
		{"internal/merge", "internal/store/merged", false, true},
		{"internal/store/queue", "internal/store", false, true},
		{"internal/query", "internal/store/portable", false, false},
		{"internal/query", "internal/store/keep", false, false},
		{"internal/crm", "internal/store/watch", false, false},
		{"internal/bench", "internal/store/watch", false, true},
		{"internal/store", "internal/body", false, true},
		{"internal/body", "internal/query", false, false},
		{"internal/store/sqlite", "internal/store", false, true},
		{"internal/store/sqlite", "internal/query", false, true},
		{"internal/problem", "internal/schema", false, false},
		{"internal/schema", "internal/problem", false, true},
		{"internal/crm", "internal/httpapi", false, false},
		{"internal/httpapi", "internal/oauth", false, true},
		{"internal/crm", "cmd/kith/flags", false, false},
		{"internal/unheard", "internal/problem", false, false},
		{"cmd/kith", "internal/pgtest", false, false},
		{"internal/store", "internal/pgtest", false, false},
		{"internal/store", "internal/store/storetest", false, false},
		{"internal/store", "internal/store/storetest", true, true},
		{"internal/store/sqlite", "internal/store/sqlite/faultfs", false, false},
		{"internal/crm", "internal/pgtest", true, true},
		{"internal/store/storetest", "internal/pgtest", false, true},
		{"internal/store/storetest", "internal/store", false, true},
		{"internal/pgtest", "internal/store", false, false},
		{"client", "internal/schema", false, false},
		{"client", "internal/httpapi", true, true},
		{"internal/bench", "client", false, false},
	} {
		err := check(tt.importer, tt.imported, tt.inTest)
		if (err == nil) != tt.ok {
			t.Errorf("%s imports %s (in a test file: %v): %v, want allowed: %v",
				tt.importer, tt.imported, tt.inTest, err, tt.ok)
		}
	}
}
