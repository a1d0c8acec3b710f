package oauth

import (
	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// ownChange begins a change of a user, in their own name.
func ownChange(e *record.Engine, tx *store.Tx, action string, u *schema.Record) *record.Mutation {
	return &record.Mutation{
		Tx: tx, Engine: e, Who: account.SystemPrincipal(tx.Tenant, u.ID()), Kind: account.User, Action: action, Old: u, Rec: u.Clone(),
	}
}

// activate makes an invited user active, once they have set a password.
func activate(e *record.Engine, tx *store.Tx, id schema.UUID) error {
	rec, err := tx.Get(&account.User.Resource, id, false)
	if err != nil || rec.Text(account.Users.Status) != "invited" {
		return err
	}
	w := ownChange(e, tx, "activate", rec)
	w.Rec.PutText(account.Users.Status, "active")
	_, err = w.Save()
	return err
}

// SetSecondFactor notes whether a user has a second factor from now on. It is in the log, under who acts.
func SetSecondFactor(e *record.Engine, tx *store.Tx, id schema.UUID, has bool) error {
	rec, err := tx.Get(&account.User.Resource, id, false)
	if err != nil || rec.Get(account.Users.SecondFactorAt).Set == has {
		return err
	}
	w := ownChange(e, tx, "update", rec)
	since := schema.Absent(schema.Time)
	if has {
		since = schema.TimeValue(tx.Now)
	}
	w.Rec.Put(account.Users.SecondFactorAt, since)
	_, err = w.Save()
	return err
}

// confirmEmail gives a user the address that they confirmed. It is refused where another user has it by now, and reports false
// where it is not the one to be confirmed any more.
func confirmEmail(e *record.Engine, tx *store.Tx, id schema.UUID, email string) (bool, error) {
	rec, err := account.Acting(tx.Get(&account.User.Resource, id, false))
	if rec == nil || rec.Text(account.Users.PendingEmail) != email {
		return false, err
	}
	w := ownChange(e, tx, "update", rec)
	w.Rec.PutText(account.Users.Email, email)
	w.Rec.Put(account.Users.PendingEmail, schema.Absent(schema.Text))
	if err := w.CheckUnique(); err != nil {
		return false, err
	}
	_, err = w.Save()
	return err == nil, err
}

// welcome lets in who has shown to an identity provider that an e-mail address is theirs: a user who was invited becomes active,
// and who is none yet is made one, where the provider says with which role. They act themselves, in the request of by. Where they
// may not come in it says why.
func welcome(e *record.Engine, tx *store.Tx, p *account.Provider, person account.Person, by store.Actor) (id schema.UUID, refused string,
	err error,
) {
	found, err := tx.Find(&account.User.Resource, 1, store.Equal(account.Users.Email, schema.TextValue(schema.Text, person.Email)))
	if err != nil {
		return id, "", err
	}
	if len(found) == 0 {
		if !p.Role.Set {
			return id, "not a user of the business", nil
		}
		by.User = tx.NewID()
		tx.Actor = by
		return by.User, "", account.AddUser(e, tx, account.SystemPrincipal(tx.Tenant, by.User), by.User, person, p.Role.UUID(), "active")
	}
	by.User = found[0].ID()
	u, err := account.Acting(tx.Get(&account.User.Resource, by.User, false))
	if u == nil || err != nil {
		return by.User, "not active", err
	}
	tx.Actor = by
	return by.User, "", activate(e, tx, by.User)
}
