package httpapi_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
)

func TestTimelineTellsWhatHappenedAroundARecord(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.ownReader(t)
		w.create(t, "companies", `{"name":"Acme"}`, "acme")
		w.create(t, "contacts", `{"name":"Anna","company_id":"$acme"}`, "anna")
		w.create(t, "contacts", `{"name":"Bert","company_id":"$acme"}`, "bert")
		w.create(t, "deals", `{"name":"Boat","contact_id":"$anna","company_id":"$acme"}`, "boat boat_made=created_at")
		w.create(t, "notes", `{"title":"Likes oars","contact_id":"$anna"}`, "note")
		w.create(t, "tasks", `{"title":"Call","contact_id":"$anna","deal_id":"$boat","assignee_id":"$own","due_at":"2030-01-01"}`, "task")
		w.create(t, "quotes", `{"title":"Offer","deal_id":"$boat"}`, "quote")
		w.create(t, "activities", `{"activity_type":"call","contact_id":"$anna","occurred_at":"2020-05-01T10:00:00Z"}`, "past")
		w.create(t, "activities", `{"activity_type":"meeting","contact_id":"$anna","occurred_at":"2999-05-01T10:00:00Z"}`, "future")
		w.create(t, "notes", `{"title":"Another's","contact_id":"$bert"}`, "other")
		anna, acme, boat := "POST /contacts/$anna/timeline/search", "POST /companies/$acme/timeline/search",
			"POST /deals/$boat/timeline/search"
		w.run(t, []step{
			{
				rule: "all kinds, and the record's own changes, by when they happened, newest first", do: anna, status: 200,
				want: `{"data":[{"at":"2999-05-01T10:00:00.000000Z","kind":"activity","record":{"id":"$future",` +
					`"occurred_at":"2999-05-01T10:00:00.000000Z"},"change":"<absent>"},{"kind":"change","record":"<absent>",` +
					`"change":{"action":"update","version":2,"changes":{"last_contacted_at":{"to":"2020-05-01T10:00:00.000000Z"}},` +
					`"actor":{"user_id":"$admin"}}},{"kind":"quote","record":{"id":"$quote"}},{"kind":"task","record":{"id":"$task",` +
					`"title":"Call"}},{"kind":"note","record":{"id":"$note"}},{"at":"$boat_made","kind":"deal","record":{"id":"$boat",` +
					`"name":"Boat","deleted_at":"<absent>"}},{"kind":"change","change":{"action":"create","version":1}},` +
					`{"at":"2020-05-01T10:00:00.000000Z","kind":"activity","record":{"id":"$past"}}],"meta":{"cursor":{"next":null,` +
					`"has_more":false},"total":"<absent>"}}`,
			},
			{
				rule: "or oldest first", do: anna, body: `{"sort_direction":"asc","limit":3}`, status: 200,
				want: `{"data":[{"record":{"id":"$past"}},{"change":{"version":1}},{"record":{"id":"$boat"}}],` +
					`"meta":{"cursor":{"has_more":true}}}`, save: "up=meta.cursor.next",
			},
			{
				rule: "page by page", do: anna, body: `{"sort_direction":"asc","limit":3,"cursor":"$up"}`, status: 200,
				want: `{"data":[{"record":{"id":"$note"}},{"record":{"id":"$task"}},{"record":{"id":"$quote"}}],` +
					`"meta":{"cursor":{"has_more":true}}}`,
			},
			{
				rule: "a company's own, and not its contacts'", do: acme, status: 200,
				want: `{"data":[{"kind":"change"},{"kind":"quote","record":{"id":"$quote"}},{"kind":"deal","record":{"id":"$boat"}},` +
					`{"kind":"change","change":{"action":"create"}}]}`,
			},
			{
				rule: "a deal's", do: boat, status: 200,
				want: `{"data":[{"kind":"quote"},{"kind":"task"},{"kind":"change","change":{"action":"create"}}]}`,
			},
			{
				rule: "kinds without the scope are left out", as: "admin:contact.read,note.read", do: anna, status: 200,
				want: `{"data":[{"kind":"change"},{"kind":"note"},{"kind":"change"}]}`,
			},
			{
				rule: "without the scope of the record itself there is none", as: "admin:note.read", do: anna, status: 403,
				code: "insufficient_scope", want: `{"scope":"contact.read"}`,
			},
			{rule: "what is in the bin is not in it", do: "DELETE /notes/$note", status: 204},
			{
				rule: "so a page has one less", do: anna, body: `{"sort_direction":"asc","limit":2,"cursor":"$up"}`, status: 200,
				want: `{"data":[{"record":{"id":"$task"}},{"record":{"id":"$quote"}}]}`,
			},
			{rule: "one that is given to somebody", do: "PATCH /contacts/$anna", body: `{"owner_id":"$own"}`, status: 200},
			{
				rule: "shows them what is their own of the others: by owner or assignee", as: "own", do: anna, status: 200,
				want: `{"data":[{"kind":"change","change":{"version":3}},{"kind":"change"},{"kind":"task","record":{"id":"$task"}},` +
					`{"kind":"change","change":{"version":1}}]}`,
			},
			{rule: "and what they may not read is not there", as: "own", do: boat, status: 404, code: "not_found"},
			{rule: "of a record in the bin it can be read", do: "DELETE /contacts/$anna", status: 204},
			{
				rule: "like its history", do: anna, body: `{"limit":2}`, status: 200,
				want: `{"data":[{"record":{"id":"$future"}},{"kind":"change","change":{"action":"delete"}}]}`,
			},
			{
				rule: "what is not there is 404", do: "POST /contacts/contact_01h455vb4pex5vsknk084sn02q/timeline/search", status: 404,
				code: "not_found",
			},
			{rule: "another business's, too", as: "stranger", do: anna, status: 404, code: "not_found"},
			{
				rule: "a cursor of a history is none of a timeline", do: "POST /contacts/$anna/history/search", body: `{"limit":1}`,
				status: 200, save: "history=meta.cursor.next",
			},
			{rule: "whatever it has in it", do: anna, body: `{"cursor":"$history"}`, status: 422, wrong: "cursor:invalid_cursor"},
			{rule: "nor is one of the other direction", do: anna, body: `{"cursor":"$up"}`, status: 422, wrong: "cursor:invalid_cursor"},
			{
				rule: "all that is wrong is named", do: anna, body: `{"limit":0,"sort_direction":"up","filters":[]}`, status: 422,
				wrong: "limit:out_of_range sort_direction:not_allowed filters:unknown_field",
			},
			{rule: "others have none", do: "POST /notes/$other/timeline/search", status: 404},
		})
	})
}

// happening is an item of a timeline: when, of which kind, and which.
type happening struct {
	At, Kind, ID string
	Seq          int64
}

// A timeline is what searches and the history tell, put in one order, however it is cut into pages.
func TestTimelineIsSearchesAndHistoryTogether(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		t.Parallel()
		random := rand.New(rand.NewPCG(1, 11))
		about := map[string][]string{}
		for n := range 2 {
			about["company"] = append(about["company"], w.create(t, "companies", fmt.Sprintf(`{"name":"Company %d"}`, n), ""))
			about["contact"] = append(about["contact"], w.create(t, "contacts", fmt.Sprintf(`{"name":"Contact %d"}`, n), ""))
			about["deal"] = append(about["deal"], w.create(t, "deals", fmt.Sprintf(`{"name":"Deal %d"}`, n), ""))
		}
		for n := range 60 {
			references := []string{}
			for name, ids := range about {
				references = append(references, fmt.Sprintf(`"%s_id":%q`, name, ids[random.IntN(len(ids))]))
			}
			slices.Sort(references)
			all := strings.Join(references, ",")
			switch random.IntN(6) {
			case 0, 1: // often at the same time
				w.create(t, "activities", fmt.Sprintf(`{"activity_type":"call","occurred_at":"20%02d-01-01",%s}`, 20+random.IntN(3)*7,
					all), "")
			case 2:
				w.create(t, "notes", fmt.Sprintf(`{"title":"Note %d",%s}`, n, all), "")
			case 3:
				w.create(t, "tasks", fmt.Sprintf(`{"title":"Task %d",%s}`, n, all), "")
			case 4:
				w.create(t, "quotes", fmt.Sprintf(`{"title":"Quote %d",%s}`, n, all), "")
			case 5:
				plural := map[string]string{"company": "companies", "contact": "contacts", "deal": "deals"}
				for name, ids := range about {
					w.check(t, step{
						do: "PATCH /" + plural[name] + "/" + ids[random.IntN(2)], body: fmt.Sprintf(`{"tags":["%d"]}`, n),
						status: 200,
					})
				}
			}
		}
		// Several records at the same time come from one batch.
		w.check(t, step{do: "POST /notes/batch", body: fmt.Sprintf(`{"operations":[{"op":"create","data":{"title":"x","contact_id":%q}},`+
			`{"op":"create","data":{"title":"y","contact_id":%[1]q}},{"op":"create","data":{"title":"z","contact_id":%[1]q}}]}`,
			about["contact"][0]), status: 200})
		for name, ids := range about {
			k := record.KindOf(name)
			for _, id := range ids {
				want := w.happenings(t, k, id)
				if len(want) < 8 {
					t.Fatalf("%d things happened to %s", len(want), id)
				}
				for _, direction := range []string{"asc", "desc"} {
					for _, limit := range []int{1, 4, 12, 100} {
						if got := w.wholeTimeline(t, k, id, direction, limit); !slices.Equal(got, want) {
							t.Errorf("the timeline of %s, %s in pages of %d, is\n%v, want\n%v", id, direction, limit, got, want)
						}
					}
					slices.Reverse(want)
				}
			}
		}
	})
}

// happenings finds out by searches and the history what happened around a record, oldest first.
func (w *world) happenings(t *testing.T, k *record.Kind, id string) (all []happening) {
	t.Helper()
	rank := map[string]int{"change": len(record.Kinds())}
	for i, other := range record.Kinds() {
		rank[other.Name] = i
		if !slices.Contains([]string{"activity", "note", "task", "deal", "quote"}, other.Name) || other.Leaf(k.Name+"_id") == nil {
			continue
		}
		a := w.send(t, step{
			do:   "POST /" + other.Plural + "/search",
			body: fmt.Sprintf(`{"limit":100,"filters":[{"field":"%s_id","operator":"eq","value":%q}]}`, k.Name, id),
		})
		data, _ := at(a.json, "data").([]any)
		for _, record := range data {
			when := at(record, "created_at")
			if other.Name == "activity" {
				when = at(record, "occurred_at")
			}
			all = append(all, happening{At: when.(string), Kind: other.Name, ID: at(record, "id").(string)})
		}
	}
	for _, e := range w.wholeHistory(t, k, id) {
		all = append(all, happening{At: e.At, Kind: "change", Seq: e.Seq})
	}
	slices.SortFunc(all, func(a, b happening) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Seq, b.Seq))
	})
	return all
}

// wholeTimeline reads all pages of a timeline.
func (w *world) wholeTimeline(t *testing.T, k *record.Kind, id, direction string, limit int) (all []happening) {
	t.Helper()
	type event struct {
		At, Kind string
		Record   struct{ ID string }
		Change   struct{ Seq int64 }
	}
	for _, e := range wholeList[event](t, w, "/"+k.Plural+"/"+id+"/timeline/search", direction, limit) {
		all = append(all, happening{e.At, e.Kind, e.Record.ID, e.Change.Seq})
	}
	return all
}
