package httpapi_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// An id of another business must look like one that does not exist, on every route and in every reference, and whatever is tried
// with it must leave the other business as it was.
func TestNoRouteReachesAnotherBusiness(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		theirs := w.oneOfEach(t)
		for _, k := range record.Kinds() {
			// Something in their bin, for restore.
			id := w.create(t, k.Plural, variedRecord(k, 2, theirs), "")
			w.check(t, step{do: "DELETE /" + k.Plural + "/" + id, status: 204})
			theirs[k.Name+" deleted"] = id
		}
		before, recordsBefore := changes(t, w.tenant), w.everything(t)

		for _, route := range w.api.Routes() {
			if route.Kind == nil { // /v1/me has no records
				continue
			}
			pattern := strings.TrimPrefix(route.Pattern, "/v1")
			t.Run(route.Method+" "+pattern, func(t *testing.T) {
				if strings.Contains(pattern, "{id}") {
					w.foreignPath(t, route.Method, pattern, route.Kind, theirs)
				}
			})
		}
		for _, k := range record.Kinds() {
			w.foreignReferences(t, k, &k.Shape, "POST /"+k.Plural, theirs)
			own := w.ownRecord(t, k)
			if offers(k, "patch") {
				w.foreignReferences(t, k, &k.Shape, "PATCH /"+k.Plural+"/"+own, theirs)
			}
			for i := range k.Actions {
				w.foreignReferences(t, k, &k.Actions[i].Shape, "POST /"+k.Plural+"/"+own+"/"+k.Actions[i].Name, theirs)
			}
			w.foreignSearch(t, k, theirs)
		}

		if after := changes(t, w.tenant); after != before {
			t.Errorf("the other business got %d changes", after-before)
		}
		if after := w.everything(t); after != recordsBefore {
			t.Errorf("the other business changed from\n%s to\n%s", recordsBefore, after)
		}
	})
}

// requestID is the one part of a problem that is new each time.
var requestID = regexp.MustCompile(`req_[0-9a-z]{26}`)

// sameAsUnknown asks twice, with another business's id and with one that nobody has, and holds the answers to be the same to the byte.
func (w *world) sameAsUnknown(t *testing.T, do, body, prefix, foreign string) *answer {
	t.Helper()
	unknown := prefix + "_01h455vb4pex5vsknk084sn02q"
	replace := func(text, id string) string { return strings.ReplaceAll(text, "<id>", id) }
	a := w.ask(t, step{as: "stranger", do: replace(do, foreign), body: replace(body, foreign)})
	b := w.ask(t, step{as: "stranger", do: replace(do, unknown), body: replace(body, unknown)})
	if a.status != b.status || requestID.ReplaceAllString(string(a.text), "") != requestID.ReplaceAllString(string(b.text), "") {
		t.Errorf("%s %s: another business's id can be told from an unknown one:\n%d %s\n%d %s", do, body, a.status, a.text, b.status,
			b.text)
	}
	if strings.Contains(string(a.text), foreign) {
		t.Errorf("%s %s: the answer repeats the id: %s", do, body, a.text)
	}
	return a
}

// foreignPath tries a route with ids of the other business in its path.
func (w *world) foreignPath(t *testing.T, method, pattern string, k *record.Kind, theirs map[string]string) {
	t.Helper()
	body := ""
	if method == "PATCH" {
		body = `{"external_id":"stolen"}`
	}
	switch action := pattern[strings.LastIndexByte(pattern, '/')+1:]; action {
	case "change_stage":
		body = `{"stage_id":"` + theirs["stage"] + `"}`
	case "replay":
		body = `{"from_seq":1,"to_seq":1}`
	case record.Erase:
		body = `{"reason":"stolen"}`
	case record.Merge, record.Unmerge:
		body = `{"other_id":"` + theirs[k.Name] + `"}`
	}
	do := method + " " + strings.Replace(pattern, "{id}", "<id>", 1)
	for _, id := range []string{theirs[k.Name], theirs[k.Name+" deleted"]} {
		if a := w.sameAsUnknown(t, do, body, k.Name, id); a.status != 404 || at(a.json, "code") != "not_found" {
			t.Errorf("%s: status %d, want 404: %s", do, a.status, a.text)
		}
	}
}

// ownRecord makes a record of the stranger's own.
func (w *world) ownRecord(t *testing.T, k *record.Kind) string {
	t.Helper()
	for _, r := range newRecords {
		if r.plural == k.Plural {
			a := w.check(t, step{as: "stranger", do: "POST /" + k.Plural, body: r.body, status: 201})
			return fmt.Sprint(at(a.json, "id"))
		}
	}
	t.Fatalf("no body for %s", k.Plural)
	return ""
}

// foreignReferences puts ids of the other business into every reference that a body can have.
func (w *world) foreignReferences(t *testing.T, k *record.Kind, shape *schema.Shape, do string, theirs map[string]string) {
	t.Helper()
	for _, l := range shape.Leaves {
		switch {
		case l.ReadOnly || l.Writing.BinOnly:
		case l.Kind == schema.List:
			for _, inner := range shape.Inner[l.Name].Leaves {
				if inner.Kind == schema.ID {
					w.foreignReference(t, do, k, fmt.Sprintf(`{%q:[{"name":"x","unit_price":1,%q:"<id>"}]}`, l.Path, inner.Path),
						fmt.Sprintf("%s[0].%s", l.Path, inner.Path), inner.IDPrefix, theirs)
				}
			}
		case l.Kind == schema.ID:
			w.foreignReference(t, do, k, fmt.Sprintf(`{%q:"<id>"}`, l.Path), l.Path, l.IDPrefix, theirs)
		case l.Format == schema.RecordID && strings.HasPrefix(do, "POST"): // it cannot be patched
			for _, prefix := range l.Ref.Among {
				w.foreignReference(t, do, k, fmt.Sprintf(`{%q:"<id>"}`, l.Path), l.Path, prefix, theirs)
			}
		}
	}
}

func (w *world) foreignReference(t *testing.T, do string, k *record.Kind, body, field, prefix string, theirs map[string]string) {
	t.Helper()
	if strings.Contains(body, `"stages"`) {
		body = strings.Replace(body, `,"unit_price":1`, "", 1)
	}
	if strings.HasPrefix(do, "POST /"+k.Plural) && strings.Count(do, "/") == 1 {
		// The rest of the body is right, so that the reference alone is wrong.
		for _, r := range newRecords {
			if r.plural == k.Plural {
				var whole, part map[string]json.RawMessage
				if json.Unmarshal([]byte(r.body), &whole) != nil || json.Unmarshal([]byte(body), &part) != nil {
					t.Fatal("not an object: ", body)
				}
				delete(whole, "external_id")
				for key, value := range part {
					whole[key] = value
				}
				text, err := json.Marshal(whole)
				if err != nil {
					t.Fatal(err)
				}
				body = strings.ReplaceAll(string(text), `\u003cid\u003e`, "<id>")
			}
		}
	}
	t.Run(do+" "+field, func(t *testing.T) {
		a := w.sameAsUnknown(t, do, body, prefix, theirs[prefix])
		if a.status != 422 || !strings.HasPrefix(wrongFields(a), field+":not_found") {
			t.Errorf("%s %s: status %d, want 422 on %s: %s", do, body, a.status, field, a.text)
		}
	})
}

// foreignSearch filters by ids of the other business: nothing is found.
func (w *world) foreignSearch(t *testing.T, k *record.Kind, theirs map[string]string) {
	t.Helper()
	for _, l := range k.Leaves {
		if l.Kind != schema.ID || theirs[l.IDPrefix] == "" {
			continue
		}
		for _, path := range searches(k) {
			if l.Writing.BinOnly && path == "/search" {
				continue
			}
			a := w.check(t, step{
				as: "stranger", do: "POST /" + k.Plural + path,
				body: `{"filters":[` + filter(l.Path, "eq", `"`+theirs[l.IDPrefix]+`"`) + `]}`, status: 200,
			})
			if data := at(a.json, "data").([]any); len(data) != 0 {
				t.Errorf("a search for another business's %s finds %s", l.Path, a.text)
			}
		}
	}
	for _, l := range k.Links {
		a := w.check(t, step{
			as: "stranger", do: "POST /" + k.Plural + "/search",
			body: `{"filters":[` + filter(l.Path, "contains", `"`+theirs[l.IDPrefix]+`"`) + `]}`, status: 200,
		})
		if data := at(a.json, "data").([]any); len(data) != 0 {
			t.Errorf("a search for what another business has associated finds %s", a.text)
		}
	}
	a := w.check(t, step{as: "stranger", do: "POST /" + k.Plural + "/search", body: `{"limit":100}`, status: 200})
	for _, id := range theirs {
		if strings.Contains(string(a.text), id) {
			t.Errorf("a search of %s shows another business's %s", k.Plural, id)
		}
	}
}

// everything is all live and deleted records of the first business, as text.
func (w *world) everything(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, k := range record.Kinds() {
		for _, path := range searches(k) {
			all.Write(w.check(t, step{do: "POST /" + k.Plural + path, body: `{"limit":100,"order_by":"id"}`, status: 200}).text)
		}
	}
	return settled(all.String())
}
