package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Write runs fn in a transaction that may change records. Such transactions of a business take turns: each sees what the one before
// did, and has a later time. fn may run more than once (see engine.write); when Write returns nil everything is on disk.
func (t Tenant) Write(ctx context.Context, actor Actor, fn func(*Tx) error) error {
	return t.begin(ctx, t.s.engine.WriteLocked, actor, (*Tx).lockTenant, fn)
}

// WriteAsking runs fn as Write does, after one question, which is asked in one trip with that for the turn. The turn is answered first:
// nobody can change the other answer in between.
func (t Tenant) WriteAsking(ctx context.Context, actor Actor, question, fn func(*Tx) error) error {
	first := func(tx *Tx) error {
		err := tx.askTurn(tx.c.Ask)
		if err == nil {
			err = question(tx)
		}
		return tx.gotTurn(err)
	}
	return t.begin(ctx, t.s.engine.WriteLocked, actor, first, fn)
}

// engineMethod is a method of an engine that runs something on a connection.
type engineMethod func(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error

// Keep runs fn in a transaction that keeps or ends secrets, log-ins and passwords, and changes no records. It waits for nobody's turn.
func (t Tenant) Keep(ctx context.Context, actor Actor, fn func(*Tx) error) error {
	return t.begin(ctx, t.s.engine.Write, actor, func(*Tx) error { return nil }, fn)
}

// Rehearse runs fn as Write does, and undoes everything that it did.
func (t Tenant) Rehearse(ctx context.Context, actor Actor, fn func(*Tx) error) error {
	err := again(func(savepoints bool) error {
		return t.s.engine.Rehearse(ctx, t.share(), func(c engine.Conn) error {
			err := t.transact(ctx, c, actor, func(tx *Tx) error {
				tx.Rehearsal, tx.savepoints = true, savepoints
				return tx.locked(fn)
			})
			if err == nil {
				err = errRehearsed
			}
			return err
		})
	})
	if errors.Is(err, errRehearsed) {
		return nil
	}
	return err
}

// errRehearsed has a transaction undone that went well.
var errRehearsed = errors.New("rehearsed")

func (t Tenant) begin(ctx context.Context, write engineMethod, actor Actor, first, fn func(*Tx) error) error {
	t.used()
	var last *Tx
	err := again(func(savepoints bool) error {
		return write(ctx, t.share(), func(c engine.Conn) error {
			return t.transact(ctx, c, actor, func(tx *Tx) error {
				last, tx.savepoints = tx, savepoints
				if err := first(tx); err != nil {
					return err
				}
				return fn(tx)
			})
		})
	})
	if last != nil && last.rights {
		t.s.epoch(t.id).Add(1)
	}
	if last != nil && (last.logged > 0 || last.rights) { // after a failure, too, which may be one of the answer alone
		t.s.notifier.Notify(t.id)
	}
	if err == nil {
		for _, fn := range last.after {
			fn(ctx)
		}
	}
	return err
}

func (t Tenant) transact(ctx context.Context, c engine.Conn, actor Actor, fn func(*Tx) error) error {
	tx := &Tx{
		Tenant: t, ctx: ctx, c: c, Actor: actor, Now: t.s.now().UTC().Truncate(time.Microsecond), tallies: map[string]int64{},
		figures: map[string]figure{}, texts: t.searched().Writing(ctx, c), read: map[schema.UUID]bool{},
	}
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.finishRecords(); err != nil {
		return err
	}
	return tx.writeAudit()
}

// finishRecords writes the counts and the change log.
func (tx *Tx) finishRecords() error {
	for _, name := range slices.Sorted(maps.Keys(tx.tallies)) {
		if err := tx.texts.Count(name, tx.tallies[name]); err != nil {
			return err
		}
	}
	if len(tx.changes) == 0 && tx.logged == 0 {
		return nil
	}
	if err := tx.writeFigures(); err != nil {
		return err
	}
	if tx.turn.IsZero() {
		return errors.New("records are changed in a transaction that has no turn; see Tenant.Keep")
	}
	seq, clock := tx.seq+tx.logged+int64(len(tx.changes)), tx.turn
	if last := tx.lastID.Time(); last.After(clock) { // the ids of the next turn come after those of this one
		clock = last
	}
	b := tx.builder()
	mark := b.Arg(schema.IntValue(schema.Integer, seq))
	sql := "UPDATE business SET change_seq = " + mark + ", clock = " + b.Arg(schema.TimeValue(clock))
	if tx.figured {
		sql += ", figured_seq = " + b.Arg(tx.s.stamp(seq))
	}
	if tx.reshaped {
		sql += ", shape_seq = " + b.Arg(schema.IntValue(schema.Integer, tx.shape))
	}
	sql += " WHERE business_id = " + b.TenantMark()
	if err := tx.c.Change(tx.ctx, sql, b.Values); err != nil {
		return err
	}
	tx.remember(clock)
	return tx.writeLog()
}
