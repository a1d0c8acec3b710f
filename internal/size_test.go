package internal_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostLines is how many lines of code, tests and generated ones left out, a package may have: more than that nobody keeps in mind.
const mostLines = 8000

func TestPackagesAreSmall(t *testing.T) {
	lines := map[string]int{}
	goFiles(t, func(path string, text []byte) {
		if !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".gen.go") {
			lines[filepath.ToSlash(filepath.Dir(path))] += bytes.Count(text, []byte("\n"))
		}
	})
	for dir, n := range lines {
		if n > mostLines {
			t.Errorf("%s has %d lines, more than %d: take a package out of it", dir, n, mostLines)
		}
	}
	if len(lines) < 20 {
		t.Errorf("only %d packages were found", len(lines))
	}
}

// mostColumns is how many fit beside each other on a screen.
const mostColumns = 140

func TestLinesFitTheirPage(t *testing.T) {
	goFiles(t, func(path string, text []byte) {
		if strings.HasSuffix(path, ".gen.go") {
			return
		}
		n := 0
		for line := range bytes.Lines(text) {
			n++
			if utf8.RuneCount(bytes.ReplaceAll(bytes.TrimRight(line, "\n"), []byte("\t"), []byte("    "))) > mostColumns {
				t.Errorf("%s:%d has more than %d columns", path, n, mostColumns)
			}
		}
	})
}

// goFiles hands over all Go files of the module.
func goFiles(t *testing.T, each func(path string, text []byte)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "data") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join("..", path))
		each(path, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
