package store

import (
	"context"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/changelog"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/search"
)

// Actor is who makes a change, and Change an entry of the change log, which tells it.
type (
	Actor  = changelog.Actor
	Change = changelog.Change
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

// figure is what changes in one row of figures: the values of its keys, and what is added to its numbers, in the order of figureNumbers.
type figure struct {
	res    *schema.Resource
	place  string
	keys   []schema.Value
	deltas []int64
}

// AfterCommit has something done once the transaction is on disk, and never where it is undone: sending a mail, for example.
func (tx *Tx) AfterCommit(fn func(context.Context)) { tx.after = append(tx.after, fn) }

// alone tells that nobody else changes records of the business.
func (tx *Tx) alone() bool { return !tx.turn.IsZero() }

// Shape counts the changes of what the business's records are, up to those of the transaction itself, and tells whether there are
// any of these, which may yet be undone; 0 is as they are declared. While the transaction has its turn nobody else changes them.
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

// At lets what the transaction writes from here on count as made at a time and by an actor of its own. It is for records that had a
// life before they came here: such times do not rise in the order of commits.
func (tx *Tx) At(now time.Time, actor Actor) {
	tx.Now, tx.Actor = now.UTC().Truncate(time.Microsecond), actor
}

// writeWeight is what it weighs to write a record, whatever is in it: its rows in the indexes and in the change log.
const writeWeight = 4 << 10

// has notes that a record was read.
func (tx *Tx) has(rec *schema.Record, err error) (*schema.Record, error) {
	if err == nil {
		tx.read[rec.ID()] = true
		tx.Weight += rec.Weight()
	}
	return rec, err
}
