package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// checkLoginDomains holds the rows by which a business is found from the domain of an e-mail address to what the business says of
// its identity provider.
func (k *checker) checkLoginDomains() error {
	want, err := k.t.loginDomains(k.ctx, k.c)
	if err != nil {
		return err
	}
	var there []string
	b := newBuilder(k.t.s.engine, k.t.key)
	err = k.c.Query(k.ctx, "SELECT t.domain FROM login_domain t WHERE t.business_id = "+b.TenantMark(), b.Values, func(r engine.Row) error {
		there = append(there, r.Value(0, schema.Text).S)
		return nil
	})
	if err != nil {
		return err
	}
	wrong := func(domain, says string) {
		k.found(Fault{What: fmt.Sprintf(says, domain), mend: (*Tx).rewriteLoginDomains})
	}
	for _, d := range want {
		if !slices.Contains(there, d) {
			wrong(d, "login_domain lacks %q, so nobody with such an address is offered the log-in of the business")
		}
	}
	for _, d := range there {
		if !slices.Contains(want, d) {
			wrong(d, "login_domain has %q, which the business does not name")
		}
	}
	return nil
}

// loginDomains are the domains that the business names, as its own record has them.
func (t Tenant) loginDomains(ctx context.Context, c engine.Conn) (all []string, err error) {
	b := newBuilder(t.s.engine, t.key)
	err = c.Query(ctx, "SELECT t.login_domains FROM business t WHERE t.business_id = "+b.TenantMark(), b.Values, func(r engine.Row) error {
		all = body.Strings(r.Value(0, schema.Tags))
		return nil
	})
	return all, err
}

// rewriteLoginDomains makes the rows of login_domain anew.
func (tx *Tx) rewriteLoginDomains() error {
	want, err := tx.loginDomains(tx.ctx, tx.c)
	if err != nil {
		return err
	}
	b := newBuilder(tx.s.engine, tx.key)
	if _, err := tx.c.Exec(tx.ctx, "DELETE FROM login_domain WHERE business_id = "+b.TenantMark(), b.Values); err != nil {
		return err
	}
	for _, d := range want {
		b := newBuilder(tx.s.engine, tx.key)
		if _, err := tx.c.Exec(tx.ctx, "INSERT INTO login_domain (business_id, domain) VALUES ("+b.TenantMark()+", "+b.Arg(text(d))+")",
			b.Values); err != nil {
			return err
		}
	}
	return nil
}
