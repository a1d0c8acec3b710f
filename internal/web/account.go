package web

import (
	"encoding/json"
	"time"

	"github.com/kith-crm/kith/internal/record"
)

// notices are what a page says after a redirect, by the word in its address.
var notices = map[string]string{
	"logout": "You are logged out.",
	"email":  "Your new e-mail address is confirmed. Log in with it from now on.",
}

type userRow struct {
	ID, Name, Email, Status string
	SecondFactorAt          *time.Time `json:"second_factor_at"`
}

// me is the user who is logged in, whatever their role lets them see of users.
func (v *visit) me() (row userRow, err error) {
	rec, err := v.who.Tenant.Get(v.r.Context(), &record.KindOf("user").Resource, v.who.User, false)
	if err != nil {
		return row, err
	}
	return row, json.Unmarshal(record.Render(nil, rec), &row)
}

// settingsAt is where the app has what was a page once.
const settingsAt = appAt + "/settings"

// moved are the addresses of pages that are in the app by now. Bookmarks and older mails lead to them.
var moved = map[string]string{
	"/account": "/you", "/account/tokens": "/access", "/account/connected-apps": "/connected", "/account/apps": "/connected",
	"/account/apps/{id}": "/connected",
	"/account/people":    "/people", "/account/people/{id}": "/people", "/account/roles": "/who-may-what", "/account/business": "/business",
	"/account/business/login": "/business", "/account/audit": "/audit", "/account/security": "/security",
	"/account/security/authenticator": "/security",
}
