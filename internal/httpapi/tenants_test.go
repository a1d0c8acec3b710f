package httpapi_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"

	. "github.com/kith-crm/kith/internal/apitest"
)

// An id of another business must look like one that does not exist, on every route and in every reference, and whatever is tried
// with it must leave the other business as it was.
func TestNoRouteReachesAnotherBusiness(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		theirs := w.OneOfEach(t)
		for _, k := range record.Kinds() {
			// Something in their bin, for restore.
			id := w.Create(t, k.Plural, VariedRecord(k, 2, theirs), "")
			w.Check(t, Step{Do: "DELETE /" + k.Plural + "/" + id, Status: 204})
			theirs[k.Name+" deleted"] = id
		}
		before, recordsBefore := Changes(t, w.Tenant), everything(w, t)

		for _, route := range w.API.Routes() {
			if route.Kind == nil { // /v1/me has no records
				continue
			}
			pattern := strings.TrimPrefix(route.Pattern, "/v1")
			t.Run(route.Method+" "+pattern, func(t *testing.T) {
				if strings.Contains(pattern, "{id}") {
					foreignPath(w, t, route.Method, pattern, route.Kind, theirs)
				}
			})
		}
		for _, k := range record.Kinds() {
			foreignReferences(w, t, k, &k.Shape, "POST /"+k.Plural, theirs)
			own := ownRecord(w, t, k)
			if Offers(k, "patch") {
				foreignReferences(w, t, k, &k.Shape, "PATCH /"+k.Plural+"/"+own, theirs)
			}
			for i := range k.Actions {
				foreignReferences(w, t, k, &k.Actions[i].Shape, "POST /"+k.Plural+"/"+own+"/"+k.Actions[i].Name, theirs)
			}
			foreignSearch(w, t, k, theirs)
		}

		if after := Changes(t, w.Tenant); after != before {
			t.Errorf("the other business got %d changes", after-before)
		}
		if after := everything(w, t); after != recordsBefore {
			t.Errorf("the other business changed from\n%s to\n%s", recordsBefore, after)
		}
	})
}

// requestID is the one part of a problem that is new each time.
var requestID = regexp.MustCompile(`req_[0-9a-z]{26}`)

// sameAsUnknown asks twice, with another business's id and with one that nobody has, and holds the answers to be the same to the byte.
func sameAsUnknown(w *World, t *testing.T, do, body, prefix, foreign string) *Answer {
	t.Helper()
	unknown := prefix + "_01h455vb4pex5vsknk084sn02q"
	replace := func(text, id string) string { return strings.ReplaceAll(text, "<id>", id) }
	a := w.Ask(t, Step{As: "stranger", Do: replace(do, foreign), Body: replace(body, foreign)})
	b := w.Ask(t, Step{As: "stranger", Do: replace(do, unknown), Body: replace(body, unknown)})
	if a.Status != b.Status || requestID.ReplaceAllString(string(a.Text), "") != requestID.ReplaceAllString(string(b.Text), "") {
		t.Errorf("%s %s: another business's id can be told from an unknown one:\n%d %s\n%d %s", do, body, a.Status, a.Text, b.Status,
			b.Text)
	}
	if strings.Contains(string(a.Text), foreign) {
		t.Errorf("%s %s: the answer repeats the id: %s", do, body, a.Text)
	}
	return a
}

// foreignPath tries a route with ids of the other business in its path.
func foreignPath(w *World, t *testing.T, method, pattern string, k *record.Kind, theirs map[string]string) {
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
		if a := sameAsUnknown(w, t, do, body, k.Name, id); a.Status != 404 || At(a.JSON, "code") != "not_found" {
			t.Errorf("%s: status %d, want 404: %s", do, a.Status, a.Text)
		}
	}
}

// ownRecord makes a record of the stranger's own.
func ownRecord(w *World, t *testing.T, k *record.Kind) string {
	t.Helper()
	for _, r := range NewRecords {
		if r.Plural == k.Plural {
			a := w.Check(t, Step{As: "stranger", Do: "POST /" + k.Plural, Body: r.Body, Status: 201})
			return fmt.Sprint(At(a.JSON, "id"))
		}
	}
	t.Fatalf("no body for %s", k.Plural)
	return ""
}

// foreignReferences puts ids of the other business into every reference that a body can have.
func foreignReferences(w *World, t *testing.T, k *record.Kind, shape *schema.Shape, do string, theirs map[string]string) {
	t.Helper()
	for _, l := range shape.Leaves {
		switch {
		case l.ReadOnly || l.Writing.BinOnly:
		case l.Kind == schema.List:
			for _, inner := range shape.Inner[l.Name].Leaves {
				if inner.Kind == schema.ID {
					foreignReference(w, t, do, k, fmt.Sprintf(`{%q:[{"name":"x","unit_price":1,%q:"<id>"}]}`, l.Path, inner.Path),
						fmt.Sprintf("%s[0].%s", l.Path, inner.Path), inner.IDPrefix, theirs)
				}
			}
		case l.Kind == schema.ID:
			foreignReference(w, t, do, k, fmt.Sprintf(`{%q:"<id>"}`, l.Path), l.Path, l.IDPrefix, theirs)
		case l.Format == schema.RecordID && strings.HasPrefix(do, "POST"): // it cannot be patched
			for _, prefix := range l.Ref.Among {
				foreignReference(w, t, do, k, fmt.Sprintf(`{%q:"<id>"}`, l.Path), l.Path, prefix, theirs)
			}
		}
	}
}

func foreignReference(w *World, t *testing.T, do string, k *record.Kind, body, field, prefix string, theirs map[string]string) {
	t.Helper()
	if strings.Contains(body, `"stages"`) {
		body = strings.Replace(body, `,"unit_price":1`, "", 1)
	}
	if strings.HasPrefix(do, "POST /"+k.Plural) && strings.Count(do, "/") == 1 {
		// The rest of the body is right, so that the reference alone is wrong.
		for _, r := range NewRecords {
			if r.Plural == k.Plural {
				var whole, part map[string]json.RawMessage
				if json.Unmarshal([]byte(r.Body), &whole) != nil || json.Unmarshal([]byte(body), &part) != nil {
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
		a := sameAsUnknown(w, t, do, body, prefix, theirs[prefix])
		if a.Status != 422 || !strings.HasPrefix(WrongFields(a), field+":not_found") {
			t.Errorf("%s %s: status %d, want 422 on %s: %s", do, body, a.Status, field, a.Text)
		}
	})
}

// foreignSearch filters by ids of the other business: nothing is found.
func foreignSearch(w *World, t *testing.T, k *record.Kind, theirs map[string]string) {
	t.Helper()
	for _, l := range k.Leaves {
		if l.Kind != schema.ID || theirs[l.IDPrefix] == "" {
			continue
		}
		for _, path := range Searches(k) {
			if l.Writing.BinOnly && path == "/search" {
				continue
			}
			a := w.Check(t, Step{
				As: "stranger", Do: "POST /" + k.Plural + path,
				Body: `{"filters":[` + Filter(l.Path, "eq", `"`+theirs[l.IDPrefix]+`"`) + `]}`, Status: 200,
			})
			if data := At(a.JSON, "data").([]any); len(data) != 0 {
				t.Errorf("a search for another business's %s finds %s", l.Path, a.Text)
			}
		}
	}
	for _, l := range k.Links {
		a := w.Check(t, Step{
			As: "stranger", Do: "POST /" + k.Plural + "/search",
			Body: `{"filters":[` + Filter(l.Path, "contains", `"`+theirs[l.IDPrefix]+`"`) + `]}`, Status: 200,
		})
		if data := At(a.JSON, "data").([]any); len(data) != 0 {
			t.Errorf("a search for what another business has associated finds %s", a.Text)
		}
	}
	a := w.Check(t, Step{As: "stranger", Do: "POST /" + k.Plural + "/search", Body: `{"limit":100}`, Status: 200})
	for _, id := range theirs {
		if strings.Contains(string(a.Text), id) {
			t.Errorf("a search of %s shows another business's %s", k.Plural, id)
		}
	}
}

// everything is all live and deleted records of the first business, as text.
func everything(w *World, t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, k := range record.Kinds() {
		for _, path := range Searches(k) {
			all.Write(w.Check(t, Step{Do: "POST /" + k.Plural + path, Body: `{"limit":100,"order_by":"id"}`, Status: 200}).Text)
		}
	}
	return Settled(all.String())
}
