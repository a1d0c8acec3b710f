package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/merged"
)

// planUnmerge plans to take a merge back. It needs write on both records.
func planUnmerge(p record.Plan) (record.Step, error) {
	args, err := record.Given(p.Body, p.Kind.Arguments(p.Name))
	if err != nil {
		return nil, err
	}
	return p.Alter(nil, func(w *record.Mutation) error {
		m := merger{Mutation: w, res: p.Res}
		return m.unmerge(args.Get(p.Kind.Unmerging.OtherID).UUID())
	})
}

func (m *merger) unmerge(id schema.UUID) error {
	res := &m.Kind.Resource
	was, err := m.findMerged(id)
	if err != nil {
		return err
	}
	if err := m.revert(was); err != nil {
		return err
	}
	if err := m.moveBack(was); err != nil {
		return err
	}
	if err := m.keepUnderParent(); err != nil {
		return err
	}
	// The survivor goes first, because the other takes back what only one can have.
	m.Noted = true
	m.Note(record.MergedID, schema.FormatID(m.Kind.Name, id), "")
	rec, err := m.Save()
	if err != nil {
		return err
	}
	m.Old, m.Rec, m.Noted = rec, rec.Clone(), false
	back := m.Also(m.Kind, record.Unmerge, m.other)
	back.Rec.Put(m.Kind.Common.DeletedAt, schema.Absent(schema.Time))
	back.Rec.Put(m.Kind.MergedInto, schema.Absent(schema.ID))
	if err := back.CheckNeeded(); err != nil {
		return err
	}
	if err := back.CheckUnique(); err != nil {
		return err
	}
	other, err := back.Save()
	if err != nil {
		return err
	}
	left := []byte{'['}
	for i, l := range m.left {
		left = schema.AppendComma(left, i)
		left = append(schema.AppendString(append(schema.AppendString(append(left, `{"id":`...), l.id), `,"field":`...), l.field), '}')
	}
	m.Beside = []record.Told{{Name: "other", JSON: m.Who.Answer(nil, m.Kind, other)}, {Name: "left", JSON: append(left, ']')}}
	return merged.Forget(m.Tx, res, id)
}

// findMerged finds the merge that is to be taken back, and the record that was merged, which the caller must be allowed to change.
func (m *merger) findMerged(id schema.UUID) (was *merged.Merge, err error) {
	res, field := &m.Kind.Resource, m.Kind.Unmerging.OtherID.Path
	if was, err = merged.Of(m.Tx, res, id); err != nil {
		return nil, err
	}
	through := schema.UUID{}
	if was != nil && was.Survivor != m.Rec.ID() {
		if through, err = merged.Through(m.Tx, res, id, m.Rec.ID()); err != nil {
			return nil, err
		}
	}
	if was == nil || was.Survivor != m.Rec.ID() && through == (schema.UUID{}) {
		m.Wrong.Add(field, "not_found", "no such "+m.Kind.Name+" was merged into this one")
		return nil, m.Wrong.Err()
	}
	m.other, err = m.Get(m.res, id, true)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, problem.New(problem.Conflict, "The %s that was merged is gone for good, or back already.", m.Kind.Name)
	case err != nil:
		return nil, err
	case !m.seen():
		m.Wrong.Add(field, "not_found", "no such "+m.Kind.Name+" was merged into this one")
		return nil, m.Wrong.Err()
	case through != schema.UUID{}:
		between, err := store.GetAny(m.Tx, m.res, through)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		return nil, &problem.Problem{
			Code: problem.Conflict, ExistingID: m.Who.Existing(&m.Kind.Resource, between),
			Detail: "It was merged into another " + m.Kind.Name + ", which was merged into this one with everything that it had. Unmerge " +
				"that one first, and then this one from it.",
		}
	}
	return was, m.Who.AllowOn(&m.Kind.Resource, m.other, record.Write)
}

// keepUnderParent leaves a record where it is that would be its own parent if it went back to the one that it had.
func (m *merger) keepUnderParent() error {
	l := m.Kind.Parent
	if l == nil || !m.Changed(l) {
		return nil
	}
	circle, _, err := m.Ancestry()
	if circle {
		m.Rec.Put(l, m.Old.Get(l))
		m.leave(m.Kind, m.Rec.ID(), l, true)
	}
	return err
}

// later is a merge that came after the one that is taken back.
type later struct {
	merged.Merge
	undo
}

// revert gives the fields of the survivor what they had before the merge, and then what those that were merged later give them. So
// it does not matter in which order merges are taken back: the survivor is always as if those that are taken back had never been. A
// field that somebody changed since is left.
func (m *merger) revert(was *merged.Merge) error {
	u, err := readUndo(was.Undo)
	if err != nil {
		return err
	}
	rows, err := merged.Into(m.Tx, &m.Kind.Resource, m.Rec.ID(), was.At)
	if err != nil {
		return err
	}
	since := make([]later, len(rows))
	for i, row := range rows {
		since[i].Merge = row
		if since[i].undo, err = readUndo(row.Undo); err != nil {
			return err
		}
	}
	taken := map[*schema.Leaf]bool{}
	for _, l := range m.Rec.Leaves {
		c, changed := u.Changes[keptAs(l)]
		if !changed {
			continue
		}
		from, expected, err := c.values(l)
		if err != nil {
			return err
		}
		same := true
		for _, s := range since {
			c, changed := s.Changes[keptAs(l)]
			if !changed || !same {
				continue
			}
			before, after, err := c.values(l)
			if err != nil {
				return err
			}
			if same, err = m.same(l, expected, before); err != nil {
				return err
			}
			expected = after
		}
		if same {
			if same, err = m.same(l, expected, m.Rec.Get(l)); err != nil {
				return err
			}
		}
		if !same {
			m.leave(m.Kind, m.Rec.ID(), l, m.Who.Owns(&m.Kind.Resource, m.Rec))
			continue
		}
		taken[l] = true
		if l.Follows() {
			ref := merged.Reference{Resource: &m.Kind.Resource, Leaf: l}
			if err := merged.ForgetMoved(m.Tx, ref, keptAs(l), m.Rec.ID(), c.At); err != nil {
				return err
			}
		}
		// When what it has followed comes back, it is to go with that.
		from, err = m.followed(l, from, func(other schema.UUID) error {
			return merged.RememberAlso(m.Tx, other, &m.Kind.Resource, keptAs(l), m.Rec.ID())
		})
		if err != nil {
			return err
		}
		m.Rec.Put(l, from)
	}
	if len(taken) == 0 {
		return nil
	}
	for _, s := range since {
		if err := m.replay(s, taken); err != nil {
			return err
		}
	}
	return nil
}

// replay gives some fields of the survivor what a later merge gives them now, and notes that.
func (m *merger) replay(s later, fields map[*schema.Leaf]bool) error {
	other, err := m.Get(m.res, s.Other, true)
	if errors.Is(err, store.ErrNotFound) {
		return nil // gone for good
	}
	if err != nil {
		return err
	}
	before := m.Rec.Clone()
	prefer := map[*schema.Leaf]bool{}
	for _, l := range m.Rec.Leaves {
		prefer[l] = slices.Contains(s.Prefer, keptAs(l))
	}
	m.absorb(m.Rec, other, prefer, fields)
	l := m.Kind.Parent // where there is none, it is among no fields
	if fields[l] && m.Rec.Get(l).UUID() == other.ID() {
		m.Rec.Put(l, schema.Absent(l.Kind))
	}
	if fields[l] && other.Get(l).Set && (!m.Rec.Get(l).Set || prefer[l]) {
		if circle, err := m.LeadsUp(other.Get(l), m.Rec.ID()); err != nil {
			return err
		} else if !circle {
			m.Rec.Put(l, other.Get(l))
		}
	}
	for l := range fields {
		delete(s.Changes, keptAs(l))
		if from, to := before.Get(l), m.Rec.Get(l); from != to {
			s.Changes[keptAs(l)] = m.newChanged(from, to)
		}
	}
	if undo := s.text(); undo != s.Undo {
		s.Undo = undo
		return merged.Rewrite(m.Tx, &m.Kind.Resource, s.Merge)
	}
	return nil
}

// same tells whether a field has the value that it is expected to have. A reference has followed records that were merged since.
func (m *merger) same(l *schema.Leaf, expected, value schema.Value) (bool, error) {
	if expected == value || !l.Follows() {
		return expected == value, nil
	}
	expected, err := m.followed(l, expected, nil)
	if err == nil && expected != value {
		value, err = m.followed(l, value, nil)
	}
	return expected == value, err
}

// followed is a value as it is by now: a reference has followed the records that were merged since, each of which is handed to
// through. What was merged into the survivor itself is left to replay, and what is about to come back is there.
func (m *merger) followed(l *schema.Leaf, v schema.Value, through func(other schema.UUID) error) (schema.Value, error) {
	for l.Follows() && v.Set {
		row, err := merged.Of(m.Tx, l.Target, v.UUID())
		if err != nil || row == nil || row.Survivor == m.Rec.ID() || row.Other == m.other.ID() {
			return v, err
		}
		if through != nil {
			if err := through(row.Other); err != nil {
				return v, err
			}
		}
		v = schema.IDValue(row.Survivor)
	}
	return v, nil
}

// moveBack lets what the merge moved refer to the other again, unless it refers to something else by now.
func (m *merger) moveBack(was *merged.Merge) error {
	fields, err := merged.MovedFields(m.Tx, m.other.ID())
	if err != nil {
		return err
	}
	for _, f := range fields {
		k := record.KindOf(f[0])
		switch l := k.Leaf(f[1]); {
		case l != nil && l.Format == schema.RecordID:
			err = m.textsBack(k, l)
		case l != nil:
			var left []merged.Moved
			left, err = merged.MoveBack(m.Tx, merged.Reference{Resource: &k.Resource, Leaf: l}, m.other.ID(), m.Rec.ID())
			for _, r := range left {
				m.leave(k, r.ID, l, r.Own)
			}
		default:
			err = m.addedBack(k, f[1])
		}
		if err == nil && k.Life.Merges {
			err = m.undoBack(k, f[1], was.At)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// undoBack does the same to what was kept of other merges since: where a reference of their survivor was moved, what it had before
// or after them is what it leads to again.
func (m *merger) undoBack(k *record.Kind, field string, since int64) error {
	survivors, err := merged.MovedSurvivors(m.Tx, m.other.ID(), &k.Resource, field)
	if err != nil {
		return err
	}
	self, other := schema.AppendMember(nil, m.Rec.Get(m.Kind.Common.ID)), schema.AppendMember(nil, m.other.Get(m.Kind.Common.ID))
	for _, id := range survivors {
		rows, err := merged.Into(m.Tx, &k.Resource, id, 0)
		if err != nil {
			return err
		}
		for _, row := range rows {
			u, err := readUndo(row.Undo)
			if err != nil {
				return err
			}
			c, changed := u.Changes[field]
			if !changed || c.At <= since || !bytes.Equal(c.From, self) && !bytes.Equal(c.To, self) {
				continue
			}
			for _, raw := range []*json.RawMessage{&c.From, &c.To} {
				if bytes.Equal(*raw, self) {
					*raw = other
				}
			}
			u.Changes[field] = c
			row.Undo = u.text()
			if err := merged.Rewrite(m.Tx, &k.Resource, row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *merger) leave(k *record.Kind, id schema.UUID, l *schema.Leaf, own bool) {
	if m.mayKnow(&k.Resource, own) {
		m.left = append(m.left, leftField{k.Name, schema.FormatID(k.Name, id), l.Path})
	}
}

func (m *merger) addedBack(k *record.Kind, member string) error {
	ids, err := merged.MovedRecords(m.Tx, m.other.ID(), &k.Resource, member)
	if err != nil {
		return err
	}
	self, other := m.Rec.Get(m.Kind.Common.ID), m.other.Get(m.Kind.Common.ID)
	return m.each(k, ids, member, func(rec *schema.Record, l *schema.Leaf) error {
		if rec.Get(l) != self {
			m.leave(k, rec.ID(), l, m.Who.Owns(&k.Resource, rec))
			return nil
		}
		return m.Touch(k, rec, func(r *schema.Record) { r.Put(l, other) })
	})
}

// textsBack does it for ids that are texts.
func (m *merger) textsBack(k *record.Kind, l *schema.Leaf) error {
	ids, err := merged.MovedRecords(m.Tx, m.other.ID(), &k.Resource, l.Path)
	if err != nil {
		return err
	}
	found, err := merged.Those(m.Tx, &k.Resource, ids)
	if err != nil {
		return err
	}
	self, other := schema.FormatID(m.Kind.Name, m.Rec.ID()), schema.FormatID(m.Kind.Name, m.other.ID())
	for _, rec := range found {
		if rec.Text(l) != self {
			if l != record.Associations.DeletedWith { // which is emptied when it comes back
				m.leave(k, rec.ID(), l, m.Who.Owns(&k.Resource, rec))
			}
			continue
		}
		if err := m.Touch(k, rec, func(r *schema.Record) { r.PutText(l, other) }); err != nil {
			return err
		}
	}
	return nil
}
