package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
)

// secretIsGone holds answers and the log to be without a secret that was answered once.
func (w *world) secretIsGone(t *testing.T, secret string, asks ...string) {
	t.Helper()
	for _, do := range asks {
		a := w.check(t, step{do: do, status: 200})
		if strings.Contains(string(a.text), secret[len(secret)-40:]) {
			t.Errorf("%s tells the secret again: %s", do, a.text)
		}
	}
	if strings.Contains(w.log.String(), secret[len(secret)-40:]) {
		t.Error("the log holds the secret")
	}
}

func TestTokensAreMadeAndRevoked(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		bearer := func(name string) []string { return []string{"Authorization: Bearer $" + name} }
		micros := func(d time.Duration) string { return time.Now().Add(d).UTC().Format("2006-01-02T15:04:05.000000Z") }
		w.run(t, []step{
			{
				rule: "a token is answered with its secret", do: "POST /tokens",
				body: `{"name":"CI","scopes":["contact.read"],"external_id":"ci"}`, status: 201, save: "ci secret=token hint=hint",
				want: `{"token":"*","hint":"*","user_id":"$admin","owner_id":"$admin","scopes":["contact.read"],"expires_at":null,` +
					`"last_used_at":null,"version":1}`, head: []string{`ETag: "1"`, "Location: /v1/tokens/token_*"},
			},
			{rule: "it works at once", do: "POST /contacts/search", send: bearer("secret"), status: 200},
			{
				rule: "with its scopes and no more", do: "POST /contacts", send: bearer("secret"), body: `{"name":"x"}`, status: 403,
				code: "insufficient_scope", want: `{"scope":"contact.write"}`,
			},
			{
				rule: "get does not show the secret", do: "GET /tokens/$ci", status: 200,
				want: `{"name":"CI","hint":"$hint","token":"<absent>"}`,
			},
			{
				rule: "nor does search", do: "POST /tokens/search", body: `{"search_text":"ci"}`, status: 200,
				want: `{"data":[{"id":"$ci","hint":"$hint","token":"<absent>"}]}`,
			},
			{
				rule: "it is no field to ask for", do: "POST /tokens/search", body: `{"fields":["token","hash"]}`, status: 422,
				wrong: "fields[0]:unknown_field fields[1]:unknown_field",
			},
			{
				rule: "nor one to filter by", do: "POST /tokens/search", body: `{"filters":[{"field":"token","operator":"is_set"}]}`,
				status: 422, wrong: "filters[0].field:unknown_field",
			},
			{
				rule: "tokens are found by their scopes", do: "POST /tokens/search",
				body: `{"filters":[{"field":"scopes","operator":"contains","value":"contact.read"},{"field":"name","operator":"eq",` +
					`"value":"ci"}]}`, status: 200, found: found("ci"),
			},
			{
				rule: "a token cannot be changed: 405", do: "PATCH /tokens/$ci", body: `{"name":"x"}`, status: 405,
				code: "method_not_allowed", head: []string{"Allow: GET, HEAD, DELETE"}, want: `{"allowed":["GET","HEAD","DELETE"]}`,
			},

			{rule: "name and scopes must be given", do: "POST /tokens", status: 422, wrong: "name:required scopes:required"},
			{
				rule: "no scopes at all are none", do: "POST /tokens", body: `{"name":"x","scopes":[]}`, status: 422,
				wrong: "scopes:required",
			},
			{
				rule: "a scope that does not exist is 422 on it", do: "POST /tokens",
				body: `{"name":"x","scopes":["contact.read","boat.sail","contact.*"]}`, status: 422,
				wrong: "scopes[1]:not_allowed scopes[2]:not_allowed",
			},
			{
				rule: "what kith keeps cannot be given", do: "POST /tokens",
				body:   `{"name":"x","scopes":["contact.read"],"user_id":"$member","hint":"h","last_used_at":"2020-01-01","token":"t"}`,
				status: 422, wrong: "user_id:read_only hint:read_only last_used_at:read_only token:unknown_field",
			},
			{
				rule: "an expiry long ago is 422", do: "POST /tokens",
				body: `{"name":"x","scopes":["contact.read"],"expires_at":"2020-01-01"}`, status: 422, wrong: "expires_at:out_of_range",
			},
			{
				rule: "an expiry just over is 422", do: "POST /tokens",
				body: `{"name":"x","scopes":["contact.read"],"expires_at":"` + micros(-time.Second) + `"}`, status: 422,
				wrong: "expires_at:out_of_range",
			},
			{
				rule: "an expiry to come is kept", do: "POST /tokens",
				body: `{"name":"x","scopes":["contact.read"],"expires_at":"2999-12-31T23:59:59+01:00"}`, status: 201,
				want: `{"expires_at":"2999-12-31T22:59:59.000000Z"}`, save: "later=token",
			},
			{rule: "it works until then", do: "POST /contacts/search", send: bearer("later"), status: 200},

			{
				rule: "another If-Match keeps it from being revoked", do: "DELETE /tokens/$ci", send: []string{`If-Match: "2"`},
				status: 412,
				code:   "precondition_failed",
			},
			{rule: "deleting revokes it", do: "DELETE /tokens/$ci", status: 204},
			{
				rule: "at once", do: "POST /contacts/search", send: bearer("secret"), status: 401, code: "invalid_token",
				head: []string{`WWW-Authenticate: Bearer realm="kith", error="invalid_token"*`},
			},
			{rule: "it is gone", do: "GET /tokens/$ci", status: 404, code: "not_found"},
			{rule: "and not found", do: "POST /tokens/search", body: `{"search_text":"ci"}`, status: 200, found: found("")},
			{rule: "for good", do: "POST /tokens/$ci/restore", status: 404, code: "not_found"},
			{
				rule: "a token can revoke itself", do: "POST /tokens", body: `{"name":"own end","scopes":["token.delete"]}`, status: 201,
				save: "self last=token",
			},
			{rule: "it does", do: "DELETE /tokens/$self", send: bearer("last"), status: 204},
			{rule: "and is ended", do: "DELETE /tokens/$self", send: bearer("last"), status: 401, code: "invalid_token"},
		})
		for _, name := range []string{"secret", "later", "last"} {
			if !record.WellFormed(record.PersonalToken, w.vars[name]) {
				t.Errorf("%q is not what a personal access token looks like", w.vars[name])
			}
		}
		if !strings.HasPrefix(w.vars["secret"], w.vars["hint"]) || len(w.vars["hint"]) > 13 {
			t.Errorf("the hint is %q", w.vars["hint"])
		}
		w.create(t, "tokens", `{"name":"live","scopes":["contact.read"]}`, "live secret=token")
		w.secretIsGone(t, w.vars["secret"], "GET /tokens/$live", "POST /tokens/search")
	})
}

func TestTokensMakeNoWiderOnes(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		const narrow = "admin:contact.all,deal.read,token.write,app.all"
		for _, all := range []string{"/tokens", "/apps"} {
			w.run(t, []step{
				{
					rule: "what the calling token has can be given on", as: narrow, do: "POST " + all,
					body: `{"name":"x","scopes":["deal.read","token.write"]}`, status: 201,
				},
				{
					rule: "all of a resource includes its parts", as: narrow, do: "POST " + all,
					body: `{"name":"x","scopes":["contact.read","contact.delete","contact.all"]}`, status: 201,
				},
				{
					rule: "each scope beyond is named", as: narrow, do: "POST " + all,
					body: `{"name":"x","scopes":["contact.read","deal.write","user.read"]}`, status: 422,
					wrong: "scopes:not_allowed scopes:not_allowed",
					want: `{"errors":[{"message":"the calling token does not have deal.write itself"},{"message":"the calling token ` +
						`does not have user.read itself"}]}`,
				},
				{
					rule: "what can be given is listed", as: "admin:app.write,token.write,deal.read", do: "POST " + all,
					body: `{"name":"x","scopes":["contact.read"]}`, status: 422,
					want: `{"errors":[{"field":"scopes","allowed":["deal.read","token.write","app.write"]}]}`,
				},
				{
					rule: "parts do not make all of a resource", as: "admin:token.write,app.write,deal.read,deal.write,deal.delete",
					do: "POST " + all, body: `{"name":"x","scopes":["deal.all"]}`, status: 422, wrong: "scopes:not_allowed",
				},
			})
		}
		w.run(t, []step{
			{
				rule: "scope and expiry are reported together", as: narrow, do: "POST /tokens",
				body: `{"name":"x","scopes":["user.all"],"expires_at":"2020-01-01"}`, status: 422,
				wrong: "scopes:not_allowed expires_at:out_of_range",
			},
			{
				rule: "making one needs token.write", as: "admin:contact.all,token.read", do: "POST /tokens",
				body: `{"name":"x","scopes":["contact.read"]}`, status: 403, code: "insufficient_scope", want: `{"scope":"token.write"}`,
			},
			{
				rule: "scopes beyond the role can be given: they give nothing more", as: "viewer", do: "POST /tokens",
				body: `{"name":"x","scopes":["contact.delete"]}`, status: 201, save: "wide=token",
			},
			{
				rule: "the role still counts", do: "DELETE /contacts/contact_01h455vb4pex5vsknk084sn02q",
				send: []string{"Authorization: Bearer $wide"}, status: 403, code: "forbidden_by_role",
			},
		})
	})
}

func TestWhoseTokens(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "roles", `{"name":"Auditor","permissions":{"token":{"read":"all","write":"all","delete":"all"}}}`, "auditor")
		w.create(t, "roles", `{"name":"Tokenless","permissions":{"contact":{"read":"all"}}}`, "tokenless")
		w.create(t, "tokens", `{"name":"theirs","scopes":["contact.read"],"external_id":"theirs"}`, "theirs their_secret=token")
		const mine = `{"filters":[{"field":"external_id","operator":"is_set"}]}`
		w.run(t, []step{
			{
				rule: "a member makes a token without manage_tokens", as: "member", do: "POST /tokens",
				body: `{"name":"mine","scopes":["contact.read"],"external_id":"mine"}`, status: 201,
				want: `{"user_id":"$member","created_by":"$member"}`, save: "mine secret=token",
			},
			{rule: "reads it", as: "member", do: "GET /tokens/$mine", status: 200},
			{
				rule: "finds it and no other's", as: "member", do: "POST /tokens/search", body: mine, status: 200, found: found("mine"),
				want: `{"meta":{"total":1}}`,
			},
			{
				rule: "a total without filters counts one's own alone", as: "member", do: "POST /tokens/search",
				body: `{"fields":["name"],"order_by":"name"}`, status: 200,
				want: `{"data":[{"name":"mine"},{"name":"member"}],"meta":{"total":2}}`,
			},
			{
				rule: "another's is as good as absent", as: "member", do: "GET /tokens/$theirs", status: 404,
				want: `{"detail":"There is no such token."}`,
			},
			{
				rule: "like one that nobody has", as: "member", do: "GET /tokens/token_01h455vb4pex5vsknk084sn02q", status: 404,
				want: `{"detail":"There is no such token."}`,
			},
			{rule: "and cannot be revoked", as: "member", do: "DELETE /tokens/$theirs", status: 404, code: "not_found"},
			{
				rule: "giving it an owner does not show it to them", do: "POST /tokens",
				body: `{"name":"kept","scopes":["contact.read"],"owner_id":"$member","external_id":"kept"}`, status: 201,
				want: `{"owner_id":"$member","user_id":"$admin"}`, save: "kept",
			},
			{rule: "it acts as another", as: "member", do: "GET /tokens/$kept", status: 404},
			{rule: "nor is it listed", as: "member", do: "POST /tokens/search", body: mine, status: 200, found: found("mine")},
			{rule: "other members do not see it either", as: "manager", do: "GET /tokens/$mine", status: 404},
			{rule: "an administrator does", do: "GET /tokens/$mine", status: 200, want: `{"user_id":"$member","token":"<absent>"}`},
			{
				rule: "in a search, too", do: "POST /tokens/search",
				body: `{"order_by":"name","filters":[{"field":"external_id","operator":"is_set"}]}`, status: 200,
				found: found("theirs mine kept"),
			},
			{
				rule: "by whom they act as", do: "POST /tokens/search",
				body: `{"filters":[{"field":"user.email","operator":"eq","value":"member@harbour.example"},{"field":"external_id",` +
					`"operator":"is_set"}]}`, status: 200, found: found("mine"),
			},
			{rule: "it works", do: "POST /contacts/search", send: []string{"Authorization: Bearer $secret"}, status: 200},
			{rule: "an administrator revokes it", do: "DELETE /tokens/$mine", status: 204},
			{
				rule: "at once", do: "POST /contacts/search", send: []string{"Authorization: Bearer $secret"}, status: 401,
				code: "invalid_token",
			},
			{rule: "a business does not see another's", as: "stranger", do: "DELETE /tokens/$theirs", status: 404},

			{rule: "the viewer becomes an auditor", do: "PATCH /users/$viewer", body: `{"role_id":"$auditor"}`, status: 200},
			{rule: "who may read all", as: "viewer", do: "GET /tokens/$theirs", status: 200},
			{
				rule: "and without manage_tokens delete only one's own", as: "viewer", do: "DELETE /tokens/$theirs", status: 403,
				code: "forbidden_by_role", want: `{"detail":"The role Auditor allows delete only on one's own tokens."}`,
			},
			{
				rule: "the other's works still", do: "POST /contacts/search", send: []string{"Authorization: Bearer $their_secret"},
				status: 200,
			},
			{
				rule: "one's own can be made", as: "viewer", do: "POST /tokens", body: `{"name":"own","scopes":["contact.read"]}`,
				status: 201, save: "own",
			},
			{rule: "and revoked", as: "viewer", do: "DELETE /tokens/$own", status: 204},
			{rule: "the feature is given", do: "PATCH /roles/$auditor", body: `{"features":["manage_tokens"]}`, status: 200},
			{rule: "with it others' can be revoked", as: "viewer", do: "DELETE /tokens/$theirs", status: 204},
			{rule: "the viewer gets a role without tokens", do: "PATCH /users/$viewer", body: `{"role_id":"$tokenless"}`, status: 200},
			{
				rule: "a role that does not allow them makes none, not even one's own", as: "viewer", do: "POST /tokens",
				body: `{"name":"own","scopes":["contact.read"]}`, status: 403, code: "forbidden_by_role",
				want: `{"detail":"The role Tokenless does not allow write on tokens."}`,
			},
			{rule: "nor reads any", as: "viewer", do: "POST /tokens/search", status: 403, code: "forbidden_by_role"},
		})
	})
}

// Whoever made thousands of tokens could not be suspended any more: ending them all took longer than a write may.
func TestNobodyHasMoreTokensThanCanBeEndedAtOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		err := w.tenant.Write(t.Context(), store.Actor{}, func(tx *store.Tx) error {
			for range 499 { // one was made with the world
				if _, err := operator.MintToken(w.engine, tx, w.users["member"], "many", []string{"token.all"}, time.Time{}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		create := step{do: "POST /tokens", as: "member", body: `{"name":"one too many","scopes":["contact.read"]}`}
		more, less := create, create
		more.rule, more.status, more.code = "the 501st token is refused", 409, "conflict"
		less.rule, less.status, less.save, less.chance = "one that is revoked makes room", 201, "last=token", true
		w.run(t, []step{
			more,
			{
				rule: "others are not held back by it", do: "POST /tokens", as: "viewer", body: `{"name":"x","scopes":["contact.read"]}`,
				status: 201, chance: true,
			},
			{
				rule: "one of them", do: "POST /tokens/search", as: "member", body: `{"search_text":"many","limit":1}`, status: 200,
				save: "one=data.0.id", chance: true,
			},
			{rule: "is revoked", do: "DELETE /tokens/$one", as: "member", status: 204},
			less,
			{
				rule: "and all of them end with their user", do: "PATCH /users/$member", body: `{"status":"suspended"}`, status: 200,
				want: `{"status":"suspended"}`,
			},
			{rule: "the last, too", do: "GET /me", send: []string{"Authorization: Bearer $last"}, status: 401, code: "invalid_token"},
			{
				rule: "none is left", do: "POST /tokens/search",
				body:   `{"filters":[{"field":"user_id","operator":"eq","value":"$member"}]}`,
				status: 200, found: found(""),
			},
		})
	})
}
