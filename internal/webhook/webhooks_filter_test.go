package webhook_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

// A filter goes by the record as it was after the change that an event tells of, however often it changed before that is sent: what
// a search with the same filter found then is what is told.
func TestFiltersOfWebhooksSeeTheRecordOfTheEvent(t *testing.T) {
	t.Parallel()
	OnEach(t, func(t *testing.T, w *World) {
		deliver(w, t)
		w.Run(t, []Step{
			{Rule: "a field", Do: "POST /fields", Body: `{"resource":"contact","name":"tier","label":"Tier","kind":"select",` +
				`"options":[{"value":"gold"},{"value":"tin"}]}`, Status: 201},
			{Rule: "a company", Do: "POST /companies", Body: `{"name":"Harbour"}`, Status: 201, Save: "company"},
		})
		filters := []string{
			`[{"field":"name","operator":"eq","value":"ANNA"},{"field":"job_title","operator":"is_set"}]`,
			`[{"field":"name","operator":"starts_with","value":"b"}]`,
			`[{"field":"phone","operator":"contains","value":"49 30"},{"field":"tags","operator":"nin","values":["B"]}]`,
			`[{"field":"tags","operator":"in","values":["Ä","c"]}]`,
			`[{"field":"lead_score","operator":"between","values":[1.5,10]}]`,
			`[{"field":"lead_score","operator":"lt","value":2},{"field":"name","operator":"neq","value":"Bo"}]`,
			`[{"field":"company_id","operator":"eq","value":"$company"},{"field":"do_not_contact","operator":"eq","value":true}]`,
			`[{"field":"custom_fields.tier","operator":"eq","value":"gold"}]`,
			`[{"field":"address.city","operator":"is_not_set"},{"field":"version","operator":"lte","value":4}]`,
			`[{"field":"company.name","operator":"eq","value":"harbour"},{"field":"lead_score","operator":"gte","value":1}]`,
		}
		var receivers []*receiver
		var hooks []string
		for i, f := range filters {
			filters[i] = strings.ReplaceAll(f, "$company", w.Vars["company"])
			r := newReceiver(t)
			id, _ := hook(w, t, "admin", r, `,"events":["contact.*"],"status":"disabled","filters":{"contact":`+filters[i]+`}`)
			receivers, hooks = append(receivers, r), append(hooks, id)
		}
		random := rand.New(rand.NewPCG(2, 14))
		draw := map[string][]string{
			"name": {`"Anna"`, `"anná"`, `"Bo"`, `"Cy"`}, "job_title": {`null`, `"Cook"`},
			"phone": {`"+49 30 1"`, `"(4930) 22"`, `"040"`}, "tags": {`[]`, `["a"]`, `["ä","b"]`, `["C"]`},
			"lead_score":     {`null`, `1`, `1.5`, `10`, `11`},
			"do_not_contact": {`true`, `false`}, "custom_fields": {`{"tier":"gold"}`, `{"tier":null}`, `{"tier":"tin"}`},
			"address": {`{"city":"Oslo"}`, `{"city":null}`},
		}
		names := slices.Sorted(maps.Keys(draw))
		company := fmt.Sprintf(`,"company_id":%q`, w.Vars["company"]) // what a reference leads to counts as it is, so it stays
		var people []string
		want := make([]map[string]bool, len(filters))
		for i := range want {
			want[i] = map[string]bool{}
		}
		for n := range 28 {
			var given []string
			for _, name := range names {
				if n < 3 || random.IntN(3) == 0 {
					given = append(given, fmt.Sprintf("%q:%s", name, draw[name][random.IntN(len(draw[name]))]))
				}
			}
			s := Step{Do: "POST /contacts", Body: "{" + strings.Join(given, ",") + company + "}"}
			where := "search"
			if n >= 3 {
				s = Step{Do: "PATCH /contacts/" + people[random.IntN(len(people))], Body: "{" + strings.Join(given, ",") + "}"}
			}
			if n == 27 {
				s, where = Step{Do: "DELETE /contacts/" + people[0]}, "deleted/search"
			}
			a := w.Send(t, s)
			if a.Status >= 300 {
				t.Fatalf("%s: %d %s", s.Body, a.Status, a.Text)
			}
			id := people0(people, At(a.JSON, "id"))
			if n < 3 {
				people = append(people, id)
			}
			for i, f := range filters {
				found := w.Send(t, Step{
					Do:   "POST /contacts/" + where,
					Body: `{"fields":["version"],"filters":[{"field":"id","operator":"eq","value":"` + id + `"},` + f[1:] + `}`,
				})
				if found.Status != http.StatusOK {
					t.Fatalf("%d %s", found.Status, found.Text)
				}
				if len(At(found.JSON, "data").([]any)) == 1 {
					want[i][fmt.Sprint(id, " ", At(found.JSON, "data.0.version"))] = true
				}
			}
		}
		for i, id := range hooks {
			w.Check(t, Step{Do: "PATCH /webhooks/" + id, Body: `{"status":"active"}`, Status: 200})
			got := map[string]bool{}
			for range want[i] {
				e := receivers[i].next(t)
				var entry struct {
					Data struct {
						Version json.Number `json:"version"`
					} `json:"data"`
				}
				if err := json.Unmarshal(e.body, &entry); err != nil {
					t.Fatal(err)
				}
				change := fmt.Sprint(e.Data.RecordID, " ", entry.Data.Version)
				if got[change] = true; !want[i][change] {
					t.Errorf("%s is told of %s", filters[i], e.body)
				}
			}
			if len(want[i]) == 0 || len(want[i]) == 28 {
				t.Errorf("%s found %d of 28 changes, which tells nothing", filters[i], len(want[i]))
			}
			w.Check(t, Step{Do: "POST /webhooks/" + id + "/test", Status: 200})
			if e := receivers[i].next(t); e.Type != "webhook.test" || len(got) != len(want[i]) {
				t.Errorf("%s is told of %v, and %s; want %v", filters[i], got, e.body, want[i])
			}
		}
	})
}

// people0 is the id that was answered, or that of the first where nothing was.
func people0(people []string, answered any) string {
	if id, ok := answered.(string); ok {
		return id
	}
	return people[0]
}
