package store

import (
	"context"

	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Outside is a transaction in no business, or in all of them.
type Outside struct {
	s   *Store
	ctx context.Context
	c   engine.Conn
}

// Outside runs fn in a transaction that belongs to no business. fn may run more than once.
func (s *Store) Outside(ctx context.Context, fn func(Outside) error) error {
	return s.engine.Write(ctx, engine.Share{Limit: s.limit}, func(c engine.Conn) error { return fn(Outside{s, ctx, c}) })
}

// Outside is the transaction where it is about what belongs to no business.
func (tx *Tx) Outside() Outside { return Outside{tx.s, tx.ctx, tx.c} }

// Exec runs a statement that is held to no business.
func (o Outside) Exec(st room.Statement) (int64, error) {
	return o.c.Exec(o.ctx, o.s.render(st.Text), st.Args)
}

// Query reads with a statement that is held to no business.
func (o Outside) Query(st room.Statement, each func(room.Row) error) error {
	return o.c.Query(o.ctx, o.s.render(st.Text), st.Args, each)
}

// ExecWithin runs a statement that is held to a business.
func (o Outside) ExecWithin(t Tenant, st room.Statement) (int64, error) {
	return t.execOn(o.ctx, o.c, st)
}

// QueryWithin reads with a statement that is held to a business.
func (o Outside) QueryWithin(t Tenant, st room.Statement, each func(room.Row) error) error {
	return t.queryOn(o.ctx, o.c, st, each)
}
