package exchange

import (
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// Pipelines, stages and added fields of an archive are those of the same name where there are some, because every business begins
// with a pipeline and with stages.

// mostNamed is how many pipelines or lifecycle stages are looked at for a name.
const mostNamed = 1000

// all gives all pipelines or lifecycle stages that there are.
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
// It is -1 where there is none, be it that an archive has two pipelines of one id, of which the guide knows the first.
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

// same finds the pipeline or lifecycle stage here that is one of the archive, or nil.
func (c *carrier) same(k *record.Kind, name *schema.Leaf, of []guided, at int) (*schema.Record, error) {
	all, err := c.all(k)
	var names []string
	for _, rec := range all {
		names = append(names, rec.Text(name))
	}
	if i := nth(of, at, names); i >= 0 {
		return all[i], err
	}
	return nil, err
}

// of gives what the guide knows of a kind, how that is called, and where something stands among it, or -1.
func (g *Guide) of(k *record.Kind, id string) ([]guided, *schema.Leaf, int) {
	g.index()
	of, name, places := g.Lifecycle, crm.LifecycleStages.Name, g.lifecycleAt
	if k == crm.Pipeline {
		of, name, places = g.Pipelines, crm.Pipelines.Name, g.pipelineAt
	}
	at, there := places[id]
	if !there {
		at = -1
	}
	return of, name, at
}

// index notes where everything of the guide stands.
func (g *Guide) index() {
	if g.stageAt != nil {
		return
	}
	g.pipelineAt, g.lifecycleAt, g.stageAt = places(g.Pipelines), places(g.Lifecycle), map[string][2]int{}
	for at, p := range g.Pipelines {
		for id, stage := range places(p.Stages) {
			if _, there := g.stageAt[id]; !there {
				g.stageAt[id] = [2]int{at, stage}
			}
		}
	}
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

// byName finds a pipeline, a stage of one or a lifecycle stage, and gives its id here, or nothing.
func (c *carrier) byName(resource, id string) (string, error) {
	if k := record.KindOf(resource); k != nil {
		of, name, at := c.guide.of(k, id)
		if at < 0 {
			return "", nil
		}
		rec, err := c.same(k, name, of, at)
		if rec == nil || err != nil {
			return "", err
		}
		return schema.FormatID(resource, rec.ID()), nil
	}
	c.guide.index()
	at, there := c.guide.stageAt[id]
	if !there {
		return "", nil
	}
	rec, err := c.same(crm.Pipeline, crm.Pipelines.Name, c.guide.Pipelines, at[0])
	if rec == nil || err != nil {
		return "", err
	}
	stages, names, err := stagesOf(rec)
	if i := nth(c.guide.Pipelines[at[0]].Stages, at[1], names); i >= 0 && err == nil {
		return schema.FormatID(resource, stages[i].Get(crm.Pipelines.Stage.ID).UUID()), nil
	}
	return "", err
}

// stagesOf gives the stages of a pipeline, and what a guide calls them.
func stagesOf(rec *schema.Record) (stages []*schema.Record, names []string, err error) {
	stages, err = body.Items(rec.Get(crm.Pipelines.Stages), crm.Pipeline.Inner[crm.Pipelines.Stages.Name])
	for _, s := range stages {
		names = append(names, s.Text(crm.Pipelines.Stage.Kind)+" "+s.Text(crm.Pipelines.Stage.Name))
	}
	return stages, names, err
}

// setting brings a pipeline or a lifecycle stage: the one of that name becomes as it was, or another one is made.
func (c *carrier) setting(k *record.Kind, entry body.Node) (record.Outcome, error) {
	id, _ := entry.Get(k.Common.ID.Name)
	of, name, at := c.guide.of(k, id.Text)
	if at < 0 {
		return record.Outcome{}, problem.New(problem.ValidationFailed, "The record has no id of a %s.", k.Name)
	}
	here, err := c.same(k, name, of, at)
	if err != nil {
		return record.Outcome{}, err
	}
	data, err := c.data(k, entry)
	if err != nil {
		return record.Outcome{}, err
	}
	isDefault := crm.Pipelines.IsDefault.Name
	if k == crm.LifecycleStage {
		isDefault = crm.LifecycleStages.IsDefault.Name
	}
	data.Members = slices.DeleteFunc(data.Members, func(m body.Member) bool {
		return m.Name == isDefault && m.Value.Text != "true" || m.Name == k.Common.OwnerID.Name
	})
	if k == crm.Pipeline {
		if err := c.stages(&data, of[at], here); err != nil {
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

// stages gives the stages of a pipeline the ids that they have here. Those that are here and not in the archive stay where deals
// are in them.
func (c *carrier) stages(data *body.Node, p guided, here *schema.Record) error {
	at := slices.IndexFunc(data.Members, func(m body.Member) bool { return m.Name == crm.Pipelines.Stages.Name })
	if at < 0 {
		return nil
	}
	var stages []*schema.Record
	var names []string
	if here != nil {
		var err error
		if stages, names, err = stagesOf(here); err != nil {
			return err
		}
	}
	list := &data.Members[at].Value
	list.Items = slices.Clone(list.Items)
	kept := make([]bool, len(stages))
	for i, item := range list.Items {
		item.Members = slices.DeleteFunc(slices.Clone(item.Members),
			func(m body.Member) bool { return m.Name == crm.Pipelines.Stage.ID.Name })
		if j := nth(p.Stages, i, names); j >= 0 {
			kept[j] = true
			item.Members = append(item.Members, idMember(stages[j]))
		}
		list.Items[i] = item
	}
	for j, s := range stages {
		if kept[j] {
			continue
		}
		used, err := c.Find(&crm.Deal.Resource, 1, store.Equal(crm.Deals.StageID, s.Get(crm.Pipelines.Stage.ID)))
		if err != nil {
			return err
		}
		if len(used) > 0 {
			n, err := body.Parse(schema.AppendRecord(nil, s.Leaves, s.Values))
			if err != nil {
				return err
			}
			n.Members = slices.DeleteFunc(n.Members, func(m body.Member) bool { return m.Name == crm.Pipelines.Stage.Position.Name })
			list.Items = append(list.Items, *n)
		}
	}
	return nil
}

func idMember(stage *schema.Record) body.Member {
	id := schema.FormatID(crm.Deals.StageID.Prefix, stage.Get(crm.Pipelines.Stage.ID).UUID())
	return body.Member{Name: crm.Pipelines.Stage.ID.Name, Value: body.Node{Kind: body.String, Text: id}}
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
	all, err := c.Find(&record.Field.Resource, record.MaxFields+1,
		store.Equal(record.Fields.Resource, schema.TextValue(schema.Choice, resource)))
	if err != nil {
		return record.Outcome{}, err
	}
	at := slices.IndexFunc(all, func(rec *schema.Record) bool { return rec.Text(record.Fields.Name) == name })
	switch {
	case at < 0 && again:
		return record.Outcome{}, nil // that was told already
	case at >= 0 && (all[at].Text(record.Fields.Kind) != text(record.Fields.Kind) ||
		all[at].Text(record.Fields.Target) != text(record.Fields.Target)):
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
	if at >= 0 {
		op.Name, op.ID = record.Update, schema.FormatID(record.Field.Name, all[at].ID())
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
			if err := withOptions(&m.Value, all, at, again); err != nil {
				return record.Outcome{}, err
			}
		}
	}
	return c.do(op)
}

// withOptions completes the options of a field that is here already, and lets all of them be chosen before the end.
func withOptions(list *body.Node, all []*schema.Record, at int, again bool) error {
	value := func(n body.Node) string {
		v, _ := n.Get(record.Fields.Option.Value.Name)
		return v.Text
	}
	items := slices.Clone(list.Items)
	for i := range items {
		if !again {
			items[i].Members = slices.DeleteFunc(slices.Clone(items[i].Members),
				func(m body.Member) bool { return m.Name == record.Fields.Option.Archived.Name })
		}
	}
	list.Items = items
	if at < 0 {
		return nil
	}
	here, err := body.Parse([]byte(all[at].Text(record.Fields.Options)))
	if err != nil || here == nil {
		return err
	}
	for _, option := range here.Items {
		if !slices.ContainsFunc(items, func(n body.Node) bool { return value(n) == value(option) }) {
			list.Items = append(list.Items, option)
		}
	}
	return nil
}

// tightened tells whether the definition of a field says more in the end than at first.
func tightened(entry *body.Node) bool {
	required, _ := entry.Get(record.Fields.Required.Name)
	options, _ := entry.Get(record.Fields.Options.Name)
	return required.Text == "true" || slices.ContainsFunc(options.Items, func(n body.Node) bool {
		archived, _ := n.Get(record.Fields.Option.Archived.Name)
		return archived.Text == "true"
	})
}
