package store

import (
	"context"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Transactions of a business that change records take turns: who has locked the row of the business has its turn.

// lockTenant makes the transaction the only one of its business that changes records until it ends, and decides its time: this
// machine's, or just after that of the turn before where that is later. So times rise in the order of commits, whichever server has
// which clock.
func (tx *Tx) lockTenant() error { return tx.gotTurn(tx.askTurn(tx.c.Query)) }

// locked runs fn when it is the transaction's turn.
func (tx *Tx) locked(fn func(*Tx) error) error {
	if err := tx.lockTenant(); err != nil {
		return err
	}
	return fn(tx)
}

// askTurn asks for the turn, which the transaction has once the question is answered.
func (tx *Tx) askTurn(ask engine.Question) error {
	b := tx.builder()
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
	err = tx.Query(room.SQL("SELECT t.change_seq, t.shape_seq FROM business t WHERE t.business_id = {business}"), func(r room.Row) error {
		latest, tx.shape = room.FirstInt(r), r.Value(1, schema.Integer).N
		return nil
	})
	return latest, err
}

// Turns lets each business do so many things of a kind at once, for what does not use the database alone.
type Turns struct{ turns *engine.Turns }

// NewTurns makes turns in which each business has so many places.
func NewTurns(each int) *Turns { return &Turns{engine.NewLimit(each)} }

// Take waits for a place of a business, which is given back by give. Who waits for too long is told so.
func (t *Turns) Take(ctx context.Context, business schema.UUID) (give func(), err error) {
	p, err := t.turns.Take(ctx, business, engine.Coordinator)
	if err != nil {
		return nil, err
	}
	return func() { t.turns.Give(p) }, nil
}
