package crm

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/query"
	"kith/internal/schema"
	"kith/internal/store"
)

// write is one change of one record under way: what was there, what will be, and what is wrong with it.
type write struct {
	*store.Tx
	e    *Engine
	who  *Principal
	kind *Kind
	// action is create, update, delete, restore or the name of an action path.
	action string
	old    *schema.Record
	rec    *schema.Record
	given  *body.Changes
	wrong  problem.Fields
	// made is another record that an action made, which is its outcome.
	made *schema.Record
	// noted has an entry be written to the log although no field changes.
	noted bool
	// beside is what is answered beside the record, see Outcome.
	beside []byte
	// carried gives a record that an archive brings what happened to it where it was; it is nil for all others.
	carried func() error
}

// gave tells whether the request itself set a field.
func (w *write) gave(l *schema.Leaf) bool { return w.given != nil && w.given.Has(l) }

// changed tells whether a field differs from what was there.
func (w *write) changed(l *schema.Leaf) bool {
	return w.old == nil && w.rec.Get(l).Set || w.old != nil && w.old.Get(l) != w.rec.Get(l)
}

// How many bytes the folded form of a text may have. PostgreSQL's index entries are bounded; and a cursor, which carries the value that
// a page ended with, must fit into a request. Only a few characters, such as U+FDFA, fold into many.
const (
	maxKey    = 1024
	maxFolded = 4 * body.MaxLongText
)

func checkFolded(l *schema.Leaf, v schema.Value, wrong *problem.Fields) {
	longest := maxFolded
	if l.Indexed || l.Sorted || l.Unique || l.Member != "" && l.Kind == schema.Text { // an added one may come to be indexed
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

// decode reads a body for creation or patching of a record as the business has it, reporting every field that is wrong by itself.
func (k *Kind) decode(res *schema.Resource, n *body.Node, creating bool) (*body.Changes, error) {
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

// newRecord begins a creation: the given values, the defaults, and what kith fills in itself.
func (e *Engine) newRecord(tx *store.Tx, who *Principal, k *Kind, changes *body.Changes) *write {
	w := &write{Tx: tx, e: e, who: who, kind: k, action: "create", given: changes, rec: schema.NewRecord(changes.Shape)}
	for i, l := range changes.Leaves {
		switch {
		case changes.Values[i].Set:
			w.rec.Values[i] = changes.Values[i]
		case l.Default != "" && !changes.Given[i]:
			w.rec.Values[i] = defaultValue(l)
		}
	}
	now := schema.TimeValue(tx.Now)
	w.rec.Put(k.Common.ID, schema.IDValue(tx.NewID()))
	w.rec.Put(k.Common.CreatedAt, now)
	w.rec.Put(k.Common.CreatedBy, schema.IDValue(who.User))
	w.rec.Put(k.Common.UpdatedAt, now)
	w.rec.Put(k.Common.UpdatedBy, schema.IDValue(who.User))
	w.rec.Put(k.Common.Version, schema.IntValue(schema.Integer, 1))
	if !w.rec.Get(k.Common.OwnerID).Set {
		w.rec.Put(k.Common.OwnerID, schema.IDValue(who.User))
	}
	if k.States != nil && !w.rec.Get(k.States.Leaf).Set {
		w.rec.PutText(k.States.Leaf, k.States.Initial)
	}
	return w
}

func (w *write) insert(reach Reach) (*schema.Record, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	if reach == Own && !w.who.owns(&w.kind.Resource, w.rec) {
		return nil, problem.New(problem.ForbiddenByRole, "The role %s allows write only on one's own %s.", w.who.Role.Name, w.kind.Plural)
	}
	if err := w.Insert(w.who.Resource(w.kind), w.rec, w.action); err != nil {
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

// done runs what follows a write and gives the record as it is to be answered.
func (w *write) done() (*schema.Record, error) {
	if w.kind.written != nil {
		if err := w.kind.written(w); err != nil {
			return nil, err
		}
	}
	return lapsed(w.rec, w.Now), nil
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

// check completes and validates the record to be written: documents, references, the kind's own rules, what is required, unique values.
func (w *write) check() error {
	if w.given != nil {
		w.mergeDocuments()
	}
	for i, l := range w.kind.Leaves {
		if l.Derived && l.Default != "" && !w.rec.Values[i].Set {
			w.rec.Values[i] = defaultValue(l)
		}
	}
	if err := w.checkReferences(); err != nil {
		return err
	}
	w.checkChosen()
	if w.kind.prepare != nil {
		if err := w.kind.prepare(w); err != nil {
			if len(w.wrong) > 0 && problem.As(err) != nil {
				return w.wrong.Err()
			}
			return err
		}
	}
	if w.carried != nil {
		if err := w.carried(); err != nil {
			return err
		}
	}
	for i, l := range w.kind.Leaves {
		// What another wrong field kept from being derived is not the caller's fault.
		if l.Required && !w.rec.Values[i].Set && !w.wrong.Has(l.Path) && !(l.Derived && len(w.wrong) > 0) {
			w.wrong.Add(l.Path, "required", "must be given")
		}
	}
	for i, l := range w.kind.Leaves {
		if l.Derived && !w.gave(l) {
			checkFolded(l, w.rec.Values[i], &w.wrong)
		}
	}
	if err := w.wrong.Err(); err != nil {
		return err
	}
	if err := w.checkState(); err != nil {
		return err
	}
	return w.checkUnique()
}

func (w *write) mergeDocuments() {
	for name, patch := range w.given.Documents {
		l := w.kind.Must(name)
		old := body.Node{Kind: body.Object}
		if w.old != nil {
			if n, err := body.Parse([]byte(w.old.Text(l))); err == nil && n != nil {
				old = *n
			}
		}
		merged := body.Merge(old, patch)
		w.rec.Values[l.Index] = schema.TextValue(l.Kind, w.kind.document(l)(merged, &w.wrong))
	}
}

// document is the check of a Document field.
func (k *Kind) document(l *schema.Leaf) func(n body.Node, wrong *problem.Fields) string {
	if check := k.documents[l]; check != nil {
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
func (w *write) checkReferences() error {
	for i, l := range w.rec.Leaves {
		v := w.rec.Values[i]
		if l.Target == nil || l.ReadOnly || !v.Set || w.old != nil && w.old.Values[i] == v {
			continue
		}
		if l.Target.Name == "user" && v.UUID() == w.who.User {
			continue // the acting user exists
		}
		target, err := w.Peek(l.Target, v.UUID())
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err != nil || w.who.reaches(l.Target, target, Read, All) != nil {
			if err := w.lacks(l.Path, l.Target, v.UUID()); err != nil {
				return err
			}
			continue
		}
		if (l == w.kind.Common.OwnerID || l == Tasks.AssigneeID) && Suspended(target) {
			w.wrong.Add(l.Path, "not_allowed", "the user is suspended")
		}
	}
	return nil
}

// checkState holds a change of state to the declared moves.
func (w *write) checkState() error {
	s := w.kind.States
	if s == nil || w.old == nil {
		return nil
	}
	from, to := w.old.Text(s.Leaf), w.rec.Text(s.Leaf)
	if from == to {
		return nil
	}
	for _, m := range s.Moves {
		if m.To == to && slices.Contains(m.From, from) && (m.ByPatch && w.action == "update" || m.Name == w.action) {
			return nil
		}
	}
	return w.forbiddenMove(from, to)
}

func (w *write) forbiddenMove(from, to string) error {
	moves := w.kind.States.From(from)
	detail := "A " + w.kind.Name + " that is " + from + " cannot become " + to + "."
	if len(moves) == 0 {
		detail += " No move leads out of this state."
	} else {
		detail += " Possible moves: " + strings.Join(moves, ", ") + "."
	}
	return &problem.Problem{Code: problem.InvalidTransition, Detail: detail, Allowed: moves}
}

// move makes the declared move of the action that is under way. It reports false where there is nothing left to do.
func (w *write) move() (bool, error) {
	s := w.kind.States
	from := w.rec.Text(s.Leaf)
	to := ""
	for _, m := range s.Moves {
		if m.Name != w.action {
			continue
		}
		to = m.To
		if m.To == from || slices.Contains(m.Done, from) {
			return false, nil
		}
		if slices.Contains(m.From, from) {
			w.rec.PutText(s.Leaf, m.To)
			return true, nil
		}
	}
	return false, w.forbiddenMove(from, to)
}

func (w *write) checkUnique() error {
	res := w.who.Resource(w.kind)
	for i, l := range w.rec.Leaves {
		v := w.rec.Values[i]
		if !l.Unique || !v.Set || w.old != nil && w.old.Live() && w.old.Values[i] == v {
			continue
		}
		id, taken, err := w.Taken(res, l, v, w.rec.ID())
		if err != nil {
			return err
		}
		if taken {
			other, err := w.find(w.kind, id)
			if err != nil {
				return err
			}
			return w.kind.heldByAnother(l, w.who.existing(&w.kind.Resource, other))
		}
	}
	return nil
}

// heldByAnother says that a unique value is taken, and by whom to those who may know.
func (k *Kind) heldByAnother(l *schema.Leaf, existing string) error {
	return &problem.Problem{
		Code: problem.Conflict, Detail: "Another " + k.Name + " has this " + l.Path + ".", ExistingID: existing,
		Fields: []problem.Field{{Field: l.Path, Code: "not_unique", Message: "is held by another " + k.Name}},
	}
}

// IfMatch is the precondition of a write: the versions that the caller knows. Empty means none.
type IfMatch []int64

// mostChanges is how many changes somebody is told of whose version is no longer the current one.
const mostChanges = 50

func (m IfMatch) check(tx *store.Tx, who *Principal, res *schema.Resource, rec *schema.Record) error {
	version := rec.Version()
	if m == nil || slices.Contains(m, version) {
		return nil
	}
	p := problem.New(problem.PreconditionFailed, "The %s is at version %d, not the one in If-Match.", res.Name, version)
	p.CurrentVersion = version
	if len(m) == 0 || res != Business && !who.mayRead(res, rec) {
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

// save writes what differs between the old and the new state.
func (w *write) save() (*schema.Record, error) {
	if slices.Equal(w.old.Values, w.rec.Values) && w.rec.Once == nil && !w.noted {
		return w.old, nil
	}
	w.rec.Put(w.kind.Common.UpdatedAt, schema.TimeValue(w.Now))
	w.rec.Put(w.kind.Common.UpdatedBy, schema.IDValue(w.who.User))
	w.rec.Put(w.kind.Common.Version, schema.IntValue(schema.Integer, w.old.Version()+1))
	if err := w.Update(w.who.Resource(w.kind), w.old, w.rec, w.action); err != nil {
		return nil, err
	}
	if err := w.carryAssociations(); err != nil {
		return nil, err
	}
	return w.done()
}

// patch sets the given fields (JSON merge patch).
func (w *write) patch() error {
	for i, given := range w.given.Given {
		if given {
			w.rec.Values[i] = w.given.Values[i]
		}
	}
	if w.kind.patched != nil {
		if err := w.kind.patched(w); err != nil {
			return err
		}
	}
	if w.kind.told != nil {
		w.kind.told(w)
	}
	if slices.Equal(w.old.Values, w.rec.Values) && len(w.given.Documents) == 0 {
		return nil
	}
	return w.check()
}

// remove moves the record to the bin.
func (w *write) remove() error {
	if w.kind.removing != nil {
		if err := w.kind.removing(w); err != nil {
			return err
		}
	}
	if err := w.checkUnreferenced(); err != nil {
		return err
	}
	w.rec.Put(w.kind.Common.DeletedAt, schema.TimeValue(w.Now))
	return nil
}

// checkUnreferenced keeps settings from being deleted while live records need them.
func (w *write) checkUnreferenced() error {
	for _, res := range Registry.Resources {
		for _, l := range res.Leaves {
			if l.Target != &w.kind.Resource || !l.Restrict {
				continue
			}
			found, err := w.Find(res, 1, store.Equal(l, w.rec.Get(w.kind.Common.ID)))
			if err != nil {
				return err
			}
			if len(found) > 0 {
				return &problem.Problem{
					Code: problem.Conflict, Detail: "The " + strings.ReplaceAll(w.kind.Name, "_", " ") + " is in use by " + res.Plural + "; change those first.",
					ExistingID: w.who.existing(res, found[0]),
				}
			}
		}
	}
	return nil
}

// restore takes the record out of the bin.
func (w *write) restore() error {
	if w.old.Live() {
		return nil
	}
	if l := w.kind.MergedInto; l != nil && w.old.Get(l).Set {
		return w.mergedAlready()
	}
	w.rec.Put(w.kind.Common.DeletedAt, schema.Absent(schema.Time))
	if err := w.checkNeeded(); err != nil {
		return err
	}
	return w.checkUnique()
}

// checkNeeded keeps a record in the bin while what it needs is deleted: the counterpart of checkUnreferenced.
func (w *write) checkNeeded() error {
	for i, l := range w.kind.Leaves {
		if !l.Restrict || !w.rec.Values[i].Set {
			continue
		}
		needed, err := w.find(KindOf(l.Target.Name), w.rec.Values[i].UUID())
		if err != nil {
			return err
		}
		if needed == nil {
			if needed, err = w.Get(l.Target, w.rec.Values[i].UUID(), true); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			return &problem.Problem{
				Code: problem.Conflict, Detail: "The " + strings.ReplaceAll(l.Target.Name, "_", " ") + " of this " + w.kind.Name + " is deleted; restore that first.",
				ExistingID: w.who.existing(l.Target, needed),
			}
		}
	}
	if w.kind.restoring != nil {
		return w.kind.restoring(w)
	}
	return nil
}

// touch changes another record as an effect of this write, without asking for a permission on it.
func (w *write) touch(k *Kind, rec *schema.Record, edit func(*schema.Record)) error {
	other := &write{Tx: w.Tx, e: w.e, who: w.who, kind: k, action: "update", old: rec, rec: rec.Clone()}
	edit(other.rec)
	_, err := other.save()
	return err
}
