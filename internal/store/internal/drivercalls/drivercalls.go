// Package drivercalls holds functions that we hand to SQLite to the way in which the driver calls them. The driver keeps them as bare
// addresses, so the compiler cannot. It is for tests only.
package drivercalls

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var (
	// call is where the driver calls what an address leads to: the function's type, and the expression that gives the address.
	call = regexp.MustCompile(`\(\*\(\*(func\([^()]*\)(?: \w+)?)\)\(unsafe\.Pointer\(&struct\{ uintptr \}\{([^{}]*)\}\)\)\)\(`)
	// address is what every call has in it, by which lines without one are passed over.
	address = []byte("&struct{ uintptr }{")
	// alias is a name for a type.
	alias = regexp.MustCompile(`^type (T\w+) = (\w+)\n`)
	word  = regexp.MustCompile(`\bT\w+\b`)
	// through is a pointer to a structure whose field has the address.
	through = regexp.MustCompile(`^\(\*(T\w+)\)\(unsafe\.Pointer\(.*\)\)\.(\w+)$`)
)

// Check fails where the driver calls one of the functions in another way than it is declared, or does not call it at all, on any
// platform. They are named by where the driver has their addresses: a variable, or the field of a structure, as in
// Tsqlite3_io_methods.FxRead.
func Check(t *testing.T, functions map[string]any) {
	t.Helper()
	calls, aliases := map[string]map[string]string{}, map[string]string{}
	for name := range functions {
		calls[name] = map[string]string{}
	}
	files, err := filepath.Glob(filepath.Join(GoList(t, "-f", "{{.Dir}}", "modernc.org/sqlite/lib"), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the driver has %d files: %v", len(files), err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(source) {
			if m := alias.FindSubmatch(line); m != nil {
				aliases[string(m[1])] = string(m[2])
			}
			if !bytes.Contains(line, address) {
				continue
			}
			for _, m := range call.FindAllSubmatch(line, -1) {
				name := string(m[2])
				if field := through.FindStringSubmatch(name); field != nil {
					name = field[1] + "." + field[2]
				}
				if calls[name] != nil {
					calls[name][string(m[1])] = filepath.Base(file)
				}
			}
		}
	}
	for name, function := range functions {
		declared := reflect.TypeOf(function).String()
		if len(calls[name]) == 0 {
			t.Errorf("the driver calls no %s", name)
		}
		for signature, file := range calls[name] {
			plain := word.ReplaceAllStringFunc(signature, func(name string) string {
				for aliases[name] != "" {
					name = aliases[name]
				}
				return name
			})
			if plain != declared {
				t.Errorf("the driver calls %s as %s (%s), and ours is %s", name, plain, file, declared)
			}
		}
	}
}

// GoList asks the go command about packages and modules.
func GoList(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}
