// Command docs is for developers: it rewrites from the declarations the generated parts of docs/api.md and the generated files of the
// clients for Go and TypeScript, so that neither can say anything else than the program does. A generated part of the reference stands
// between two marks:
//
//	<!-- generated: fields contact -->
//	…
//	<!-- end of generated -->
//
// The prose around the marks is written by hand and left alone.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

const (
	beginMark = "<!-- generated: "
	closeMark = " -->"
	endMark   = "<!-- end of generated -->"

	reference = "docs/api.md"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func run() error {
	text, err := os.ReadFile(reference)
	if err != nil {
		return err
	}
	fresh, err := rewrite(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", reference, err)
	}
	files, err := clientFiles()
	if err != nil {
		return err
	}
	maps.Copy(files, typescriptFiles())
	files[reference] = fresh
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if err := write(file, files[file]); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file whose text has changed.
func write(file, text string) error {
	if old, err := os.ReadFile(file); err == nil && string(old) == text {
		return nil
	}
	fmt.Println("wrote", file)
	return os.WriteFile(file, []byte(text), 0o644)
}

// rewrite gives the text with every generated part made anew.
func rewrite(text string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, beginMark)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		what, rest, closed := strings.Cut(rest, closeMark+"\n")
		_, after, ended := strings.Cut(rest, endMark)
		if !closed || !ended || strings.Contains(what, "\n") {
			return "", fmt.Errorf("the mark %q is not closed", beginMark+what)
		}
		part, err := render(what)
		if err != nil {
			return "", err
		}
		out.WriteString(beginMark + what + closeMark + "\n" + strings.TrimSpace(part) + "\n" + endMark)
		text = after
	}
}
