package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"

	. "github.com/kith-crm/kith/internal/apitest"
)

// secretIsGone holds answers and the log to be without a secret that was answered once.
func secretIsGone(w *World, t *testing.T, secret string, asks ...string) {
	t.Helper()
	for _, do := range asks {
		a := w.Check(t, Step{Do: do, Status: 200})
		if strings.Contains(string(a.Text), secret[len(secret)-40:]) {
			t.Errorf("%s tells the secret again: %s", do, a.Text)
		}
	}
	if strings.Contains(w.Log.String(), secret[len(secret)-40:]) {
		t.Error("the log holds the secret")
	}
}

func TestTokensAreMadeAndRevoked(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		bearer := func(name string) []string { return []string{"Authorization: Bearer $" + name} }
		micros := func(d time.Duration) string { return time.Now().Add(d).UTC().Format("2006-01-02T15:04:05.000000Z") }
		w.Run(t, []Step{
			{
				Rule: "a token is answered with its secret", Do: "POST /tokens",
				Body: `{"name":"CI","scopes":["contact.read"],"external_id":"ci"}`, Status: 201, Save: "ci secret=token hint=hint",
				Want: `{"token":"*","hint":"*","user_id":"$admin","owner_id":"$admin","scopes":["contact.read"],"expires_at":null,` +
					`"last_used_at":null,"version":1}`, Head: []string{`ETag: "1"`, "Location: /v1/tokens/token_*"},
			},
			{Rule: "it works at once", Do: "POST /contacts/search", Send: bearer("secret"), Status: 200},
			{
				Rule: "with its scopes and no more", Do: "POST /contacts", Send: bearer("secret"), Body: `{"name":"x"}`, Status: 403,
				Code: "insufficient_scope", Want: `{"scope":"contact.write"}`,
			},
			{
				Rule: "get does not show the secret", Do: "GET /tokens/$ci", Status: 200,
				Want: `{"name":"CI","hint":"$hint","token":"<absent>"}`,
			},
			{
				Rule: "nor does search", Do: "POST /tokens/search", Body: `{"search_text":"ci"}`, Status: 200,
				Want: `{"data":[{"id":"$ci","hint":"$hint","token":"<absent>"}]}`,
			},
			{
				Rule: "it is no field to ask for", Do: "POST /tokens/search", Body: `{"fields":["token","hash"]}`, Status: 422,
				Wrong: "fields[0]:unknown_field fields[1]:unknown_field",
			},
			{
				Rule: "nor one to filter by", Do: "POST /tokens/search", Body: `{"filters":[{"field":"token","operator":"is_set"}]}`,
				Status: 422, Wrong: "filters[0].field:unknown_field",
			},
			{
				Rule: "tokens are found by their scopes", Do: "POST /tokens/search",
				Body: `{"filters":[{"field":"scopes","operator":"contains","value":"contact.read"},{"field":"name","operator":"eq",` +
					`"value":"ci"}]}`, Status: 200, Found: Found("ci"),
			},
			{
				Rule: "a token cannot be changed: 405", Do: "PATCH /tokens/$ci", Body: `{"name":"x"}`, Status: 405,
				Code: "method_not_allowed", Head: []string{"Allow: GET, HEAD, DELETE"}, Want: `{"allowed":["GET","HEAD","DELETE"]}`,
			},

			{Rule: "name and scopes must be given", Do: "POST /tokens", Status: 422, Wrong: "name:required scopes:required"},
			{
				Rule: "no scopes at all are none", Do: "POST /tokens", Body: `{"name":"x","scopes":[]}`, Status: 422,
				Wrong: "scopes:required",
			},
			{
				Rule: "a scope that does not exist is 422 on it", Do: "POST /tokens",
				Body: `{"name":"x","scopes":["contact.read","boat.sail","contact.*"]}`, Status: 422,
				Wrong: "scopes[1]:not_allowed scopes[2]:not_allowed",
			},
			{
				Rule: "what kith keeps cannot be given", Do: "POST /tokens",
				Body:   `{"name":"x","scopes":["contact.read"],"user_id":"$member","hint":"h","last_used_at":"2020-01-01","token":"t"}`,
				Status: 422, Wrong: "user_id:read_only hint:read_only last_used_at:read_only token:unknown_field",
			},
			{
				Rule: "an expiry long ago is 422", Do: "POST /tokens",
				Body: `{"name":"x","scopes":["contact.read"],"expires_at":"2020-01-01"}`, Status: 422, Wrong: "expires_at:out_of_range",
			},
			{
				Rule: "an expiry just over is 422", Do: "POST /tokens",
				Body: `{"name":"x","scopes":["contact.read"],"expires_at":"` + micros(-time.Second) + `"}`, Status: 422,
				Wrong: "expires_at:out_of_range",
			},
			{
				Rule: "an expiry to come is kept", Do: "POST /tokens",
				Body: `{"name":"x","scopes":["contact.read"],"expires_at":"2999-12-31T23:59:59+01:00"}`, Status: 201,
				Want: `{"expires_at":"2999-12-31T22:59:59.000000Z"}`, Save: "later=token",
			},
			{Rule: "it works until then", Do: "POST /contacts/search", Send: bearer("later"), Status: 200},

			{
				Rule: "another If-Match keeps it from being revoked", Do: "DELETE /tokens/$ci", Send: []string{`If-Match: "2"`},
				Status: 412,
				Code:   "precondition_failed",
			},
			{Rule: "deleting revokes it", Do: "DELETE /tokens/$ci", Status: 204},
			{
				Rule: "at once", Do: "POST /contacts/search", Send: bearer("secret"), Status: 401, Code: "invalid_token",
				Head: []string{`WWW-Authenticate: Bearer realm="kith", error="invalid_token"*`},
			},
			{Rule: "it is gone", Do: "GET /tokens/$ci", Status: 404, Code: "not_found"},
			{Rule: "and not found", Do: "POST /tokens/search", Body: `{"search_text":"ci"}`, Status: 200, Found: Found("")},
			{Rule: "for good", Do: "POST /tokens/$ci/restore", Status: 404, Code: "not_found"},
			{
				Rule: "a token can revoke itself", Do: "POST /tokens", Body: `{"name":"own end","scopes":["token.delete"]}`, Status: 201,
				Save: "self last=token",
			},
			{Rule: "it does", Do: "DELETE /tokens/$self", Send: bearer("last"), Status: 204},
			{Rule: "and is ended", Do: "DELETE /tokens/$self", Send: bearer("last"), Status: 401, Code: "invalid_token"},
		})
		for _, name := range []string{"secret", "later", "last"} {
			if !record.WellFormed(record.PersonalToken, w.Vars[name]) {
				t.Errorf("%q is not what a personal access token looks like", w.Vars[name])
			}
		}
		if !strings.HasPrefix(w.Vars["secret"], w.Vars["hint"]) || len(w.Vars["hint"]) > 13 {
			t.Errorf("the hint is %q", w.Vars["hint"])
		}
		w.Create(t, "tokens", `{"name":"live","scopes":["contact.read"]}`, "live secret=token")
		secretIsGone(w, t, w.Vars["secret"], "GET /tokens/$live", "POST /tokens/search")
	})
}

func TestTokensMakeNoWiderOnes(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		const narrow = "admin:contact.all,deal.read,token.write,app.all"
		for _, all := range []string{"/tokens", "/apps"} {
			w.Run(t, []Step{
				{
					Rule: "what the calling token has can be given on", As: narrow, Do: "POST " + all,
					Body: `{"name":"x","scopes":["deal.read","token.write"]}`, Status: 201,
				},
				{
					Rule: "all of a resource includes its parts", As: narrow, Do: "POST " + all,
					Body: `{"name":"x","scopes":["contact.read","contact.delete","contact.all"]}`, Status: 201,
				},
				{
					Rule: "each scope beyond is named", As: narrow, Do: "POST " + all,
					Body: `{"name":"x","scopes":["contact.read","deal.write","user.read"]}`, Status: 422,
					Wrong: "scopes:not_allowed scopes:not_allowed",
					Want: `{"errors":[{"message":"the calling token does not have deal.write itself"},{"message":"the calling token ` +
						`does not have user.read itself"}]}`,
				},
				{
					Rule: "what can be given is listed", As: "admin:app.write,token.write,deal.read", Do: "POST " + all,
					Body: `{"name":"x","scopes":["contact.read"]}`, Status: 422,
					Want: `{"errors":[{"field":"scopes","allowed":["deal.read","token.write","app.write"]}]}`,
				},
				{
					Rule: "parts do not make all of a resource", As: "admin:token.write,app.write,deal.read,deal.write,deal.delete",
					Do: "POST " + all, Body: `{"name":"x","scopes":["deal.all"]}`, Status: 422, Wrong: "scopes:not_allowed",
				},
			})
		}
		w.Run(t, []Step{
			{
				Rule: "scope and expiry are reported together", As: narrow, Do: "POST /tokens",
				Body: `{"name":"x","scopes":["user.all"],"expires_at":"2020-01-01"}`, Status: 422,
				Wrong: "scopes:not_allowed expires_at:out_of_range",
			},
			{
				Rule: "making one needs token.write", As: "admin:contact.all,token.read", Do: "POST /tokens",
				Body: `{"name":"x","scopes":["contact.read"]}`, Status: 403, Code: "insufficient_scope", Want: `{"scope":"token.write"}`,
			},
			{
				Rule: "scopes beyond the role can be given: they give nothing more", As: "viewer", Do: "POST /tokens",
				Body: `{"name":"x","scopes":["contact.delete"]}`, Status: 201, Save: "wide=token",
			},
			{
				Rule: "the role still counts", Do: "DELETE /contacts/contact_01h455vb4pex5vsknk084sn02q",
				Send: []string{"Authorization: Bearer $wide"}, Status: 403, Code: "forbidden_by_role",
			},
		})
	})
}

func TestWhoseTokens(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "roles", `{"name":"Auditor","permissions":{"token":{"read":"all","write":"all","delete":"all"}}}`, "auditor")
		w.Create(t, "roles", `{"name":"Tokenless","permissions":{"contact":{"read":"all"}}}`, "tokenless")
		w.Create(t, "tokens", `{"name":"theirs","scopes":["contact.read"],"external_id":"theirs"}`, "theirs their_secret=token")
		const mine = `{"filters":[{"field":"external_id","operator":"is_set"}]}`
		w.Run(t, []Step{
			{
				Rule: "a member makes a token without manage_tokens", As: "member", Do: "POST /tokens",
				Body: `{"name":"mine","scopes":["contact.read"],"external_id":"mine"}`, Status: 201,
				Want: `{"user_id":"$member","created_by":"$member"}`, Save: "mine secret=token",
			},
			{Rule: "reads it", As: "member", Do: "GET /tokens/$mine", Status: 200},
			{
				Rule: "finds it and no other's", As: "member", Do: "POST /tokens/search", Body: mine, Status: 200, Found: Found("mine"),
				Want: `{"meta":{"total":1}}`,
			},
			{
				Rule: "a total without filters counts one's own alone", As: "member", Do: "POST /tokens/search",
				Body: `{"fields":["name"],"order_by":"name"}`, Status: 200,
				Want: `{"data":[{"name":"mine"},{"name":"member"}],"meta":{"total":2}}`,
			},
			{
				Rule: "another's is as good as absent", As: "member", Do: "GET /tokens/$theirs", Status: 404,
				Want: `{"detail":"There is no such token."}`,
			},
			{
				Rule: "like one that nobody has", As: "member", Do: "GET /tokens/token_01h455vb4pex5vsknk084sn02q", Status: 404,
				Want: `{"detail":"There is no such token."}`,
			},
			{Rule: "and cannot be revoked", As: "member", Do: "DELETE /tokens/$theirs", Status: 404, Code: "not_found"},
			{
				Rule: "giving it an owner does not show it to them", Do: "POST /tokens",
				Body: `{"name":"kept","scopes":["contact.read"],"owner_id":"$member","external_id":"kept"}`, Status: 201,
				Want: `{"owner_id":"$member","user_id":"$admin"}`, Save: "kept",
			},
			{Rule: "it acts as another", As: "member", Do: "GET /tokens/$kept", Status: 404},
			{Rule: "nor is it listed", As: "member", Do: "POST /tokens/search", Body: mine, Status: 200, Found: Found("mine")},
			{Rule: "other members do not see it either", As: "manager", Do: "GET /tokens/$mine", Status: 404},
			{Rule: "an administrator does", Do: "GET /tokens/$mine", Status: 200, Want: `{"user_id":"$member","token":"<absent>"}`},
			{
				Rule: "in a search, too", Do: "POST /tokens/search",
				Body: `{"order_by":"name","filters":[{"field":"external_id","operator":"is_set"}]}`, Status: 200,
				Found: Found("theirs mine kept"),
			},
			{
				Rule: "by whom they act as", Do: "POST /tokens/search",
				Body: `{"filters":[{"field":"user.email","operator":"eq","value":"member@harbour.example"},{"field":"external_id",` +
					`"operator":"is_set"}]}`, Status: 200, Found: Found("mine"),
			},
			{Rule: "it works", Do: "POST /contacts/search", Send: []string{"Authorization: Bearer $secret"}, Status: 200},
			{Rule: "an administrator revokes it", Do: "DELETE /tokens/$mine", Status: 204},
			{
				Rule: "at once", Do: "POST /contacts/search", Send: []string{"Authorization: Bearer $secret"}, Status: 401,
				Code: "invalid_token",
			},
			{Rule: "a business does not see another's", As: "stranger", Do: "DELETE /tokens/$theirs", Status: 404},

			{Rule: "the viewer becomes an auditor", Do: "PATCH /users/$viewer", Body: `{"role_id":"$auditor"}`, Status: 200},
			{Rule: "who may read all", As: "viewer", Do: "GET /tokens/$theirs", Status: 200},
			{
				Rule: "and without manage_tokens delete only one's own", As: "viewer", Do: "DELETE /tokens/$theirs", Status: 403,
				Code: "forbidden_by_role", Want: `{"detail":"The role Auditor allows delete only on one's own tokens."}`,
			},
			{
				Rule: "the other's works still", Do: "POST /contacts/search", Send: []string{"Authorization: Bearer $their_secret"},
				Status: 200,
			},
			{
				Rule: "one's own can be made", As: "viewer", Do: "POST /tokens", Body: `{"name":"own","scopes":["contact.read"]}`,
				Status: 201, Save: "own",
			},
			{Rule: "and revoked", As: "viewer", Do: "DELETE /tokens/$own", Status: 204},
			{Rule: "the feature is given", Do: "PATCH /roles/$auditor", Body: `{"features":["manage_tokens"]}`, Status: 200},
			{Rule: "with it others' can be revoked", As: "viewer", Do: "DELETE /tokens/$theirs", Status: 204},
			{Rule: "the viewer gets a role without tokens", Do: "PATCH /users/$viewer", Body: `{"role_id":"$tokenless"}`, Status: 200},
			{
				Rule: "a role that does not allow them makes none, not even one's own", As: "viewer", Do: "POST /tokens",
				Body: `{"name":"own","scopes":["contact.read"]}`, Status: 403, Code: "forbidden_by_role",
				Want: `{"detail":"The role Tokenless does not allow write on tokens."}`,
			},
			{Rule: "nor reads any", As: "viewer", Do: "POST /tokens/search", Status: 403, Code: "forbidden_by_role"},
		})
	})
}

// Whoever made thousands of tokens could not be suspended any more: ending them all took longer than a write may.
func TestNobodyHasMoreTokensThanCanBeEndedAtOnce(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		err := w.Tenant.Write(t.Context(), store.Actor{}, func(tx *store.Tx) error {
			for range 499 { // one was made with the world
				if _, err := operator.MintToken(w.Engine, tx, w.Users["member"], "many", []string{"token.all"}, time.Time{}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		create := Step{Do: "POST /tokens", As: "member", Body: `{"name":"one too many","scopes":["contact.read"]}`}
		more, less := create, create
		more.Rule, more.Status, more.Code = "the 501st token is refused", 409, "conflict"
		less.Rule, less.Status, less.Save, less.Chance = "one that is revoked makes room", 201, "last=token", true
		w.Run(t, []Step{
			more,
			{
				Rule: "others are not held back by it", Do: "POST /tokens", As: "viewer", Body: `{"name":"x","scopes":["contact.read"]}`,
				Status: 201, Chance: true,
			},
			{
				Rule: "one of them", Do: "POST /tokens/search", As: "member", Body: `{"search_text":"many","limit":1}`, Status: 200,
				Save: "one=data.0.id", Chance: true,
			},
			{Rule: "is revoked", Do: "DELETE /tokens/$one", As: "member", Status: 204},
			less,
			{
				Rule: "and all of them end with their user", Do: "PATCH /users/$member", Body: `{"status":"suspended"}`, Status: 200,
				Want: `{"status":"suspended"}`,
			},
			{Rule: "the last, too", Do: "GET /me", Send: []string{"Authorization: Bearer $last"}, Status: 401, Code: "invalid_token"},
			{
				Rule: "none is left", Do: "POST /tokens/search",
				Body:   `{"filters":[{"field":"user_id","operator":"eq","value":"$member"}]}`,
				Status: 200, Found: Found(""),
			},
		})
	})
}
