package httpapi_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// What was in the bin while others changed does not come back where it would break a rule over several records.
func TestRestoringKeepsRulesOverSeveralRecords(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{rule: "C stands alone", do: "POST /companies", body: `{"name":"C"}`, status: 201, save: "c"},
			{rule: "B is below it", do: "POST /companies", body: `{"name":"B","parent_company_id":"$c"}`, status: 201, save: "b"},
			{rule: "and A below that", do: "POST /companies", body: `{"name":"A","parent_company_id":"$b"}`, status: 201, save: "a"},
			{
				rule: "a circle is refused", do: "PATCH /companies/$c", body: `{"parent_company_id":"$a"}`, status: 422,
				wrong: "parent_company_id:not_allowed",
			},
			{rule: "without B in between it is none", do: "DELETE /companies/$b", status: 204},
			{rule: "so it is taken", do: "PATCH /companies/$c", body: `{"parent_company_id":"$a"}`, status: 200},
			{
				rule: "B would close it, and stays in the bin", do: "POST /companies/$b/restore", status: 409, code: "conflict",
				want: `{"existing_id":"$a","detail":"The company would be its own parent, through one that is below it by now; change ` +
					`that one's parent first."}`,
			},
			{
				rule: "it is told only to who may read that company", as: "admin:company.write", do: "POST /companies/$b/restore",
				status: 409, code: "conflict", want: `{"existing_id":"<absent>"}`,
			},
			{rule: "the named company is changed", do: "PATCH /companies/$a", body: `{"parent_company_id":null}`, status: 200},
			{rule: "then B comes back, with its parent", do: "POST /companies/$b/restore", status: 200, want: `{"parent_company_id":"$c"}`},

			{
				rule: "a lifecycle stage that a contact is in", do: "POST /lifecycle_stages", body: `{"name":"Trial"}`, status: 201,
				save: "trial",
			},
			{
				rule: "the contact", do: "POST /contacts", body: `{"name":"Anna","lifecycle_stage_id":"$trial","external_id":"anna"}`,
				status: 201, save: "anna",
			},
			{rule: "goes to the bin", do: "DELETE /contacts/$anna", status: 204},
			{rule: "the stage too", do: "DELETE /lifecycle_stages/$trial", status: 204},
			{rule: "the contact does not come back without it", do: "POST /contacts/$anna/restore", status: 409, code: "conflict"},
			{
				rule: "the stage comes back, and takes no mark from the default", do: "POST /lifecycle_stages/$trial/restore", status: 200,
				want: `{"is_default":false}`,
			},
			{
				rule: "the contact's external id is given to another", do: "POST /contacts", body: `{"name":"Berta","external_id":"anna"}`,
				status: 201, save: "berta",
			},
			{rule: "which keeps it", do: "POST /contacts/$anna/restore", status: 409, code: "conflict", want: `{"existing_id":"$berta"}`},

			{
				rule: "a quote needs no live deal: it says itself what it offers", do: "POST /deals", body: `{"name":"Boat"}`, status: 201,
				save: "deal",
			},
			{rule: "the quote", do: "POST /quotes", body: `{"deal_id":"$deal"}`, status: 201, save: "quote"},
			{rule: "goes to the bin with it", do: "DELETE /quotes/$quote", status: 204},
			{rule: "and the deal too", do: "DELETE /deals/$deal", status: 204},
			{rule: "the quote comes back", do: "POST /quotes/$quote/restore", status: 200, want: `{"deal_id":"$deal"}`},
		})
	})
}

// deep makes a line of companies, each below the one before, and gives the last.
func deep(t *testing.T, w *world, levels int) string {
	t.Helper()
	last := "null"
	for i := range levels {
		last = `"` + w.create(t, "companies", fmt.Sprintf(`{"name":"Level %d","parent_company_id":%s}`, i+1, last), "") + `"`
	}
	return last
}

func TestCompaniesAreNestedFiftyLevelsDeep(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		last := deep(t, w, 50)
		w.run(t, []step{
			{
				rule: "one more is refused at creation", do: "POST /companies",
				body:   `{"name":"Too deep","parent_company_id":` + last + `}`,
				status: 422, wrong: "parent_company_id:not_allowed",
			},
			{rule: "another stands alone", do: "POST /companies", body: `{"name":"Alone"}`, status: 201, save: "alone"},
			{
				rule: "and is not put there either", do: "PATCH /companies/$alone", body: `{"parent_company_id":` + last + `}`, status: 422,
				wrong: "parent_company_id:not_allowed",
			},
		})
	})
}

// Rules over several records that two writers could each keep, and together break. A server lets the writes of a business take turns; where
// there are two servers, only the database can.
func TestWritersDoNotBreakRulesTogether(t *testing.T) {
	for _, c := range []struct {
		name, engine string
		servers      int
	}{{"sqlite", "sqlite", 1}, {"postgres", "postgres", 1}, {"postgres with two servers", "postgres", 2}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, databaseURL(t, c.engine), httpapi.Options{})
			servers := [2]*world{w, w}
			if c.servers == 2 {
				servers[1] = w.beside(t)
			}
			for _, test := range []struct {
				rule string
				// rounds is how often the writers race; begin prepares a round and gives the two requests, of which one may succeed.
				rounds int
				begin  func(t *testing.T, i int) [2]step
			}{
				{"two companies do not become each other's parents", 40, func(t *testing.T, i int) [2]step {
					a, b := w.create(t, "companies", `{"name":"A"}`, ""), w.create(t, "companies", `{"name":"B"}`, "")
					return [2]step{
						{do: "PATCH /companies/" + a, body: `{"parent_company_id":"` + b + `"}`},
						{do: "PATCH /companies/" + b, body: `{"parent_company_id":"` + a + `"}`},
					}
				}},
				{"a lifecycle stage is not deleted while a contact enters it", 10, func(t *testing.T, i int) [2]step {
					stage := w.create(t, "lifecycle_stages", fmt.Sprintf(`{"name":"Stage %d"}`, i), "")
					return [2]step{
						{do: "DELETE /lifecycle_stages/" + stage},
						{do: "POST /contacts", body: `{"name":"Anna","lifecycle_stage_id":"` + stage + `"}`},
					}
				}},
				{"a pipeline is not deleted while a deal enters it", 10, func(t *testing.T, i int) [2]step {
					pipeline := w.create(t, "pipelines", fmt.Sprintf(`{"name":"Pipeline %d"}`, i), "")
					return [2]step{
						{do: "DELETE /pipelines/" + pipeline},
						{do: "POST /deals", body: `{"name":"Boat","pipeline_id":"` + pipeline + `"}`},
					}
				}},
				{"a role is not deleted while a user gets it", 10, func(t *testing.T, i int) [2]step {
					role := w.create(t, "roles", fmt.Sprintf(`{"name":"Role %d"}`, i), "")
					return [2]step{
						{do: "DELETE /roles/" + role},
						{do: "POST /users", body: fmt.Sprintf(`{"email":"u%d@harbour.example","role_id":%q}`, i, role)},
					}
				}},
				{"a value that must be unique is taken once, be it from the bin", 10, func(t *testing.T, i int) [2]step {
					body := fmt.Sprintf(`{"name":"Oar","sku":"oar-%d"}`, i)
					binned := w.create(t, "products", body, "")
					w.check(t, step{do: "DELETE /products/" + binned, status: 204})
					return [2]step{{do: "POST /products", body: body}, {do: "POST /products/" + binned + "/restore"}}
				}},
			} {
				t.Run(test.rule, func(t *testing.T) {
					for i := range test.rounds {
						requests := test.begin(t, i)
						succeeded := 0
						for _, a := range both(t, servers, requests) {
							switch {
							case a.status < 300:
								succeeded++
							case a.status != 409 && a.status != 422:
								t.Errorf("status %d: %s", a.status, a.text)
							}
						}
						if succeeded != 1 {
							t.Errorf("round %d: %d of the two were taken: %s and %s", i, succeeded, requests[0].do, requests[1].do)
						}
					}
				})
			}
			t.Run("two administrators do not take the rights from each other", func(t *testing.T) { w.lastAdministrators(t, servers) })
		})
	}
}

// both sends two requests at once, each to its server.
func both(t *testing.T, servers [2]*world, requests [2]step) []*answer {
	t.Helper()
	answers := make(chan *answer, 2)
	for i, s := range requests {
		go func() { answers <- servers[i].send(t, s) }()
	}
	return []*answer{<-answers, <-answers}
}

// lastAdministrators lets the two administrators of a business suspend each other.
func (w *world) lastAdministrators(t *testing.T, servers [2]*world) {
	t.Helper()
	for i := range 5 {
		first, second := fmt.Sprintf("first%d", i), fmt.Sprintf("second%d", i)
		tenant := w.business(t, fmt.Sprintf("Race%d", i), first)
		w.vars[first] = schema.FormatID("user", w.users[first])
		w.check(t, step{
			as: first, do: "POST /roles/search", body: `{"filters":[{"field":"name","operator":"eq","value":"admin"}]}`,
			status: 200, save: "admins=data.0.id",
		})
		w.check(t, step{as: first, do: "PATCH /users/$" + first, body: `{"status":"active"}`, status: 200})
		w.check(t, step{
			as: first, do: "POST /users",
			body: `{"email":"` + second + `@race.example","role_id":"$admins","status":"active"}`, status: 201, save: second,
		})
		var err error
		if w.users[second], err = schema.ParseID("user", w.vars[second]); err != nil {
			t.Fatal(err)
		}
		w.mintFor(t, tenant, second, second, record.Scopes(), time.Time{})
		suspended := 0
		for _, a := range both(t, servers, [2]step{
			{as: first, do: "PATCH /users/$" + second, body: `{"status":"suspended"}`},
			{as: second, do: "PATCH /users/$" + first, body: `{"status":"suspended"}`},
		}) {
			switch a.status {
			case 200:
				suspended++
			case 409, 401: // the last one, or suspended before the request came in
			default:
				t.Errorf("status %d: %s", a.status, a.text)
			}
		}
		if suspended != 1 {
			t.Errorf("round %d: %d of the two administrators were suspended", i, suspended)
		}
	}
}
