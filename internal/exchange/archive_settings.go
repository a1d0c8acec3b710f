package exchange

import (
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// Settings and added fields of an archive are those of the same name where there are some, because every business begins with some.

// mostNamed is how many records of a kind are looked at for a name.
const mostNamed = 1000

// all gives all records of a kind that there are.
func (c *carrier) all(k *record.Kind) ([]*schema.Record, error) {
	if known, there := c.named[k]; there {
		return known, nil
	}
	found, err := c.Find(&k.Resource, mostNamed)
	if err == nil {
		c.named[k] = found
	}
	return found, err
}

// nth finds which of some things has the same name as one of the archive, and is as many before it: there may be several of a name.
// It is -1 where there is none, be it that an archive has two records of one id, of which the guide knows the first.
func nth(of []guided, at int, here []string) int {
	if at >= len(of) {
		return -1
	}
	before := of[at].before
	for i, name := range here {
		if name != of[at].Name {
			continue
		}
		if before == 0 {
			return i
		}
		before--
	}
	return -1
}

// same finds the record here that is one of the archive, or nil.
func (c *carrier) same(k *record.Kind, at int) (*schema.Record, error) {
	all, err := c.all(k)
	var names []string
	for _, rec := range all {
		names = append(names, rec.Text(k.Names[0]))
	}
	if i := nth(c.guide.Named[k.Name], at, names); i >= 0 {
		return all[i], err
	}
	return nil, err
}

// index notes where everything of the guide stands.
func (g *Guide) index() {
	if g.at != nil {
		return
	}
	g.at, g.itemAt = map[string]map[string]int{}, map[string]map[string][2]int{}
	for kind, of := range g.Named {
		g.at[kind] = places(of)
		for at := range of {
			for name, items := range of[at].Items {
				if g.itemAt[name] == nil {
					g.itemAt[name] = map[string][2]int{}
				}
				for id, item := range places(items) {
					if _, there := g.itemAt[name][id]; !there {
						g.itemAt[name][id] = [2]int{at, item}
					}
				}
			}
		}
	}
}

// place is where a record stands among those of its kind, or -1.
func (g *Guide) place(k *record.Kind, id string) int {
	g.index()
	at, there := g.at[k.Name][id]
	if !there {
		return -1
	}
	return at
}

// places tells by their ids where things stand, the first of each, and notes how many of its name stand before each.
func places(of []guided) map[string]int {
	at, named := map[string]int{}, map[string]int{}
	for i := range of {
		of[i].before = named[of[i].Name]
		named[of[i].Name]++
		if _, there := at[of[i].ID]; !there {
			at[of[i].ID] = i
		}
	}
	return at
}

// byName finds a record, and gives its id here, or nothing.
func (c *carrier) byName(k *record.Kind, id string) (string, error) {
	at := c.guide.place(k, id)
	if at < 0 {
		return "", nil
	}
	rec, err := c.same(k, at)
	if rec == nil || err != nil {
		return "", err
	}
	return schema.FormatID(k.Name, rec.ID()), nil
}

// itemByName does the same for an item of a list.
func (c *carrier) itemByName(p *schema.ListItem, id string) (string, error) {
	c.guide.index()
	at, there := c.guide.itemAt[p.Name][id]
	if !there {
		return "", nil
	}
	rec, err := c.same(record.KindOf(p.Whole.Name), at[0])
	if rec == nil || err != nil {
		return "", err
	}
	items, names, err := itemsOf(p, rec)
	if i := nth(c.guide.Named[p.Whole.Name][at[0]].Items[p.Name], at[1], names); i >= 0 && err == nil {
		return schema.FormatID(p.Name, items[i].Get(p.ID).UUID()), nil
	}
	return "", err
}

// itemsOf gives the items that a record has in a list, and what a guide calls them.
func itemsOf(p *schema.ListItem, rec *schema.Record) (items []*schema.Record, names []string, err error) {
	items, err = body.Items(rec.Get(p.List), p.Shape)
	for _, item := range items {
		names = append(names, itemCalled(p, item.Text))
	}
	return items, names, err
}

// setting brings a record that is found by its name: the one of that name becomes as it was, or another one is made.
func (c *carrier) setting(k *record.Kind, entry body.Node) (record.Outcome, error) {
	of := c.guide.Named[k.Name]
	id, _ := entry.Get(k.Common.ID.Name)
	at := c.guide.place(k, id.Text)
	if at < 0 {
		return record.Outcome{}, problem.New(problem.ValidationFailed, "The record has no id of a %s.", k.Name)
	}
	here, err := c.same(k, at)
	if err != nil {
		return record.Outcome{}, err
	}
	data, err := c.data(k, entry)
	if err != nil {
		return record.Outcome{}, err
	}
	data.Members = slices.DeleteFunc(data.Members, func(m body.Member) bool {
		return k.Default != nil && m.Name == k.Default.Name && m.Value.Text != "true" || m.Name == k.Common.OwnerID.Name
	})
	for _, p := range listItems(k) {
		if err := c.keepItems(p, &data, of[at].Items[p.Name], here); err != nil {
			return record.Outcome{}, err
		}
	}
	delete(c.named, k)
	op := record.Operation{Kind: k, Name: record.Create, Body: &data}
	if here != nil {
		op.Name, op.ID = record.Update, schema.FormatID(k.Name, here.ID())
	}
	return c.do(op)
}

// keepItems gives the items of a list the ids that they have here. Others that are here stay where records lead to them.
func (c *carrier) keepItems(p *schema.ListItem, data *body.Node, of []guided, here *schema.Record) error {
	at := slices.IndexFunc(data.Members, func(m body.Member) bool { return m.Name == p.List.Name })
	if at < 0 {
		return nil
	}
	var items []*schema.Record
	var names []string
	if here != nil {
		var err error
		if items, names, err = itemsOf(p, here); err != nil {
			return err
		}
	}
	list := &data.Members[at].Value
	list.Items = slices.Clone(list.Items)
	kept := make([]bool, len(items))
	for i, item := range list.Items {
		item.Members = without(slices.Clone(item.Members), p.ID)
		if j := nth(of, i, names); j >= 0 {
			kept[j] = true
			id := schema.FormatID(p.Name, items[j].Get(p.ID).UUID())
			item.Members = append(item.Members, body.Member{Name: p.ID.Name, Value: body.Node{Kind: body.String, Text: id}})
		}
		list.Items[i] = item
	}
	for j, item := range items {
		if kept[j] {
			continue
		}
		used, err := c.used(p, item.Get(p.ID))
		if err != nil {
			return err
		}
		if used {
			n, err := body.Parse(schema.AppendRecord(nil, item.Leaves, item.Values))
			if err != nil {
				return err
			}
			n.Members = without(n.Members, p.Position)
			list.Items = append(list.Items, *n)
		}
	}
	return nil
}

// without leaves a field out, where there is such a one.
func without(members []body.Member, l *schema.Leaf) []body.Member {
	return slices.DeleteFunc(members, func(m body.Member) bool { return l != nil && m.Name == l.Name })
}

// used tells whether records lead to an item of a list.
func (c *carrier) used(p *schema.ListItem, id schema.Value) (bool, error) {
	for _, k := range record.Kinds() {
		for _, l := range k.Leaves {
			if l.ListItem != p {
				continue
			}
			if found, err := c.Find(&k.Resource, 1, store.Equal(l, id)); err != nil || len(found) > 0 {
				return len(found) > 0, err
			}
		}
	}
	return false, nil
}

// define brings the definition of an added field. At first it asks for nothing and all its options can be chosen, because the
// records that come may lack it or have an option that is archived; in the end it is as it was. Options that only the field here
// has stay.
func (c *carrier) define(entry body.Node, again bool) (record.Outcome, error) {
	text := func(l *schema.Leaf) string {
		v, _ := entry.Get(l.Name)
		return v.Text
	}
	resource, name := text(record.Fields.Resource), text(record.Fields.Name)
	here, err := fieldNamed(c.Tx, resource, name)
	switch {
	case err != nil || here == nil && again: // where it is not, that was told already
		return record.Outcome{}, err
	case here != nil && (here.Text(record.Fields.Kind) != text(record.Fields.Kind) ||
		here.Text(record.Fields.Target) != text(record.Fields.Target)):
		return record.Outcome{}, problem.New(problem.Conflict, "The field %s of %s is of another kind here.", name, resource)
	}
	data, err := c.data(record.Field, entry)
	if err != nil {
		return record.Outcome{}, err
	}
	op := record.Operation{Kind: record.Field, Name: record.Create, Body: &data}
	only := []*schema.Leaf{record.Fields.Options}
	if again {
		only = append(only, record.Fields.Required)
	}
	if here != nil {
		op.Name, op.ID = record.Update, schema.FormatID(record.Field.Name, here.ID())
		data.Members = slices.DeleteFunc(data.Members, func(m body.Member) bool {
			return !slices.ContainsFunc(only, func(l *schema.Leaf) bool { return l.Name == m.Name })
		})
	}
	for i := range data.Members {
		m := &data.Members[i]
		switch {
		case m.Name == record.Fields.Required.Name && !again:
			m.Value.Text = "false"
		case m.Name == record.Fields.Options.Name && m.Value.Kind == body.Array:
			if err := withOptions(&m.Value, here, again); err != nil {
				return record.Outcome{}, err
			}
		}
	}
	return c.do(op)
}

// withOptions completes the options of a field that is here already, and lets all of them be chosen before the end.
func withOptions(list *body.Node, field *schema.Record, again bool) error {
	value := func(n body.Node) string {
		v, _ := n.Get(record.Fields.Option.Value.Name)
		return v.Text
	}
	items := slices.Clone(list.Items)
	for i := range items {
		if !again {
			items[i].Members = without(slices.Clone(items[i].Members), record.Fields.Option.Archived)
		}
	}
	list.Items = items
	if field == nil {
		return nil
	}
	here, err := optionsOf(field)
	if err != nil {
		return err
	}
	for _, option := range here {
		if !slices.ContainsFunc(items, func(n body.Node) bool { return value(n) == value(option) }) {
			list.Items = append(list.Items, option)
		}
	}
	return nil
}
