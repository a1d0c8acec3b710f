package httpapi_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

func TestBusiness(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "it is read with any token", as: "viewer:note.read", do: "GET /business", status: 200, head: []string{`ETag: "1"`},
				want: `{"id":"*","name":"Harbour","currency":"EUR","timezone":null,"locale":null,"created_at":"*","updated_at":"*",` +
					`"version":1}`, save: "business",
			},
			{rule: "HEAD works", do: "HEAD /business", status: 200, head: []string{`ETag: "1"`}},
			{rule: "it needs a token", as: "none", do: "GET /business", status: 401},
			{
				rule: "changing it needs the scope", as: "admin:pipeline.all,user.all", do: "PATCH /business", body: `{"name":"x"}`,
				status: 403, code: "insufficient_scope", want: `{"scope":"business.write"}`,
			},
			{
				rule: "and the feature permission, even for a role that may write everything else", as: "manager", do: "PATCH /business",
				body: `{"name":"x"}`, status: 403, code: "forbidden_by_role",
				want: `{"detail":"The role manager lacks the feature permission manage_settings, which changing the business needs."}`,
			},
			{
				rule: "that is told before the body is looked at", as: "viewer", do: "PATCH /business", body: `{`, status: 403,
				code: "forbidden_by_role",
			},
			{
				rule: "every wrong field is named", do: "PATCH /business", status: 422,
				body: `{"name":7,"currency":"XXX","timezone":"Mars/Olympus","locale":"?","id":"$business","version":9,"created_at":null,` +
					`"change_seq":0,"owner_id":null}`,
				wrong: "name:wrong_type currency:invalid_format timezone:invalid_format locale:invalid_format id:read_only " +
					"version:read_only created_at:read_only change_seq:unknown_field owner_id:unknown_field",
			},
			{
				rule: "name and currency cannot be emptied", do: "PATCH /business", body: `{"name":null,"currency":""}`, status: 422,
				wrong: "name:required currency:required",
			},
			{rule: "a name has one line", do: "PATCH /business", body: `{"name":"a\nb"}`, status: 422, wrong: "name:invalid_characters"},
			{
				rule: "a name is not too long", do: "PATCH /business", body: `{"name":"` + strings.Repeat("a", 256) + `"}`, status: 422,
				wrong: "name:too_long",
			},
			{
				rule: "a key given twice is refused", do: "PATCH /business", body: `{"name":"a","name":"b"}`, status: 422,
				wrong: "name:duplicate_key",
			},
			{rule: "the body is an object", do: "PATCH /business", body: `[]`, status: 422, wrong: "body:wrong_type"},
			{rule: "what is refused changes nothing", do: "GET /business", status: 200, want: `{"name":"Harbour","version":1}`},
			{
				rule: "an administrator changes it", as: "admin:business.write", do: "PATCH /business",
				body: `{"name":"Harbour & Sons","currency":"dkk","timezone":"Europe/Copenhagen","locale":"da-DK"}`, status: 200,
				want: `{"id":"$business","name":"Harbour & Sons","currency":"DKK","timezone":"Europe/Copenhagen","locale":"da-DK",` +
					`"version":2}`, head: []string{`ETag: "2"`},
			},
			{
				rule: "who am I shows it", as: "viewer:note.read", do: "GET /me", status: 200,
				want: `{"business":{"id":"$business","name":"Harbour & Sons","currency":"DKK","timezone":"Europe/Copenhagen",` +
					`"locale":"da-DK"}}`,
			},
			{
				rule: "a new deal has the new currency", do: "POST /deals", body: `{"name":"d","amount":"1"}`, status: 201,
				want: `{"currency":"DKK"}`,
			},
			{
				rule: "what changes nothing raises no version", do: "PATCH /business", body: `{"name":"Harbour & Sons","currency":"DKK"}`,
				status: 200, want: `{"version":2}`,
			},
			{rule: "so does nothing at all", do: "PATCH /business", body: `{}`, status: 200, want: `{"version":2}`},
			{
				rule: "an old version is refused", do: "PATCH /business", send: []string{`If-Match: "1"`}, body: `{"locale":null}`,
				status: 412, code: "precondition_failed",
			},
			{
				rule: "wrong input is told before that", do: "PATCH /business", send: []string{`If-Match: "1"`}, body: `{"locale":7}`,
				status: 422,
			},
			{
				rule: "the right one is taken, and null empties", do: "PATCH /business", send: []string{`If-Match: "2"`},
				body: `{"locale":null}`, status: 200, want: `{"locale":null,"version":3}`,
			},
			{
				rule: "a merge patch may say so", do: "PATCH /business", send: []string{"Content-Type: application/merge-patch+json"},
				body: `{"timezone":""}`, status: 200, want: `{"timezone":null,"version":4}`,
			},
			{
				rule: "a role of one's own making with the feature alone may", do: "POST /roles",
				body: `{"name":"Settings","features":["manage_settings"]}`, status: 201, save: "settings",
			},
			{rule: "it is given", do: "PATCH /users/$viewer", body: `{"role_id":"$settings"}`, status: 200},
			{rule: "and used", as: "viewer", do: "PATCH /business", body: `{"locale":"da"}`, status: 200, want: `{"version":5}`},
			{rule: "there is no other method", do: "DELETE /business", status: 405, head: []string{"Allow: GET, HEAD, PATCH"}},
			{
				rule: "another business is its own", as: "stranger", do: "GET /business", status: 200,
				want: `{"name":"Elsewhere","currency":"EUR","version":1}`,
			},
		})
		var log []store.Change
		err := w.tenant.Changes(context.Background(), 0, func(c store.Change) error {
			if c.Resource == "business" {
				log = append(log, c)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(log) != 4 {
			t.Fatalf("the change log has %d changes of the business, want 4: %+v", len(log), log)
		}
		first := log[0]
		if first.Version != 2 || first.Action != "update" || schema.FormatID("business", first.RecordID) != w.vars["business"] ||
			first.Actor.User != w.users["admin"] || first.Actor.RequestID == "" {
			t.Errorf("the first change is %+v", first)
		}
		var changed map[string]struct{ From, To any }
		if err := json.Unmarshal([]byte(first.Changes), &changed); err != nil {
			t.Fatal(err)
		}
		keys := []string{}
		for key := range changed {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if strings.Join(keys, " ") != "currency locale name timezone" || changed["currency"].From != "EUR" ||
			changed["currency"].To != "DKK" || changed["timezone"].From != nil {
			t.Errorf("it says %s", first.Changes)
		}
	})
}
