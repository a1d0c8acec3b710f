package record

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// Mutation is one change of one record under way: what was there, what will be, and what is wrong with it.
type Mutation struct {
	*store.Tx
	Engine *Engine
	Who    *Principal
	Kind   *Kind
	// action is create, update, delete, restore or the name of an action path.
	Action string
	Old    *schema.Record
	Rec    *schema.Record
	given  *body.Changes
	Wrong  problem.Fields
	// made is another record that an action made, which is its outcome.
	Made *schema.Record
	// Noted has an entry be written to the log although no field changes.
	Noted bool
	// Beside is what is answered beside the record, see Outcome.
	Beside []Told
	// Carried gives a record that an archive brings what happened to it where it was, and one whose changes are taken back what it had
	// before them. It is nil for all others.
	Carried func() error
}

// Gave tells whether the request itself set a field.
func (w *Mutation) Gave(l *schema.Leaf) bool { return w.given != nil && w.given.Has(l) }

// undoes tells that the write takes a change back: all that the change did is in the log, so nothing is derived anew.
func (w *Mutation) Undoes() bool { return w.Carried != nil && w.Old != nil }

// Changed tells whether a field differs from what was there.
func (w *Mutation) Changed(l *schema.Leaf) bool {
	return w.Old == nil && w.Rec.Get(l).Set || w.Old != nil && w.Old.Get(l) != w.Rec.Get(l)
}

// How many bytes the folded form of a text may have. PostgreSQL's index entries are bounded; and a cursor, which carries the value that
// a page ended with, must fit into a request. Only a few characters, such as U+FDFA, fold into many.
const (
	maxKey    = 1024
	maxFolded = 4 * body.MaxLongText
)

func checkFolded(l *schema.Leaf, v schema.Value, wrong *problem.Fields) {
	longest := maxFolded
	mayBeIndexed := l.Member != "" && l.Kind == schema.Text // as an added one may come to be
	if l.Find.Indexed || l.Find.Sorted || l.Identity.Unique || mayBeIndexed {
		longest = maxKey
	}
	if !v.Set || l.Key == "" {
		return
	}
	// What expands far beyond that need not be folded, which takes long, to be told.
	if most := 2*longest + len(v.S); longest == maxFolded && query.Expansion(v.S, most) > most || len(query.Key(l, v.S)) > longest {
		wrong.Add(l.Path, "too_long", "must have at most "+strconv.Itoa(longest)+" bytes in its plain form")
	}
}

// Decode reads a body for creation or patching of a record as the business has it, reporting every field that is wrong by itself.
func (k *Kind) Decode(res *schema.Resource, n *body.Node, creating bool) (*body.Changes, error) {
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	changes := body.Decode(object, &res.Shape, creating, "", &wrong)
	if creating {
		for i, l := range res.Leaves {
			if l.Needed() && !changes.Given[i] && !wrong.Has(l.Path) {
				wrong.Add(l.Path, "required", "must be given")
			}
		}
	}
	for _, l := range k.Leaves {
		// What is stored is known to be right, so the merged document can be wrong only where the patch is.
		if patch, ok := changes.Documents[l.Path]; ok && !wrong.Has(l.Path) {
			k.document(l)(body.Merge(body.Node{}, patch), &wrong)
		}
	}
	for i, l := range res.Leaves {
		checkFolded(l, changes.Values[i], &wrong)
	}
	return changes, wrong.Err()
}

// NewRecord begins a creation: the given values, the defaults, and what kith fills in itself.
func (e *Engine) NewRecord(tx *store.Tx, who *Principal, k *Kind, changes *body.Changes) *Mutation {
	w := &Mutation{Tx: tx, Engine: e, Who: who, Kind: k, Action: "create", given: changes, Rec: schema.NewRecord(changes.Shape)}
	for i, l := range changes.Leaves {
		switch {
		case changes.Values[i].Set:
			w.Rec.Values[i] = changes.Values[i]
		case l.Default != "" && !changes.Given[i]:
			w.Rec.Values[i] = defaultValue(l)
		}
	}
	now := schema.TimeValue(tx.Now)
	w.Rec.Put(k.Common.ID, schema.IDValue(tx.NewID()))
	w.Rec.Put(k.Common.CreatedAt, now)
	w.Rec.Put(k.Common.CreatedBy, schema.IDValue(who.User))
	w.Rec.Put(k.Common.UpdatedAt, now)
	w.Rec.Put(k.Common.UpdatedBy, schema.IDValue(who.User))
	w.Rec.Put(k.Common.Version, schema.IntValue(schema.Integer, 1))
	if !w.Rec.Get(k.Common.OwnerID).Set {
		w.Rec.Put(k.Common.OwnerID, schema.IDValue(who.User))
	}
	if k.States != nil && !w.Rec.Get(k.States.Leaf).Set {
		w.Rec.PutText(k.States.Leaf, k.States.Initial)
	}
	return w
}

func (w *Mutation) Create(reach Reach) (*schema.Record, error) {
	if err := w.Settle(); err != nil {
		return nil, err
	}
	if reach == Own && !w.Who.Owns(&w.Kind.Resource, w.Rec) {
		return nil, problem.New(problem.ForbiddenByRole, "The role %s allows write only on one's own %s.", w.Who.Role.Name, w.Kind.Plural)
	}
	if err := w.Insert(w.Who.Resource(w.Kind), w.Rec, w.Action); err != nil {
		return nil, err
	}
	return w.done()
}

func defaultValue(l *schema.Leaf) schema.Value {
	if l.Member != "" {
		return addedDefault(l)
	}
	switch l.Kind {
	case schema.Bool:
		return schema.BoolValue(l.Default == "true")
	case schema.Money, schema.Quantity, schema.Percent:
		n, err := schema.ParseDecimal(l.Default)
		if err != nil {
			panic(err)
		}
		return schema.IntValue(l.Kind, n)
	default:
		return schema.TextValue(l.Kind, l.Default)
	}
}

func (w *Mutation) done() (*schema.Record, error) {
	if w.Kind.Written != nil {
		if err := w.Kind.Written(w); err != nil {
			return nil, err
		}
	}
	if w.Engine.Noticed != nil {
		if err := w.Engine.Noticed(w); err != nil {
			return nil, err
		}
	}
	return lapsed(w.Rec, w.Now), nil
}

// lapsed gives the record with the state that the day has moved on, as any later read does.
func lapsed(rec *schema.Record, now time.Time) *schema.Record {
	for _, l := range rec.Leaves {
		if l.Lapse == nil || rec.Values[l.Index].S != l.Lapse.From {
			continue
		}
		if day := rec.Values[l.Lapse.After.Index]; day.Set && day.N < schema.DateValue(now).N {
			rec = rec.Clone()
			rec.PutText(l, l.Lapse.To)
		}
	}
	return rec
}

// Settle completes the record to be written and holds it to all rules: documents, references, the kind's own rules, what is required,
// unique values.
func (w *Mutation) Settle() error {
	if w.given != nil {
		w.mergeDocuments()
	}
	for i, l := range w.Kind.Leaves {
		if l.Derived && l.Default != "" && !w.Rec.Values[i].Set {
			w.Rec.Values[i] = defaultValue(l)
		}
	}
	if err := w.checkReferences(); err != nil {
		return err
	}
	w.checkChosen()
	if err := w.ruled(); err != nil {
		if len(w.Wrong) > 0 && problem.As(err) != nil {
			return w.Wrong.Err()
		}
		return err
	}
	if w.Carried != nil {
		if err := w.Carried(); err != nil {
			return err
		}
	}
	for i, l := range w.Kind.Leaves {
		// What another wrong field kept from being derived is not the caller's fault.
		if l.Required && !w.Rec.Values[i].Set && !w.Wrong.Has(l.Path) && !(l.Derived && len(w.Wrong) > 0) {
			w.Wrong.Add(l.Path, "required", "must be given")
		}
	}
	for i, l := range w.Kind.Leaves {
		if l.Derived && !w.Gave(l) {
			checkFolded(l, w.Rec.Values[i], &w.Wrong)
		}
	}
	if err := w.Wrong.Err(); err != nil {
		return err
	}
	if err := w.checkState(); err != nil {
		return err
	}
	return w.CheckUnique()
}

// ruled lets the kind complete the record, say what is wrong with it, and do what else the write takes.
func (w *Mutation) ruled() error {
	if w.Kind.Prepare != nil {
		if err := w.Kind.Prepare(w); err != nil {
			return err
		}
	}
	if w.Kind.Validate != nil {
		if err := w.Kind.Validate(w.Proposed()); err != nil {
			return err
		}
	}
	if w.Kind.Writing == nil || len(w.Wrong) > 0 {
		return nil
	}
	return w.Kind.Writing(w)
}

func (w *Mutation) mergeDocuments() {
	for name, patch := range w.given.Documents {
		l := w.Kind.Must(name)
		old := body.Node{Kind: body.Object}
		if w.Old != nil {
			if n, err := body.Parse([]byte(w.Old.Text(l))); err == nil && n != nil {
				old = *n
			}
		}
		merged := body.Merge(old, patch)
		w.Rec.Values[l.Index] = schema.TextValue(l.Kind, w.Kind.document(l)(merged, &w.Wrong))
	}
}

func (k *Kind) document(l *schema.Leaf) func(n body.Node, wrong *problem.Fields) string {
	if check := k.Documents[l]; check != nil {
		return check
	}
	return noCustomFields
}

// noCustomFields holds where the business has added no fields to the resource: any key is unknown.
func noCustomFields(n body.Node, wrong *problem.Fields) string {
	for _, m := range n.Members {
		wrong.Add("custom_fields."+m.Name, "unknown_field", "no such custom field is defined")
	}
	return ""
}

// checkReferences makes sure that what the record newly points to exists and may be read.
func (w *Mutation) checkReferences() error {
	for i, l := range w.Rec.Leaves {
		v := w.Rec.Values[i]
		if l.Target == nil || l.ReadOnly || !v.Set || w.Old != nil && w.Old.Values[i] == v {
			continue
		}
		if l.Target.Name == UserName && v.UUID() == w.Who.User {
			continue // the acting user exists
		}
		target, err := w.Peek(l.Target, v.UUID())
		// What was deleted is referred to as before, unless it is part of another record by now.
		if errors.Is(err, store.ErrNotFound) && w.Undoes() {
			if target, err = w.Get(l.Target, v.UUID(), true); err == nil && l.Target.Life.Merges && target.Get(l.Target.MergedInto).Set {
				err = store.ErrNotFound
			}
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err != nil || w.Who.Reaches(l.Target, target, Read, All) != nil {
			if err := w.Lacks(l.Path, l.Target, v.UUID()); err != nil {
				return err
			}
			continue
		}
		if l == w.Kind.Common.OwnerID || slices.Contains(w.Kind.Owners, l) {
			if why := KindOf(l.Target.Name).cannotOwn(target); why != "" {
				w.Wrong.Add(l.Path, "not_allowed", why)
			}
		}
	}
	return nil
}

func (w *Mutation) checkState() error {
	s := w.Kind.States
	if s == nil || w.Old == nil || w.Undoes() { // a state may go back where no move leads
		return nil
	}
	from, to := w.Old.Text(s.Leaf), w.Rec.Text(s.Leaf)
	if from == to {
		return nil
	}
	for _, m := range s.Moves {
		if m.To == to && slices.Contains(m.From, from) && (m.ByPatch && w.Action == "update" || m.Name == w.Action) {
			return nil
		}
	}
	return w.Kind.ForbiddenMove(from, to)
}

// ForbiddenMove says that no move leads from a state to another, and which do.
func (k *Kind) ForbiddenMove(from, to string) error {
	moves := k.States.From(from)
	detail := "A " + k.Name + " that is " + from + " cannot become " + to + "."
	if len(moves) == 0 {
		detail += " No move leads out of this state."
	} else {
		detail += " Possible moves: " + strings.Join(moves, ", ") + "."
	}
	return &problem.Problem{Code: problem.InvalidTransition, Detail: detail, Allowed: moves}
}

// move makes the declared move of the action that is under way. It reports false where there is nothing left to do.
func (w *Mutation) Move() (bool, error) {
	s := w.Kind.States
	from := w.Rec.Text(s.Leaf)
	to := ""
	for _, m := range s.Moves {
		if m.Name != w.Action {
			continue
		}
		to = m.To
		if m.To == from || slices.Contains(m.Done, from) {
			return false, nil
		}
		if slices.Contains(m.From, from) {
			w.Rec.PutText(s.Leaf, m.To)
			return true, nil
		}
	}
	return false, w.Kind.ForbiddenMove(from, to)
}

func (w *Mutation) CheckUnique() error {
	res := w.Who.Resource(w.Kind)
	for i, l := range w.Rec.Leaves {
		v := w.Rec.Values[i]
		if !l.Identity.Unique || !v.Set || w.Old != nil && w.Old.Live() && w.Old.Values[i] == v {
			continue
		}
		id, taken, err := w.Taken(res, l, v, w.Rec.ID())
		if err != nil {
			return err
		}
		if taken {
			other, err := w.Lookup(w.Kind, id)
			if err != nil {
				return err
			}
			return w.Kind.heldByAnother(l, w.Who.Existing(&w.Kind.Resource, other))
		}
	}
	return nil
}

// heldByAnother says that a unique value is taken, and by whom to those who may know.
func (k *Kind) heldByAnother(l *schema.Leaf, existing string) error {
	taken := NotUnique(l, "is held by another "+k.Name, "Another "+k.Name+" has this "+l.Path+".")
	taken.ExistingID = existing
	return taken
}

// NotUnique says what is wrong with a field whose value another record has.
func NotUnique(l *schema.Leaf, wrong, detail string) *problem.Problem {
	return &problem.Problem{
		Code: problem.Conflict, Detail: detail, Fields: []problem.Field{{Field: l.Path, Code: "not_unique", Message: wrong}},
	}
}

// IfMatch is the precondition of a write: the versions that the caller knows. Empty means none.
type IfMatch []int64

// mostChanges is how many changes somebody is told of whose version is no longer the current one.
const mostChanges = 50

func (m IfMatch) Check(tx *store.Tx, who *Principal, res *schema.Resource, rec *schema.Record) error {
	version := rec.Version()
	if m == nil || slices.Contains(m, version) {
		return nil
	}
	p := problem.New(problem.PreconditionFailed, "The %s is at version %d, not the one in If-Match.", res.Name, version)
	p.CurrentVersion = version
	if len(m) == 0 || res != Business && !who.MayRead(res, rec) {
		return p
	}
	known := slices.Max(m)
	err := tx.History(res, rec.ID(), tx.Now, func(c store.Change) bool {
		if c.Version <= known {
			return false
		}
		if len(p.Changes) == mostChanges {
			p.ChangesOmitted = c.Version - known
			return false
		}
		p.Changes = append(p.Changes, c.Told())
		return true
	})
	if err != nil {
		return err
	}
	return p
}

// Save writes what differs between the old and the new state.
func (w *Mutation) Save() (*schema.Record, error) {
	if slices.Equal(w.Old.Values, w.Rec.Values) && w.Rec.Once == nil && !w.Noted {
		return w.Old, nil
	}
	w.Rec.Put(w.Kind.Common.UpdatedAt, schema.TimeValue(w.Now))
	w.Rec.Put(w.Kind.Common.UpdatedBy, schema.IDValue(w.Who.User))
	w.Rec.Put(w.Kind.Common.Version, schema.IntValue(schema.Integer, w.Old.Version()+1))
	if err := w.Update(w.Who.Resource(w.Kind), w.Old, w.Rec, w.Action); err != nil {
		return nil, err
	}
	if err := w.carry(); err != nil {
		return nil, err
	}
	return w.done()
}

// carry lets what links the record to others follow it to the bin, and back.
func (w *Mutation) carry() error {
	if len(w.Kind.Links) == 0 || w.Old.Live() == w.Rec.Live() {
		return nil
	}
	for _, k := range kinds {
		if k.Accompany != nil {
			if err := k.Accompany(w); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Mutation) patch() error {
	for i, given := range w.given.Given {
		if given {
			w.Rec.Values[i] = w.given.Values[i]
		}
	}
	if w.Kind.Patched != nil {
		if err := w.Kind.Patched(w); err != nil {
			return err
		}
	}
	if w.Kind.Announce != nil {
		w.Kind.Announce(w)
	}
	if slices.Equal(w.Old.Values, w.Rec.Values) && len(w.given.Documents) == 0 {
		return nil
	}
	return w.Settle()
}

func (w *Mutation) remove() error {
	if w.Kind.Removing != nil {
		if err := w.Kind.Removing(w); err != nil {
			return err
		}
	}
	if err := w.checkUnreferenced(); err != nil {
		return err
	}
	w.Rec.Put(w.Kind.Common.DeletedAt, schema.TimeValue(w.Now))
	return nil
}

// checkUnreferenced keeps settings from being deleted while live records need them.
func (w *Mutation) checkUnreferenced() error {
	for _, res := range Registry.Resources {
		for _, l := range res.Leaves {
			if l.Target != &w.Kind.Resource || !l.Ref.Restrict {
				continue
			}
			found, err := w.Find(res, 1, store.Equal(l, w.Rec.Get(w.Kind.Common.ID)))
			if err != nil {
				return err
			}
			if len(found) > 0 {
				return &problem.Problem{
					Code: problem.Conflict, Detail: "The " + strings.ReplaceAll(w.Kind.Name, "_",
						" ") + " is in use by " + res.Plural + "; change those first.",
					ExistingID: w.Who.Existing(res, found[0]),
				}
			}
		}
	}
	return nil
}

func (w *Mutation) restore() error {
	if w.Old.Live() {
		return nil
	}
	if l := w.Kind.MergedInto; l != nil && w.Old.Get(l).Set {
		return w.mergedAlready()
	}
	w.Rec.Put(w.Kind.Common.DeletedAt, schema.Absent(schema.Time))
	if err := w.CheckNeeded(); err != nil {
		return err
	}
	return w.CheckUnique()
}

// CheckNeeded keeps a record in the bin while what it needs is deleted: the counterpart of checkUnreferenced.
func (w *Mutation) CheckNeeded() error {
	for i, l := range w.Kind.Leaves {
		if !l.Ref.Restrict || !w.Rec.Values[i].Set {
			continue
		}
		needed, err := w.Lookup(KindOf(l.Target.Name), w.Rec.Values[i].UUID())
		if err != nil {
			return err
		}
		if needed == nil {
			if needed, err = w.Get(l.Target, w.Rec.Values[i].UUID(), true); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			return &problem.Problem{
				Code: problem.Conflict, Detail: "The " + strings.ReplaceAll(l.Target.Name, "_",
					" ") + " of this " + w.Kind.Name + " is deleted; restore that first.",
				ExistingID: w.Who.Existing(l.Target, needed),
			}
		}
	}
	if w.Kind.Restoring != nil {
		return w.Kind.Restoring(w)
	}
	return nil
}

// PlaceLast gives a record the last position of its kind, where it has none.
func (w *Mutation) PlaceLast(position *schema.Leaf) error {
	if w.Rec.Get(position).Set {
		return nil
	}
	last, err := w.Highest(&w.Kind.Resource, position)
	w.Rec.Put(position, schema.IntValue(schema.Integer, last.N+1))
	return err
}

// Also begins the change of another record that belongs to this one.
func (w *Mutation) Also(k *Kind, action string, rec *schema.Record) *Mutation {
	return Change(w.Engine, w.Tx, w.Who, k, action, rec)
}

// Change begins the change of a record.
func Change(e *Engine, tx *store.Tx, who *Principal, k *Kind, action string, rec *schema.Record) *Mutation {
	return &Mutation{Tx: tx, Engine: e, Who: who, Kind: k, Action: action, Old: rec, Rec: rec.Clone()}
}

// Touch changes another record as an effect of this write, without asking for a permission on it.
func (w *Mutation) Touch(k *Kind, rec *schema.Record, edit func(*schema.Record)) error {
	other := w.Also(k, Update, rec)
	edit(other.Rec)
	_, err := other.Save()
	return err
}

// Lookup reads a record that this write needs, or nil.
func (w *Mutation) Lookup(k *Kind, id schema.UUID) (*schema.Record, error) {
	rec, err := w.Peek(w.Who.Resource(k), id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return rec, err
}
