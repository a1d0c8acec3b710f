package internal_test

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mostKnotted is how many files of a package may each reach each other. Where more do, none can be read without all the others.
const mostKnotted = 10

func TestFilesAreNotKnotted(t *testing.T) {
	list := exec.Command("go", "list", "-export", "-deps", "-f", `{{.ImportPath}}|{{.Export}}|{{.Dir}}|{{join .GoFiles ","}}`, "./...")
	list.Dir = ".."
	text, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	type listed struct{ path, dir, files string }
	exports, ours := map[string]string{}, []listed{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		of := strings.Split(lines.Text(), "|")
		exports[of[0]] = of[1]
		if own, ok := strings.CutPrefix(of[0], module+"/"); ok && of[3] != "" {
			ours = append(ours, listed{own, of[2], of[3]})
		}
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range ours {
		var files []*ast.File
		for name := range strings.SplitSeq(p.files, ",") {
			file, err := parser.ParseFile(fset, filepath.Join(p.dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		if _, err := (&types.Config{Importer: imports}).Check(p.path, fset, files, info); err != nil {
			t.Fatal(err)
		}
		uses := map[string]map[string]bool{}
		for name, object := range info.Uses {
			if object.Pkg() == nil || object.Pkg().Path() != p.path {
				continue
			}
			from, to := fset.Position(name.Pos()).Filename, fset.Position(object.Pos()).Filename
			if strings.HasSuffix(from, ".gen.go") {
				continue
			}
			if uses[from] == nil {
				uses[from] = map[string]bool{}
			}
			uses[from][to] = true
		}
		if n := largestKnot(uses); n > mostKnotted {
			t.Errorf("%d files of %s each reach each other; at most %d may: put what many use apart from what uses many",
				n, p.path, mostKnotted)
		}
	}
	if len(ours) < 20 {
		t.Errorf("only %d packages were found", len(ours))
	}
}

// largestKnot is how many files each reach each other at most.
func largestKnot(uses map[string]map[string]bool) (largest int) {
	reach := map[string]map[string]bool{}
	for file := range uses {
		seen := map[string]bool{}
		for next := []string{file}; len(next) > 0; {
			at := next[len(next)-1]
			next = next[:len(next)-1]
			for to := range uses[at] {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		reach[file] = seen
	}
	for file, seen := range reach {
		n := 0
		for other := range seen {
			if reach[other][file] {
				n++
			}
		}
		largest = max(largest, n)
	}
	return largest
}
