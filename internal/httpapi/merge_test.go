package httpapi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/work"
)

// merging is the body of a merge.
func merging(other, prefer string) string {
	if prefer == "" {
		return fmt.Sprintf(`{"other_id":"$%s"}`, other)
	}
	return fmt.Sprintf(`{"other_id":"$%s","prefer":{%s}}`, other, prefer)
}

func TestMergeContacts(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "fields", `{"resource":"contact","name":"shoe","label":"Shoe","kind":"text"}`, "")
		w.create(t, "fields", `{"resource":"contact","name":"boss_id","label":"Boss","kind":"reference","target":"contact"}`, "")
		w.create(t, "fields", `{"resource":"deal","name":"agent_id","label":"Agent","kind":"reference","target":"contact"}`, "")
		w.create(t, "companies", `{"name":"Acme"}`, "acme")
		w.create(t, "contacts", `{"first_name":"Anna","email":"anna@acme.example","job_title":"Boss","tags":["fair","VIP"],`+
			`"last_contacted_at":"2020-01-01T00:00:00Z","external_id":"a-1"}`, "anna")
		w.create(t, "contacts", `{"first_name":"A.","last_name":"Lind","phone":"030 123456","job_title":"Buyer","company_id":"$acme",`+
			`"tags":["vip","new"],"do_not_contact":true,"last_contacted_at":"2021-01-01T00:00:00Z","address":{"city":"Berlin"},`+
			`"external_id":"a-2","custom_fields":{"shoe":"38","boss_id":"$anna"}}`, "twin")
		w.create(t, "contacts", `{"name":"Bert","external_id":"bert","custom_fields":{"boss_id":"$twin"}}`, "bert")
		w.create(t, "deals", `{"name":"Boat","contact_id":"$twin","custom_fields":{"agent_id":"$twin"}}`, "boat")
		w.create(t, "tasks", `{"title":"Call","contact_id":"$twin"}`, "call")
		w.create(t, "notes", `{"title":"Old","contact_id":"$twin"}`, "old")
		w.create(t, "activities", `{"activity_type":"call","contact_id":"$twin","occurred_at":"2021-01-01T00:00:00Z"}`, "rang")
		w.create(t, "quotes", `{"title":"Sent","contact_id":"$twin","line_items":[{"name":"Oar","unit_price":"3"}]}`, "sent")
		w.create(t, "associations", between("twin", "boat", "buyer"), "buyer")
		w.create(t, "associations", between("boat", "twin", "owner"), "owns")
		w.create(t, "associations", between("anna", "boat", "Buyer"), "had")
		w.create(t, "associations", between("anna", "twin", "sister"), "sisters")
		w.create(t, "associations", between("twin", "bert", "friend"), "friend")
		merge := "POST /contacts/$anna/merge"
		w.run(t, []step{
			{rule: "what is in the bin moves, too", do: "DELETE /notes/$old", status: 204},
			{rule: "and so do associations in it", do: "DELETE /associations/$friend", status: 204},
			{rule: "and a quote that was sent", do: "POST /quotes/$sent/send", status: 200},

			{rule: "the other must be given", do: merge, body: `{}`, status: 422, wrong: "other_id:required"},
			{rule: "as an id", do: merge, body: `{"other_id":"anna"}`, status: 422, wrong: "other_id:invalid_id"},
			{rule: "of the same resource", do: merge, body: merging("acme", ""), status: 422, wrong: "other_id:invalid_id"},
			{
				rule: "that is there", do: merge, body: `{"other_id":"contact_01h455vb4pex5vsknk084sn02q"}`, status: 422,
				wrong: "other_id:not_found",
			},
			{rule: "and another one", do: merge, body: merging("anna", ""), status: 422, wrong: "other_id:not_allowed"},
			{
				rule: "only fields are preferred", do: merge,
				body: merging("twin", `"shoe":"other","version":"other","name":"mine","external_id":"other"`), status: 422,
				wrong: "prefer.shoe:unknown_field prefer.version:unknown_field prefer.name:not_allowed prefer.external_id:not_allowed",
			},
			{
				rule: "the survivor must be there", do: "POST /contacts/contact_01h455vb4pex5vsknk084sn02q/merge",
				body:   merging("twin", ""),
				status: 404,
			},
			{rule: "at the version that is known", do: merge, send: []string{`If-Match: "7"`}, body: merging("twin", ""), status: 412},

			{
				rule: "a dry run answers what a merge does", do: merge + "?dry_run=true",
				body: merging("twin", `"job_title":"other","address":"other"`), status: 200,
				want: `{"record":{"id":"$anna","version":2,"first_name":"Anna","last_name":"Lind","name":"Anna Lind","job_title":"Buyer",` +
					`"company_id":"$acme","address":{"city":"Berlin"},"do_not_contact":true,` +
					`"last_contacted_at":"2021-01-01T00:00:00.000000Z","external_id":"a-1","tags":["fair","VIP","new"],` +
					`"custom_fields":{"shoe":"38","boss_id":"<absent>"}},"moved":{"contact":1,"deal":2,"task":1,"note":1,"activity":1,` +
					`"quote":1,"association":2},"filled":["last_name","name","phone","job_title","company_id","address.city",` +
					`"do_not_contact","last_contacted_at","tags","custom_fields.shoe"],"lost":{"first_name":"A.","job_title":"Boss",` +
					`"email":"<absent>","external_id":"<absent>","do_not_contact":"<absent>"}}`,
				head: []string{"Dry-Run: true", `ETag: "2"`},
			},
			{rule: "and does nothing", do: "GET /contacts/$twin", status: 200, want: `{"version":1}`},
			{
				rule: "a merge", do: merge, send: []string{`If-Match: "1"`, "Idempotency-Key: once"},
				body: merging("twin", `"job_title":"other","address":"other"`), status: 200,
				want: `{"record":{"id":"$anna","version":2,"name":"Anna Lind","job_title":"Buyer","custom_fields":{"shoe":"38",` +
					`"boss_id":"<absent>"}},"moved":{"contact":1,"deal":2,"task":1,"note":1,"activity":1,"quote":1,"association":2},` +
					`"filled":["last_name","name","phone","job_title","company_id","address.city","do_not_contact","last_contacted_at",` +
					`"tags","custom_fields.shoe"],"lost":{"first_name":"A.","name":"A. Lind","job_title":"Boss"}}`,
				head: []string{`ETag: "2"`},
			},
			{
				rule: "is done once", do: merge, send: []string{`If-Match: "1"`, "Idempotency-Key: once"},
				body: merging("twin", `"job_title":"other","address":"other"`), status: 200, head: []string{"Idempotent-Replayed: true"},
			},
			{
				rule: "a deal follows", do: "GET /deals/$boat", status: 200,
				want: `{"contact_id":"$anna","custom_fields":{"agent_id":"$anna"},"version":3}`,
			},
			{
				rule: "which is in its history", do: "POST /deals/$boat/history/search", body: `{}`, status: 200,
				want: `{"data":[{"action":"update","version":3,"changes":{"custom_fields.agent_id":{"from":"$twin","to":"$anna"}}},` +
					`{"action":"update","version":2,"actor":{"user_id":"$admin"},"changes":{"contact_id":{"from":"$twin","to":"$anna"}}},` +
					`{"action":"create"}]}`,
			},
			{rule: "a sent quote", do: "GET /quotes/$sent", status: 200, want: `{"contact_id":"$anna","status":"sent"}`},
			{
				rule: "what is in the bin", do: "POST /notes/deleted/search", body: `{}`, status: 200,
				want: `{"data":[{"contact_id":"$anna"}]}`,
			},
			{rule: "a custom field", do: "GET /contacts/$bert", status: 200, want: `{"custom_fields":{"boss_id":"$anna"}}`},
			{
				rule: "which can be searched by", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.boss_id","operator":"eq","value":"$anna"}]}`, status: 200, found: found("bert"),
			},
			{
				rule: "associations, one for each label", do: "POST /associations/search",
				body: `{"order_by":"label","sort_direction":"asc"}`, status: 200,
				want: `{"data":[{"id":"$had"},{"id":"$owns","from_id":"$boat","to_id":"$anna"}]}`,
			},
			{
				rule: "the others went with the other", do: "POST /associations/deleted/search",
				body: `{"order_by":"label","sort_direction":"asc"}`, status: 200,
				want: `{"data":[{"id":"$buyer","from_id":"$twin","deleted_with":"$twin"},{"id":"$friend","from_id":"$anna",` +
					`"deleted_with":null},{"id":"$sisters","deleted_with":"$twin"}]}`,
			},
			{
				rule: "the survivor's history tells who was merged", do: "POST /contacts/$anna/history/search", body: `{"limit":1}`,
				status: 200, want: `{"data":[{"action":"merge","version":2,"changes":{"merged_id":{"from":null,"to":"$twin"},` +
					`"job_title":{"from":"Boss","to":"Buyer"}}}]}`,
			},
			{
				rule: "the other's can still be read", do: "POST /contacts/$twin/history/search", body: `{"limit":1}`, status: 200,
				want: `{"data":[{"action":"merge","version":2,"changes":{"merged_into_id":{"from":null,"to":"$anna"}}}]}`,
			},
			{
				rule: "the other is gone, and says where", do: "GET /contacts/$twin", status: 404,
				want: `{"code":"not_found","merged_into":"$anna"}`,
			},
			{rule: "to a patch", do: "PATCH /contacts/$twin", body: `{"name":"X"}`, status: 404, want: `{"merged_into":"$anna"}`},
			{rule: "a deletion", do: "DELETE /contacts/$twin", status: 404, want: `{"merged_into":"$anna"}`},
			{rule: "a timeline", do: "POST /contacts/$twin/timeline/search", body: `{}`, status: 404, want: `{"merged_into":"$anna"}`},
			{
				rule: "its duplicates", do: "POST /contacts/duplicates/search", body: `{"id":"$twin"}`, status: 404,
				want: `{"merged_into":"$anna"}`,
			},
			{
				rule: "a merge with it", do: "POST /contacts/$twin/merge", body: merging("bert", ""), status: 404,
				want: `{"merged_into":"$anna"}`,
			},
			{
				rule: "an upsert by its id", do: "POST /contacts/upsert", body: `{"match":"id","data":{"id":"$twin","name":"X"}}`,
				status: 404, want: `{"merged_into":"$anna"}`,
			},
			{
				rule: "in a batch", do: "POST /contacts/batch", body: `{"operations":[{"op":"delete","id":"$twin"}]}`, status: 200,
				want: `{"data":[{"status":404,"error":{"merged_into":"$anna"}}]}`,
			},
			{
				rule: "it cannot be restored", do: "POST /contacts/$twin/restore", status: 409,
				want: `{"code":"conflict","merged_into":"$anna"}`,
			},
			{
				rule: "nor be referred to", do: "POST /tasks", body: `{"title":"X","contact_id":"$twin"}`, status: 422,
				wrong: "contact_id:not_found",
			},
			{
				rule: "nor be merged again", do: "POST /contacts/$bert/merge", body: merging("twin", ""), status: 422,
				wrong: "other_id:not_found",
			},
			{
				rule: "the bin tells", do: "POST /contacts/deleted/search",
				body: `{"filters":[{"field":"merged_into_id","operator":"eq","value":"$anna"}],"order_by":"merged_into_id",` +
					`"fields":["id","merged_into_id","merged_into.name"]}`, status: 200,
				want: `{"data":[{"id":"$twin","merged_into_id":"$anna","merged_into":{"name":"Anna Lind"}}],"meta":{"total":1}}`,
			},
			{rule: "live records do not", do: "GET /contacts/$anna", status: 200, want: `{"merged_into_id":"<absent>"}`},
			{
				rule: "by its external id the survivor is found", do: "POST /contacts/upsert",
				body: `{"match":"external_id","data":{"external_id":"a-2","lead_source":"fair"}}`, status: 200,
				want: `{"id":"$anna","external_id":"a-1","lead_source":"fair","version":3}`,
			},
			{rule: "others see nothing of it", as: "stranger", do: "GET /contacts/$twin", status: 404, want: `{"merged_into":"<absent>"}`},

			{
				rule: "what was not merged cannot be unmerged", do: "POST /contacts/$anna/unmerge", body: merging("bert", ""), status: 422,
				wrong: "other_id:not_found",
			},
			{
				rule: "nor from another", do: "POST /contacts/$bert/unmerge", body: merging("twin", ""), status: 422,
				wrong: "other_id:not_found",
			},
			{rule: "what changes meanwhile", do: "PATCH /tasks/$call", body: `{"contact_id":"$bert"}`, status: 200},
			{rule: "is left", do: "PATCH /contacts/$anna", body: `{"phone":"030 999"}`, status: 200},
			{
				rule: "a dry run tells it", do: "POST /contacts/$anna/unmerge?dry_run=true", body: merging("twin", ""), status: 200,
				want: `{"other":{"id":"$twin"},"left":[{"id":"$anna","field":"phone"},{"id":"$call","field":"contact_id"}]}`,
			},
			{
				rule: "and so does the reverse", do: "POST /contacts/$anna/unmerge", body: merging("twin", ""), status: 200,
				want: `{"record":{"id":"$anna","version":5,"last_name":null,"name":"Anna","phone":"030 999","job_title":"Boss",` +
					`"company_id":null,"do_not_contact":false,"lead_source":"fair","tags":["fair","VIP"],` +
					`"custom_fields":{"shoe":"<absent>"}},"other":{"id":"$twin","name":"A. Lind","custom_fields":{"shoe":"38",` +
					`"boss_id":"$anna"},"external_id":"a-2"},"left":[{"id":"$anna","field":"phone"},{"id":"$call","field":"contact_id"}]}`,
			},
			{
				rule: "all else is back", do: "GET /deals/$boat", status: 200,
				want: `{"contact_id":"$twin","custom_fields":{"agent_id":"$twin"}}`,
			},
			{
				rule: "associations, too", do: "POST /associations/search", body: `{"order_by":"label","sort_direction":"asc"}`,
				status: 200,
				want:   `{"data":[{"id":"$buyer","from_id":"$twin"},{"id":"$had"},{"id":"$owns","to_id":"$twin"},{"id":"$sisters"}]}`,
			},
			{
				rule: "the survivor's history tells", do: "POST /contacts/$anna/history/search", body: `{"limit":1}`, status: 200,
				want: `{"data":[{"action":"unmerge","changes":{"merged_id":{"from":"$twin","to":null}}}]}`,
			},
			{
				rule: "and the other's", do: "POST /contacts/$twin/history/search", body: `{"limit":1}`, status: 200,
				want: `{"data":[{"action":"unmerge","changes":{"merged_into_id":{"from":"$anna","to":null}}}]}`,
			},
			{
				rule: "it is found by its own external id again", do: "POST /contacts/upsert",
				body: `{"match":"external_id","data":{"external_id":"a-2","lead_source":"web"}}`, status: 200, want: `{"id":"$twin"}`,
			},
			{
				rule: "a merge in a batch tells the same", do: "POST /contacts/batch",
				body: `{"atomic":true,"operations":[{"op":"act","id":"$anna","action":"merge","data":{"other_id":"$twin"}},{"op":"act",` +
					`"id":"$anna","action":"unmerge","data":{"other_id":"$twin"}}]}`, status: 200,
				want: `{"data":[{"status":200,"record":{"id":"$anna"},"moved":{"deal":2},"filled":["last_name","name","company_id",` +
					`"address.city","do_not_contact","last_contacted_at","tags","custom_fields.shoe"]},{"status":200,` +
					`"record":{"id":"$anna"},"other":{"id":"$twin"},"left":[]}]}`,
			},
		})
	})
}

func TestMergeCompanies(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, c := range []struct{ name, rest string }{
			{"top", ``},
			{"other", `,"parent_company_id":"$top"`},
			{"middle", `,"parent_company_id":"$other"`},
			{"this", `,"parent_company_id":"$middle"`},
			{"child", `,"parent_company_id":"$this"`},
			{"euro", `,"currency":"EUR"`},
			{"crowns", `,"currency":"SEK","annual_revenue":"10"`},
			{"dollars", `,"currency":"USD","annual_revenue":"20","industry":"Ships"`},
		} {
			w.create(t, "companies", fmt.Sprintf(`{"name":%q%s}`, c.name, c.rest), c.name)
		}
		w.create(t, "contacts", `{"name":"Anna","company_id":"$other"}`, "anna")
		w.run(t, []step{
			{
				rule: "below the other it takes its place", do: "POST /companies/$this/merge", body: merging("other", ""), status: 200,
				want: `{"record":{"parent_company_id":"$top"},"moved":{"contact":1,"company":1},"filled":["parent_company_id"],` +
					`"lost":{"name":"other","parent_company_id":"$middle"}}`,
			},
			{rule: "so that none is its own parent", do: "GET /companies/$middle", status: 200, want: `{"parent_company_id":"$this"}`},
			{
				rule: "and back", do: "POST /companies/$this/unmerge", body: merging("other", ""), status: 200,
				want: `{"record":{"parent_company_id":"$middle"},"other":{"parent_company_id":"$top"},"left":[]}`,
			},
			{rule: "with those below", do: "GET /companies/$middle", status: 200, want: `{"parent_company_id":"$other"}`},
			{
				rule: "above the other it stays where it is", do: "POST /companies/$top/merge", body: merging("this", ""), status: 200,
				want: `{"record":{"parent_company_id":null},"moved":{"company":1},"filled":[]}`,
			},
			{
				rule: "and those below the other are below it", do: "GET /companies/$child", status: 200,
				want: `{"parent_company_id":"$top"}`,
			},
			{
				rule: "it cannot be preferred otherwise", do: "POST /companies/$top/merge",
				body: merging("middle", `"parent_company_id":"other"`), status: 422, wrong: "prefer.parent_company_id:not_allowed",
			},
			{
				rule: "its own parent", do: "POST /companies/$middle/merge", body: merging("other", ""), status: 200,
				want: `{"record":{"parent_company_id":"$top"},"lost":{"name":"other","parent_company_id":"<absent>"}}`,
			},
			{
				rule: "what was merged with another comes back through it", do: "POST /companies/$top/merge", body: merging("middle", ""),
				status: 200,
			},
			{
				rule: "and not before", do: "POST /companies/$top/unmerge", body: merging("other", ""), status: 409,
				want: `{"code":"conflict","existing_id":"$middle"}`,
			},
			{rule: "its id leads to the last", do: "GET /companies/$other", status: 404, want: `{"merged_into":"$top"}`},
			{rule: "as do references", do: "GET /contacts/$anna", status: 200, want: `{"company_id":"$top"}`},
			{rule: "the next first", do: "POST /companies/$top/unmerge", body: merging("middle", ""), status: 200},
			{
				rule: "then the other", do: "POST /companies/$middle/unmerge", body: merging("other", ""), status: 200,
				want: `{"record":{"parent_company_id":"$other"},"left":[]}`,
			},
			{rule: "with what it had", do: "GET /contacts/$anna", status: 200, want: `{"company_id":"$other"}`},

			{
				rule: "amounts come with their currency", do: "POST /companies/$euro/merge", body: merging("crowns", ""), status: 200,
				want: `{"record":{"currency":"SEK","annual_revenue":"10.00"},"filled":["annual_revenue","currency"]}`,
			},
			{
				rule: "or not at all", do: "POST /companies/$euro/merge?dry_run=true", body: merging("dollars", ""), status: 200,
				want: `{"record":{"currency":"SEK","annual_revenue":"10.00","industry":"Ships"},"lost":{"currency":"USD",` +
					`"annual_revenue":"20.00"}}`,
			},
			{
				rule: "preferred alone they would be others", do: "POST /companies/$euro/merge",
				body: merging("dollars", `"annual_revenue":"other"`), status: 422, wrong: "prefer.annual_revenue:not_allowed",
			},
			{
				rule: "and so would the currency", do: "POST /companies/$euro/merge", body: merging("dollars", `"currency":"other"`),
				status: 422, wrong: "prefer.currency:not_allowed",
			},
			{
				rule: "both together are right", do: "POST /companies/$euro/merge",
				body: merging("dollars", `"currency":"other","annual_revenue":"other"`), status: 200,
				want: `{"record":{"currency":"USD","annual_revenue":"20.00"},"lost":{"currency":"SEK","annual_revenue":"10.00"}}`,
			},
			{
				rule: "the first goes", do: "POST /companies/$euro/unmerge", body: merging("crowns", ""), status: 200,
				want: `{"record":{"currency":"USD","annual_revenue":"20.00"},"left":[]}`,
			},
			{
				rule: "then the second", do: "POST /companies/$euro/unmerge", body: merging("dollars", ""), status: 200,
				want: `{"record":{"currency":"EUR","annual_revenue":null,"industry":null},"left":[]}`,
			},

			{rule: "what is back needs what it needed", do: "POST /companies/$euro/merge", body: merging("crowns", ""), status: 200},
			{rule: "a unique value that another took", do: "PATCH /companies/$dollars", body: `{"external_id":"x"}`, status: 200},
			{
				rule: "is taken over where there is none", do: "POST /companies/$euro/merge", body: merging("dollars", ""), status: 200,
				want: `{"record":{"external_id":"x"}}`,
			},
			{rule: "changed", do: "PATCH /companies/$euro", body: `{"external_id":"y"}`, status: 200},
			{rule: "and given to a new one", do: "POST /companies", body: `{"name":"New","external_id":"x"}`, status: 201, save: "new"},
			{
				rule: "keeps it away", do: "POST /companies/$euro/unmerge", body: merging("dollars", ""), status: 409,
				want: `{"existing_id":"$new"}`,
			},
			{rule: "until that is gone", do: "DELETE /companies/$new", status: 204},
			{
				rule: "and it comes back", do: "POST /companies/$euro/unmerge", body: merging("dollars", ""), status: 200,
				want: `{"record":{"external_id":"y"},"left":[{"id":"$euro","field":"external_id"}]}`,
			},
			{rule: "a deleted survivor", do: "DELETE /companies/$euro", status: 204},
			{rule: "is still where the other leads", do: "GET /companies/$crowns", status: 404, want: `{"merged_into":"$euro"}`},
			{rule: "and gives it back when it is restored", do: "POST /companies/$euro/unmerge", body: merging("crowns", ""), status: 404},
		})
	})
}

func TestMergeNeedsRightsOnBoth(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.ownReader(t)
		w.create(t, "contacts", `{"name":"Mine","owner_id":"$member"}`, "mine")
		w.create(t, "contacts", `{"name":"Mine, too","owner_id":"$member"}`, "also")
		w.create(t, "contacts", `{"name":"Not mine"}`, "others")
		w.create(t, "contacts", `{"name":"Own","owner_id":"$own"}`, "hers")
		w.create(t, "tasks", `{"title":"Hers","contact_id":"$also","owner_id":"$own"}`, "")
		w.create(t, "tasks", `{"title":"Theirs","contact_id":"$also"}`, "")
		w.create(t, "notes", `{"title":"Theirs","contact_id":"$also"}`, "note")
		mine := "POST /contacts/$mine/merge"
		w.run(t, []step{
			{
				rule: "it needs write", as: "admin:contact.read,contact.delete", do: mine, body: merging("also", ""), status: 403,
				want: `{"scope":"contact.write"}`,
			},
			{
				rule: "and delete", as: "admin:contact.read,contact.write", do: mine, body: merging("also", ""), status: 403,
				want: `{"scope":"contact.delete"}`,
			},
			{rule: "by the role, too", as: "viewer", do: mine, body: merging("also", ""), status: 403, code: "forbidden_by_role"},
			{
				rule: "on the survivor", as: "member", do: "POST /contacts/$others/merge", body: merging("mine", ""), status: 403,
				code: "forbidden_by_role",
			},
			{rule: "and on the other", as: "member", do: mine, body: merging("others", ""), status: 403, code: "forbidden_by_role"},
			{
				rule: "what cannot be read is not there", as: "own", do: "POST /contacts/$hers/merge", body: merging("others", ""),
				status: 422, wrong: "other_id:not_found",
			},
			{
				rule: "nor is what belongs to another business", as: "stranger", do: "POST /contacts", body: `{"name":"Far"}`, status: 201,
				save: "far",
			},
			{rule: "from either side", do: mine, body: merging("far", ""), status: 422, wrong: "other_id:not_found"},
			{rule: "as is seen", as: "stranger", do: mine, body: merging("far", ""), status: 404},
			{
				rule: "what may not be read moves without being told", as: "member:contact.all,task.read", do: mine,
				body: merging("also", ""), status: 200, want: `{"moved":{"task":2,"note":"<absent>"}}`,
			},
			{rule: "as can be seen", do: "GET /notes/$note", status: 200, want: `{"contact_id":"$mine"}`},
			{
				rule: "who may not read the survivor is not told of it", as: "own", do: "GET /contacts/$also", status: 404,
				want: `{"merged_into":"<absent>"}`,
			},
			{rule: "what somebody changed", do: "PATCH /notes/$note", body: `{"contact_id":"$others"}`, status: 200},
			{rule: "to take it back needs write", as: "viewer", do: "POST /contacts/$mine/unmerge", body: merging("also", ""), status: 403},
			{rule: "on both", as: "stranger", do: "POST /contacts/$mine/unmerge", body: merging("also", ""), status: 404},
			{
				rule: "and tells only of what may be read", as: "member:contact.all,task.read", do: "POST /contacts/$mine/unmerge",
				body: merging("also", ""), status: 200, want: `{"left":[],"other":{"name":"Mine, too"}}`,
			},
			{
				rule: "a writer who may not read is told the ids", as: "admin:contact.write,contact.delete", do: mine,
				body: merging("also", ""), status: 200, want: `{"record":{"id":"$mine","version":4,"name":"<absent>"},"moved":{}}`,
			},
		})
	})
}

// Who is erased is erased with all that was merged into them, and nothing of it is kept.
func TestErasureReachesWhatWasMerged(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "fields", `{"resource":"deal","name":"agent_id","label":"Agent","kind":"reference","target":"contact"}`, "")
		w.create(t, "contacts", `{"name":"Survivor"}`, "anna")
		w.create(t, "contacts", `{"name":"Secretive","phone":"030 777777","external_id":"secret-1"}`, "twin")
		w.create(t, "contacts", `{"name":"Thirdly","job_title":"Spy","external_id":"secret-2"}`, "third")
		w.create(t, "deals", `{"name":"Boat","contact_id":"$third","custom_fields":{"agent_id":"$twin"}}`, "boat")
		w.run(t, []step{
			{rule: "one into the other", do: "POST /contacts/$twin/merge", body: merging("third", ""), status: 200},
			{rule: "and that into the survivor", do: "POST /contacts/$anna/merge", body: merging("twin", ""), status: 200},
			{
				rule: "what was merged is not erased by itself, because the survivor has taken it over", do: "POST /contacts/$third/erase",
				body: `{"reason":"asked for it"}`, status: 404, want: `{"merged_into":"$anna"}`,
			},
			{rule: "who is erased", do: "POST /contacts/$anna/erase", body: `{"reason":"asked for it"}`, status: 204},
		})
		for range 50 {
			if more, err := work.WorkOff(t.Context(), w.engine); err != nil {
				t.Fatal(err)
			} else if !more {
				break
			}
		}
		w.run(t, []step{
			{rule: "nobody is left in the bin", do: "POST /contacts/deleted/search", body: `{}`, status: 200, want: `{"data":[]}`},
			{rule: "nothing leads to them", do: "GET /contacts/$third", status: 404, want: `{"merged_into":"<absent>"}`},
			{
				rule: "nor refers to them", do: "GET /deals/$boat", status: 200,
				want: `{"contact_id":null,"custom_fields":{"agent_id":"<absent>"}}`,
			},
			{
				rule: "nor is found by what they had", do: "POST /contacts/upsert",
				body: `{"match":"external_id","data":{"external_id":"secret-2","name":"New"}}`, status: 201,
			},
		})
		for _, table := range []string{"merged", "merged_reference", "added_reference"} {
			if rows := w.dump(t, table); rows != "" {
				t.Errorf("there is something left of it:\n%s", rows)
			}
		}
	})
}

// Two merges that cross, and writes beside them that refer to one of the two: one merge wins, and nothing refers to what is gone.
func TestMergesAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		t.Parallel()
		servers := w.servers(t)
		for range 5 {
			w.create(t, "contacts", `{"name":"A"}`, "a")
			w.create(t, "contacts", `{"name":"B"}`, "b")
			w.create(t, "contacts", `{"name":"C"}`, "c")
			var all sync.WaitGroup
			statuses := make(chan int, 4)
			for i, do := range []string{"a b", "b a", "c a", "c b"} {
				survivor, other, _ := strings.Cut(do, " ")
				all.Go(func() {
					on := servers[i%len(servers)]
					statuses <- on.send(t, step{do: "POST /contacts/$" + survivor + "/merge", body: merging(other, "")}).status
				})
			}
			for i := range 12 {
				all.Go(func() {
					on := servers[i%len(servers)]
					if a := on.send(t, step{
						do:   "POST /tasks",
						body: fmt.Sprintf(`{"title":"T","contact_id":"$%s"}`, []string{"a", "b"}[i%2]),
					}); a.status != 201 &&
						a.status != 422 {
						t.Errorf("a task is answered %d: %s", a.status, a.text)
					}
				})
			}
			all.Wait()
			close(statuses)
			merged := 0
			for status := range statuses {
				switch status {
				case 200:
					merged++
				case 404, 422:
				default:
					t.Errorf("a merge is answered %d", status)
				}
			}
			if merged != 2 { // three records have become one
				t.Errorf("%d merges were done", merged)
			}
			a := w.check(t, step{
				do: "POST /tasks/search", body: `{"limit":100,"fields":["contact_id","contact.id"]}`, status: 200,
				chance: true,
			})
			for _, task := range at(a.json, "data").([]any) {
				if at(task, "contact.id") == nil {
					t.Errorf("a task refers to what is gone: %v", task)
				}
			}
		}
	})
}
