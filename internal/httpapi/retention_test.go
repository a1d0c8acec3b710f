package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/work"
)

// emptyBins empties the bins as of so many days from now, and tells how many records went.
func (w *world) emptyBins(t *testing.T, days int) (n int) {
	t.Helper()
	for {
		purged, err := work.EmptyBins(context.Background(), w.engine, time.Now().AddDate(0, 0, days))
		if err != nil {
			t.Fatal(err)
		}
		if len(purged) == 0 {
			return n
		}
		for _, p := range purged {
			if n += p.Records; p.Business != w.tenant.ID() {
				t.Errorf("the bin of another business was emptied: %v", p)
			}
		}
	}
}

func TestRetention(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna","external_id":"anna","email":"anna@home.example"}`, "anna")
		w.create(t, "contacts", `{"name":"Ben","external_id":"ben"}`, "ben")
		w.create(t, "notes", `{"body":"About Anna","contact_id":"$anna"}`, "note")
		w.create(t, "associations", `{"from_id":"$note","to_id":"$anna"}`, "link")
		w.create(t, "deals", `{"name":"Cranes"}`, "deal")
		w.create(t, "roles", `{"name":"Spare"}`, "role")
		w.create(t, "fields", `{"resource":"contact","name":"spare","label":"Spare","kind":"text"}`, "field")
		for _, gone := range []string{"contacts/$anna", "deals/$deal", "roles/$role", "fields/$field"} {
			w.ask(t, step{do: "DELETE /" + gone})
		}
		w.ask(t, step{as: "stranger", do: "POST /contacts", body: `{"name":"Elsewhere"}`})
		w.run(t, []step{
			{rule: "nobody's bin is emptied at first", do: "GET /business", status: 200, want: `{"bin_days":null}`},
			{rule: "it takes a permission to change that", as: "manager", do: "PATCH /business", body: `{"bin_days":30}`, status: 403},
			{rule: "at least a day", do: "PATCH /business", body: `{"bin_days":0}`, status: 422, wrong: "bin_days:out_of_range"},
			{rule: "at most ten years", do: "PATCH /business", body: `{"bin_days":3651}`, status: 422, wrong: "bin_days:out_of_range"},
			{rule: "a number", do: "PATCH /business", body: `{"bin_days":"30"}`, status: 422, wrong: "bin_days:wrong_type"},
		})
		if n := w.emptyBins(t, 4000); n != 0 {
			t.Errorf("%d records went unasked", n)
		}
		w.run(t, []step{{rule: "thirty days", do: "PATCH /business", body: `{"bin_days":30}`, status: 200, want: `{"bin_days":30}`}})
		if n := w.emptyBins(t, 29); n != 0 {
			t.Errorf("%d records went too early", n)
		}
		w.run(t, []step{{rule: "until then it can be restored", do: "POST /deals/$deal/restore", status: 200}})
		if n := w.emptyBins(t, 31); n != 2 { // Anna, and the association that went with her
			t.Errorf("%d records went", n)
		}
		w.run(t, []step{
			{rule: "then it cannot", do: "POST /contacts/$anna/restore", status: 404},
			{
				rule: "the bin is empty", do: "POST /contacts/deleted/search", body: `{"total":true}`, status: 200,
				want: `{"data":[],"meta":{"total":0}}`,
			},
			{
				rule: "what was not deleted stays", do: "POST /contacts/search", body: `{"total":true}`, status: 200, found: found("ben"),
				want: `{"meta":{"total":1}}`,
			},
			{rule: "also what is about it, and says so", do: "GET /notes/$note", status: 200, want: `{"contact_id":"$anna","version":1}`},
			{rule: "settings can be restored for ever", do: "POST /roles/$role/restore", status: 200},
			{rule: "added fields, too", do: "POST /fields/$field/restore", status: 200},
			{
				rule: "the log tells that it went, by nobody, and nothing of what it was", do: "POST /changes/search",
				body: `{"resources":["contact","association"],"limit":100}`, status: 200, want: `{"data":[
				{"record_id":"$anna","action":"create","changes":{}},{"record_id":"$ben","action":"create"},
				{"record_id":"$link","action":"create","changes":{}},{"record_id":"$anna","action":"delete","changes":{}},
				{"record_id":"$link","action":"delete","changes":{}},
				{"record_id":"$anna","action":"purge","version":3,"actor":{"user_id":null},"changes":{}},
				{"record_id":"$link","action":"purge","actor":{"user_id":null},"changes":{}}]}`,
			},
			{
				rule: "it can be switched off again", do: "PATCH /business", body: `{"bin_days":null}`, status: 200,
				want: `{"bin_days":null}`,
			},
		})
	})
}

// Many records go in many steps, however many servers do so at once, each once; and one with a long past is emptied of it later.
func TestRetentionOfMany(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		const many = 230
		var ids []string
		for begin := 0; begin < many; begin += 100 {
			var operations []string
			for i := begin; i < min(begin+100, many); i++ {
				operations = append(operations, fmt.Sprintf(`{"op":"create","data":{"name":"Person %d"}}`, i))
			}
			a := w.ask(t, step{do: "POST /contacts/batch", body: `{"operations":[` + strings.Join(operations, ",") + `]}`})
			for i := range operations {
				ids = append(ids, fmt.Sprint(at(a.json, fmt.Sprintf("data.%d.record.id", i))))
			}
		}
		for range 3 {
			var operations []string
			for i := range 90 {
				operations = append(operations, fmt.Sprintf(`{"op":"update","id":%q,"data":{"job_title":"Person of title %d"}}`, ids[0], i))
			}
			w.ask(t, step{do: "POST /contacts/batch", body: `{"operations":[` + strings.Join(operations, ",") + `]}`})
		}
		for begin := 0; begin < many; begin += 100 {
			var operations []string
			for _, id := range ids[begin:min(begin+100, many)] {
				operations = append(operations, fmt.Sprintf(`{"op":"delete","id":%q}`, id))
			}
			w.ask(t, step{do: "POST /contacts/batch", body: `{"operations":[` + strings.Join(operations, ",") + `]}`})
		}
		w.ask(t, step{do: "PATCH /business", body: `{"bin_days":1}`})
		var purged atomic.Int64
		var servers sync.WaitGroup
		for _, server := range w.servers(t) {
			servers.Go(func() { purged.Add(int64(server.emptyBins(t, 2))) })
		}
		servers.Wait()
		w.workOff(t)
		if purged.Load() != many {
			t.Errorf("%d of %d records went", purged.Load(), many)
		}
		entries := map[string]int{}
		err := w.tenant.Changes(context.Background(), 0, func(c store.Change) error {
			if c.Resource == "contact" {
				if entries[c.Action]++; c.Changes != "{}" || c.Action == record.Purge && c.Actor.User != (schema.UUID{}) {
					t.Errorf("%+v", c)
				}
			}
			return nil
		})
		if err != nil || entries[record.Purge] != many || entries[record.Update] != 270 {
			t.Errorf("the log has %v: %v", entries, err)
		}
	})
}
