package account_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestBusiness(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "it is read with any token", As: "viewer:note.read", Do: "GET /business", Status: 200, Head: []string{`ETag: "1"`},
				Want: `{"id":"*","name":"Harbour","currency":"EUR","timezone":null,"locale":null,"created_at":"*","updated_at":"*",` +
					`"version":1}`, Save: "business",
			},
			{Rule: "HEAD works", Do: "HEAD /business", Status: 200, Head: []string{`ETag: "1"`}},
			{Rule: "it needs a token", As: "none", Do: "GET /business", Status: 401},
			{
				Rule: "changing it needs the scope", As: "admin:pipeline.all,user.all", Do: "PATCH /business", Body: `{"name":"x"}`,
				Status: 403, Code: "insufficient_scope", Want: `{"scope":"business.write"}`,
			},
			{
				Rule: "and the feature permission, even for a role that may write everything else", As: "manager", Do: "PATCH /business",
				Body: `{"name":"x"}`, Status: 403, Code: "forbidden_by_role",
				Want: `{"detail":"The role manager lacks the feature permission manage_settings, which changing the business needs."}`,
			},
			{
				Rule: "that is told before the body is looked at", As: "viewer", Do: "PATCH /business", Body: `{`, Status: 403,
				Code: "forbidden_by_role",
			},
			{
				Rule: "every wrong field is named", Do: "PATCH /business", Status: 422,
				Body: `{"name":7,"currency":"XXX","timezone":"Mars/Olympus","locale":"?","id":"$business","version":9,"created_at":null,` +
					`"change_seq":0,"owner_id":null}`,
				Wrong: "name:wrong_type currency:invalid_format timezone:invalid_format locale:invalid_format id:read_only " +
					"version:read_only created_at:read_only change_seq:unknown_field owner_id:unknown_field",
			},
			{
				Rule: "name and currency cannot be emptied", Do: "PATCH /business", Body: `{"name":null,"currency":""}`, Status: 422,
				Wrong: "name:required currency:required",
			},
			{Rule: "a name has one line", Do: "PATCH /business", Body: `{"name":"a\nb"}`, Status: 422, Wrong: "name:invalid_characters"},
			{
				Rule: "a name is not too long", Do: "PATCH /business", Body: `{"name":"` + strings.Repeat("a", 256) + `"}`, Status: 422,
				Wrong: "name:too_long",
			},
			{
				Rule: "a key given twice is refused", Do: "PATCH /business", Body: `{"name":"a","name":"b"}`, Status: 422,
				Wrong: "name:duplicate_key",
			},
			{Rule: "the body is an object", Do: "PATCH /business", Body: `[]`, Status: 422, Wrong: "body:wrong_type"},
			{Rule: "what is refused changes nothing", Do: "GET /business", Status: 200, Want: `{"name":"Harbour","version":1}`},
			{
				Rule: "an administrator changes it", As: "admin:business.write", Do: "PATCH /business",
				Body: `{"name":"Harbour & Sons","currency":"dkk","timezone":"Europe/Copenhagen","locale":"da-DK"}`, Status: 200,
				Want: `{"id":"$business","name":"Harbour & Sons","currency":"DKK","timezone":"Europe/Copenhagen","locale":"da-DK",` +
					`"version":2}`, Head: []string{`ETag: "2"`},
			},
			{
				Rule: "who am I shows it", As: "viewer:note.read", Do: "GET /me", Status: 200,
				Want: `{"business":{"id":"$business","name":"Harbour & Sons","currency":"DKK","timezone":"Europe/Copenhagen",` +
					`"locale":"da-DK"}}`,
			},
			{
				Rule: "a new deal has the new currency", Do: "POST /deals", Body: `{"name":"d","amount":"1"}`, Status: 201,
				Want: `{"currency":"DKK"}`,
			},
			{
				Rule: "what changes nothing raises no version", Do: "PATCH /business", Body: `{"name":"Harbour & Sons","currency":"DKK"}`,
				Status: 200, Want: `{"version":2}`,
			},
			{Rule: "so does nothing at all", Do: "PATCH /business", Body: `{}`, Status: 200, Want: `{"version":2}`},
			{
				Rule: "an old version is refused", Do: "PATCH /business", Send: []string{`If-Match: "1"`}, Body: `{"locale":null}`,
				Status: 412, Code: "precondition_failed",
			},
			{
				Rule: "wrong input is told before that", Do: "PATCH /business", Send: []string{`If-Match: "1"`}, Body: `{"locale":7}`,
				Status: 422,
			},
			{
				Rule: "the right one is taken, and null empties", Do: "PATCH /business", Send: []string{`If-Match: "2"`},
				Body: `{"locale":null}`, Status: 200, Want: `{"locale":null,"version":3}`,
			},
			{
				Rule: "a merge patch may say so", Do: "PATCH /business", Send: []string{"Content-Type: application/merge-patch+json"},
				Body: `{"timezone":""}`, Status: 200, Want: `{"timezone":null,"version":4}`,
			},
			{
				Rule: "a role of one's own making with the feature alone may", Do: "POST /roles",
				Body: `{"name":"Settings","features":["manage_settings"]}`, Status: 201, Save: "settings",
			},
			{Rule: "it is given", Do: "PATCH /users/$viewer", Body: `{"role_id":"$settings"}`, Status: 200},
			{Rule: "and used", As: "viewer", Do: "PATCH /business", Body: `{"locale":"da"}`, Status: 200, Want: `{"version":5}`},
			{Rule: "there is no other method", Do: "DELETE /business", Status: 405, Head: []string{"Allow: GET, HEAD, PATCH"}},
			{
				Rule: "another business is its own", As: "stranger", Do: "GET /business", Status: 200,
				Want: `{"name":"Elsewhere","currency":"EUR","version":1}`,
			},
		})
		var log []store.Change
		err := w.Tenant.Changes(context.Background(), 0, func(c store.Change) error {
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
		if first.Version != 2 || first.Action != "update" || schema.FormatID("business", first.RecordID) != w.Vars["business"] ||
			first.Actor.User != w.Users["admin"] || first.Actor.RequestID == "" {
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
