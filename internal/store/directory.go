package store

import (
	"context"
	"fmt"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Directory is where it is found out who somebody is, and of which business. It reads on a connection that waits for no business.
type Directory struct {
	s   *Store
	ctx context.Context
	c   engine.Conn
	// business is the one that can be asked for, where businesses lie on several machines.
	business schema.UUID
}

// InDirectory finds out who somebody is: in a business, or before that is known where it is the zero id.
func (s *Store) InDirectory(ctx context.Context, business schema.UUID, fn func(Directory) error) error {
	return s.readCredentials(ctx, business, func(c engine.Conn) error { return fn(Directory{s, ctx, c, business}) })
}

// BusinessOf is the business of a key that a row has, or the zero id where the key does not tell it. Then there is only one machine, and it
// makes no difference.
func (s *Store) BusinessOf(key schema.Value) schema.UUID {
	id, _ := s.engine.BusinessOf(key)
	return id
}

// opened refuses to ask for a business for which the directory was not opened: it might lie on a machine that others need not wait for.
func (d Directory) opened(business schema.UUID) error {
	if business != d.business && d.s.engine.Scattered() {
		return fmt.Errorf("the directory was opened for %v, and %v is asked for", d.business, business)
	}
	return nil
}

// Query reads with a statement that is held to no business.
func (d Directory) Query(st room.Statement, each func(room.Row) error) error {
	return d.c.Query(d.ctx, d.s.render(st.Text), st.Args, each)
}

// Within reads with a statement that is held to a business.
func (d Directory) Within(t Tenant, st room.Statement, each func(room.Row) error) error {
	if err := d.opened(t.id); err != nil {
		return err
	}
	return t.queryOn(d.ctx, d.c, st, each)
}

// Business gives the handle to a business by its id, or ErrNotFound.
func (d Directory) Business(id schema.UUID) (Tenant, error) {
	if err := d.opened(id); err != nil {
		return Tenant{}, err
	}
	return d.s.tenant(d.ctx, d.c, id)
}

// Tenant gives the handle to a business by its key, which a row has.
func (d Directory) Tenant(key schema.Value) (t Tenant, err error) {
	t = Tenant{s: d.s, key: key}
	known := false
	if t.id, known = d.s.engine.BusinessOf(key); known {
		return t, nil
	}
	err = d.Within(t, room.SQL("SELECT id FROM business WHERE business_id = {business}"), func(r engine.Row) error {
		t.id, known = room.FirstID(r), true
		return nil
	})
	if err == nil && !known {
		err = ErrNotFound
	}
	return t, err
}

// OldSecrets is the table that tells the business of secrets which do not name it: that of all secrets, or where that lies on several
// machines a list of those that were there before.
func (d Directory) OldSecrets() string {
	if d.s.engine.Scattered() {
		return "old_secret"
	}
	return "credential"
}

// User reads a user and their role.
func (d Directory) User(t Tenant, id schema.UUID) (user, role *schema.Record, err error) {
	if err := d.opened(t.id); err != nil {
		return nil, nil, err
	}
	if user, err = t.get(d.ctx, d.c, d.s.reg.Resource("user"), id, false, ""); err != nil {
		return nil, nil, err
	}
	role, err = t.get(d.ctx, d.c, d.s.role.Target, user.Get(d.s.role).UUID(), false, "")
	return user, role, err
}
