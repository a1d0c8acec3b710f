package store

import (
	"strconv"
	"strings"
	"time"

	"kith/internal/schema"
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

// Some of those that keep an answer take those away that have become too old: one in sweepers, among the next swept behind its own hash. Hashes are random,
// so every answer has its turn, and those that are too old are never more than a quarter of all.
const (
	sweepers = 16
	swept    = 64
)

// Answer finds what is kept under a hash, or nil.
func (tx *Tx) Answer(hash [32]byte) (*Answer, error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.at, t.fingerprint, t.status, t.etag, t.location, t.body FROM answer t" +
		" WHERE t.business_id = " + b.tenantMark() + " AND t.hash = " + b.arg(bytesValue(hash[:]))
	var found *Answer
	err := tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		if !r.Value(0, schema.Time).Time().After(tx.Now.Add(-AnswersLast)) {
			return nil
		}
		found = &Answer{
			Status: int(r.Value(2, schema.Integer).N), ETag: strings.Clone(r.Value(3, schema.Text).S), Location: strings.Clone(r.Value(4, schema.Text).S),
			Body: []byte(r.Value(5, kindBytes).S),
		}
		copy(found.Fingerprint[:], r.Value(1, kindBytes).S)
		return nil
	})
	return found, err
}

// KeepAnswer keeps an answer under a hash. One that is too old makes way.
func (tx *Tx) KeepAnswer(hash [32]byte, a Answer) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "INSERT INTO answer (business_id, hash, at, fingerprint, status, etag, location, body) VALUES (" + b.tenantMark()
	for _, v := range []schema.Value{
		bytesValue(hash[:]), schema.TimeValue(tx.Now), bytesValue(a.Fingerprint[:]), schema.IntValue(schema.Integer, int64(a.Status)),
		schema.TextValue(schema.Text, a.ETag), schema.TextValue(schema.Text, a.Location), bytesValue(a.Body),
	} {
		sql += ", " + b.arg(v)
	}
	sql += ") ON CONFLICT (business_id, hash) DO UPDATE SET at = excluded.at, fingerprint = excluded.fingerprint, status = excluded.status," +
		" etag = excluded.etag, location = excluded.location, body = excluded.body"
	if err := tx.c.change(tx.ctx, sql, b.args); err != nil {
		return err
	}
	if hash[len(hash)-1]%sweepers != 0 { // not by its beginning, which says where it stands among the others
		return nil
	}
	return tx.sweepAnswers(hash)
}

// sweepAnswers takes those away that are too old among the next ones behind a hash. What there is to delete is read first, and then named: in one statement
// PostgreSQL, of a table that was new when it planned, would read all answers of the business, and from an index by age even to look up a single one.
func (tx *Tx) sweepAnswers(hash [32]byte) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.hash, t.at FROM answer t WHERE t.business_id = " + b.tenantMark() + " AND t.hash >= " + b.arg(bytesValue(hash[:])) +
		" ORDER BY t.hash LIMIT " + strconv.Itoa(swept)
	var old [][]byte
	err := tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		if !r.Value(1, schema.Time).Time().After(tx.Now.Add(-AnswersLast)) {
			old = append(old, []byte(r.Value(0, kindBytes).S))
		}
		return nil
	})
	for _, hash := range old {
		if err != nil {
			break
		}
		b = newBuilder(tx.s.engine, tx.key)
		sql := "DELETE FROM answer WHERE business_id = " + b.tenantMark() + " AND hash = " + b.arg(bytesValue(hash))
		err = tx.c.ask(tx.ctx, sql, b.args, func(row) error { return nil }) // another sweep may have been faster
	}
	return err
}

func bytesValue(b []byte) schema.Value {
	return schema.Value{Kind: kindBytes, Set: len(b) > 0, S: string(b)}
}
