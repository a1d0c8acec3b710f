package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// tableRows gives the first cells of the tables' rows in a text that are code, with the rest of their lines.
func tableRows(text string) map[string]string {
	rows := map[string]string{}
	for _, line := range strings.Split(text, "\n") {
		cell, rest, found := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if found && strings.HasPrefix(line, "| `") {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
				rows[name[1]] = rest
			}
		}
	}
	return rows
}

// section is the text under a heading, up to the next one that is not below it.
func section(t *testing.T, file, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(read(t, file), "\n"+heading+"\n")
	if !found {
		t.Fatalf("%s has no heading %q", file, heading)
	}
	level := len(heading) - len(strings.TrimLeft(heading, "#"))
	if end := regexp.MustCompile("(?m)^#{1," + strconv.Itoa(level) + "} ").FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	return text
}

func TestOperatorTablesListAllOperators(t *testing.T) {
	for file, heading := range map[string]string{"../README.md": "## The operators of a filter", "api.md": "### Operators"} {
		rows := tableRows(section(t, file, heading))
		for _, o := range query.Operators {
			if _, ok := rows[string(o)]; !ok {
				t.Errorf("%s lacks the operator %s", file, o)
			}
		}
		if len(rows) != len(query.Operators) {
			t.Errorf("%s lists %d operators, there are %d", file, len(rows), len(query.Operators))
		}
	}
}

// Every kind of field, and every key that the schema has, is explained.
func TestReferenceExplainsTheSchema(t *testing.T) {
	text := section(t, "api.md", "## Schema")
	words := slices.Clone(schema.Types)
	for _, told := range []reflect.Type{reflect.TypeFor[record.FieldSchema](), reflect.TypeFor[record.ResourceSchema]()} {
		for i := range told.NumField() {
			name, _, _ := strings.Cut(told.Field(i).Tag.Get("json"), ",")
			words = append(words, name)
		}
	}
	for _, word := range words {
		if !strings.Contains(text, "`"+word+"`") && !strings.Contains(text, `"`+word+`"`) {
			t.Errorf("docs/api.md does not explain %s of the schema", word)
		}
	}
}

// sources parses our own Go files, tests left out.
func sources(t *testing.T, dir string) []*ast.File {
	t.Helper()
	var files []*ast.File
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.Name() == "apitest" { // which is no part of the program
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		files = append(files, file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	if l.Kind != token.STRING {
		return l.Value, true
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}

// The codes of errors are read from the code itself: the constants, and the table that gives each its status.
func TestReferenceListsEveryErrorCode(t *testing.T) {
	codes := map[string]string{} // constant → code
	for _, file := range sources(t, "../internal/problem") {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
				if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" {
					codes[spec.Names[0].Name], _ = literal(spec.Values[0])
				}
			}
			return true
		})
	}
	statuses := map[string]string{}
	for _, file := range sources(t, "../internal/httpapi") {
		ast.Inspect(file, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, isName := pair.Key.(*ast.SelectorExpr)
			value, isEntry := pair.Value.(*ast.CompositeLit)
			if isName && isEntry && codes[key.Sel.Name] != "" && len(value.Elts) > 0 {
				statuses[codes[key.Sel.Name]], _ = literal(value.Elts[0])
			}
			return true
		})
	}
	if len(codes) < 10 || len(statuses) != len(codes) {
		t.Fatalf("found %d codes and the statuses of %d of them in the code", len(codes), len(statuses))
	}
	text, _, _ := strings.Cut(section(t, "api.md", "## Errors"), "In `errors`, `field`")
	rows := tableRows(text)
	for code, status := range statuses {
		if !strings.HasPrefix(rows[code], status+" ") {
			t.Errorf("docs/api.md should list the code %s with the status %s, but says %q", code, status, rows[code])
		}
	}
	for code := range rows {
		if statuses[code] == "" {
			t.Errorf("docs/api.md lists the code %s, which does not exist", code)
		}
	}
}

// Field codes are written where the rule is, as the second argument of Add or as the Code of a literal.
func TestReferenceListsEveryFieldCode(t *testing.T) {
	used := map[string]bool{}
	word := regexp.MustCompile("^[a-z]+(_[a-z]+)*$")
	note := func(e ast.Expr) {
		if text, ok := literal(e); ok && word.MatchString(text) {
			used[text] = true
		}
	}
	for _, file := range sources(t, "../internal") {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Add" && len(n.Args) >= 3 {
					note(n.Args[1])
				}
			case *ast.CompositeLit:
				if _, ok := n.Type.(*ast.MapType); ok { // of the format Code
					return false
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
					note(n.Value)
				}
			}
			return true
		})
	}
	_, text, _ := strings.Cut(section(t, "api.md", "## Errors"), "In `errors`, `field`")
	rows := tableRows(text)
	if len(used) < 15 {
		t.Fatalf("found only %d field codes in the code", len(used))
	}
	for code := range used {
		if _, ok := rows[code]; !ok {
			t.Errorf("docs/api.md does not list the field code %s", code)
		}
	}
	for code := range rows {
		if !used[code] {
			t.Errorf("docs/api.md lists the field code %s, which nothing uses", code)
		}
	}
}

func TestEveryDirectDependencyIsExplained(t *testing.T) {
	rows := tableRows(read(t, "dependencies.md"))
	direct := regexp.MustCompile(`(?m)^(?:require )?\s*(\S+\.\S+/\S+) (v\S+)( // indirect)?$`).FindAllStringSubmatch(read(t, "../go.mod"),
		-1)
	if len(direct) < 5 {
		t.Fatalf("found only %d modules in go.mod", len(direct))
	}
	for _, module := range direct {
		if module[3] != "" {
			continue
		}
		if version, _, _ := strings.Cut(rows[module[1]], " | "); version != module[2] {
			t.Errorf("docs/dependencies.md should list %s with the version %s and say why it is used, but says %q", module[1], module[2],
				rows[module[1]])
		}
	}
	for _, tool := range []string{"mvdan.cc/gofumpt", "honnef.co/go/tools"} {
		version, _, _ := strings.Cut(rows[tool], " | ")
		if version == "" || !strings.Contains(read(t, "../Makefile"), "@"+version) {
			t.Errorf("docs/dependencies.md lists %s with the version %q, which the Makefile does not use", tool, version)
		}
	}
}

// Each command stands in the README, and each of its options with its variable in the operations guide.
func TestCommandsAndOptionsAreDocumented(t *testing.T) {
	help, err := exec.Command(program(t), "help").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	readme, operations := tableRows(read(t, "../README.md")), read(t, "operations.md")
	commands := regexp.MustCompile(`(?m)^  ([a-z]+(?: [a-z-]+)*) +\S`).FindAllStringSubmatch(string(help), -1)
	if len(commands) < 5 {
		t.Fatalf("kith help lists %d commands:\n%s", len(commands), help)
	}
	for _, command := range commands {
		if _, ok := readme["kith "+command[1]]; !ok {
			t.Errorf("README.md does not list kith %s", command[1])
		}
		text, err := exec.Command(program(t), append(strings.Fields(command[1]), "--help")...).CombinedOutput()
		if err != nil {
			t.Errorf("kith %s --help: %v", command[1], err)
		}
		options := regexp.MustCompile(`(?m)^  --([a-z-]+) .*\[(KITH_[A-Z_]+)\]$`).FindAllStringSubmatch(string(text), -1)
		if len(options) == 0 {
			t.Errorf("kith %s --help explains no option:\n%s", command[1], text)
		}
		for _, option := range options {
			if !strings.Contains(operations, "`--"+option[1]) {
				t.Errorf("docs/operations.md does not explain --%s of kith %s", option[1], command[1])
			}
		}
	}
}

var (
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	notAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are the targets that a Markdown file offers, as the usual viewers name them.
func anchors(text string) []string {
	var found []string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "#") {
			name := strings.ToLower(strings.TrimLeft(line, "# "))
			found = append(found, strings.ReplaceAll(notAnchor.ReplaceAllString(name, ""), " ", "-"))
		}
	}
	return found
}

func TestLinksLeadSomewhere(t *testing.T) {
	files, err := filepath.Glob("../*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*.md", "adr/*.md", "guide/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	checked := 0
	offered := map[string][]string{} // by the file
	for _, file := range files {
		for _, match := range link.FindAllStringSubmatch(read(t, file), -1) {
			path, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(match[1], "://") {
				continue
			}
			checked++
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), path)
			}
			if found, err := filepath.Glob(target); err != nil || len(found) == 0 {
				t.Errorf("%s links to %s, which is not there", file, match[1])
				continue
			}
			if anchor != "" && offered[target] == nil {
				offered[target] = anchors(read(t, target))
			}
			if anchor != "" && !slices.Contains(offered[target], anchor) {
				t.Errorf("%s links to %s, which has no such heading", file, match[1])
			}
		}
	}
	if checked < 20 {
		t.Errorf("found only %d links", checked)
	}
}

// Each record stands in a file of its own, numbered without gaps, and in the list of all.
func TestDecisionsAreNumbered(t *testing.T) {
	files, err := filepath.Glob("adr/[0-9]*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no decisions found: %v", err)
	}
	list := read(t, "adr/README.md")
	for i, file := range files {
		name := filepath.Base(file)
		if number, err := strconv.Atoi(name[:4]); err != nil || number != i+1 {
			t.Errorf("%s should have the number %04d", file, i+1)
		}
		if !strings.Contains(list, "("+name+")") {
			t.Errorf("docs/adr/README.md does not list %s", name)
		}
		text := read(t, file)
		for _, part := range []string{"\n## Context\n", "\n## Decision\n", "\n## Consequences\n"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no part %q", file, strings.TrimSpace(part))
			}
		}
	}
}

// A record is read by whoever asks why, in a minute: how it is done is told by the code and the guides.
func TestDecisionsAreShort(t *testing.T) {
	files, err := filepath.Glob("adr/[0-9]*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no decisions found: %v", err)
	}
	for _, file := range files {
		if words := len(strings.Fields(read(t, file))); words > 300 {
			t.Errorf("%s has %d words, more than 300", file, words)
		}
	}
}

// Whoever is new reads it first, in ten minutes: how a thing is done is told at the head of its file, and why by its decision.
func TestArchitectureIsShortAndNamesEveryPackage(t *testing.T) {
	text := read(t, "architecture.md")
	if words := len(strings.Fields(text)); words > 2500 {
		t.Errorf("architecture.md has %d words, more than 2,500", words)
	}
	files, err := filepath.Glob("../internal/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no packages found: %v", err)
	}
	for _, file := range files {
		if folder := filepath.ToSlash(filepath.Dir(file)); !strings.Contains(text, "("+folder+")") {
			t.Errorf("architecture.md does not say what %s is", folder)
		}
	}
}
