package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"kith/internal/schema"
)

const changeColumns = "seq, resource, record_id, version, action, at, user_id, token_id, app_id, client_id, request_id, changes"

// Change is one entry of a business's change log: what one write did to one record.
type Change struct {
	Seq      int64
	Resource string
	RecordID schema.UUID
	Version  int64
	Action   string
	At       time.Time
	Actor    Actor
	// Changes is a JSON object: for each changed field its value before (from) and after (to).
	Changes string
}

// Changes reads the log of a business behind a sequence number, oldest first.
func (t Tenant) Changes(ctx context.Context, after int64, each func(Change) error) error {
	return t.read(ctx, func(c conn) error {
		b := newBuilder(t.s.engine, t.key)
		sql := "SELECT " + changeColumns + " FROM change t WHERE t.business_id = " + b.tenantMark() + " AND t.seq > " + b.arg(schema.IntValue(schema.Integer, after)) + " ORDER BY t.seq"
		return c.query(ctx, sql, b.args, func(r row) error { return each(scanChange(r)) })
	})
}

// History reads the log of one record as it was at a time, newest first, until each returns false.
func (tx *Tx) History(res *schema.Resource, id schema.UUID, at time.Time, each func(Change) bool) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT " + changeColumns + " FROM change t WHERE t.business_id = " + b.tenantMark() + " AND t.resource = " + b.arg(schema.TextValue(schema.Text, res.Name)) +
		" AND t.record_id = " + b.arg(schema.IDValue(id)) + " AND t.at <= " + b.arg(schema.TimeValue(at)) + " ORDER BY t.seq DESC"
	err := tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		if !each(scanChange(r)) {
			return errFull
		}
		return nil
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return err
}

func scanChange(r row) Change {
	return Change{
		Seq: r.value(0, schema.Integer).N, Resource: strings.Clone(r.value(1, schema.Text).S), RecordID: r.value(2, schema.ID).UUID(),
		Version: r.value(3, schema.Integer).N, Action: strings.Clone(r.value(4, schema.Text).S), At: r.value(5, schema.Time).Time(),
		Actor: Actor{
			User: r.value(6, schema.ID).UUID(), Token: r.value(7, schema.ID).UUID(), App: r.value(8, schema.ID).UUID(),
			Client: strings.Clone(r.value(9, schema.Text).S), RequestID: strings.Clone(r.value(10, schema.Text).S),
		},
		Changes: strings.Clone(r.value(11, schema.Document).S),
	}
}
