package account

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

const mostDomains = 50

// Provider is the identity provider by which people log in to a business.
type Provider struct {
	Issuer, ClientID string
	Domains          []string
	// Role is that of who first logs in, or absent where only users can that are there already.
	Role schema.Value
	// Required tells that there is no other way in, but for those who can change that, see MayDoWithout.
	Required bool
	// Trusted tells that an address counts of which the provider does not say whether it is verified.
	Trusted bool
}

// ProviderOf reads the identity provider of a business, or nil where it has none.
func ProviderOf(ctx context.Context, t store.Tenant) (*Provider, error) {
	rec, err := t.Own(ctx, record.Business)
	if err != nil || !rec.Get(record.OwnBusiness.LoginIssuer).Set {
		return nil, err
	}
	return &Provider{
		Issuer: rec.Text(record.OwnBusiness.LoginIssuer), ClientID: rec.Text(record.OwnBusiness.LoginClientID),
		Domains: body.Strings(rec.Get(record.OwnBusiness.LoginDomains)),
		Role:    rec.Get(record.OwnBusiness.LoginRoleID), Required: rec.Get(record.OwnBusiness.LoginRequired).True(),
		Trusted: rec.Get(record.OwnBusiness.LoginTrusted).True(),
	}, nil
}

// MayDoWithout tells whether a role may log in by other means where the provider is required: who can change the settings, so that
// a provider that fails locks nobody out for good.
func MayDoWithout(r record.Role) bool {
	return slices.Contains(r.Features, record.Business.Access.Feature)
}

// tryProvider refuses an issuer that nobody could log in by, before a transaction begins: it asks the provider.
func tryProvider(ctx context.Context, e *record.Engine, changes *body.Changes) error {
	issuer := changes.Values[record.OwnBusiness.LoginIssuer.Index]
	if !changes.Given[record.OwnBusiness.LoginIssuer.Index] || !issuer.Set {
		return nil
	}
	says := checkIssuer(issuer.S)
	if says == "" && e.Accounts != nil {
		says = e.Accounts.TryProvider(ctx, issuer.S)
	}
	var wrong problem.Fields
	if says != "" {
		wrong.Add(record.OwnBusiness.LoginIssuer.Path, "invalid_format", says)
	}
	return wrong.Err()
}

// checkIssuer tells what is wrong with the address of a provider, or nothing. Whether http is good enough is for the operator to
// say, and is seen where it is asked.
func checkIssuer(issuer string) string {
	u, err := url.Parse(issuer)
	switch {
	case err != nil || strings.ContainsFunc(issuer, OutsideURI) || u.Scheme != "https" && u.Scheme != "http":
		return "must be an https address, such as https://login.example.com"
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(issuer, "#"):
		return "must have no user name, no query and no fragment"
	}
	return CheckHost(issuer, u)
}

// providerLeaves are the fields of the business that are about its provider: four that it needs, and what may be left out.
func providerLeaves() []*schema.Leaf {
	return []*schema.Leaf{
		record.OwnBusiness.LoginIssuer, record.OwnBusiness.LoginClientID, record.OwnBusiness.LoginClientSecret,
		record.OwnBusiness.LoginDomains, record.OwnBusiness.LoginRoleID, record.OwnBusiness.LoginRequired, record.OwnBusiness.LoginTrusted,
	}
}

// setProvider checks what a change makes of the log-in by an identity provider, and keeps what belongs beside it.
func setProvider(tx *store.Tx, who *record.Principal, old, rec *schema.Record) error {
	all := providerLeaves()
	if !rec.Get(record.OwnBusiness.LoginIssuer).Set && old.Get(record.OwnBusiness.LoginIssuer).Set {
		for _, l := range all {
			rec.Put(l, schema.Absent(l.Kind))
		}
	}
	changed := func(l *schema.Leaf) bool { return old.Get(l) != rec.Get(l) }
	if !slices.ContainsFunc(all, changed) {
		return nil
	}
	if who.Unconfirmed {
		return record.ErrUnconfirmed
	}
	if err := checkProvider(tx, who, rec); err != nil {
		return err
	}
	if changed(record.OwnBusiness.LoginDomains) {
		if err := keep.SetLoginDomains(tx, body.Strings(rec.Get(record.OwnBusiness.LoginDomains))); err != nil {
			return err
		}
	}
	secret := rec.Get(record.OwnBusiness.LoginClientSecret)
	if !changed(record.OwnBusiness.LoginClientSecret) {
		return nil
	}
	if secret.Set {
		rec.PutText(record.OwnBusiness.LoginClientSecret, "set "+string(schema.AppendTime(nil, tx.Now.UTC())))
	}
	return keep.SetLoginSecret(tx, secret.S)
}

// checkProvider holds the provider that a business is to have to what it needs. Whoever decides by what people log in can log in as
// any of them, so they must have all that any role of the business has, and their token every scope of it.
func checkProvider(tx *store.Tx, who *record.Principal, rec *schema.Record) error {
	roles, err := tx.Find(&Role.Resource, 100_000)
	if err != nil {
		return err
	}
	for _, r := range roles {
		if err := checkRole(who, ReadRole(r), "decide how people log in, some of whom have %s"); err != nil {
			return err
		}
	}
	var wrong problem.Fields
	if slices.ContainsFunc(providerLeaves(), func(l *schema.Leaf) bool { return rec.Get(l).Set }) {
		for _, l := range providerLeaves()[:4] {
			if !rec.Get(l).Set {
				wrong.Add(l.Path, "required", "must be given for a log-in by an identity provider")
			}
		}
	}
	domains := body.Strings(rec.Get(record.OwnBusiness.LoginDomains))
	if len(domains) > mostDomains {
		wrong.Add(record.OwnBusiness.LoginDomains.Path, "too_long", fmt.Sprintf("must be at most %d domains", mostDomains))
	}
	for i, d := range domains {
		if normal, says := schema.Domain.Normalize(d); says != "" || normal != d {
			wrong.Add(fmt.Sprintf("%s[%d]", record.OwnBusiness.LoginDomains.Path, i), "invalid_format",
				"must be a domain in small letters, such as example.com")
		}
	}
	if id := rec.Get(record.OwnBusiness.LoginRoleID); id.Set &&
		!slices.ContainsFunc(roles, func(r *schema.Record) bool { return r.ID() == id.UUID() }) {
		wrong.Add(record.OwnBusiness.LoginRoleID.Path, "not_found", "there is no such role")
	}
	return wrong.Err()
}

// keepProviderRole refuses to delete the role that people get who first log in by the identity provider.
func keepProviderRole(w *record.Mutation) error {
	business, err := w.Tx.Own(record.Business)
	if err == nil && business.Get(record.OwnBusiness.LoginRoleID).Set && business.Get(record.OwnBusiness.LoginRoleID).UUID() == w.Rec.ID() {
		err = problem.New(problem.Conflict, "This is the role of who first logs in by the identity provider; choose another one for that "+
			"in the settings of the business first.")
	}
	return err
}
