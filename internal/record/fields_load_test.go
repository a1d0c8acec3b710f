package record_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

// While definitions change, on two servers of one database, nobody sees or writes half of one: every answer has a record with the
// field under one name and the value that was sent, or says that there is no field of the name that was used.
func TestDefinitionsChangeUnderLoad(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		servers := w.Servers(t)
		field := w.Create(t, "fields", `{"resource":"contact","name":"code_0","kind":"text","searchable":true}`, "")
		const renamings, writers = 12, 4
		var under sync.WaitGroup
		ended := make(chan struct{})
		written := make([]map[string]string, writers)
		for n := range writers {
			written[n] = map[string]string{}
			server := servers[n%len(servers)]
			under.Go(func() {
				name := "code_0"
				for i := 0; ; i++ {
					select {
					case <-ended:
						return
					default:
					}
					value := fmt.Sprintf("v%dx%d", n, i)
					a := server.Send(t, Step{Do: "POST /contacts", Body: fmt.Sprintf(`{"name":"x","custom_fields":{%q:%q}}`, name, value)})
					switch a.Status {
					case 201:
						fields, _ := At(a.JSON, "custom_fields").(map[string]any)
						if len(fields) != 1 || fields[name] != value {
							t.Errorf("a record that was made with %s is answered with %v", name, fields)
						}
						written[n][fmt.Sprint(At(a.JSON, "id"))] = value
					case 422:
						if WrongFields(a) != "custom_fields."+name+":unknown_field" {
							t.Errorf("a write is refused with %s", a.Text)
						}
						name = fmt.Sprint(At(server.Send(t, Step{Do: "GET /fields/" + field}).JSON, "name"))
					default:
						t.Errorf("a write is answered %d: %s", a.Status, a.Text)
						return
					}
					found := server.Send(t, Step{Do: "POST /contacts/search", Body: `{"limit":5,"fields":["custom_fields"]}`})
					for _, rec := range At(found.JSON, "data").([]any) {
						for given := range At(rec, "custom_fields").(map[string]any) {
							if !strings.HasPrefix(given, "code_") {
								t.Errorf("a record is found with %s", given)
							}
						}
					}
				}
			})
		}
		for i := 1; i <= renamings; i++ {
			w.Check(t, Step{Do: "PATCH /fields/" + field, Body: fmt.Sprintf(`{"name":"code_%d"}`, i), Status: 200})
			for range 3 { // which lets others write between two changes
				w.Check(t, Step{
					Do: "POST /contacts", Body: fmt.Sprintf(`{"name":"x","custom_fields":{"code_%d":"y"}}`, i), Status: 201,
					Chance: true,
				})
			}
		}
		close(ended)
		under.Wait()
		all := 0
		for n := range writers {
			for id, value := range written[n] {
				all++
				a := w.Send(t, Step{Do: "GET /contacts/" + id})
				if got := At(a.JSON, fmt.Sprintf("custom_fields.code_%d", renamings)); got != value {
					t.Errorf("%s was written with %s and has %v", id, value, got)
				}
			}
		}
		if all == 0 {
			t.Error("nothing was written")
		}
	})
}
