package store

import (
	"context"
	"sort"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/changelog"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// What one request changed is found without an index of requests, which every write would pay for: an id of a request tells when it
// began, times rise along the log, and all entries of one transaction stand together.

const (
	// requestBefore is how much earlier than its request an entry may be: the clock may have been set back.
	requestBefore = 2 * time.Second
	// requestAfter is how much later it may be: a write waits for its turn, and another server's clock may be ahead.
	requestAfter = 10 * time.Minute
	// requestStretch is how many entries of the log are looked through at once for a request, and requestStretches how often at most.
	requestStretch   = 5000
	requestStretches = 40
)

// RequestEntries finds the entries of the log that a request wrote in one transaction, by the time at which it began: the numbers
// of the first and the last. They are 0 where it wrote none. Of more than most entries the last is that many behind the first.
func (t Tenant) RequestEntries(ctx context.Context, request string, began time.Time, most int64) (first, last int64, err error) {
	err = t.read(ctx, func(c engine.Conn) error {
		ask := func(into *schema.Value, k schema.Kind, text string, args ...schema.Value) error {
			*into = schema.Absent(k)
			return t.queryOn(ctx, c, room.SQL(text, args...), room.Into(into, room.First(k)))
		}
		var latest schema.Value
		if err := ask(&latest, schema.Integer, "SELECT t.change_seq FROM business t WHERE t.business_id = {business}"); err != nil {
			return err
		}
		var failed error
		at := func(seq int64) time.Time {
			var v schema.Value
			if err := ask(&v, schema.Time, "SELECT t.at FROM change t WHERE t.business_id = {business} AND t.seq = ?",
				room.Integer(seq)); err != nil {
				failed = err
			}
			if !v.Set {
				return time.Time{}
			}
			return v.Time()
		}
		since := began.Add(-requestBefore)
		// behind which to look
		from := int64(sort.Search(int(latest.N), func(i int) bool { return failed != nil || !at(int64(i)+1).Before(since) }))
		for range requestStretches {
			if failed != nil || from >= latest.N || at(from+1).After(began.Add(requestAfter)) {
				return failed
			}
			var found schema.Value
			err := ask(&found, schema.Integer, `
				SELECT min(t.seq)
				FROM change t
				WHERE t.business_id = {business} AND t.seq > ? AND t.seq <= ? AND t.request_id = ?`,
				room.Integer(from), room.Integer(from+requestStretch), text(request))
			if err != nil {
				return err
			}
			if found.Set {
				first = found.N
				err := ask(&found, schema.Integer, `
					SELECT max(t.seq)
					FROM change t
					WHERE t.business_id = {business} AND t.seq >= ? AND t.seq <= ? AND t.request_id = ?`,
					room.Integer(first), room.Integer(first+most), text(request))
				last = found.N
				return err
			}
			from += requestStretch
		}
		return nil
	})
	return first, last, err
}

// mostRead is how many bytes of entries are in memory at once, about.
const mostRead = 2 << 20

// EntriesOf reads the entries of the log of one request between two numbers, the last first, at most so many. more tells that there
// may be others behind the last that it gives: it ends early where they are large.
func (tx *Tx) EntriesOf(request string, first, last int64, most int) (entries []Change, more bool, err error) {
	for bytes, part := 0, 8; ; part *= 2 { // an engine may read all that it is asked for, so it is asked for few of what may be large
		part = min(part, most-len(entries))
		b := tx.builder()
		where := []string{
			"t.seq >= " + b.Arg(room.Integer(first)), "t.seq <= " + b.Arg(room.Integer(last)),
			"t.request_id = " + b.Arg(text(request)),
		}
		n := 0
		err = tx.c.Query(tx.ctx, changelog.Entries(&b.Builder, "change t", where, 0, true, part), b.Values, func(r engine.Row) error {
			entry := changelog.Scan(r)
			entries = append(entries, entry)
			n, last, bytes = n+1, entry.Seq-1, bytes+len(entry.Changes)
			return nil
		})
		switch {
		case err != nil || n < part:
			return entries, false, err
		case len(entries) >= most || bytes > mostRead:
			return entries, true, nil
		}
	}
}

// RequestWeight is how many bytes the entries of a request between two numbers of the log have.
func (t Tenant) RequestWeight(ctx context.Context, request string, first, last int64) (bytes int64, err error) {
	err = t.Query(ctx, room.SQL(`
		SELECT CAST(coalesce(sum(length(CAST(t.changes AS text))), 0) AS bigint) FROM change t
		WHERE t.business_id = {business} AND t.seq >= ? AND t.seq <= ? AND t.request_id = ?`,
		room.Integer(first), room.Integer(last), text(request)), room.Into(&bytes, room.FirstInt))
	return bytes, err
}

// RequestDid tells whether an entry of a request between two numbers of the log is of an action.
func (t Tenant) RequestDid(ctx context.Context, request, action string, first, last int64) (did bool, err error) {
	err = t.Query(ctx, room.SQL(`
		SELECT 1
		FROM change t
		WHERE t.business_id = {business} AND t.seq >= ? AND t.seq <= ? AND t.request_id = ? AND t.action = ? LIMIT 1`,
		room.Integer(first), room.Integer(last), text(request), text(action)), room.Found(&did))
	return did, err
}
