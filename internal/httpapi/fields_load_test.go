package httpapi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// While definitions change, on two servers of one database, nobody sees or writes half of one: every answer has a record with the
// field under one name and the value that was sent, or says that there is no field of the name that was used.
func TestDefinitionsChangeUnderLoad(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		t.Parallel()
		servers := w.servers(t)
		field := w.create(t, "fields", `{"resource":"contact","name":"code_0","kind":"text","searchable":true}`, "")
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
					a := server.send(t, step{do: "POST /contacts", body: fmt.Sprintf(`{"name":"x","custom_fields":{%q:%q}}`, name, value)})
					switch a.status {
					case 201:
						fields, _ := at(a.json, "custom_fields").(map[string]any)
						if len(fields) != 1 || fields[name] != value {
							t.Errorf("a record that was made with %s is answered with %v", name, fields)
						}
						written[n][fmt.Sprint(at(a.json, "id"))] = value
					case 422:
						if wrongFields(a) != "custom_fields."+name+":unknown_field" {
							t.Errorf("a write is refused with %s", a.text)
						}
						name = fmt.Sprint(at(server.send(t, step{do: "GET /fields/" + field}).json, "name"))
					default:
						t.Errorf("a write is answered %d: %s", a.status, a.text)
						return
					}
					found := server.send(t, step{do: "POST /contacts/search", body: `{"limit":5,"fields":["custom_fields"]}`})
					for _, rec := range at(found.json, "data").([]any) {
						for given := range at(rec, "custom_fields").(map[string]any) {
							if !strings.HasPrefix(given, "code_") {
								t.Errorf("a record is found with %s", given)
							}
						}
					}
				}
			})
		}
		for i := 1; i <= renamings; i++ {
			w.check(t, step{do: "PATCH /fields/" + field, body: fmt.Sprintf(`{"name":"code_%d"}`, i), status: 200})
			for range 3 { // which lets others write between two changes
				w.check(t, step{
					do: "POST /contacts", body: fmt.Sprintf(`{"name":"x","custom_fields":{"code_%d":"y"}}`, i), status: 201,
					chance: true,
				})
			}
		}
		close(ended)
		under.Wait()
		all := 0
		for n := range writers {
			for id, value := range written[n] {
				all++
				a := w.send(t, step{do: "GET /contacts/" + id})
				if got := at(a.json, fmt.Sprintf("custom_fields.code_%d", renamings)); got != value {
					t.Errorf("%s was written with %s and has %v", id, value, got)
				}
			}
		}
		if all == 0 {
			t.Error("nothing was written")
		}
	})
}
