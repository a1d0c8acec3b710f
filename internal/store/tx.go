package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kith/internal/body"
	"kith/internal/query"
	"kith/internal/schema"
)

// Actor is who makes a change, and by what: a personal access token, an app of the business, or a client that registered itself.
type Actor struct {
	User, Token, App schema.UUID
	// Client is the client id of an app that registered itself, and has no record.
	Client    string
	RequestID string
}

// AppID names the app by which someone acts: by its record, or where it registered itself by its client id. Empty is none.
func (a Actor) AppID() string {
	if a.App != (schema.UUID{}) {
		return schema.FormatID("app", a.App)
	}
	return a.Client
}

// AppendJSON renders who acted, by their ids: null for what there is not.
func (a Actor) AppendJSON(dst []byte) []byte {
	id := func(prefix string, id schema.UUID) {
		if id == (schema.UUID{}) {
			dst = append(dst, "null"...)
			return
		}
		dst = append(schema.AppendID(append(dst, '"'), prefix, string(id[:])), '"')
	}
	dst = append(dst, `{"user_id":`...)
	id("user", a.User)
	dst = append(dst, `,"token_id":`...)
	id("token", a.Token)
	dst = append(dst, `,"app_id":`...)
	return append(schema.AppendStringOrNull(dst, a.AppID()), '}')
}

// Tx is a transaction in one business. What it changes is appended to the business's change log when it ends.
type Tx struct {
	Tenant
	ctx   context.Context
	c     conn
	actor Actor
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
	// placed are the records, by resource, that were put on PostgreSQL's shelves.
	placed map[string][]placed
	// shelves are the last shelves of resources, as far as they are known.
	shelves map[string]lastShelf
	// memory is what was read and is still so, see foresee.go.
	memory remembered
	// read are the records that the transaction has read, and that others can no longer take away: those of a business have a turn.
	read map[schema.UUID]bool
	// weight is what Weight tells.
	weight int
	// told is what the next entry of the log tells besides what its record's fields do.
	told []byte
	// rights is set when the transaction could change what someone may do.
	rights bool
	// shape counts the changes of the business's own shape, and reshaped tells that the transaction makes one; see Shape.
	shape    int64
	reshaped bool
	// inParts lets every part be undone alone, see Part.
	inParts bool
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
}

// Write runs fn in a transaction that may change records. Such transactions of a business take turns: each sees what the one before did, and has a
// later time. fn may run more than once (see engine.write); when Write returns nil everything is on disk.
func (t Tenant) Write(ctx context.Context, actor Actor, fn func(*Tx) error) error {
	return t.begin(ctx, t.s.engine.writeInTurn, actor, (*Tx).takeTurn, fn)
}

// WriteOnce runs fn as Write does, with what is kept under a hash or nil. That is read in one trip with the turn, and after it: nobody can keep
// anything in between.
func (t Tenant) WriteOnce(ctx context.Context, actor Actor, hash [32]byte, fn func(*Tx, *Answer) error) error {
	var kept *Answer
	first := func(tx *Tx) (err error) {
		if err = tx.askTurn(tx.c.ask); err == nil {
			kept, err = tx.Answer(hash)
		}
		return tx.gotTurn(err)
	}
	return t.begin(ctx, t.s.engine.writeInTurn, actor, first, func(tx *Tx) error { return fn(tx, kept) })
}

// writer is a method of an engine that runs a transaction.
type writer func(ctx context.Context, whose share, fn func(conn) error) error

// Keep runs fn in a transaction that keeps or ends secrets, log-ins and passwords, and changes no records. It waits for nobody's turn.
func (t Tenant) Keep(ctx context.Context, actor Actor, fn func(*Tx) error) error {
	return t.begin(ctx, t.s.engine.write, actor, func(*Tx) error { return nil }, fn)
}

// Rehearse runs fn as Write does, and undoes everything that it did.
func (t Tenant) Rehearse(ctx context.Context, actor Actor, fn func(*Tx) error) error {
	err := again(func(inParts bool) error {
		return t.s.engine.rehearse(ctx, t.share(), func(c conn) error {
			err := t.transact(ctx, c, actor, func(tx *Tx) error {
				tx.Rehearsal, tx.inParts = true, inParts
				if err := tx.takeTurn(); err != nil {
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
	var last *Tx
	err := again(func(inParts bool) error {
		return write(ctx, t.share(), func(c conn) error {
			return t.transact(ctx, c, actor, func(tx *Tx) error {
				last, tx.inParts = tx, inParts
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
	if err == nil {
		for _, fn := range last.after {
			fn(ctx)
		}
	}
	return err
}

func (t Tenant) transact(ctx context.Context, c conn, actor Actor, fn func(*Tx) error) error {
	tx := &Tx{Tenant: t, ctx: ctx, c: c, actor: actor, Now: t.s.now().UTC().Truncate(time.Microsecond), tallies: map[string]int64{}, figures: map[string]figure{}, placed: map[string][]placed{}, read: map[schema.UUID]bool{}}
	if err := fn(tx); err != nil {
		return err
	}
	return tx.finish()
}

// takeTurn makes the transaction the only one of its business that changes records until it ends, and decides its time: this machine's, or
// just after that of the turn before where that is later. So times rise in the order of commits, whichever server has which clock.
func (tx *Tx) takeTurn() error { return tx.gotTurn(tx.askTurn(tx.c.query)) }

// askTurn asks for the turn, which the transaction has once the question is answered.
func (tx *Tx) askTurn(ask question) error {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.clock, t.change_seq, t.figured_seq, t.shape_seq FROM business t WHERE t.business_id = " + b.tenantMark() + tx.s.engine.lock()
	return ask(tx.ctx, sql, b.args, func(r row) error {
		tx.turn, tx.before, tx.seq = tx.s.now().UTC().Truncate(time.Microsecond), r.Value(0, schema.Time), r.Value(1, schema.Integer).N
		tx.figured, tx.shape = r.Value(2, schema.Integer) == r.Value(1, schema.Integer), r.Value(3, schema.Integer).N
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

// Shape counts the changes of what the business's records are, up to those of the transaction itself, and tells whether there are any of these, which may yet
// be undone; 0 is as they are declared. While the transaction has its turn nobody else changes them.
func (tx *Tx) Shape() (changes int64, own bool) { return tx.shape, tx.reshaped }

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

// Get reads one record for reading, or ErrNotFound. Deleted records are found only with bin.
func (t Tenant) Get(ctx context.Context, res *schema.Resource, id schema.UUID, bin bool) (*schema.Record, error) {
	var rec *schema.Record
	err := t.read(ctx, func(c conn) (err error) {
		rec, err = t.get(ctx, c, res, id, bin, "")
		return err
	})
	return rec, err
}

// Get reads one record and keeps others from changing it until the transaction ends.
func (tx *Tx) Get(res *schema.Resource, id schema.UUID, bin bool) (*schema.Record, error) {
	return tx.has(tx.get(tx.ctx, tx.c, res, id, bin, tx.s.engine.lock()))
}

// has notes that a record was read.
func (tx *Tx) has(rec *schema.Record, err error) (*schema.Record, error) {
	if err == nil {
		tx.read[rec.ID()] = true
		tx.weight += weigh(rec)
	}
	return rec, err
}

// Weight is about how many bytes the transaction has read and written for records so far, whether that was of use or not. Whoever can be made to change
// many records at once goes by it, because it tells what a request costs where their number does not.
func (tx *Tx) Weight() int { return tx.weight }

// writeWeight is what it weighs to write a record, whatever is in it: its rows in the indexes and in the change log.
const writeWeight = 4 << 10

// weigh counts the bytes of a record's texts.
func weigh(rec *schema.Record) (bytes int) {
	for _, v := range rec.Values {
		bytes += len(v.S)
	}
	return bytes
}

// Peek reads one record without locking it.
func (tx *Tx) Peek(res *schema.Resource, id schema.UUID) (*schema.Record, error) {
	if known, ok := tx.memory.records[id]; ok && known.shape == &res.Shape {
		if known.rec == nil {
			return nil, ErrNotFound
		}
		return known.rec, nil
	}
	rec, err := tx.has(tx.get(tx.ctx, tx.c, res, id, false, ""))
	if err == nil && tx.alone() {
		tx.memory.begin()
		tx.rememberRecord(res, rec)
	}
	return rec, err
}

func (t Tenant) get(ctx context.Context, c conn, res *schema.Resource, id schema.UUID, bin bool, lock string) (*schema.Record, error) {
	b := newBuilder(t.s.engine, t.key)
	state := b.d.liveByID("t")
	if bin {
		state = "t.deleted_at IS NOT NULL"
	}
	sql := "SELECT " + b.wholeRecord(res) + " FROM " + res.Plural + " t WHERE t.business_id = " + b.tenantMark() + " AND t.id = " + b.arg(schema.IDValue(id)) + " AND " + state + lock
	var rec *schema.Record
	err := c.query(ctx, sql, b.args, func(r row) (err error) {
		rec, err = scanRecord(r, res)
		return err
	})
	if err == nil && rec == nil {
		err = ErrNotFound
	}
	return rec, err
}

// wholeRecord selects what scanRecord reads.
func (b *builder) wholeRecord(res *schema.Resource) string {
	return b.selected(res, ownLeaves(&res.Shape))
}

func scanRecord(r row, res *schema.Resource) (*schema.Record, error) {
	rec := &schema.Record{Shape: &res.Shape, Values: make([]schema.Value, len(res.Leaves))}
	for i, l := range ownLeaves(&res.Shape) {
		rec.Values[i] = r.Value(i, l.Kind)
	}
	keepTexts(rec.Values)
	return rec, unfoldDocument(rec)
}

// All reads the live records of a small resource, oldest first.
func (t Tenant) All(ctx context.Context, res *schema.Resource, limit int) (all []*schema.Record, err error) {
	sql, args := t.finding(res, limit, nil)
	err = t.read(ctx, func(c conn) error {
		return c.query(ctx, sql, args, func(r row) error {
			rec, err := scanRecord(r, res)
			all = append(all, rec)
			return err
		})
	})
	return all, err
}

// finding is the statement that reads the live records which match all conditions on fields of the resource itself, oldest first, at most limit.
func (t Tenant) finding(res *schema.Resource, limit int, conditions []query.Condition) (sql string, args []schema.Value) {
	b := newBuilder(t.s.engine, t.key)
	q := &query.Query{Resource: res, Filters: conditions}
	sql = "SELECT " + b.wholeRecord(res) + " FROM " + res.Plural + " t WHERE " + strings.Join(b.conditions(q), " AND ") + fmt.Sprintf(" ORDER BY t.created_at, t.id LIMIT %d", limit)
	return sql, b.args
}

// Find reads the live records that match all conditions on fields of the resource itself, oldest first, at most limit.
func (tx *Tx) Find(res *schema.Resource, limit int, conditions ...query.Condition) ([]*schema.Record, error) {
	sql, args := tx.finding(res, limit, conditions)
	find := func() (found []*schema.Record, err error) {
		err = tx.c.query(tx.ctx, sql, args, func(r row) error {
			rec, err := tx.has(scanRecord(r, res))
			found = append(found, rec)
			return err
		})
		return found, err
	}
	if limit != 1 {
		return find()
	}
	rec, err := tx.first(res, sql, args, func() (*schema.Record, error) {
		found, err := find()
		if err != nil || len(found) == 0 {
			return nil, err
		}
		return found[0], nil
	})
	if err != nil || rec == nil {
		return nil, err
	}
	return []*schema.Record{rec}, nil
}

// FindIDs finds the live records that match all conditions on fields of the resource itself, oldest first, at most limit, and reads nothing but their ids:
// so it can be told of many, whatever is in them.
func (tx *Tx) FindIDs(res *schema.Resource, limit int, conditions ...query.Condition) ([]schema.UUID, error) {
	b := newBuilder(tx.s.engine, tx.key)
	return tx.ids(b, res, limit, b.conditions(&query.Query{Resource: res, Filters: conditions}))
}

// Mentioning finds the live records which have a text in one of some fields, as these are kept, oldest first, at most limit.
func (tx *Tx) Mentioning(res *schema.Resource, limit int, text string, fields ...*schema.Leaf) ([]schema.UUID, error) {
	b := newBuilder(tx.s.engine, tx.key)
	var somewhere []string
	for _, l := range fields {
		somewhere = append(somewhere, b.d.contains(b, "CAST(t."+l.Column.Name+" AS text)", text))
	}
	return tx.ids(b, res, limit, append(b.conditions(&query.Query{Resource: res}), "("+strings.Join(somewhere, " OR ")+")"))
}

func (tx *Tx) ids(b *builder, res *schema.Resource, limit int, where []string) (ids []schema.UUID, err error) {
	sql := "SELECT t.id FROM " + res.Plural + " t WHERE " + strings.Join(where, " AND ") + fmt.Sprintf(" ORDER BY t.created_at, t.id LIMIT %d", limit)
	err = tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		ids = append(ids, r.Value(0, schema.ID).UUID())
		return nil
	})
	return ids, err
}

// Count counts the live records that match all conditions on fields of the resource itself, up to most.
func (tx *Tx) Count(res *schema.Resource, most int, conditions ...query.Condition) (int, error) {
	b := newBuilder(tx.s.engine, tx.key)
	n, err := tx.count(tx.ctx, tx.c.query, b, res.Plural+" t", b.conditions(&query.Query{Resource: res, Filters: conditions}), most)
	return int(n), err
}

// Highest is the highest value of a whole number among the live records, absent where none has one.
func (tx *Tx) Highest(res *schema.Resource, l *schema.Leaf) (highest schema.Value, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT max(t." + l.Column.Name + ") FROM " + res.Plural + " t WHERE " + strings.Join(b.conditions(&query.Query{Resource: res}), " AND ")
	err = tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		highest = r.Value(0, l.Kind)
		return nil
	})
	return highest, err
}

// Equal is the condition that a field of the searched resource has a value.
func Equal(l *schema.Leaf, v schema.Value) query.Condition {
	if l.Key != "" {
		v.S = query.Key(l, v.S)
	}
	return query.Condition{Path: query.Path{Ref: -1, Leaf: l}, Operator: query.Eq, Values: []schema.Value{v}}
}

// Currency is the business's own currency.
func (tx *Tx) Currency() (string, error) {
	if tx.memory.currency != "" {
		return tx.memory.currency, nil
	}
	b, err := tx.business(tx.ctx, tx.c)
	if tx.alone() {
		tx.memory.currency = b.Currency
	}
	return b.Currency, err
}

// Taken finds the live record, other than the given one, that holds a unique value.
func (tx *Tx) Taken(res *schema.Resource, l *schema.Leaf, v schema.Value, except schema.UUID) (schema.UUID, bool, error) {
	if len(tx.memory.holders) > 0 {
		if holder, known := tx.memory.holders[holding(res, l, v)]; known {
			return holder, holder != (schema.UUID{}) && holder != except, nil
		}
	}
	if l.Member != "" {
		return tx.holder(l, v, except)
	}
	b := newBuilder(tx.s.engine, tx.key)
	where := "t." + sortColumn(l) + " = " + b.arg(key(l, v))
	if l.Exact {
		where += " AND t." + l.Column.Name + " = " + b.arg(v)
	}
	var id schema.UUID
	found := false
	sql := "SELECT t.id FROM " + res.Plural + " t WHERE t.business_id = " + b.tenantMark() + " AND t." + live + " AND " + where + " AND t.id <> " + b.arg(schema.Value{Kind: schema.ID, Set: true, S: string(except[:])}) + " LIMIT 1"
	err := tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		id, found = r.Value(0, schema.ID).UUID(), true
		return nil
	})
	return id, found, err
}

// key is the value of a leaf's key column, or of the leaf itself.
func key(l *schema.Leaf, v schema.Value) schema.Value {
	if l.Key == "" || !v.Set {
		return v
	}
	if l.Kind == schema.Tags {
		var s strings.Builder
		s.WriteString(separator)
		for _, tag := range body.Strings(v) {
			s.WriteString(query.Fold(tag) + separator)
		}
		return schema.Value{Kind: schema.Text, Set: true, S: s.String()}
	}
	return schema.Value{Kind: schema.Text, Set: true, S: query.Key(l, v.S)}
}

// searchDocument is all searchable text of a record: folded, its words separated by one space with one in front, phone numbers also as bare digits.
func searchDocument(rec *schema.Record) string {
	var s strings.Builder
	add := func(text string) {
		for _, w := range query.Words(text) {
			s.WriteByte(' ')
			s.WriteString(w)
		}
	}
	for i, l := range rec.Leaves {
		v := rec.Values[i]
		if !l.Searchable || !v.Set {
			continue
		}
		if l.Kind == schema.Tags {
			add(strings.ReplaceAll(key(l, v).S, separator, " "))
			continue
		}
		add(query.Fold(v.S))
		if l.Format == schema.Phone {
			add(query.Digits(v.S))
		}
	}
	return s.String()
}

// Insert adds a record that is complete, under an action's name for the log.
func (tx *Tx) Insert(res *schema.Resource, rec *schema.Record, action string) error {
	return tx.InsertMany(res, []*schema.Record{rec}, action)
}

// Update writes what differs between two states of a record, under an action's name for the log. deleted_at moves it to the bin and back.
func (tx *Tx) Update(res *schema.Resource, old, rec *schema.Record, action string) error {
	if err := foldDocument(old, rec); err != nil {
		return err
	}
	b := newBuilder(tx.s.engine, tx.key)
	var sets []string
	for i, l := range ownLeaves(rec.Shape) {
		if old.Values[i] == rec.Values[i] {
			continue
		}
		sets = append(sets, l.Column.Name+" = "+b.arg(rec.Values[i]))
		if l.Key != "" {
			sets = append(sets, l.Key+" = "+b.arg(key(l, rec.Values[i])))
		}
	}
	if len(sets) == 0 {
		return nil
	}
	if old.Get(res.Common.CreatedAt) != rec.Get(res.Common.CreatedAt) { // rows lie where it says
		return fmt.Errorf("update %s: created_at cannot change", res.Name)
	}
	tx.forget(res, old, rec)
	tx.weight += writeWeight + weigh(rec)
	before, after := searchDocument(old), searchDocument(rec)
	if before != after {
		sets = append(sets, "search_doc = "+b.arg(schema.Value{Kind: schema.Text, Set: true, S: after}))
	}
	sql := "UPDATE " + res.Plural + " SET " + strings.Join(sets, ", ") + " WHERE business_id = " + b.tenantMark() + " AND id = " + b.arg(schema.IDValue(rec.ID()))
	if err := tx.updateOne(res, rec.ID(), sql, b.args); err != nil {
		return err
	}
	wasLive, isLive := old.Live(), rec.Live()
	if wasLive != isLive || isLive && before != after {
		if err := tx.s.engine.text().change(tx, res, rec.ID(), wasLive, isLive, after); err != nil {
			return err
		}
	}
	switch {
	case wasLive && !isLive:
		tx.tallies[tallyName(res, false)]--
		tx.tallies[tallyName(res, true)]++
	case !wasLive && isLive:
		tx.tallies[tallyName(res, false)]++
		tx.tallies[tallyName(res, true)]--
	}
	if wasLive {
		tx.figure(res, old.Get, -1)
	}
	if isLive {
		tx.figure(res, rec.Get, 1)
	}
	if err := tx.writeParts(res, old, rec); err != nil {
		return err
	}
	if err := tx.writeEnds(res, old, rec); err != nil {
		return err
	}
	if err := tx.rewriteMatches(res, old, rec); err != nil {
		return err
	}
	if err := tx.refileSlips(old, rec); err != nil {
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
		return tx.c.change(tx.ctx, sql, args)
	}
	n, err := tx.c.exec(tx.ctx, sql, args)
	if err == nil && n == 0 {
		err = fmt.Errorf("update %s: the record is gone", res.Name)
	}
	return err
}

// Next counts one up and gives the number, without gaps among committed transactions.
func (tx *Tx) Next(counter string) (n int64, err error) {
	sql, args := tx.addition(counter, 1)
	err = tx.c.query(tx.ctx, sql+" RETURNING n", args, func(r row) error {
		n = r.Value(0, schema.Integer).N
		return nil
	})
	return n, err
}

// add adds to a tally.
func (tx *Tx) add(name string, delta int64) error {
	sql, args := tx.addition(name, delta)
	return tx.c.change(tx.ctx, sql, args)
}

// addition is the statement that adds to a tally.
func (tx *Tx) addition(name string, delta int64) (string, []schema.Value) {
	b := newBuilder(tx.s.engine, tx.key)
	tally, by := b.arg(schema.TextValue(schema.Text, name)), b.arg(schema.IntValue(schema.Integer, delta))
	return "INSERT INTO tally (business_id, name, n) VALUES (" + b.tenantMark() + ", " + tally + ", " + by + ") ON CONFLICT (business_id, name) DO UPDATE SET n = tally.n + excluded.n", b.args
}

// mostUnlogged is how many bytes of entries wait for the end of the transaction. Many large records together would take too much memory.
const mostUnlogged = 2 << 20

// LogEnd is the number of the last entry of the change log, those of the transaction itself included.
func (tx *Tx) LogEnd() int64 { return tx.seq + tx.logged + int64(len(tx.changes)) }

// Note has the next entry of the log tell something that no field of its record does: the id of another record, as if that were a field. Empty is none.
func (tx *Tx) Note(name, from, to string) {
	tx.told = append(schema.AppendString(nil, name), `:{"from":`...)
	tx.told = append(schema.AppendStringOrNull(tx.told, from), `,"to":`...)
	tx.told = append(schema.AppendStringOrNull(tx.told, to), '}')
}

// log notes a change for the log.
func (tx *Tx) log(res *schema.Resource, old, rec *schema.Record, action string) error {
	c := &res.Common
	bookkeeping := []*schema.Leaf{c.ID, c.CreatedAt, c.CreatedBy, c.UpdatedAt, c.UpdatedBy, c.Version, c.DeletedAt} // an entry tells these by itself
	document, _ := rec.Document()                                                                                   // of which its members tell
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
	return tx.note(res, change{resource: res.Name, id: rec.ID(), version: rec.Version(), action: action, at: rec.Get(res.Common.UpdatedAt).Time(), actor: tx.actor, changes: doc})
}

// note adds an entry to the log.
func (tx *Tx) note(res *schema.Resource, entry change) error {
	tx.rights = tx.rights || res.Rights
	tx.changes = append(tx.changes, entry)
	if tx.unlogged += len(entry.changes); tx.unlogged > mostUnlogged {
		return tx.writeLog()
	}
	return nil
}

// finish writes the counts and the change log.
func (tx *Tx) finish() error {
	names := make([]string, 0, len(tx.tallies))
	for name := range tx.tallies {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var err error
		switch delta, made := tx.tallies[name], tx.placed[name]; {
		case len(made) > 0:
			err = tx.shelve(name, made)
		case delta != 0:
			err = tx.add(name, delta)
		}
		if err != nil {
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
	mark := b.arg(schema.IntValue(schema.Integer, seq))
	sql := "UPDATE business SET change_seq = " + mark + ", clock = " + b.arg(schema.TimeValue(clock))
	if tx.figured {
		sql += ", figured_seq = " + mark
	}
	if tx.reshaped {
		sql += ", shape_seq = " + b.arg(schema.IntValue(schema.Integer, tx.shape))
	}
	sql += " WHERE business_id = " + b.tenantMark()
	if err := tx.c.change(tx.ctx, sql, b.args); err != nil {
		return err
	}
	tx.remember(clock)
	return tx.writeLog()
}

// writeLog writes the entries that wait.
func (tx *Tx) writeLog() error {
	entries, first := tx.changes, tx.seq+tx.logged+1
	tx.changes, tx.unlogged, tx.logged = nil, 0, tx.logged+int64(len(entries))
	return tx.insertRows("change", func() []string { return strings.Split(changeColumns, ", ") }, len(entries), func(i int, row []schema.Value) []schema.Value {
		ch := entries[i]
		return append(row,
			schema.IntValue(schema.Integer, first+int64(i)), schema.TextValue(schema.Text, ch.resource), schema.IDValue(ch.id),
			schema.IntValue(schema.Integer, ch.version), schema.TextValue(schema.Text, ch.action), schema.TimeValue(ch.at),
			schema.IDValue(ch.actor.User), schema.IDValue(ch.actor.Token), schema.IDValue(ch.actor.App),
			schema.TextValue(schema.Text, ch.actor.Client), schema.TextValue(schema.Text, ch.actor.RequestID), schema.Value{Kind: schema.Document, Set: true, S: string(ch.changes)})
	})
}
