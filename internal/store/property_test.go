package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

func schemaNames() []string { return record.Registry.Names() }

// answering is one way to answer searches: an engine, and from how many records on it counts a business as large, and how many
// matches as few.
type answering struct {
	name   string
	engine *record.Engine
}

// answerings opens the stores that worlds are written to, the usual way to answer on each, and others that are taken by large businesses.
func answerings(t *testing.T) (writers []*store.Store, usual, others []answering) {
	for name, fresh := range engines {
		url := fresh(t)
		s := open(t, url)
		s.SetTextRange(3)
		writers = append(writers, s)
		usual = append(usual, answering{name, newEngine(t, s)})
		eager := open(t, url)
		eager.SetWindow(4)
		others = append(others, answering{name + ", large business", newEngine(t, eager)})
		if name == "sqlite" {
			probing := open(t, url)
			probing.SetStatistics(1000, 3)
			weighing := open(t, url)
			weighing.SetStatistics(1, 3)
			others = append(others, answering{"probing indexes", newEngine(t, probing)},
				answering{"weighing by statistics", newEngine(t, weighing)})
		}
	}
	return writers, usual, others
}

// Random searches over random records: SQLite and PostgreSQL must both answer what looking at each record answers, over all pages.
func TestSearchAnswersAlike(t *testing.T) {
	writers, usual, others := answerings(t)
	// found counts, for each operator, the searches that used it and found something.
	found := map[string]int{}
	var wanted []string
	for _, operator := range query.Operators {
		wanted = append(wanted, string(operator))
	}
	for _, operator := range query.Allowed(schema.Links) {
		wanted = append(wanted, "associations "+string(operator))
	}
	missing := func() []string { return neverFound(found, slices.Clone(wanted)...) }
	checkUntilFound(t, missing, func(t *rapid.T) {
		res := pick(t, "resource", record.Registry.Resources)
		w := randomWorld(t, res)
		business := schema.NewID(time.Now())
		for _, s := range writers {
			if err := fill(s, business, w); err != nil {
				t.Fatalf("%s: %v", s.Engine(), err)
			}
		}
		ids := w.ids()
		for range 20 {
			s := randomSearch(t, w, res, ids)
			w.today = dayOf(time.Now())
			want := w.answer(s)
			for _, f := range s.filters {
				if len(want) > 0 {
					found[f.operator]++
					if strings.HasPrefix(f.field, "associations.") {
						found["associations "+f.operator]++
					}
				}
			}
			ways := usual
			if s.text != "" || len(s.filters) > 0 || w.onlyOwn(res) {
				ways = slices.Concat(usual, others)
			}
			for _, way := range ways {
				way.agrees(t, business, w, s, want)
			}
		}
	})
}

// checkUntilFound holds a property to random examples, again while there are answers that none of them found: what is compared only
// where something is found depends on chance, and whether the test passes must not.
func checkUntilFound(t *testing.T, missing func() []string, property func(*rapid.T)) {
	for range 10 {
		rapid.Check(t, property)
		if len(missing()) == 0 {
			return
		}
	}
	t.Errorf("nothing was compared for %s, as none of the examples found anything", strings.Join(missing(), ", "))
}

// neverFound are those of the wanted words that were counted never.
func neverFound(counted map[string]int, wanted ...string) []string {
	return slices.DeleteFunc(wanted, func(word string) bool { return counted[word] > 0 })
}

// ids are those that a search may name: of the records, and one for each resource that leads nowhere.
func (w *world) ids() map[string][]schema.UUID {
	ids := map[string][]schema.UUID{"stage": {{15: 1}}}
	for _, name := range schemaNames() {
		for _, rec := range w.records[name] {
			ids[name] = append(ids[name], rec.ID())
		}
		ids[name] = append(ids[name], schema.UUID{14: 7, 15: 7})
	}
	return ids
}

// agrees holds a search to what is wanted.
func (a answering) agrees(t *rapid.T, business schema.UUID, w *world, s search, want []string) {
	got, err := a.pages(business, w, s, len(want))
	if dayOf(time.Now()) != w.today {
		return // midnight passed, and quotes may have expired on the way
	}
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("%d records\n\t%s\nwant %d\n\t%s", len(got), strings.Join(got, "\n\t"), len(want), strings.Join(want, "\n\t"))
	}
	if err != nil {
		t.Fatalf("%s: search of %s (bin: %v, own: %v) %s\ngives %v", a.name, s.resource.Plural, s.bin, w.own, s.body("", 0), err)
	}
}

// fill puts a world into a business of its own. Deleted records are inserted live and then deleted, as in life.
func fill(s *store.Store, business schema.UUID, w *world) error {
	b := store.Business{ID: business, Name: "Random", Currency: "EUR", CreatedAt: time.Now()}
	return s.CreateBusiness(context.Background(), b, store.Actor{}, func(tx *store.Tx) error {
		own, err := tx.Own(record.Business)
		if err != nil {
			return err
		}
		moved := own.Clone()
		moved.PutText(record.Business.Must("timezone"), w.zone)
		if err := tx.UpdateOwn(record.Business, own, moved, "update"); err != nil {
			return err
		}
		for _, rec := range w.fields {
			if err := tx.Insert(record.Registry.Resource("field"), rec, "create"); err != nil {
				return err
			}
			tx.Reshape()
		}
		for _, res := range record.Registry.Resources {
			if w.extended != nil && w.extended.Name == res.Name {
				if err := fillExtended(tx, w); err != nil {
					return err
				}
				continue
			}
			for _, rec := range w.records[res.Name] {
				live := rec.Clone()
				live.Put(live.Common.DeletedAt, schema.Absent(schema.Time))
				if err := tx.Insert(res, live, "create"); err != nil {
					return err
				}
				if !rec.Live() {
					if err := tx.Update(res, live, rec, "delete"); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// envelope is the answer to a search.
type envelope struct {
	Data []map[string]any
	Meta struct {
		Cursor struct {
			Next    *string
			HasMore bool `json:"has_more"`
		}
		Total *int64
	}
}

// principal is the user of a world, with the reach that they have in it.
func (a answering) principal(business schema.UUID, w *world) (*record.Principal, error) {
	tenant, err := a.engine.Store().Tenant(context.Background(), business)
	if err != nil {
		return nil, err
	}
	shapes, err := a.engine.Shapes(context.Background(), tenant, int64(len(w.fields)))
	if err != nil {
		return nil, err
	}
	who := &record.Principal{
		Tenant: tenant, Shapes: shapes, User: w.user, Scopes: record.Scopes(),
		Role: record.Role{Name: "random", Permissions: map[string]map[record.Verb]record.Reach{}},
	}
	for _, name := range schemaNames() {
		who.Role.Permissions[name] = map[record.Verb]record.Reach{record.Read: record.All}
		if w.own[name] {
			who.Role.Permissions[name] = map[record.Verb]record.Reach{record.Read: record.Own}
		}
	}
	return who, nil
}

// skips holds pages that leave out some of the records to begin behind these.
func (a answering) skips(who *record.Principal, s search, ids []string) error {
	for _, skip := range []int{1, len(ids) / 3, len(ids) / 2, len(ids) - 1, len(ids), len(ids) + 3} {
		if skip <= 0 {
			continue
		}
		n, err := body.Parse(s.body("", skip))
		if err != nil {
			return err
		}
		k, call := record.KindOf(s.resource.Name), record.Call{Principal: who}
		answer, err := httpapi.AppendList(context.Background(), a.engine, call, k, s.bin, n, nil)
		if err != nil {
			return err
		}
		var page envelope
		if err := json.Unmarshal(answer, &page); err != nil {
			return err
		}
		var got []string
		for _, rec := range page.Data {
			got = append(got, rec["id"].(string))
		}
		want := ids[min(skip, len(ids)):min(skip+s.limit, len(ids))]
		if !slices.Equal(got, want) || page.Meta.Cursor.HasMore != (skip+s.limit < len(ids)) ||
			page.Meta.Total == nil || *page.Meta.Total != int64(len(ids)) {
			return fmt.Errorf("%v behind the first %d of %v: %s", got, skip, ids, answer)
		}
	}
	return nil
}

// pages runs a search page by page and gives the ids of all of them. Every page must carry the total, which is never large here.
func (a answering) pages(business schema.UUID, w *world, s search, total int) ([]string, error) {
	ctx := context.Background()
	who, err := a.principal(business, w)
	if err != nil {
		return nil, err
	}
	ids := []string{}
	cursor := ""
	for {
		n, err := body.Parse(s.body(cursor, 0))
		if err != nil {
			return ids, err
		}
		answer, err := httpapi.AppendList(ctx, a.engine, record.Call{Principal: who}, record.KindOf(s.resource.Name), s.bin, n, nil)
		if err != nil {
			return ids, err
		}
		var page envelope
		d := json.NewDecoder(bytes.NewReader(answer))
		d.UseNumber()
		if err := d.Decode(&page); err != nil {
			return ids, fmt.Errorf("%s: %w", answer, err)
		}
		for _, got := range page.Data {
			id, _ := got["id"].(string)
			ids = append(ids, id)
			for _, rec := range w.records[s.resource.Name] {
				if want := w.shows(s, rec); want["id"] == id && !reflect.DeepEqual(got, want) {
					return ids, fmt.Errorf("the record %v, want %v", got, want)
				}
			}
		}
		next := page.Meta.Cursor.Next
		switch {
		case page.Meta.Total == nil || *page.Meta.Total != int64(total):
			return ids, fmt.Errorf("a page whose total is not %d: %s", total, answer)
		case page.Meta.Cursor.HasMore != (next != nil):
			return ids, fmt.Errorf("a page whose has_more does not fit its cursor: %s", answer)
		case next == nil:
			return ids, a.skips(who, s, ids)
		case len(page.Data) != s.limit:
			return ids, fmt.Errorf("a page of %d that is not the last, with limit %d", len(page.Data), s.limit)
		case len(ids) > total:
			return ids, fmt.Errorf("more records than there are: %s", strings.Join(ids, " "))
		}
		cursor = *next
	}
}
