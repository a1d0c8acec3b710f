package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// Nothing in the reference is written by hand.
func TestReferenceIsWhatTheDeclarationsSay(t *testing.T) {
	text, fresh := readFile(t, referenceFile), reference()
	if fresh == text {
		return
	}
	old, made := strings.Split(text, "\n"), strings.Split(fresh, "\n")
	for i := range made {
		if i >= len(old) || old[i] != made[i] {
			t.Fatalf("%s is not what the declarations say: run `make docs`. The first line that differs would be:\n%s", referenceFile,
				made[i])
		}
	}
	t.Fatalf("%s is not what the declarations say: run `make docs`", referenceFile)
}

// Nothing in api.md is generated: no table of the reference, nor a row of one, stands there a second time.
func TestProseHasNothingGenerated(t *testing.T) {
	generated := map[string]bool{}
	for line := range strings.Lines(reference()) {
		if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "| ---") {
			generated[line] = true
		}
	}
	if len(generated) < 100 {
		t.Fatalf("found only %d generated rows", len(generated))
	}
	for line := range strings.Lines(readFile(t, "docs/api.md")) {
		if generated[line] || strings.Contains(line, "<!--") {
			t.Errorf("docs/api.md has what is generated: %s", line)
		}
	}
}

// The client for TypeScript says what the declarations say.
func TestTypeScriptIsWhatTheDeclarationsSay(t *testing.T) {
	for file, fresh := range typescriptFiles() {
		text, err := os.ReadFile(filepath.Join("..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != fresh {
			t.Errorf("%s is not what the declarations say: run `make docs`", file)
		}
	}
}

// What the tables cannot say of a resource has its place in the prose, which leads to the tables.
func TestProseHasEveryResource(t *testing.T) {
	text := readFile(t, "docs/api.md")
	for _, k := range record.Kinds() {
		if !strings.Contains(text, "\n### "+k.Name+"\n") || !strings.Contains(text, "(reference.md#"+k.Name+")") {
			t.Errorf("docs/api.md should have a heading for %s and a link to its tables", k.Name)
		}
	}
}

// A standard endpoint is either among the routes or named as lacking.
func TestReferenceNamesWhatAResourceLacks(t *testing.T) {
	var paths []string
	for _, r := range httpapi.New(nil, httpapi.Options{}).Routes() {
		paths = append(paths, r.Method+" "+r.Pattern)
	}
	for _, k := range record.Kinds() {
		base := "/v1/" + k.Plural
		for endpoint, path := range map[string]string{
			"POST": "POST " + base, "PATCH": "PATCH " + base + "/{id}", "DELETE": "DELETE " + base + "/{id}",
			"{id}/restore": "POST " + base + "/{id}/restore", "deleted/search": "POST " + base + "/deleted/search",
		} {
			if offered, named := slices.Contains(paths, path), strings.Contains(lacking(k), "`"+endpoint+"`"); offered == named {
				t.Errorf("%s: %s is among the routes: %v, named as lacking: %v", k.Name, endpoint, offered, named)
			}
		}
	}
}

// The groups of operators stand for what the search really allows.
func TestOperatorGroupsAgreeWithTheSearch(t *testing.T) {
	for _, g := range groups {
		for _, k := range g.kinds {
			if got, want := query.Allowed(k), query.Allowed(g.kinds[0]); len(got) != len(want) {
				t.Errorf("group %s: the kind %s allows %v, the group says %v", g.name, k.Name(), got, want)
			}
		}
	}
	for k := schema.Text; k <= schema.Document; k++ {
		if k != schema.Group {
			operatorGroup(k)
		}
	}
}

// A field that was declared and not generated would be missing from the client silently.
func TestClientIsWhatTheDeclarationsSay(t *testing.T) {
	files, err := clientFiles()
	if err != nil {
		t.Fatal(err)
	}
	for name, fresh := range files {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil || string(text) != fresh {
			t.Errorf("%s is not what the declarations say: run `make docs` (%v)", name, err)
		}
	}
	there, err := filepath.Glob(filepath.Join("..", "..", clientFolder, "*.gen.go"))
	if err != nil || len(there) != len(files) {
		t.Errorf("there are %v, %v; generated are %d files", there, err, len(files))
	}
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
