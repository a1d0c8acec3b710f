package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
)

// A version tells what a reader has only where nothing changes without a new one.
func TestNotModifiedIsOnlyWhatDidNotChange(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		same := func(version string) []string { return []string{`If-None-Match: "` + version + `"`} }
		w.run(t, []step{
			{rule: "a quote that is valid", do: "POST /contacts", body: `{"name":"Ida"}`, status: 201, save: "ida"},
			{
				rule: "until long from now", do: "POST /quotes",
				body: `{"contact_id":"$ida","valid_until":"2999-12-31","line_items":[{"name":"x","unit_price":"1"}]}`, status: 201,
				save: "valid",
			},
			{rule: "and sent", do: "POST /quotes/$valid/send", status: 200, want: `{"status":"sent","version":2}`},
			{rule: "is not answered twice", do: "GET /quotes/$valid", send: same("2"), status: 304},
			{
				rule: "one that was valid until yesterday", do: "POST /quotes",
				body: `{"contact_id":"$ida","valid_until":"` + time.Now().UTC().AddDate(0, 0,
					-1).Format(time.DateOnly) + `","line_items":[{"name":"x","unit_price":"1"}]}`, status: 201, save: "over", chance: true,
			},
			{
				rule: "had the same version when it was sent", do: "POST /quotes/$over/send", status: 200,
				want: `{"status":"expired","version":2}`, chance: true,
			},
			{
				rule: "so its state is told", do: "GET /quotes/$over", send: same("2"), status: 200, want: `{"status":"expired"}`,
				chance: true,
			},
			{rule: "when a user was last active is told", do: "GET /users/$member", send: same("1"), status: 200, chance: true},
			{rule: "a token", do: "POST /tokens", body: `{"name":"x","scopes":["contact.read"]}`, status: 201, save: "token", chance: true},
			{rule: "when it was last used, too", do: "GET /tokens/$token", send: same("1"), status: 200, chance: true},
		})
		for _, k := range record.Kinds() {
			for _, l := range k.Leaves {
				if l.Writing.Silent && k.Name != "user" && k.Name != "token" {
					t.Errorf("%s.%s changes without a version: the reference has to say so", k.Name, l.Path)
				}
			}
		}
	})
}

// Only PostgreSQL can be made to take too long for a short statement.
func TestALateDatabaseSaysNothingAboutTheToken(t *testing.T) {
	t.Parallel()
	address := databaseURL(t, "postgres")
	w := newWorld(t, address, httpapi.Options{})
	w.store.LimitTime(300 * time.Millisecond)
	pgtest.Lock(t, address, "credential")
	a := w.send(t, step{do: "GET /me"})
	if a.status != http.StatusServiceUnavailable || a.header.Get("WWW-Authenticate") != "" || a.header.Get("Retry-After") == "" {
		t.Errorf("it is %d, %v: %s", a.status, a.header, a.text)
	}
}
