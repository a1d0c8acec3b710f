package record

import (
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// Values are those of a record, to be read.
type Values struct{ rec *schema.Record }

// Get reads the value of a leaf.
func (v Values) Get(l *schema.Leaf) schema.Value { return v.rec.Get(l) }

// Text reads a textual value, empty where absent.
func (v Values) Text(l *schema.Leaf) string { return v.rec.Text(l) }

// ID gives the record's id.
func (v Values) ID() schema.UUID { return v.rec.ID() }

// Live tells whether the record is not deleted.
func (v Values) Live() bool { return v.rec.Live() }

// Weight counts the bytes of its texts.
func (v Values) Weight() int { return v.rec.Weight() }

// Clone copies the record, for what reads whole ones.
func (v Values) Clone() *schema.Record { return v.rec.Clone() }

// Proposed is a record as it is to be written, while its kind says what is wrong with it. It can be read, and so can what was there
// before and the transaction; what completes it is done by then.
type Proposed struct {
	Values
	w *Mutation
}

// Proposed is the record of the write as its kind's rules see it.
func (w *Mutation) Proposed() Proposed { return Proposed{Values{w.Rec}, w} }

// New tells that the record was not there before, and Before what it was otherwise.
func (p Proposed) New() bool { return p.w.Old == nil }

// Before is the record as it was.
func (p Proposed) Before() Values { return Values{p.w.Old} }

// Who is who writes, and Now when.
func (p Proposed) Who() *Principal { return p.w.Who }

// Now is when the write happens.
func (p Proposed) Now() time.Time { return p.w.Now }

// Carried tells that an archive brings the record as it was, or that a change of it is taken back.
func (p Proposed) Carried() bool { return p.w.Carried != nil }

// TextBefore is a textual value as it was; empty where there was none.
func (p Proposed) TextBefore(l *schema.Leaf) string {
	if p.New() {
		return ""
	}
	return p.w.Old.Text(l)
}

// Kind is the record's.
func (p Proposed) Kind() *Kind { return p.w.Kind }

// Action is create, update, restore or the name of an action.
func (p Proposed) Action() string { return p.w.Action }

// Gave tells whether the request itself set a field.
func (p Proposed) Gave(l *schema.Leaf) bool { return p.w.Gave(l) }

// Changed tells whether a field differs from what was there.
func (p Proposed) Changed(l *schema.Leaf) bool { return p.w.Changed(l) }

// Undoes tells that the write takes a change back.
func (p Proposed) Undoes() bool { return p.w.Undoes() }

// PrivateReceivers tells that addresses to which something is sent may be in the own network.
func (p Proposed) PrivateReceivers() bool { return p.w.Engine.PrivateReceivers }

// Refuse says what is wrong with a field; all that is said so is reported together.
func (p Proposed) Refuse(field, code, message string, allowed ...string) {
	p.w.Wrong.Add(field, code, message, allowed...)
}

// RefuseAll says so of several fields.
func (p Proposed) RefuseAll(wrong problem.Fields) { p.w.Wrong = append(p.w.Wrong, wrong...) }

// Refused are the fields that are wrong so far, as an error.
func (p Proposed) Refused() error { return p.w.Wrong.Err() }

// Lookup reads a record that a rule needs, or nil.
func (p Proposed) Lookup(k *Kind, id schema.UUID) (*schema.Record, error) { return p.w.Lookup(k, id) }

// Held reads a record, and keeps others from changing it before the write is done.
func (p Proposed) Held(res *schema.Resource, id schema.UUID) (*schema.Record, error) {
	return p.w.Get(res, id, false)
}

// Find reads the live records that meet conditions, up to a limit.
func (p Proposed) Find(res *schema.Resource, limit int, conditions ...query.Condition) ([]*schema.Record, error) {
	return p.w.Find(res, limit, conditions...)
}

// Count counts the live records that meet conditions, up to most.
func (p Proposed) Count(res *schema.Resource, most int, conditions ...query.Condition) (int, error) {
	return p.w.Count(res, most, conditions...)
}

// Links reads the live links of a record, with another one where that is given, up to most.
func (p Proposed) Links(via *schema.Resource, of store.End, with *store.End, most int) ([]*schema.Record, error) {
	return p.w.Links(via, of, with, true, most)
}

// CountLinks counts them.
func (p Proposed) CountLinks(via *schema.Resource, of store.End, most int) (int, error) {
	return p.w.CountLinks(via, of, most)
}

// ReaderOfKept checks a search that is kept: at the time of the write, for its user, and with the business's fields.
func (p Proposed) ReaderOfKept() query.Reader {
	return anyReader{query.Here{Now: p.w.Now, Zone: time.UTC, User: p.w.Who.User}, p.w.Who.Shapes}
}
