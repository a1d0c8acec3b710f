package crm

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
)

// The operations that every resource has, unless it says that it goes without. Those of its actions go by the actions' names.
const (
	Create  = "create"
	Update  = "update"
	Upsert  = "upsert"
	Remove  = "delete"
	Restore = "restore"
)

// Operation is a write of one record, as a caller asks for it.
type Operation struct {
	Kind *Kind
	// Name is create, update, upsert, delete, restore, erase, tag, or that of an action of the resource.
	Name string
	// ID is the record's; what makes a record has none.
	ID string
	// IfMatch are the versions of the record that the caller knows.
	IfMatch IfMatch
	// Body is what the caller sent, or nil.
	Body *body.Node
}

// Outcome is what became of an operation.
type Outcome struct {
	// Record is as it is now, or was when it was deleted.
	Record *schema.Record
	// Made tells that it was not there before, and Deleted that it is not there any more.
	Made, Deleted bool
	// Beside is what is answered beside the record: members of a JSON object, each with a comma before it. Then the record is the member "record".
	Beside []byte
}

// Step is an operation that is allowed and well-formed, and has still to be done in a transaction. It may be run more than once.
type Step func(tx *store.Tx) (Outcome, error)

// Plan checks what can be checked of an operation without a transaction: permission, and what is wrong with the input by itself. Where the business's records
// turn out to be others in the transaction than the principal knows, it is planned anew there: nothing is written by half of a definition.
func (e *Engine) Plan(who *Principal, op Operation) (Step, error) { return e.plan(who, op, nil) }

// plan plans an operation. What it is going to ask is added to foreseen, where that is not nil.
func (e *Engine) plan(who *Principal, op Operation, foreseen *[]store.Foreseen) (Step, error) {
	planned, err := e.planAs(who, op, foreseen)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) (out Outcome, err error) {
		step := planned
		if op.Kind != field { // which asks where it needs to know: a batch of definitions would read them all for each of its operations
			informed, news, err := e.inform(tx, who)
			if err == nil && news {
				step, err = e.planAs(informed, op, nil)
			}
			if err != nil {
				return out, err
			}
		}
		out, err = step(tx)
		if tx.Rehearsal && err == nil {
			out.forget()
		}
		return out, err
	}, nil
}

// planAs plans an operation on records as a principal knows them.
func (e *Engine) planAs(who *Principal, op Operation, foreseen *[]store.Foreseen) (Step, error) {
	verb := Write
	if op.Name == Remove || op.Name == Erase {
		verb = Delete
	}
	reach, err := who.Allow(&op.Kind.Resource, verb)
	if err != nil {
		return nil, err
	}
	p := plan{e, who, op, verb, reach, who.Resource(op.Kind), foreseen}
	switch op.Name {
	case Create:
		return p.create()
	case Update:
		return p.update()
	case Upsert:
		return p.upsert()
	case Remove:
		return p.alter(nil, (*write).remove)
	case Restore:
		return p.restore()
	case Erase:
		return p.erase()
	case Merge:
		return p.merge()
	case Unmerge:
		return p.unmerge()
	case Tag:
		return p.tag()
	default:
		return p.act()
	}
}

// forget leaves out of the outcome of a rehearsal what nobody can rely on: a secret that opens nothing, and a number that the next one takes.
func (o *Outcome) forget() {
	o.Record = o.Record.Clone()
	o.Record.Once = nil
	for i, l := range o.Record.Leaves {
		if l.Counted && o.Made {
			o.Record.Values[i] = schema.Absent(l.Kind)
		}
	}
}

// Do runs one operation in a transaction of its own, or in the call's.
func (e *Engine) Do(ctx context.Context, c Call, op Operation) (*schema.Record, error) {
	step, err := e.Plan(c.Principal, op)
	return c.run(ctx, step, err)
}

// ChangeBusiness patches the business in a transaction of its own.
func (e *Engine) ChangeBusiness(ctx context.Context, c Call, match IfMatch, n *body.Node) (*schema.Record, error) {
	step, err := e.PlanBusiness(ctx, c.Principal, match, n)
	return c.run(ctx, step, err)
}

// run does what was planned, unless that failed.
func (c Call) run(ctx context.Context, step Step, err error) (*schema.Record, error) {
	if err != nil {
		return nil, err
	}
	var out Outcome
	err = c.Write(ctx, func(tx *store.Tx) (err error) {
		out, err = step(tx)
		return err
	})
	return out.Record, err
}

// plan is an operation while it is checked: who does what, and how far they may.
type plan struct {
	e   *Engine
	who *Principal
	Operation
	verb  Verb
	reach Reach
	// res is the kind as the business has it.
	res *schema.Resource
	// foreseen is what others that run in the same transaction are going to ask, or nil.
	foreseen *[]store.Foreseen
}

// foresee notes what the change is going to ask: who has its unique values, and for the records that it refers to.
func (p plan) foresee(changes *body.Changes) {
	if p.foreseen == nil {
		return
	}
	for i, l := range changes.Leaves {
		switch v := changes.Values[i]; {
		case !v.Set:
		case l.Unique:
			*p.foreseen = append(*p.foreseen, store.Foreseen{Resource: p.res, Leaf: l, Value: v})
		case l.Target != nil && v.UUID() != p.who.User:
			*p.foreseen = append(*p.foreseen, store.Foreseen{Resource: l.Target, Leaf: l.Target.Common.ID, Value: v})
		}
	}
}

func (p plan) create() (Step, error) {
	changes, err := p.Kind.decode(p.res, p.Body, true)
	if err != nil {
		return nil, err
	}
	p.foresee(changes)
	return func(tx *store.Tx) (Outcome, error) {
		return p.make(tx, changes)
	}, nil
}

// make makes a record, and lets those know who are to hear of it.
func (p plan) make(tx *store.Tx, changes *body.Changes) (Outcome, error) {
	w := p.e.newRecord(tx, p.who, p.Kind, changes)
	rec, err := w.insert(p.reach)
	if err == nil && p.Kind.told != nil {
		p.Kind.told(w)
	}
	return Outcome{Record: rec, Made: true}, err
}

func (p plan) update() (Step, error) {
	changes, err := p.Kind.decode(p.res, p.Body, false)
	if err != nil {
		return nil, err
	}
	p.foresee(changes)
	return p.alter(changes, (*write).patch)
}

func (p plan) restore() (Step, error) {
	if err := NoFields(p.Body); err != nil {
		return nil, err
	}
	return p.alter(nil, (*write).restore)
}

// NoFields holds a body that has nothing to say to being an empty object.
func NoFields(n *body.Node) error {
	object, err := n.Object()
	if err != nil {
		return err
	}
	var wrong problem.Fields
	body.Decode(object, &schema.Shape{}, false, "", &wrong)
	return wrong.Err()
}

// arguments reads the body of an action, and reports what is wrong with it.
func (p plan) arguments(wrong *problem.Fields) (*body.Changes, error) {
	object, err := p.Body.Object()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(p.Kind.Actions, func(a schema.Action) bool { return a.Name == p.Name })
	shape := &p.Kind.Actions[at].Shape
	args := body.Decode(object, shape, true, "", wrong)
	for i, l := range shape.Leaves {
		if l.Required && !args.Given[i] && !wrong.Has(l.Path) {
			wrong.Add(l.Path, "required", "must be given")
		}
	}
	return args, nil
}

func (p plan) act() (Step, error) {
	var wrong problem.Fields
	args, err := p.arguments(&wrong)
	if err == nil {
		err = wrong.Err()
	}
	if err != nil {
		return nil, err
	}
	return p.alter(nil, func(w *write) error {
		if err := p.Kind.acts[p.Name](w, args); err != nil || slices.Equal(w.old.Values, w.rec.Values) {
			return err
		}
		return w.check()
	})
}

// alter plans a change of a record that is there: edit changes it, and what differs is written.
func (p plan) alter(given *body.Changes, edit func(w *write) error) (Step, error) {
	id, err := schema.ParseID(p.Kind.Name, p.ID)
	if err != nil {
		return nil, notFound(&p.Kind.Resource)
	}
	return func(tx *store.Tx) (Outcome, error) {
		res := p.res
		old, err := tx.Get(res, id, false)
		if errors.Is(err, store.ErrNotFound) && p.Name == Restore {
			old, err = tx.Get(res, id, true)
		}
		if errors.Is(err, store.ErrNotFound) {
			return Outcome{}, p.who.missing(res, id, tx.SurvivorOf, tx.Get)
		}
		if err != nil {
			return Outcome{}, err
		}
		return p.change(tx, old, given, edit)
	}, nil
}

// change lets edit change a record, and writes what differs. A change that changes nothing raises no version.
func (p plan) change(tx *store.Tx, old *schema.Record, given *body.Changes, edit func(w *write) error) (Outcome, error) {
	if err := p.who.reaches(&p.Kind.Resource, old, p.verb, p.reach); err != nil {
		return Outcome{}, err
	}
	if err := p.who.seesEnds(&p.Kind.Resource, old, tx.Get); err != nil {
		return Outcome{}, err
	}
	if err := p.IfMatch.check(tx, p.who, &p.Kind.Resource, old); err != nil {
		return Outcome{}, err
	}
	action := p.Name
	if action == Upsert {
		action = Update
	}
	w := &write{Tx: tx, e: p.e, who: p.who, kind: p.Kind, action: action, given: given, old: old, rec: old.Clone()}
	if err := edit(w); err != nil {
		return Outcome{}, err
	}
	if w.made != nil {
		return Outcome{Record: w.made, Made: true}, nil
	}
	rec, err := w.save()
	return Outcome{Record: rec, Deleted: p.Name == Remove, Beside: w.beside}, err
}

// UpsertBody is what the body of an upsert may have.
var UpsertBody = schema.CompileBody("upsert",
	schema.Field{Name: "match", Kind: schema.Text, Required: true, About: "The field by which the record is found."},
	schema.Field{Name: "data", Kind: schema.Document, Required: true, About: "The fields of the record, as in a creation or a patch."},
)

var upserting struct{ Match, Data *schema.Leaf }

func init() { schema.Bind(UpsertBody, &upserting) }

// matching is what the body of an upsert says: by which field the record is found, and what it is to have.
type matching struct {
	by    *schema.Leaf
	value schema.Value
	data  *body.Node
}

// inData puts the fields of an error into the data that they are wrong in.
func inData(err error) error { return problem.Inside(err, "data") }

// upsert plans to change the one record that has a value, or to make it. Writes of a business take turns, so two of them make one record.
func (p plan) upsert() (Step, error) {
	m, err := p.matching()
	if err != nil {
		return nil, err
	}
	patch, cannotChange := p.Kind.decode(p.res, m.data, false)
	fresh, cannotMake := p.Kind.decode(p.res, m.data, true)
	if cannotChange != nil && cannotMake != nil {
		return nil, inData(cannotChange) // which asks for nothing that is not given
	}
	if cannotMake == nil {
		p.foresee(fresh)
	}
	return func(tx *store.Tx) (Outcome, error) {
		found, merged, err := p.matches(tx, m)
		patch := patch
		if merged && patch != nil { // the survivor keeps its own
			patch = patch.Without(p.Kind.Common.ExternalID)
		}
		switch {
		case err != nil:
			return Outcome{}, err
		case found != nil && cannotChange != nil:
			return Outcome{}, inData(cannotChange)
		case found != nil:
			out, err := p.change(tx, found, patch, (*write).patch)
			return out, inData(err)
		case m.by == p.Kind.Common.ID:
			return Outcome{}, p.who.missing(&p.Kind.Resource, m.value.UUID(), tx.SurvivorOf, tx.Get)
		case cannotMake != nil:
			return Outcome{}, inData(cannotMake)
		}
		out, err := p.make(tx, fresh)
		return out, inData(err)
	}, nil
}

// Matchable are the fields by which an upsert can find a record of the kind, as a business has it.
func (k *Kind) Matchable(res *schema.Resource) (leaves []*schema.Leaf) {
	for _, l := range res.Leaves {
		if l == k.Common.ID || l.Unique && !l.ReadOnly || l.Matched {
			leaves = append(leaves, l)
		}
	}
	return leaves
}

// matching reads the body of an upsert.
func (p plan) matching() (m matching, err error) {
	object, err := p.Body.Object()
	if err != nil {
		return m, err
	}
	var wrong problem.Fields
	changes := body.Decode(object, UpsertBody, true, "", &wrong)
	var allowed []string
	for _, l := range p.Kind.Matchable(p.res) {
		allowed = append(allowed, l.Path)
		if l.Path == changes.Get(upserting.Match).S {
			m.by = l
		}
	}
	if m.by == nil && !wrong.Has(upserting.Match.Path) {
		wrong.Add(upserting.Match.Path, "not_allowed", "must be a field by which "+p.Kind.Plural+" are matched: "+strings.Join(allowed, ", "), allowed...)
	}
	data, given := changes.Documents[upserting.Data.Path]
	if !given && !wrong.Has(upserting.Data.Path) {
		wrong.Add(upserting.Data.Path, "required", "must be given")
	}
	if err := wrong.Err(); err != nil {
		return m, err
	}
	within, name := data, m.by.Path
	if m.by.Of != nil {
		within, _ = data.Get(m.by.Of.Name)
		name = m.by.Name
	}
	key, given := within.Get(name)
	if !given {
		key.Kind = body.Null
	}
	value, bad := body.Scalar(key, m.by)
	switch {
	case bad != nil:
		wrong.Add("data."+m.by.Path, bad.Code, bad.Message, bad.Allowed...)
	case !value.Set:
		wrong.Add("data."+m.by.Path, "required", "must be given, because it is what the record is matched by")
	}
	if m.by == p.Kind.Common.ID { // the record keeps its own
		data.Members = slices.DeleteFunc(slices.Clone(data.Members), func(member body.Member) bool { return member.Name == m.by.Path })
	}
	m.value, m.data = value, &data
	return m, wrong.Err()
}

// candidates finds the records that have the value.
func (p plan) candidates(tx *store.Tx, m matching) ([]*schema.Record, error) {
	if m.by.Member == "" {
		return tx.Find(p.res, mostMatches, store.Equal(m.by, m.value))
	}
	holder, held, err := tx.Taken(p.res, m.by, m.value, schema.UUID{})
	if err != nil || !held {
		return nil, err
	}
	return tx.Find(p.res, 1, store.Equal(p.Kind.Common.ID, schema.IDValue(holder)))
}

// mostMatches is how many records with the same value are looked at.
const mostMatches = 10

// matches finds the record that an upsert is about, or nil, and tells whether that is by the external id of another one that was merged into it. What may not be read is not
// matched, but where the value is unique it is in the way.
func (p plan) matches(tx *store.Tx, m matching) (match *schema.Record, merged bool, err error) {
	res := p.res
	found, err := p.candidates(tx, m)
	if err != nil {
		return nil, false, err
	}
	if m.by.Exact {
		found = slices.DeleteFunc(found, func(rec *schema.Record) bool { return rec.Get(m.by) != m.value })
	}
	if len(found) == 0 && m.by == p.Kind.Common.ExternalID && p.Kind.Merges {
		if found, err = p.survivors(tx, m.value.S); err != nil {
			return nil, false, err
		}
		merged = len(found) > 0
	}
	seen := slices.DeleteFunc(slices.Clone(found), func(rec *schema.Record) bool {
		return !p.who.mayRead(res, rec) || p.who.seesEnds(res, rec, tx.Get) != nil
	})
	switch {
	case len(seen) == 1:
		return seen[0], merged, nil
	case len(seen) > 1:
		ambiguous := problem.New(problem.AmbiguousMatch, "%s have this %s; say by id which one is meant.", strconv.Itoa(len(seen))+" "+p.Kind.Plural, m.by.Path)
		for _, rec := range seen {
			ambiguous.ExistingIDs = append(ambiguous.ExistingIDs, schema.FormatID(p.Kind.Name, rec.ID()))
		}
		return nil, false, ambiguous
	case len(found) > 0 && m.by == p.Kind.Common.ID:
		return nil, false, notFound(res)
	case len(found) > 0 && m.by.Unique:
		return nil, false, p.Kind.heldByAnother(m.by, "")
	}
	return nil, false, nil
}
