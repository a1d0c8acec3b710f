package crm_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"

	. "github.com/kith-crm/kith/internal/apitest"
)

// What was in the bin while others changed does not come back where it would break a rule over several records.
func TestRestoringKeepsRulesOverSeveralRecords(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{Rule: "C stands alone", Do: "POST /companies", Body: `{"name":"C"}`, Status: 201, Save: "c"},
			{Rule: "B is below it", Do: "POST /companies", Body: `{"name":"B","parent_company_id":"$c"}`, Status: 201, Save: "b"},
			{Rule: "and A below that", Do: "POST /companies", Body: `{"name":"A","parent_company_id":"$b"}`, Status: 201, Save: "a"},
			{
				Rule: "a circle is refused", Do: "PATCH /companies/$c", Body: `{"parent_company_id":"$a"}`, Status: 422,
				Wrong: "parent_company_id:not_allowed",
			},
			{Rule: "without B in between it is none", Do: "DELETE /companies/$b", Status: 204},
			{Rule: "so it is taken", Do: "PATCH /companies/$c", Body: `{"parent_company_id":"$a"}`, Status: 200},
			{
				Rule: "B would close it, and stays in the bin", Do: "POST /companies/$b/restore", Status: 409, Code: "conflict",
				Want: `{"existing_id":"$a","detail":"The company would be its own parent, through one that is below it by now; change ` +
					`that one's parent first."}`,
			},
			{
				Rule: "it is told only to who may read that company", As: "admin:company.write", Do: "POST /companies/$b/restore",
				Status: 409, Code: "conflict", Want: `{"existing_id":"<absent>"}`,
			},
			{Rule: "the named company is changed", Do: "PATCH /companies/$a", Body: `{"parent_company_id":null}`, Status: 200},
			{Rule: "then B comes back, with its parent", Do: "POST /companies/$b/restore", Status: 200, Want: `{"parent_company_id":"$c"}`},

			{
				Rule: "a lifecycle stage that a contact is in", Do: "POST /lifecycle_stages", Body: `{"name":"Trial"}`, Status: 201,
				Save: "trial",
			},
			{
				Rule: "the contact", Do: "POST /contacts", Body: `{"name":"Anna","lifecycle_stage_id":"$trial","external_id":"anna"}`,
				Status: 201, Save: "anna",
			},
			{Rule: "goes to the bin", Do: "DELETE /contacts/$anna", Status: 204},
			{Rule: "the stage too", Do: "DELETE /lifecycle_stages/$trial", Status: 204},
			{Rule: "the contact does not come back without it", Do: "POST /contacts/$anna/restore", Status: 409, Code: "conflict"},
			{
				Rule: "the stage comes back, and takes no mark from the default", Do: "POST /lifecycle_stages/$trial/restore", Status: 200,
				Want: `{"is_default":false}`,
			},
			{
				Rule: "the contact's external id is given to another", Do: "POST /contacts", Body: `{"name":"Berta","external_id":"anna"}`,
				Status: 201, Save: "berta",
			},
			{Rule: "which keeps it", Do: "POST /contacts/$anna/restore", Status: 409, Code: "conflict", Want: `{"existing_id":"$berta"}`},

			{
				Rule: "a quote needs no live deal: it says itself what it offers", Do: "POST /deals", Body: `{"name":"Boat"}`, Status: 201,
				Save: "deal",
			},
			{Rule: "the quote", Do: "POST /quotes", Body: `{"deal_id":"$deal"}`, Status: 201, Save: "quote"},
			{Rule: "goes to the bin with it", Do: "DELETE /quotes/$quote", Status: 204},
			{Rule: "and the deal too", Do: "DELETE /deals/$deal", Status: 204},
			{Rule: "the quote comes back", Do: "POST /quotes/$quote/restore", Status: 200, Want: `{"deal_id":"$deal"}`},
		})
	})
}

// deep makes a line of companies, each below the one before, and gives the last.
func deep(t *testing.T, w *World, levels int) string {
	t.Helper()
	last := "null"
	for i := range levels {
		last = `"` + w.Create(t, "companies", fmt.Sprintf(`{"name":"Level %d","parent_company_id":%s}`, i+1, last), "") + `"`
	}
	return last
}

func TestCompaniesAreNestedFiftyLevelsDeep(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		last := deep(t, w, 50)
		w.Run(t, []Step{
			{
				Rule: "one more is refused at creation", Do: "POST /companies",
				Body:   `{"name":"Too deep","parent_company_id":` + last + `}`,
				Status: 422, Wrong: "parent_company_id:not_allowed",
			},
			{Rule: "another stands alone", Do: "POST /companies", Body: `{"name":"Alone"}`, Status: 201, Save: "alone"},
			{
				Rule: "and is not put there either", Do: "PATCH /companies/$alone", Body: `{"parent_company_id":` + last + `}`, Status: 422,
				Wrong: "parent_company_id:not_allowed",
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
			w := NewWorld(t, DatabaseURL(t, c.engine), httpapi.Options{})
			servers := [2]*World{w, w}
			if c.servers == 2 {
				servers[1] = w.Beside(t)
			}
			for _, test := range []struct {
				rule string
				// rounds is how often the writers race; begin prepares a round and gives the two requests, of which one may succeed.
				rounds int
				begin  func(t *testing.T, i int) [2]Step
			}{
				{"two companies do not become each other's parents", 40, func(t *testing.T, i int) [2]Step {
					a, b := w.Create(t, "companies", `{"name":"A"}`, ""), w.Create(t, "companies", `{"name":"B"}`, "")
					return [2]Step{
						{Do: "PATCH /companies/" + a, Body: `{"parent_company_id":"` + b + `"}`},
						{Do: "PATCH /companies/" + b, Body: `{"parent_company_id":"` + a + `"}`},
					}
				}},
				{"a lifecycle stage is not deleted while a contact enters it", 10, func(t *testing.T, i int) [2]Step {
					stage := w.Create(t, "lifecycle_stages", fmt.Sprintf(`{"name":"Stage %d"}`, i), "")
					return [2]Step{
						{Do: "DELETE /lifecycle_stages/" + stage},
						{Do: "POST /contacts", Body: `{"name":"Anna","lifecycle_stage_id":"` + stage + `"}`},
					}
				}},
				{"a pipeline is not deleted while a deal enters it", 10, func(t *testing.T, i int) [2]Step {
					pipeline := w.Create(t, "pipelines", fmt.Sprintf(`{"name":"Pipeline %d"}`, i), "")
					return [2]Step{
						{Do: "DELETE /pipelines/" + pipeline},
						{Do: "POST /deals", Body: `{"name":"Boat","pipeline_id":"` + pipeline + `"}`},
					}
				}},
				{"a role is not deleted while a user gets it", 10, func(t *testing.T, i int) [2]Step {
					role := w.Create(t, "roles", fmt.Sprintf(`{"name":"Role %d"}`, i), "")
					return [2]Step{
						{Do: "DELETE /roles/" + role},
						{Do: "POST /users", Body: fmt.Sprintf(`{"email":"u%d@harbour.example","role_id":%q}`, i, role)},
					}
				}},
				{"a value that must be unique is taken once, be it from the bin", 10, func(t *testing.T, i int) [2]Step {
					body := fmt.Sprintf(`{"name":"Oar","sku":"oar-%d"}`, i)
					binned := w.Create(t, "products", body, "")
					w.Check(t, Step{Do: "DELETE /products/" + binned, Status: 204})
					return [2]Step{{Do: "POST /products", Body: body}, {Do: "POST /products/" + binned + "/restore"}}
				}},
			} {
				t.Run(test.rule, func(t *testing.T) {
					for i := range test.rounds {
						requests := test.begin(t, i)
						succeeded := 0
						for _, a := range both(t, servers, requests) {
							switch {
							case a.Status < 300:
								succeeded++
							case a.Status != 409 && a.Status != 422:
								t.Errorf("status %d: %s", a.Status, a.Text)
							}
						}
						if succeeded != 1 {
							t.Errorf("round %d: %d of the two were taken: %s and %s", i, succeeded, requests[0].Do, requests[1].Do)
						}
					}
				})
			}
			t.Run("two administrators do not take the rights from each other", func(t *testing.T) { lastAdministrators(w, t, servers) })
		})
	}
}

// both sends two requests at once, each to its server.
func both(t *testing.T, servers [2]*World, requests [2]Step) []*Answer {
	t.Helper()
	answers := make(chan *Answer, 2)
	for i, s := range requests {
		go func() { answers <- servers[i].Send(t, s) }()
	}
	return []*Answer{<-answers, <-answers}
}

// lastAdministrators lets the two administrators of a business suspend each other.
func lastAdministrators(w *World, t *testing.T, servers [2]*World) {
	t.Helper()
	for i := range 5 {
		first, second := fmt.Sprintf("first%d", i), fmt.Sprintf("second%d", i)
		tenant := w.Business(t, fmt.Sprintf("Race%d", i), first)
		w.Vars[first] = schema.FormatID("user", w.Users[first])
		w.Check(t, Step{
			As: first, Do: "POST /roles/search", Body: `{"filters":[{"field":"name","operator":"eq","value":"admin"}]}`,
			Status: 200, Save: "admins=data.0.id",
		})
		w.Check(t, Step{As: first, Do: "PATCH /users/$" + first, Body: `{"status":"active"}`, Status: 200})
		w.Check(t, Step{
			As: first, Do: "POST /users",
			Body: `{"email":"` + second + `@race.example","role_id":"$admins","status":"active"}`, Status: 201, Save: second,
		})
		var err error
		if w.Users[second], err = schema.ParseID("user", w.Vars[second]); err != nil {
			t.Fatal(err)
		}
		w.MintFor(t, tenant, second, second, record.Scopes(), time.Time{})
		suspended := 0
		for _, a := range both(t, servers, [2]Step{
			{As: first, Do: "PATCH /users/$" + second, Body: `{"status":"suspended"}`},
			{As: second, Do: "PATCH /users/$" + first, Body: `{"status":"suspended"}`},
		}) {
			switch a.Status {
			case 200:
				suspended++
			case 409, 401: // the last one, or suspended before the request came in
			default:
				t.Errorf("status %d: %s", a.Status, a.Text)
			}
		}
		if suspended != 1 {
			t.Errorf("round %d: %d of the two administrators were suspended", i, suspended)
		}
	}
}
