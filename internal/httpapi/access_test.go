package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
)

// settings are the resources that need a feature permission to be changed.
var settings = map[string]string{
	"pipelines": "manage_settings", "lifecycle_stages": "manage_settings", "users": "manage_users",
	"roles": "manage_roles", "apps": "manage_apps", "fields": "manage_settings", "webhooks": "manage_apps",
}

// mayWrite says how far the four starting roles go, in the words of the contract.
func mayWrite(role, plural string) string {
	setting := settings[plural] != ""
	switch {
	case role != "admin" && (plural == "tokens" || plural == "views"): // one's own, whoever one is
		return "own"
	case role == "admin", role == "manager" && !setting:
		return "all"
	case role == "member" && !setting && plural != "products":
		return "own"
	}
	return "none"
}

func TestStartingRoles(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, r := range newRecords {
			for _, role := range []string{"admin", "manager", "member", "viewer"} {
				t.Run(role+" and "+r.plural, func(t *testing.T) {
					all, reach, kind := "/"+r.plural, mayWrite(role, r.plural), kindOf(t, r.plural)
					fresh := func(name string) string {
						body := strings.Replace(r.body, `"external_id":"a"`, `"external_id":"`+role+name+`"`, 1)
						body = strings.Replace(body, "OAR-1", role+name, 1)
						return strings.NewReplacer("Ida@", role+name+"@", "Intern", role+name, `"tier"`, `"`+role+name+`"`).Replace(body)
					}
					// A record of the administrator's, and one of the role's own where it may have one.
					w.create(t, r.plural, fresh("theirs"), "theirs")
					search := `{"filters":[{"field":"external_id","operator":"eq","value":"` + role + `theirs"}]}`
					if r.plural == "tokens" && role != "admin" {
						w.run(t, []step{
							{rule: "does not read others'", as: role, do: "GET " + all + "/$theirs", status: 404, code: "not_found"},
							{
								rule: "does not find others'", as: role, do: "POST " + all + "/search", body: search, status: 200,
								found: found(""),
							},
							{
								rule: "cannot delete others', and is not told of them", as: role, do: "DELETE " + all + "/$theirs",
								status: 404, code: "not_found",
							},
							{
								rule: "creates its own", as: role, do: "POST " + all, body: fresh("mine"), status: 201,
								want: `{"owner_id":"$` + role + `","user_id":"$` + role + `"}`, save: "mine",
							},
							{rule: "reads its own", as: role, do: "GET " + all + "/$mine", status: 200},
							{rule: "deletes its own", as: role, do: "DELETE " + all + "/$mine", status: 204},
						})
						return
					}
					if r.plural == "webhooks" && role != "admin" { // whose addresses may hold secrets
						w.run(t, []step{
							{rule: "does not read any", as: role, do: "GET " + all + "/$theirs", status: 403, code: "forbidden_by_role"},
							{
								rule: "does not search", as: role, do: "POST " + all + "/search", body: search, status: 403,
								code: "forbidden_by_role",
							},
							{
								rule: "does not see what was sent", as: role, do: "POST " + all + "/$theirs/deliveries/search", body: `{}`,
								status: 403, code: "forbidden_by_role",
							},
							{
								rule: "does not create", as: role, do: "POST " + all, body: fresh("mine"), status: 403,
								code: "forbidden_by_role",
							},
						})
						return
					}
					w.offered(t, kind, []step{
						{rule: "reads all", as: role, do: "GET " + all + "/$theirs", status: 200},
						{
							rule: "searches all", as: role, do: "POST " + all + "/search", body: search, status: 200,
							found: found(role + "theirs"),
						},
						{rule: "searches the bin", as: role, do: "POST " + all + "/deleted/search", status: 200},
					})
					switch reach {
					case "none":
						w.offered(t, kind, []step{
							{
								rule: "cannot create", as: role, do: "POST " + all, body: fresh("mine"), status: 403,
								code: "forbidden_by_role",
							},
							{
								rule: "cannot change", as: role, do: "PATCH " + all + "/$theirs", body: r.patch, status: 403,
								code: "forbidden_by_role",
							},
							{rule: "cannot delete", as: role, do: "DELETE " + all + "/$theirs", status: 403, code: "forbidden_by_role"},
							{
								rule: "cannot restore", as: role, do: "POST " + all + "/$theirs/restore", status: 403,
								code: "forbidden_by_role",
							},
						})
						return
					case "own":
						w.offered(t, kind, []step{
							{
								rule: "cannot change others'", as: role, do: "PATCH " + all + "/$theirs", body: r.patch, status: 403,
								code: "forbidden_by_role",
							},
							{
								rule: "cannot delete others'", as: role, do: "DELETE " + all + "/$theirs", status: 403,
								code: "forbidden_by_role",
							},
							{
								rule: "cannot create for others", as: role, do: "POST " + all,
								body: strings.Replace(fresh("for"), "{", `{"owner_id":"$admin",`, 1), status: 403,
								code: "forbidden_by_role",
							},
						})
					case "all":
						w.offered(t, kind, []step{
							{
								rule: "changes others'", as: role, do: "PATCH " + all + "/$theirs", body: r.patch, status: 200,
								want: `{"updated_by":"$` + role + `"}`,
							},
							{rule: "deletes others'", as: role, do: "DELETE " + all + "/$theirs", status: 204},
							{rule: "restores others'", as: role, do: "POST " + all + "/$theirs/restore", status: 200},
						})
					}
					w.offered(t, kind, []step{
						{
							rule: "creates its own", as: role, do: "POST " + all, body: fresh("mine"), status: 201,
							want: `{"owner_id":"$` + role + `","created_by":"$` + role + `"}`, save: "mine",
						},
						{rule: "changes its own", as: role, do: "PATCH " + all + "/$mine", body: r.patch, status: 200},
						{rule: "deletes its own", as: role, do: "DELETE " + all + "/$mine", status: 204},
						{rule: "restores its own", as: role, do: "POST " + all + "/$mine/restore", status: 200},
					})
				})
			}
		}
	})
}

// offered runs the steps that use what a resource offers.
func (w *world) offered(t *testing.T, k *record.Kind, steps []step) {
	t.Helper()
	w.run(t, slices.DeleteFunc(steps, func(s step) bool {
		return !offers(k, "patch") && strings.HasPrefix(s.do, "PATCH ") || !offers(k, "restore") && strings.HasSuffix(s.do, "/restore") ||
			!offers(k, "bin") && strings.HasSuffix(s.do, "/deleted/search")
	}))
}

func TestOwnMeansOwnedOrAssigned(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "tasks", `{"title":"For the member","assignee_id":"$member"}`, "task")
		w.create(t, "contacts", `{"name":"Given","owner_id":"$member"}`, "given")
		w.create(t, "deals", `{"name":"Theirs"}`, "deal")
		w.create(t, "notes", `{"title":"Theirs"}`, "note")
		w.create(t, "quotes", `{"title":"Theirs"}`, "quote")
		w.run(t, []step{
			{rule: "a task assigned to one is one's own", as: "member", do: "POST /tasks/$task/complete", status: 200},
			{
				rule: "a record given to one is one's own", as: "member", do: "PATCH /contacts/$given", body: `{"job_title":"x"}`,
				status: 200,
			},
			{rule: "one's own can be given away", as: "member", do: "PATCH /contacts/$given", body: `{"owner_id":"$manager"}`, status: 200},
			{
				rule: "then it is one's own no longer", as: "member", do: "PATCH /contacts/$given", body: `{"job_title":"y"}`, status: 403,
				code: "forbidden_by_role",
			},
			{
				rule: "actions ask for the same permission", as: "member", do: "POST /deals/$deal/win", status: 403,
				code: "forbidden_by_role",
			},
			{rule: "pinning, too", as: "member", do: "POST /notes/$note/pin", status: 403, code: "forbidden_by_role"},
			{rule: "sending, too", as: "member", do: "POST /quotes/$quote/send", status: 403, code: "forbidden_by_role"},
			{
				rule: "the refusal names the role and the rule", as: "member", do: "POST /deals/$deal/win", status: 403,
				want: `{"detail":"The role member allows write only on one's own deals."}`,
			},
		})
	})
}

func TestRolesOfOnesOwnMaking(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "roles", `{"name":"Scout","permissions":{"contact":{"read":"own","write":"all","delete":"own"},`+
			`"company":{"read":"none","write":"all","delete":"all"},"pipeline":{"read":"all","write":"all","delete":"all"},`+
			`"deal":{"read":"own","write":"own"}}}`, "scout")
		w.create(t, "companies", `{"name":"Hidden"}`, "hidden")
		w.create(t, "contacts", `{"name":"Theirs","external_id":"theirs"}`, "theirs")
		w.create(t, "contacts", `{"name":"Mine","external_id":"mine","owner_id":"$viewer"}`, "mine")
		w.check(t, step{do: "PATCH /users/$viewer", body: `{"role_id":"$scout"}`, status: 200})
		w.run(t, []step{
			{rule: "a change of role takes effect at once", as: "viewer", do: "GET /contacts/$mine", status: 200},
			{rule: "a record that the role may not read is 404", as: "viewer", do: "GET /contacts/$theirs", status: 404, code: "not_found"},
			{
				rule: "it cannot be changed either, and is 404", as: "viewer", do: "PATCH /contacts/$theirs", body: `{"name":"x"}`,
				status: 404, code: "not_found",
			},
			{rule: "nor deleted", as: "viewer", do: "DELETE /contacts/$theirs", status: 404, code: "not_found"},
			{
				rule: "search shows only one's own, and counts only them", as: "viewer", do: "POST /contacts/search", status: 200,
				found: found("mine"), want: `{"meta":{"total":1}}`,
			},
			{
				rule: "with filters, too", as: "viewer", do: "POST /contacts/search",
				body: `{"filters":[{"field":"name","operator":"is_set"}]}`, status: 200, found: found("mine"),
			},
			{
				rule: "with a text, too", as: "viewer", do: "POST /contacts/search", body: `{"search_text":"theirs"}`, status: 200,
				found: found(""),
			},
			{
				rule: "none is 403 before the record is looked for", as: "viewer", do: "GET /companies/$hidden", status: 403,
				code: "forbidden_by_role",
			},
			{rule: "and 403 for search", as: "viewer", do: "POST /companies/search", status: 403, code: "forbidden_by_role"},
			{
				rule: "what may be written and not read is 404", as: "viewer", do: "PATCH /companies/$hidden", body: `{"name":"x"}`,
				status: 404, code: "not_found",
			},
			{
				rule: "a reference to what one may not read is as good as unknown", as: "viewer", do: "PATCH /contacts/$mine",
				body: `{"company_id":"$hidden"}`, status: 422, wrong: "company_id:not_found",
			},
			{
				rule: "a resource that the role does not mention is not allowed", as: "viewer", do: "POST /tasks/search", status: 403,
				code: "forbidden_by_role",
			},
			{
				rule: "settings need their feature beside the permission", as: "viewer", do: "POST /pipelines", body: `{"name":"x"}`,
				status: 403, code: "forbidden_by_role",
				want: `{"detail":"The role Scout lacks the feature permission manage_settings, which write on pipelines needs."}`,
			},
			{rule: "reading settings does not", as: "viewer", do: "POST /pipelines/search", status: 200},
			{
				rule: "a verb that is not mentioned is not allowed", as: "viewer", do: "POST /deals", body: `{"name":"d"}`, status: 201,
				save: "deal",
			},
			{rule: "deleting is not", as: "viewer", do: "DELETE /deals/$deal", status: 403, code: "forbidden_by_role"},
			{rule: "the feature is given", do: "PATCH /roles/$scout", body: `{"features":["manage_settings"]}`, status: 200},
			{rule: "then it is allowed", as: "viewer", do: "POST /pipelines", body: `{"name":"x"}`, status: 201},
			{
				rule: "other features are not given with it", as: "viewer", do: "POST /roles", body: `{"name":"x"}`, status: 403,
				code: "forbidden_by_role",
			},
			{rule: "one's own deleted record can be seen in the bin", as: "viewer", do: "DELETE /contacts/$mine", status: 204},
			{rule: "another's is deleted", do: "DELETE /contacts/$theirs", status: 204},
			{rule: "the bin shows only one's own", as: "viewer", do: "POST /contacts/deleted/search", status: 200, found: found("mine")},
			{
				rule: "another's cannot be restored, and is 404", as: "viewer", do: "POST /contacts/$theirs/restore", status: 404,
				code: "not_found",
			},
		})
	})
}

// Every route asks for one scope; the resource's .all gives it, too, and nothing else does.
func TestScopesOfEveryRoute(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, route := range w.api.Routes() {
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
			if w.tokens["all but "+needed] == "" {
				w.mint(t, "all but "+needed, "admin", others, time.Time{})
			}
			path := strings.TrimPrefix(strings.Replace(route.Pattern, "{id}", resource+"_01h455vb4pex5vsknk084sn02q", 1), "/v1")
			do := route.Method + " " + path
			t.Run(do, func(t *testing.T) {
				w.check(t, step{
					as: "all but " + needed, do: do, status: 403, code: "insufficient_scope",
					want: `{"scope":"` + needed + `"}`,
					head: []string{`WWW-Authenticate: Bearer ` +
						`realm="kith", error="insufficient_scope", scope="` + needed + `", resource_metadata=*`},
				})
				for _, scope := range []string{strings.Join(route.Needs(), ","), resource + ".all"} {
					asked := step{as: "admin:" + scope, do: do}
					if strings.HasSuffix(path, "/export") { // hints of tokens are not the same on both engines
						asked.body = `{"format":"csv","fields":["id"]}`
					}
					if a := w.ask(t, asked); a.status == 403 {
						t.Errorf("%s with %s is 403: %s", do, scope, a.text)
					}
				}
			})
		}
	})
}

func TestScopeAndRoleAreBothNeeded(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.create(t, "products", `{"name":"Oar"}`, "oar")
		w.run(t, []step{
			{
				rule: "a scope beyond the role gives nothing: 403 by role", as: "viewer:contact.delete", do: "DELETE /contacts/$anna",
				status: 403, code: "forbidden_by_role",
			},
			{
				rule: "a role beyond the scopes gives nothing: 403 by scope", as: "admin:contact.read,contact.write",
				do: "DELETE /contacts/$anna", status: 403, code: "insufficient_scope",
			},
			{rule: "read gives GET", as: "viewer:contact.read", do: "GET /contacts/$anna", status: 200},
			{rule: "read gives search", as: "viewer:contact.read", do: "POST /contacts/search", status: 200},
			{
				rule: "write does not give read", as: "admin:contact.write", do: "GET /contacts/$anna", status: 403,
				code: "insufficient_scope",
			},
			{rule: "write gives PATCH", as: "admin:contact.write", do: "PATCH /contacts/$anna", body: `{"name":"Anne"}`, status: 200},
			{rule: "write gives create", as: "admin:contact.write", do: "POST /contacts", body: `{"name":"x"}`, status: 201},
			{
				rule: "write does not give delete", as: "admin:contact.write", do: "DELETE /contacts/$anna", status: 403,
				code: "insufficient_scope",
			},
			{
				rule: "a scope of another resource gives nothing", as: "admin:deal.all", do: "GET /contacts/$anna", status: 403,
				code: "insufficient_scope",
			},
			{
				rule: "PATCH of a product needs product.write", as: "admin:product.delete,product.read", do: "PATCH /products/$oar",
				body: `{"status":"archived"}`, status: 403, want: `{"scope":"product.write"}`,
			},
			{
				rule: "product.write archives", as: "admin:product.write", do: "PATCH /products/$oar", body: `{"status":"archived"}`,
				status: 200,
			},
			{
				rule: "product.all archives back", as: "admin:product.all", do: "PATCH /products/$oar", body: `{"status":"active"}`,
				status: 200,
			},
			{
				rule: "DELETE of a product needs product.delete", as: "admin:product.write", do: "DELETE /products/$oar", status: 403,
				want: `{"scope":"product.delete"}`,
			},
			{rule: "product.delete deletes", as: "admin:product.delete", do: "DELETE /products/$oar", status: 204},
			{
				rule: "restore is an action and needs write", as: "admin:product.delete", do: "POST /products/$oar/restore", status: 403,
				want: `{"scope":"product.write"}`,
			},
			{rule: "delete gives DELETE", as: "admin:contact.delete", do: "DELETE /contacts/$anna", status: 204},
		})
	})
}
