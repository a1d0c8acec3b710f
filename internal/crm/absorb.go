package crm

import (
	"encoding/json"
	"slices"

	"kith/internal/body"
	"kith/internal/query"
	"kith/internal/schema"
)

// What becomes of the fields of two records that are merged into one.

// merges tells whether a merge can change a field of the survivor.
func (k *Kind) merges(l *schema.Leaf) bool { return !l.ReadOnly && l.Kind != schema.Document }

// absorb gives a record what it lacks of another one. Fields that it has it keeps, unless the other's are preferred. With only, no other fields are touched.
func (m *merger) absorb(into, other *schema.Record, prefer map[*schema.Leaf]bool, only map[*schema.Leaf]bool) {
	money := m.moneyOf(into, other, prefer)
	for i, l := range into.Leaves {
		if !m.kind.merges(l) || l == Companies.ParentCompanyID || only != nil && !only[l] {
			continue
		}
		mine, theirs := into.Values[i], other.Values[i]
		if l.Target == &m.kind.Resource { // neither leads to itself
			if mine.Set && mine.UUID() == other.ID() {
				mine = schema.Absent(l.Kind)
			}
			if theirs.Set && (theirs.UUID() == into.ID() || theirs.UUID() == other.ID()) {
				theirs = schema.Absent(l.Kind)
			}
		}
		switch {
		case l == m.kind.Common.Tags:
			mine = unite(mine, theirs)
		case l == Contacts.DoNotContact:
			mine = schema.BoolValue(mine.True() || theirs.True())
		case l == Contacts.LastContactedAt || l == Companies.LastContactedAt:
			if theirs.Set && (!mine.Set || theirs.N > mine.N) {
				mine = theirs
			}
		case l == Companies.Currency && money == takeCurrency && theirs.Set:
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

func (m *merger) moneyOf(into, other *schema.Record, prefer map[*schema.Leaf]bool) moneyRule {
	if m.kind != company || into.Get(Companies.Currency) == other.Get(Companies.Currency) || prefer[Companies.Currency] {
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
	if m.kind != company || m.rec.Get(Companies.Currency) == m.other.Get(Companies.Currency) {
		return
	}
	at := merging[m.kind].Prefer.Path + "."
	for i, l := range m.rec.Leaves {
		if l.Kind != schema.Money {
			continue
		}
		mine, theirs := m.rec.Values[i], m.other.Values[i]
		switch currency := m.prefer[Companies.Currency]; {
		case currency && mine.Set && !(m.prefer[l] && theirs.Set):
			m.wrong.Add(at+Companies.Currency.Path, "not_allowed", "is not that of "+l.Path+"; prefer the other's of that as well")
		case !currency && m.prefer[l] && theirs.Set && hasMoney(m.rec):
			m.wrong.Add(at+l.Path, "not_allowed", "is in another currency; prefer the other's currency as well")
		}
	}
}

// unite puts the tags of both together, those that differ only in case or accents once.
func unite(mine, theirs schema.Value) schema.Value {
	tags := body.Strings(mine)
	before := len(tags)
	for _, tag := range body.Strings(theirs) {
		same := func(other string) bool { return query.Fold(other) == query.Fold(tag) }
		if len(tags) < body.MaxTags && !slices.ContainsFunc(tags, same) {
			tags = append(tags, tag)
		}
	}
	if len(tags) == before {
		return mine
	}
	return schema.TextValue(schema.Tags, string(inOrder(tags)))
}

// lost is what the survivor does not have of a field: the other's value, or its own where that of the other was preferred.
func (m *merger) lost(l *schema.Leaf, mine, theirs, now schema.Value) schema.Value {
	none := schema.Absent(l.Kind)
	of := func(v schema.Value) bool { return v.Set && (v.UUID() == m.rec.ID() || v.UUID() == m.other.ID()) }
	if l == Contacts.Name && !m.prefer[l] { // it follows its parts
		mine = now
	}
	switch {
	case !m.kind.merges(l) || l == m.kind.Common.ExternalID || l == Contacts.DoNotContact || l == Contacts.LastContactedAt || l == Companies.LastContactedAt:
		return none
	case l == m.kind.Common.Tags:
		has := body.Strings(now)
		rest := slices.DeleteFunc(body.Strings(theirs), func(tag string) bool {
			return slices.ContainsFunc(has, func(other string) bool { return query.Fold(other) == query.Fold(tag) })
		})
		if len(rest) == 0 {
			return none
		}
		return schema.TextValue(schema.Tags, string(inOrder(rest)))
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

// parent is that of the survivor, where companies are merged. No company comes to be its own: where the survivor was below the other, it takes the other's place; where the
// other was below, the survivor keeps its own.
func (m *merger) parent() (schema.Value, error) {
	if m.kind != company {
		return schema.Value{}, nil
	}
	mine, theirs := m.rec.Get(Companies.ParentCompanyID), m.other.Get(Companies.ParentCompanyID)
	below, err := m.leadsUp(mine, m.other.ID())
	if err != nil {
		return mine, err
	}
	if below {
		return theirs, nil
	}
	preferred := m.prefer[Companies.ParentCompanyID]
	if !theirs.Set || mine.Set && !preferred {
		return mine, nil
	}
	above, err := m.leadsUp(theirs, m.rec.ID())
	if err != nil {
		return mine, err
	}
	if !above {
		return theirs, nil
	}
	if preferred {
		m.wrong.Add(merging[m.kind].Prefer.Path+"."+Companies.ParentCompanyID.Path, "not_allowed", "a company cannot be its own parent, directly or through others")
	}
	return mine, nil
}

// leadsUp tells whether one comes to a company from another by going from parent to parent.
func (w *write) leadsUp(from schema.Value, to schema.UUID) (bool, error) {
	for range maxParents + 1 {
		if !from.Set || from.UUID() == to {
			return from.Set, nil
		}
		above, err := w.find(company, from.UUID())
		if above == nil {
			return false, err
		}
		from = above.Get(Companies.ParentCompanyID)
	}
	return false, nil
}

// undo is what a merge changed in the survivor.
type undo struct {
	// Prefer are the fields of which the other's value was preferred, and Changes what was there and what came to be, in the form in which documents keep it; absent is left
	// out. Fields that the business added are named by their members, which stay when they are called otherwise.
	Prefer  []string           `json:"prefer,omitempty"`
	Changes map[string]changed `json:"changes,omitempty"`
}

// changed is a change of a value, and where the change log ended when it was noted: references that were moved before that are in it as they were moved.
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

// undo notes what the merge changed in the survivor.
func (m *merger) undo() undo {
	u := undo{Changes: map[string]changed{}}
	for l := range m.prefer {
		u.Prefer = append(u.Prefer, keptAs(l))
	}
	slices.Sort(u.Prefer)
	for i, l := range m.rec.Leaves {
		if from, to := m.old.Values[i], m.rec.Values[i]; from != to {
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
