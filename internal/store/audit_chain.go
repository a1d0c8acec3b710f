package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// audit has the audit log tell what an entry of the change log does, where it is to be told: which fields changed, and not from
// what to what.
func (tx *Tx) audit(res *schema.Resource, entry change) {
	action := entry.action
	if entry.gone {
		action = "delete"
	}
	event := res.Event(action)
	if event == "" || tx.s.reg.Audit == nil {
		return
	}
	e := AuditEntry{Action: event, Resource: res.Name, Record: schema.FormatID(res.Name, entry.id)}
	if n, err := body.Parse(entry.changes); err == nil && n != nil && action != "erase" { // of which it tells why
		for _, m := range n.Members {
			// Of what is inside of a field it tells the field: a business has its own names for some.
			if name, _, _ := strings.Cut(m.Name, "."); !slices.Contains(e.Fields, name) {
				e.Fields = append(e.Fields, name)
			}
		}
	}
	tx.audited = append(tx.audited, audited{e, entry.actor})
}

// auditHead is where a chain ends.
type auditHead struct {
	seq  int64
	hash [sha256.Size]byte
	at   time.Time
	id   schema.UUID
}

// genesis is what the first line of a business follows.
func (t Tenant) genesis() [sha256.Size]byte {
	return sha256.Sum256(append([]byte("kith audit log of "), t.id[:]...))
}

// writeAudit appends to the chain. It is the last that a transaction does: until it is committed nobody else appends anything.
func (tx *Tx) writeAudit() error {
	if len(tx.audited) == 0 {
		return nil
	}
	head, err := tx.takeAuditHead()
	if err != nil {
		return err
	}
	// Times and ids rise along the chain, whichever server has which clock and however long a transaction took.
	if now := tx.s.now().UTC().Truncate(time.Microsecond); now.After(head.at) {
		head.at = now
	}
	line, a := tx.s.reg.Audit, &tx.s.audit
	type row struct {
		rec          *schema.Record
		salt, digest []byte
	}
	rows := make([]row, len(tx.audited))
	for i, e := range tx.audited {
		head.seq++
		head.id = schema.NewIDAfter(head.id, head.at)
		rec := schema.NewRecord(&line.Shape)
		rows[i].rec = rec
		rec.Put(a.Seq, room.Integer(head.seq))
		rec.Put(a.ID, schema.IDValue(head.id))
		rec.Put(a.CreatedAt, schema.TimeValue(head.at))
		rec.PutText(a.Action, e.Action)
		rec.PutText(a.Actor, tx.s.actorOf(e))
		rec.Put(a.UserID, schema.IDValue(e.actor.User))
		rec.Put(a.TokenID, schema.IDValue(e.actor.Token))
		rec.PutText(a.AppID, e.actor.AppID())
		rec.PutText(a.Resource, e.Resource)
		rec.PutText(a.RecordID, e.Record)
		rec.PutText(a.RequestID, e.actor.RequestID)
		rec.Put(a.Count, room.Integer(max(1, e.Count)))
		if len(e.Fields) > 0 {
			rec.PutText(a.Fields, string(appendNames(nil, e.Fields)))
		}
		if address := bareAddress(e.actor.Address); address != "" {
			rec.PutText(a.Address, address)
			rows[i].salt = make([]byte, 16)
			rand.Read(rows[i].salt)
			rows[i].digest = addressDigest(rows[i].salt, address)
		}
		head.hash = tx.s.auditHash(head.hash, rec, rows[i].digest)
		rec.PutText(a.Hash, hex.EncodeToString(head.hash[:]))
	}
	err = tx.insertRows(line.Plural, func() (columns []string) {
		for _, l := range line.Leaves {
			columns = append(columns, l.Column.Name)
		}
		return append(columns, "address_salt", "address_digest")
	}, len(rows), func(i int, values []schema.Value) []schema.Value {
		return append(append(values, rows[i].rec.Values...), room.Blob(rows[i].salt), room.Blob(rows[i].digest))
	})
	if err != nil {
		return err
	}
	return tx.Change(room.SQL("UPDATE audit_head SET seq = ?, hash = ?, at = ?, last_id = ? WHERE business_id = {business}",
		room.Integer(head.seq), room.Blob(head.hash[:]), schema.TimeValue(head.at), schema.IDValue(head.id)))
}

// takeAuditHead reads where the chain ends, and keeps others from appending to it until the transaction ends.
func (tx *Tx) takeAuditHead() (head auditHead, err error) {
	genesis := tx.genesis()
	take := room.SQL(`
		INSERT INTO audit_head (business_id, seq, hash) VALUES ({business}, 0, ?)
		ON CONFLICT (business_id) DO UPDATE SET seq = audit_head.seq RETURNING seq, hash, at, last_id`, room.Blob(genesis[:]))
	err = tx.Query(take, func(r room.Row) error {
		head.seq = room.FirstInt(r)
		copy(head.hash[:], r.Value(1, engine.KindBytes).S)
		if at := r.Value(2, schema.Time); at.Set {
			head.at, head.id = at.Time(), r.Value(3, schema.ID).UUID()
		}
		return nil
	})
	return head, err
}

// actorOf tells what kind of actor did what an entry tells.
func (s *Store) actorOf(e audited) string {
	switch {
	case e.Stranger:
		return "stranger"
	case s.operated:
		return "operator"
	case e.actor.User == (schema.UUID{}):
		return "server"
	}
	return "user"
}

// bareAddress is the address of a client without its port.
func bareAddress(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

func addressDigest(salt []byte, address string) []byte {
	sum := sha256.Sum256(append(slices.Clone(salt), address...))
	return sum[:]
}

func appendNames(dst []byte, names []string) []byte {
	dst = append(dst, '[')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = schema.AppendString(dst, name)
	}
	return append(dst, ']')
}

// auditHash is the hash of a line that follows another. Absent values have no part in it, so that lines from before a field was
// added stay as they are.
func (s *Store) auditHash(before [sha256.Size]byte, rec *schema.Record, digest []byte) (hash [sha256.Size]byte) {
	text := append([]byte(nil), before[:]...)
	add := func(name string, n int64, value string) {
		text = append(binary.AppendUvarint(text, uint64(len(name))), name...)
		text = binary.AppendVarint(text, n)
		text = append(binary.AppendUvarint(text, uint64(len(value))), value...)
	}
	for i, l := range rec.Leaves {
		switch v := rec.Values[i]; {
		case l == s.audit.Hash || l == s.audit.Address || !v.Set:
		default:
			add(l.Path, v.N, v.S)
		}
	}
	if digest != nil {
		add(s.audit.Address.Path, 0, string(digest))
	}
	return sha256.Sum256(text)
}
