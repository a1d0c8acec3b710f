package store

import (
	"context"
	"fmt"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/migrations"
)

// A server of an older release may run beside this one while servers are replaced one by one. It does not know the tables that newer
// releases derive from records, and leaves them behind. So a business has a stamp: up to which entry of the change log everything
// holds that follows from its records, and for a program of which layout. A program moves the stamp on with every write where it was
// whole for its own layout, and otherwise leaves it alone: where the stamp is not that of the last entry, somebody else has written,
// and what they left behind is made anew by what repairs a database. Programs from before there were layouts in it wrote
// the number of the entry alone.

// stampBits is how much of a stamp is the layout.
const stampBits = 16

// stamp is that of a business up to an entry of its log, for this program.
func (s *Store) stamp(seq int64) schema.Value {
	return schema.IntValue(schema.Integer, seq<<stampBits|s.layout)
}

// whole tells whether a stamp says that everything holds up to the last entry.
func (s *Store) whole(stamp schema.Value, seq int64) bool {
	return stamp.Set && (stamp.N == s.stamp(seq).N || stamp.N == seq)
}

// wholeSQL is the same as a condition.
func (s *Store) wholeSQL(business string) string { return wholeFor(business, s.layout) }

func wholeFor(business string, layout int64) string {
	return fmt.Sprintf("%[1]s.figured_seq IN (%[1]s.change_seq, %[1]s.change_seq * %[2]d + %[3]d)", business, int64(1)<<stampBits, layout)
}

// stampSQL is the statement that says of some businesses that they are whole for this program.
func (s *Store) stampSQL(which string) string {
	return fmt.Sprintf("UPDATE business SET figured_seq = change_seq * %d + %d WHERE %s", int64(1)<<stampBits, s.layout, which)
}

// stampAll has the businesses that are whole be so for this program, after the steps of a migration: these make what they bring for
// records that are there.
func (s *Store) stampAll(ctx context.Context, c engine.Conn, all, done []migrations.Step) error {
	before := int64(0)
	for _, m := range all {
		if len(done) > 0 && m.Number < done[0].Number {
			before = m.Number
		}
	}
	if len(done) == 0 || before < 13 { // which has brought the column
		return nil
	}
	_, err := c.Exec(ctx, s.stampSQL(wholeFor("business", before)), nil)
	return err
}
