package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

// What becomes of rows follows from the policy alone, whatever they are matched by and whatever the file is: create makes or refuses,
// update changes or refuses, and upsert does either. Rows that match what a row before them made are no others.
func TestPoliciesOfImports(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		n := 0
		for _, match := range []string{"email", "external_id", "id"} {
			for _, policy := range []string{"create", "update", "upsert", ""} {
				for _, format := range []string{"csv", "jsonl"} {
					n++
					mail := func(who string) string { return fmt.Sprintf("%s-%d@example.com", who, n) }
					there := w.Send(t, Step{
						Do:   "POST /contacts",
						Body: fmt.Sprintf(`{"name":"Before","email":"%s","external_id":"there-%d"}`, mail("there"), n),
					})
					id := fmt.Sprint(At(there.JSON, "id"))
					// A row that matches, one that matches nothing, one that matches that, and one with nothing to match by.
					rows := [][4]string{
						{id, "After", mail("there"), fmt.Sprintf("there-%d", n)},
						{"", "New", mail("new"), fmt.Sprintf("new-%d", n)},
						{"", "Newer", mail("new"), fmt.Sprintf("new-%d", n)},
						{"", "Bare", "", ""},
					}
					var file strings.Builder
					if format == "csv" {
						file.WriteString("id,name,email,external_id\n")
					}
					for _, row := range rows {
						if match != "id" {
							row[0] = ""
						} else if row[0] == "" {
							row[3] = "" // which only one contact may have
						}
						if format == "csv" {
							file.WriteString(strings.Join(row[:], ",") + "\n")
							continue
						}
						var members []string
						for i, name := range []string{"id", "name", "email", "external_id"} {
							if row[i] != "" {
								members = append(members, fmt.Sprintf("%q:%q", name, row[i]))
							}
						}
						file.WriteString("{" + strings.Join(members, ",") + "}\n")
					}
					decided := fmt.Sprintf(`{"resource":"contact","match":%q,"policy":%q,"mapping":{"*":"-"}}`, match, policy)
					if policy == "" {
						decided = fmt.Sprintf(`{"resource":"contact","match":%q,"mapping":{"*":"-"}}`, match)
					}
					want := map[string]string{
						"create": "succeeded 2 0 0 2", "update": "succeeded 0 1 0 3",
						"upsert": "succeeded 2 2 0 0", "": "succeeded 2 2 0 0",
					}[policy]
					if match == "id" { // which the rows behind the first do not name
						want = map[string]string{
							"create": "succeeded 3 0 0 1", "update": "succeeded 0 1 0 3",
							"upsert": "succeeded 3 1 0 0", "": "succeeded 3 1 0 0",
						}[policy]
					}
					w.Upload(t, decided, file.String())
					w.Check(t, Step{Rule: decided, Do: "POST /imports/$import/preview", Status: 202})
					counted(w, t, w.Settled(t, "", w.Vars["import"]), "preview", want)
					runs(w, t, want)
					now := w.Send(t, Step{Do: "GET /contacts/" + id})
					changed := fmt.Sprint(At(now.JSON, "name")) != "Before" || fmt.Sprint(At(now.JSON, "version")) != "1"
					if changed != (policy != "create") {
						t.Errorf("%s of %s by %s: %s", policy, format, match, now.Text)
					}
				}
			}
		}
	})
}
