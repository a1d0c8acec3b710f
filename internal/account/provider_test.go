package account_test

import (
	"context"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/store"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestIdentityProviderOfABusiness(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		const secret = "s3cret of the provider"
		const whole = `{"login_issuer":"https://login.example.com/realm",` +
			`"login_client_id":"kith","login_client_secret":"` + secret + `","login_domains":["harbour.example","harbour.test"]}`
		w.Run(t, []Step{
			{
				Rule: "what it needs is named", Do: "PATCH /business", Body: `{"login_required":true}`, Status: 422,
				Wrong: "login_issuer:required login_client_id:required login_client_secret:required login_domains:required",
			},
			{
				Rule: "an issuer is an https address", Do: "PATCH /business", Body: `{"login_issuer":"login.example.com"}`, Status: 422,
				Wrong: "login_issuer:invalid_format",
			},
			{
				Rule: "and no other scheme", Do: "PATCH /business", Body: `{"login_issuer":"file:///etc/passwd"}`, Status: 422,
				Wrong: "login_issuer:invalid_format",
			},
			{
				Rule: "without a query", Do: "PATCH /business", Body: `{"login_issuer":"https://login.example.com/?a=b"}`, Status: 422,
				Wrong: "login_issuer:invalid_format",
			},
			{
				Rule: "without a user name", Do: "PATCH /business", Body: `{"login_issuer":"https://a@login.example.com"}`, Status: 422,
				Wrong: "login_issuer:invalid_format",
			},
			{
				Rule: "domains are domains", Do: "PATCH /business",
				Body: strings.Replace(whole, `"harbour.test"`, `"@harbour.test","UPPER.test"`, 1), Status: 422,
				Wrong: "login_domains[1]:invalid_format login_domains[2]:invalid_format",
			},
			{
				Rule: "a role of another business is none", As: "stranger", Do: "POST /roles", Body: `{"name":"Theirs"}`, Status: 201,
				Save: "theirs",
			},
			{
				Rule: "and refused", Do: "PATCH /business", Body: strings.Replace(whole, "{", `{"login_role_id":"$theirs",`, 1),
				Status: 422,
				Wrong:  "login_role_id:not_found",
			},
			{
				Rule: "whoever decides how people log in can become any of them, so a token needs all scopes", As: "admin:business.write",
				Do: "PATCH /business", Body: whole, Status: 403, Code: "insufficient_scope",
			},
			{
				Rule: "and a person all rights", Do: "POST /roles", Body: `{"name":"Settings","features":["manage_settings"]}`, Status: 201,
				Save: "settings",
			},
			{Rule: "which this one has not", Do: "PATCH /users/$viewer", Body: `{"role_id":"$settings"}`, Status: 200},
			{Rule: "so they are refused", As: "viewer", Do: "PATCH /business", Body: whole, Status: 403, Code: "forbidden_by_role"},
			{
				Rule: "nothing has changed so far", Do: "GET /business", Status: 200,
				Want: `{"login_issuer":null,"login_client_secret":null,"login_domains":[],"version":1}`,
			},
			{
				Rule: "an administrator sets it", Do: "PATCH /business", Body: whole, Status: 200,
				Want: `{"login_issuer":"https://login.example.com/realm","login_client_id":"kith","login_client_secret":"*",` +
					`"login_domains":["harbour.example","harbour.test"],"login_role_id":null,"login_required":null,"version":2}`,
			},
			{
				Rule: "other settings are changed as before", As: "viewer", Do: "PATCH /business", Body: `{"locale":"da"}`, Status: 200,
				Want: `{"version":3}`,
			},
			{
				Rule: "a part of it", Do: "PATCH /business",
				Body: `{"login_required":true,"login_trusted":true,"login_role_id":"$settings"}`, Status: 200,
				Want: `{"login_required":true,"login_trusted":true,"login_role_id":"$settings","version":4}`,
			},
			{
				Rule: "none of what it needs can be emptied alone", Do: "PATCH /business",
				Body: `{"login_client_secret":null,"login_domains":[]}`, Status: 422,
				Wrong: "login_client_secret:required login_domains:required",
			},
			{Rule: "another business may claim the same domain", As: "stranger", Do: "PATCH /business", Body: whole, Status: 200},
			{
				Rule: "without an issuer all of it is gone", Do: "PATCH /business", Body: `{"login_issuer":null}`, Status: 200,
				Want: `{"login_issuer":null,"login_client_id":null,"login_client_secret":null,"login_domains":[],"login_role_id":null,` +
					`"login_required":null,"login_trusted":null,"version":5}`,
			},
			{
				Rule: "the audit log tells the fields", Do: "POST /audit/search",
				Body: `{"filters":[{"field":"action","operator":"eq","value":"business.updated"},{"field":"fields","operator":"contains",` +
					`"value":"login_client_secret"}],"fields":["action","fields"],"total":true}`, Status: 200,
				Want: `{"meta":{"total":2}}`,
			},
		})
		err := w.Tenant.Changes(context.Background(), 0, func(c store.Change) error {
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
