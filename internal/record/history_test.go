package record_test

import (
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestHistoryTellsWhatHappenedToARecord(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		Stages(t, w)
		history := func(of string) string { return "POST " + of + "/history/search" }
		anna := history("/contacts/$anna")
		w.Check(t, Step{
			Do: "POST /contacts", Body: `{"name":"Anna","tags":["vip"],"address":{"city":"Kiel"}}`, Status: 201,
			Save: "anna made=created_at",
		})
		w.Run(t, []Step{
			{
				Rule: "it begins with the creation: every field that had a value, from nothing", Do: anna, Status: 200,
				Want: `{"data":[{"seq":"*","at":"$made","action":"create","version":1,"actor":{"user_id":"$admin","token_id":"*",` +
					`"app_id":null},"request_id":"*","resource":"<absent>","changes":{"name":{"from":null,"to":"Anna"},"tags":{"from":[],` +
					`"to":["vip"]},"address.city":{"from":null,"to":"Kiel"},"owner_id":{"from":null,"to":"$admin"},"version":"<absent>",` +
					`"updated_at":"<absent>","updated_by":"<absent>","created_at":"<absent>","id":"<absent>"}}],` +
					`"meta":{"cursor":{"next":null,"has_more":false},"total":"<absent>"}}`,
			},
			{
				Rule: "somebody changes it", As: "manager", Do: "PATCH /contacts/$anna",
				Body: `{"name":"Anne","address":{"city":null,"street":"Quay 1"},"tags":["vip","new"]}`, Status: 200,
			},
			{
				Rule: "the newest comes first, by whom and what: paths as in filters, lists whole", Do: anna, Status: 200,
				Want: `{"data":[{"action":"update","version":2,"actor":{"user_id":"$manager"},"changes":{"name":{"from":"Anna",` +
					`"to":"Anne"},"address.city":{"from":"Kiel","to":null},"address.street":{"from":null,"to":"Quay 1"},` +
					`"tags":{"from":["vip"],"to":["vip","new"]},"address":"<absent>","version":"<absent>"}},{"version":1}]}`,
			},
			{Rule: "or last", Do: anna, Body: `{"sort_direction":"asc"}`, Status: 200, Want: `{"data":[{"version":1},{"version":2}]}`},
			{Rule: "a patch that changes nothing is no entry", Do: "PATCH /contacts/$anna", Body: `{"name":"Anne"}`, Status: 200},
			{Rule: "in the bin it can be read", Do: "DELETE /contacts/$anna", Status: 204},
			{
				Rule: "with its deletion", Do: anna, Status: 200,
				Want: `{"data":[{"action":"delete","version":3,"changes":{}},{"version":2},{"version":1}]}`,
			},
			{Rule: "and by who may read it", As: "viewer", Do: anna, Status: 200, Want: `{"data":[{"version":3},{},{}]}`},
			{Rule: "restored", Do: "POST /contacts/$anna/restore", Status: 200},
			{
				Rule: "it tells that, too", Do: anna, Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"action":"restore","version":4}],"meta":{"cursor":{"next":"*","has_more":true}}}`,
				Save: "next=meta.cursor.next",
			},
			{
				Rule: "the next page goes on behind", Do: anna, Body: `{"limit":2,"cursor":"$next"}`, Status: 200,
				Want: `{"data":[{"version":3},{"version":2}],"meta":{"cursor":{"has_more":true}}}`, Save: "last=meta.cursor.next",
			},
			{Rule: "whatever came on top meanwhile", Do: "PATCH /contacts/$anna", Body: `{"job_title":"Cook"}`, Status: 200},
			{
				Rule: "to the end", Do: anna, Body: `{"limit":2,"cursor":"$last"}`, Status: 200,
				Want: `{"data":[{"version":1}],"meta":{"cursor":{"next":null,"has_more":false}}}`,
			},
			{
				Rule: "a cursor of the other direction is none", Do: anna, Body: `{"sort_direction":"asc","cursor":"$next"}`, Status: 422,
				Wrong: "cursor:invalid_cursor",
			},
			{
				Rule: "nor is one of another user", As: "manager", Do: anna, Body: `{"cursor":"$next"}`, Status: 422,
				Wrong: "cursor:invalid_cursor",
			},
			{Rule: "nor one that was altered", Do: anna, Body: `{"cursor":"A$next"}`, Status: 422, Wrong: "cursor:invalid_cursor"},
			{Rule: "nor nothing", Do: anna, Body: `{"cursor":""}`, Status: 422, Wrong: "cursor:invalid_cursor"},
			{
				Rule: "null is not given", Do: anna, Body: `{"cursor":null,"limit":null,"sort_direction":null}`, Status: 200,
				Want: `{"data":[{"version":5},{},{},{},{}]}`,
			},
			{
				Rule: "upwards page by page", Do: anna, Body: `{"sort_direction":"asc","limit":3}`, Status: 200,
				Want: `{"data":[{"version":1},{"version":2},{"version":3}]}`, Save: "up=meta.cursor.next",
			},
			{
				Rule: "behind the third", Do: anna, Body: `{"sort_direction":"asc","limit":3,"cursor":"$up"}`, Status: 200,
				Want: `{"data":[{"version":4},{"version":5}],"meta":{"cursor":{"has_more":false}}}`,
			},
			{
				Rule: "all that is wrong is named", Do: anna, Body: `{"limit":101,"sort_direction":"up","order_by":"at"}`, Status: 422,
				Wrong: "limit:out_of_range sort_direction:not_allowed order_by:unknown_field",
			},
			{
				Rule: "types, too", Do: anna, Body: `{"limit":"5","sort_direction":1,"cursor":2}`, Status: 422,
				Wrong: "limit:wrong_type sort_direction:wrong_type cursor:wrong_type",
			},
			{Rule: "a page has something on it", Do: anna, Body: `{"limit":0}`, Status: 422, Wrong: "limit:out_of_range"},
			{Rule: "actions go by their own names", Do: "POST /deals", Body: `{"name":"Boat","amount":"10"}`, Status: 201, Save: "boat"},
			{Rule: "won", Do: "POST /deals/$boat/win", Status: 200},
			{
				Rule: "with all that they did", Do: history("/deals/$boat"), Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"action":"win","version":2,"changes":{"status":{"from":"open","to":"won"},"stage_id":{"from":"$s1",` +
					`"to":"$won"},"probability":{"from":10,"to":100},"closed_at":{"from":null,"to":"*"},"amount":"<absent>"}}]}`,
			},
			{
				Rule: "a cursor of another record is none", Do: history("/deals/$boat"), Body: `{"cursor":"$next"}`, Status: 422,
				Wrong: "cursor:invalid_cursor",
			},
			{
				Rule: "a write without a change of the record's own is in it", Do: "POST /apps",
				Body: `{"name":"Sync","scopes":["contact.read"]}`, Status: 201, Save: "app", Chance: true,
			},
			{Rule: "a new secret", Do: "POST /apps/$app/rotate_secret", Status: 200, Chance: true},
			{
				Rule: "by its name, and without the secret", Do: history("/apps/$app"), Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"action":"rotate_secret","changes":{}}]}`, Chance: true,
			},
			{
				Rule: "a revoked token has one", Do: "POST /tokens", Body: `{"name":"CI","scopes":["contact.read"]}`, Status: 201,
				Save: "ci", Chance: true,
			},
			{Rule: "although it has no bin", Do: "DELETE /tokens/$ci", Status: 204},
			{
				Rule: "of who made it and who ended it", Do: history("/tokens/$ci"), Status: 200,
				Want: `{"data":[{"action":"delete"},{"action":"create"}]}`, Chance: true,
			},
			{Rule: "what is not there is 404", Do: history("/contacts/contact_01h455vb4pex5vsknk084sn02q"), Status: 404, Code: "not_found"},
			{Rule: "so is what is no id", Do: history("/contacts/$boat"), Status: 404, Code: "not_found"},
			{Rule: "and what is another business's", As: "stranger", Do: anna, Status: 404, Code: "not_found"},
			{
				Rule: "it needs the scope to read", As: "admin:contact.write", Do: anna, Status: 403, Code: "insufficient_scope",
				Want: `{"scope":"contact.read"}`,
			},
			{Rule: "and no more", As: "viewer:contact.read", Do: anna, Status: 200},
			{Rule: "it is no GET", Do: "GET /contacts/$anna/history/search", Status: 405},
		})
	})
}

func TestHistoryIsForThoseWhoMayReadTheRecordNow(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.OwnReader(t)
		boat := "POST /deals/$boat/history/search"
		w.Run(t, []Step{
			{Rule: "one's own", As: "own", Do: "POST /deals", Body: `{"name":"Boat"}`, Status: 201, Save: "boat"},
			{Rule: "has a history", As: "own", Do: boat, Status: 200, Want: `{"data":[{"version":1}]}`},
			{Rule: "in the bin, too", As: "own", Do: "DELETE /deals/$boat", Status: 204},
			{
				Rule: "with the deletion", As: "own", Do: boat, Body: `{"limit":1}`, Status: 200, Want: `{"data":[{"version":2}]}`,
				Save: "next=meta.cursor.next",
			},
			{Rule: "back again", As: "own", Do: "POST /deals/$boat/restore", Status: 200},
			{Rule: "and handed to somebody else", As: "own", Do: "PATCH /deals/$boat", Body: `{"owner_id":"$admin"}`, Status: 200},
			{Rule: "it is there no longer, as if it had never been", As: "own", Do: boat, Status: 404, Code: "not_found"},
			{Rule: "not even with a cursor from before", As: "own", Do: boat, Body: `{"cursor":"$next"}`, Status: 404, Code: "not_found"},
			{
				Rule: "the new owner sees all of it", Do: boat, Status: 200,
				Want: `{"data":[{"version":4,"changes":{"owner_id":{"from":"*","to":"$admin"}}},{},{},{}]}`,
			},
		})
	})
}
