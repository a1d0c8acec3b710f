package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/changelog"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

// Tx is a transaction in one business. What it changes is appended to the business's change log when it ends.
type Tx struct {
	Tenant
	ctx context.Context
	c   engine.Conn
	// Actor is who makes what the transaction changes from here on.
	Actor Actor
	// Now is the one time of everything that the transaction writes.
	Now time.Time

	// turn is the time at which it became the transaction's turn to change records, or zero where it has none, and before the clock of
	// the business at that time: the time of the turn before.
	turn   time.Time
	before schema.Value
	// seq is the number of the last entry in the change log.
	seq int64
	// lastID is the last id that the transaction minted.
	lastID schema.UUID

	// changes are the entries of the log that have not been written yet, unlogged their bytes, and logged how many have been.
	changes  []change
	unlogged int
	logged   int64
	tallies  map[string]int64
	// figures are what changes in the kept figures, by resource and place, and figured tells that these hold; see figures.go.
	figures map[string]figure
	figured bool
	// texts is what the text index knows of the transaction.
	texts search.Writing
	// memory is what was read and is still so, see prefetch.go, and last what the turn before knew, once it was asked for.
	memory remembered
	last   *turnMemory
	// read are the records that the transaction has read, and that others can no longer take away: those of a business have a turn.
	read map[schema.UUID]bool
	// Weight is about how many bytes the transaction has read and written for records so far, whether that was of use or not. Whoever
	// can be made to change many records at once goes by it, because it tells what a request costs where their number does not.
	Weight int
	// audited is what the audit log is to tell, see audit.go.
	audited []audited
	// told is what the next entry of the log tells besides what its record's fields do.
	told []byte
	// rights is set when the transaction could change what someone may do.
	rights bool
	// shape counts the changes of the business's own shape, and reshaped tells that the transaction makes one; see Shape.
	shape    int64
	reshaped bool
	// savepoints lets every operation be undone alone, see Savepoint.
	savepoints bool
	// Rehearsal tells that everything will be undone in the end; see Rehearse.
	Rehearsal bool
	// after is what happens once it is committed.
	after []func(context.Context)
}

// AfterCommit has something done once the transaction is on disk, and never where it is undone: sending a mail, for example.
func (tx *Tx) AfterCommit(fn func(context.Context)) { tx.after = append(tx.after, fn) }

type change struct {
	resource string
	id       schema.UUID
	version  int64
	action   string
	at       time.Time
	actor    Actor
	changes  []byte
	// gone tells of a record that is audited that it went into the bin, be it along with another.
	gone bool
}

// Write runs fn in a transaction that may change records. Such transactions of a business take turns: each sees what the one before
// did, and has a later time. fn may run more than once (see engine.write); when Write returns nil everything is on disk.
func (t Tenant) Write(ctx context.Context, actor Actor, fn func(*Tx) error) error {
	return t.begin(ctx, t.s.engine.WriteLocked, actor, (*Tx).lockTenant, fn)
}

// writer is a method of an engine that runs a transaction.
type writer func(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error

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
				if err := tx.lockTenant(); err != nil {
					return err
				}
				return fn(tx)
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

func (t Tenant) begin(ctx context.Context, write writer, actor Actor, first, fn func(*Tx) error) error {
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
	return tx.finish()
}

// lockTenant makes the transaction the only one of its business that changes records until it ends, and decides its time: this
// machine's, or just after that of the turn before where that is later. So times rise in the order of commits, whichever server has
// which clock.
func (tx *Tx) lockTenant() error { return tx.gotTurn(tx.askTurn(tx.c.Query)) }

// askTurn asks for the turn, which the transaction has once the question is answered.
func (tx *Tx) askTurn(ask engine.Question) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.clock, t.change_seq, t.figured_seq, " +
		"t.shape_seq FROM business t WHERE t.business_id = " + b.TenantMark() + tx.s.engine.Lock()
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

// Shape counts the changes of what the business's records are, up to those of the transaction itself, and tells whether there are
// any of these, which may yet be undone; 0 is as they are declared. While the transaction has its turn nobody else changes them.
func (tx *Tx) Shape() (changes int64, own bool) { return tx.shape, tx.reshaped }

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

// Reshape says that the transaction changes what the business's records are, so that everybody who knows of it reads it anew.
func (tx *Tx) Reshape() {
	tx.shape++
	tx.reshaped, tx.rights = true, true
}

// NewID mints the id of a record. Within a business ids rise in the order of commits, as the times do.
func (tx *Tx) NewID() schema.UUID {
	if !tx.Now.Equal(tx.turn) { // see At
		return schema.NewID(tx.Now)
	}
	tx.lastID = schema.NewIDAfter(tx.lastID, tx.Now)
	return tx.lastID
}

// Insert adds a record that is complete, under an action's name for the log.
func (tx *Tx) Insert(res *schema.Resource, rec *schema.Record, action string) error {
	return tx.InsertMany(res, []*schema.Record{rec}, action)
}

// Update writes what differs between two states of a record, under an action's name for the log. deleted_at moves it to the bin and back.
func (tx *Tx) Update(res *schema.Resource, old, rec *schema.Record, action string) error {
	if err := layout.FoldDocument(old, rec); err != nil {
		return err
	}
	b := newBuilder(tx.s.engine, tx.key)
	var sets []string
	for i, l := range layout.OwnLeaves(rec.Shape) {
		if old.Values[i] == rec.Values[i] {
			continue
		}
		sets = append(sets, l.Column.Name+" = "+b.Arg(rec.Values[i]))
		if l.Key != "" {
			sets = append(sets, l.Key+" = "+b.Arg(layout.KeyOf(l, rec.Values[i])))
		}
	}
	if len(sets) == 0 {
		return nil
	}
	if old.Get(res.Common.CreatedAt) != rec.Get(res.Common.CreatedAt) { // rows lie where it says
		return fmt.Errorf("update %s: created_at cannot change", res.Name)
	}
	tx.forget(res, old, rec)
	tx.Weight += writeWeight + rec.Weight()
	before, after := layout.SearchDocument(old), layout.SearchDocument(rec)
	if before != after {
		sets = append(sets, "search_doc = "+b.Arg(schema.Value{Kind: schema.Text, Set: true, S: after}))
	}
	sql := "UPDATE " + res.Plural + " SET " + strings.Join(sets,
		", ") + " WHERE business_id = " + b.TenantMark() + " AND id = " + b.Arg(schema.IDValue(rec.ID()))
	if err := tx.updateOne(res, rec.ID(), sql, b.Values); err != nil {
		return err
	}
	wasLive, isLive := old.Live(), rec.Live()
	if wasLive != isLive || isLive && before != after {
		if err := tx.s.search.Planner.Text().Change(&tx.texts, res, rec.ID(), wasLive, isLive, after); err != nil {
			return err
		}
	}
	switch {
	case wasLive && !isLive:
		tx.tallies[search.TallyName(res, false)]--
		tx.tallies[search.TallyName(res, true)]++
	case !wasLive && isLive:
		tx.tallies[search.TallyName(res, false)]++
		tx.tallies[search.TallyName(res, true)]--
	}
	if wasLive {
		tx.figure(res, old.Get, -1)
	}
	if isLive {
		tx.figure(res, rec.Get, 1)
	}
	if err := tx.writeListItems(res, old, rec); err != nil {
		return err
	}
	if err := tx.writeEnds(res, old, rec); err != nil {
		return err
	}
	if err := tx.rewriteMatches(res, old, rec); err != nil {
		return err
	}
	if err := tx.refileCustomEntries(old, rec); err != nil {
		return err
	}
	if err := tx.rewriteAddedReferences(res, old, rec); err != nil {
		return err
	}
	return tx.log(res, old, rec, action)
}

// updateOne runs the update of one record. Only where the transaction has read the record it is certain to be there.
func (tx *Tx) updateOne(res *schema.Resource, id schema.UUID, sql string, args []schema.Value) error {
	if tx.read[id] {
		return tx.c.Change(tx.ctx, sql, args)
	}
	n, err := tx.c.Exec(tx.ctx, sql, args)
	if err == nil && n == 0 {
		err = fmt.Errorf("update %s: the record is gone", res.Name)
	}
	return err
}

// Next counts one up and gives the number, without gaps among committed transactions.
func Next(tx *Tx, counter string) (n int64, err error) {
	sql, args := tx.searched().Addition(counter, 1)
	err = tx.c.Query(tx.ctx, sql+" RETURNING n", args, func(r engine.Row) error {
		n = r.Value(0, schema.Integer).N
		return nil
	})
	return n, err
}

// Skip lets a counter leave out so many numbers.
func Skip(tx *Tx, counter string, by int64) error { return tx.texts.Add(counter, by) }

// mostUnlogged is how many bytes of entries wait for the end of the transaction. Many large records together would take too much memory.
const mostUnlogged = 2 << 20

// LogEnd is the number of the last entry of the change log, those of the transaction itself included.
func (tx *Tx) LogEnd() int64 { return tx.seq + tx.logged + int64(len(tx.changes)) }

// Note has the next entry of the log tell something that no field of its record does: the id of another record, as if that were a
// field. Empty is none.
func (tx *Tx) Note(name, from, to string) {
	tx.told = append(schema.AppendString(nil, name), `:{"from":`...)
	tx.told = append(schema.AppendStringOrNull(tx.told, from), `,"to":`...)
	tx.told = append(schema.AppendStringOrNull(tx.told, to), '}')
}

// log notes a change for the log.
func (tx *Tx) log(res *schema.Resource, old, rec *schema.Record, action string) error {
	c := &res.Common
	// an entry tells these by itself
	bookkeeping := []*schema.Leaf{c.ID, c.CreatedAt, c.CreatedBy, c.UpdatedAt, c.UpdatedBy, c.Version, c.DeletedAt}
	// of which its members tell
	document, _ := rec.Document()
	doc := []byte{'{'}
	for i, l := range rec.Leaves {
		from, to := schema.Absent(l.Kind), rec.Values[i]
		if old != nil {
			from = old.Values[i]
		}
		if from == to || l == document || slices.Contains(bookkeeping, l) {
			continue
		}
		if len(doc) > 1 {
			doc = append(doc, ',')
		}
		doc = schema.AppendString(doc, l.Path)
		doc = append(doc, `:{"from":`...)
		doc = schema.AppendValue(doc, l, from)
		doc = append(doc, `,"to":`...)
		doc = schema.AppendValue(doc, l, to)
		doc = append(doc, '}')
	}
	if tx.told != nil {
		if len(doc) > 1 {
			doc = append(doc, ',')
		}
		doc, tx.told = append(doc, tx.told...), nil
	}
	doc = append(doc, '}')
	return tx.note(res, change{
		gone: res.Audited && old != nil && c.DeletedAt != nil && old.Live() && !rec.Live(), resource: res.Name,
		id: rec.ID(), version: rec.Version(), action: action, at: rec.Get(res.Common.UpdatedAt).Time(), actor: tx.Actor, changes: doc,
	})
}

// LogRewritten notes for the log that a room's statement changed a record without its having been read: to which version, and what.
func (tx *Tx) LogRewritten(res *schema.Resource, id schema.UUID, version int64, changes []byte) {
	tx.memory = remembered{}
	tx.Weight += writeWeight
	tx.unlogged += len(changes)
	tx.changes = append(tx.changes, change{
		resource: res.Name, id: id, version: version, action: "update", at: tx.Now, actor: tx.Actor, changes: changes,
	})
}

// note adds an entry to the log.
func (tx *Tx) note(res *schema.Resource, entry change) error {
	tx.rights = tx.rights || res.Rights
	tx.audit(res, entry)
	tx.changes = append(tx.changes, entry)
	if tx.unlogged += len(entry.changes); tx.unlogged > mostUnlogged {
		return tx.writeLog()
	}
	return nil
}

// finish writes the counts, the change log and the audit log.
func (tx *Tx) finish() error {
	if err := tx.finishRecords(); err != nil {
		return err
	}
	return tx.writeAudit()
}

// finishRecords writes the counts and the change log.
func (tx *Tx) finishRecords() error {
	names := make([]string, 0, len(tx.tallies))
	for name := range tx.tallies {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
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
	b := newBuilder(tx.s.engine, tx.key)
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

// writeLog writes the entries that wait.
func (tx *Tx) writeLog() error {
	entries, first := tx.changes, tx.seq+tx.logged+1
	tx.changes, tx.unlogged, tx.logged = nil, 0, tx.logged+int64(len(entries))
	return tx.insertRows("change", func() []string { return strings.Split(changelog.Columns, ", ") }, len(entries),
		func(i int, row []schema.Value) []schema.Value {
			ch := entries[i]
			return append(row,
				schema.IntValue(schema.Integer, first+int64(i)), schema.TextValue(schema.Text, ch.resource), schema.IDValue(ch.id),
				schema.IntValue(schema.Integer, ch.version), schema.TextValue(schema.Text, ch.action), schema.TimeValue(ch.at),
				schema.IDValue(ch.actor.User), schema.IDValue(ch.actor.Token), schema.IDValue(ch.actor.App),
				schema.TextValue(schema.Text, ch.actor.Client), schema.TextValue(schema.Text, ch.actor.RequestID),
				schema.Value{Kind: schema.Document, Set: true, S: string(ch.changes)})
		})
}
