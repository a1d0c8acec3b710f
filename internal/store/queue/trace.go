package queue

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Records that are removed for good leave traces: entries of the log, addresses, kept answers, records that refer to them. However many
// these are, no transaction works off more than a few of them. Here are the ways to do it.

// mostEmptied is how many bytes are emptied of entries of the log in one step.
const mostEmptied = 1 << 20

// EmptyLog takes what the entries of a record's log tell of its values, from the one behind place on, at most so many: what they
// are about, when and by whom it was stays. Entries of the given action keep theirs. It gives the place to go on from, which is
// empty once all are done.
func EmptyLog(tx *store.Tx, resource string, id schema.UUID, except, place string, most int) (next string, err error) {
	after, _ := strconv.ParseInt(place, 10, 64) // the beginning where there is no place
	seen, bytes, last := 0, int64(0), after
	err = tx.Query(room.SQL(`
		SELECT t.seq, CAST(length(CAST(t.changes AS text)) AS bigint) FROM change t {indexed change_record}
		WHERE t.business_id = {business} AND t.resource = ? AND t.record_id = ? AND t.seq > ?
		ORDER BY t.seq LIMIT `+strconv.Itoa(most), room.Text(resource), schema.IDValue(id), room.Integer(after)),
		func(r room.Row) error {
			if bytes > mostEmptied {
				return errEnough
			}
			seen++
			last, bytes = room.IntAt(r, 0), bytes+room.IntAt(r, 1)
			return nil
		})
	full := errors.Is(err, errEnough)
	if err != nil && !full {
		return "", err
	}
	if seen > 0 {
		if err := tx.Wipe(); err != nil {
			return "", err
		}
		if err := store.Run(tx, `
			UPDATE change SET changes = ?
			WHERE business_id = {business} AND resource = ? AND record_id = ? AND seq > ? AND seq <= ? AND action <> ?`,
			room.DocumentOrNone("{}"), room.Text(resource), schema.IDValue(id), room.Integer(after), room.Integer(last),
			room.Text(except)); err != nil {
			return "", err
		}
	}
	if seen < most && !full {
		return "", nil
	}
	return strconv.FormatInt(last, 10), nil
}

// Referring looks through records of a resource from the one behind place on, at most so many, and gives those that have an id in
// one of the leaves, or, as a member of a leaf that is a document, anywhere in it. In the bin it goes by when they were deleted;
// otherwise it looks at all records, deleted ones too. It gives the place to go on from, which is empty once all were looked at.
func Referring(tx *store.Tx, res *schema.Resource, bin bool, leaves []*schema.Leaf, id schema.UUID, place string,
	most int,
) (found []schema.UUID, next string, err error) {
	var hits []string
	st := room.Statement{Needle: hex.EncodeToString(id[:])}
	for _, l := range leaves {
		if l.Kind == schema.Document {
			hits = append(hits, "{contains CAST(t."+l.Column.Name+" AS text)}")
		} else {
			hits, st.Args = append(hits, "t."+l.Column.Name+" = ?"), append(st.Args, schema.IDValue(id))
		}
	}
	at, last := int64(0), schema.UUID{}
	if place != "" {
		when, key, _ := strings.Cut(place, " ")
		at, _ = strconv.ParseInt(when, 10, 64)
		raw, err := hex.DecodeString(key)
		if err != nil || len(raw) != len(last) {
			return nil, "", fmt.Errorf("the place %q among %s", place, res.Plural)
		}
		copy(last[:], raw)
	}
	from, where, order := res.Plural+" t", "t.business_id = {business}", "t.id"
	if bin {
		from, order = from+" {indexed "+res.Name+"_bin}", "t.deleted_at, t.id"
		where += " AND t.deleted_at IS NOT NULL"
	}
	switch {
	case place != "" && bin:
		where, st.Args = where+" AND (t.deleted_at, t.id) > (?, ?)", append(st.Args, schema.IntValue(schema.Time, at), schema.IDValue(last))
	case place != "":
		where, st.Args = where+" AND t.id > ?", append(st.Args, schema.IDValue(last))
	}
	st.Text = `
		SELECT t.id, t.deleted_at, CAST(CASE WHEN ` + strings.Join(hits, " OR ") + ` THEN 1 ELSE 0 END AS bigint) FROM ` + from + `
		WHERE ` + where + ` ORDER BY ` + order + ` LIMIT ` + strconv.Itoa(most)
	seen := 0
	err = tx.Query(st, func(r room.Row) error {
		seen++
		last, at = room.IDAt(r, 0), r.Value(1, schema.Time).N
		if room.IntAt(r, 2) == 1 {
			found = append(found, last)
		}
		return nil
	})
	if err != nil || seen < most {
		return found, "", err
	}
	return found, strconv.FormatInt(at, 10) + " " + hex.EncodeToString(last[:]), nil
}

// Deleted reads records of a resource that were deleted before a time, those that are so the longest first, at most so many.
func Deleted(tx *store.Tx, res *schema.Resource, before time.Time, most int) ([]*schema.Record, error) {
	return tx.Records(res, room.SQL(`
		{indexed `+res.Name+`_bin}
		WHERE t.business_id = {business} AND t.deleted_at IS NOT NULL AND t.deleted_at < ?
		ORDER BY t.deleted_at, t.id LIMIT `+strconv.Itoa(most), schema.TimeValue(before)))
}

// ForgetAddresses takes out of the audit log from where a user came, at most so many times, and tells whether there may be more.
// The chain holds without.
func ForgetAddresses(tx *store.Tx, user schema.UUID, most int) (more bool, err error) {
	for _, theirs := range []room.Statement{
		room.SQL("t.user_id = ?", schema.IDValue(user)),
		// who tried to log in as them
		room.SQL("t.user_id IS NULL AND t.record_id = ?", room.Text(schema.FormatID("user", user))),
	} {
		theirs.Text = `
			SELECT t.seq FROM audit t
			WHERE t.business_id = {business} AND ` + theirs.Text + ` AND t.address IS NOT NULL LIMIT ` + strconv.Itoa(most)
		entries, err := room.All(tx.Query, theirs, func(r room.Row) schema.Value { return r.Value(0, schema.Integer) })
		if err != nil {
			return false, err
		}
		if len(entries) == 0 {
			continue
		}
		if err := tx.Wipe(); err != nil {
			return false, err
		}
		forget := room.SQL("UPDATE audit SET address = NULL, address_salt = NULL WHERE business_id = {business} AND {among seq}")
		forget.Among = entries
		if _, err := tx.Exec(forget); err != nil {
			return false, err
		}
		more = more || len(entries) == most
	}
	return more, nil
}
