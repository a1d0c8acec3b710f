package exchange

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/tabular"
)

// PlanArchive decides how an archive comes into the business of who brings it. It gives a plan also where it must not.
func PlanArchive(e *record.Engine, who *record.Principal, g *Guide) (*Import, error) {
	err := who.AllowBusiness()
	if err == nil && g != nil {
		err = g.readable()
	}
	if err == nil && g != nil && g.Business == schema.FormatID(record.Business.Name, who.Tenant.ID()) {
		err = problem.New(problem.Conflict, "This is the archive of this business itself. It comes into another one.")
	}
	return &Import{e: e, who: who, guide: g}, err
}

// readable refuses what an earlier version knew of an archive: it called the records otherwise that are found by their names.
func (g *Guide) readable() error {
	if g.Named == nil {
		return problem.New(problem.Conflict, "The archive was read by an earlier version of kith. Send the file again.")
	}
	return nil
}

// CarriedID is the id that a record of an archive has in a business: it follows from the one that it had, so that what leads to it
// can be told without looking it up, and what is brought twice is known. It keeps its place in time.
func CarriedID(business, old schema.UUID) (id schema.UUID) {
	sum := sha256.Sum256(append(append([]byte("archive"), business[:]...), old[:]...))
	copy(id[:8], old[:8])
	copy(id[8:], sum[:8])
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return id
}

// carriedSettings are the fields of the business that an archive brings: neither its name, nor how people log in.
func carriedSettings() []*schema.Leaf {
	own := record.OwnBusiness
	return []*schema.Leaf{
		own.Currency, own.Timezone, own.Locale, own.Address, own.TaxID, own.QuoteTerms, own.QuoteFooter, own.Logo, own.BinDays,
	}
}

// carrier brings records of an archive into a business, in one transaction.
type carrier struct {
	*store.Tx
	e     *record.Engine
	who   *record.Principal
	guide *Guide
	// known are the ids of what was found by a name, and named all that there is of a kind that is found so.
	known map[string]string
	named map[*record.Kind][]*schema.Record
}

// carried is the step that brings the record of a row.
func (im *Import) carried(c *carrier, row tabular.Row) (record.Step, error) {
	if row.Fault != nil {
		return nil, unreadable(row.Fault)
	}
	resource, _ := row.Object.Get(rowResource)
	entry, _ := row.Object.Get(rowRecord)
	again, _ := row.Object.Get(rowAgain)
	k := record.KindOf(resource.Text)
	if entry.Kind != body.Object || resource.Text != record.Business.Name && (k == nil || place(k.Name) < 0) {
		return nil, problem.New(problem.ValidationFailed, "The row has no record of what an archive brings.")
	}
	return func(tx *store.Tx) (out record.Outcome, err error) {
		if c.who, _, err = im.e.Inform(tx, im.who); err != nil {
			return out, err
		}
		c.Tx = tx
		out, err = c.bring(k, entry, again.Text == "true")
		if p := problem.As(err); p != nil && tx.Rehearsal && onlyMissing(p) {
			return record.Outcome{Made: again.Text != "true"}, nil
		}
		return out, err
	}, nil
}

// onlyMissing tells whether a record is refused only for what is not there, which may be among the rows that a rehearsal does not see.
func onlyMissing(p *problem.Problem) bool {
	return len(p.Fields) > 0 && !slices.ContainsFunc(p.Fields,
		func(f problem.Field) bool { return f.Code != "not_found" && f.Code != "unknown_field" })
}

// bring brings one record.
func (c *carrier) bring(k *record.Kind, entry body.Node, again bool) (record.Outcome, error) {
	switch {
	case k == nil:
		return c.business(entry)
	case isNamed(k):
		return c.setting(k, entry)
	case k == record.Field:
		return c.define(entry, again)
	}
	text, _ := entry.Get(k.Common.ID.Name)
	old, err := schema.ParseID(k.Name, text.Text)
	if err != nil {
		return record.Outcome{}, problem.New(problem.ValidationFailed, "The record has no id of a %s.", k.Name)
	}
	id, res := CarriedID(c.ID(), old), c.who.Resource(k)
	rec, err := store.GetAny(c.Tx, res, id)
	there := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return record.Outcome{}, err
	}
	op := record.Operation{Kind: k, ID: schema.FormatID(k.Name, id)}
	switch {
	case again && (!there || !rec.Live()):
		return record.Outcome{}, nil // that was told already
	case again:
		data, err := c.data(k, entry)
		op.Name, op.Body = record.Update, &data
		if err != nil {
			return record.Outcome{}, err
		}
		return c.do(op)
	case there && rec.Live():
		return record.Outcome{Record: rec}, nil
	case there: // it was brought before, and that was undone
		op.Name = record.Restore
		return c.do(op)
	}
	return c.make(k, id, entry)
}

// do runs an ordinary operation.
func (c *carrier) do(op record.Operation) (record.Outcome, error) {
	step, err := c.e.PlanAs(c.who, op, nil)
	if err != nil {
		return record.Outcome{}, err
	}
	return step(c.Tx)
}

// make makes a record as it was, by the rules that hold for one that is made anew but for what happened to it before.
func (c *carrier) make(k *record.Kind, id schema.UUID, entry body.Node) (record.Outcome, error) {
	reach, err := c.who.Allow(&k.Resource, record.Write)
	if err != nil {
		return record.Outcome{}, err
	}
	data, err := c.data(k, entry)
	if err != nil {
		return record.Outcome{}, err
	}
	changes, err := k.Decode(c.who.Resource(k), &data, true)
	if err != nil {
		return record.Outcome{}, err
	}
	for i, l := range changes.Leaves { // what the record does not have it is not given
		changes.Given[i] = changes.Given[i] || !l.ReadOnly
	}
	w := c.e.NewRecord(c.Tx, c.who, k, changes)
	w.Rec.Put(k.Common.ID, schema.IDValue(id))
	if owner, given := entry.Get(k.Common.OwnerID.Name); given && owner.Kind == body.Null {
		w.Rec.Put(k.Common.OwnerID, schema.Absent(schema.ID))
	}
	w.Carried = func() error { return c.settle(w, entry) }
	rec, err := w.Create(reach)
	return record.Outcome{Record: rec, Made: true}, err
}

// settle gives a record what happened to it where it was.
func (c *carrier) settle(w *record.Mutation, entry body.Node) error {
	for _, l := range w.Kind.Carried {
		n, given := entry.Get(l.Name)
		if !given {
			continue
		}
		if l.Target != nil {
			text, found, err := c.refer(l.Target.Name, n.Text)
			if err != nil {
				return err
			}
			if n = (body.Node{Kind: body.Null}); found {
				n = body.Node{Kind: body.String, Text: text}
			}
		}
		v, bad, err := c.happened(w.Kind, l, n)
		if err != nil {
			return err
		}
		if bad != nil {
			w.Wrong.Add(l.Path, bad.Code, bad.Message)
			continue
		}
		if l.Lapse != nil && v.S == l.Lapse.To { // which the day does
			v.S = l.Lapse.From
		}
		if l.Writing.Counted {
			if err := keepNumber(w, l, v); err != nil {
				return err
			}
			continue
		}
		if v.Set || !l.Required {
			w.Rec.Put(l, v)
		}
	}
	return nil
}

// mostNumber is how high the number of a record may be that an archive brings.
const mostNumber = 1 << 40

// keepNumber gives a record the number that it had, unless another one has it here: then it keeps the next.
func keepNumber(w *record.Mutation, l *schema.Leaf, v schema.Value) error {
	next := w.Rec.Get(l)
	if !v.Set || v.N < 1 || v.N > mostNumber {
		return nil
	}
	if v.N < next.N {
		held, err := w.Find(&w.Kind.Resource, 1, store.Equal(l, v))
		if err != nil || len(held) > 0 {
			return err
		}
	} else if err := store.Skip(w.Tx, w.Kind.Counter(l), v.N-next.N); err != nil {
		return err
	}
	w.Rec.Put(l, v)
	return nil
}

// happened reads what a record brings of a field. Items of a list that lead to what is not here are left out.
func (c *carrier) happened(k *record.Kind, l *schema.Leaf, n body.Node) (schema.Value, *body.Wrong, error) {
	if l.Kind != schema.List || n.Kind != body.Array {
		v, bad := body.Scalar(n, l)
		return v, bad, nil
	}
	shape := k.Inner[l.Name]
	var kept []*schema.Record
items:
	for _, item := range n.Items {
		rec := schema.NewRecord(shape)
		for _, m := range item.Members {
			part := shape.Leaf(m.Name)
			if part == nil {
				continue
			}
			if part.Kind == schema.ID {
				switch found, err := c.rename(part, &m.Value); {
				case err != nil:
					return schema.Value{}, nil, err
				case !found:
					continue items
				}
			}
			v, bad := body.Scalar(m.Value, part)
			if bad != nil {
				return schema.Value{}, bad, nil
			}
			rec.Put(part, v)
		}
		kept = append(kept, rec)
	}
	if len(kept) == 0 {
		return schema.Absent(schema.List), nil, nil
	}
	return schema.TextValue(schema.List, string(schema.AppendList(nil, kept))), nil, nil
}

// business gives the business the settings that stand in documents and amounts.
func (c *carrier) business(entry body.Node) (record.Outcome, error) {
	data := body.Node{Kind: body.Object}
	for _, l := range carriedSettings() {
		if v, given := entry.Get(l.Name); given && v.Kind != body.Null {
			data.Members = append(data.Members, body.Member{Name: l.Name, Value: v})
		}
	}
	step, err := account.PlanBusiness(context.Background(), c.e, c.who, nil, &data)
	if err != nil {
		return record.Outcome{}, err
	}
	return step(c.Tx)
}

// data is what can be written of a record, with the ids that things have here. A reference to what is not here is left out.
func (c *carrier) data(k *record.Kind, entry body.Node) (data body.Node, err error) {
	res := c.who.Resource(k)
	data.Kind = body.Object
	for _, m := range entry.Members {
		f, l := res.Field(m.Name), res.Leaf(m.Name)
		switch {
		case f != nil && f.ReadOnly || l != nil && l == record.Fields.ReplaceWith:
			continue
		case m.Name == k.Common.CustomFields.Name:
			err = c.customs(res, &m)
		case l == nil:
		case l.Target != nil || l.ListItem != nil:
			var found bool
			if found, err = c.rename(l, &m.Value); !found && m.Name == k.Common.OwnerID.Name {
				continue // who brings it has it
			}
		case l.Format == schema.RecordID:
			m.Value.Text = c.renamed(m.Value.Text)
		case l.Kind == schema.List:
			err = c.items(res.Inner[m.Name], &m)
		case l.Kind == schema.Document && !l.Free:
			err = c.search(&m.Value)
		}
		if err != nil {
			return data, err
		}
		data.Members = append(data.Members, m)
	}
	return data, nil
}

// customs renames what added fields lead to. Those that are not here yet are left out of a rehearsal.
func (c *carrier) customs(res *schema.Resource, m *body.Member) error {
	var kept []body.Member
	for _, custom := range m.Value.Members {
		l := res.Leaf(record.CustomPath(custom.Name))
		if l == nil && c.Rehearsal {
			continue
		}
		if l != nil && l.Target != nil {
			if _, err := c.rename(l, &custom.Value); err != nil {
				return err
			}
		}
		kept = append(kept, custom)
	}
	m.Value.Members = kept
	return nil
}

// items renames what the items of a list lead to.
func (c *carrier) items(shape *schema.Shape, m *body.Member) error {
	items := slices.Clone(m.Value.Items)
	for i, item := range items {
		item.Members = slices.Clone(item.Members)
		for j, part := range item.Members {
			if l := shape.Leaf(part.Name); l != nil && l.Target != nil {
				if _, err := c.rename(l, &item.Members[j].Value); err != nil {
					return err
				}
			}
		}
		items[i] = item
	}
	m.Value.Items = items
	return nil
}

// search renames what a document names, such as the search of a view.
func (c *carrier) search(n *body.Node) error {
	if n.Kind == body.String {
		if resource, _, err := schema.RecordOf(n.Text); err == nil {
			text, found, err := c.refer(resource, n.Text)
			if found {
				n.Text = text
			}
			return err
		}
	}
	n.Items, n.Members = slices.Clone(n.Items), slices.Clone(n.Members)
	for i := range n.Items {
		if err := c.search(&n.Items[i]); err != nil {
			return err
		}
	}
	for i := range n.Members {
		if err := c.search(&n.Members[i].Value); err != nil {
			return err
		}
	}
	return nil
}

// renamed is the id here of a record by its id there.
func (c *carrier) renamed(text string) string {
	resource, old, err := schema.RecordOf(text)
	if err != nil {
		return text
	}
	return schema.FormatID(resource, CarriedID(c.ID(), old))
}

// rename puts the id here in place of the one there, or null where there is nothing here that it could be.
func (c *carrier) rename(l *schema.Leaf, n *body.Node) (found bool, err error) {
	if n.Kind != body.String {
		return n.Kind == body.Null, nil
	}
	target := l.Ref.Prefix
	if l.Target != nil {
		target = l.Target.Name
	}
	text, found, err := c.refer(target, n.Text)
	if *n = (body.Node{Kind: body.Null}); found {
		*n = body.Node{Kind: body.String, Text: text}
	}
	return found, err
}

// refer finds what an id leads to, and gives the id that it has here.
func (c *carrier) refer(resource, text string) (id string, found bool, err error) {
	if id, found = c.known[text]; found {
		return id, true, nil
	}
	switch {
	case resource == account.User.Name:
		id, err = c.user(c.guide.Users[text])
	case isNamed(record.KindOf(resource)):
		id, err = c.byName(record.KindOf(resource), text)
	case itemNamed(resource) != nil:
		id, err = c.itemByName(itemNamed(resource), text)
	case place(resource) >= 0:
		old, bad := schema.ParseID(resource, text)
		if bad != nil {
			return "", false, nil
		}
		here := CarriedID(c.ID(), old)
		_, err := c.Peek(c.who.Shaped(&record.KindOf(resource).Resource), here)
		if errors.Is(err, store.ErrNotFound) {
			return "", false, nil
		}
		return schema.FormatID(resource, here), err == nil, err
	}
	if err == nil && id != "" {
		c.known[text] = id
	}
	return id, id != "" && err == nil, err
}

// user finds the user with an address who is not suspended.
func (c *carrier) user(email string) (string, error) {
	if email == "" {
		return "", nil
	}
	found, err := c.Find(&account.User.Resource, 1, store.Equal(account.Users.Email, schema.TextValue(schema.Text, email)))
	if err != nil || len(found) == 0 || account.Suspended(found[0]) {
		return "", err
	}
	return schema.FormatID(account.User.Name, found[0].ID()), nil
}
