package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// AuditCheck is what a check of the audit log found.
type AuditCheck struct {
	AuditHead
	// Forgotten is how many lines have lost the address that they had, with the user who came from there.
	Forgotten int64
	// Wrong says what does not fit, the first mostWrong of it.
	Wrong []string
}

// mostWrong is how much of what is wrong is told: behind the first line that does not fit there is little to be learnt.
const mostWrong = 20

// auditReadAtOnce is how many lines a check reads at once.
const auditReadAtOnce = 500

// CheckAudit follows the chain of the audit log from its first line to its end. The log must lead through every head in known,
// which somebody kept.
func (t Tenant) CheckAudit(ctx context.Context, known ...AuditHead) (AuditCheck, error) {
	head, last, err := t.auditEnd(ctx)
	if err != nil {
		return AuditCheck{}, err
	}
	c := &auditChecker{t: t, found: AuditCheck{AuditHead: head}, hash: t.genesis(), erased: map[string]int64{}, known: map[int64]string{}}
	for _, k := range known {
		c.known[k.Seq] = strings.ToLower(k.Hash)
		if k.Seq > head.Seq {
			c.wrong("it ends at line %d, but line %d was there once", head.Seq, k.Seq)
		}
	}
	if head.Seq == 0 {
		c.wrong("it has no beginning")
	}
	if last != head.Seq {
		c.wrong("it is to end with line %d, but ends with line %d", head.Seq, last)
	}
	for end := max(head.Seq, last); c.seq < end; {
		before := c.seq
		if err := c.readSome(ctx, end); err != nil {
			return c.found, err
		}
		if c.seq == before {
			break // nothing is left, which is told below
		}
	}
	if c.seq < head.Seq {
		c.wrong("lines %d to %d are missing", c.seq+1, head.Seq)
	} else if c.seq == head.Seq && hex.EncodeToString(c.hash[:]) != head.Hash {
		c.wrong("the last line is not the one that the log is to end with")
	}
	for _, user := range slices.Sorted(maps.Keys(c.erased)) {
		c.wrong("line %d lost its address, but %s was not erased", c.erased[user], user)
	}
	return c.found, nil
}

// auditChecker is a check while it goes on.
type auditChecker struct {
	t     Tenant
	found AuditCheck
	// seq and hash are those of the last line that was read.
	seq  int64
	hash [sha256.Size]byte
	// erased are the users whose addresses are gone, with the first line that says so, until it is found that they were erased.
	erased map[string]int64
	known  map[int64]string
}

func (c *auditChecker) wrong(format string, args ...any) {
	if len(c.found.Wrong) < mostWrong {
		c.found.Wrong = append(c.found.Wrong, fmt.Sprintf(format, args...))
	}
}

// readSome reads the next lines.
func (c *auditChecker) readSome(ctx context.Context, end int64) error {
	line := c.t.s.reg.Audit
	b := c.t.builder()
	sql := "SELECT " + b.Selected(line, line.Leaves) + ", t.address_salt, t.address_digest FROM " + line.Plural + " t" +
		" WHERE t.business_id = " + b.TenantMark() + " AND t.seq > " + b.Arg(schema.IntValue(schema.Integer, c.seq)) +
		" AND t.seq <= " + b.Arg(schema.IntValue(schema.Integer, end)) +
		fmt.Sprintf(" ORDER BY t.seq LIMIT %d", auditReadAtOnce)
	return c.t.read(ctx, func(conn engine.Conn) error {
		return conn.Query(ctx, sql, b.Values, func(r engine.Row) error {
			rec := schema.NewRecord(&line.Shape)
			for i, l := range line.Leaves {
				rec.Values[i] = r.Value(i, l.Kind)
			}
			c.line(rec, r.Value(len(line.Leaves), engine.KindBytes), r.Value(len(line.Leaves)+1, engine.KindBytes))
			return nil
		})
	})
}

// line checks the next line.
func (c *auditChecker) line(rec *schema.Record, salt, digest schema.Value) {
	a := &c.t.s.audit
	seq := rec.Get(a.Seq).N
	if seq != c.seq+1 {
		c.wrong("lines %d to %d are missing", c.seq+1, seq-1)
	}
	var of []byte
	if digest.Set {
		of = []byte(digest.S)
	}
	hash := c.t.s.auditHash(c.hash, rec, of)
	told := rec.Get(a.Hash).S
	if hex.EncodeToString(hash[:]) != told {
		c.wrong("line %d was changed, or is not the one that followed line %d", seq, c.seq)
	}
	if known, ok := c.known[seq]; ok && known != told {
		c.wrong("line %d is not the one that was there once", seq)
	}
	c.checkAddress(rec, seq, salt, of)
	// What follows is held to what this line says of itself, so that one line that does not fit is one thing that is wrong.
	c.seq = seq
	if raw, err := hex.DecodeString(told); err == nil {
		copy(c.hash[:], raw)
	}
}

// checkAddress checks the one part of a line that may be gone: with a user who was erased.
func (c *auditChecker) checkAddress(rec *schema.Record, seq int64, salt schema.Value, digest []byte) {
	a := &c.t.s.audit
	whose := rec.Get(a.RecordID).S
	if by := rec.Get(a.UserID); by.Set {
		whose = schema.FormatID("user", by.UUID())
	}
	if rec.Get(a.Action).S == c.t.s.reg.Resource("user").Event("erase") {
		delete(c.erased, rec.Get(a.RecordID).S)
	}
	address := rec.Get(a.Address)
	switch {
	case address.Set && (!salt.Set || !slices.Equal(addressDigest([]byte(salt.S), address.S), digest)):
		c.wrong("the address of line %d was changed", seq)
	case !address.Set && digest != nil:
		c.found.Forgotten++
		if _, there := c.erased[whose]; !there {
			c.erased[whose] = seq
		}
	}
}
