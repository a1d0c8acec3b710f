package work_test

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

	. "github.com/kith-crm/kith/internal/apitest"
)

// emptyBins empties the bins as of so many days from now, and tells how many records went.
func emptyBins(w *World, t *testing.T, days int) (n int) {
	t.Helper()
	for {
		purged, err := work.EmptyBins(context.Background(), w.Engine, time.Now().AddDate(0, 0, days))
		if err != nil {
			t.Fatal(err)
		}
		if len(purged) == 0 {
			return n
		}
		for _, p := range purged {
			if n += p.Records; p.Business != w.Tenant.ID() {
				t.Errorf("the bin of another business was emptied: %v", p)
			}
		}
	}
}

func TestRetention(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna","external_id":"anna","email":"anna@home.example"}`, "anna")
		w.Create(t, "contacts", `{"name":"Ben","external_id":"ben"}`, "ben")
		w.Create(t, "notes", `{"body":"About Anna","contact_id":"$anna"}`, "note")
		w.Create(t, "associations", `{"from_id":"$note","to_id":"$anna"}`, "link")
		w.Create(t, "deals", `{"name":"Cranes"}`, "deal")
		w.Create(t, "roles", `{"name":"Spare"}`, "role")
		w.Create(t, "fields", `{"resource":"contact","name":"spare","label":"Spare","kind":"text"}`, "field")
		for _, gone := range []string{"contacts/$anna", "deals/$deal", "roles/$role", "fields/$field"} {
			w.Ask(t, Step{Do: "DELETE /" + gone})
		}
		w.Ask(t, Step{As: "stranger", Do: "POST /contacts", Body: `{"name":"Elsewhere"}`})
		w.Run(t, []Step{
			{Rule: "nobody's bin is emptied at first", Do: "GET /business", Status: 200, Want: `{"bin_days":null}`},
			{Rule: "it takes a permission to change that", As: "manager", Do: "PATCH /business", Body: `{"bin_days":30}`, Status: 403},
			{Rule: "at least a day", Do: "PATCH /business", Body: `{"bin_days":0}`, Status: 422, Wrong: "bin_days:out_of_range"},
			{Rule: "at most ten years", Do: "PATCH /business", Body: `{"bin_days":3651}`, Status: 422, Wrong: "bin_days:out_of_range"},
			{Rule: "a number", Do: "PATCH /business", Body: `{"bin_days":"30"}`, Status: 422, Wrong: "bin_days:wrong_type"},
		})
		if n := emptyBins(w, t, 4000); n != 0 {
			t.Errorf("%d records went unasked", n)
		}
		w.Run(t, []Step{{Rule: "thirty days", Do: "PATCH /business", Body: `{"bin_days":30}`, Status: 200, Want: `{"bin_days":30}`}})
		if n := emptyBins(w, t, 29); n != 0 {
			t.Errorf("%d records went too early", n)
		}
		w.Run(t, []Step{{Rule: "until then it can be restored", Do: "POST /deals/$deal/restore", Status: 200}})
		if n := emptyBins(w, t, 31); n != 2 { // Anna, and the association that went with her
			t.Errorf("%d records went", n)
		}
		w.Run(t, []Step{
			{Rule: "then it cannot", Do: "POST /contacts/$anna/restore", Status: 404},
			{
				Rule: "the bin is empty", Do: "POST /contacts/deleted/search", Body: `{"total":true}`, Status: 200,
				Want: `{"data":[],"meta":{"total":0}}`,
			},
			{
				Rule: "what was not deleted stays", Do: "POST /contacts/search", Body: `{"total":true}`, Status: 200, Found: Found("ben"),
				Want: `{"meta":{"total":1}}`,
			},
			{Rule: "also what is about it, and says so", Do: "GET /notes/$note", Status: 200, Want: `{"contact_id":"$anna","version":1}`},
			{Rule: "settings can be restored for ever", Do: "POST /roles/$role/restore", Status: 200},
			{Rule: "added fields, too", Do: "POST /fields/$field/restore", Status: 200},
			{
				Rule: "the log tells that it went, by nobody, and nothing of what it was", Do: "POST /changes/search",
				Body: `{"resources":["contact","association"],"limit":100}`, Status: 200, Want: `{"data":[
				{"record_id":"$anna","action":"create","changes":{}},{"record_id":"$ben","action":"create"},
				{"record_id":"$link","action":"create","changes":{}},{"record_id":"$anna","action":"delete","changes":{}},
				{"record_id":"$link","action":"delete","changes":{}},
				{"record_id":"$anna","action":"purge","version":3,"actor":{"user_id":null},"changes":{}},
				{"record_id":"$link","action":"purge","actor":{"user_id":null},"changes":{}}]}`,
			},
			{
				Rule: "it can be switched off again", Do: "PATCH /business", Body: `{"bin_days":null}`, Status: 200,
				Want: `{"bin_days":null}`,
			},
		})
	})
}

// Many records go in many steps, however many servers do so at once, each once; and one with a long past is emptied of it later.
func TestRetentionOfMany(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		const many = 230
		var ids []string
		for begin := 0; begin < many; begin += 100 {
			var operations []string
			for i := begin; i < min(begin+100, many); i++ {
				operations = append(operations, fmt.Sprintf(`{"op":"create","data":{"name":"Person %d"}}`, i))
			}
			a := w.Ask(t, Step{Do: "POST /contacts/batch", Body: `{"operations":[` + strings.Join(operations, ",") + `]}`})
			for i := range operations {
				ids = append(ids, fmt.Sprint(At(a.JSON, fmt.Sprintf("data.%d.record.id", i))))
			}
		}
		for range 3 {
			var operations []string
			for i := range 90 {
				operations = append(operations, fmt.Sprintf(`{"op":"update","id":%q,"data":{"job_title":"Person of title %d"}}`, ids[0], i))
			}
			w.Ask(t, Step{Do: "POST /contacts/batch", Body: `{"operations":[` + strings.Join(operations, ",") + `]}`})
		}
		for begin := 0; begin < many; begin += 100 {
			var operations []string
			for _, id := range ids[begin:min(begin+100, many)] {
				operations = append(operations, fmt.Sprintf(`{"op":"delete","id":%q}`, id))
			}
			w.Ask(t, Step{Do: "POST /contacts/batch", Body: `{"operations":[` + strings.Join(operations, ",") + `]}`})
		}
		w.Ask(t, Step{Do: "PATCH /business", Body: `{"bin_days":1}`})
		var purged atomic.Int64
		var servers sync.WaitGroup
		for _, server := range w.Servers(t) {
			servers.Go(func() { purged.Add(int64(emptyBins(server, t, 2))) })
		}
		servers.Wait()
		w.WorkOff(t)
		if purged.Load() != many {
			t.Errorf("%d of %d records went", purged.Load(), many)
		}
		entries := map[string]int{}
		err := w.Tenant.Changes(context.Background(), 0, func(c store.Change) error {
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
