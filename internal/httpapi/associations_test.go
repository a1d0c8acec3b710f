package httpapi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// between is the body of an association.
func between(from, to, label string) string {
	if label == "" {
		return fmt.Sprintf(`{"from_id":"$%s","to_id":"$%s"}`, from, to)
	}
	return fmt.Sprintf(`{"from_id":"$%s","to_id":"$%s","label":%q}`, from, to, label)
}

// linkedBy is the body of a search with a condition on associations.
func linkedBy(resource, operator, operand string) string {
	switch operator {
	case "contains":
		operand = `,"value":"` + operand + `"`
	case "in", "nin":
		operand = `,"values":["` + strings.ReplaceAll(operand, " ", `","`) + `"]`
	}
	return fmt.Sprintf(`{"sort_direction":"asc","filters":[{"field":"associations.%s","operator":%q%s}]}`, resource, operator, operand)
}

func TestAssociations(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna","external_id":"anna"}`, "anna")
		w.create(t, "contacts", `{"name":"Bert","external_id":"bert"}`, "bert")
		w.create(t, "contacts", `{"name":"Cleo","external_id":"cleo"}`, "cleo")
		w.create(t, "companies", `{"name":"Acme","external_id":"acme"}`, "acme")
		w.create(t, "deals", `{"name":"Boat","external_id":"boat"}`, "boat")
		w.create(t, "deals", `{"name":"Ship","external_id":"ship"}`, "ship")
		w.create(t, "products", `{"name":"Oar"}`, "oar")
		w.run(t, []step{
			{rule: "two records are needed", do: "POST /associations", body: `{}`, status: 422, wrong: "from_id:required to_id:required"},
			{
				rule: "of those that can be associated", do: "POST /associations", body: between("anna", "oar", ""), status: 422,
				wrong: "to_id:invalid_id", want: `{"errors":[{"allowed":["contact","company","deal","quote","task","note","activity"]}]}`,
			},
			{
				rule: "by their ids", do: "POST /associations", body: `{"from_id":"Anna","to_id":"contact_1"}`, status: 422,
				wrong: "from_id:invalid_id to_id:invalid_id",
			},
			{
				rule: "that are there", do: "POST /associations", body: `{"from_id":"contact_01h455vb4pex5vsknk084sn02q","to_id":"$boat"}`,
				status: 422, wrong: "from_id:not_found",
			},
			{rule: "and two", do: "POST /associations", body: between("anna", "anna", ""), status: 422, wrong: "to_id:not_allowed"},
			{
				rule: "a label is optional", do: "POST /associations", body: between("boat", "anna", ""), status: 201, save: "plain",
				want: `{"id":"*","from_id":"$boat","to_id":"$anna","label":null,"deleted_with":null,"owner_id":"$admin","version":1}`,
			},
			{
				rule: "a pair has one of each label", do: "POST /associations", body: between("boat", "anna", "Decision maker"),
				status: 201,
				save:   "decides", want: `{"label":"Decision maker"}`,
			},
			{
				rule: "in whichever order", do: "POST /associations", body: between("anna", "boat", "decision MAKER"), status: 409,
				code: "conflict", want: `{"existing_id":"$decides","errors":[{"field":"label","code":"not_unique"}]}`,
			},
			{
				rule: "none being a label, too", do: "POST /associations", body: between("anna", "boat", ""), status: 409,
				want: `{"existing_id":"$plain"}`,
			},
			{rule: "others are free", do: "POST /associations", body: between("bert", "boat", "user"), status: 201, save: "uses"},
			{
				rule: "the label can be changed", do: "PATCH /associations/$uses", body: `{"label":"buyer"}`, status: 200,
				want: `{"label":"buyer","version":2}`,
			},
			{
				rule: "but not to another's", do: "PATCH /associations/$plain", body: `{"label":"decision maker"}`, status: 409,
				want: `{"existing_id":"$decides"}`,
			},
			{rule: "its records cannot", do: "PATCH /associations/$uses", body: `{"to_id":"$ship"}`, status: 422, wrong: "to_id:immutable"},
			{
				rule: "contacts among each other", do: "POST /associations", body: between("anna", "cleo", "sister"), status: 201,
				save: "sisters",
			},
			{
				rule: "a company with a deal", do: "POST /associations", body: between("acme", "ship", "partner"), status: 201,
				save: "partner",
			},
			{rule: "a dry run makes none", do: "POST /associations?dry_run=true", body: between("cleo", "ship", ""), status: 201},
			{
				rule: "so another can", do: "POST /associations/search",
				body: `{"filters":[{"field":"from_id","operator":"eq","value":"$cleo"}]}`, status: 200, want: `{"meta":{"total":0}}`,
			},

			{
				rule: "deals of a contact", do: "POST /deals/search", body: linkedBy("contact", "contains", "$anna"), status: 200,
				found: found("boat"), want: `{"meta":{"total":1}}`,
			},
			{
				rule: "contacts of a deal, each once", do: "POST /contacts/search", body: linkedBy("deal", "contains", "$boat"),
				status: 200,
				found:  found("anna bert"),
			},
			{
				rule: "of several", do: "POST /contacts/search", body: linkedBy("deal", "in", "$boat $ship"), status: 200,
				found: found("anna bert"),
			},
			{
				rule: "of none of them", do: "POST /contacts/search", body: linkedBy("deal", "nin", "$boat $ship"), status: 200,
				found: found("cleo"),
			},
			{rule: "of any", do: "POST /deals/search", body: linkedBy("company", "is_set", ""), status: 200, found: found("ship")},
			{rule: "of none", do: "POST /deals/search", body: linkedBy("contact", "is_not_set", ""), status: 200, found: found("ship")},
			{
				rule: "among the same resource, from either end", do: "POST /contacts/search",
				body: linkedBy("contact", "contains", "$cleo"), status: 200, found: found("anna"),
			},
			{
				rule: "and the other", do: "POST /contacts/search", body: linkedBy("contact", "contains", "$anna"), status: 200,
				found: found("cleo"),
			},
			{
				rule: "together with words", do: "POST /contacts/search",
				body: `{"search_text":"bert","filters":[{"field":"associations.deal","operator":"is_set"}]}`, status: 200,
				found: found("bert"),
			},
			{
				rule: "in aggregates", do: "POST /contacts/aggregate",
				body: `{"filters":[{"field":"associations.deal","operator":"contains","value":"$boat"}]}`, status: 200,
				want: `{"data":[{"count":2}]}`,
			},
			{
				rule: "an id must be of that resource", do: "POST /deals/search", body: linkedBy("contact", "contains", "$acme"),
				status: 422, wrong: "filters[0].value:invalid_id",
			},
			{
				rule: "operators are those of lists", do: "POST /deals/search", body: linkedBy("contact", "eq", ""), status: 422,
				wrong: "filters[0].operator:operator_not_allowed",
				want:  `{"errors":[{"allowed":["contains","in","nin","is_set","is_not_set"]}]}`,
			},
			{
				rule: "others cannot be associated", do: "POST /deals/search", body: linkedBy("product", "is_set", ""), status: 422,
				wrong: "filters[0].field:unknown_field",
			},
			{
				rule: "nor be ordered by them", do: "POST /deals/search", body: `{"order_by":"associations.contact"}`, status: 422,
				wrong: "order_by:unknown_field",
			},
			{
				rule: "a view keeps them", do: "POST /views",
				body:   `{"name":"x","resource":"deal","search":{"filters":[{"field":"associations.contact","operator":"is_set"}]}}`,
				status: 201,
			},
			{
				rule: "they need the scope of associations", as: "admin:deal.read,contact.read", do: "POST /deals/search",
				body: linkedBy("contact", "is_set", ""), status: 403, want: `{"scope":"association.read"}`,
			},
			{
				rule: "and that of the other resource", as: "admin:deal.read,association.read", do: "POST /deals/search",
				body: linkedBy("contact", "is_set", ""), status: 403, want: `{"scope":"contact.read"}`,
			},

			{rule: "a deleted record takes its associations along", do: "DELETE /contacts/$anna", status: 204},
			{
				rule: "all of them", do: "POST /associations/deleted/search", body: `{"order_by":"created_at","sort_direction":"asc"}`,
				status: 200, want: `{"data":[{"id":"$plain","deleted_with":"$anna"},{"id":"$decides"},{"id":"$sisters"}],` +
					`"meta":{"total":3}}`,
			},
			{
				rule: "with an entry in their histories", do: "POST /associations/$decides/history/search", body: `{}`, status: 200,
				want: `{"data":[{"action":"delete","version":2},{"action":"create"}]}`,
			},
			{
				rule: "so that nothing is found by them", do: "POST /contacts/search", body: linkedBy("deal", "contains", "$boat"),
				status: 200, found: found("bert"),
			},
			{rule: "they do not come back alone", do: "POST /associations/$decides/restore", status: 409, want: `{"existing_id":"$anna"}`},
			{rule: "its other record may go as well", do: "DELETE /deals/$boat", status: 204},
			{rule: "with the first they come back", do: "POST /contacts/$anna/restore", status: 200},
			{
				rule: "unless the other is still there", do: "POST /associations/search", body: `{"sort_direction":"asc"}`, status: 200,
				want: `{"data":[{"id":"$sisters","deleted_with":null,"version":3},{"id":"$partner"}],"meta":{"total":2}}`,
			},
			{rule: "which brings the rest", do: "POST /deals/$boat/restore", status: 200},
			{
				rule: "back", do: "POST /associations/search", body: `{"sort_direction":"asc"}`, status: 200,
				want: `{"data":[{"id":"$plain"},{"id":"$decides"},{"id":"$uses"},{"id":"$sisters"},{"id":"$partner"}]}`,
			},
			{rule: "what was deleted by itself", do: "DELETE /associations/$uses", status: 204},
			{rule: "goes nowhere", do: "DELETE /contacts/$bert", status: 204},
			{rule: "and stays deleted", do: "POST /contacts/$bert/restore", status: 200},
			{rule: "with its record", do: "GET /associations/$uses", status: 404},
			{rule: "its place can be taken", do: "POST /associations", body: between("boat", "bert", "Buyer"), status: 201, save: "again"},
			{rule: "then it cannot come back", do: "POST /associations/$uses/restore", status: 409, want: `{"existing_id":"$again"}`},
			{rule: "until that is gone", do: "DELETE /associations/$again", status: 204},
			{rule: "and it can", do: "POST /associations/$uses/restore", status: 200, want: `{"deleted_with":null}`},
		})
	})
}

func TestAssociationsStandInTimelines(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.create(t, "notes", `{"title":"Her own","contact_id":"$anna"}`, "own")
		w.create(t, "notes", `{"title":"Another's"}`, "other")
		w.create(t, "deals", `{"name":"Boat"}`, "boat")
		w.create(t, "activities", `{"activity_type":"call","occurred_at":"2020-05-01T10:00:00Z"}`, "call")
		w.create(t, "associations", between("anna", "other", ""), "")
		w.create(t, "associations", between("anna", "other", "twice"), "")
		w.create(t, "associations", between("own", "anna", "both"), "")
		w.create(t, "associations", between("anna", "boat", ""), "")
		w.create(t, "associations", between("call", "anna", ""), "")
		anna := "POST /contacts/$anna/timeline/search"
		w.run(t, []step{
			{
				rule: "what is associated stands in it as what refers to it, each once", do: anna, status: 200,
				want: `{"data":[{"kind":"deal","record":{"id":"$boat"}},{"kind":"note","record":{"id":"$other"}},{"kind":"note",` +
					`"record":{"id":"$own"}},{"kind":"change"},{"kind":"activity","record":{"id":"$call"}}],` +
					`"meta":{"cursor":{"has_more":false}}}`,
			},
			{
				rule: "page by page", do: anna, body: `{"limit":2}`, status: 200,
				want: `{"data":[{"record":{"id":"$boat"}},{"record":{"id":"$other"}}],"meta":{"cursor":{"has_more":true}}}`,
				save: "next=meta.cursor.next",
			},
			{
				rule: "from where it ended", do: anna, body: `{"limit":3,"cursor":"$next"}`, status: 200,
				want: `{"data":[{"record":{"id":"$own"}},{"kind":"change"},{"record":{"id":"$call"}}],` +
					`"meta":{"cursor":{"has_more":false}}}`,
			},
			{
				rule: "in the other direction, too", do: anna, body: `{"sort_direction":"asc","limit":3}`, status: 200,
				want: `{"data":[{"record":{"id":"$call"}},{"kind":"change"},{"record":{"id":"$own"}}],` +
					`"meta":{"cursor":{"has_more":true}}}`,
			},
			{
				rule: "without the scope there are none", as: "admin:contact.read,note.read,deal.read,activity.read", do: anna, status: 200,
				want: `{"data":[{"kind":"note","record":{"id":"$own"}},{"kind":"change"}]}`,
			},
			{
				rule: "nor are kinds that cannot be read", as: "admin:contact.read,association.read,deal.read", do: anna, status: 200,
				want: `{"data":[{"record":{"id":"$boat"}},{"kind":"change"}]}`,
			},
		})
	})
}

// Nobody is shown by an association what they may not read.
func TestAssociationsShowNothingThatMayNotBeRead(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.ownReader(t)
		w.check(t, step{
			do: "POST /roles", body: `{"name":"Half","permissions":{"association":{"read":"all","write":"all",` +
				`"delete":"all"},"deal":{"read":"all","write":"own"},"contact":{"read":"own"},"company":{"read":"none"}},"features":[]}`,
			status: 201,
		})
		half := fmt.Sprint(at(w.check(t, step{
			do:   "POST /roles/search",
			body: `{"filters":[{"field":"name","operator":"eq","value":"Half"}]}`, status: 200,
		}).json, "data.0.id"))
		w.check(t, step{do: "PATCH /users/$own", body: `{"role_id":"` + half + `"}`, status: 200})
		w.create(t, "contacts", `{"name":"Mine","owner_id":"$own"}`, "mine")
		w.create(t, "contacts", `{"name":"Theirs"}`, "theirs")
		w.create(t, "companies", `{"name":"Acme"}`, "acme")
		w.create(t, "deals", `{"name":"Boat","external_id":"boat"}`, "boat")
		w.create(t, "deals", `{"name":"Ship","external_id":"ship"}`, "ship")
		w.create(t, "deals", `{"name":"Raft","external_id":"raft","owner_id":"$own"}`, "raft")
		w.create(t, "associations", between("boat", "mine", "seen"), "seen")
		w.create(t, "associations", `{"from_id":"$ship","to_id":"$theirs","label":"hidden","external_id":"hidden"}`, "hidden")
		w.create(t, "associations", between("acme", "boat", "closed"), "closed")
		w.run(t, []step{
			{rule: "both ends may be read", as: "own", do: "GET /associations/$seen", status: 200},
			{rule: "one may not", as: "own", do: "GET /associations/$hidden", status: 404},
			{rule: "or nothing of its resource", as: "own", do: "GET /associations/$closed", status: 404},
			{rule: "nor its history", as: "own", do: "POST /associations/$hidden/history/search", body: `{}`, status: 404},
			{rule: "but of what is seen", as: "own", do: "POST /associations/$seen/history/search", body: `{}`, status: 200},
			{rule: "nor can it be changed", as: "own", do: "PATCH /associations/$hidden", body: `{"label":"x"}`, status: 404},
			{rule: "or deleted", as: "own", do: "DELETE /associations/$closed", status: 404},
			{
				rule: "searches leave it out", as: "own", do: "POST /associations/search", body: `{}`, status: 200,
				want: `{"data":[{"id":"$seen"}],"meta":{"total":1}}`,
			},
			{
				rule: "by text, too", as: "own", do: "POST /associations/search", body: `{"search_text":"hidden"}`, status: 200,
				want: `{"data":[],"meta":{"total":0}}`,
			},
			{
				rule: "and across resources", as: "own", do: "POST /search", body: `{"search_text":"hidden"}`, status: 200,
				want: `{"data":[]}`,
			},
			{
				rule: "aggregates do not count it", as: "own", do: "POST /associations/aggregate", body: `{"group_by":["label"]}`,
				status: 200, want: `{"data":[{"label":"seen","count":1}]}`,
			},
			{
				rule: "changes do not tell of it", as: "own", do: "POST /changes/search", body: `{"resources":["association"]}`,
				status: 200,
				want:   `{"data":[{"record_id":"$seen"}]}`,
			},
			{
				rule: "nothing is found by it", as: "own", do: "POST /deals/search", body: linkedBy("contact", "is_set", ""), status: 200,
				found: found("boat"),
			},
			{
				rule: "not even by the id", as: "own", do: "POST /deals/search", body: linkedBy("contact", "contains", "$theirs"),
				status: 200, found: found(""),
			},
			{
				rule: "and its absence is not told", as: "own", do: "POST /deals/search", body: linkedBy("contact", "is_not_set", ""),
				status: 200, found: found("ship raft"),
			},
			{
				rule: "what cannot be read cannot be associated", as: "own", do: "POST /associations", body: between("raft", "theirs", ""),
				status: 422, wrong: "to_id:not_found",
			},
			{
				rule: "one of both must be one's to change", as: "own", do: "POST /associations", body: between("boat", "mine", "x"),
				status: 403, code: "forbidden_by_role",
			},
			{rule: "one is enough", as: "own", do: "POST /associations", body: between("mine", "raft", "x"), status: 201, save: "new"},
			{
				rule: "with the scope for it", as: "admin:association.write,association.read,contact.read,deal.read",
				do: "POST /associations", body: between("mine", "boat", "y"), status: 403, want: `{"code":"insufficient_scope"}`,
			},
			{
				rule: "an id in the way is not told", as: "own", do: "PATCH /associations/$new", body: `{"external_id":"hidden"}`,
				status: 409, want: `{"existing_id":"<absent>"}`,
			},
			{
				rule: "nor matched", as: "own", do: "POST /associations/upsert",
				body: `{"match":"external_id","data":{"external_id":"hidden","label":"z"}}`, status: 409,
				want: `{"existing_id":"<absent>"}`,
			},
			{rule: "in the bin it is as hidden", do: "DELETE /contacts/$theirs", status: 204},
			{rule: "as before", as: "own", do: "POST /associations/deleted/search", body: `{}`, status: 200, want: `{"data":[]}`},
			{
				rule: "to everybody else it is there", as: "viewer", do: "POST /associations/deleted/search", body: `{}`, status: 200,
				want: `{"data":[{"id":"$hidden"}]}`,
			},
			{
				rule: "another business has none of it", as: "stranger", do: "POST /associations", body: between("boat", "mine", "z"),
				status: 422, wrong: "from_id:not_found to_id:not_found",
			},
			{rule: "at all", as: "stranger", do: "GET /associations/$seen", status: 404},
		})
	})
}

// Of many who associate the same two records at once, one does.
func TestAssociationsAreMadeOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		t.Parallel()
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.create(t, "deals", `{"name":"Boat"}`, "boat")
		var all sync.WaitGroup
		statuses := make([]int, 12)
		for i := range statuses {
			all.Add(1)
			go func() {
				defer all.Done()
				body := between("anna", "boat", "one")
				if i%2 == 0 {
					body = between("boat", "anna", "One")
				}
				statuses[i] = w.send(t, step{do: "POST /associations", body: body}).status
			}()
		}
		all.Wait()
		made := 0
		for _, status := range statuses {
			switch status {
			case 201:
				made++
			case 409:
			default:
				t.Errorf("status %d", status)
			}
		}
		if made != 1 {
			t.Errorf("%d were made", made)
		}
	})
}
