package main

import (
	"os"
	"strings"
	"testing"
)

// What comes from standard input is imported as a file is, a table or the archive of a business. It runs by itself, because there
// is one standard input.
func TestImportsFromStandardInput(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		business, _ := filled(t, db)
		im := importer{db, business, t.TempDir()}
		from := func(path string, args ...string) (int, string, string) {
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			defer func(before *os.File) { os.Stdin = before }(os.Stdin)
			os.Stdin = file
			return kith(t, im.args(standard, args...)...)
		}
		if code, out, errs := from(im.file(t, "one.csv", "Full Name,E-mail 1 - Value\nIda Ny,ida@example.com\n"), "--resource",
			"contact"); code != 0 || !strings.Contains(out, "1 row: 1 made") {
			t.Errorf("a table: %d %s %s", code, out, errs)
		}
		if code, _, errs := from(im.file(t, "no.zip", "no archive")); code != 1 || errs == "" {
			t.Errorf("what is no archive: %d %s", code, errs)
		}
	})
}
