// Command docs is for developers: it writes from the declarations docs/reference.md and the generated files of the clients for Go and
// TypeScript, so that none of them can say anything else than the program does. These files are generated whole; what is written by hand
// about the API is in docs/api.md, which this command leaves alone.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func run() error {
	files, err := clientFiles()
	if err != nil {
		return err
	}
	maps.Copy(files, typescriptFiles())
	files[referenceFile] = reference()
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
