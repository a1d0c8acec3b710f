package store

import (
	"context"
	"encoding/hex"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// The audit log of a business tells who came in and who was refused, and who changed what lets others in. A line is written in the
// transaction of what it tells. Each has a hash of itself and of the one before it, and the table audit_head the number and hash of
// the last: a line that is missing, changed, moved or cut off does not fit. The declaration of the lines is the registry's. The
// chain is written in audit_chain.go and checked in audit_check.go.

// Operate says that this process is no server, but does what the operator told it.
func (s *Store) Operate() { s.operated = true }

// Audit has the audit log tell something once the transaction ends.
func (tx *Tx) Audit(e AuditEntry) { tx.audited = append(tx.audited, audited{e, tx.Actor}) }

// Audit has the audit log tell something that changes nothing else.
func (t Tenant) Audit(ctx context.Context, actor Actor, e AuditEntry) error {
	return t.Keep(ctx, actor, func(tx *Tx) error {
		tx.Audit(e)
		return nil
	})
}

// AuditHead is where the audit log of a business ends. Whoever keeps it elsewhere can tell later whether the log still leads through it.
type AuditHead struct {
	// Seq is how many lines there are, and the number of the last.
	Seq int64
	// Hash is that of the last line.
	Hash string
}

// AuditHead reads where the audit log ends.
func (t Tenant) AuditHead(ctx context.Context) (AuditHead, error) {
	head, _, err := t.auditEnd(ctx)
	return head, err
}

// auditEnd reads where the log is said to end, and the number of the line that it does end with, both as of one moment.
func (t Tenant) auditEnd(ctx context.Context) (head AuditHead, last int64, err error) {
	genesis := t.genesis()
	head.Hash = hex.EncodeToString(genesis[:])
	err = t.Query(ctx, room.SQL(`
		SELECT (SELECT max(t.seq) FROM audit t WHERE t.business_id = {business}), h.seq, h.hash
		FROM business u LEFT JOIN audit_head h ON h.business_id = {business}
		WHERE u.business_id = {business}`), func(r room.Row) error {
		last = room.FirstInt(r)
		if seq := r.Value(1, schema.Integer); seq.Set {
			head.Seq, head.Hash = seq.N, hex.EncodeToString([]byte(r.Value(2, room.Bytes).S))
		}
		return nil
	})
	return head, last, err
}
