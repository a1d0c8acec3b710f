package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The whole of a business comes into another one by a command, which goes on where it was killed and does nothing twice.
func TestAnArchiveIsImportedByCommand(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db string) {
		from, token := filled(t, db)
		r := start(t, "--db", db)
		var batch strings.Builder
		const more = 100
		for part := range 5 {
			batch.Reset()
			for i := range more {
				fmt.Fprintf(&batch, `,{"op":"create","data":{"name":"Row %d"}}`, part*more+i)
			}
			if status, answer := r.post(t, token, "/contacts/batch", `{"operations":[`+batch.String()[1:]+`]}`); status != 200 {
				t.Fatalf("the batch is answered %d %s", status, answer)
			}
		}
		path := filepath.Join(t.TempDir(), "business.zip")
		must(t, "export", path, "--db", db, "--business", from)
		to := object(t, "business_id user_id token", "business", "create", "--db", db, "--name", "New", "--admin-email", "bo@new.example",
			"--admin-password", "correct horse")
		args := []string{"import", path, "--db", db, "--business", to["business_id"], "--user", "bo@new.example"}
		total := func(business string) string {
			_, answer := r.post(t, business, "/contacts/search", `{"limit":1,"fields":["id"]}`)
			_, n, _ := strings.Cut(answer, `"total":`)
			return strings.TrimRight(n, "}")
		}
		must(t, append(args, "--preview")...)
		if n := total(to["token"]); n != "0" {
			t.Fatalf("a preview has made %s contacts", n)
		}
		program, said := process(t, args...)
		killOnce(t, program, said, func() bool { return total(to["token"]) != "0" })
		must(t, args...)
		if was, is := total(token), total(to["token"]); was != is {
			t.Errorf("there were %s contacts, and are %s", was, is)
		}
		r.stop()
		r.ended(t)
		moved := importer{db, to["business_id"], t.TempDir()}
		_, people := moved.taken(t, "contact", "people.csv")
		if !slices.ContainsFunc(strings.Split(people, "\r\n"), func(line string) bool {
			return strings.Contains(line, "B-2") && strings.Contains(line, "Bo Lindqvist") && strings.Contains(line, "Ada Angström")
		}) {
			t.Errorf("a reference of their own is gone: %.2000s", people)
		}
		if code, _, errs := kith(t, append(args, "--match", "email")...); code != 2 {
			t.Errorf("with what is for other files it ends with %d %s", code, errs)
		}
		if code, _, errs := kith(t, "import", path, "--db", db, "--business", from, "--user", "anna@acme.example"); code != 1 ||
			!strings.Contains(errs, "itself") {
			t.Errorf("into itself it ends with %d %s", code, errs)
		}
		if code, faults := checked(t, db); code != 0 {
			t.Errorf("a check finds %v", faults)
		}
	})
}
