package crm_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

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
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna","external_id":"anna"}`, "anna")
		w.Create(t, "contacts", `{"name":"Bert","external_id":"bert"}`, "bert")
		w.Create(t, "contacts", `{"name":"Cleo","external_id":"cleo"}`, "cleo")
		w.Create(t, "companies", `{"name":"Acme","external_id":"acme"}`, "acme")
		w.Create(t, "deals", `{"name":"Boat","external_id":"boat"}`, "boat")
		w.Create(t, "deals", `{"name":"Ship","external_id":"ship"}`, "ship")
		w.Create(t, "products", `{"name":"Oar"}`, "oar")
		w.Run(t, []Step{
			{Rule: "two records are needed", Do: "POST /associations", Body: `{}`, Status: 422, Wrong: "from_id:required to_id:required"},
			{
				Rule: "of those that can be associated", Do: "POST /associations", Body: Between("anna", "oar", ""), Status: 422,
				Wrong: "to_id:invalid_id", Want: `{"errors":[{"allowed":["contact","company","deal","quote","task","note","activity"]}]}`,
			},
			{
				Rule: "by their ids", Do: "POST /associations", Body: `{"from_id":"Anna","to_id":"contact_1"}`, Status: 422,
				Wrong: "from_id:invalid_id to_id:invalid_id",
			},
			{
				Rule: "that are there", Do: "POST /associations", Body: `{"from_id":"contact_01h455vb4pex5vsknk084sn02q","to_id":"$boat"}`,
				Status: 422, Wrong: "from_id:not_found",
			},
			{Rule: "and two", Do: "POST /associations", Body: Between("anna", "anna", ""), Status: 422, Wrong: "to_id:not_allowed"},
			{
				Rule: "a label is optional", Do: "POST /associations", Body: Between("boat", "anna", ""), Status: 201, Save: "plain",
				Want: `{"id":"*","from_id":"$boat","to_id":"$anna","label":null,"deleted_with":null,"owner_id":"$admin","version":1}`,
			},
			{
				Rule: "a pair has one of each label", Do: "POST /associations", Body: Between("boat", "anna", "Decision maker"),
				Status: 201,
				Save:   "decides", Want: `{"label":"Decision maker"}`,
			},
			{
				Rule: "in whichever order", Do: "POST /associations", Body: Between("anna", "boat", "decision MAKER"), Status: 409,
				Code: "conflict", Want: `{"existing_id":"$decides","errors":[{"field":"label","code":"not_unique"}]}`,
			},
			{
				Rule: "none being a label, too", Do: "POST /associations", Body: Between("anna", "boat", ""), Status: 409,
				Want: `{"existing_id":"$plain"}`,
			},
			{Rule: "others are free", Do: "POST /associations", Body: Between("bert", "boat", "user"), Status: 201, Save: "uses"},
			{
				Rule: "the label can be changed", Do: "PATCH /associations/$uses", Body: `{"label":"buyer"}`, Status: 200,
				Want: `{"label":"buyer","version":2}`,
			},
			{
				Rule: "but not to another's", Do: "PATCH /associations/$plain", Body: `{"label":"decision maker"}`, Status: 409,
				Want: `{"existing_id":"$decides"}`,
			},
			{Rule: "its records cannot", Do: "PATCH /associations/$uses", Body: `{"to_id":"$ship"}`, Status: 422, Wrong: "to_id:immutable"},
			{
				Rule: "contacts among each other", Do: "POST /associations", Body: Between("anna", "cleo", "sister"), Status: 201,
				Save: "sisters",
			},
			{
				Rule: "a company with a deal", Do: "POST /associations", Body: Between("acme", "ship", "partner"), Status: 201,
				Save: "partner",
			},
			{Rule: "a dry run makes none", Do: "POST /associations?dry_run=true", Body: Between("cleo", "ship", ""), Status: 201},
			{
				Rule: "so another can", Do: "POST /associations/search",
				Body: `{"filters":[{"field":"from_id","operator":"eq","value":"$cleo"}]}`, Status: 200, Want: `{"meta":{"total":0}}`,
			},

			{
				Rule: "deals of a contact", Do: "POST /deals/search", Body: linkedBy("contact", "contains", "$anna"), Status: 200,
				Found: Found("boat"), Want: `{"meta":{"total":1}}`,
			},
			{
				Rule: "contacts of a deal, each once", Do: "POST /contacts/search", Body: linkedBy("deal", "contains", "$boat"),
				Status: 200,
				Found:  Found("anna bert"),
			},
			{
				Rule: "of several", Do: "POST /contacts/search", Body: linkedBy("deal", "in", "$boat $ship"), Status: 200,
				Found: Found("anna bert"),
			},
			{
				Rule: "of none of them", Do: "POST /contacts/search", Body: linkedBy("deal", "nin", "$boat $ship"), Status: 200,
				Found: Found("cleo"),
			},
			{Rule: "of any", Do: "POST /deals/search", Body: linkedBy("company", "is_set", ""), Status: 200, Found: Found("ship")},
			{Rule: "of none", Do: "POST /deals/search", Body: linkedBy("contact", "is_not_set", ""), Status: 200, Found: Found("ship")},
			{
				Rule: "among the same resource, from either end", Do: "POST /contacts/search",
				Body: linkedBy("contact", "contains", "$cleo"), Status: 200, Found: Found("anna"),
			},
			{
				Rule: "and the other", Do: "POST /contacts/search", Body: linkedBy("contact", "contains", "$anna"), Status: 200,
				Found: Found("cleo"),
			},
			{
				Rule: "together with words", Do: "POST /contacts/search",
				Body: `{"search_text":"bert","filters":[{"field":"associations.deal","operator":"is_set"}]}`, Status: 200,
				Found: Found("bert"),
			},
			{
				Rule: "in aggregates", Do: "POST /contacts/aggregate",
				Body: `{"filters":[{"field":"associations.deal","operator":"contains","value":"$boat"}]}`, Status: 200,
				Want: `{"data":[{"count":2}]}`,
			},
			{
				Rule: "an id must be of that resource", Do: "POST /deals/search", Body: linkedBy("contact", "contains", "$acme"),
				Status: 422, Wrong: "filters[0].value:invalid_id",
			},
			{
				Rule: "operators are those of lists", Do: "POST /deals/search", Body: linkedBy("contact", "eq", ""), Status: 422,
				Wrong: "filters[0].operator:operator_not_allowed",
				Want:  `{"errors":[{"allowed":["contains","in","nin","is_set","is_not_set"]}]}`,
			},
			{
				Rule: "others cannot be associated", Do: "POST /deals/search", Body: linkedBy("product", "is_set", ""), Status: 422,
				Wrong: "filters[0].field:unknown_field",
			},
			{
				Rule: "nor be ordered by them", Do: "POST /deals/search", Body: `{"order_by":"associations.contact"}`, Status: 422,
				Wrong: "order_by:unknown_field",
			},
			{
				Rule: "a view keeps them", Do: "POST /views",
				Body:   `{"name":"x","resource":"deal","search":{"filters":[{"field":"associations.contact","operator":"is_set"}]}}`,
				Status: 201,
			},
			{
				Rule: "they need the scope of associations", As: "admin:deal.read,contact.read", Do: "POST /deals/search",
				Body: linkedBy("contact", "is_set", ""), Status: 403, Want: `{"scope":"association.read"}`,
			},
			{
				Rule: "and that of the other resource", As: "admin:deal.read,association.read", Do: "POST /deals/search",
				Body: linkedBy("contact", "is_set", ""), Status: 403, Want: `{"scope":"contact.read"}`,
			},

			{Rule: "a deleted record takes its associations along", Do: "DELETE /contacts/$anna", Status: 204},
			{
				Rule: "all of them", Do: "POST /associations/deleted/search", Body: `{"order_by":"created_at","sort_direction":"asc"}`,
				Status: 200, Want: `{"data":[{"id":"$plain","deleted_with":"$anna"},{"id":"$decides"},{"id":"$sisters"}],` +
					`"meta":{"total":3}}`,
			},
			{
				Rule: "with an entry in their histories", Do: "POST /associations/$decides/history/search", Body: `{}`, Status: 200,
				Want: `{"data":[{"action":"delete","version":2},{"action":"create"}]}`,
			},
			{
				Rule: "so that nothing is found by them", Do: "POST /contacts/search", Body: linkedBy("deal", "contains", "$boat"),
				Status: 200, Found: Found("bert"),
			},
			{Rule: "they do not come back alone", Do: "POST /associations/$decides/restore", Status: 409, Want: `{"existing_id":"$anna"}`},
			{Rule: "its other record may go as well", Do: "DELETE /deals/$boat", Status: 204},
			{Rule: "with the first they come back", Do: "POST /contacts/$anna/restore", Status: 200},
			{
				Rule: "unless the other is still there", Do: "POST /associations/search", Body: `{"sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[{"id":"$sisters","deleted_with":null,"version":3},{"id":"$partner"}],"meta":{"total":2}}`,
			},
			{Rule: "which brings the rest", Do: "POST /deals/$boat/restore", Status: 200},
			{
				Rule: "back", Do: "POST /associations/search", Body: `{"sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[{"id":"$plain"},{"id":"$decides"},{"id":"$uses"},{"id":"$sisters"},{"id":"$partner"}]}`,
			},
			{Rule: "what was deleted by itself", Do: "DELETE /associations/$uses", Status: 204},
			{Rule: "goes nowhere", Do: "DELETE /contacts/$bert", Status: 204},
			{Rule: "and stays deleted", Do: "POST /contacts/$bert/restore", Status: 200},
			{Rule: "with its record", Do: "GET /associations/$uses", Status: 404},
			{Rule: "its place can be taken", Do: "POST /associations", Body: Between("boat", "bert", "Buyer"), Status: 201, Save: "again"},
			{Rule: "then it cannot come back", Do: "POST /associations/$uses/restore", Status: 409, Want: `{"existing_id":"$again"}`},
			{Rule: "until that is gone", Do: "DELETE /associations/$again", Status: 204},
			{Rule: "and it can", Do: "POST /associations/$uses/restore", Status: 200, Want: `{"deleted_with":null}`},
		})
	})
}

func TestAssociationsStandInTimelines(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.Create(t, "notes", `{"title":"Her own","contact_id":"$anna"}`, "own")
		w.Create(t, "notes", `{"title":"Another's"}`, "other")
		w.Create(t, "deals", `{"name":"Boat"}`, "boat")
		w.Create(t, "activities", `{"activity_type":"call","occurred_at":"2020-05-01T10:00:00Z"}`, "call")
		w.Create(t, "associations", Between("anna", "other", ""), "")
		w.Create(t, "associations", Between("anna", "other", "twice"), "")
		w.Create(t, "associations", Between("own", "anna", "both"), "")
		w.Create(t, "associations", Between("anna", "boat", ""), "")
		w.Create(t, "associations", Between("call", "anna", ""), "")
		anna := "POST /contacts/$anna/timeline/search"
		w.Run(t, []Step{
			{
				Rule: "what is associated stands in it as what refers to it, each once", Do: anna, Status: 200,
				Want: `{"data":[{"kind":"deal","record":{"id":"$boat"}},{"kind":"note","record":{"id":"$other"}},{"kind":"note",` +
					`"record":{"id":"$own"}},{"kind":"change"},{"kind":"activity","record":{"id":"$call"}}],` +
					`"meta":{"cursor":{"has_more":false}}}`,
			},
			{
				Rule: "page by page", Do: anna, Body: `{"limit":2}`, Status: 200,
				Want: `{"data":[{"record":{"id":"$boat"}},{"record":{"id":"$other"}}],"meta":{"cursor":{"has_more":true}}}`,
				Save: "next=meta.cursor.next",
			},
			{
				Rule: "from where it ended", Do: anna, Body: `{"limit":3,"cursor":"$next"}`, Status: 200,
				Want: `{"data":[{"record":{"id":"$own"}},{"kind":"change"},{"record":{"id":"$call"}}],` +
					`"meta":{"cursor":{"has_more":false}}}`,
			},
			{
				Rule: "in the other direction, too", Do: anna, Body: `{"sort_direction":"asc","limit":3}`, Status: 200,
				Want: `{"data":[{"record":{"id":"$call"}},{"kind":"change"},{"record":{"id":"$own"}}],` +
					`"meta":{"cursor":{"has_more":true}}}`,
			},
			{
				Rule: "without the scope there are none", As: "admin:contact.read,note.read,deal.read,activity.read", Do: anna, Status: 200,
				Want: `{"data":[{"kind":"note","record":{"id":"$own"}},{"kind":"change"}]}`,
			},
			{
				Rule: "nor are kinds that cannot be read", As: "admin:contact.read,association.read,deal.read", Do: anna, Status: 200,
				Want: `{"data":[{"record":{"id":"$boat"}},{"kind":"change"}]}`,
			},
		})
	})
}

// Nobody is shown by an association what they may not read.
func TestAssociationsShowNothingThatMayNotBeRead(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.OwnReader(t)
		w.Check(t, Step{
			Do: "POST /roles", Body: `{"name":"Half","permissions":{"association":{"read":"all","write":"all",` +
				`"delete":"all"},"deal":{"read":"all","write":"own"},"contact":{"read":"own"},"company":{"read":"none"}},"features":[]}`,
			Status: 201,
		})
		half := fmt.Sprint(At(w.Check(t, Step{
			Do:   "POST /roles/search",
			Body: `{"filters":[{"field":"name","operator":"eq","value":"Half"}]}`, Status: 200,
		}).JSON, "data.0.id"))
		w.Check(t, Step{Do: "PATCH /users/$own", Body: `{"role_id":"` + half + `"}`, Status: 200})
		w.Create(t, "contacts", `{"name":"Mine","owner_id":"$own"}`, "mine")
		w.Create(t, "contacts", `{"name":"Theirs"}`, "theirs")
		w.Create(t, "companies", `{"name":"Acme"}`, "acme")
		w.Create(t, "deals", `{"name":"Boat","external_id":"boat"}`, "boat")
		w.Create(t, "deals", `{"name":"Ship","external_id":"ship"}`, "ship")
		w.Create(t, "deals", `{"name":"Raft","external_id":"raft","owner_id":"$own"}`, "raft")
		w.Create(t, "associations", Between("boat", "mine", "seen"), "seen")
		w.Create(t, "associations", `{"from_id":"$ship","to_id":"$theirs","label":"hidden","external_id":"hidden"}`, "hidden")
		w.Create(t, "associations", Between("acme", "boat", "closed"), "closed")
		w.Run(t, []Step{
			{Rule: "both ends may be read", As: "own", Do: "GET /associations/$seen", Status: 200},
			{Rule: "one may not", As: "own", Do: "GET /associations/$hidden", Status: 404},
			{Rule: "or nothing of its resource", As: "own", Do: "GET /associations/$closed", Status: 404},
			{Rule: "nor its history", As: "own", Do: "POST /associations/$hidden/history/search", Body: `{}`, Status: 404},
			{Rule: "but of what is seen", As: "own", Do: "POST /associations/$seen/history/search", Body: `{}`, Status: 200},
			{Rule: "nor can it be changed", As: "own", Do: "PATCH /associations/$hidden", Body: `{"label":"x"}`, Status: 404},
			{Rule: "or deleted", As: "own", Do: "DELETE /associations/$closed", Status: 404},
			{
				Rule: "searches leave it out", As: "own", Do: "POST /associations/search", Body: `{}`, Status: 200,
				Want: `{"data":[{"id":"$seen"}],"meta":{"total":1}}`,
			},
			{
				Rule: "by text, too", As: "own", Do: "POST /associations/search", Body: `{"search_text":"hidden"}`, Status: 200,
				Want: `{"data":[],"meta":{"total":0}}`,
			},
			{
				Rule: "and across resources", As: "own", Do: "POST /search", Body: `{"search_text":"hidden"}`, Status: 200,
				Want: `{"data":[]}`,
			},
			{
				Rule: "aggregates do not count it", As: "own", Do: "POST /associations/aggregate", Body: `{"group_by":["label"]}`,
				Status: 200, Want: `{"data":[{"label":"seen","count":1}]}`,
			},
			{
				Rule: "changes do not tell of it", As: "own", Do: "POST /changes/search", Body: `{"resources":["association"]}`,
				Status: 200,
				Want:   `{"data":[{"record_id":"$seen"}]}`,
			},
			{
				Rule: "nothing is found by it", As: "own", Do: "POST /deals/search", Body: linkedBy("contact", "is_set", ""), Status: 200,
				Found: Found("boat"),
			},
			{
				Rule: "not even by the id", As: "own", Do: "POST /deals/search", Body: linkedBy("contact", "contains", "$theirs"),
				Status: 200, Found: Found(""),
			},
			{
				Rule: "and its absence is not told", As: "own", Do: "POST /deals/search", Body: linkedBy("contact", "is_not_set", ""),
				Status: 200, Found: Found("ship raft"),
			},
			{
				Rule: "what cannot be read cannot be associated", As: "own", Do: "POST /associations", Body: Between("raft", "theirs", ""),
				Status: 422, Wrong: "to_id:not_found",
			},
			{
				Rule: "one of both must be one's to change", As: "own", Do: "POST /associations", Body: Between("boat", "mine", "x"),
				Status: 403, Code: "forbidden_by_role",
			},
			{Rule: "one is enough", As: "own", Do: "POST /associations", Body: Between("mine", "raft", "x"), Status: 201, Save: "new"},
			{
				Rule: "with the scope for it", As: "admin:association.write,association.read,contact.read,deal.read",
				Do: "POST /associations", Body: Between("mine", "boat", "y"), Status: 403, Want: `{"code":"insufficient_scope"}`,
			},
			{
				Rule: "an id in the way is not told", As: "own", Do: "PATCH /associations/$new", Body: `{"external_id":"hidden"}`,
				Status: 409, Want: `{"existing_id":"<absent>"}`,
			},
			{
				Rule: "nor matched", As: "own", Do: "POST /associations/upsert",
				Body: `{"match":"external_id","data":{"external_id":"hidden","label":"z"}}`, Status: 409,
				Want: `{"existing_id":"<absent>"}`,
			},
			{Rule: "in the bin it is as hidden", Do: "DELETE /contacts/$theirs", Status: 204},
			{Rule: "as before", As: "own", Do: "POST /associations/deleted/search", Body: `{}`, Status: 200, Want: `{"data":[]}`},
			{
				Rule: "to everybody else it is there", As: "viewer", Do: "POST /associations/deleted/search", Body: `{}`, Status: 200,
				Want: `{"data":[{"id":"$hidden"}]}`,
			},
			{
				Rule: "another business has none of it", As: "stranger", Do: "POST /associations", Body: Between("boat", "mine", "z"),
				Status: 422, Wrong: "from_id:not_found to_id:not_found",
			},
			{Rule: "at all", As: "stranger", Do: "GET /associations/$seen", Status: 404},
		})
	})
}

// Of many who associate the same two records at once, one does.
func TestAssociationsAreMadeOnce(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.Create(t, "deals", `{"name":"Boat"}`, "boat")
		var all sync.WaitGroup
		statuses := make([]int, 12)
		for i := range statuses {
			all.Add(1)
			go func() {
				defer all.Done()
				body := Between("anna", "boat", "one")
				if i%2 == 0 {
					body = Between("boat", "anna", "One")
				}
				statuses[i] = w.Send(t, Step{Do: "POST /associations", Body: body}).Status
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
