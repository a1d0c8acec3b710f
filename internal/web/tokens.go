package web

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"kith/internal/crm"
	"kith/internal/schema"
)

type tokenRow struct {
	ID, Name, Hint string
	Scopes         []string
	CreatedAt      time.Time  `json:"created_at"`
	ExpiresAt      *time.Time `json:"expires_at"`
	LastUsedAt     *time.Time `json:"last_used_at"`
}

type tokensPage struct {
	Form   *form
	Done   string
	Secret *secretNotice
	Access accessChoice
	Tokens listPage[tokenRow]
}

func (v *visit) tokens() error {
	return v.showTokens(http.StatusOK, newForm(url.Values{"access": {"read"}, "expires": {"90"}}), v.received())
}

func (v *visit) showTokens(status int, f *form, h handover) error {
	mine := map[string]any{"field": "user_id", "operator": "eq", "value": schema.FormatID("user", v.who.User)}
	list, err := search[tokenRow](v, crm.KindOf("token"), v.paged(map[string]any{"filters": []any{mine}}))
	if err != nil {
		return err
	}
	v.show(status, "tokens", tokensPage{f, v.done(h), v.reveal(h), v.accessChoice(f), list})
	return nil
}

func (v *visit) createToken() error {
	f := v.filled()
	fields := map[string]any{"name": f.Get("name"), "scopes": chosenScopes(f)}
	if f.Get("name") == "" {
		f.wrong("name", "must be given")
	}
	if f.Get("expires") != "" {
		days, err := strconv.Atoi(f.Get("expires"))
		if err != nil || days < 1 || days > 3650 {
			f.wrong("expires", "must be from 1 to 3650 days")
		}
		fields["expires_at"] = time.Now().UTC().AddDate(0, 0, days).Format(time.RFC3339)
	}
	if !f.ok() {
		return v.showTokens(http.StatusUnprocessableEntity, f, handover{})
	}
	rec, err := v.create(crm.KindOf("token"), fields)
	if err = f.blame(err, nil); err != nil {
		return err
	}
	if !f.ok() {
		return v.showTokens(http.StatusUnprocessableEntity, f, handover{})
	}
	notice := &secretNotice{"Your new token “" + rec.Text(crm.Tokens.Name) + "”", "Copy it now: it is shown only this once. Whoever has it can act as you.", []labelled{{"Token", rec.Once.Value}}}
	return v.goOn("/account/tokens", handover{Secret: notice})
}

func (v *visit) revokeToken() error {
	if _, err := v.engine.Do(v.r.Context(), v.call(), crm.Operation{Kind: crm.KindOf("token"), Name: crm.Remove, ID: v.filled().Get("id")}); err != nil {
		return err
	}
	return v.redirect("/account/tokens?done=revoked")
}
