package store

import (
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/changelog"
)

// Every change of a record is an entry of the change log, in the transaction that makes it. Package changelog reads it.

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
		gone: res.Access.Audited && old != nil && c.DeletedAt != nil && old.Live() && !rec.Live(), resource: res.Name,
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
	tx.rights = tx.rights || res.Access.Rights
	tx.audit(res, entry)
	tx.changes = append(tx.changes, entry)
	if tx.unlogged += len(entry.changes); tx.unlogged > mostUnlogged {
		return tx.writeLog()
	}
	return nil
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
