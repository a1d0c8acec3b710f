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

func TestReferenceIsWhatTheDeclarationsSay(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", reference))
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := rewrite(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if fresh != string(text) {
		old, made := strings.Split(string(text), "\n"), strings.Split(fresh, "\n")
		for i := range made {
			if i >= len(old) || old[i] != made[i] {
				t.Fatalf("%s is not what the declarations say: run `make docs`. The first line that differs would be:\n%s", reference, made[i])
			}
		}
		t.Fatalf("%s is not what the declarations say: run `make docs`", reference)
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

// Every resource must have its place in the reference: generated parts that nobody asked for would be missing silently.
func TestReferenceHasEveryResource(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", reference))
	if err != nil {
		t.Fatal(err)
	}
	wanted := []string{"resources", "common fields", "operators", "scopes", "roles", "limits", "routes"}
	for _, k := range record.Kinds() {
		wanted = append(wanted, "fields "+k.Name)
		if len(k.Actions) > 0 {
			wanted = append(wanted, "actions "+k.Name)
		}
		if k.States != nil {
			wanted = append(wanted, "moves "+k.Name)
		}
	}
	for _, what := range wanted {
		if n := strings.Count(string(text), beginMark+what+closeMark); n != 1 {
			t.Errorf("%s has the mark %q %d times, want once", reference, what, n)
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

func TestRewriteLeavesProseAlone(t *testing.T) {
	old := "before\n" + beginMark + "scopes" + closeMark + "\nstale\n" + endMark + "\nafter\n"
	fresh, err := rewrite(old)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(fresh, "before\n"+beginMark) || !strings.HasSuffix(fresh, endMark+"\nafter\n") || strings.Contains(fresh, "stale") {
		t.Errorf("rewritten to:\n%s", fresh)
	}
	if again, err := rewrite(fresh); err != nil || again != fresh {
		t.Errorf("rewriting twice changes something: %v", err)
	}
}

func TestRewriteRefusesBrokenMarks(t *testing.T) {
	for name, text := range map[string]string{
		"no end":           beginMark + "scopes" + closeMark + "\n",
		"no close":         beginMark + "scopes\n" + endMark,
		"unknown part":     beginMark + "weather" + closeMark + "\n" + endMark,
		"unknown resource": beginMark + "fields unicorn" + closeMark + "\n" + endMark,
	} {
		if out, err := rewrite(text); err == nil {
			t.Errorf("%s: no error, but %q", name, out)
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
