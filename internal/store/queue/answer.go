package queue

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Answer is what a request was answered, kept in the transaction that did what it asked for. Whoever sends the request again is given it.
type Answer struct {
	// Fingerprint tells the request from another one.
	Fingerprint [32]byte
	Status      int
	// ETag and Location are headers, empty where there were none.
	ETag, Location string
	// Body is as the caller of KeepAnswer wrote it.
	Body []byte
}

// AnswersLast is how long an answer is kept.
const AnswersLast = 24 * time.Hour

// Some of those that keep an answer take those away that have become too old: one in sweepers, among the next swept behind its own hash.
// Hashes are random, so every answer has its turn, and those that are too old are never more than a quarter of all.
const (
	sweepers = 16
	swept    = 64
)

// WriteOnce runs fn as store.Tenant.Write does, with what is kept under a hash or nil. That is read in one trip with the turn, and after
// it: nobody can keep anything in between.
func WriteOnce(ctx context.Context, t store.Tenant, actor store.Actor, hash [32]byte, fn func(*store.Tx, *Answer) error) error {
	var kept *Answer
	find := func(tx *store.Tx) (err error) {
		kept, err = AnswerIn(tx, hash)
		return err
	}
	return t.WriteAsking(ctx, actor, find, func(tx *store.Tx) error { return fn(tx, kept) })
}

// AnswerIn finds, in a transaction, what is kept under a hash, or nil.
func AnswerIn(tx *store.Tx, hash [32]byte) (found *Answer, err error) {
	err = tx.Query(room.SQL(`
		SELECT t.at, t.fingerprint, t.status, t.etag, t.location, t.body FROM answer t
		WHERE t.business_id = {business} AND t.hash = ?`, room.Blob(hash[:])), func(r room.Row) error {
		if tooOld(tx, r.Value(0, schema.Time).Time()) {
			return nil
		}
		found = &Answer{Status: int(room.IntAt(r, 2)), ETag: room.TextAt(r, 3), Location: room.TextAt(r, 4), Body: room.BytesAt(r, 5)}
		copy(found.Fingerprint[:], room.BytesAt(r, 1))
		return nil
	})
	return found, err
}

// tooOld tells that an answer that was kept at a time is given to nobody any more.
func tooOld(tx *store.Tx, at time.Time) bool { return !at.After(tx.Now.Add(-AnswersLast)) }

// KeepAnswer keeps an answer under a hash. One that is too old makes way.
func KeepAnswer(tx *store.Tx, hash [32]byte, a Answer) error {
	err := tx.Change(room.SQL(`
		INSERT INTO answer (business_id, hash, at, fingerprint, status, etag, location, body) VALUES ({business}, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (business_id, hash) DO UPDATE SET at = excluded.at, fingerprint = excluded.fingerprint, status = excluded.status,
			etag = excluded.etag, location = excluded.location, body = excluded.body`,
		room.Blob(hash[:]), schema.TimeValue(tx.Now), room.Blob(a.Fingerprint[:]), room.Integer(int64(a.Status)),
		room.TextOrNone(a.ETag), room.TextOrNone(a.Location), room.Blob(a.Body)))
	if err == nil && hash[len(hash)-1]%sweepers == 0 { // not by its beginning, which says where it stands among the others
		err = sweepAnswers(tx, hash)
	}
	return err
}

// sweepAnswers takes those away that are too old among the next ones behind a hash. What there is to delete is read first, and then
// named: in one statement PostgreSQL, of a table that was new when it planned, would read all answers of the business, and from an index
// by age even to look up a single one.
func sweepAnswers(tx *store.Tx, hash [32]byte) error {
	var old []schema.Value
	err := tx.Query(room.SQL(`
		SELECT t.hash, t.at FROM answer t
		WHERE t.business_id = {business} AND t.hash >= ? ORDER BY t.hash LIMIT `+strconv.Itoa(swept), room.Blob(hash[:])),
		func(r room.Row) error {
			if tooOld(tx, r.Value(1, schema.Time).Time()) {
				old = append(old, r.Value(0, room.Bytes))
			}
			return nil
		})
	for _, hash := range old {
		if err != nil {
			break
		}
		drop := room.SQL("DELETE FROM answer WHERE business_id = {business} AND hash = ?", hash)
		drop.Way = room.Ask // another sweep may have been faster
		err = tx.Query(drop, func(room.Row) error { return nil })
	}
	return err
}

// mostCut is how many bytes of answers are looked through in one step.
const mostCut = 1 << 20

// CutAnswers looks through kept answers from the one behind place on, at most so many: cut gives what is left of the text of a body,
// and false where that is all of it. Those that are too old to be given to anybody are taken away. It gives the place to go on from,
// which is empty once all are done.
func CutAnswers(tx *store.Tx, place string, most int, cut func(text []byte) ([]byte, bool, error)) (next string, err error) {
	after, err := hex.DecodeString(place)
	if err != nil {
		return "", err
	}
	var behind string
	var args []schema.Value
	if len(after) > 0 {
		behind, args = " AND t.hash > ?", []schema.Value{room.Blob(after)}
	}
	var hashes []schema.Value
	size, full := int64(0), false
	err = tx.Query(room.SQL("SELECT t.hash, CAST(length(t.body) AS bigint) FROM answer t WHERE t.business_id = {business}"+behind+
		" ORDER BY t.hash LIMIT "+strconv.Itoa(most), args...), func(r room.Row) error {
		if full = size > mostCut; full {
			return errEnough
		}
		size += room.IntAt(r, 1)
		hashes = append(hashes, r.Value(0, room.Bytes))
		return nil
	})
	if err != nil && !full || len(hashes) == 0 {
		return "", err
	}
	last := hashes[len(hashes)-1]
	type answer struct {
		hash schema.Value
		body []byte
		old  bool
	}
	through := room.SQL("SELECT t.hash, t.at, t.body FROM answer t WHERE t.business_id = {business}"+behind+" AND t.hash <= ?",
		append(args, last)...)
	found, err := room.All(tx.Query, through, func(r room.Row) answer {
		a := answer{hash: r.Value(0, room.Bytes), old: tooOld(tx, room.TimeAt(r, 1))}
		if !a.old {
			a.body = room.BytesAt(r, 2)
		}
		return a
	})
	if err != nil {
		return "", err
	}
	if err := tx.Wipe(); err != nil {
		return "", err
	}
	for _, a := range found {
		rewrite := room.SQL("DELETE FROM answer WHERE business_id = {business} AND hash = ?", a.hash)
		if !a.old {
			text, err := Unpack(a.body)
			if err != nil {
				continue // who is to be given it is told so
			}
			rest, changed, err := cut(text)
			if err != nil {
				return "", err
			}
			if !changed {
				continue
			}
			rewrite = room.SQL("UPDATE answer SET body = ? WHERE business_id = {business} AND hash = ?", room.Blob(rest), a.hash)
		}
		if _, err := tx.Exec(rewrite); err != nil {
			return "", err
		}
	}
	if len(hashes) < most && !full {
		return "", nil
	}
	return hex.EncodeToString([]byte(last.S)), nil
}

// errEnough ends a query whose further rows are not needed.
var errEnough = errors.New("enough was read")

// gzipped is how compressed texts begin, and JSON never does.
var gzipped = []byte{0x1f, 0x8b}

// Unpack gives the text of a body, which may be kept compressed.
func Unpack(body []byte) ([]byte, error) {
	if !bytes.HasPrefix(body, gzipped) {
		return body, nil
	}
	in, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}
