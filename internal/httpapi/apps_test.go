package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// person adds a user with a role of the business, and a token with every scope under their name.
func (w *world) person(t *testing.T, name, role string) {
	t.Helper()
	id, err := account.CreateUser(context.Background(), w.engine, w.tenant, account.Person{Email: name + "@harbour.example", Name: name},
		role)
	if err != nil {
		t.Fatal(err)
	}
	w.users[name], w.vars[name] = id, schema.FormatID("user", id)
	w.mint(t, name, name, record.Scopes(), time.Time{})
}

// permissionsBut is the JSON of permissions for everything, with some resources taken out.
func permissionsBut(without ...string) string {
	all := map[string]map[string]string{}
	for _, k := range record.Kinds() {
		all[k.Name] = map[string]string{"read": "all", "write": "all", "delete": "all"}
	}
	for _, name := range without {
		delete(all, name)
	}
	text, _ := json.Marshal(all)
	return string(text)
}

// deputy makes a role that manages people and apps but may not touch deals, and two users who have it.
func (w *world) deputy(t *testing.T) {
	t.Helper()
	w.create(t, "roles", `{"name":"Deputy","permissions":`+permissionsBut("deal")+`,"features":["manage_users","manage_roles",`+
		`"manage_apps","manage_tokens"]}`, "deputy_role")
	w.person(t, "deputy", "Deputy")
	w.person(t, "colleague", "Deputy")
}

func TestAppsAreMadeAndEnded(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "an app is answered with its client id and secret", do: "POST /apps",
				body: `{"name":"Sync","scopes":["contact.read","deal.all"],"external_id":"sync"}`, status: 201,
				save: "sync client=client_id first=client_secret",
				want: `{"client_id":"*","client_secret":"*","grant_types":["client_credentials"],"redirect_uris":[],` +
					`"scopes":["contact.read","deal.all"],"user_id":"$admin","version":1}`, head: []string{"Location: /v1/apps/app_*"},
			},
			{
				rule: "get does not show the secret", do: "GET /apps/$sync", status: 200,
				want: `{"client_id":"$client","client_secret":"<absent>"}`,
			},
			{
				rule: "nor does search", do: "POST /apps/search",
				body: `{"filters":[{"field":"client_id","operator":"eq","value":"$client"}]}`, status: 200, found: found("sync"),
				want: `{"data":[{"client_secret":"<absent>"}]}`,
			},
			{
				rule: "it is no field to ask for", do: "POST /apps/search", body: `{"fields":["client_secret"]}`, status: 422,
				wrong: "fields[0]:unknown_field",
			},
			{
				rule: "name and scopes must be given", do: "POST /apps", body: `{"name":""}`, status: 422,
				wrong: "name:required scopes:required",
			},
			{
				rule: "what kith keeps cannot be given", do: "POST /apps",
				body: `{"name":"x","scopes":["contact.read"],"client_id":"mine","client_secret":"s"}`, status: 422,
				wrong: "client_id:read_only client_secret:unknown_field",
			},
			{
				rule: "a scope that does not exist is 422 on it", do: "POST /apps", body: `{"name":"x","scopes":["boat.sail"]}`,
				status: 422,
				wrong:  "scopes[0]:not_allowed",
			},
			{
				rule: "an unknown user is 422", do: "POST /apps",
				body: `{"name":"x","scopes":["contact.read"],"user_id":"user_01h455vb4pex5vsknk084sn02q"}`, status: 422,
				wrong: "user_id:not_found",
			},
			{
				rule: "a patch does not show the secret", do: "PATCH /apps/$sync", body: `{"name":"Sync 2"}`, status: 200,
				want: `{"name":"Sync 2","client_id":"$client","client_secret":"<absent>","version":2}`,
			},

			{
				rule: "rotate_secret answers a new secret and raises the version", do: "POST /apps/$sync/rotate_secret", status: 200,
				want: `{"id":"$sync","client_id":"$client","client_secret":"*","version":3}`, save: "second=client_secret",
				head: []string{`ETag: "3"`},
			},
			{
				rule: "and again", do: "POST /apps/$sync/rotate_secret", send: []string{`If-Match: "3"`}, body: `{}`, status: 200,
				want: `{"client_secret":"*","version":4}`, save: "third=client_secret",
			},
			{
				rule: "an old version does not", do: "POST /apps/$sync/rotate_secret", send: []string{`If-Match: "3"`}, status: 412,
				code: "precondition_failed",
			},
			{
				rule: "it takes nothing", do: "POST /apps/$sync/rotate_secret", body: `{"client_secret":"mine"}`, status: 422,
				wrong: "client_secret:unknown_field",
			},
			{
				rule: "the new secret is not shown again", do: "GET /apps/$sync", status: 200,
				want: `{"client_secret":"<absent>","version":4}`,
			},
			{
				rule: "an unknown app has none", do: "POST /apps/app_01h455vb4pex5vsknk084sn02q/rotate_secret", status: 404,
				code: "not_found",
			},
			{rule: "nor has another business's", as: "stranger", do: "POST /apps/$sync/rotate_secret", status: 404, code: "not_found"},
			{
				rule: "it needs app.write", as: "admin:app.read,app.delete", do: "POST /apps/$sync/rotate_secret", status: 403,
				code: "insufficient_scope", want: `{"scope":"app.write"}`,
			},
			{
				rule: "and the feature manage_apps", as: "manager", do: "POST /apps/$sync/rotate_secret", status: 403,
				code: "forbidden_by_role",
			},
			{
				rule: "and every scope of the app: its secret gives them", as: "admin:app.all,contact.read,deal.read",
				do: "POST /apps/$sync/rotate_secret", status: 403, code: "insufficient_scope", want: `{"scope":"deal.all"}`,
			},
			{
				rule: "with them it is enough", as: "admin:app.write,contact.all,deal.all", do: "POST /apps/$sync/rotate_secret",
				status: 200, want: `{"version":5}`,
			},
		})
		for _, name := range []string{"first", "second", "third"} {
			if !record.WellFormed(record.ClientSecret, w.vars[name]) {
				t.Errorf("%q is not what a client secret looks like", w.vars[name])
			}
			w.secretIsGone(t, w.vars[name], "GET /apps/$sync", "POST /apps/search")
		}
		if w.vars["first"] == w.vars["second"] || w.vars["second"] == w.vars["third"] {
			t.Error("the secret stayed the same")
		}
		w.accessToken(t, "sync access", "sync")
		w.run(t, []step{
			{rule: "a token of the app works", as: "sync access", do: "POST /contacts/search", status: 200},
			{rule: "another name leaves it", do: "PATCH /apps/$sync", body: `{"name":"Sync 3"}`, status: 200},
			{rule: "so it works still", as: "sync access", do: "POST /contacts/search", status: 200},
			{rule: "other scopes end it", do: "PATCH /apps/$sync", body: `{"scopes":["contact.read"]}`, status: 200},
			{rule: "at once", as: "sync access", do: "POST /contacts/search", status: 401, code: "invalid_token"},
		})
		w.accessToken(t, "next access", "sync")
		w.run(t, []step{
			{rule: "a later token works", as: "next access", do: "POST /contacts/search", status: 200},
			{rule: "deleting needs app.delete", as: "admin:app.write", do: "DELETE /apps/$sync", status: 403, code: "insufficient_scope"},
			{rule: "deleting ends the app", do: "DELETE /apps/$sync", status: 204},
			{rule: "and its tokens at once", as: "next access", do: "POST /contacts/search", status: 401, code: "invalid_token"},
			{rule: "it is gone", do: "GET /apps/$sync", status: 404, code: "not_found"},
			{rule: "and not found", do: "POST /apps/search", status: 200, found: found("")},
			{rule: "has no new secret", do: "POST /apps/$sync/rotate_secret", status: 404, code: "not_found"},
			{rule: "and does not come back", do: "POST /apps/$sync/restore", status: 404, code: "not_found"},
		})
	})
}

// accessToken gives an app a token, as the token endpoint does for client_credentials, and keeps it under a name.
func (w *world) accessToken(t *testing.T, name, app string) {
	t.Helper()
	id, err := schema.ParseID("app", w.vars[app])
	if err != nil {
		t.Fatal(err)
	}
	secret, hash := record.NewSecret(record.AccessToken, w.tenant.ID())
	err = w.tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		return keep.PutCredential(tx, hash, keep.Credential{
			Kind: record.AccessToken, User: w.users["admin"], Parent: id,
			Scopes: []string{"contact.read"}, ExpiresAt: tx.Now.Add(time.Hour), Data: `{"client_id":"` + w.vars["client"] + `"}`,
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	w.tokens[name] = secret
}

func TestRedirectAddressesAndGrantTypes(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		app := func(rest string) string { return `{"name":"x","scopes":["contact.read"]` + rest + `}` }
		for _, c := range []struct {
			uri string
			ok  bool
		}{
			{"https://app.example/callback", true},
			{"https://app.example:8443/a?b=c", true},
			{"https://app.example", true},
			{"http://localhost/cb", true},
			{"http://localhost:1234/cb", true},
			{"http://127.0.0.1/cb", true},
			{"http://[::1]:99/cb", true},
			{"com.example.app:/cb", true},
			{"com.example.app://cb/x", true},
			{"https://app.example/" + strings.Repeat("x", 2028), true},
			{"http://app.example/cb", false},
			{"http://localhost.evil.example/cb", false},
			{"http://0.0.0.0/cb", false},
			{"https:///cb", false},
			{"https://", false},
			{"/cb", false},
			{"app.example/cb", false},
			{"//app.example/cb", false},
			{"https://app.example/#x", false},
			{"https://app.example/#", false},
			{"https://user@app.example/", false},
			{"https://user:pass@app.example/", false},
			{"myapp:/cb", false},
			{"javascript:alert(1)", false},
			{"data:text/html,x", false},
			{"file:///etc/passwd", false},
			{"https://app.example/a b", false},
			{"https://äpp.example/", false},
			{"https://app.example/%zz", false},
			{`https://app.example\\@evil.example/`, false},
			{"https://*.app.example|x/", false},
		} {
			s := step{
				rule: fmt.Sprintf("%.60s is refused", c.uri), do: "POST /apps",
				body: app(`,"redirect_uris":["https://ok.example/","` + c.uri + `"]`), status: 422,
				wrong: "redirect_uris[1]:invalid_format",
			}
			if c.ok {
				s = step{
					rule: fmt.Sprintf("%.60s is taken", c.uri), do: s.do, body: s.body, status: 201,
					want: `{"redirect_uris":["https://ok.example/","` + c.uri + `"]}`,
				}
			}
			w.run(t, []step{s})
		}
		w.run(t, []step{
			{
				rule: "every wrong address is reported", do: "POST /apps",
				body: app(`,"redirect_uris":["x","https://ok.example/","http://y.example/"]`), status: 422,
				wrong: "redirect_uris[0]:invalid_format redirect_uris[2]:invalid_format",
			},
			{
				rule: "one that is too long is", do: "POST /apps",
				body: app(`,"redirect_uris":["https://app.example/` + strings.Repeat("x", 2029) + `"]`), status: 422,
				wrong: "redirect_uris[0]:too_long",
			},
			{
				rule: "with addresses the grant types are those of a person's consent, and nobody is acted as", do: "POST /apps",
				body: app(`,"redirect_uris":["https://ok.example/"]`), status: 201,
				want: `{"grant_types":["authorization_code","refresh_token"],"user_id":null}`, save: "web",
			},
			{
				rule: "without them client_credentials, as the acting user", do: "POST /apps", body: app(""), status: 201,
				want: `{"grant_types":["client_credentials"],"user_id":"$admin"}`, save: "machine",
			},
			{
				rule: "an empty list is none", do: "POST /apps", body: app(`,"redirect_uris":[],"grant_types":[]`), status: 201,
				want: `{"grant_types":["client_credentials"],"user_id":"$admin"}`,
			},
			{
				rule: "both can be had", do: "POST /apps",
				body: app(`,"redirect_uris":["https://ok.example/"],"grant_types":["client_credentials","authorization_code"],` +
					`"user_id":"$member"`), status: 201, want: `{"user_id":"$member"}`,
			},
			{
				rule: "authorization_code needs an address", do: "POST /apps", body: app(`,"grant_types":["authorization_code"]`),
				status: 422, wrong: "redirect_uris:required",
			},
			{
				rule: "other grant types do not exist", do: "POST /apps", body: app(`,"grant_types":["password","implicit"]`), status: 422,
				wrong: "grant_types[0]:not_allowed grant_types[1]:not_allowed",
			},
			{
				rule: "the last address cannot be taken from one that needs it", do: "PATCH /apps/$web", body: `{"redirect_uris":[]}`,
				status: 422, wrong: "redirect_uris:required",
			},
			{
				rule: "with its grant types it can: they are derived again", do: "PATCH /apps/$web",
				body: `{"redirect_uris":null,"grant_types":null}`, status: 200,
				want: `{"grant_types":["client_credentials"],"user_id":"$admin"}`,
			},
			{
				rule: "a patch is held to the same rules", do: "PATCH /apps/$machine", body: `{"redirect_uris":["http://app.example/"]}`,
				status: 422, wrong: "redirect_uris[0]:invalid_format",
			},
			{
				rule: "a given list of grant types stays", do: "PATCH /apps/$machine", body: `{"redirect_uris":["https://ok.example/"]}`,
				status: 200, want: `{"grant_types":["client_credentials"]}`,
			},
		})
	})
}

func TestWhomAnAppActsAs(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.deputy(t)
		app := func(user string) string { return `{"name":"x","scopes":["contact.read"],"user_id":"$` + user + `"}` }
		w.create(t, "apps", app("admin"), "theirs")
		w.run(t, []step{
			{
				rule: "an administrator's app acts as anyone", do: "POST /apps", body: app("member"), status: 201,
				want: `{"user_id":"$member","owner_id":"$admin"}`,
			},
			{
				rule: "another's acts as themselves", as: "deputy", do: "POST /apps", body: app("deputy"), status: 201,
				want: `{"user_id":"$deputy"}`, save: "own",
			},
			{rule: "or as one who has the same rights", as: "deputy", do: "POST /apps", body: app("colleague"), status: 201},
			{
				rule: "not as one who has more: 403 names what is beyond", as: "deputy", do: "POST /apps", body: app("admin"),
				status: 403, code: "forbidden_by_role",
				want: `{"detail":"The role Deputy cannot make an app act as a user with the role admin, which also allows read on deals."}`,
			},
			{
				rule: "a single right beyond is too much", as: "deputy", do: "POST /apps", body: app("viewer"), status: 403,
				code: "forbidden_by_role",
				want: `{"detail":"The role Deputy cannot make an app act as a user with the role viewer, which also allows read on ` +
					`deals."}`,
			},
			{
				rule: "nor later by a patch", as: "deputy", do: "PATCH /apps/$own", body: `{"user_id":"$admin"}`, status: 403,
				code: "forbidden_by_role",
			},
			{
				rule: "nor can one get hold of such an app", as: "deputy", do: "POST /apps/$theirs/rotate_secret", status: 403,
				code: "forbidden_by_role",
			},
			{
				rule: "nor send its users elsewhere", as: "deputy", do: "PATCH /apps/$theirs",
				body: `{"redirect_uris":["https://evil.example/"]}`, status: 403, code: "forbidden_by_role",
			},
			{
				rule: "the app is as it was", do: "GET /apps/$theirs", status: 200,
				want: `{"version":1,"redirect_uris":[],"user_id":"$admin"}`,
			},
			{
				rule: "wrong fields are told before", as: "deputy", do: "POST /apps",
				body: `{"name":"x","scopes":["contact.read"],"user_id":"$admin","redirect_uris":["x"]}`, status: 422,
				wrong: "redirect_uris[0]:invalid_format",
			},
			{
				rule: "a token without the app's scopes cannot make it act as another", as: "admin:app.write", do: "PATCH /apps/$own",
				body: `{"user_id":"$admin"}`, status: 422, wrong: "scopes:not_allowed",
			},
			{
				rule: "nor open another way to get a token", as: "admin:app.write", do: "PATCH /apps/$own",
				body: `{"redirect_uris":["https://ok.example/"],"grant_types":["authorization_code"]}`, status: 422,
				wrong: "scopes:not_allowed",
			},
			{
				rule: "nor have codes sent elsewhere", as: "admin:app.write", do: "PATCH /apps/$own",
				body: `{"redirect_uris":["https://evil.example/"]}`, status: 422, wrong: "scopes:not_allowed",
			},
			{
				rule: "nor get hold of the secret", as: "admin:app.write", do: "POST /apps/$own/rotate_secret", status: 403,
				code: "insufficient_scope", want: `{"scope":"contact.read"}`,
			},
			{
				rule: "other fields it can change", as: "admin:app.write,app.read", do: "PATCH /apps/$own", body: `{"name":"y"}`,
				status: 200, want: `{"name":"y","user_id":"$deputy"}`,
			},
			{
				rule: "with the scopes it can", as: "admin:app.all,contact.read", do: "PATCH /apps/$own", body: `{"user_id":"$admin"}`,
				status: 200, want: `{"user_id":"$admin"}`,
			},
		})
		for _, role := range []string{"manager", "member", "viewer"} {
			w.run(t, []step{
				{
					rule: role + " makes no apps", as: role, do: "POST /apps", body: `{"name":"x","scopes":["contact.read"]}`, status: 403,
					code: "forbidden_by_role", want: `{"detail":"The role ` + role + ` does not allow write on apps."}`,
				},
				{rule: role + " reads them", as: role, do: "GET /apps/$theirs", status: 200, want: `{"client_secret":"<absent>"}`},
			})
		}
	})
}
