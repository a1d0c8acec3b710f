package account_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

// settings are the resources that need a feature permission to be changed.
var settings = map[string]string{
	"pipelines": "manage_settings", "lifecycle_stages": "manage_settings", "loss_reasons": "manage_settings", "users": "manage_users",
	"roles": "manage_roles", "apps": "manage_apps", "fields": "manage_settings", "webhooks": "manage_apps",
}

// mayWrite says how far the four starting roles go, in the words of the contract.
func mayWrite(role, plural string) string {
	setting := settings[plural] != ""
	switch {
	case role != "admin" && slices.Contains([]string{"tokens", "views", "reports"}, plural),
		plural == "follows", plural == "notifications": // one's own
		return "own"
	case role == "admin", role == "manager" && !setting:
		return "all"
	case role == "member" && !setting && plural != "products":
		return "own"
	}
	return "none"
}

func TestStartingRoles(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for _, r := range NewRecords {
			for _, role := range []string{"admin", "manager", "member", "viewer"} {
				t.Run(role+" and "+r.Plural, func(t *testing.T) {
					all, reach, kind := "/"+r.Plural, mayWrite(role, r.Plural), KindOf(t, r.Plural)
					fresh := func(name string) string {
						body := strings.Replace(r.Body, `"external_id":"a"`, `"external_id":"`+role+name+`"`, 1)
						body = strings.Replace(body, "OAR-1", role+name, 1)
						return strings.NewReplacer("Ida@", role+name+"@", "Intern", role+name, `"tier"`, `"`+role+name+`"`).Replace(body)
					}
					// A record of the administrator's, and one of the role's own where it may have one.
					w.Create(t, r.Plural, fresh("theirs"), "theirs")
					search := `{"filters":[{"field":"external_id","operator":"eq","value":"` + role + `theirs"}]}`
					if r.Plural == "tokens" && role != "admin" {
						w.Run(t, []Step{
							{Rule: "does not read others'", As: role, Do: "GET " + all + "/$theirs", Status: 404, Code: "not_found"},
							{
								Rule: "does not find others'", As: role, Do: "POST " + all + "/search", Body: search, Status: 200,
								Found: Found(""),
							},
							{
								Rule: "cannot delete others', and is not told of them", As: role, Do: "DELETE " + all + "/$theirs",
								Status: 404, Code: "not_found",
							},
							{
								Rule: "creates its own", As: role, Do: "POST " + all, Body: fresh("mine"), Status: 201,
								Want: `{"owner_id":"$` + role + `","user_id":"$` + role + `"}`, Save: "mine",
							},
							{Rule: "reads its own", As: role, Do: "GET " + all + "/$mine", Status: 200},
							{Rule: "deletes its own", As: role, Do: "DELETE " + all + "/$mine", Status: 204},
						})
						return
					}
					if kind.Access.Personal {
						w.Run(t, []Step{
							{
								Rule: "creates its own", As: role, Do: "POST " + all, Body: fresh("mine"), Status: 201,
								Want: `{"owner_id":"$` + role + `"}`, Save: "mine",
							},
							{Rule: "reads its own", As: role, Do: "GET " + all + "/$mine", Status: 200},
							{Rule: "changes its own", As: role, Do: "PATCH " + all + "/$mine", Body: r.Patch, Status: 200},
							{Rule: "deletes its own", As: role, Do: "DELETE " + all + "/$mine", Status: 204},
							{Rule: "restores its own", As: role, Do: "POST " + all + "/$mine/restore", Status: 200},
						})
						if role == "admin" { // whose the others are
							return
						}
						w.Run(t, []Step{
							{Rule: "does not read others'", As: role, Do: "GET " + all + "/$theirs", Status: 404, Code: "not_found"},
							{Rule: "does not change others'", As: role, Do: "PATCH " + all + "/$theirs", Body: r.Patch, Status: 404},
							{Rule: "nor delete them", As: role, Do: "DELETE " + all + "/$theirs", Status: 404},
							{
								Rule: "does not find others'", As: role, Do: "POST " + all + "/search", Body: search, Status: 200,
								Found: Found(""),
							},
							{Rule: "nor does an administrator read its own", Do: "GET " + all + "/$mine", Status: 404},
						})
						return
					}
					if r.Plural == "webhooks" && role != "admin" { // whose addresses may hold secrets
						w.Run(t, []Step{
							{Rule: "does not read any", As: role, Do: "GET " + all + "/$theirs", Status: 403, Code: "forbidden_by_role"},
							{
								Rule: "does not search", As: role, Do: "POST " + all + "/search", Body: search, Status: 403,
								Code: "forbidden_by_role",
							},
							{
								Rule: "does not see what was sent", As: role, Do: "POST " + all + "/$theirs/deliveries/search", Body: `{}`,
								Status: 403, Code: "forbidden_by_role",
							},
							{
								Rule: "does not create", As: role, Do: "POST " + all, Body: fresh("mine"), Status: 403,
								Code: "forbidden_by_role",
							},
						})
						return
					}
					w.Offered(t, kind, []Step{
						{Rule: "reads all", As: role, Do: "GET " + all + "/$theirs", Status: 200},
						{
							Rule: "searches all", As: role, Do: "POST " + all + "/search", Body: search, Status: 200,
							Found: Found(role + "theirs"),
						},
						{Rule: "searches the bin", As: role, Do: "POST " + all + "/deleted/search", Status: 200},
					})
					switch reach {
					case "none":
						w.Offered(t, kind, []Step{
							{
								Rule: "cannot create", As: role, Do: "POST " + all, Body: fresh("mine"), Status: 403,
								Code: "forbidden_by_role",
							},
							{
								Rule: "cannot change", As: role, Do: "PATCH " + all + "/$theirs", Body: r.Patch, Status: 403,
								Code: "forbidden_by_role",
							},
							{Rule: "cannot delete", As: role, Do: "DELETE " + all + "/$theirs", Status: 403, Code: "forbidden_by_role"},
							{
								Rule: "cannot restore", As: role, Do: "POST " + all + "/$theirs/restore", Status: 403,
								Code: "forbidden_by_role",
							},
						})
						return
					case "own":
						w.Offered(t, kind, []Step{
							{
								Rule: "cannot change others'", As: role, Do: "PATCH " + all + "/$theirs", Body: r.Patch, Status: 403,
								Code: "forbidden_by_role",
							},
							{
								Rule: "cannot delete others'", As: role, Do: "DELETE " + all + "/$theirs", Status: 403,
								Code: "forbidden_by_role",
							},
							{
								Rule: "cannot create for others", As: role, Do: "POST " + all,
								Body: strings.Replace(fresh("for"), "{", `{"owner_id":"$admin",`, 1), Status: 403,
								Code: "forbidden_by_role",
							},
						})
					case "all":
						w.Offered(t, kind, []Step{
							{
								Rule: "changes others'", As: role, Do: "PATCH " + all + "/$theirs", Body: r.Patch, Status: 200,
								Want: `{"updated_by":"$` + role + `"}`,
							},
							{Rule: "deletes others'", As: role, Do: "DELETE " + all + "/$theirs", Status: 204},
							{Rule: "restores others'", As: role, Do: "POST " + all + "/$theirs/restore", Status: 200},
						})
					}
					w.Offered(t, kind, []Step{
						{
							Rule: "creates its own", As: role, Do: "POST " + all, Body: fresh("mine"), Status: 201,
							Want: `{"owner_id":"$` + role + `","created_by":"$` + role + `"}`, Save: "mine",
						},
						{Rule: "changes its own", As: role, Do: "PATCH " + all + "/$mine", Body: r.Patch, Status: 200},
						{Rule: "deletes its own", As: role, Do: "DELETE " + all + "/$mine", Status: 204},
						{Rule: "restores its own", As: role, Do: "POST " + all + "/$mine/restore", Status: 200},
					})
				})
			}
		}
	})
}

func TestOwnMeansOwnedOrAssigned(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "tasks", `{"title":"For the member","assignee_id":"$member"}`, "task")
		w.Create(t, "contacts", `{"name":"Given","owner_id":"$member"}`, "given")
		w.Create(t, "deals", `{"name":"Theirs"}`, "deal")
		w.Create(t, "notes", `{"title":"Theirs"}`, "note")
		w.Create(t, "quotes", `{"title":"Theirs"}`, "quote")
		w.Run(t, []Step{
			{Rule: "a task assigned to one is one's own", As: "member", Do: "POST /tasks/$task/complete", Status: 200},
			{
				Rule: "a record given to one is one's own", As: "member", Do: "PATCH /contacts/$given", Body: `{"job_title":"x"}`,
				Status: 200,
			},
			{Rule: "one's own can be given away", As: "member", Do: "PATCH /contacts/$given", Body: `{"owner_id":"$manager"}`, Status: 200},
			{
				Rule: "then it is one's own no longer", As: "member", Do: "PATCH /contacts/$given", Body: `{"job_title":"y"}`, Status: 403,
				Code: "forbidden_by_role",
			},
			{
				Rule: "actions ask for the same permission", As: "member", Do: "POST /deals/$deal/win", Status: 403,
				Code: "forbidden_by_role",
			},
			{Rule: "pinning, too", As: "member", Do: "POST /notes/$note/pin", Status: 403, Code: "forbidden_by_role"},
			{Rule: "sending, too", As: "member", Do: "POST /quotes/$quote/send", Status: 403, Code: "forbidden_by_role"},
			{
				Rule: "the refusal names the role and the rule", As: "member", Do: "POST /deals/$deal/win", Status: 403,
				Want: `{"detail":"The role member allows write only on one's own deals."}`,
			},
		})
	})
}

func TestRolesOfOnesOwnMaking(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "roles", `{"name":"Scout","permissions":{"contact":{"read":"own","write":"all","delete":"own"},`+
			`"company":{"read":"none","write":"all","delete":"all"},"pipeline":{"read":"all","write":"all","delete":"all"},`+
			`"deal":{"read":"own","write":"own"}}}`, "scout")
		w.Create(t, "companies", `{"name":"Hidden"}`, "hidden")
		w.Create(t, "contacts", `{"name":"Theirs","external_id":"theirs"}`, "theirs")
		w.Create(t, "contacts", `{"name":"Mine","external_id":"mine","owner_id":"$viewer"}`, "mine")
		w.Check(t, Step{Do: "PATCH /users/$viewer", Body: `{"role_id":"$scout"}`, Status: 200})
		w.Run(t, []Step{
			{Rule: "a change of role takes effect at once", As: "viewer", Do: "GET /contacts/$mine", Status: 200},
			{Rule: "a record that the role may not read is 404", As: "viewer", Do: "GET /contacts/$theirs", Status: 404, Code: "not_found"},
			{
				Rule: "it cannot be changed either, and is 404", As: "viewer", Do: "PATCH /contacts/$theirs", Body: `{"name":"x"}`,
				Status: 404, Code: "not_found",
			},
			{Rule: "nor deleted", As: "viewer", Do: "DELETE /contacts/$theirs", Status: 404, Code: "not_found"},
			{
				Rule: "search shows only one's own, and counts only them", As: "viewer", Do: "POST /contacts/search", Status: 200,
				Found: Found("mine"), Want: `{"meta":{"total":1}}`,
			},
			{
				Rule: "with filters, too", As: "viewer", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"name","operator":"is_set"}]}`, Status: 200, Found: Found("mine"),
			},
			{
				Rule: "with a text, too", As: "viewer", Do: "POST /contacts/search", Body: `{"search_text":"theirs"}`, Status: 200,
				Found: Found(""),
			},
			{
				Rule: "none is 403 before the record is looked for", As: "viewer", Do: "GET /companies/$hidden", Status: 403,
				Code: "forbidden_by_role",
			},
			{Rule: "and 403 for search", As: "viewer", Do: "POST /companies/search", Status: 403, Code: "forbidden_by_role"},
			{
				Rule: "what may be written and not read is 404", As: "viewer", Do: "PATCH /companies/$hidden", Body: `{"name":"x"}`,
				Status: 404, Code: "not_found",
			},
			{
				Rule: "a reference to what one may not read is as good as unknown", As: "viewer", Do: "PATCH /contacts/$mine",
				Body: `{"company_id":"$hidden"}`, Status: 422, Wrong: "company_id:not_found",
			},
			{
				Rule: "a resource that the role does not mention is not allowed", As: "viewer", Do: "POST /tasks/search", Status: 403,
				Code: "forbidden_by_role",
			},
			{
				Rule: "settings need their feature beside the permission", As: "viewer", Do: "POST /pipelines", Body: `{"name":"x"}`,
				Status: 403, Code: "forbidden_by_role",
				Want: `{"detail":"The role Scout lacks the feature permission manage_settings, which write on pipelines needs."}`,
			},
			{Rule: "reading settings does not", As: "viewer", Do: "POST /pipelines/search", Status: 200},
			{
				Rule: "a verb that is not mentioned is not allowed", As: "viewer", Do: "POST /deals", Body: `{"name":"d"}`, Status: 201,
				Save: "deal",
			},
			{Rule: "deleting is not", As: "viewer", Do: "DELETE /deals/$deal", Status: 403, Code: "forbidden_by_role"},
			{Rule: "the feature is given", Do: "PATCH /roles/$scout", Body: `{"features":["manage_settings"]}`, Status: 200},
			{Rule: "then it is allowed", As: "viewer", Do: "POST /pipelines", Body: `{"name":"x"}`, Status: 201},
			{
				Rule: "other features are not given with it", As: "viewer", Do: "POST /roles", Body: `{"name":"x"}`, Status: 403,
				Code: "forbidden_by_role",
			},
			{Rule: "one's own deleted record can be seen in the bin", As: "viewer", Do: "DELETE /contacts/$mine", Status: 204},
			{Rule: "another's is deleted", Do: "DELETE /contacts/$theirs", Status: 204},
			{Rule: "the bin shows only one's own", As: "viewer", Do: "POST /contacts/deleted/search", Status: 200, Found: Found("mine")},
			{
				Rule: "another's cannot be restored, and is 404", As: "viewer", Do: "POST /contacts/$theirs/restore", Status: 404,
				Code: "not_found",
			},
		})
	})
}

// Every route asks for one scope; the resource's .all gives it, too, and nothing else does.
func TestScopesOfEveryRoute(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for _, route := range w.API.Routes() {
			if route.Kind == nil || route.Verb == "" { // /v1/me has no records, and each operation of a batch has its own verb
				continue
			}
			resource := route.Kind.Name
			needed := fmt.Sprintf("%s.%s", resource, route.Verb)
			var others []string
			for _, scope := range record.Scopes() {
				if scope != needed && scope != resource+".all" {
					others = append(others, scope)
				}
			}
			if w.Tokens["all but "+needed] == "" {
				w.Mint(t, "all but "+needed, "admin", others, time.Time{})
			}
			path := strings.TrimPrefix(strings.Replace(route.Pattern, "{id}", resource+"_01h455vb4pex5vsknk084sn02q", 1), "/v1")
			do := route.Method + " " + path
			t.Run(do, func(t *testing.T) {
				w.Check(t, Step{
					As: "all but " + needed, Do: do, Status: 403, Code: "insufficient_scope",
					Want: `{"scope":"` + needed + `"}`,
					Head: []string{`WWW-Authenticate: Bearer ` +
						`realm="kith", error="insufficient_scope", scope="` + needed + `", resource_metadata=*`},
				})
				for _, scope := range []string{strings.Join(route.Needs(), ","), resource + ".all"} {
					asked := Step{As: "admin:" + scope, Do: do}
					if strings.HasSuffix(path, "/export") { // hints of tokens are not the same on both engines
						asked.Body = `{"format":"csv","fields":["id"]}`
					}
					if a := w.Ask(t, asked); a.Status == 403 {
						t.Errorf("%s with %s is 403: %s", do, scope, a.Text)
					}
				}
			})
		}
	})
}

func TestScopeAndRoleAreBothNeeded(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.Create(t, "products", `{"name":"Oar"}`, "oar")
		w.Run(t, []Step{
			{
				Rule: "a scope beyond the role gives nothing: 403 by role", As: "viewer:contact.delete", Do: "DELETE /contacts/$anna",
				Status: 403, Code: "forbidden_by_role",
			},
			{
				Rule: "a role beyond the scopes gives nothing: 403 by scope", As: "admin:contact.read,contact.write",
				Do: "DELETE /contacts/$anna", Status: 403, Code: "insufficient_scope",
			},
			{Rule: "read gives GET", As: "viewer:contact.read", Do: "GET /contacts/$anna", Status: 200},
			{Rule: "read gives search", As: "viewer:contact.read", Do: "POST /contacts/search", Status: 200},
			{
				Rule: "write does not give read", As: "admin:contact.write", Do: "GET /contacts/$anna", Status: 403,
				Code: "insufficient_scope",
			},
			{Rule: "write gives PATCH", As: "admin:contact.write", Do: "PATCH /contacts/$anna", Body: `{"name":"Anne"}`, Status: 200},
			{Rule: "write gives create", As: "admin:contact.write", Do: "POST /contacts", Body: `{"name":"x"}`, Status: 201},
			{
				Rule: "write does not give delete", As: "admin:contact.write", Do: "DELETE /contacts/$anna", Status: 403,
				Code: "insufficient_scope",
			},
			{
				Rule: "a scope of another resource gives nothing", As: "admin:deal.all", Do: "GET /contacts/$anna", Status: 403,
				Code: "insufficient_scope",
			},
			{
				Rule: "PATCH of a product needs product.write", As: "admin:product.delete,product.read", Do: "PATCH /products/$oar",
				Body: `{"status":"archived"}`, Status: 403, Want: `{"scope":"product.write"}`,
			},
			{
				Rule: "product.write archives", As: "admin:product.write", Do: "PATCH /products/$oar", Body: `{"status":"archived"}`,
				Status: 200,
			},
			{
				Rule: "product.all archives back", As: "admin:product.all", Do: "PATCH /products/$oar", Body: `{"status":"active"}`,
				Status: 200,
			},
			{
				Rule: "DELETE of a product needs product.delete", As: "admin:product.write", Do: "DELETE /products/$oar", Status: 403,
				Want: `{"scope":"product.delete"}`,
			},
			{Rule: "product.delete deletes", As: "admin:product.delete", Do: "DELETE /products/$oar", Status: 204},
			{
				Rule: "restore is an action and needs write", As: "admin:product.delete", Do: "POST /products/$oar/restore", Status: 403,
				Want: `{"scope":"product.write"}`,
			},
			{Rule: "delete gives DELETE", As: "admin:contact.delete", Do: "DELETE /contacts/$anna", Status: 204},
		})
	})
}
