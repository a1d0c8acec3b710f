package merge

import (
	"encoding/json"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// What becomes of the fields of two records that are merged into one.

func merges(l *schema.Leaf) bool { return !l.ReadOnly && l.Kind != schema.Document }

// absorb gives a record what it lacks of another one. Fields that it has it keeps, unless the other's are preferred. With only, no
// other fields are touched.
func (m *merger) absorb(into, other *schema.Record, prefer map[*schema.Leaf]bool, only map[*schema.Leaf]bool) {
	currency, money := currencyOf(m.Kind), m.moneyOf(into, other, prefer)
	for i, l := range into.Leaves {
		if !merges(l) || l == m.Kind.Parent || only != nil && !only[l] {
			continue
		}
		mine, theirs := into.Values[i], other.Values[i]
		if l.Target == &m.Kind.Resource { // neither leads to itself
			if mine.Set && mine.UUID() == other.ID() {
				mine = schema.Absent(l.Kind)
			}
			if theirs.Set && (theirs.UUID() == into.ID() || theirs.UUID() == other.ID()) {
				theirs = schema.Absent(l.Kind)
			}
		}
		combine := m.Kind.Combined[l]
		switch {
		case l == m.Kind.Common.Tags:
			mine = unite(mine, theirs)
		case combine != nil:
			mine = combine(mine, theirs)
		case l == currency && money == takeCurrency && theirs.Set:
			mine = theirs
		case l.Kind == schema.Money && money == keepMoney && !prefer[l]:
		case theirs.Set && (!mine.Set || prefer[l]):
			mine = theirs
		}
		into.Values[i] = mine
	}
}

// How amounts are merged: as other fields are, or together with their currency.
type moneyRule int

const (
	// asOthers is where both count in the same currency.
	asOthers moneyRule = iota
	// takeCurrency is where only the other has amounts: its currency comes with them.
	takeCurrency
	// keepMoney is where both have amounts, in two currencies: the other's mean nothing in the survivor's.
	keepMoney
)

// currencyOf is the field with the currency that the amounts of a record are in, or nil where those of the kind are in the business's.
func currencyOf(k *record.Kind) *schema.Leaf {
	for _, l := range k.Leaves {
		if l.Format == schema.Currency {
			return l
		}
	}
	return nil
}

func (m *merger) moneyOf(into, other *schema.Record, prefer map[*schema.Leaf]bool) moneyRule {
	currency := currencyOf(m.Kind)
	if currency == nil || into.Get(currency) == other.Get(currency) || prefer[currency] {
		return asOthers
	}
	switch {
	case !hasMoney(other):
		return asOthers
	case hasMoney(into):
		return keepMoney
	default:
		return takeCurrency
	}
}

func hasMoney(rec *schema.Record) bool {
	return slices.ContainsFunc(rec.Leaves, func(l *schema.Leaf) bool { return l.Kind == schema.Money && rec.Values[l.Index].Set })
}

// checkPreferred refuses preferences by which amounts would come to be in another currency than they were.
func (m *merger) checkPreferred() {
	currency := currencyOf(m.Kind)
	if currency == nil || m.Rec.Get(currency) == m.other.Get(currency) {
		return
	}
	at := m.Kind.Merging.Prefer.Path + "."
	for i, l := range m.Rec.Leaves {
		if l.Kind != schema.Money {
			continue
		}
		mine, theirs := m.Rec.Values[i], m.other.Values[i]
		switch {
		case m.prefer[currency] && mine.Set && !(m.prefer[l] && theirs.Set):
			m.Wrong.Add(at+currency.Path, "not_allowed", "is not that of "+l.Path+"; prefer the other's of that as well")
		case !m.prefer[currency] && m.prefer[l] && theirs.Set && hasMoney(m.Rec):
			m.Wrong.Add(at+l.Path, "not_allowed", "is in another currency; prefer the other's currency as well")
		}
	}
}

func unite(mine, theirs schema.Value) schema.Value {
	had := body.Strings(mine)
	tags := record.AddTags(had, body.Strings(theirs), body.MaxTags)
	if len(tags) == len(had) {
		return mine
	}
	return schema.TextValue(schema.Tags, string(record.KeptList(tags)))
}

// lost is what the survivor does not have of a field: the other's value, or its own where that of the other was preferred.
func (m *merger) lost(l *schema.Leaf, mine, theirs, now schema.Value) schema.Value {
	none := schema.Absent(l.Kind)
	of := func(v schema.Value) bool { return v.Set && (v.UUID() == m.Rec.ID() || v.UUID() == m.other.ID()) }
	if m.Kind.Computed[l] != nil && !m.prefer[l] { // it follows others
		mine = now
	}
	switch {
	case !merges(l) || l == m.Kind.Common.ExternalID || m.Kind.Combined[l] != nil:
		return none
	case l == m.Kind.Common.Tags:
		rest := record.WithoutTags(body.Strings(theirs), body.Strings(now))
		if len(rest) == 0 {
			return none
		}
		return schema.TextValue(schema.Tags, string(record.KeptList(rest)))
	case mine.Set && now != mine:
		if l.Kind == schema.ID && of(mine) {
			return none
		}
		return mine
	case theirs.Set && now != theirs && !(l.Kind == schema.ID && of(theirs)):
		return theirs
	}
	return none
}

// parent is that of the survivor, where its kind has one. No record comes to be its own: where the survivor was below the
// other, it takes the other's place; where the other was below, the survivor keeps its own.
func (m *merger) parent() (schema.Value, error) {
	l := m.Kind.Parent
	if l == nil {
		return schema.Value{}, nil
	}
	mine, theirs := m.Rec.Get(l), m.other.Get(l)
	below, err := m.LeadsUp(mine, m.other.ID())
	if err != nil {
		return mine, err
	}
	if below {
		return theirs, nil
	}
	if !theirs.Set || mine.Set && !m.prefer[l] {
		return mine, nil
	}
	above, err := m.LeadsUp(theirs, m.Rec.ID())
	if err != nil {
		return mine, err
	}
	if !above {
		return theirs, nil
	}
	if m.prefer[l] {
		m.Wrong.Add(m.Kind.Merging.Prefer.Path+"."+l.Path, "not_allowed",
			"a "+m.Kind.Name+" cannot be its own parent, directly or through others")
	}
	return mine, nil
}

type undo struct {
	// Prefer are the fields of which the other's value was preferred, and Changes what was there and what came to be, in the form
	// in which documents keep it; absent is left out. Fields that the business added are named by their members, which stay when
	// they are called otherwise.
	Prefer  []string           `json:"prefer,omitempty"`
	Changes map[string]changed `json:"changes,omitempty"`
}

// changed is a change of a value, and where the change log ended when it was noted: references that were moved before that are in
// it as they were moved.
type changed struct {
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
	At   int64           `json:"at"`
}

// keptAs is what a field is called in what is kept of a merge.
func keptAs(l *schema.Leaf) string {
	if l.Member != "" {
		return l.Member
	}
	return l.Path
}

// newChanged notes a change of a value, and values reads it back.
func (m *merger) newChanged(from, to schema.Value) changed {
	c := changed{At: m.LogEnd()}
	if from.Set {
		c.From = schema.AppendMember(nil, from)
	}
	if to.Set {
		c.To = schema.AppendMember(nil, to)
	}
	return c
}

func (c changed) values(l *schema.Leaf) (from, to schema.Value, err error) {
	read := func(raw json.RawMessage) (v schema.Value) {
		if raw == nil || err != nil {
			return schema.Absent(l.Kind)
		}
		v, err = schema.MemberValue(l.Kind, string(raw))
		return v
	}
	from, to = read(c.From), read(c.To)
	return from, to, err
}

func (m *merger) undo() undo {
	u := undo{Changes: map[string]changed{}}
	for l := range m.prefer {
		u.Prefer = append(u.Prefer, keptAs(l))
	}
	slices.Sort(u.Prefer)
	for i, l := range m.Rec.Leaves {
		if from, to := m.Old.Values[i], m.Rec.Values[i]; from != to {
			u.Changes[keptAs(l)] = m.newChanged(from, to)
		}
	}
	return u
}

func (u undo) text() string {
	text, err := json.Marshal(u)
	if err != nil {
		panic(err) // nothing in it can fail
	}
	return string(text)
}

func readUndo(text string) (u undo, err error) {
	err = json.Unmarshal([]byte(text), &u)
	if u.Changes == nil {
		u.Changes = map[string]changed{}
	}
	return u, err
}
