package httpapi_test

import (
	"testing"

	"github.com/kith-crm/kith/internal/testworld"

	. "github.com/kith-crm/kith/internal/apitest"
)

// Whatever writes much in one transaction waits for a place of its business, and nothing else does.
func TestWhatWritesMuchWaitsForItsPlace(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		made := w.Send(t, Step{Do: "POST /imports", Body: `{"resource":"contact"}`})
		give, err := w.API.TakeBatches(t.Context(), w.Tenant.ID())
		if err != nil {
			t.Fatal(err)
		}
		answered := make(chan string)
		waiting := map[string]string{
			"/contacts/batch": `{"operations":[]}`,
			"/undo":           `{"request_id":"req_none"}`,
			"/imports/" + At(made.JSON, "id").(string) + "/undo": `{}`,
			"/contacts/bulk?dry_run=true":                        `{"op":"delete","filters":[]}`,
		}
		for path, body := range waiting {
			req := testworld.Request(t, "POST", w.URL+"/v1"+path, w.Token(t, ""), body)
			go func() {
				res, err := w.Client.Do(req)
				if err != nil {
					t.Error(err)
				} else {
					res.Body.Close()
				}
				answered <- path
			}()
		}
		for range 50 { // by then they would have been answered
			w.Check(t, Step{Rule: "others do not wait", Do: "POST /contacts", Body: `{"name":"Anna"}`, Status: 201})
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
