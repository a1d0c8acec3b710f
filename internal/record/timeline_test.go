package record_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestTimelineTellsWhatHappenedAroundARecord(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.OwnReader(t)
		w.Create(t, "companies", `{"name":"Acme"}`, "acme")
		w.Create(t, "contacts", `{"name":"Anna","company_id":"$acme"}`, "anna")
		w.Create(t, "contacts", `{"name":"Bert","company_id":"$acme"}`, "bert")
		w.Create(t, "deals", `{"name":"Boat","contact_id":"$anna","company_id":"$acme"}`, "boat boat_made=created_at")
		w.Create(t, "notes", `{"title":"Likes oars","contact_id":"$anna"}`, "note")
		w.Create(t, "tasks", `{"title":"Call","contact_id":"$anna","deal_id":"$boat","assignee_id":"$own","due_at":"2030-01-01"}`, "task")
		w.Create(t, "quotes", `{"title":"Offer","deal_id":"$boat"}`, "quote")
		w.Create(t, "activities", `{"activity_type":"call","contact_id":"$anna","occurred_at":"2020-05-01T10:00:00Z"}`, "past")
		w.Create(t, "activities", `{"activity_type":"meeting","contact_id":"$anna","occurred_at":"2999-05-01T10:00:00Z"}`, "future")
		w.Create(t, "notes", `{"title":"Another's","contact_id":"$bert"}`, "other")
		anna, acme, boat := "POST /contacts/$anna/timeline/search", "POST /companies/$acme/timeline/search",
			"POST /deals/$boat/timeline/search"
		w.Run(t, []Step{
			{
				Rule: "all kinds, and the record's own changes, by when they happened, newest first", Do: anna, Status: 200,
				Want: `{"data":[{"at":"2999-05-01T10:00:00.000000Z","kind":"activity","record":{"id":"$future",` +
					`"occurred_at":"2999-05-01T10:00:00.000000Z"},"change":"<absent>"},{"kind":"change","record":"<absent>",` +
					`"change":{"action":"update","version":2,"changes":{"last_contacted_at":{"to":"2020-05-01T10:00:00.000000Z"}},` +
					`"actor":{"user_id":"$admin"}}},{"kind":"quote","record":{"id":"$quote"}},{"kind":"task","record":{"id":"$task",` +
					`"title":"Call"}},{"kind":"note","record":{"id":"$note"}},{"at":"$boat_made","kind":"deal","record":{"id":"$boat",` +
					`"name":"Boat","deleted_at":"<absent>"}},{"kind":"change","change":{"action":"create","version":1}},` +
					`{"at":"2020-05-01T10:00:00.000000Z","kind":"activity","record":{"id":"$past"}}],"meta":{"cursor":{"next":null,` +
					`"has_more":false},"total":"<absent>"}}`,
			},
			{
				Rule: "or oldest first", Do: anna, Body: `{"sort_direction":"asc","limit":3}`, Status: 200,
				Want: `{"data":[{"record":{"id":"$past"}},{"change":{"version":1}},{"record":{"id":"$boat"}}],` +
					`"meta":{"cursor":{"has_more":true}}}`, Save: "up=meta.cursor.next",
			},
			{
				Rule: "page by page", Do: anna, Body: `{"sort_direction":"asc","limit":3,"cursor":"$up"}`, Status: 200,
				Want: `{"data":[{"record":{"id":"$note"}},{"record":{"id":"$task"}},{"record":{"id":"$quote"}}],` +
					`"meta":{"cursor":{"has_more":true}}}`,
			},
			{
				Rule: "a company's own, and not its contacts'", Do: acme, Status: 200,
				Want: `{"data":[{"kind":"change"},{"kind":"quote","record":{"id":"$quote"}},{"kind":"deal","record":{"id":"$boat"}},` +
					`{"kind":"change","change":{"action":"create"}}]}`,
			},
			{
				Rule: "a deal's", Do: boat, Status: 200,
				Want: `{"data":[{"kind":"quote"},{"kind":"task"},{"kind":"change","change":{"action":"create"}}]}`,
			},
			{
				Rule: "kinds without the scope are left out", As: "admin:contact.read,note.read", Do: anna, Status: 200,
				Want: `{"data":[{"kind":"change"},{"kind":"note"},{"kind":"change"}]}`,
			},
			{
				Rule: "without the scope of the record itself there is none", As: "admin:note.read", Do: anna, Status: 403,
				Code: "insufficient_scope", Want: `{"scope":"contact.read"}`,
			},
			{Rule: "what is in the bin is not in it", Do: "DELETE /notes/$note", Status: 204},
			{
				Rule: "so a page has one less", Do: anna, Body: `{"sort_direction":"asc","limit":2,"cursor":"$up"}`, Status: 200,
				Want: `{"data":[{"record":{"id":"$task"}},{"record":{"id":"$quote"}}]}`,
			},
			{Rule: "one that is given to somebody", Do: "PATCH /contacts/$anna", Body: `{"owner_id":"$own"}`, Status: 200},
			{
				Rule: "shows them what is their own of the others: by owner or assignee", As: "own", Do: anna, Status: 200,
				Want: `{"data":[{"kind":"change","change":{"version":3}},{"kind":"change"},{"kind":"task","record":{"id":"$task"}},` +
					`{"kind":"change","change":{"version":1}}]}`,
			},
			{Rule: "and what they may not read is not there", As: "own", Do: boat, Status: 404, Code: "not_found"},
			{Rule: "of a record in the bin it can be read", Do: "DELETE /contacts/$anna", Status: 204},
			{
				Rule: "like its history", Do: anna, Body: `{"limit":2}`, Status: 200,
				Want: `{"data":[{"record":{"id":"$future"}},{"kind":"change","change":{"action":"delete"}}]}`,
			},
			{
				Rule: "what is not there is 404", Do: "POST /contacts/contact_01h455vb4pex5vsknk084sn02q/timeline/search", Status: 404,
				Code: "not_found",
			},
			{Rule: "another business's, too", As: "stranger", Do: anna, Status: 404, Code: "not_found"},
			{
				Rule: "a cursor of a history is none of a timeline", Do: "POST /contacts/$anna/history/search", Body: `{"limit":1}`,
				Status: 200, Save: "history=meta.cursor.next",
			},
			{Rule: "whatever it has in it", Do: anna, Body: `{"cursor":"$history"}`, Status: 422, Wrong: "cursor:invalid_cursor"},
			{Rule: "nor is one of the other direction", Do: anna, Body: `{"cursor":"$up"}`, Status: 422, Wrong: "cursor:invalid_cursor"},
			{
				Rule: "all that is wrong is named", Do: anna, Body: `{"limit":0,"sort_direction":"up","filters":[]}`, Status: 422,
				Wrong: "limit:out_of_range sort_direction:not_allowed filters:unknown_field",
			},
			{Rule: "others have none", Do: "POST /notes/$other/timeline/search", Status: 404},
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
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		random := rand.New(rand.NewPCG(1, 11))
		about := map[string][]string{}
		for n := range 2 {
			about["company"] = append(about["company"], w.Create(t, "companies", fmt.Sprintf(`{"name":"Company %d"}`, n), ""))
			about["contact"] = append(about["contact"], w.Create(t, "contacts", fmt.Sprintf(`{"name":"Contact %d"}`, n), ""))
			about["deal"] = append(about["deal"], w.Create(t, "deals", fmt.Sprintf(`{"name":"Deal %d"}`, n), ""))
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
				w.Create(t, "activities", fmt.Sprintf(`{"activity_type":"call","occurred_at":"20%02d-01-01",%s}`, 20+random.IntN(3)*7,
					all), "")
			case 2:
				w.Create(t, "notes", fmt.Sprintf(`{"title":"Note %d",%s}`, n, all), "")
			case 3:
				w.Create(t, "tasks", fmt.Sprintf(`{"title":"Task %d",%s}`, n, all), "")
			case 4:
				w.Create(t, "quotes", fmt.Sprintf(`{"title":"Quote %d",%s}`, n, all), "")
			case 5:
				plural := map[string]string{"company": "companies", "contact": "contacts", "deal": "deals"}
				for name, ids := range about {
					w.Check(t, Step{
						Do: "PATCH /" + plural[name] + "/" + ids[random.IntN(2)], Body: fmt.Sprintf(`{"tags":["%d"]}`, n),
						Status: 200,
					})
				}
			}
		}
		// Several records at the same time come from one batch.
		w.Check(t, Step{Do: "POST /notes/batch", Body: fmt.Sprintf(`{"operations":[{"op":"create","data":{"title":"x","contact_id":%q}},`+
			`{"op":"create","data":{"title":"y","contact_id":%[1]q}},{"op":"create","data":{"title":"z","contact_id":%[1]q}}]}`,
			about["contact"][0]), Status: 200})
		for name, ids := range about {
			k := record.KindOf(name)
			for _, id := range ids {
				want := happenings(w, t, k, id)
				if len(want) < 8 {
					t.Fatalf("%d things happened to %s", len(want), id)
				}
				for _, direction := range []string{"asc", "desc"} {
					for _, limit := range []int{1, 4, 12, 100} {
						if got := wholeTimeline(w, t, k, id, direction, limit); !slices.Equal(got, want) {
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
func happenings(w *World, t *testing.T, k *record.Kind, id string) (all []happening) {
	t.Helper()
	rank := map[string]int{"change": len(record.Kinds())}
	for i, other := range record.Kinds() {
		rank[other.Name] = i
		if !slices.Contains([]string{"activity", "note", "task", "deal", "quote"}, other.Name) || other.Leaf(k.Name+"_id") == nil {
			continue
		}
		a := w.Send(t, Step{
			Do:   "POST /" + other.Plural + "/search",
			Body: fmt.Sprintf(`{"limit":100,"filters":[{"field":"%s_id","operator":"eq","value":%q}]}`, k.Name, id),
		})
		data, _ := At(a.JSON, "data").([]any)
		for _, record := range data {
			when := At(record, "created_at")
			if other.Name == "activity" {
				when = At(record, "occurred_at")
			}
			all = append(all, happening{At: when.(string), Kind: other.Name, ID: At(record, "id").(string)})
		}
	}
	for _, e := range wholeHistory(w, t, k, id) {
		all = append(all, happening{At: e.At, Kind: "change", Seq: e.Seq})
	}
	slices.SortFunc(all, func(a, b happening) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Seq, b.Seq))
	})
	return all
}

// wholeTimeline reads all pages of a timeline.
func wholeTimeline(w *World, t *testing.T, k *record.Kind, id, direction string, limit int) (all []happening) {
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
