package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"kith/internal/schema"
)

// providerRow is what a business says of its identity provider, but for the secret, which nobody is told.
type providerRow struct {
	ID       string
	Issuer   string   `json:"login_issuer"`
	ClientID string   `json:"login_client_id"`
	Secret   string   `json:"login_client_secret"`
	Domains  []string `json:"login_domains"`
	RoleID   string   `json:"login_role_id"`
	Required bool     `json:"login_required"`
	Trusted  bool     `json:"login_trusted"`
	Version  int64
}

// providerNames are the fields of the form by those of the business.
var providerNames = map[string]string{
	"login_issuer": "issuer", "login_client_id": "client_id", "login_client_secret": "client_secret", "login_domains": "domains", "login_role_id": "role", "login_required": "required", "login_trusted": "trusted",
}

type providerPage struct {
	Form *form
	Done string
	// Back is the address that the provider must be told, and HasSecret that it has a secret already.
	Back      string
	HasSecret bool
	Roles     []roleRow
}

func (v *visit) ownProvider() (row providerRow, err error) {
	rec, err := v.engine.Business(v.r.Context(), v.call())
	if err != nil {
		return row, err
	}
	return row, json.Unmarshal(schema.AppendRecord(nil, rec.Leaves, rec.Values), &row)
}

// provider shows by what identity provider people log in to the business.
func (v *visit) provider() error {
	row, err := v.ownProvider()
	if err != nil {
		return err
	}
	f := newForm(url.Values{"issuer": {row.Issuer}, "client_id": {row.ClientID}, "domains": {strings.Join(row.Domains, " ")}, "role": {row.RoleID}, "required": {strconv.FormatBool(row.Required)}, "trusted": {strconv.FormatBool(row.Trusted)}})
	return v.showProvider(http.StatusOK, row, f)
}

func (v *visit) showProvider(status int, row providerRow, f *form) error {
	roles, err := v.roles(row.RoleID)
	if err != nil {
		return err
	}
	f.values.Set("version", strconv.FormatInt(row.Version, 10))
	f.values.Del("client_secret")
	v.show(status, "provider", providerPage{f, v.done(handover{}), v.backFrom(row.ID), row.Secret != "", v.mayGive(roles)})
	return nil
}

func (v *visit) changeProvider() error {
	row, err := v.ownProvider()
	if err != nil {
		return err
	}
	f := v.filled()
	fields := differing(map[string]string{"login_issuer": row.Issuer, "login_client_id": row.ClientID, "login_role_id": row.RoleID},
		map[string]string{"login_issuer": f.Get("issuer"), "login_client_id": f.Get("client_id"), "login_role_id": f.Get("role")})
	if domains := f.lines("domains"); strings.Join(domains, " ") != strings.Join(row.Domains, " ") {
		fields["login_domains"] = domains
	}
	if required := f.Has("required", "true"); required != row.Required {
		fields["login_required"] = required
	}
	if trusted := f.Has("trusted", "true"); trusted != row.Trusted {
		fields["login_trusted"] = trusted
	}
	if secret := f.Get("client_secret"); secret != "" {
		fields["login_client_secret"] = secret
	}
	n, err := node(fields)
	if err != nil {
		return err
	}
	_, err = v.engine.ChangeBusiness(v.r.Context(), v.call(), f.version(), n)
	if err = f.blame(f.overtaken(err), providerNames); err != nil {
		return err
	}
	if !f.ok() {
		return v.showProvider(http.StatusUnprocessableEntity, row, f)
	}
	return v.redirect("/account/business/login?done=saved")
}
