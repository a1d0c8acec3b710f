// Package merge makes one record of two, takes that back, and finds records that may be the same.
package merge

import (
	"errors"
	"slices"
	"strconv"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/merged"
)

const (
	// MaxMoved is how many references and associations a merge moves at most. While it does, nobody else writes in the business, on
	// SQLite nobody at all.
	MaxMoved = 500
	// MaxMovedWeight is about how many bytes of long texts, lines and custom fields the records may have whose references are
	// moved: SQLite writes them anew.
	MaxMovedWeight = 8 << 20
	// MaxMerged is how many records can be merged into one, and MaxMergedWeight how many bytes of texts the two may have.
	MaxMerged       = 100
	MaxMergedWeight = 1 << 20
)

// Register lets an engine merge records, and take that back.
func Register(e *record.Engine) {
	e.RegisterOperation(record.Merge, planMerge)
	e.RegisterOperation(record.Unmerge, planUnmerge)
}

// planMerge plans to merge another record into one. It needs write on both, and delete on the other.
func planMerge(p record.Plan) (record.Step, error) {
	if _, err := p.Who.Allow(&p.Kind.Resource, record.Delete); err != nil {
		return nil, err
	}
	var wrong problem.Fields
	args, err := p.Arguments(&wrong)
	if err != nil {
		return nil, err
	}
	named := p.Kind.Merging
	prefer := preferred(p, args.Documents[named.Prefer.Path], named.Prefer.Path, &wrong)
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	return p.Alter(nil, func(w *record.Mutation) error {
		m := merger{Mutation: w, res: p.Res, prefer: prefer}
		return m.merge(args.Get(named.OtherID).UUID())
	})
}

// preferred reads of which fields the other's value is kept.
func preferred(p record.Plan, n body.Node, at string, wrong *problem.Fields) map[*schema.Leaf]bool {
	prefer := map[*schema.Leaf]bool{}
	var allowed []string
	for _, l := range p.Res.Leaves {
		if merges(l) && l != p.Kind.Common.ExternalID {
			allowed = append(allowed, l.Path)
		}
	}
	for _, m := range n.Members {
		path := at + "." + m.Name
		var leaves []*schema.Leaf
		if f := p.Res.Field(m.Name); f != nil && f.Kind == schema.Group {
			leaves = p.Res.Group(f)
		} else if slices.Contains(allowed, m.Name) {
			leaves = []*schema.Leaf{p.Res.Leaf(m.Name)}
		}
		switch {
		case m.Again:
			wrong.Add(path, "duplicate_key", "is given more than once")
		case m.Name == p.Kind.Common.ExternalID.Path:
			wrong.Add(path, "not_allowed", "the "+p.Kind.Name+" keeps its own, and is found by that of the other as well")
		case len(leaves) == 0:
			wrong.Add(path, "unknown_field", "is not a field that can be preferred"+problem.DidYouMean(m.Name, allowed), allowed...)
		case m.Value.Kind != body.String || m.Value.Text != "other":
			wrong.Add(path, "not_allowed", "must be other", "other")
		}
		for _, l := range leaves {
			prefer[l] = true
		}
	}
	return prefer
}

// merger is a merge, or its reverse, under way: write is the survivor's.
type merger struct {
	*record.Mutation
	res    *schema.Resource
	other  *schema.Record
	prefer map[*schema.Leaf]bool
	// moved counts by resource the references that were moved, as far as the caller may know.
	moved map[string]int
	// left are the fields that are not taken back, because they changed since.
	left []leftField
}

type leftField struct{ resource, id, field string }

func (m *merger) merge(id schema.UUID) error {
	field := m.Kind.Merging.OtherID.Path
	if err := m.findOther(id, field); err != nil {
		return err
	}
	refs := references(&m.Kind.Resource)
	links, added, err := m.measure(refs)
	if err != nil {
		return err
	}
	parent, err := m.parent()
	if err != nil {
		return err
	}
	m.checkPreferred()
	if err := m.Wrong.Err(); err != nil {
		return err
	}
	m.moved = map[string]int{}
	if err := m.moveLinks(links); err != nil {
		return err
	}
	for _, ref := range refs {
		moved, err := merged.MoveReferences(m.Tx, ref, id, m.Rec.ID(), m.except(ref.Resource)...)
		if err != nil {
			return err
		}
		for _, r := range moved {
			m.count(ref.Resource, r.Own)
		}
	}
	if err := m.moveAdded(added); err != nil {
		return err
	}
	if err := m.moveGoing(); err != nil {
		return err
	}
	// The other goes first, because the survivor may take over what only one can have.
	gone := m.Also(m.Kind, record.Merge, m.other)
	gone.Rec.Put(m.Kind.Common.DeletedAt, schema.TimeValue(m.Now))
	gone.Rec.Put(m.Kind.MergedInto, m.Rec.Get(m.Kind.Common.ID))
	if _, err := gone.Save(); err != nil {
		return err
	}
	m.absorb(m.Rec, m.other, m.prefer, nil)
	if l := m.Kind.Parent; l != nil {
		m.Rec.Put(l, parent)
	}
	for l, compute := range m.Kind.Computed { // it goes on to follow the others, unless somebody gave it
		if !m.Changed(l) && m.Old.Get(l) == compute(m.Old) {
			m.Rec.Put(l, compute(m.Rec))
		}
	}
	err = merged.Add(m.Tx, &m.Kind.Resource, merged.Merge{
		Other: id, Survivor: m.Rec.ID(), At: m.LogEnd(), ExternalID: m.other.Text(m.Kind.Common.ExternalID), Undo: m.undo().text(),
	})
	m.Noted = true
	m.Note(record.MergedID, "", schema.FormatID(m.Kind.Name, id))
	m.Beside = m.told()
	return err
}

// except are the two records themselves, where they may refer to each other.
func (m *merger) except(res *schema.Resource) []schema.UUID {
	if res.Name != m.Kind.Name {
		return nil
	}
	return []schema.UUID{m.Rec.ID(), m.other.ID()}
}

// findOther reads the other record, which the caller must be allowed to change and to delete.
func (m *merger) findOther(id schema.UUID, field string) (err error) {
	if id == m.Rec.ID() {
		m.Wrong.Add(field, "not_allowed", "must be another "+m.Kind.Name)
		return m.Wrong.Err()
	}
	m.other, err = m.Get(m.res, id, false)
	if errors.Is(err, store.ErrNotFound) || err == nil && !m.seen() {
		if err := m.Lacks(field, &m.Kind.Resource, id); err != nil {
			return err
		}
		return m.Wrong.Err()
	}
	for _, verb := range []record.Verb{record.Write, record.Delete} {
		if err == nil {
			err = m.Who.AllowOn(&m.Kind.Resource, m.other, verb)
		}
	}
	return err
}

// seen tells whether the role lets the caller see the other. As with any write, the scope for reading does not matter.
func (m *merger) seen() bool {
	return m.Who.Reaches(&m.Kind.Resource, m.other, record.Read, record.All) == nil
}

// references are the declared fields by which records refer to those of a resource, and follow them when they are merged.
func references(to *schema.Resource) (all []merged.Reference) {
	for _, res := range record.Registry.Resources {
		for _, l := range res.Leaves {
			if l.Follows() && l.Target == to {
				all = append(all, merged.Reference{Resource: res, Leaf: l})
			}
		}
	}
	return all
}

// measure finds out how much there is to move, and refuses what is too much for one request. It gives what is moved record by record.
func (m *merger) measure(refs []merged.Reference) (links []*schema.Record, added []merged.AddedReference, err error) {
	if m.Old.Weight()+m.other.Weight() > MaxMergedWeight {
		return nil, nil, problem.New(problem.Conflict, "The two have more than %d bytes of text together, which is too much for a merge.",
			MaxMergedWeight)
	}
	had, err := merged.Count(m.Tx, &m.Kind.Resource, m.Rec.ID())
	if err != nil {
		return nil, nil, err
	}
	if had >= MaxMerged {
		return nil, nil, problem.New(problem.Conflict,
			"%d records were merged into this %s already, which is the most that can be. Merge it into the other one instead.", MaxMerged,
			m.Kind.Name)
	}
	n, bytes, err := merged.CountReferences(m.Tx, refs, m.other.ID(), MaxMoved+1)
	if err != nil {
		return nil, nil, err
	}
	if added, err = merged.AddedReferences(m.Tx, m.other.ID(), MaxMoved+1); err != nil {
		return nil, nil, err
	}
	of := store.End{Resource: m.Kind.Name, ID: m.other.ID()}
	for _, live := range []bool{true, false} {
		found, err := m.Links(&record.Association.Resource, of, nil, live, MaxMoved+1)
		if err != nil {
			return nil, nil, err
		}
		links = append(links, found...)
	}
	n += len(added) + len(links)
	switch {
	case n > MaxMoved:
		return nil, nil, problem.New(problem.Conflict,
			"More than %d records refer to the other %s, which is the most that a merge moves. If fewer refer to this one, merge it into "+
				"the other; or change some of them first.", MaxMoved, m.Kind.Name)
	case bytes > MaxMovedWeight:
		return nil, nil, m.tooLarge()
	}
	return links, added, nil
}

func (m *merger) tooLarge() error {
	return problem.New(problem.Conflict, "The records that refer to the other %s are too large together for a merge. If those that refer "+
		"to this one are smaller, merge it into the other; or change some of them first.", m.Kind.Name)
}

// count counts a reference that was moved, for those who may read its record.
func (m *merger) count(res *schema.Resource, own bool) {
	if m.mayKnow(res, own) {
		m.moved[res.Name]++
	}
}

// mayKnow tells whether the caller may read records of a resource, be they their own or others'.
func (m *merger) mayKnow(res *schema.Resource, own bool) bool {
	onlyOwn, err := m.Who.CanRead(res)
	return err == nil && (own || !onlyOwn)
}

// moveLinks lets the associations of the other become the survivor's. Those that it has itself, or that are between the two, stay
// with the other, and so go to the bin with it.
func (m *merger) moveLinks(links []*schema.Record) error {
	self, other := schema.FormatID(m.Kind.Name, m.Rec.ID()), schema.FormatID(m.Kind.Name, m.other.ID())
	own, err := m.Links(&record.Association.Resource, store.End{Resource: m.Kind.Name, ID: m.Rec.ID()}, nil, true, record.MostCarried)
	if err != nil {
		return err
	}
	// pair tells what an association is unique by: the record at its other end, and its label.
	pair := func(link *schema.Record) string {
		far := link.Text(record.Associations.FromID)
		if far == self {
			far = link.Text(record.Associations.ToID)
		}
		return far + " " + query.Fold(link.Text(record.Associations.Label))
	}
	has := map[string]bool{}
	for _, link := range own {
		has[pair(link)] = true
	}
	moves := map[string][]schema.UUID{}
	for _, link := range links {
		if link.Text(record.Associations.FromID) == self || link.Text(record.Associations.ToID) == self {
			continue
		}
		moved := m.Also(record.Association, record.Update, link)
		var fields []*schema.Leaf
		for _, l := range []*schema.Leaf{record.Associations.FromID, record.Associations.ToID, record.Associations.DeletedWith} {
			if link.Text(l) == other {
				moved.Rec.PutText(l, self)
				fields = append(fields, l)
			}
		}
		if link.Live() {
			if has[pair(moved.Rec)] {
				continue
			}
			if has[pair(moved.Rec)] = true; len(has) > record.MaxAssociations {
				return problem.New(problem.Conflict,
					"The two have more than %d associations together, which is the most that a record can have.", record.MaxAssociations)
			}
		}
		if _, err := moved.Save(); err != nil {
			return err
		}
		for _, l := range fields {
			moves[l.Path] = append(moves[l.Path], link.ID())
		}
		m.count(&record.Association.Resource, m.Who.Owns(&record.Association.Resource, link))
	}
	for _, l := range record.Association.Leaves {
		if err := merged.Remember(m.Tx, m.other.ID(), &record.Association.Resource, l.Path, moves[l.Path]...); err != nil {
			return err
		}
	}
	return nil
}

// moveAdded lets fields that the business added refer to the survivor. The two themselves are left as they are: the one takes over
// what it lacks, and the other goes as it is.
func (m *merger) moveAdded(added []merged.AddedReference) error {
	self, other, before := m.Rec.Get(m.Kind.Common.ID), m.other.Get(m.Kind.Common.ID), m.Weight
	for _, group := range byField(added) {
		k := record.KindOf(group[0].Resource)
		var ids []schema.UUID
		for _, ref := range group {
			if !slices.Contains(m.except(&k.Resource), ref.RecordID) {
				ids = append(ids, ref.RecordID)
			}
		}
		var moved []schema.UUID
		err := m.each(k, ids, group[0].Member, func(rec *schema.Record, l *schema.Leaf) error {
			if rec.Get(l) != other {
				return nil
			}
			if m.Weight-before > 2*MaxMovedWeight { // they were read, and are written
				return m.tooLarge()
			}
			moved = append(moved, rec.ID())
			m.count(&k.Resource, m.Who.Owns(&k.Resource, rec))
			return m.Touch(k, rec, func(r *schema.Record) { r.Put(l, self) })
		})
		if err != nil {
			return err
		}
		if err := merged.Remember(m.Tx, m.other.ID(), &k.Resource, group[0].Member, moved...); err != nil {
			return err
		}
	}
	return nil
}

// moveGoing has what is about the other be about the survivor: the newest of each kind, so that nobody is kept from merging by how
// many there are.
func (m *merger) moveGoing() error {
	self, other := schema.FormatID(m.Kind.Name, m.Rec.ID()), store.End{Resource: m.Kind.Name, ID: m.other.ID()}
	for k, l := range record.GoingWith() {
		found, err := merged.GoingWith(m.Tx, merged.Reference{Resource: &k.Resource, Leaf: l}, other, true, MaxMoved)
		if err != nil {
			return err
		}
		var moved []schema.UUID
		for _, rec := range found {
			w := m.Also(k, record.Update, rec)
			w.Rec.PutText(l, self)
			err := errors.Join(w.CheckNeeded(), w.Wrong.Err())
			if why := problem.As(err); why != nil && !why.Code.WorthRetrying() { // who follows both
				continue
			}
			if err == nil {
				_, err = w.Save()
			}
			if err != nil {
				return err
			}
			moved = append(moved, rec.ID())
			m.count(&k.Resource, m.Who.Owns(&k.Resource, rec))
		}
		if err := merged.Remember(m.Tx, other.ID, &k.Resource, l.Path, moved...); err != nil {
			return err
		}
	}
	return nil
}

func byField(added []merged.AddedReference) (groups [][]merged.AddedReference) {
	for _, ref := range added {
		at := slices.IndexFunc(groups, func(g []merged.AddedReference) bool {
			return g[0].Resource == ref.Resource &&
				g[0].Member == ref.Member
		})
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], ref)
	}
	return groups
}

const atOnce = 100

// each hands records, live or deleted, to a function with the leaf of an added field. It does nothing where the field is no longer
// there: one that was deleted keeps what it had.
func (m *merger) each(k *record.Kind, ids []schema.UUID, member string, do func(*schema.Record, *schema.Leaf) error) error {
	res := m.Who.Resource(k)
	_, leaves := res.Document()
	at := slices.IndexFunc(leaves, func(l *schema.Leaf) bool { return l.Member == member })
	if at < 0 {
		return nil
	}
	for some := range slices.Chunk(ids, atOnce) {
		found, err := merged.Those(m.Tx, res, some)
		if err != nil {
			return err
		}
		for _, rec := range found {
			if err := do(rec, leaves[at]); err != nil {
				return err
			}
		}
	}
	return nil
}

// told is what is answered of a merge beside the survivor. What it says of the fields is for those who may read both records.
func (m *merger) told() []record.Told {
	moved := []byte{'{'}
	for _, res := range record.Registry.Resources {
		if n := m.moved[res.Name]; n > 0 {
			moved = schema.AppendComma(moved, len(moved)-1)
			moved = strconv.AppendInt(append(moved, `"`+res.Name+`":`...), int64(n), 10)
		}
	}
	filled, lost := []byte{'['}, []byte{'{'}
	for i, l := range m.Rec.Leaves {
		if m.Old.Values[i] != m.Rec.Values[i] {
			filled = schema.AppendString(schema.AppendComma(filled, len(filled)-1), l.Path)
		}
		if v := m.lost(l, m.Old.Values[i], m.other.Values[i], m.Rec.Values[i]); v.Set {
			lost = append(schema.AppendString(schema.AppendComma(lost, len(lost)-1), l.Path), ':')
			lost = schema.AppendValue(lost, l, v)
		}
	}
	both := []*schema.Record{m.Old, m.other}
	return []record.Told{
		{Name: "moved", JSON: append(moved, '}')},
		{Name: "filled", JSON: append(filled, ']'), Of: both},
		{Name: "lost", JSON: append(lost, '}'), Of: both},
	}
}
