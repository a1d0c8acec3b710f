package httpapi_test

import (
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
)

// ownReader makes a user who reads only their own records of every resource but users, under the name "own".
func (w *world) ownReader(t *testing.T) {
	t.Helper()
	var own []string
	for _, k := range record.Kinds() {
		reach := "own"
		if k.Name == "user" {
			reach = "all"
		}
		own = append(own, `"`+k.Name+`":{"read":"`+reach+`","write":"own","delete":"own"}`)
	}
	w.create(t, "roles", `{"name":"own","permissions":{`+strings.Join(own, ",")+`}}`, "")
	w.person(t, "own", "own")
}

func TestHistoryTellsWhatHappenedToARecord(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		stages(t, w)
		history := func(of string) string { return "POST " + of + "/history/search" }
		anna := history("/contacts/$anna")
		w.check(t, step{
			do: "POST /contacts", body: `{"name":"Anna","tags":["vip"],"address":{"city":"Kiel"}}`, status: 201,
			save: "anna made=created_at",
		})
		w.run(t, []step{
			{
				rule: "it begins with the creation: every field that had a value, from nothing", do: anna, status: 200,
				want: `{"data":[{"seq":"*","at":"$made","action":"create","version":1,"actor":{"user_id":"$admin","token_id":"*",` +
					`"app_id":null},"request_id":"*","resource":"<absent>","changes":{"name":{"from":null,"to":"Anna"},"tags":{"from":[],` +
					`"to":["vip"]},"address.city":{"from":null,"to":"Kiel"},"owner_id":{"from":null,"to":"$admin"},"version":"<absent>",` +
					`"updated_at":"<absent>","updated_by":"<absent>","created_at":"<absent>","id":"<absent>"}}],` +
					`"meta":{"cursor":{"next":null,"has_more":false},"total":"<absent>"}}`,
			},
			{
				rule: "somebody changes it", as: "manager", do: "PATCH /contacts/$anna",
				body: `{"name":"Anne","address":{"city":null,"street":"Quay 1"},"tags":["vip","new"]}`, status: 200,
			},
			{
				rule: "the newest comes first, by whom and what: paths as in filters, lists whole", do: anna, status: 200,
				want: `{"data":[{"action":"update","version":2,"actor":{"user_id":"$manager"},"changes":{"name":{"from":"Anna",` +
					`"to":"Anne"},"address.city":{"from":"Kiel","to":null},"address.street":{"from":null,"to":"Quay 1"},` +
					`"tags":{"from":["vip"],"to":["vip","new"]},"address":"<absent>","version":"<absent>"}},{"version":1}]}`,
			},
			{rule: "or last", do: anna, body: `{"sort_direction":"asc"}`, status: 200, want: `{"data":[{"version":1},{"version":2}]}`},
			{rule: "a patch that changes nothing is no entry", do: "PATCH /contacts/$anna", body: `{"name":"Anne"}`, status: 200},
			{rule: "in the bin it can be read", do: "DELETE /contacts/$anna", status: 204},
			{
				rule: "with its deletion", do: anna, status: 200,
				want: `{"data":[{"action":"delete","version":3,"changes":{}},{"version":2},{"version":1}]}`,
			},
			{rule: "and by who may read it", as: "viewer", do: anna, status: 200, want: `{"data":[{"version":3},{},{}]}`},
			{rule: "restored", do: "POST /contacts/$anna/restore", status: 200},
			{
				rule: "it tells that, too", do: anna, body: `{"limit":1}`, status: 200,
				want: `{"data":[{"action":"restore","version":4}],"meta":{"cursor":{"next":"*","has_more":true}}}`,
				save: "next=meta.cursor.next",
			},
			{
				rule: "the next page goes on behind", do: anna, body: `{"limit":2,"cursor":"$next"}`, status: 200,
				want: `{"data":[{"version":3},{"version":2}],"meta":{"cursor":{"has_more":true}}}`, save: "last=meta.cursor.next",
			},
			{rule: "whatever came on top meanwhile", do: "PATCH /contacts/$anna", body: `{"job_title":"Cook"}`, status: 200},
			{
				rule: "to the end", do: anna, body: `{"limit":2,"cursor":"$last"}`, status: 200,
				want: `{"data":[{"version":1}],"meta":{"cursor":{"next":null,"has_more":false}}}`,
			},
			{
				rule: "a cursor of the other direction is none", do: anna, body: `{"sort_direction":"asc","cursor":"$next"}`, status: 422,
				wrong: "cursor:invalid_cursor",
			},
			{
				rule: "nor is one of another user", as: "manager", do: anna, body: `{"cursor":"$next"}`, status: 422,
				wrong: "cursor:invalid_cursor",
			},
			{rule: "nor one that was altered", do: anna, body: `{"cursor":"A$next"}`, status: 422, wrong: "cursor:invalid_cursor"},
			{rule: "nor nothing", do: anna, body: `{"cursor":""}`, status: 422, wrong: "cursor:invalid_cursor"},
			{
				rule: "null is not given", do: anna, body: `{"cursor":null,"limit":null,"sort_direction":null}`, status: 200,
				want: `{"data":[{"version":5},{},{},{},{}]}`,
			},
			{
				rule: "upwards page by page", do: anna, body: `{"sort_direction":"asc","limit":3}`, status: 200,
				want: `{"data":[{"version":1},{"version":2},{"version":3}]}`, save: "up=meta.cursor.next",
			},
			{
				rule: "behind the third", do: anna, body: `{"sort_direction":"asc","limit":3,"cursor":"$up"}`, status: 200,
				want: `{"data":[{"version":4},{"version":5}],"meta":{"cursor":{"has_more":false}}}`,
			},
			{
				rule: "all that is wrong is named", do: anna, body: `{"limit":101,"sort_direction":"up","order_by":"at"}`, status: 422,
				wrong: "limit:out_of_range sort_direction:not_allowed order_by:unknown_field",
			},
			{
				rule: "types, too", do: anna, body: `{"limit":"5","sort_direction":1,"cursor":2}`, status: 422,
				wrong: "limit:wrong_type sort_direction:wrong_type cursor:wrong_type",
			},
			{rule: "a page has something on it", do: anna, body: `{"limit":0}`, status: 422, wrong: "limit:out_of_range"},
			{rule: "actions go by their own names", do: "POST /deals", body: `{"name":"Boat","amount":"10"}`, status: 201, save: "boat"},
			{rule: "won", do: "POST /deals/$boat/win", status: 200},
			{
				rule: "with all that they did", do: history("/deals/$boat"), body: `{"limit":1}`, status: 200,
				want: `{"data":[{"action":"win","version":2,"changes":{"status":{"from":"open","to":"won"},"stage_id":{"from":"$s1",` +
					`"to":"$won"},"probability":{"from":10,"to":100},"closed_at":{"from":null,"to":"*"},"amount":"<absent>"}}]}`,
			},
			{
				rule: "a cursor of another record is none", do: history("/deals/$boat"), body: `{"cursor":"$next"}`, status: 422,
				wrong: "cursor:invalid_cursor",
			},
			{
				rule: "a write without a change of the record's own is in it", do: "POST /apps",
				body: `{"name":"Sync","scopes":["contact.read"]}`, status: 201, save: "app", chance: true,
			},
			{rule: "a new secret", do: "POST /apps/$app/rotate_secret", status: 200, chance: true},
			{
				rule: "by its name, and without the secret", do: history("/apps/$app"), body: `{"limit":1}`, status: 200,
				want: `{"data":[{"action":"rotate_secret","changes":{}}]}`, chance: true,
			},
			{
				rule: "a revoked token has one", do: "POST /tokens", body: `{"name":"CI","scopes":["contact.read"]}`, status: 201,
				save: "ci", chance: true,
			},
			{rule: "although it has no bin", do: "DELETE /tokens/$ci", status: 204},
			{
				rule: "of who made it and who ended it", do: history("/tokens/$ci"), status: 200,
				want: `{"data":[{"action":"delete"},{"action":"create"}]}`, chance: true,
			},
			{rule: "what is not there is 404", do: history("/contacts/contact_01h455vb4pex5vsknk084sn02q"), status: 404, code: "not_found"},
			{rule: "so is what is no id", do: history("/contacts/$boat"), status: 404, code: "not_found"},
			{rule: "and what is another business's", as: "stranger", do: anna, status: 404, code: "not_found"},
			{
				rule: "it needs the scope to read", as: "admin:contact.write", do: anna, status: 403, code: "insufficient_scope",
				want: `{"scope":"contact.read"}`,
			},
			{rule: "and no more", as: "viewer:contact.read", do: anna, status: 200},
			{rule: "it is no GET", do: "GET /contacts/$anna/history/search", status: 405},
		})
	})
}

func TestHistoryIsForThoseWhoMayReadTheRecordNow(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.ownReader(t)
		boat := "POST /deals/$boat/history/search"
		w.run(t, []step{
			{rule: "one's own", as: "own", do: "POST /deals", body: `{"name":"Boat"}`, status: 201, save: "boat"},
			{rule: "has a history", as: "own", do: boat, status: 200, want: `{"data":[{"version":1}]}`},
			{rule: "in the bin, too", as: "own", do: "DELETE /deals/$boat", status: 204},
			{
				rule: "with the deletion", as: "own", do: boat, body: `{"limit":1}`, status: 200, want: `{"data":[{"version":2}]}`,
				save: "next=meta.cursor.next",
			},
			{rule: "back again", as: "own", do: "POST /deals/$boat/restore", status: 200},
			{rule: "and handed to somebody else", as: "own", do: "PATCH /deals/$boat", body: `{"owner_id":"$admin"}`, status: 200},
			{rule: "it is there no longer, as if it had never been", as: "own", do: boat, status: 404, code: "not_found"},
			{rule: "not even with a cursor from before", as: "own", do: boat, body: `{"cursor":"$next"}`, status: 404, code: "not_found"},
			{
				rule: "the new owner sees all of it", do: boat, status: 200,
				want: `{"data":[{"version":4,"changes":{"owner_id":{"from":"*","to":"$admin"}}},{},{},{}]}`,
			},
		})
	})
}
