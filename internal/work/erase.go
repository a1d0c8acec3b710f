package work

import (
	"context"
	"errors"
	"slices"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/merged"
	"github.com/kith-crm/kith/internal/store/queue"
)

// EraseBody is what the body of an erasure has.
var EraseBody = schema.CompileBody("erasure",
	schema.Field{
		Name: "reason", Kind: schema.Text, Required: true, Max: schema.Bound(1000),
		About: "Why it is erased. It stays in the change log, so it must not name the person.",
	},
)

var erasing = schema.FieldsOf[struct{ Reason *schema.Leaf }](EraseBody)

// AllowErase decides whether a principal may erase what somebody may delete.
func AllowErase(p *record.Principal) error { return p.AllowFeature(record.EraseFeature, "erasing") }

// planErase plans to remove a record for good, be it live or in the bin. What else there is of it is worked off in the same
// transaction as far as that goes quickly; the rest is left to WorkOff.
func planErase(p record.Plan) (record.Step, error) {
	if err := AllowErase(p.Who); err != nil {
		return nil, err
	}
	object, err := p.Body.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	reason := body.Decode(object, EraseBody, true, "", &wrong).Get(erasing.Reason)
	if !reason.Set && !wrong.Has(erasing.Reason.Path) {
		wrong.Add(erasing.Reason.Path, "required", "must be given")
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	id, err := schema.ParseID(p.Kind.Name, p.ID)
	if err != nil {
		return nil, record.NotFound(&p.Kind.Resource)
	}
	return func(tx *store.Tx) (record.Outcome, error) {
		old, err := store.GetAny(tx, p.Res, id)
		if errors.Is(err, store.ErrNotFound) {
			return record.Outcome{}, record.NotFound(p.Res)
		}
		if err != nil {
			return record.Outcome{}, err
		}
		if err := p.Who.Reaches(&p.Kind.Resource, old, p.Verb, p.Reach); err != nil {
			return record.Outcome{}, err
		}
		if err := partOfAnother(p, tx, id); err != nil {
			return record.Outcome{}, err
		}
		if err := p.IfMatch.Check(tx, p.Who, &p.Kind.Resource, old); err != nil {
			return record.Outcome{}, err
		}
		w := p.Mutation(tx, old)
		if p.Kind.Erasing != nil {
			if err := p.Kind.Erasing(w); err != nil {
				return record.Outcome{}, err
			}
		}
		told := append([]byte(`{"`+erasing.Reason.Path+`":{"from":null,"to":`), schema.AppendValue(nil, erasing.Reason, reason)...)
		if err := tx.Remove(p.Res, old, record.Erase, string(append(told, "}}"...))); err != nil {
			return record.Outcome{}, err
		}
		gone := queue.Erasure{Resource: p.Kind.Name, ID: id, Of: id}
		err = errors.Join(merged.ForgetAll(tx, p.Res, id), tx.Scour(p.Res), queue.LoseFiles(tx), queue.AddErasure(tx, gone))
		if err != nil {
			return record.Outcome{}, err
		}
		x := &eraser{Tx: tx, e: p.Engine, who: p.Who, kind: p.Kind, of: gone}
		if err := x.work(); err != nil {
			return record.Outcome{}, err
		}
		tx.AfterCommit(func(context.Context) { p.Engine.RemovalsDue.Wake() })
		return record.Outcome{Record: old, Deleted: true}, nil
	}, nil
}

// partOfAnother refuses to erase a record that was merged into another one while that is there: the other has taken over what is
// known of the person, and is what has to be erased.
func partOfAnother(p record.Plan, tx *store.Tx, id schema.UUID) error {
	if !p.Kind.Life.Merges {
		return nil
	}
	into, err := merged.SurvivorIn(tx, &p.Kind.Resource, id)
	if err != nil || into == (schema.UUID{}) {
		return err
	}
	if _, err := store.GetAny(tx, p.Res, into); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		return err
	}
	return p.Who.ExplainMissingIn(tx, p.Res, id)
}

// WorkOff does a part of what is left to do about records that were removed for good, in each business that has such, and tells
// whether there is more. Several servers may do so at once: each takes its turn in the business, and goes on from where the last
// one got to.
func WorkOff(ctx context.Context, e *record.Engine) (more bool, err error) {
	businesses, err := queue.Erasing(ctx, e.Store())
	for _, t := range businesses {
		failed := t.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			due, err := queue.Erasures(tx, nil, "", someWork)
			done := 0
			for i := 0; i < len(due) && err == nil && spent(tx, done) < mostWork; i++ {
				tx.Actor = due[i].Actor
				var who *record.Principal
				if who, _, err = e.Inform(tx, account.SystemPrincipal(t, due[i].Actor.User)); err != nil {
					break
				}
				x := &eraser{Tx: tx, e: e, who: who, kind: record.KindOf(due[i].Resource), of: due[i], done: done}
				err = x.work()
				done = x.done + 1
			}
			return err
		})
		err, more = errors.Join(err, failed), more || failed == nil
	}
	return more, err
}

type eraser struct {
	*store.Tx
	e    *record.Engine
	who  *record.Principal
	kind *record.Kind
	of   queue.Erasure
	// done counts what was looked at or changed.
	done int
}

// How much one transaction works off, counted in records that are changed, and how many are read at once: few, because they may be
// large. Of the log, and of what only has to be looked through, more is done for the same price; what is large counts as several.
const (
	mostWork   = 100
	someWork   = 8
	muchWork   = 200
	workToLook = 10
	workBytes  = 32 << 10
)

func spent(tx *store.Tx, done int) int { return done + tx.Weight/workBytes }

// step is one thing that there is to do. It begins at a place, and gives the one to go on from: an empty one once it is done.
type step struct {
	name string
	do   func(place string) (next string, err error)
}

// moreUnless is the place of a step that has none, until it is done.
func moreUnless(done bool, err error) (next string, _ error) {
	if err != nil || done {
		return "", err
	}
	return "more", nil
}

func (x *eraser) work() error {
	steps := x.steps()
	at := max(0, slices.IndexFunc(steps, func(c step) bool { return c.name == x.of.Step }))
	place := x.of.Place
	if steps[at].name != x.of.Step { // one that this server does not know; all can be done again
		place = ""
	}
	for spent(x.Tx, x.done) < mostWork {
		next, err := steps[at].do(place)
		if err != nil {
			return err
		}
		if place = next; place != "" {
			x.done++
			continue
		}
		if at++; at == len(steps) {
			return nil // and the erasure is forgotten
		}
	}
	x.of.Step, x.of.Place = steps[at].name, place
	return queue.PutErasure(x.Tx, x.of)
}

// steps are all that there is to do about the record, in order. That it is done twice does no harm.
func (x *eraser) steps() (all []step) {
	log := step{"log", func(place string) (string, error) { return x.emptyLog(x.of.Resource, x.of.ID, place) }}
	end := step{"end", func(string) (string, error) {
		x.done += muchWork / workToLook
		done, err := queue.EndErasure(x.Tx, x.of.ID, muchWork)
		return moreUnless(done, err)
	}}
	delivered := step{"deliveries", func(place string) (string, error) {
		x.done += muchWork / workToLook
		return queue.ForgetDelivered(x.Tx, x.of.ID, record.Farewells(x.of.Resource), place, muchWork)
	}}
	if x.of.Step == purging {
		log.name = purging
		return []step{log, delivered, end}
	}
	for _, k := range record.Kinds() {
		leaves := x.references(k)
		for _, l := range leaves {
			if l.Writing.BinOnly {
				continue
			}
			all = append(all, step{"live " + k.Name + " " + l.Path, func(string) (string, error) { return x.meetLive(k, l) }})
		}
		if len(leaves) > 0 {
			all = append(all, step{"bin " + k.Name, func(place string) (string, error) { return x.meetAll(k, true, leaves, place) }})
		}
		if x.addedReference(k) {
			document, _ := x.who.Resource(k).Document()
			look := func(place string) (string, error) { return x.meetAll(k, false, []*schema.Leaf{document}, place) }
			all = append(all, step{"all " + k.Name, look})
		}
	}
	if x.kind.IsActor {
		all = append(all, step{"audit", func(string) (string, error) {
			x.done += muchWork / workToLook
			more, err := queue.ForgetAddresses(x.Tx, x.of.ID, muchWork)
			return moreUnless(!more, err)
		}})
	}
	return append(all, step{"links", func(string) (string, error) { return x.dropLinks(x.kind.Name, x.of.ID) }}, log,
		step{"company", func(string) (string, error) { return x.company() }}, step{"answers", x.cutAnswers},
		step{"refusals", func(string) (string, error) { return "", queue.ForgetRefusals(x.Tx, x.of.ID) }}, step{"imports", x.dropFiles},
		delivered, end)
}

// references are the declared leaves of a kind by which its records refer to the erased one, and lose that.
func (x *eraser) references(k *record.Kind) (leaves []*schema.Leaf) {
	if x.kind.IsActor {
		if k.GoesWithUser != nil {
			leaves = append(leaves, k.GoesWithUser)
		}
		return leaves
	}
	for _, l := range k.Leaves {
		if l.Target == &x.kind.Resource {
			leaves = append(leaves, l)
		}
	}
	return leaves
}

func (x *eraser) addedReference(k *record.Kind) bool {
	_, added := x.who.Resource(k).Document()
	return !x.kind.IsActor && slices.ContainsFunc(added,
		func(l *schema.Leaf) bool { return l.Target != nil && l.Target.Name == x.kind.Name })
}

// meetLive goes to live records that refer to the erased one by a leaf. Those that it has met do so no longer.
func (x *eraser) meetLive(k *record.Kind, l *schema.Leaf) (next string, err error) {
	conditions := []query.Condition{store.Equal(l, schema.IDValue(x.of.ID))}
	if k.SharedLeaf != nil {
		conditions = append(conditions, store.Equal(k.SharedLeaf, schema.BoolValue(false)))
	}
	found, err := x.Find(x.who.Resource(k), someWork, conditions...)
	if err != nil {
		return "", err
	}
	for _, rec := range found {
		if err := x.meet(k, rec); err != nil {
			return "", err
		}
	}
	return moreUnless(len(found) < someWork, nil)
}

// meetAll looks through records, deleted ones too or only these, and goes to those that refer to the erased one.
func (x *eraser) meetAll(k *record.Kind, bin bool, leaves []*schema.Leaf, place string) (next string, err error) {
	res := x.who.Resource(k)
	found, next, err := queue.Referring(x.Tx, res, bin, leaves, x.of.ID, place, muchWork)
	if err != nil {
		return "", err
	}
	if x.done++; next != "" {
		x.done += muchWork / workToLook
	}
	for _, id := range found {
		rec, err := store.GetAny(x.Tx, res, id)
		if err != nil {
			return "", err
		}
		if err := x.meet(k, rec); err != nil {
			return "", err
		}
	}
	return next, nil
}

// meet has a record that refers to the erased one go with it, or lose the reference.
func (x *eraser) meet(k *record.Kind, rec *schema.Record) error {
	x.done++
	if k.Life.Merges && k == x.kind && rec.Get(k.MergedInto).UUID() == x.of.ID {
		return x.removeMerged(k, rec)
	}
	goes, err := x.goes(k, rec)
	if err != nil {
		return err
	}
	if goes {
		return x.remove(k, rec)
	}
	if x.kind.IsActor {
		return nil
	}
	without := rec.Clone()
	for i, l := range rec.Leaves {
		if v := rec.Values[i]; v.Set && l.Target != nil && l.Target.Name == x.kind.Name && v.UUID() == x.of.ID {
			without.Values[i] = schema.Absent(schema.ID)
		}
	}
	if slices.Equal(rec.Values, without.Values) {
		return nil
	}
	without.Put(k.Common.UpdatedAt, schema.TimeValue(x.Now))
	without.Put(k.Common.UpdatedBy, schema.IDValue(x.Actor.User))
	without.Put(k.Common.Version, schema.IntValue(schema.Integer, rec.Version()+1))
	return x.Update(x.who.Resource(k), rec, without, record.Update)
}

// goes tells whether a record is the erased one's alone.
func (x *eraser) goes(k *record.Kind, rec *schema.Record) (bool, error) {
	if x.kind.IsActor {
		return k.SharedLeaf == nil || !record.Shared(&k.Resource, rec), nil
	}
	if !k.AboutOthers {
		return false, nil
	}
	for i, l := range rec.Leaves {
		if v := rec.Values[i]; l.Ref.Timeline && v.Set && v.UUID() != x.of.ID {
			return false, nil
		}
	}
	self, erased := store.End{Resource: k.Name, ID: rec.ID()}, store.End{Resource: x.kind.Name, ID: x.of.ID}
	for _, live := range []bool{true, false} {
		links, err := x.Links(&record.Association.Resource, self, nil, live, someWork)
		if err != nil {
			return false, err
		}
		for _, link := range links {
			ends, err := store.EndsOf(&record.Association.Resource, link)
			if err != nil {
				return false, err
			}
			if ends[0] != erased && ends[1] != erased {
				return false, nil
			}
		}
	}
	return true, nil
}

// remove removes a record that goes with the erased one. What there is of it is worked off later, see company.
func (x *eraser) remove(k *record.Kind, rec *schema.Record) error {
	res := x.who.Resource(k)
	if err := x.Remove(res, rec, record.Erase, "{}"); err != nil {
		return err
	}
	if err := x.Scour(res); err != nil {
		return err
	}
	first := "links"
	if len(k.Links) == 0 {
		first = "log"
	}
	return queue.AddErasure(x.Tx, queue.Erasure{Resource: k.Name, ID: rec.ID(), Of: x.of.ID, Step: first})
}

// removeMerged removes a record that was merged into the erased one. It is the same person, so what there is of it is worked off as
// of that.
func (x *eraser) removeMerged(k *record.Kind, rec *schema.Record) error {
	res := x.who.Resource(k)
	if err := x.Remove(res, rec, record.Erase, "{}"); err != nil {
		return err
	}
	return errors.Join(merged.ForgetAll(x.Tx, res, rec.ID()), x.Scour(res),
		queue.AddErasure(x.Tx, queue.Erasure{Resource: k.Name, ID: rec.ID(), Of: rec.ID()}))
}

// dropLinks removes links of a record that is no more, and what goes with it. What was linked with the erased one alone goes, too.
func (x *eraser) dropLinks(resource string, id schema.UUID) (next string, err error) {
	if len(record.KindOf(resource).Links) == 0 {
		return "", nil
	}
	self := store.End{Resource: resource, ID: id}
	if next, err = x.dropGoing(self); next != "" || err != nil {
		return next, err
	}
	for _, live := range []bool{true, false} {
		links, err := x.Links(&record.Association.Resource, self, nil, live, someWork)
		if err != nil {
			return "", err
		}
		for _, link := range links {
			if err := x.dropLink(link, self); err != nil {
				return "", err
			}
		}
		if len(links) == someWork {
			return "more", nil
		}
	}
	return "", nil
}

// dropGoing removes what goes with a record that is no more.
func (x *eraser) dropGoing(of store.End) (next string, err error) {
	for k, l := range record.GoingWith() {
		for _, live := range []bool{true, false} {
			found, err := merged.GoingWith(x.Tx, merged.Reference{Resource: &k.Resource, Leaf: l}, of, live, someWork)
			if err != nil {
				return "", err
			}
			for _, rec := range found {
				x.done++
				if err := x.remove(k, rec); err != nil {
					return "", err
				}
			}
			if len(found) == someWork {
				return "more", nil
			}
		}
	}
	return "", nil
}

func (x *eraser) dropLink(link *schema.Record, self store.End) error {
	x.done++
	ends, err := store.EndsOf(&record.Association.Resource, link)
	if err != nil {
		return err
	}
	other := ends[0]
	if other == self {
		other = ends[1]
	}
	if k := record.KindOf(other.Resource); k.AboutOthers && self.ID == x.of.ID {
		rec, err := store.GetAny(x.Tx, x.who.Resource(k), other.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err == nil {
			if err := x.meet(k, rec); err != nil {
				return err
			}
		}
	}
	return x.remove(record.Association, link)
}

func (x *eraser) emptyLog(resource string, id schema.UUID, place string) (next string, err error) {
	x.done++
	if next, err = queue.EmptyLog(x.Tx, resource, id, record.Erase, place, muchWork); next != "" {
		x.done += muchWork / workToLook
	}
	return next, err
}

// company works off what went with the erased record: first their links, then their log.
func (x *eraser) company() (next string, err error) {
	for _, step := range []string{"links", "log"} {
		due, err := queue.Erasures(x.Tx, &x.of.ID, step, 1)
		if err != nil {
			return "", err
		}
		for _, gone := range due {
			if step == "links" {
				if next, err = x.dropLinks(gone.Resource, gone.ID); next == "" {
					gone.Step = "log"
				}
			} else if gone.Place, err = x.emptyLog(gone.Resource, gone.ID, gone.Place); gone.Place == "" {
				gone.Step = "done"
			}
			if err != nil {
				return "", err
			}
			return "more", queue.PutErasure(x.Tx, gone)
		}
	}
	return "", nil
}

// cutAnswers cuts what was answered about records that are no more to their ids.
func (x *eraser) cutAnswers(place string) (next string, err error) {
	x.done++
	next, err = queue.CutAnswers(x.Tx, place, muchWork, func(text []byte) ([]byte, bool, error) { return CutAnswer(x.Tx, text) })
	if next != "" {
		x.done += muchWork / workToLook
	}
	return next, err
}

// dropFiles forgets a part of the rows of files that waited to be imported, or were: any of them may name whom is erased, in any cell, and
// those that wait would make them anew. The imports lost their files with the record itself, by which those that are under way end.
// What was refused of them tells of cells, too.
func (x *eraser) dropFiles(string) (next string, err error) {
	x.done += muchWork / workToLook
	done, err := queue.ForgetRefusalsOfKinds(x.Tx, RefusalsForgotten, queue.ImportJob, queue.ImportPreviewJob)
	if err == nil && done {
		done, err = queue.ForgetImportRows(x.Tx, schema.UUID{}, RowsForgotten)
	}
	return moreUnless(done, err)
}

// How many rows of the table of rows, and how many refusals, are forgotten in one transaction.
const (
	RowsForgotten     = 20
	RefusalsForgotten = 1000
)
