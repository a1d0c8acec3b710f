package httpapi_test

import (
	"context"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/store"
)

func TestIdentityProviderOfABusiness(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		const secret = "s3cret of the provider"
		const whole = `{"login_issuer":"https://login.example.com/realm",` +
			`"login_client_id":"kith","login_client_secret":"` + secret + `","login_domains":["harbour.example","harbour.test"]}`
		w.run(t, []step{
			{
				rule: "what it needs is named", do: "PATCH /business", body: `{"login_required":true}`, status: 422,
				wrong: "login_issuer:required login_client_id:required login_client_secret:required login_domains:required",
			},
			{
				rule: "an issuer is an https address", do: "PATCH /business", body: `{"login_issuer":"login.example.com"}`, status: 422,
				wrong: "login_issuer:invalid_format",
			},
			{
				rule: "and no other scheme", do: "PATCH /business", body: `{"login_issuer":"file:///etc/passwd"}`, status: 422,
				wrong: "login_issuer:invalid_format",
			},
			{
				rule: "without a query", do: "PATCH /business", body: `{"login_issuer":"https://login.example.com/?a=b"}`, status: 422,
				wrong: "login_issuer:invalid_format",
			},
			{
				rule: "without a user name", do: "PATCH /business", body: `{"login_issuer":"https://a@login.example.com"}`, status: 422,
				wrong: "login_issuer:invalid_format",
			},
			{
				rule: "domains are domains", do: "PATCH /business",
				body: strings.Replace(whole, `"harbour.test"`, `"@harbour.test","UPPER.test"`, 1), status: 422,
				wrong: "login_domains[1]:invalid_format login_domains[2]:invalid_format",
			},
			{
				rule: "a role of another business is none", as: "stranger", do: "POST /roles", body: `{"name":"Theirs"}`, status: 201,
				save: "theirs",
			},
			{
				rule: "and refused", do: "PATCH /business", body: strings.Replace(whole, "{", `{"login_role_id":"$theirs",`, 1),
				status: 422,
				wrong:  "login_role_id:not_found",
			},
			{
				rule: "whoever decides how people log in can become any of them, so a token needs all scopes", as: "admin:business.write",
				do: "PATCH /business", body: whole, status: 403, code: "insufficient_scope",
			},
			{
				rule: "and a person all rights", do: "POST /roles", body: `{"name":"Settings","features":["manage_settings"]}`, status: 201,
				save: "settings",
			},
			{rule: "which this one has not", do: "PATCH /users/$viewer", body: `{"role_id":"$settings"}`, status: 200},
			{rule: "so they are refused", as: "viewer", do: "PATCH /business", body: whole, status: 403, code: "forbidden_by_role"},
			{
				rule: "nothing has changed so far", do: "GET /business", status: 200,
				want: `{"login_issuer":null,"login_client_secret":null,"login_domains":[],"version":1}`,
			},
			{
				rule: "an administrator sets it", do: "PATCH /business", body: whole, status: 200,
				want: `{"login_issuer":"https://login.example.com/realm","login_client_id":"kith","login_client_secret":"*",` +
					`"login_domains":["harbour.example","harbour.test"],"login_role_id":null,"login_required":null,"version":2}`,
			},
			{
				rule: "other settings are changed as before", as: "viewer", do: "PATCH /business", body: `{"locale":"da"}`, status: 200,
				want: `{"version":3}`,
			},
			{
				rule: "a part of it", do: "PATCH /business",
				body: `{"login_required":true,"login_trusted":true,"login_role_id":"$settings"}`, status: 200,
				want: `{"login_required":true,"login_trusted":true,"login_role_id":"$settings","version":4}`,
			},
			{
				rule: "none of what it needs can be emptied alone", do: "PATCH /business",
				body: `{"login_client_secret":null,"login_domains":[]}`, status: 422,
				wrong: "login_client_secret:required login_domains:required",
			},
			{rule: "another business may claim the same domain", as: "stranger", do: "PATCH /business", body: whole, status: 200},
			{
				rule: "without an issuer all of it is gone", do: "PATCH /business", body: `{"login_issuer":null}`, status: 200,
				want: `{"login_issuer":null,"login_client_id":null,"login_client_secret":null,"login_domains":[],"login_role_id":null,` +
					`"login_required":null,"login_trusted":null,"version":5}`,
			},
			{
				rule: "the audit log tells the fields", do: "POST /audit/search",
				body: `{"filters":[{"field":"action","operator":"eq","value":"business.updated"},{"field":"fields","operator":"contains",` +
					`"value":"login_client_secret"}],"fields":["action","fields"],"total":true}`, status: 200,
				want: `{"meta":{"total":2}}`,
			},
		})
		err := w.tenant.Changes(context.Background(), 0, func(c store.Change) error {
			if strings.Contains(string(c.Changes), secret) {
				t.Errorf("the secret is in the change log: %s", c.Changes)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
