package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
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
	return t.read(ctx, func(c engine.Conn) error {
		b := newBuilder(t.s.engine, t.key)
		sql := "SELECT " + changeColumns + " FROM change t WHERE t.business_id = " + b.TenantMark() + " AND t.seq > " +
			b.Arg(schema.IntValue(schema.Integer, after)) + " ORDER BY t.seq"
		return c.Query(ctx, sql, b.Values, func(r engine.Row) error { return each(scanChange(r)) })
	})
}

// History reads the log of one record as it was at a time, newest first, until each returns false. What the transaction itself has done
// so far belongs to it.
func (tx *Tx) History(res *schema.Resource, id schema.UUID, at time.Time, each func(Change) bool) error {
	for i, c := range slices.Backward(tx.changes) {
		if c.resource != res.Name || c.id != id || c.at.After(at) {
			continue
		}
		if !each(Change{tx.seq + tx.logged + int64(i) + 1, c.resource, c.id, c.version, c.action, c.at, c.actor, string(c.changes)}) {
			return nil
		}
	}
	b := newBuilder(tx.s.engine, tx.key)
	from, where := b.logOf(res, id)
	sql := "SELECT " + changeColumns +
		" FROM " + from +
		" WHERE t.business_id = " + b.TenantMark() + " AND " + strings.Join(where,
		" AND ") + " AND t.at <= " + b.Arg(schema.TimeValue(at)) +
		" ORDER BY t.seq DESC"
	err := tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		if !each(scanChange(r)) {
			return engine.ErrFull
		}
		return nil
	})
	if errors.Is(err, engine.ErrFull) {
		err = nil
	}
	return err
}

// scanChange reads an entry that outlives its row.
func scanChange(r engine.Row) Change {
	c := readChange(r)
	all := c.Resource + c.Action + c.Actor.Client + c.Actor.RequestID + c.Changes // which is one allocation
	for _, text := range []*string{&c.Resource, &c.Action, &c.Actor.Client, &c.Actor.RequestID, &c.Changes} {
		*text, all = all[:len(*text)], all[len(*text):]
	}
	return c
}

// readChange reads an entry whose texts are valid as long as its row.
func readChange(r engine.Row) Change {
	return Change{
		Seq: r.Value(0, schema.Integer).N, Resource: r.Value(1, schema.Text).S, RecordID: r.Value(2, schema.ID).UUID(),
		Version: r.Value(3, schema.Integer).N, Action: r.Value(4, schema.Text).S, At: r.Value(5, schema.Time).Time(),
		Actor: Actor{
			User: r.Value(6, schema.ID).UUID(), Token: r.Value(7, schema.ID).UUID(), App: r.Value(8, schema.ID).UUID(),
			Client: r.Value(9, schema.Text).S, RequestID: r.Value(10, schema.Text).S,
		},
		Changes: r.Value(11, schema.Document).S,
	}
}

// Told is the entry as it is told to somebody who knows an older version: who changed which fields.
func (c Change) Told() problem.Changed {
	told := problem.Changed{
		Version: c.Version, At: string(schema.AppendTime(nil, c.At)), Actor: c.Actor.AppendJSON(nil),
		Fields: []string{},
	}
	if n, err := body.Parse([]byte(c.Changes)); err == nil && n != nil {
		for _, m := range n.Members {
			told.Fields = append(told.Fields, m.Name)
		}
	}
	return told
}
