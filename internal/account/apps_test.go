package account_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"

	. "github.com/kith-crm/kith/internal/apitest"
)

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
func deputy(w *World, t *testing.T) {
	t.Helper()
	w.Create(t, "roles", `{"name":"Deputy","permissions":`+permissionsBut("deal")+`,"features":["manage_users","manage_roles",`+
		`"manage_apps","manage_tokens"]}`, "deputy_role")
	w.Person(t, "deputy", "Deputy")
	w.Person(t, "colleague", "Deputy")
}

func TestAppsAreMadeAndEnded(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "an app is answered with its client id and secret", Do: "POST /apps",
				Body: `{"name":"Sync","scopes":["contact.read","deal.all"],"external_id":"sync"}`, Status: 201,
				Save: "sync client=client_id first=client_secret",
				Want: `{"client_id":"*","client_secret":"*","grant_types":["client_credentials"],"redirect_uris":[],` +
					`"scopes":["contact.read","deal.all"],"user_id":"$admin","version":1}`, Head: []string{"Location: /v1/apps/app_*"},
			},
			{
				Rule: "get does not show the secret", Do: "GET /apps/$sync", Status: 200,
				Want: `{"client_id":"$client","client_secret":"<absent>"}`,
			},
			{
				Rule: "nor does search", Do: "POST /apps/search",
				Body: `{"filters":[{"field":"client_id","operator":"eq","value":"$client"}]}`, Status: 200, Found: Found("sync"),
				Want: `{"data":[{"client_secret":"<absent>"}]}`,
			},
			{
				Rule: "it is no field to ask for", Do: "POST /apps/search", Body: `{"fields":["client_secret"]}`, Status: 422,
				Wrong: "fields[0]:unknown_field",
			},
			{
				Rule: "name and scopes must be given", Do: "POST /apps", Body: `{"name":""}`, Status: 422,
				Wrong: "name:required scopes:required",
			},
			{
				Rule: "what kith keeps cannot be given", Do: "POST /apps",
				Body: `{"name":"x","scopes":["contact.read"],"client_id":"mine","client_secret":"s"}`, Status: 422,
				Wrong: "client_id:read_only client_secret:unknown_field",
			},
			{
				Rule: "a scope that does not exist is 422 on it", Do: "POST /apps", Body: `{"name":"x","scopes":["boat.sail"]}`,
				Status: 422,
				Wrong:  "scopes[0]:not_allowed",
			},
			{
				Rule: "an unknown user is 422", Do: "POST /apps",
				Body: `{"name":"x","scopes":["contact.read"],"user_id":"user_01h455vb4pex5vsknk084sn02q"}`, Status: 422,
				Wrong: "user_id:not_found",
			},
			{
				Rule: "a patch does not show the secret", Do: "PATCH /apps/$sync", Body: `{"name":"Sync 2"}`, Status: 200,
				Want: `{"name":"Sync 2","client_id":"$client","client_secret":"<absent>","version":2}`,
			},

			{
				Rule: "rotate_secret answers a new secret and raises the version", Do: "POST /apps/$sync/rotate_secret", Status: 200,
				Want: `{"id":"$sync","client_id":"$client","client_secret":"*","version":3}`, Save: "second=client_secret",
				Head: []string{`ETag: "3"`},
			},
			{
				Rule: "and again", Do: "POST /apps/$sync/rotate_secret", Send: []string{`If-Match: "3"`}, Body: `{}`, Status: 200,
				Want: `{"client_secret":"*","version":4}`, Save: "third=client_secret",
			},
			{
				Rule: "an old version does not", Do: "POST /apps/$sync/rotate_secret", Send: []string{`If-Match: "3"`}, Status: 412,
				Code: "precondition_failed",
			},
			{
				Rule: "it takes nothing", Do: "POST /apps/$sync/rotate_secret", Body: `{"client_secret":"mine"}`, Status: 422,
				Wrong: "client_secret:unknown_field",
			},
			{
				Rule: "the new secret is not shown again", Do: "GET /apps/$sync", Status: 200,
				Want: `{"client_secret":"<absent>","version":4}`,
			},
			{
				Rule: "an unknown app has none", Do: "POST /apps/app_01h455vb4pex5vsknk084sn02q/rotate_secret", Status: 404,
				Code: "not_found",
			},
			{Rule: "nor has another business's", As: "stranger", Do: "POST /apps/$sync/rotate_secret", Status: 404, Code: "not_found"},
			{
				Rule: "it needs app.write", As: "admin:app.read,app.delete", Do: "POST /apps/$sync/rotate_secret", Status: 403,
				Code: "insufficient_scope", Want: `{"scope":"app.write"}`,
			},
			{
				Rule: "and the feature manage_apps", As: "manager", Do: "POST /apps/$sync/rotate_secret", Status: 403,
				Code: "forbidden_by_role",
			},
			{
				Rule: "and every scope of the app: its secret gives them", As: "admin:app.all,contact.read,deal.read",
				Do: "POST /apps/$sync/rotate_secret", Status: 403, Code: "insufficient_scope", Want: `{"scope":"deal.all"}`,
			},
			{
				Rule: "with them it is enough", As: "admin:app.write,contact.all,deal.all", Do: "POST /apps/$sync/rotate_secret",
				Status: 200, Want: `{"version":5}`,
			},
		})
		for _, name := range []string{"first", "second", "third"} {
			if !record.WellFormed(record.ClientSecret, w.Vars[name]) {
				t.Errorf("%q is not what a client secret looks like", w.Vars[name])
			}
			secretIsGone(w, t, w.Vars[name], "GET /apps/$sync", "POST /apps/search")
		}
		if w.Vars["first"] == w.Vars["second"] || w.Vars["second"] == w.Vars["third"] {
			t.Error("the secret stayed the same")
		}
		accessToken(w, t, "sync access", "sync")
		w.Run(t, []Step{
			{Rule: "a token of the app works", As: "sync access", Do: "POST /contacts/search", Status: 200},
			{Rule: "another name leaves it", Do: "PATCH /apps/$sync", Body: `{"name":"Sync 3"}`, Status: 200},
			{Rule: "so it works still", As: "sync access", Do: "POST /contacts/search", Status: 200},
			{Rule: "other scopes end it", Do: "PATCH /apps/$sync", Body: `{"scopes":["contact.read"]}`, Status: 200},
			{Rule: "at once", As: "sync access", Do: "POST /contacts/search", Status: 401, Code: "invalid_token"},
		})
		accessToken(w, t, "next access", "sync")
		w.Run(t, []Step{
			{Rule: "a later token works", As: "next access", Do: "POST /contacts/search", Status: 200},
			{Rule: "deleting needs app.delete", As: "admin:app.write", Do: "DELETE /apps/$sync", Status: 403, Code: "insufficient_scope"},
			{Rule: "deleting ends the app", Do: "DELETE /apps/$sync", Status: 204},
			{Rule: "and its tokens at once", As: "next access", Do: "POST /contacts/search", Status: 401, Code: "invalid_token"},
			{Rule: "it is gone", Do: "GET /apps/$sync", Status: 404, Code: "not_found"},
			{Rule: "and not found", Do: "POST /apps/search", Status: 200, Found: Found("")},
			{Rule: "has no new secret", Do: "POST /apps/$sync/rotate_secret", Status: 404, Code: "not_found"},
			{Rule: "and does not come back", Do: "POST /apps/$sync/restore", Status: 404, Code: "not_found"},
		})
	})
}

// accessToken gives an app a token, as the token endpoint does for client_credentials, and keeps it under a name.
func accessToken(w *World, t *testing.T, name, app string) {
	t.Helper()
	id, err := schema.ParseID("app", w.Vars[app])
	if err != nil {
		t.Fatal(err)
	}
	secret, hash := record.NewSecret(record.AccessToken, w.Tenant.ID())
	err = w.Tenant.Write(context.Background(), store.Actor{}, func(tx *store.Tx) error {
		return keep.PutCredential(tx, hash, keep.Credential{
			Kind: record.AccessToken, User: w.Users["admin"], Parent: id,
			Scopes: []string{"contact.read"}, ExpiresAt: tx.Now.Add(time.Hour), Data: `{"client_id":"` + w.Vars["client"] + `"}`,
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Tokens[name] = secret
}

func TestRedirectAddressesAndGrantTypes(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
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
			s := Step{
				Rule: fmt.Sprintf("%.60s is refused", c.uri), Do: "POST /apps",
				Body: app(`,"redirect_uris":["https://ok.example/","` + c.uri + `"]`), Status: 422,
				Wrong: "redirect_uris[1]:invalid_format",
			}
			if c.ok {
				s = Step{
					Rule: fmt.Sprintf("%.60s is taken", c.uri), Do: s.Do, Body: s.Body, Status: 201,
					Want: `{"redirect_uris":["https://ok.example/","` + c.uri + `"]}`,
				}
			}
			w.Run(t, []Step{s})
		}
		w.Run(t, []Step{
			{
				Rule: "every wrong address is reported", Do: "POST /apps",
				Body: app(`,"redirect_uris":["x","https://ok.example/","http://y.example/"]`), Status: 422,
				Wrong: "redirect_uris[0]:invalid_format redirect_uris[2]:invalid_format",
			},
			{
				Rule: "one that is too long is", Do: "POST /apps",
				Body: app(`,"redirect_uris":["https://app.example/` + strings.Repeat("x", 2029) + `"]`), Status: 422,
				Wrong: "redirect_uris[0]:too_long",
			},
			{
				Rule: "with addresses the grant types are those of a person's consent, and nobody is acted as", Do: "POST /apps",
				Body: app(`,"redirect_uris":["https://ok.example/"]`), Status: 201,
				Want: `{"grant_types":["authorization_code","refresh_token"],"user_id":null}`, Save: "web",
			},
			{
				Rule: "without them client_credentials, as the acting user", Do: "POST /apps", Body: app(""), Status: 201,
				Want: `{"grant_types":["client_credentials"],"user_id":"$admin"}`, Save: "machine",
			},
			{
				Rule: "an empty list is none", Do: "POST /apps", Body: app(`,"redirect_uris":[],"grant_types":[]`), Status: 201,
				Want: `{"grant_types":["client_credentials"],"user_id":"$admin"}`,
			},
			{
				Rule: "both can be had", Do: "POST /apps",
				Body: app(`,"redirect_uris":["https://ok.example/"],"grant_types":["client_credentials","authorization_code"],` +
					`"user_id":"$member"`), Status: 201, Want: `{"user_id":"$member"}`,
			},
			{
				Rule: "authorization_code needs an address", Do: "POST /apps", Body: app(`,"grant_types":["authorization_code"]`),
				Status: 422, Wrong: "redirect_uris:required",
			},
			{
				Rule: "other grant types do not exist", Do: "POST /apps", Body: app(`,"grant_types":["password","implicit"]`), Status: 422,
				Wrong: "grant_types[0]:not_allowed grant_types[1]:not_allowed",
			},
			{
				Rule: "the last address cannot be taken from one that needs it", Do: "PATCH /apps/$web", Body: `{"redirect_uris":[]}`,
				Status: 422, Wrong: "redirect_uris:required",
			},
			{
				Rule: "with its grant types it can: they are derived again", Do: "PATCH /apps/$web",
				Body: `{"redirect_uris":null,"grant_types":null}`, Status: 200,
				Want: `{"grant_types":["client_credentials"],"user_id":"$admin"}`,
			},
			{
				Rule: "a patch is held to the same rules", Do: "PATCH /apps/$machine", Body: `{"redirect_uris":["http://app.example/"]}`,
				Status: 422, Wrong: "redirect_uris[0]:invalid_format",
			},
			{
				Rule: "a given list of grant types stays", Do: "PATCH /apps/$machine", Body: `{"redirect_uris":["https://ok.example/"]}`,
				Status: 200, Want: `{"grant_types":["client_credentials"]}`,
			},
		})
	})
}

func TestWhomAnAppActsAs(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		deputy(w, t)
		app := func(user string) string { return `{"name":"x","scopes":["contact.read"],"user_id":"$` + user + `"}` }
		w.Create(t, "apps", app("admin"), "theirs")
		w.Run(t, []Step{
			{
				Rule: "an administrator's app acts as anyone", Do: "POST /apps", Body: app("member"), Status: 201,
				Want: `{"user_id":"$member","owner_id":"$admin"}`,
			},
			{
				Rule: "another's acts as themselves", As: "deputy", Do: "POST /apps", Body: app("deputy"), Status: 201,
				Want: `{"user_id":"$deputy"}`, Save: "own",
			},
			{Rule: "or as one who has the same rights", As: "deputy", Do: "POST /apps", Body: app("colleague"), Status: 201},
			{
				Rule: "not as one who has more: 403 names what is beyond", As: "deputy", Do: "POST /apps", Body: app("admin"),
				Status: 403, Code: "forbidden_by_role",
				Want: `{"detail":"The role Deputy cannot make an app act as a user with the role admin, which also allows read on deals."}`,
			},
			{
				Rule: "a single right beyond is too much", As: "deputy", Do: "POST /apps", Body: app("viewer"), Status: 403,
				Code: "forbidden_by_role",
				Want: `{"detail":"The role Deputy cannot make an app act as a user with the role viewer, which also allows read on ` +
					`deals."}`,
			},
			{
				Rule: "nor later by a patch", As: "deputy", Do: "PATCH /apps/$own", Body: `{"user_id":"$admin"}`, Status: 403,
				Code: "forbidden_by_role",
			},
			{
				Rule: "nor can one get hold of such an app", As: "deputy", Do: "POST /apps/$theirs/rotate_secret", Status: 403,
				Code: "forbidden_by_role",
			},
			{
				Rule: "nor send its users elsewhere", As: "deputy", Do: "PATCH /apps/$theirs",
				Body: `{"redirect_uris":["https://evil.example/"]}`, Status: 403, Code: "forbidden_by_role",
			},
			{
				Rule: "the app is as it was", Do: "GET /apps/$theirs", Status: 200,
				Want: `{"version":1,"redirect_uris":[],"user_id":"$admin"}`,
			},
			{
				Rule: "wrong fields are told before", As: "deputy", Do: "POST /apps",
				Body: `{"name":"x","scopes":["contact.read"],"user_id":"$admin","redirect_uris":["x"]}`, Status: 422,
				Wrong: "redirect_uris[0]:invalid_format",
			},
			{
				Rule: "a token without the app's scopes cannot make it act as another", As: "admin:app.write", Do: "PATCH /apps/$own",
				Body: `{"user_id":"$admin"}`, Status: 422, Wrong: "scopes:not_allowed",
			},
			{
				Rule: "nor open another way to get a token", As: "admin:app.write", Do: "PATCH /apps/$own",
				Body: `{"redirect_uris":["https://ok.example/"],"grant_types":["authorization_code"]}`, Status: 422,
				Wrong: "scopes:not_allowed",
			},
			{
				Rule: "nor have codes sent elsewhere", As: "admin:app.write", Do: "PATCH /apps/$own",
				Body: `{"redirect_uris":["https://evil.example/"]}`, Status: 422, Wrong: "scopes:not_allowed",
			},
			{
				Rule: "nor get hold of the secret", As: "admin:app.write", Do: "POST /apps/$own/rotate_secret", Status: 403,
				Code: "insufficient_scope", Want: `{"scope":"contact.read"}`,
			},
			{
				Rule: "other fields it can change", As: "admin:app.write,app.read", Do: "PATCH /apps/$own", Body: `{"name":"y"}`,
				Status: 200, Want: `{"name":"y","user_id":"$deputy"}`,
			},
			{
				Rule: "with the scopes it can", As: "admin:app.all,contact.read", Do: "PATCH /apps/$own", Body: `{"user_id":"$admin"}`,
				Status: 200, Want: `{"user_id":"$admin"}`,
			},
		})
		for _, role := range []string{"manager", "member", "viewer"} {
			w.Run(t, []Step{
				{
					Rule: role + " makes no apps", As: role, Do: "POST /apps", Body: `{"name":"x","scopes":["contact.read"]}`, Status: 403,
					Code: "forbidden_by_role", Want: `{"detail":"The role ` + role + ` does not allow write on apps."}`,
				},
				{Rule: role + " reads them", As: role, Do: "GET /apps/$theirs", Status: 200, Want: `{"client_secret":"<absent>"}`},
			})
		}
	})
}
