package crm

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/query"
	"kith/internal/schema"
	"kith/internal/store"
)

// The actions of resources whose records can be merged.
const (
	Merge   = "merge"
	Unmerge = "unmerge"
)

const (
	// MaxMoved is how many references and associations a merge moves at most. While it does, nobody else writes in the business, on SQLite nobody at all.
	MaxMoved = 500
	// MaxMovedWeight is about how many bytes of long texts, lines and custom fields the records may have whose references are moved: SQLite writes them anew.
	MaxMovedWeight = 8 << 20
	// MaxMerged is how many records can be merged into one, and MaxMergedWeight how many bytes of texts the two may have.
	MaxMerged       = 100
	MaxMergedWeight = 1 << 20
)

// mergeActions are what can be done to records of a resource that can be merged.
func mergeActions(resource string) []schema.Action {
	other := schema.Field{Name: "other_id", Kind: schema.ID, Ref: resource, Label: "Other", Required: true}
	prefer := schema.Field{Name: "prefer", Kind: schema.Document, Label: "Prefer", About: "The fields of which the other's value is kept: `{\"job_title\": \"other\"}`."}
	merged, unmerged := other, other
	merged.About = "The " + resource + " that becomes part of this one."
	unmerged.About = "The " + resource + " that was merged into this one."
	example := `{"other_id":"` + resource + `_01kh4xv1qcf0mvq8gk8d8mvxd9"`
	return []schema.Action{
		{Name: Merge, Body: []schema.Field{merged, prefer}, Example: example + `,"prefer":{"phone":"other"}}`, About: "Makes another " + resource + " a part of this one, with everything that refers to it."},
		{Name: Unmerge, Body: []schema.Field{unmerged}, Example: example + `}`, About: "Takes a merge back, as far as nothing has changed since."},
	}
}

// mergeArguments are the fields of the bodies of both actions.
type mergeArguments struct{ OtherID, Prefer *schema.Leaf }

var (
	merging = map[*Kind]mergeArguments{
		contact: argumentsOf[mergeArguments](contact, Merge),
		company: argumentsOf[mergeArguments](company, Merge),
	}
	unmerging = map[*Kind]struct{ OtherID *schema.Leaf }{
		contact: argumentsOf[struct{ OtherID *schema.Leaf }](contact, Unmerge),
		company: argumentsOf[struct{ OtherID *schema.Leaf }](company, Unmerge),
	}
)

// merge plans to merge another record into one. It needs write on both, and delete on the other.
func (p plan) merge() (Step, error) {
	if _, err := p.who.Allow(&p.Kind.Resource, Delete); err != nil {
		return nil, err
	}
	var wrong problem.Fields
	args, err := p.arguments(&wrong)
	if err != nil {
		return nil, err
	}
	named := merging[p.Kind]
	prefer := p.preferred(args.Documents[named.Prefer.Path], named.Prefer.Path, &wrong)
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	return p.alter(nil, func(w *write) error {
		m := merger{write: w, res: p.res, prefer: prefer}
		return m.merge(args.Get(named.OtherID).UUID())
	})
}

// preferred reads of which fields the other's value is kept.
func (p plan) preferred(n body.Node, at string, wrong *problem.Fields) map[*schema.Leaf]bool {
	prefer := map[*schema.Leaf]bool{}
	var allowed []string
	for _, l := range p.res.Leaves {
		if p.Kind.merges(l) && l != p.Kind.Common.ExternalID {
			allowed = append(allowed, l.Path)
		}
	}
	for _, m := range n.Members {
		path := at + "." + m.Name
		var leaves []*schema.Leaf
		if f := p.res.Field(m.Name); f != nil && f.Kind == schema.Group {
			leaves = p.res.Group(f)
		} else if slices.Contains(allowed, m.Name) {
			leaves = []*schema.Leaf{p.res.Leaf(m.Name)}
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
	*write
	res    *schema.Resource
	other  *schema.Record
	prefer map[*schema.Leaf]bool
	// moved counts by resource the references that were moved, as far as the caller may know.
	moved map[string]int
	// left are the fields that are not taken back, because they changed since.
	left []leftField
}

// leftField is a field of a record that a merge changed and that is not taken back.
type leftField struct{ resource, id, field string }

func (m *merger) merge(id schema.UUID) error {
	field := merging[m.kind].OtherID.Path
	if err := m.findOther(id, field); err != nil {
		return err
	}
	refs := references(&m.kind.Resource)
	links, added, err := m.measure(refs)
	if err != nil {
		return err
	}
	parent, err := m.parent()
	if err != nil {
		return err
	}
	m.checkPreferred()
	if err := m.wrong.Err(); err != nil {
		return err
	}
	m.moved = map[string]int{}
	if err := m.moveLinks(links); err != nil {
		return err
	}
	for _, ref := range refs {
		moved, err := m.MoveReferences(ref, id, m.rec.ID(), m.except(ref.Resource)...)
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
	// The other goes first, because the survivor may take over what only one can have.
	gone := m.also(Merge, m.other)
	gone.rec.Put(m.kind.Common.DeletedAt, schema.TimeValue(m.Now))
	gone.rec.Put(m.kind.MergedInto, m.rec.Get(m.kind.Common.ID))
	if _, err := gone.save(); err != nil {
		return err
	}
	m.absorb(m.rec, m.other, m.prefer, nil)
	if m.kind == company {
		m.rec.Put(Companies.ParentCompanyID, parent)
	}
	if m.kind == contact && !m.changed(Contacts.Name) {
		nameContact(m.write)
	}
	err = m.KeepMerged(&m.kind.Resource, store.Merged{
		Other: id, Survivor: m.rec.ID(), At: m.LogEnd(), ExternalID: m.other.Text(m.kind.Common.ExternalID), Undo: m.undo().text(),
	})
	m.noted = true
	m.Note(mergedID, "", schema.FormatID(m.kind.Name, id))
	m.beside = m.told()
	return err
}

// mergedID is what an entry of the log calls the record that was merged into its own.
const mergedID = "merged_id"

// also begins the change of another record of the kind that belongs to this one.
func (m *merger) also(action string, rec *schema.Record) *write {
	return &write{Tx: m.Tx, e: m.e, who: m.who, kind: m.kind, action: action, old: rec, rec: rec.Clone()}
}

// except are the two records themselves, where they may refer to each other.
func (m *merger) except(res *schema.Resource) []schema.UUID {
	if res.Name != m.kind.Name {
		return nil
	}
	return []schema.UUID{m.rec.ID(), m.other.ID()}
}

// findOther reads the other record, which the caller must be allowed to change and to delete.
func (m *merger) findOther(id schema.UUID, field string) (err error) {
	if id == m.rec.ID() {
		m.wrong.Add(field, "not_allowed", "must be another "+m.kind.Name)
		return m.wrong.Err()
	}
	m.other, err = m.Get(m.res, id, false)
	if errors.Is(err, store.ErrNotFound) || err == nil && !m.seen() {
		if err := m.lacks(field, &m.kind.Resource, id); err != nil {
			return err
		}
		return m.wrong.Err()
	}
	for _, verb := range []Verb{Write, Delete} {
		if err == nil {
			err = m.allowed(m.other, verb)
		}
	}
	return err
}

// seen tells whether the role lets the caller see the other. As with any write, the scope for reading does not matter.
func (m *merger) seen() bool {
	return m.who.reaches(&m.kind.Resource, m.other, Read, All) == nil
}

// allowed tells whether the caller may use a verb on another record of the kind.
func (m *merger) allowed(rec *schema.Record, verb Verb) error {
	reach, err := m.who.Allow(&m.kind.Resource, verb)
	if err == nil {
		err = m.who.reaches(&m.kind.Resource, rec, verb, reach)
	}
	return err
}

// references are the declared fields by which records refer to those of a resource, and follow them when they are merged.
func references(to *schema.Resource) (all []store.Reference) {
	for _, res := range Registry.Resources {
		for _, l := range res.Leaves {
			if l.Follows() && l.Target == to {
				all = append(all, store.Reference{Resource: res, Leaf: l})
			}
		}
	}
	return all
}

// measure finds out how much there is to move, and refuses what is too much for one request. It gives what is moved record by record.
func (m *merger) measure(refs []store.Reference) (links []*schema.Record, added []store.AddedReference, err error) {
	if m.old.Weight()+m.other.Weight() > MaxMergedWeight {
		return nil, nil, problem.New(problem.Conflict, "The two have more than %d bytes of text together, which is too much for a merge.", MaxMergedWeight)
	}
	had, err := m.CountMerged(&m.kind.Resource, m.rec.ID())
	if err != nil {
		return nil, nil, err
	}
	if had >= MaxMerged {
		return nil, nil, problem.New(problem.Conflict, "%d records were merged into this %s already, which is the most that can be. Merge it into the other one instead.", MaxMerged, m.kind.Name)
	}
	n, bytes, err := m.CountReferences(refs, m.other.ID(), MaxMoved+1)
	if err != nil {
		return nil, nil, err
	}
	if added, err = m.AddedReferences(m.other.ID(), MaxMoved+1); err != nil {
		return nil, nil, err
	}
	of := store.End{Resource: m.kind.Name, ID: m.other.ID()}
	for _, live := range []bool{true, false} {
		found, err := m.Links(&association.Resource, of, nil, live, MaxMoved+1)
		if err != nil {
			return nil, nil, err
		}
		links = append(links, found...)
	}
	n += len(added) + len(links)
	switch {
	case n > MaxMoved:
		return nil, nil, problem.New(problem.Conflict, "More than %d records refer to the other %s, which is the most that a merge moves. If fewer refer to this one, merge it into the other; or change some of them first.", MaxMoved, m.kind.Name)
	case bytes > MaxMovedWeight:
		return nil, nil, m.tooLarge()
	}
	return links, added, nil
}

func (m *merger) tooLarge() error {
	return problem.New(problem.Conflict, "The records that refer to the other %s are too large together for a merge. If those that refer to this one are smaller, merge it into the other; or change some of them first.", m.kind.Name)
}

// count counts a reference that was moved, for those who may read its record.
func (m *merger) count(res *schema.Resource, own bool) {
	if m.mayKnow(res, own) {
		m.moved[res.Name]++
	}
}

// mayKnow tells whether the caller may read records of a resource, be they their own or others'.
func (m *merger) mayKnow(res *schema.Resource, own bool) bool {
	onlyOwn, err := m.who.CanRead(res)
	return err == nil && (own || !onlyOwn)
}

// moveLinks lets the associations of the other become the survivor's. Those that it has itself, or that are between the two, stay with the other, and so go to the bin with it.
func (m *merger) moveLinks(links []*schema.Record) error {
	self, other := schema.FormatID(m.kind.Name, m.rec.ID()), schema.FormatID(m.kind.Name, m.other.ID())
	own, err := m.Links(&association.Resource, store.End{Resource: m.kind.Name, ID: m.rec.ID()}, nil, true, mostCarried)
	if err != nil {
		return err
	}
	// pair tells what an association is unique by: the record at its other end, and its label.
	pair := func(link *schema.Record) string {
		far := link.Text(Associations.FromID)
		if far == self {
			far = link.Text(Associations.ToID)
		}
		return far + " " + query.Fold(link.Text(Associations.Label))
	}
	has := map[string]bool{}
	for _, link := range own {
		has[pair(link)] = true
	}
	moves := map[string][]schema.UUID{}
	for _, link := range links {
		if link.Text(Associations.FromID) == self || link.Text(Associations.ToID) == self {
			continue
		}
		moved := m.also(Update, link)
		moved.kind = association
		var fields []*schema.Leaf
		for _, l := range []*schema.Leaf{Associations.FromID, Associations.ToID, Associations.DeletedWith} {
			if link.Text(l) == other {
				moved.rec.PutText(l, self)
				fields = append(fields, l)
			}
		}
		if link.Live() {
			if has[pair(moved.rec)] {
				continue
			}
			if has[pair(moved.rec)] = true; len(has) > MaxAssociations {
				return problem.New(problem.Conflict, "The two have more than %d associations together, which is the most that a record can have.", MaxAssociations)
			}
		}
		if _, err := moved.save(); err != nil {
			return err
		}
		for _, l := range fields {
			moves[l.Path] = append(moves[l.Path], link.ID())
		}
		m.count(&association.Resource, m.who.owns(&association.Resource, link))
	}
	for _, l := range association.Leaves {
		if err := m.RememberMoved(m.other.ID(), &association.Resource, l.Path, moves[l.Path]...); err != nil {
			return err
		}
	}
	return nil
}

// moveAdded lets fields that the business added refer to the survivor. The two themselves are left as they are: the one takes over what it lacks, and the other goes as it is.
func (m *merger) moveAdded(added []store.AddedReference) error {
	self, other, before := m.rec.Get(m.kind.Common.ID), m.other.Get(m.kind.Common.ID), m.Weight()
	for _, group := range byField(added) {
		k := KindOf(group[0].Resource)
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
			if m.Weight()-before > 2*MaxMovedWeight { // they were read, and are written
				return m.tooLarge()
			}
			moved = append(moved, rec.ID())
			m.count(&k.Resource, m.who.owns(&k.Resource, rec))
			return m.touch(k, rec, func(r *schema.Record) { r.Put(l, self) })
		})
		if err != nil {
			return err
		}
		if err := m.RememberMoved(m.other.ID(), &k.Resource, group[0].Member, moved...); err != nil {
			return err
		}
	}
	return nil
}

// byField puts the references by one field together.
func byField(added []store.AddedReference) (groups [][]store.AddedReference) {
	for _, ref := range added {
		at := slices.IndexFunc(groups, func(g []store.AddedReference) bool { return g[0].Resource == ref.Resource && g[0].Member == ref.Member })
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], ref)
	}
	return groups
}

// atOnce is how many records are read together.
const atOnce = 100

// each hands records, live or deleted, to a function with the leaf of an added field. It does nothing where the field is no longer there: one that was deleted keeps what it had.
func (m *merger) each(k *Kind, ids []schema.UUID, member string, do func(*schema.Record, *schema.Leaf) error) error {
	res := m.who.Resource(k)
	_, leaves := res.Document()
	at := slices.IndexFunc(leaves, func(l *schema.Leaf) bool { return l.Member == member })
	if at < 0 {
		return nil
	}
	for some := range slices.Chunk(ids, atOnce) {
		found, err := m.Those(res, some)
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

// told is what is answered of a merge beside the survivor.
func (m *merger) told() []byte {
	dst := []byte(`,"moved":{`)
	for _, res := range Registry.Resources {
		if n := m.moved[res.Name]; n > 0 {
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(append(dst, `"`+res.Name+`":`...), int64(n), 10)
		}
	}
	dst = append(dst, `},"filled":[`...)
	for i, l := range m.rec.Leaves {
		if m.old.Values[i] == m.rec.Values[i] {
			continue
		}
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		dst = schema.AppendString(dst, l.Path)
	}
	dst = append(dst, `],"lost":{`...)
	for i, l := range m.rec.Leaves {
		lost := m.lost(l, m.old.Values[i], m.other.Values[i], m.rec.Values[i])
		if !lost.Set {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = schema.AppendValue(append(schema.AppendString(dst, l.Path), ':'), l, lost)
	}
	return append(dst, '}')
}

// surviving finds the final survivors of merged records outside of a transaction.
func (c Call) surviving(ctx context.Context) surviving {
	return func(res *schema.Resource, id schema.UUID) (schema.UUID, error) {
		return c.Tenant.SurvivorOf(ctx, res, id)
	}
}

// surviving finds the record into which one was merged in the end, or none.
type surviving func(res *schema.Resource, id schema.UUID) (schema.UUID, error)

// survivor finds the record into which one was merged in the end, live or deleted, or nil where the principal may not read it.
func (p *Principal) survivor(res *schema.Resource, id schema.UUID, find surviving, get getting) (*schema.Record, error) {
	if !res.Merges {
		return nil, nil
	}
	into, err := find(res, id)
	if err != nil || into == (schema.UUID{}) {
		return nil, err
	}
	rec, err := get(res, into, false)
	if errors.Is(err, store.ErrNotFound) {
		rec, err = get(res, into, true)
	}
	if errors.Is(err, store.ErrNotFound) || err == nil && !p.mayRead(res, rec) {
		return nil, nil
	}
	return rec, err
}

// missing says that there is no such record, and into which it was merged to those who may read that.
func (p *Principal) missing(res *schema.Resource, id schema.UUID, find surviving, get getting) error {
	into, err := p.survivor(res, id, find, get)
	if err != nil {
		return err
	}
	none := notFound(res)
	if into != nil {
		none.MergedInto = schema.FormatID(res.Name, into.ID())
		none.Detail = "The " + strings.ReplaceAll(res.Name, "_", " ") + " was merged into another one."
	}
	return none
}

// lacks reports that a field leads to no record, and into which it was merged to those who may read that.
func (w *write) lacks(path string, res *schema.Resource, id schema.UUID) error {
	into, err := w.who.survivor(res, id, w.SurvivorOf, w.Get)
	if err != nil {
		return err
	}
	message := "there is no such " + strings.ReplaceAll(res.Name, "_", " ")
	if into != nil {
		message += " any more; it was merged into " + schema.FormatID(res.Name, into.ID())
	}
	w.wrong.Add(path, "not_found", message)
	return nil
}

// mergedAlready refuses to restore a record that was merged.
func (w *write) mergedAlready() error {
	refused := problem.New(problem.Conflict, "The %s was merged into another one. To have it back, unmerge it there.", w.kind.Name)
	into, err := w.who.survivor(&w.kind.Resource, w.rec.ID(), w.SurvivorOf, w.Get)
	if err != nil {
		return err
	}
	if into != nil {
		refused.MergedInto = schema.FormatID(w.kind.Name, into.ID())
	}
	return refused
}

// survivors finds the live record into which one was merged that had an external id, or none.
func (p plan) survivors(tx *store.Tx, externalID string) ([]*schema.Record, error) {
	id, err := tx.SurvivorBy(p.res, externalID)
	if err != nil || id == (schema.UUID{}) {
		return nil, err
	}
	rec, err := tx.Get(p.res, id, false)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return []*schema.Record{rec}, err
}
