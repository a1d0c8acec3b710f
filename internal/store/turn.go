package store

import (
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Transactions of a business that change records take turns: who has locked the row of the business has its turn.

// lockTenant makes the transaction the only one of its business that changes records until it ends, and decides its time: this
// machine's, or just after that of the turn before where that is later. So times rise in the order of commits, whichever server has
// which clock.
func (tx *Tx) lockTenant() error { return tx.gotTurn(tx.askTurn(tx.c.Query)) }

// askTurn asks for the turn, which the transaction has once the question is answered.
func (tx *Tx) askTurn(ask engine.Question) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.clock, t.change_seq, t.figured_seq, t.shape_seq FROM business t" +
		" WHERE t.business_id = " + b.TenantMark() + tx.s.engine.Lock()
	return ask(tx.ctx, sql, b.Values, func(r engine.Row) error {
		tx.turn, tx.before, tx.seq = tx.s.now().UTC().Truncate(time.Microsecond), r.Value(0, schema.Time), r.Value(1, schema.Integer).N
		tx.figured, tx.shape = tx.s.whole(r.Value(2, schema.Integer), tx.seq), r.Value(3, schema.Integer).N
		if tx.before.Set && !tx.turn.After(tx.before.Time()) {
			tx.turn = tx.before.Time().Add(time.Microsecond)
		}
		tx.Now = tx.turn
		return nil
	})
}

// gotTurn tells what became of the question.
func (tx *Tx) gotTurn(err error) error {
	if err == nil && tx.turn.IsZero() {
		return ErrNotFound
	}
	return err
}

// Glance reads what a turn begins with, without waiting for one: the number of the newest entry of the log, and what Shape tells.
// Others may change both meanwhile.
func (tx *Tx) Glance() (latest int64, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	err = tx.c.Query(tx.ctx, "SELECT t.change_seq, t.shape_seq FROM business t WHERE t.business_id = "+b.TenantMark(), b.Values,
		func(r engine.Row) error {
			latest, tx.shape = r.Value(0, schema.Integer).N, r.Value(1, schema.Integer).N
			return nil
		})
	return latest, err
}
