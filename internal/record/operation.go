package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// The operations that every resource has, unless it says that it goes without. Those of its actions go by the actions' names.
const (
	Create  = "create"
	Update  = "update"
	Upsert  = "upsert"
	Remove  = "delete"
	Restore = "restore"
)

// Erase is the operation that removes what is known of a person for good. Its entry in the log stays, with who did it, when and why.
const Erase = "erase"

// Purge is the action under which the log tells that a record left the bin for good.
const Purge = "purge"

// What the events are called, after the resource, that tell that a record was removed for good.
const (
	Erased = "erased"
	Purged = "purged"
)

// Farewells are these events of a resource. They have nothing of the record but its id, and are told although it is gone.
func Farewells(resource string) []string {
	return []string{resource + "." + Erased, resource + "." + Purged}
}

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
	// MakesOnly has an upsert change nothing: a record that it finds is in the way of the one that it would make.
	MakesOnly bool
}

// Outcome is what became of an operation.
type Outcome struct {
	// Record is as it is now, or was when it was deleted.
	Record *schema.Record
	// Made tells that it was not there before, and Deleted that it is not there any more.
	Made, Deleted bool
	// Beside is what is answered beside the record, which is the member "record" then.
	Beside []Told
}

// Told is a member of an answer beside the record.
type Told struct {
	Name string
	JSON []byte
	// Of are the records whose fields it tells of, of the kind of the outcome's. It is told to those who may read all of them.
	Of []*schema.Record
}

// Step is an operation that is allowed and well-formed, and has still to be done in a transaction. It may be run more than once.
type Step func(tx *store.Tx) (Outcome, error)

// Plan checks what can be checked of an operation without a transaction: permission, and what is wrong with the input by itself.
// Where the business's records turn out to be others in the transaction than the principal knows, it is planned anew there: nothing
// is written by half of a definition.
func (e *Engine) Plan(who *Principal, op Operation) (Step, error) { return e.plan(who, op, nil) }

// plan plans an operation. What it is going to ask is added to prefetched, where that is not nil.
func (e *Engine) plan(who *Principal, op Operation, prefetched *[]store.Prefetched) (Step, error) {
	planned, err := e.PlanAs(who, op, prefetched)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) (out Outcome, err error) {
		step := planned
		if op.Kind != Field { // which asks where it needs to know: a batch of definitions would read them all for each of its operations
			informed, news, err := e.Inform(tx, who)
			if err == nil && news {
				step, err = e.PlanAs(informed, op, nil)
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

// RegisterOperation has the engine do an operation that is no simple change of one record. All are registered before it does any.
func (e *Engine) RegisterOperation(name string, planned func(Plan) (Step, error)) {
	e.operations[name] = planned
}

// PlanAs plans an operation on records as a principal knows them.
func (e *Engine) PlanAs(who *Principal, op Operation, prefetched *[]store.Prefetched) (Step, error) {
	verb := Write
	if op.Name == Remove || op.Name == Erase {
		verb = Delete
	}
	reach, err := who.Allow(&op.Kind.Resource, verb)
	if err != nil {
		return nil, err
	}
	p := Plan{e, who, op, verb, reach, who.Resource(op.Kind), prefetched}
	if planned := e.operations[op.Name]; planned != nil {
		return planned(p)
	}
	return p.act()
}

// forget leaves out of the outcome of a rehearsal what nobody can rely on: a secret that opens nothing, and a number that the next
// one takes.
func (o *Outcome) forget() {
	o.Record = o.Record.Clone()
	o.Record.Once = nil
	for i, l := range o.Record.Leaves {
		if l.Writing.Counted && o.Made {
			o.Record.Values[i] = schema.Absent(l.Kind)
		}
	}
}

// Do runs one operation in a transaction of its own, or in the call's.
func (e *Engine) Do(ctx context.Context, c Call, op Operation) (*schema.Record, error) {
	step, err := e.Plan(c.Principal, op)
	if err != nil {
		return nil, err
	}
	return c.Run(ctx, step)
}

// Run does what was planned, in a transaction of its own or in the call's.
func (c Call) Run(ctx context.Context, step Step) (*schema.Record, error) {
	var out Outcome
	err := c.Write(ctx, func(tx *store.Tx) (err error) {
		out, err = step(tx)
		return err
	})
	return out.Record, err
}

// Plan is an operation while it is checked: who does what, and how far they may.
type Plan struct {
	Engine *Engine
	Who    *Principal
	Operation
	Verb  Verb
	Reach Reach
	// Res is the kind as the business has it.
	Res *schema.Resource
	// prefetched is what others that run in the same transaction are going to ask, or nil.
	prefetched *[]store.Prefetched
}

// prefetch notes what the change is going to ask: who has its unique values, and for the records that it refers to.
func (p Plan) prefetch(changes *body.Changes) {
	if p.prefetched == nil {
		return
	}
	for i, l := range changes.Leaves {
		switch v := changes.Values[i]; {
		case !v.Set:
		case l.Identity.Unique:
			*p.prefetched = append(*p.prefetched, store.Prefetched{Resource: p.Res, Leaf: l, Value: v})
		case l.Target != nil && v.UUID() != p.Who.User:
			*p.prefetched = append(*p.prefetched, store.Prefetched{Resource: l.Target, Leaf: l.Target.Common.ID, Value: v})
		}
	}
}

func (p Plan) create() (Step, error) {
	changes, err := p.Kind.Decode(p.Res, p.Body, true)
	if err != nil {
		return nil, err
	}
	p.prefetch(changes)
	return func(tx *store.Tx) (Outcome, error) {
		return p.make(tx, changes)
	}, nil
}

func (p Plan) make(tx *store.Tx, changes *body.Changes) (Outcome, error) {
	w := p.Engine.NewRecord(tx, p.Who, p.Kind, changes)
	rec, err := w.Create(p.Reach)
	if err == nil && p.Kind.Announce != nil {
		p.Kind.Announce(w)
	}
	return Outcome{Record: rec, Made: true}, err
}

func (p Plan) update() (Step, error) {
	changes, err := p.Kind.Decode(p.Res, p.Body, false)
	if err != nil {
		return nil, err
	}
	p.prefetch(changes)
	return p.Alter(changes, (*Mutation).patch)
}

func (p Plan) remove() (Step, error) { return p.Alter(nil, (*Mutation).remove) }

func (p Plan) restore() (Step, error) {
	if err := NoFields(p.Body); err != nil {
		return nil, err
	}
	return p.Alter(nil, (*Mutation).restore)
}

// NoFields holds a body that has nothing to say to being an empty object.
func NoFields(n *body.Node) error {
	_, err := Given(n, &schema.Shape{})
	return err
}

// Given reads a body of which its shape tells all that can be wrong.
func Given(n *body.Node, shape *schema.Shape) (*body.Changes, error) {
	var wrong problem.Fields
	given, err := ReadBody(n, shape, &wrong)
	if err == nil {
		err = wrong.Err()
	}
	return given, err
}

// ReadBody reads a body of a shape, and adds to wrong what is wrong with it, or lacking.
func ReadBody(n *body.Node, shape *schema.Shape, wrong *problem.Fields) (*body.Changes, error) {
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	given := body.Decode(object, shape, true, "", wrong)
	for i, l := range shape.Leaves {
		if l.Required && !given.Given[i] && !wrong.Has(l.Path) {
			wrong.Add(l.Path, "required", "must be given")
		}
	}
	return given, nil
}

// Arguments reads the body of an action, and reports what is wrong with it.
func (p Plan) Arguments(wrong *problem.Fields) (*body.Changes, error) {
	return ReadBody(p.Body, p.Kind.Arguments(p.Name), wrong)
}

func (p Plan) act() (Step, error) {
	args, err := Given(p.Body, p.Kind.Arguments(p.Name))
	if err != nil {
		return nil, err
	}
	return p.Alter(nil, func(w *Mutation) error {
		if err := p.Kind.Acts[p.Name](w, args); err != nil || slices.Equal(w.Old.Values, w.Rec.Values) {
			return err
		}
		return w.Settle()
	})
}

// Alter plans a change of a record that is there: edit changes it, and what differs is written.
func (p Plan) Alter(given *body.Changes, edit func(w *Mutation) error) (Step, error) {
	id, err := schema.ParseID(p.Kind.Name, p.ID)
	if err != nil {
		return nil, NotFound(&p.Kind.Resource)
	}
	return func(tx *store.Tx) (Outcome, error) {
		res := p.Res
		old, err := tx.Get(res, id, false)
		if errors.Is(err, store.ErrNotFound) && p.Name == Restore {
			old, err = tx.Get(res, id, true)
		}
		if errors.Is(err, store.ErrNotFound) {
			return Outcome{}, p.Who.ExplainMissingIn(tx, res, id)
		}
		if err != nil {
			return Outcome{}, err
		}
		return p.change(tx, old, given, edit)
	}, nil
}

// change lets edit change a record, and writes what differs. A change that changes nothing raises no version.
func (p Plan) change(tx *store.Tx, old *schema.Record, given *body.Changes, edit func(w *Mutation) error) (Outcome, error) {
	if err := p.Who.Reaches(&p.Kind.Resource, old, p.Verb, p.Reach); err != nil {
		return Outcome{}, err
	}
	if err := p.Who.SeesEnds(&p.Kind.Resource, old, tx.Get); err != nil {
		return Outcome{}, err
	}
	if err := p.IfMatch.Check(tx, p.Who, &p.Kind.Resource, old); err != nil {
		return Outcome{}, err
	}
	w := p.Mutation(tx, old)
	if w.given = given; p.Name == Upsert {
		w.Action = Update
	}
	if err := edit(w); err != nil {
		return Outcome{}, p.Who.withhold(err, &p.Kind.Resource, old)
	}
	if w.Made != nil {
		return Outcome{Record: w.Made, Made: true}, nil
	}
	rec, err := w.Save()
	return Outcome{Record: rec, Deleted: p.Name == Remove, Beside: w.Beside}, err
}

// Amend lets edit change a record that was found, as a patch of given would, and writes what differs.
func (e *Engine) Amend(tx *store.Tx, who *Principal, k *Kind, rec *schema.Record, given *body.Changes, edit func(w *Mutation) error) error {
	reach, err := who.Allow(&k.Resource, Write)
	if err != nil {
		return err
	}
	p := Plan{Engine: e, Who: who, Operation: Operation{Kind: k, Name: Update}, Verb: Write, Reach: reach, Res: who.Resource(k)}
	_, err = p.change(tx, rec, given, edit)
	return err
}

// DecodeText reads JSON text for creation.
func (k *Kind) DecodeText(res *schema.Resource, text string) (*body.Changes, error) {
	n, err := body.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	return k.Decode(res, n, true)
}

// Add makes a record from JSON text inside a transaction of the operator's.
func (e *Engine) Add(tx *store.Tx, who *Principal, k *Kind, text string) (*schema.Record, error) {
	who, _, err := e.Inform(tx, who)
	if err != nil {
		return nil, err
	}
	changes, err := k.DecodeText(who.Resource(k), text)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", k.Name, text, err)
	}
	return e.NewRecord(tx, who, k, changes).Create(All)
}

// Mutation begins the change of a record that the plan is about.
func (p Plan) Mutation(tx *store.Tx, old *schema.Record) *Mutation {
	return Change(p.Engine, tx, p.Who, p.Kind, p.Name, old)
}

// UpsertBody is what the body of an upsert may have.
var UpsertBody = schema.CompileBody("upsert",
	schema.Field{Name: "match", Kind: schema.Text, Required: true, About: "The field by which the record is found."},
	schema.Field{Name: "data", Kind: schema.Document, Required: true, About: "The fields of the record, as in a creation or a patch."},
)

var Upserting = schema.FieldsOf[struct{ Match, Data *schema.Leaf }](UpsertBody)

// matching is what the body of an upsert says: by which field the record is found, and what it is to have.
type matching struct {
	by    *schema.Leaf
	value schema.Value
	data  *body.Node
}

// InData puts the fields of an error into the data that they are wrong in.
func InData(err error) error { return problem.Inside(err, "data") }

// upsert plans to change the one record that has a value, or to make it. Writes of a business take turns, so two of them make one record.
func (p Plan) upsert() (Step, error) {
	m, err := p.matching()
	if err != nil {
		return nil, err
	}
	patch, cannotChange := p.Kind.Decode(p.Res, m.data, false)
	fresh, cannotMake := p.Kind.Decode(p.Res, m.data, true)
	if cannotChange != nil && cannotMake != nil {
		return nil, InData(cannotChange) // which asks for nothing that is not given
	}
	if cannotMake == nil {
		p.prefetch(fresh)
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
		case found != nil && p.MakesOnly:
			return Outcome{}, InData(p.Kind.heldByAnother(m.by, schema.FormatID(p.Kind.Name, found.ID())))
		case found != nil && cannotChange != nil:
			return Outcome{}, InData(cannotChange)
		case found != nil:
			out, err := p.change(tx, found, patch, (*Mutation).patch)
			return out, InData(err)
		case m.by == p.Kind.Common.ID && !p.MakesOnly:
			return Outcome{}, p.Who.ExplainMissingIn(tx, &p.Kind.Resource, m.value.UUID())
		case cannotMake != nil:
			return Outcome{}, InData(cannotMake)
		}
		out, err := p.make(tx, fresh)
		return out, InData(err)
	}, nil
}

// Matchable are the fields by which an upsert can find a record of the kind, as a business has it.
func (k *Kind) Matchable(res *schema.Resource) (leaves []*schema.Leaf) {
	for _, l := range res.Leaves {
		if l == k.Common.ID || l.Identity.Unique && !l.ReadOnly || l.Identity.Matched {
			leaves = append(leaves, l)
		}
	}
	return leaves
}

// matching reads the body of an upsert.
func (p Plan) matching() (m matching, err error) {
	object, err := p.Body.Object()
	if err != nil {
		return m, err
	}
	var wrong problem.Fields
	changes := body.Decode(object, UpsertBody, true, "", &wrong)
	var allowed []string
	for _, l := range p.Kind.Matchable(p.Res) {
		allowed = append(allowed, l.Path)
		if l.Path == changes.Get(Upserting.Match).S {
			m.by = l
		}
	}
	if m.by == nil && !wrong.Has(Upserting.Match.Path) {
		wrong.Add(Upserting.Match.Path, "not_allowed",
			"must be a field by which "+p.Kind.Plural+" are matched: "+strings.Join(allowed, ", "), allowed...)
	}
	data, given := changes.Documents[Upserting.Data.Path]
	if !given && !wrong.Has(Upserting.Data.Path) {
		wrong.Add(Upserting.Data.Path, "required", "must be given")
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
func (p Plan) candidates(tx *store.Tx, m matching) ([]*schema.Record, error) {
	if m.by.Member == "" {
		return tx.Find(p.Res, mostMatches, store.Equal(m.by, m.value))
	}
	holder, held, err := tx.Taken(p.Res, m.by, m.value, schema.UUID{})
	if err != nil || !held {
		return nil, err
	}
	return tx.Find(p.Res, 1, store.Equal(p.Kind.Common.ID, schema.IDValue(holder)))
}

// Match finds the record that an upsert would change which finds it by a value, or nil.
func (e *Engine) Match(tx *store.Tx, who *Principal, k *Kind, by *schema.Leaf, value schema.Value) (*schema.Record, error) {
	p := Plan{Engine: e, Who: who, Operation: Operation{Kind: k}, Res: who.Resource(k)}
	rec, _, err := p.matches(tx, matching{by: by, value: value})
	return rec, err
}

const mostMatches = 10

// matches finds the record that an upsert is about, or nil, and tells whether that is by the external id of another one that was
// merged into it. What may not be read is not matched, but where the value is unique it is in the way.
func (p Plan) matches(tx *store.Tx, m matching) (match *schema.Record, merged bool, err error) {
	res := p.Res
	found, err := p.candidates(tx, m)
	if err != nil {
		return nil, false, err
	}
	if m.by.Identity.Exact {
		found = slices.DeleteFunc(found, func(rec *schema.Record) bool { return rec.Get(m.by) != m.value })
	}
	if len(found) == 0 && m.by == p.Kind.Common.ExternalID && p.Kind.Life.Merges {
		if found, err = p.survivors(tx, m.value.S); err != nil {
			return nil, false, err
		}
		merged = len(found) > 0
	}
	seen := slices.DeleteFunc(slices.Clone(found), func(rec *schema.Record) bool {
		return !p.Who.MayRead(res, rec) || p.Who.SeesEnds(res, rec, tx.Get) != nil
	})
	switch {
	case len(seen) == 1:
		return seen[0], merged, nil
	case len(seen) > 1:
		ambiguous := problem.New(problem.AmbiguousMatch, "%s have this %s; say by id which one is meant.",
			strconv.Itoa(len(seen))+" "+p.Kind.Plural, m.by.Path)
		for _, rec := range seen {
			ambiguous.ExistingIDs = append(ambiguous.ExistingIDs, schema.FormatID(p.Kind.Name, rec.ID()))
		}
		return nil, false, ambiguous
	case len(found) > 0 && m.by == p.Kind.Common.ID:
		return nil, false, NotFound(res)
	case len(found) > 0 && m.by.Identity.Unique:
		return nil, false, p.Kind.heldByAnother(m.by, "")
	}
	return nil, false, nil
}

// withhold takes out of a problem the state that a record is in, and what that allows, where the principal may not read the record.
func (p *Principal) withhold(err error, res *schema.Resource, rec *schema.Record) error {
	told := problem.As(err)
	if told == nil || told.Code != problem.InvalidTransition || p.MayRead(res, rec) {
		return err
	}
	return problem.New(problem.InvalidTransition, "The state that the %s is in does not allow this.",
		strings.ReplaceAll(res.Name, "_", " "))
}
