package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

// A version tells what a reader has only where nothing changes without a new one.
func TestNotModifiedIsOnlyWhatDidNotChange(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		same := func(version string) []string { return []string{`If-None-Match: "` + version + `"`} }
		w.Run(t, []Step{
			{Rule: "a quote that is valid", Do: "POST /contacts", Body: `{"name":"Ida"}`, Status: 201, Save: "ida"},
			{
				Rule: "until long from now", Do: "POST /quotes",
				Body: `{"contact_id":"$ida","valid_until":"2999-12-31","line_items":[{"name":"x","unit_price":"1"}]}`, Status: 201,
				Save: "valid",
			},
			{Rule: "and sent", Do: "POST /quotes/$valid/send", Status: 200, Want: `{"status":"sent","version":2}`},
			{Rule: "is not answered twice", Do: "GET /quotes/$valid", Send: same("2"), Status: 304},
			{
				Rule: "one that was valid until yesterday", Do: "POST /quotes",
				Body: `{"contact_id":"$ida","valid_until":"` + time.Now().UTC().AddDate(0, 0,
					-1).Format(time.DateOnly) + `","line_items":[{"name":"x","unit_price":"1"}]}`, Status: 201, Save: "over", Chance: true,
			},
			{
				Rule: "had the same version when it was sent", Do: "POST /quotes/$over/send", Status: 200,
				Want: `{"status":"expired","version":2}`, Chance: true,
			},
			{
				Rule: "so its state is told", Do: "GET /quotes/$over", Send: same("2"), Status: 200, Want: `{"status":"expired"}`,
				Chance: true,
			},
			{Rule: "when a user was last active is told", Do: "GET /users/$member", Send: same("1"), Status: 200, Chance: true},
			{Rule: "a token", Do: "POST /tokens", Body: `{"name":"x","scopes":["contact.read"]}`, Status: 201, Save: "token", Chance: true},
			{Rule: "when it was last used, too", Do: "GET /tokens/$token", Send: same("1"), Status: 200, Chance: true},
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
	address := DatabaseURL(t, "postgres")
	w := NewWorld(t, address, httpapi.Options{})
	w.Store.LimitTime(300 * time.Millisecond)
	pgtest.Lock(t, address, "credential")
	a := w.Send(t, Step{Do: "GET /me"})
	if a.Status != http.StatusServiceUnavailable || a.Header.Get("WWW-Authenticate") != "" || a.Header.Get("Retry-After") == "" {
		t.Errorf("it is %d, %v: %s", a.Status, a.Header, a.Text)
	}
}
