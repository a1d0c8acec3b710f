package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// batch writes many records, some at a time, and gives their ids.
func (v *victim) batch(t *testing.T, token, path string, n, each int, item func(i int) string) (ids []string) {
	t.Helper()
	for first := 0; first < n; first += each {
		text := `{"operations":[` + items(min(each, n-first),
			func(i int) string { return `{"op":"create","data":` + item(first+i) + `}` }) + `]}`
		var done struct {
			Data []struct {
				Status int
				Record struct{ ID string }
				Error  any
			}
		}
		answer := v.read(t, token, path+"/batch", text)
		// the machine is crowded
		for try := 1; strings.Contains(string(answer[:min(len(answer), 100)]), `"status":503`) && try < 10; try++ {
			answer = v.read(t, token, path+"/batch", text)
		}
		if err := json.Unmarshal(answer, &done); err != nil || done.Data == nil {
			t.Fatalf("%s: %v: %s", path, err, answer[:min(len(answer), 500)])
		}
		for _, one := range done.Data {
			if one.Status != http.StatusCreated {
				t.Fatalf("%s: status %d: %v", path, one.Status, one.Error)
			}
			ids = append(ids, one.Record.ID)
		}
	}
	return ids
}

// The worst that can be asked of what a business makes for itself: fields, associations, and the search for duplicates.
func TestNoShapeCostsTheOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, token := newBusiness(t, db)
		t.Setenv("GOGC", "20")
		v := newVictim(t, db)

		// Names that differ late, in companies with as many people as are compared at all.
		companies := v.batch(t, token, "/companies", 8, 8, func(i int) string { return fmt.Sprintf(`{"name":"Company %d"}`, i) })
		long := strings.Repeat("Bartholomäus ", 9)
		people := v.batch(t, token, "/contacts", 4_000, 100, func(i int) string {
			return fmt.Sprintf(`{"first_name":"%s%04d","last_name":"%s%04d","company_id":"%s"}`, long, i, long, i*7, companies[i%8])
		})
		v.cost(t, token, "duplicates among long names", "POST /contacts/duplicates/search", `{"limit":100}`, 200, 503)
		v.cost(t, token, "duplicates of one of them", "POST /contacts/duplicates/search", `{"id":"`+people[0]+`"}`, 200)
		v.cost(t, token, "duplicates among companies", "POST /companies/duplicates/search", `{"limit":100}`, 200, 503)

		// One record that is associated with as many as can be, and many with a few hundred.
		const most = 1_000
		link := func(i int) string {
			return fmt.Sprintf(`{"from_id":"%s","to_id":"%s","label":"%d"}`, people[i/most], people[1_000+i%most], i)
		}
		v.batch(t, token, "/associations", 4*most, 100, link)
		ids := func(from, n int) string { return items(n, func(i int) string { return `"` + people[from+i] + `"` }) }
		for _, operator := range []string{"in", "nin"} {
			v.cost(t, token, "associated "+operator+" long lists", "POST /contacts/search",
				`{"limit":100,"order_by":"name","filters":[`+items(4, func(i int) string {
					return `{"field":"associations.contact","operator":"` + operator + `","values":[` + ids(i*500, 500) + `]}`
				})+`]}`, 200, 503)
		}
		for _, operator := range []string{"is_set", "is_not_set"} {
			v.cost(t, token, "associated fifty times: "+operator, "POST /contacts/search",
				`{"limit":100,"order_by":"name","total":true,"filters":[`+items(50, func(int) string {
					return `{"field":"associations.contact","operator":"` + operator + `"}`
				})+`]}`, 200, 503)
		}
		v.cost(t, token, "associated with fifty at once", "POST /contacts/search", `{"filters":[`+items(50, func(i int) string {
			return `{"field":"associations.contact","operator":"contains","value":"` + people[i] + `"}`
		})+`]}`, 200, 503)
		v.cost(t, token, "figures of associations", "POST /associations/aggregate",
			`{"group_by":["label","from_id"],"metrics":["count"]}`, 200, 422)
		v.cost(t, token, "the timeline of one with many associations", "POST /contacts/"+people[0]+"/timeline/search", `{"limit":100}`, 200)
		v.cost(t, token, "one more association than can be", "POST /associations",
			`{"from_id":"`+people[0]+`","to_id":"`+people[3_000]+`"}`, 422)
		v.cost(t, token, "to the bin with its associations", "DELETE /contacts/"+people[0], "", 204, 503)
		v.cost(t, token, "and back", "POST /contacts/"+people[0]+"/restore", "", 200, 404, 503)
		v.cost(t, token, "four to the bin at once", "POST /contacts/batch",
			`{"operations":[`+items(4, func(i int) string { return `{"op":"delete","id":"` + people[i] + `"}` })+`]}`, 200, 413, 503)
	})
}

// The worst fields that a business can give its records, as many as it may have.
func TestNoFieldCostsTheOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, token := newBusiness(t, db)
		t.Setenv("GOGC", "20")
		v := newVictim(t, db)

		wide := func(i int) string { return fmt.Sprintf("%03d%s", i, strings.Repeat("w", 47)) }
		choices := func(first, n int) string {
			return items(n, func(i int) string { return fmt.Sprintf(`{"value":"%s","label":"%d"}`, wide(first+i), i) })
		}
		for _, resource := range []string{"company", "deal", "product", "quote", "task", "note", "activity", "contact"} {
			v.cost(t, token, "a hundred fields of "+resource, "POST /fields/batch", `{"operations":[`+items(100, func(i int) string {
				return fmt.Sprintf(`{"op":"create","data":{"resource":"%s","name":"number_%d","kind":"number","help":"%s"}}`, resource, i,
					strings.Repeat("h", 400))
			})+`]}`, 200)
			for i := range 2 {
				v.cost(t, token, "a choice of "+resource, "POST /fields",
					fmt.Sprintf(`{"resource":"%s","name":"choice_%d","kind":"multi_select","options":[%s]}`, resource, i,
						choices(0, 200)), 201)
			}
			v.cost(t, token, "one more", "POST /fields",
				fmt.Sprintf(`{"resource":"%s","name":"choice_2","kind":"multi_select","options":[%s]}`, resource, choices(0, 200)), 422)
			v.cost(t, token, "a long default", "POST /fields",
				fmt.Sprintf(`{"resource":"%s","name":"long","kind":"long_text","default":"%s"}`, resource, strings.Repeat("d", 65_000)),
				422)
		}
		for i := range 60 {
			if status, _, answer, err := v.ask(t.Context(), token, "POST /fields",
				fmt.Sprintf(`{"resource":"contact","name":"friend_%d_id","kind":"reference","target":"contact"}`, i)); err != nil ||
				status != http.StatusCreated {
				t.Fatalf("status %d, %v: %s", status, err, answer)
			}
		}
		v.cost(t, token, "the schema", "GET /schema", "", 200)
		v.cost(t, token, "the OpenAPI document", "GET /openapi.json", "", 200)
		v.cost(t, token, "all fields", "POST /fields/search", `{"limit":100}`, 200)
		v.cost(t, token, "who I am", "GET /me", "", 200)

		people := v.batch(t, token, "/contacts", 3_000, 100, func(i int) string {
			return fmt.Sprintf(`{"first_name":"Ida %d","custom_fields":{%s,%s}}`, i,
				items(20, func(n int) string { return fmt.Sprintf(`"number_%d":%d.25`, n, i*31%1_000) }),
				items(2, func(n int) string { return fmt.Sprintf(`"choice_%d":["%s","%s"]`, n, wide(0), wide(i%100+1)) }))
		})
		v.cost(t, token, "values of all fields", "POST /contacts", fmt.Sprintf(`{"first_name":"Ida","custom_fields":{%s,%s}}`,
			items(100, func(n int) string { return fmt.Sprintf(`"number_%d":%d`, n, n) }),
			items(60, func(n int) string { return fmt.Sprintf(`"friend_%d_id":"%s"`, n, people[n]) })), 201)
		v.cost(t, token, "many friends of each other", "POST /contacts/batch", `{"operations":[`+items(100, func(i int) string {
			return fmt.Sprintf(`{"op":"update","id":"%s","data":{"custom_fields":{%s}}}`, people[i],
				items(60, func(n int) string { return fmt.Sprintf(`"friend_%d_id":"%s"`, n, people[(n+i)%3_000]) }))
		})+`]}`, 200, 503)
		v.cost(t, token, "fifty conditions on fields", "POST /contacts/search",
			`{"limit":100,"order_by":"custom_fields.number_3","filters":[`+items(50, func(i int) string {
				return fmt.Sprintf(`{"field":"custom_fields.number_%d","operator":"gte","value":%d}`, i%20, i)
			})+`]}`, 200, 503)
		v.cost(t, token, "a total of them", "POST /contacts/search",
			`{"limit":100,"total":true,"order_by":"custom_fields.number_1","filters":[`+items(50, func(i int) string {
				return fmt.Sprintf(`{"field":"custom_fields.number_%d","operator":"neq","value":%d}`, i%20, -i)
			})+`]}`, 200, 422, 503)
		v.cost(t, token, "long lists of choices", "POST /contacts/search", `{"filters":[`+items(10, func(int) string {
			return `{"field":"custom_fields.choice_0","operator":"in","values":[` + items(200,
				func(i int) string { return `"` + wide(i) + `"` }) + `]}`
		})+`]}`, 200, 503)
		v.cost(t, token, "the names of all friends", "POST /contacts/search",
			`{"limit":100,"order_by":"created_at","sort_direction":"asc","fields":[`+items(60, func(i int) string {
				return fmt.Sprintf(`"custom_fields.friend_%d.name"`, i)
			})+`]}`, 422)
		v.cost(t, token, "the names of many friends", "POST /contacts/search",
			`{"limit":100,"order_by":"created_at","sort_direction":"asc","fields":[`+items(20, func(i int) string {
				return fmt.Sprintf(`"custom_fields.friend_%d.name"`, i)
			})+`]}`, 200, 503)
		v.cost(t, token, "conditions on many friends", "POST /contacts/search", `{"limit":100,"filters":[`+items(50, func(i int) string {
			return fmt.Sprintf(`{"field":"custom_fields.friend_%d.name","operator":"contains","value":"ida"}`, i%20)
		})+`],"order_by":"custom_fields.friend_19.name"}`, 200, 503)
		v.cost(t, token, "figures of fields", "POST /contacts/aggregate",
			`{"group_by":["custom_fields.number_0","custom_fields.number_1"],"metrics":["count",`+items(19, func(i int) string {
				return fmt.Sprintf(`"sum:custom_fields.number_%d"`, i)
			})+`]}`, 200, 422, 503)
		v.cost(t, token, "a page of all values", "POST /contacts/search", `{"limit":100}`, 200)

		// Options that many records have, each replaced in turn, and all at once.
		var page struct{ Data []struct{ ID, Name string } }
		if err := json.Unmarshal(v.read(t, token, "/fields/search",
			`{"limit":100,"fields":["id","name"],"filters":[{"field":"resource","operator":"eq","value":"contact"},{"field":"name",`+
				`"operator":"starts_with","value":"choice_"}]}`), &page); err != nil {
			t.Fatal(err)
		}
		named := map[string]string{}
		for _, f := range page.Data {
			named[f.Name] = f.ID
		}
		v.cost(t, token, "an option that too many records have", "PATCH /fields/"+named["choice_0"],
			fmt.Sprintf(`{"options":[%s],"replace_with":{"%s":"%s"}}`, choices(1, 199), wide(0), wide(1)), 409)
		v.cost(t, token, "options of which each has one", "PATCH /fields/"+named["choice_0"],
			fmt.Sprintf(`{"options":[%s],"replace_with":{%s}}`, choices(0, 1),
				items(199, func(i int) string { return `"` + wide(i+1) + `":null` })), 409, 503)
		v.cost(t, token, "options that as many have as may", "PATCH /fields/"+named["choice_0"],
			fmt.Sprintf(`{"options":[%s],"replace_with":{%s}}`, choices(0, 85),
				items(115, func(i int) string { return `"` + wide(i+85) + `":null` })), 200, 503)
		v.cost(t, token, "another name for a field", "PATCH /fields/"+named["choice_1"], `{"name":"renamed"}`, 200)
		v.cost(t, token, "a field to the bin", "DELETE /fields/"+named["choice_0"], "", 204)
		v.cost(t, token, "and back", "POST /fields/"+named["choice_0"]+"/restore", "", 200)
	})
}

// A field that is named by large views, and an option that large records have.
func TestNoFieldOfLargeRecordsCostsTheOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, token := newBusiness(t, db)
		t.Setenv("GOGC", "20")
		v := newVictim(t, db)
		create := func(path, text string) (id string) {
			status, _, answer, err := v.ask(t.Context(), token, "POST "+path, text)
			for try := 1; status == http.StatusServiceUnavailable && try < 10; try++ { // the machine is crowded
				status, _, answer, err = v.ask(t.Context(), token, "POST "+path, text)
			}
			if err != nil || status != http.StatusCreated {
				t.Fatalf("%s: status %d, %v: %s", path, status, err, answer)
			}
			_, rest, _ := strings.Cut(answer, `"id":"`)
			id, _, _ = strings.Cut(rest, `"`)
			return id
		}
		tier := create("/fields", `{"resource":"deal","name":"tier","kind":"select","options":[{"value":"gold"},{"value":"silver"},`+
			`{"value":"bronze"}]}`)
		line := `{"name":"x","unit_price":"1","description":"` + strings.Repeat(`d`, 4_600) + `"}`
		for range 60 {
			create("/deals", `{"name":"Large","custom_fields":{"tier":"gold"},"line_items":[`+strings.TrimSuffix(strings.Repeat(line+",",
				200), ",")+`]}`)
		}
		filters := items(4, func(int) string {
			return `{"field":"name","operator":"in","values":[` + items(30,
				func(i int) string { return fmt.Sprintf(`"%s%d"`, strings.Repeat("v", 240), i) }) + `]}`
		})
		v.batch(t, token, "/views", 600, 30, func(i int) string {
			return fmt.Sprintf(`{"name":"View %d","resource":"deal","search":{"filters":[%s]},"columns":["name","custom_fields.tier"]}`,
				i, filters)
		})
		v.cost(t, token, "an option of large deals", "PATCH /fields/"+tier,
			`{"options":[{"value":"silver"},{"value":"bronze"}],"replace_with":{"gold":"silver"}}`, 200, 409, 413, 503)
		v.cost(t, token, "a field that large views name, renamed", "PATCH /fields/"+tier, `{"name":"rank"}`, 200, 409, 503)
		v.cost(t, token, "a field that large views name, deleted", "DELETE /fields/"+tier, "", 204, 409, 503)
		v.cost(t, token, "all large views", "POST /views/search", `{"limit":100}`, 200)
	})
}
