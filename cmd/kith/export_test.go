package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The operator takes records out by a command: those of one resource in the form that the file's name says, or the whole business.
func TestExportsByCommand(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db string) {
		business, _ := filled(t, db)
		dir := t.TempDir()
		of := func(args ...string) []string {
			return append([]string{"export"}, append(args, "--db", db, "--business", business)...)
		}
		table := filepath.Join(dir, "contacts.csv")
		must(t, of(table, "--resource", "contact")...)
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, _ := strings.Cut(string(text), "\r\n")
		if !strings.Contains(head, ",custom_fields.badge,") || !strings.Contains(rest, "B-1") {
			t.Errorf("the table is %.500s", text)
		}
		if out := must(t, of("-", "--resource", "contact", "--format", "jsonl", "--search",
			`{"search_text":"angstrom","fields":["custom_fields.badge"]}`)...); out != `{"custom_fields":{"badge":"B-1"}}`+"\n" {
			t.Errorf("one line is %s", out)
		}
		if code, _, errs := kith(t, of(table, "--resource", "contact")...); code != 1 || !strings.Contains(errs, "is there already") {
			t.Errorf("over a file that is there: %d %s", code, errs)
		}
		all := filepath.Join(dir, "all.zip")
		must(t, of(all)...)
		z, err := zip.OpenReader(all)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		sizes := map[string]uint64{}
		for _, f := range z.File {
			sizes[f.Name] = f.UncompressedSize64
		}
		for _, name := range []string{"business.json", "schema.json", "contacts.jsonl", "users.jsonl", "fields.jsonl"} {
			if sizes[name] == 0 {
				t.Errorf("of the archive %s has nothing: %v", name, sizes)
			}
		}
		for _, args := range [][]string{
			{"x.csv", "--resource", "contacts"},
			{"x.csv", "--format", "csv"},
			{"x.csv", "--resource", "contact", "--format", "pdf"},
			{"x.csv", "--resource", "contact", "--search", "[]"},
			{"-", "--json"},
		} {
			if code, _, _ := kith(t, of(args...)...); code != 2 {
				t.Errorf("kith export %v ends with %d", args, code)
			}
		}
		if code, _, errs := kith(t, of(filepath.Join(dir, "no.csv"), "--resource", "contact", "--search",
			`{"fields":["nme"]}`)...); code != 1 || !strings.Contains(errs, "fields[0]") {
			t.Errorf("a wrong search: %d %s", code, errs)
		}
	})
}
