package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/changelog"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Changes reads the log of a business behind a sequence number, oldest first.
func (t Tenant) Changes(ctx context.Context, after int64, each func(Change) error) error {
	return t.read(ctx, func(c engine.Conn) error {
		b := t.builder()
		sql := "SELECT " + changelog.Columns + " FROM change t" +
			" WHERE t.business_id = " + b.TenantMark() + " AND t.seq > " + b.Arg(schema.IntValue(schema.Integer, after)) +
			" ORDER BY t.seq"
		return c.Query(ctx, sql, b.Values, func(r engine.Row) error { return each(changelog.Scan(r)) })
	})
}

// History reads the log of one record as it was at a time, newest first, until each returns false. What the transaction itself has done
// so far belongs to it.
func (tx *Tx) History(res *schema.Resource, id schema.UUID, at time.Time, each func(Change) bool) error {
	for i, c := range slices.Backward(tx.changes) {
		if c.resource != res.Name || c.id != id || c.at.After(at) {
			continue
		}
		if !each(Change{
			Seq: tx.seq + tx.logged + int64(i) + 1, Resource: c.resource, RecordID: c.id, Version: c.version, Action: c.action, At: c.at,
			Actor: c.actor, Changes: string(c.changes),
		}) {
			return nil
		}
	}
	b := tx.builder()
	from, where := changelog.Of(&b.Builder, res, id)
	sql := "SELECT " + changelog.Columns + " FROM " + from +
		" WHERE t.business_id = " + b.TenantMark() + " AND " + strings.Join(where, " AND ") +
		" AND t.at <= " + b.Arg(schema.TimeValue(at)) +
		" ORDER BY t.seq DESC"
	err := tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		if !each(changelog.Scan(r)) {
			return engine.ErrFull
		}
		return nil
	})
	if errors.Is(err, engine.ErrFull) {
		err = nil
	}
	return err
}

// readLog reads the change log, on one connection: see the methods of changelog.Log.
func (t Tenant) readLog(ctx context.Context, fn func(changelog.Log) error) error {
	return t.read(ctx, func(c engine.Conn) error { return fn(changelog.On(t.searched(), c, "")) })
}

// readRecordLog reads it where it lies together with the business's records.
func (t Tenant) readRecordLog(ctx context.Context, fn func(changelog.Log) error) error {
	return t.read(ctx, func(c engine.Conn) error {
		partition, err := t.s.engine.Partition(ctx, c, t.id)
		if err != nil {
			return err
		}
		return fn(changelog.On(t.searched(), c, partition))
	})
}

// History hands the entries of one record's log to each. may decides whether they are read,
// by the record as it is now, be it live or deleted. It tells the number of the last entry, and whether there are more behind it.
func (t Tenant) History(ctx context.Context, res *schema.Resource, id schema.UUID, s changelog.Span, may func(*schema.Record) error,
	each func(Change),
) (last int64, more bool, err error) {
	last = s.After
	err = t.readRecordLog(ctx, func(l changelog.Log) (err error) {
		last, more, err = l.History(ctx, res, id, s, may, each)
		return err
	})
	return last, more, err
}

// Timeline hands the events of a page to each, and tells where the next one begins, or nil where there is none. The values of a
// record are valid until each returns.
func (t Tenant) Timeline(ctx context.Context, q changelog.Timeline, each func(changelog.Event)) (next *changelog.Moment, err error) {
	err = t.readRecordLog(ctx, func(l changelog.Log) (err error) {
		next, err = l.Timeline(ctx, q, each)
		return err
	})
	return next, err
}

// Feed hands the entries of the business's log behind a number to each, in the order of commits, as far as user may read them: at
// most limit. It tells the number of the newest entry, and the one to go on behind, which may
// lie behind entries that nobody was shown.
func (t Tenant) Feed(ctx context.Context, after int64, limit int, may []changelog.Readable, user schema.UUID, each func(Change)) (latest,
	next int64, err error,
) {
	next = after
	err = t.readLog(ctx, func(l changelog.Log) (err error) {
		latest, next, err = l.Feed(ctx, after, limit, may, user, each)
		return err
	})
	return latest, next, err
}

// Log hands the entries of the business's log behind a number to each, whoever may read them: at most limit, and no more than a
// page has bytes. It tells whether there are more.
func (t Tenant) Log(ctx context.Context, after int64, limit int, each func(Change)) (more bool, err error) {
	err = t.readLog(ctx, func(l changelog.Log) (err error) {
		more, err = l.All(ctx, after, limit, each)
		return err
	})
	return more, err
}

// LogEnd is the number of the newest entry of the business's log.
func (t Tenant) LogEnd(ctx context.Context) (latest int64, err error) {
	err = t.readLog(ctx, func(l changelog.Log) (err error) {
		latest, err = l.End(ctx)
		return err
	})
	return latest, err
}
