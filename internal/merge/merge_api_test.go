package merge_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/work"

	. "github.com/kith-crm/kith/internal/apitest"
)

// merging is the body of a merge.
func merging(other, prefer string) string {
	if prefer == "" {
		return fmt.Sprintf(`{"other_id":"$%s"}`, other)
	}
	return fmt.Sprintf(`{"other_id":"$%s","prefer":{%s}}`, other, prefer)
}

func TestMergeContacts(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "fields", `{"resource":"contact","name":"shoe","label":"Shoe","kind":"text"}`, "")
		w.Create(t, "fields", `{"resource":"contact","name":"boss_id","label":"Boss","kind":"reference","target":"contact"}`, "")
		w.Create(t, "fields", `{"resource":"deal","name":"agent_id","label":"Agent","kind":"reference","target":"contact"}`, "")
		w.Create(t, "companies", `{"name":"Acme"}`, "acme")
		w.Create(t, "contacts", `{"first_name":"Anna","email":"anna@acme.example","job_title":"Boss","tags":["fair","VIP"],`+
			`"last_contacted_at":"2020-01-01T00:00:00Z","external_id":"a-1"}`, "anna")
		w.Create(t, "contacts", `{"first_name":"A.","last_name":"Lind","phone":"030 123456","job_title":"Buyer","company_id":"$acme",`+
			`"tags":["vip","new"],"do_not_contact":true,"last_contacted_at":"2021-01-01T00:00:00Z","address":{"city":"Berlin"},`+
			`"external_id":"a-2","custom_fields":{"shoe":"38","boss_id":"$anna"}}`, "twin")
		w.Create(t, "contacts", `{"name":"Bert","external_id":"bert","custom_fields":{"boss_id":"$twin"}}`, "bert")
		w.Create(t, "deals", `{"name":"Boat","contact_id":"$twin","custom_fields":{"agent_id":"$twin"}}`, "boat")
		w.Create(t, "tasks", `{"title":"Call","contact_id":"$twin"}`, "call")
		w.Create(t, "notes", `{"title":"Old","contact_id":"$twin"}`, "old")
		w.Create(t, "activities", `{"activity_type":"call","contact_id":"$twin","occurred_at":"2021-01-01T00:00:00Z"}`, "rang")
		w.Create(t, "quotes", `{"title":"Sent","contact_id":"$twin","line_items":[{"name":"Oar","unit_price":"3"}]}`, "sent")
		w.Create(t, "associations", Between("twin", "boat", "buyer"), "buyer")
		w.Create(t, "associations", Between("boat", "twin", "owner"), "owns")
		w.Create(t, "associations", Between("anna", "boat", "Buyer"), "had")
		w.Create(t, "associations", Between("anna", "twin", "sister"), "sisters")
		w.Create(t, "associations", Between("twin", "bert", "friend"), "friend")
		merge := "POST /contacts/$anna/merge"
		w.Run(t, []Step{
			{Rule: "what is in the bin moves, too", Do: "DELETE /notes/$old", Status: 204},
			{Rule: "and so do associations in it", Do: "DELETE /associations/$friend", Status: 204},
			{Rule: "and a quote that was sent", Do: "POST /quotes/$sent/send", Status: 200},

			{Rule: "the other must be given", Do: merge, Body: `{}`, Status: 422, Wrong: "other_id:required"},
			{Rule: "as an id", Do: merge, Body: `{"other_id":"anna"}`, Status: 422, Wrong: "other_id:invalid_id"},
			{Rule: "of the same resource", Do: merge, Body: merging("acme", ""), Status: 422, Wrong: "other_id:invalid_id"},
			{
				Rule: "that is there", Do: merge, Body: `{"other_id":"contact_01h455vb4pex5vsknk084sn02q"}`, Status: 422,
				Wrong: "other_id:not_found",
			},
			{Rule: "and another one", Do: merge, Body: merging("anna", ""), Status: 422, Wrong: "other_id:not_allowed"},
			{
				Rule: "only fields are preferred", Do: merge,
				Body: merging("twin", `"shoe":"other","version":"other","name":"mine","external_id":"other"`), Status: 422,
				Wrong: "prefer.shoe:unknown_field prefer.version:unknown_field prefer.name:not_allowed prefer.external_id:not_allowed",
			},
			{
				Rule: "the survivor must be there", Do: "POST /contacts/contact_01h455vb4pex5vsknk084sn02q/merge",
				Body:   merging("twin", ""),
				Status: 404,
			},
			{Rule: "at the version that is known", Do: merge, Send: []string{`If-Match: "7"`}, Body: merging("twin", ""), Status: 412},

			{
				Rule: "a dry run answers what a merge does", Do: merge + "?dry_run=true",
				Body: merging("twin", `"job_title":"other","address":"other"`), Status: 200,
				Want: `{"record":{"id":"$anna","version":2,"first_name":"Anna","last_name":"Lind","name":"Anna Lind","job_title":"Buyer",` +
					`"company_id":"$acme","address":{"city":"Berlin"},"do_not_contact":true,` +
					`"last_contacted_at":"2021-01-01T00:00:00.000000Z","external_id":"a-1","tags":["fair","VIP","new"],` +
					`"custom_fields":{"shoe":"38","boss_id":"<absent>"}},"moved":{"contact":1,"deal":2,"task":1,"note":1,"activity":1,` +
					`"quote":1,"association":2},"filled":["last_name","name","phone","job_title","company_id","address.city",` +
					`"do_not_contact","last_contacted_at","tags","custom_fields.shoe"],"lost":{"first_name":"A.","job_title":"Boss",` +
					`"email":"<absent>","external_id":"<absent>","do_not_contact":"<absent>"}}`,
				Head: []string{"Dry-Run: true", `ETag: "2"`},
			},
			{Rule: "and does nothing", Do: "GET /contacts/$twin", Status: 200, Want: `{"version":1}`},
			{
				Rule: "a merge", Do: merge, Send: []string{`If-Match: "1"`, "Idempotency-Key: once"},
				Body: merging("twin", `"job_title":"other","address":"other"`), Status: 200,
				Want: `{"record":{"id":"$anna","version":2,"name":"Anna Lind","job_title":"Buyer","custom_fields":{"shoe":"38",` +
					`"boss_id":"<absent>"}},"moved":{"contact":1,"deal":2,"task":1,"note":1,"activity":1,"quote":1,"association":2},` +
					`"filled":["last_name","name","phone","job_title","company_id","address.city","do_not_contact","last_contacted_at",` +
					`"tags","custom_fields.shoe"],"lost":{"first_name":"A.","name":"A. Lind","job_title":"Boss"}}`,
				Head: []string{`ETag: "2"`},
			},
			{
				Rule: "is done once", Do: merge, Send: []string{`If-Match: "1"`, "Idempotency-Key: once"},
				Body: merging("twin", `"job_title":"other","address":"other"`), Status: 200, Head: []string{"Idempotent-Replayed: true"},
			},
			{
				Rule: "a deal follows", Do: "GET /deals/$boat", Status: 200,
				Want: `{"contact_id":"$anna","custom_fields":{"agent_id":"$anna"},"version":3}`,
			},
			{
				Rule: "which is in its history", Do: "POST /deals/$boat/history/search", Body: `{}`, Status: 200,
				Want: `{"data":[{"action":"update","version":3,"changes":{"custom_fields.agent_id":{"from":"$twin","to":"$anna"}}},` +
					`{"action":"update","version":2,"actor":{"user_id":"$admin"},"changes":{"contact_id":{"from":"$twin","to":"$anna"}}},` +
					`{"action":"create"}]}`,
			},
			{Rule: "a sent quote", Do: "GET /quotes/$sent", Status: 200, Want: `{"contact_id":"$anna","status":"sent"}`},
			{
				Rule: "what is in the bin", Do: "POST /notes/deleted/search", Body: `{}`, Status: 200,
				Want: `{"data":[{"contact_id":"$anna"}]}`,
			},
			{Rule: "a custom field", Do: "GET /contacts/$bert", Status: 200, Want: `{"custom_fields":{"boss_id":"$anna"}}`},
			{
				Rule: "which can be searched by", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.boss_id","operator":"eq","value":"$anna"}]}`, Status: 200, Found: Found("bert"),
			},
			{
				Rule: "associations, one for each label", Do: "POST /associations/search",
				Body: `{"order_by":"label","sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[{"id":"$had"},{"id":"$owns","from_id":"$boat","to_id":"$anna"}]}`,
			},
			{
				Rule: "the others went with the other", Do: "POST /associations/deleted/search",
				Body: `{"order_by":"label","sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[{"id":"$buyer","from_id":"$twin","deleted_with":"$twin"},{"id":"$friend","from_id":"$anna",` +
					`"deleted_with":null},{"id":"$sisters","deleted_with":"$twin"}]}`,
			},
			{
				Rule: "the survivor's history tells who was merged", Do: "POST /contacts/$anna/history/search", Body: `{"limit":1}`,
				Status: 200, Want: `{"data":[{"action":"merge","version":2,"changes":{"merged_id":{"from":null,"to":"$twin"},` +
					`"job_title":{"from":"Boss","to":"Buyer"}}}]}`,
			},
			{
				Rule: "the other's can still be read", Do: "POST /contacts/$twin/history/search", Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"action":"merge","version":2,"changes":{"merged_into_id":{"from":null,"to":"$anna"}}}]}`,
			},
			{
				Rule: "the other is gone, and says where", Do: "GET /contacts/$twin", Status: 404,
				Want: `{"code":"not_found","merged_into":"$anna"}`,
			},
			{Rule: "to a patch", Do: "PATCH /contacts/$twin", Body: `{"name":"X"}`, Status: 404, Want: `{"merged_into":"$anna"}`},
			{Rule: "a deletion", Do: "DELETE /contacts/$twin", Status: 404, Want: `{"merged_into":"$anna"}`},
			{Rule: "a timeline", Do: "POST /contacts/$twin/timeline/search", Body: `{}`, Status: 404, Want: `{"merged_into":"$anna"}`},
			{
				Rule: "its duplicates", Do: "POST /contacts/duplicates/search", Body: `{"id":"$twin"}`, Status: 404,
				Want: `{"merged_into":"$anna"}`,
			},
			{
				Rule: "a merge with it", Do: "POST /contacts/$twin/merge", Body: merging("bert", ""), Status: 404,
				Want: `{"merged_into":"$anna"}`,
			},
			{
				Rule: "an upsert by its id", Do: "POST /contacts/upsert", Body: `{"match":"id","data":{"id":"$twin","name":"X"}}`,
				Status: 404, Want: `{"merged_into":"$anna"}`,
			},
			{
				Rule: "in a batch", Do: "POST /contacts/batch", Body: `{"operations":[{"op":"delete","id":"$twin"}]}`, Status: 200,
				Want: `{"data":[{"status":404,"error":{"merged_into":"$anna"}}]}`,
			},
			{
				Rule: "it cannot be restored", Do: "POST /contacts/$twin/restore", Status: 409,
				Want: `{"code":"conflict","merged_into":"$anna"}`,
			},
			{
				Rule: "nor be referred to", Do: "POST /tasks", Body: `{"title":"X","contact_id":"$twin"}`, Status: 422,
				Wrong: "contact_id:not_found",
			},
			{
				Rule: "nor be merged again", Do: "POST /contacts/$bert/merge", Body: merging("twin", ""), Status: 422,
				Wrong: "other_id:not_found",
			},
			{
				Rule: "the bin tells", Do: "POST /contacts/deleted/search",
				Body: `{"filters":[{"field":"merged_into_id","operator":"eq","value":"$anna"}],"order_by":"merged_into_id",` +
					`"fields":["id","merged_into_id","merged_into.name"]}`, Status: 200,
				Want: `{"data":[{"id":"$twin","merged_into_id":"$anna","merged_into":{"name":"Anna Lind"}}],"meta":{"total":1}}`,
			},
			{Rule: "live records do not", Do: "GET /contacts/$anna", Status: 200, Want: `{"merged_into_id":"<absent>"}`},
			{
				Rule: "by its external id the survivor is found", Do: "POST /contacts/upsert",
				Body: `{"match":"external_id","data":{"external_id":"a-2","lead_source":"fair"}}`, Status: 200,
				Want: `{"id":"$anna","external_id":"a-1","lead_source":"fair","version":3}`,
			},
			{Rule: "others see nothing of it", As: "stranger", Do: "GET /contacts/$twin", Status: 404, Want: `{"merged_into":"<absent>"}`},

			{
				Rule: "what was not merged cannot be unmerged", Do: "POST /contacts/$anna/unmerge", Body: merging("bert", ""), Status: 422,
				Wrong: "other_id:not_found",
			},
			{
				Rule: "nor from another", Do: "POST /contacts/$bert/unmerge", Body: merging("twin", ""), Status: 422,
				Wrong: "other_id:not_found",
			},
			{Rule: "what changes meanwhile", Do: "PATCH /tasks/$call", Body: `{"contact_id":"$bert"}`, Status: 200},
			{Rule: "is left", Do: "PATCH /contacts/$anna", Body: `{"phone":"030 999"}`, Status: 200},
			{
				Rule: "a dry run tells it", Do: "POST /contacts/$anna/unmerge?dry_run=true", Body: merging("twin", ""), Status: 200,
				Want: `{"other":{"id":"$twin"},"left":[{"id":"$anna","field":"phone"},{"id":"$call","field":"contact_id"}]}`,
			},
			{
				Rule: "and so does the reverse", Do: "POST /contacts/$anna/unmerge", Body: merging("twin", ""), Status: 200,
				Want: `{"record":{"id":"$anna","version":5,"last_name":null,"name":"Anna","phone":"030 999","job_title":"Boss",` +
					`"company_id":null,"do_not_contact":false,"lead_source":"fair","tags":["fair","VIP"],` +
					`"custom_fields":{"shoe":"<absent>"}},"other":{"id":"$twin","name":"A. Lind","custom_fields":{"shoe":"38",` +
					`"boss_id":"$anna"},"external_id":"a-2"},"left":[{"id":"$anna","field":"phone"},{"id":"$call","field":"contact_id"}]}`,
			},
			{
				Rule: "all else is back", Do: "GET /deals/$boat", Status: 200,
				Want: `{"contact_id":"$twin","custom_fields":{"agent_id":"$twin"}}`,
			},
			{
				Rule: "associations, too", Do: "POST /associations/search", Body: `{"order_by":"label","sort_direction":"asc"}`,
				Status: 200,
				Want:   `{"data":[{"id":"$buyer","from_id":"$twin"},{"id":"$had"},{"id":"$owns","to_id":"$twin"},{"id":"$sisters"}]}`,
			},
			{
				Rule: "the survivor's history tells", Do: "POST /contacts/$anna/history/search", Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"action":"unmerge","changes":{"merged_id":{"from":"$twin","to":null}}}]}`,
			},
			{
				Rule: "and the other's", Do: "POST /contacts/$twin/history/search", Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"action":"unmerge","changes":{"merged_into_id":{"from":"$anna","to":null}}}]}`,
			},
			{
				Rule: "it is found by its own external id again", Do: "POST /contacts/upsert",
				Body: `{"match":"external_id","data":{"external_id":"a-2","lead_source":"web"}}`, Status: 200, Want: `{"id":"$twin"}`,
			},
			{
				Rule: "a merge in a batch tells the same", Do: "POST /contacts/batch",
				Body: `{"atomic":true,"operations":[{"op":"act","id":"$anna","action":"merge","data":{"other_id":"$twin"}},{"op":"act",` +
					`"id":"$anna","action":"unmerge","data":{"other_id":"$twin"}}]}`, Status: 200,
				Want: `{"data":[{"status":200,"record":{"id":"$anna"},"moved":{"deal":2},"filled":["last_name","name","company_id",` +
					`"address.city","do_not_contact","last_contacted_at","tags","custom_fields.shoe"]},{"status":200,` +
					`"record":{"id":"$anna"},"other":{"id":"$twin"},"left":[]}]}`,
			},
		})
	})
}

func TestWhatGoesWithARecordFollowsItsMerge(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.Create(t, "contacts", `{"name":"A. Lind"}`, "twin")
		w.Create(t, "deals", `{"name":"Boat"}`, "boat")
		about := func(name string) string {
			return `{"filters":[{"field":"about_id","operator":"eq","value":"$` + name + `"}]}`
		}
		w.Run(t, []Step{
			{Rule: "somebody follows the other", As: "member", Do: "POST /follows", Body: `{"about_id":"$twin"}`, Status: 201, Save: "one"},
			{Rule: "somebody both", As: "viewer", Do: "POST /follows", Body: `{"about_id":"$twin"}`, Status: 201, Save: "two"},
			{Rule: "these", As: "viewer", Do: "POST /follows", Body: `{"about_id":"$anna"}`, Status: 201, Save: "own"},
			{Rule: "and a deal", As: "member", Do: "POST /follows", Body: `{"about_id":"$boat"}`, Status: 201},
			{Rule: "somebody is told of it", Do: "PATCH /contacts/$twin", Body: `{"owner_id":"$manager"}`, Status: 200},
			{Rule: "they are merged", Do: "POST /contacts/$anna/merge", Body: merging("twin", ""), Status: 200, Want: `{"moved":{}}`},
			{
				Rule: "who followed the other follows the survivor", As: "member", Do: "POST /follows/search", Body: about("anna"),
				Status: 200, Want: `{"data":[{"id":"$one"}],"meta":{"total":1}}`,
			},
			{
				Rule: "once", As: "viewer", Do: "POST /follows/search", Body: about("anna"), Status: 200,
				Want: `{"data":[{"id":"$own"}],"meta":{"total":1}}`,
			},
			{
				Rule: "what was told is about the survivor", As: "manager", Do: "POST /notifications/search", Status: 200,
				Want: `{"data":[{"kind":"assigned","about_id":"$anna"}]}`,
			},
			{Rule: "a note about it", Do: "POST /notes", Body: `{"body":"Both","contact_id":"$anna"}`, Status: 201, Save: "note"},
			{
				Rule: "is told to who followed the other", As: "member", Do: "POST /notifications/search", Status: 200,
				Want: `{"data":[{"event":"note.created","about_id":"$note"},{"event":"contact.merged","about_id":"$anna"}]}`,
			},
			{
				Rule: "it is taken back", Do: "POST /contacts/$anna/unmerge", Body: merging("twin", ""), Status: 200, Want: `{"left":[]}`,
			},
			{
				Rule: "and each follows what they did", As: "member", Do: "POST /follows/search", Body: about("twin"), Status: 200,
				Want: `{"data":[{"id":"$one"}],"meta":{"total":1}}`,
			},
			{
				Rule: "of both", As: "viewer", Do: "POST /follows/search", Body: about("twin"), Status: 200,
				Want: `{"data":[{"id":"$two"}],"meta":{"total":1}}`,
			},
			{
				Rule: "as what was told is about the other", As: "manager", Do: "POST /notifications/search", Status: 200,
				Want: `{"data":[{"kind":"assigned","about_id":"$twin"}]}`,
			},
		})
	})
}

func TestMergeCompanies(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
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
			w.Create(t, "companies", fmt.Sprintf(`{"name":%q%s}`, c.name, c.rest), c.name)
		}
		w.Create(t, "contacts", `{"name":"Anna","company_id":"$other"}`, "anna")
		w.Run(t, []Step{
			{
				Rule: "below the other it takes its place", Do: "POST /companies/$this/merge", Body: merging("other", ""), Status: 200,
				Want: `{"record":{"parent_company_id":"$top"},"moved":{"contact":1,"company":1},"filled":["parent_company_id"],` +
					`"lost":{"name":"other","parent_company_id":"$middle"}}`,
			},
			{Rule: "so that none is its own parent", Do: "GET /companies/$middle", Status: 200, Want: `{"parent_company_id":"$this"}`},
			{
				Rule: "and back", Do: "POST /companies/$this/unmerge", Body: merging("other", ""), Status: 200,
				Want: `{"record":{"parent_company_id":"$middle"},"other":{"parent_company_id":"$top"},"left":[]}`,
			},
			{Rule: "with those below", Do: "GET /companies/$middle", Status: 200, Want: `{"parent_company_id":"$other"}`},
			{
				Rule: "above the other it stays where it is", Do: "POST /companies/$top/merge", Body: merging("this", ""), Status: 200,
				Want: `{"record":{"parent_company_id":null},"moved":{"company":1},"filled":[]}`,
			},
			{
				Rule: "and those below the other are below it", Do: "GET /companies/$child", Status: 200,
				Want: `{"parent_company_id":"$top"}`,
			},
			{
				Rule: "it cannot be preferred otherwise", Do: "POST /companies/$top/merge",
				Body: merging("middle", `"parent_company_id":"other"`), Status: 422, Wrong: "prefer.parent_company_id:not_allowed",
			},
			{
				Rule: "its own parent", Do: "POST /companies/$middle/merge", Body: merging("other", ""), Status: 200,
				Want: `{"record":{"parent_company_id":"$top"},"lost":{"name":"other","parent_company_id":"<absent>"}}`,
			},
			{
				Rule: "what was merged with another comes back through it", Do: "POST /companies/$top/merge", Body: merging("middle", ""),
				Status: 200,
			},
			{
				Rule: "and not before", Do: "POST /companies/$top/unmerge", Body: merging("other", ""), Status: 409,
				Want: `{"code":"conflict","existing_id":"$middle"}`,
			},
			{Rule: "its id leads to the last", Do: "GET /companies/$other", Status: 404, Want: `{"merged_into":"$top"}`},
			{Rule: "as do references", Do: "GET /contacts/$anna", Status: 200, Want: `{"company_id":"$top"}`},
			{Rule: "the next first", Do: "POST /companies/$top/unmerge", Body: merging("middle", ""), Status: 200},
			{
				Rule: "then the other", Do: "POST /companies/$middle/unmerge", Body: merging("other", ""), Status: 200,
				Want: `{"record":{"parent_company_id":"$other"},"left":[]}`,
			},
			{Rule: "with what it had", Do: "GET /contacts/$anna", Status: 200, Want: `{"company_id":"$other"}`},

			{
				Rule: "amounts come with their currency", Do: "POST /companies/$euro/merge", Body: merging("crowns", ""), Status: 200,
				Want: `{"record":{"currency":"SEK","annual_revenue":"10.00"},"filled":["annual_revenue","currency"]}`,
			},
			{
				Rule: "or not at all", Do: "POST /companies/$euro/merge?dry_run=true", Body: merging("dollars", ""), Status: 200,
				Want: `{"record":{"currency":"SEK","annual_revenue":"10.00","industry":"Ships"},"lost":{"currency":"USD",` +
					`"annual_revenue":"20.00"}}`,
			},
			{
				Rule: "preferred alone they would be others", Do: "POST /companies/$euro/merge",
				Body: merging("dollars", `"annual_revenue":"other"`), Status: 422, Wrong: "prefer.annual_revenue:not_allowed",
			},
			{
				Rule: "and so would the currency", Do: "POST /companies/$euro/merge", Body: merging("dollars", `"currency":"other"`),
				Status: 422, Wrong: "prefer.currency:not_allowed",
			},
			{
				Rule: "both together are right", Do: "POST /companies/$euro/merge",
				Body: merging("dollars", `"currency":"other","annual_revenue":"other"`), Status: 200,
				Want: `{"record":{"currency":"USD","annual_revenue":"20.00"},"lost":{"currency":"SEK","annual_revenue":"10.00"}}`,
			},
			{
				Rule: "the first goes", Do: "POST /companies/$euro/unmerge", Body: merging("crowns", ""), Status: 200,
				Want: `{"record":{"currency":"USD","annual_revenue":"20.00"},"left":[]}`,
			},
			{
				Rule: "then the second", Do: "POST /companies/$euro/unmerge", Body: merging("dollars", ""), Status: 200,
				Want: `{"record":{"currency":"EUR","annual_revenue":null,"industry":null},"left":[]}`,
			},

			{Rule: "what is back needs what it needed", Do: "POST /companies/$euro/merge", Body: merging("crowns", ""), Status: 200},
			{Rule: "a unique value that another took", Do: "PATCH /companies/$dollars", Body: `{"external_id":"x"}`, Status: 200},
			{
				Rule: "is taken over where there is none", Do: "POST /companies/$euro/merge", Body: merging("dollars", ""), Status: 200,
				Want: `{"record":{"external_id":"x"}}`,
			},
			{Rule: "changed", Do: "PATCH /companies/$euro", Body: `{"external_id":"y"}`, Status: 200},
			{Rule: "and given to a new one", Do: "POST /companies", Body: `{"name":"New","external_id":"x"}`, Status: 201, Save: "new"},
			{
				Rule: "keeps it away", Do: "POST /companies/$euro/unmerge", Body: merging("dollars", ""), Status: 409,
				Want: `{"existing_id":"$new"}`,
			},
			{Rule: "until that is gone", Do: "DELETE /companies/$new", Status: 204},
			{
				Rule: "and it comes back", Do: "POST /companies/$euro/unmerge", Body: merging("dollars", ""), Status: 200,
				Want: `{"record":{"external_id":"y"},"left":[{"id":"$euro","field":"external_id"}]}`,
			},
			{Rule: "a deleted survivor", Do: "DELETE /companies/$euro", Status: 204},
			{Rule: "is still where the other leads", Do: "GET /companies/$crowns", Status: 404, Want: `{"merged_into":"$euro"}`},
			{Rule: "and gives it back when it is restored", Do: "POST /companies/$euro/unmerge", Body: merging("crowns", ""), Status: 404},
		})
	})
}

func TestMergeNeedsRightsOnBoth(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.OwnReader(t)
		w.Create(t, "contacts", `{"name":"Mine","owner_id":"$member"}`, "mine")
		w.Create(t, "contacts", `{"name":"Mine, too","owner_id":"$member"}`, "also")
		w.Create(t, "contacts", `{"name":"Not mine"}`, "others")
		w.Create(t, "contacts", `{"name":"Own","owner_id":"$own"}`, "hers")
		w.Create(t, "tasks", `{"title":"Hers","contact_id":"$also","owner_id":"$own"}`, "")
		w.Create(t, "tasks", `{"title":"Theirs","contact_id":"$also"}`, "")
		w.Create(t, "notes", `{"title":"Theirs","contact_id":"$also"}`, "note")
		mine := "POST /contacts/$mine/merge"
		w.Run(t, []Step{
			{
				Rule: "it needs write", As: "admin:contact.read,contact.delete", Do: mine, Body: merging("also", ""), Status: 403,
				Want: `{"scope":"contact.write"}`,
			},
			{
				Rule: "and delete", As: "admin:contact.read,contact.write", Do: mine, Body: merging("also", ""), Status: 403,
				Want: `{"scope":"contact.delete"}`,
			},
			{Rule: "by the role, too", As: "viewer", Do: mine, Body: merging("also", ""), Status: 403, Code: "forbidden_by_role"},
			{
				Rule: "on the survivor", As: "member", Do: "POST /contacts/$others/merge", Body: merging("mine", ""), Status: 403,
				Code: "forbidden_by_role",
			},
			{Rule: "and on the other", As: "member", Do: mine, Body: merging("others", ""), Status: 403, Code: "forbidden_by_role"},
			{
				Rule: "what cannot be read is not there", As: "own", Do: "POST /contacts/$hers/merge", Body: merging("others", ""),
				Status: 422, Wrong: "other_id:not_found",
			},
			{
				Rule: "nor is what belongs to another business", As: "stranger", Do: "POST /contacts", Body: `{"name":"Far"}`, Status: 201,
				Save: "far",
			},
			{Rule: "from either side", Do: mine, Body: merging("far", ""), Status: 422, Wrong: "other_id:not_found"},
			{Rule: "as is seen", As: "stranger", Do: mine, Body: merging("far", ""), Status: 404},
			{
				Rule: "what may not be read moves without being told", As: "member:contact.all,task.read", Do: mine,
				Body: merging("also", ""), Status: 200, Want: `{"moved":{"task":2,"note":"<absent>"}}`,
			},
			{Rule: "as can be seen", Do: "GET /notes/$note", Status: 200, Want: `{"contact_id":"$mine"}`},
			{
				Rule: "who may not read the survivor is not told of it", As: "own", Do: "GET /contacts/$also", Status: 404,
				Want: `{"merged_into":"<absent>"}`,
			},
			{Rule: "what somebody changed", Do: "PATCH /notes/$note", Body: `{"contact_id":"$others"}`, Status: 200},
			{Rule: "to take it back needs write", As: "viewer", Do: "POST /contacts/$mine/unmerge", Body: merging("also", ""), Status: 403},
			{Rule: "on both", As: "stranger", Do: "POST /contacts/$mine/unmerge", Body: merging("also", ""), Status: 404},
			{
				Rule: "and tells only of what may be read", As: "member:contact.all,task.read", Do: "POST /contacts/$mine/unmerge",
				Body: merging("also", ""), Status: 200, Want: `{"left":[],"other":{"name":"Mine, too"}}`,
			},
			{
				Rule: "a writer who may not read is told the ids", As: "admin:contact.write,contact.delete", Do: mine,
				Body: merging("also", ""), Status: 200, Want: `{"record":{"id":"$mine","version":4,"name":"<absent>"},"moved":{}}`,
			},
		})
	})
}

// Who is erased is erased with all that was merged into them, and nothing of it is kept.
func TestErasureReachesWhatWasMerged(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "fields", `{"resource":"deal","name":"agent_id","label":"Agent","kind":"reference","target":"contact"}`, "")
		w.Create(t, "contacts", `{"name":"Survivor"}`, "anna")
		w.Create(t, "contacts", `{"name":"Secretive","phone":"030 777777","external_id":"secret-1"}`, "twin")
		w.Create(t, "contacts", `{"name":"Thirdly","job_title":"Spy","external_id":"secret-2"}`, "third")
		w.Create(t, "deals", `{"name":"Boat","contact_id":"$third","custom_fields":{"agent_id":"$twin"}}`, "boat")
		w.Run(t, []Step{
			{Rule: "one into the other", Do: "POST /contacts/$twin/merge", Body: merging("third", ""), Status: 200},
			{Rule: "and that into the survivor", Do: "POST /contacts/$anna/merge", Body: merging("twin", ""), Status: 200},
			{
				Rule: "what was merged is not erased by itself, because the survivor has taken it over", Do: "POST /contacts/$third/erase",
				Body: `{"reason":"asked for it"}`, Status: 404, Want: `{"merged_into":"$anna"}`,
			},
			{Rule: "who is erased", Do: "POST /contacts/$anna/erase", Body: `{"reason":"asked for it"}`, Status: 204},
		})
		for range 50 {
			if more, err := work.WorkOff(t.Context(), w.Engine); err != nil {
				t.Fatal(err)
			} else if !more {
				break
			}
		}
		w.Run(t, []Step{
			{Rule: "nobody is left in the bin", Do: "POST /contacts/deleted/search", Body: `{}`, Status: 200, Want: `{"data":[]}`},
			{Rule: "nothing leads to them", Do: "GET /contacts/$third", Status: 404, Want: `{"merged_into":"<absent>"}`},
			{
				Rule: "nor refers to them", Do: "GET /deals/$boat", Status: 200,
				Want: `{"contact_id":null,"custom_fields":{"agent_id":"<absent>"}}`,
			},
			{
				Rule: "nor is found by what they had", Do: "POST /contacts/upsert",
				Body: `{"match":"external_id","data":{"external_id":"secret-2","name":"New"}}`, Status: 201,
			},
		})
		for _, table := range []string{"merged", "merged_reference", "added_reference"} {
			if rows := w.Dump(t, table); rows != "" {
				t.Errorf("there is something left of it:\n%s", rows)
			}
		}
	})
}

// Two merges that cross, and writes beside them that refer to one of the two: one merge wins, and nothing refers to what is gone.
func TestMergesAtOnce(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		servers := w.Servers(t)
		for range 5 {
			w.Create(t, "contacts", `{"name":"A"}`, "a")
			w.Create(t, "contacts", `{"name":"B"}`, "b")
			w.Create(t, "contacts", `{"name":"C"}`, "c")
			var all sync.WaitGroup
			statuses := make(chan int, 4)
			for i, do := range []string{"a b", "b a", "c a", "c b"} {
				survivor, other, _ := strings.Cut(do, " ")
				all.Go(func() {
					on := servers[i%len(servers)]
					statuses <- on.Send(t, Step{Do: "POST /contacts/$" + survivor + "/merge", Body: merging(other, "")}).Status
				})
			}
			for i := range 12 {
				all.Go(func() {
					on := servers[i%len(servers)]
					if a := on.Send(t, Step{
						Do:   "POST /tasks",
						Body: fmt.Sprintf(`{"title":"T","contact_id":"$%s"}`, []string{"a", "b"}[i%2]),
					}); a.Status != 201 &&
						a.Status != 422 {
						t.Errorf("a task is answered %d: %s", a.Status, a.Text)
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
			a := w.Check(t, Step{
				Do: "POST /tasks/search", Body: `{"limit":100,"fields":["contact_id","contact.id"]}`, Status: 200,
				Chance: true,
			})
			for _, task := range At(a.JSON, "data").([]any) {
				if At(task, "contact.id") == nil {
					t.Errorf("a task refers to what is gone: %v", task)
				}
			}
		}
	})
}
