package store_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// Orders by an added field with an index, and filters by one, go by its index entries on both engines: they read the records of the page,
// or the few that match, and sort none but these.
func TestSearchesUseCustomEntries(t *testing.T) {
	for name, size := range map[string][2]int{"sqlite": {2, 300}, "postgres": {6, 1500}} {
		t.Run(name, func(t *testing.T) {
			oneMachine(t, name)
			url := engines[name](t)
			p := &planned{Store: open(t, url)}
			declared := record.Registry.Resource("contact")
			var added []schema.Addition
			for i, k := range []schema.Kind{
				schema.Text, schema.Number, schema.Time, schema.Bool, schema.ID, schema.Choice,
				schema.Choices,
			} {
				f := schema.Field{Name: fmt.Sprintf("own_%d", i), Kind: k, Find: schema.Find{Indexed: true}}
				if k == schema.Choice || k == schema.Choices {
					f.Options = []string{"small", "large"}
				}
				if k == schema.ID {
					f.Ref.To = "user"
				}
				added = append(added, schema.Addition{Member: fmt.Sprintf("f%d", i+1), Field: f})
			}
			res, err := declared.Extend(declared.Common.CustomFields, record.Registry.Resource, added...)
			if err != nil {
				t.Fatal(err)
			}
			ctx := context.Background()
			for range size[0] {
				p.business = storetest.Business(t, p.Store)
				var all []*schema.Record
				for n := range size[1] {
					rec := storetest.NewRecord(res)
					for _, l := range res.Filed() {
						if n%10 > 0 {
							rec.Put(l, storetest.Sample(l, n%200))
						}
					}
					all = append(all, rec)
				}
				if err := p.business.Write(ctx, store.Actor{},
					func(tx *store.Tx) error { return tx.InsertMany(res, all, "create") }); err != nil {
					t.Fatal(err)
				}
			}
			if name == "postgres" {
				if err := p.Script(ctx, []string{"ANALYZE"}); err != nil {
					t.Fatal(err)
				}
			}
			traced := open(t, url)
			traced.SetStatistics(100, 50)
			traced.Trace(func(s store.Statement) {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.seen = append(p.seen, s)
			})
			if p.business, err = traced.Tenant(ctx, p.business.ID()); err != nil {
				t.Fatal(err)
			}
			for _, l := range res.Filed() {
				p.checkCustomEntries(t, res, l)
			}
		})
	}
}

// checkCustomEntries goes through the searches that the index entries of a field serve.
func (p *planned) checkCustomEntries(t *testing.T, res *schema.Resource, l *schema.Leaf) {
	t.Helper()
	one := storetest.Sample(l, 100)
	compared := one
	if l.Key != "" {
		compared.S = query.Key(l, one.S)
	}
	equal := query.Condition{Path: query.Path{Ref: -1, Leaf: l}, Operator: query.Eq, Values: []schema.Value{compared}}
	if l.Kind == schema.Choices {
		equal.Operator, equal.Values[0] = query.Contains, schema.TextValue(schema.Text, l.Options[0])
	}
	position := compared
	if l.Kind == schema.Choice {
		position = schema.IntValue(schema.Integer, 1)
	}
	for _, desc := range []bool{false, true} {
		for n, after := range []*query.Position{nil, {Value: position, ID: schema.NewID(time.Now()), Total: -1}} {
			q := p.search(res)
			q.Order.Leaf, q.Desc, q.After = l, desc, after
			if desc && n > 0 { // so that something is left in either direction
				q.After.ID = schema.UUID{0: 0xff}
			} else if n > 0 {
				q.After.ID = schema.UUID{15: 1}
			}
			if l.Kind != schema.Choices {
				p.holdCustomEntries(t, fmt.Sprintf("by %s, descending %v, position %d", l.Name, desc, n), true, q)
			}
		}
		q := p.search(res)
		q.Desc, q.Filters = desc, []query.Condition{equal}
		p.holdCustomEntries(t, fmt.Sprintf("with one %s, descending %v", l.Name, desc), true, q)
	}
	if l.Kind == schema.Bool || l.Kind == schema.Choice || l.Kind == schema.Choices {
		return // which half of the records have: the order is walked
	}
	q := p.search(res)
	q.Order.Leaf, q.Filters = res.Must(schema.NameField), []query.Condition{equal}
	p.holdCustomEntries(t, "with one "+l.Name+" by name", false, q)
}

// holdCustomEntries runs a search and looks at how it was answered.
func (p *planned) holdCustomEntries(t *testing.T, what string, unsorted bool, q *query.Query) {
	t.Helper()
	pages, _ := p.statements(t, q)
	seen := 0
	for _, s := range pages {
		if strings.Contains(s.SQL, " IS NULL ORDER BY t.id ") { // records that lack the value have no index entries
			continue
		}
		if !strings.Contains(s.SQL, " x WHERE ") && !strings.Contains(s.SQL, " x CROSS JOIN ") &&
			!strings.Contains(s.SQL, "INDEXED BY custom_") {
			t.Errorf("%s: a statement goes without slips:\n%s", what, s.SQL)
		}
		seen++
		for name, plan := range p.plans(t, s) {
			if p.Engine() == "postgres" && name == "generic plan" && !unsorted {
				continue // it is always planned for its values
			}
			wrong := ""
			switch {
			case p.Engine() == "postgres" && strings.Contains(plan, "Seq Scan"), p.Engine() == "sqlite" &&
				regexp.MustCompile(`SCAN [tx]\b`).MatchString(strings.ReplaceAll(plan, "SCAN x\nSEARCH t", "")):
				wrong = "it reads a whole table"
			case unsorted && (sorting.MatchString(plan) || strings.Contains(plan, "TEMP B-TREE")):
				wrong = "it sorts"
			case p.Engine() == "sqlite" && !regexp.MustCompile(`SEARCH t USING INDEX contacts_id `).MatchString(plan):
				wrong = "it does not find records by their ids"
			}
			if wrong != "" {
				t.Errorf("%s: the %s is wrong, %s:\n%s\n%s", what, name, wrong, s.SQL, plan)
			}
		}
	}
	if seen == 0 {
		t.Errorf("%s: no statement was seen", what)
	}
}
