package httpapi_test

import (
	"testing"

	"github.com/kith-crm/kith/internal/testworld"
)

// Whatever writes much in one transaction waits for a place of its business, and nothing else does.
func TestWhatWritesMuchWaitsForItsPlace(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		made := w.send(t, step{do: "POST /imports", body: `{"resource":"contact"}`})
		give, err := w.api.TakeBatches(t.Context(), w.tenant.ID())
		if err != nil {
			t.Fatal(err)
		}
		answered := make(chan string)
		waiting := map[string]string{
			"/contacts/batch": `{"operations":[]}`,
			"/undo":           `{"request_id":"req_none"}`,
			"/imports/" + at(made.json, "id").(string) + "/undo": `{}`,
			"/contacts/bulk?dry_run=true":                        `{"op":"delete","filters":[]}`,
		}
		for path, body := range waiting {
			req := testworld.Request(t, "POST", w.url+"/v1"+path, w.token(t, ""), body)
			go func() {
				res, err := w.client.Do(req)
				if err != nil {
					t.Error(err)
				} else {
					res.Body.Close()
				}
				answered <- path
			}()
		}
		for range 50 { // by then they would have been answered
			w.check(t, step{rule: "others do not wait", do: "POST /contacts", body: `{"name":"Anna"}`, status: 201})
			select {
			case path := <-answered:
				t.Fatalf("%s waits for no place", path)
			default:
			}
		}
		give()
		for range waiting {
			<-answered
		}
	})
}
