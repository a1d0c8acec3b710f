package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// addable are the kinds that an added field can be, as a definition calls them.
var addable = []struct {
	name   string
	kind   schema.Kind
	format schema.Format
}{
	{"text", schema.Text, schema.Plain},
	{"phone", schema.Text, schema.Phone},
	{"number", schema.Number, schema.Plain},
	{"money", schema.Money, schema.Plain},
	{"boolean", schema.Bool, schema.Plain},
	{"date", schema.Date, schema.Plain},
	{"datetime", schema.Time, schema.Plain},
	{"select", schema.Choice, schema.Plain},
	{"multi_select", schema.Choices, schema.Plain},
	{"reference", schema.ID, schema.Plain},
	{"long_text", schema.LongText, schema.Plain},
}

// randomFields draws the fields that a business adds to a resource, most of them with an index.
func randomFields(t *rapid.T, res *schema.Resource) *world {
	w := &world{}
	var added []schema.Addition
	for n := range rapid.IntRange(1, 6).Draw(t, "fields") {
		as := pick(t, "kind", addable)
		f := schema.Field{Name: fmt.Sprintf("own_%d", n), Kind: as.kind, Format: as.format, Label: "Own"}
		if as.kind == schema.ID {
			f.Name, f.Ref.To = f.Name+"_id", pick(t, "target", []string{"user", "contact", "company", "deal"})
		}
		f.Find.Indexed = as.kind.Files() && rapid.IntRange(0, 3).Draw(t, "indexed") > 0
		rec := storetest.NewRecord(record.Registry.Resource("field"))
		rec.PutText(record.Fields.Resource, res.Name)
		rec.PutText(record.Fields.Name, f.Name)
		rec.PutText(record.Fields.Label, f.Label)
		rec.PutText(record.Fields.Kind, as.name)
		rec.Put(record.Fields.Position, schema.IntValue(schema.Integer, int64(n)))
		rec.Put(record.Fields.Number, schema.IntValue(schema.Integer, int64(n+1)))
		for l, yes := range map[*schema.Leaf]bool{
			record.Fields.Indexed: f.Find.Indexed, record.Fields.Unique: false,
			record.Fields.Required: false, record.Fields.Searchable: false,
		} {
			rec.Put(l, schema.BoolValue(yes))
		}
		if f.Find.Indexed {
			rec.PutText(record.Fields.IndexStatus, "ready")
		}
		if f.Ref.To != "" {
			rec.PutText(record.Fields.Target, f.Ref.To)
		}
		if as.kind == schema.Choice || as.kind == schema.Choices {
			f.Options = []string{"small", "it's large", "Ärger"}
			var options []string
			for i, value := range f.Options {
				options = append(options, fmt.Sprintf(`{"value":%q,"position":%d,"archived":false}`, value, i+1))
			}
			rec.Put(record.Fields.Options, schema.TextValue(schema.List, "["+strings.Join(options, ",")+"]"))
		}
		added = append(added, schema.Addition{Member: fmt.Sprintf("f%d", n+1), Field: f})
		w.fields = append(w.fields, rec)
	}
	extended, err := res.Extend(res.Common.CustomFields, record.Registry.Resource, added...)
	if err != nil {
		t.Fatal(err)
	}
	w.extended = extended
	return w.populate(t, extended)
}

// fillExtended writes the records with added fields. Each is made with the values of another one, which then change.
func fillExtended(tx *store.Tx, w *world) error {
	records := w.records[w.extended.Name]
	_, added := w.extended.Document()
	for i, rec := range records {
		before := rec.Clone()
		before.Put(before.Common.DeletedAt, schema.Absent(schema.Time))
		for _, l := range added {
			before.Put(l, records[(i+1)%len(records)].Get(l))
		}
		if err := tx.Insert(w.extended, before, "create"); err != nil {
			return err
		}
		live := before.Clone()
		for _, l := range added {
			live.Put(l, rec.Get(l))
		}
		if err := tx.Update(w.extended, before, live, "update"); err != nil {
			return err
		}
		if rec.Live() {
			continue
		}
		gone := live.Clone()
		gone.Put(gone.Common.DeletedAt, rec.Get(rec.Common.DeletedAt))
		if err := tx.Update(w.extended, live, gone, "delete"); err != nil {
			return err
		}
	}
	return nil
}

// Random searches by random fields of a business's own, with and without an index, find on both engines what looking at each record
// finds, in the same order and over all pages.
func TestAddedFieldsAnswerAlike(t *testing.T) {
	writers, usual, others := answerings(t)
	walked := map[string]int{}
	followed := map[string]int{} // references of a business's own, by what they were followed for
	missing := func() []string {
		missing := neverFound(followed, "order", "answer", "filter")
		if len(walked) < 8 { // which of the operators found something is of no matter, that few did is
			missing = append(missing, fmt.Sprintf("eight operators on indexed fields, only %v", walked))
		}
		return missing
	}
	checkUntilFound(t, missing, func(t *rapid.T) {
		res := record.Registry.Resource(pick(t, "resource", []string{"contact", "company", "deal", "product", "note"}))
		w := randomFields(t, res)
		business := schema.NewID(time.Now())
		for _, s := range writers {
			if err := fill(s, business, w); err != nil {
				t.Fatalf("%s: %v", s.Engine(), err)
			}
		}
		ids := w.ids()
		_, added := w.extended.Document()
		var references []*schema.Leaf
		for _, l := range added {
			if l.Target != nil {
				references = append(references, l)
			}
		}
		for range 6 {
			s := randomSearch(t, w, w.extended, ids)
			if rapid.IntRange(0, 2).Draw(t, "own order") > 0 {
				if l := pick(t, "ordered by", added); l.Kind.Scalar() {
					s.orderBy = l.Path
				}
			}
			if m := (&maker{t: t, w: w, ids: ids, target: nil}); rapid.IntRange(0, 2).Draw(t, "own filter") > 0 {
				s.filters = append(s.filters, m.filterBy(w.extended, pick(t, "filtered by", added).Path))
			}
			if len(references) > 0 { // which a random search seldom follows
				m, via := &maker{t: t, w: w, ids: ids}, pick(t, "via", references)
				switch rapid.IntRange(0, 2).Draw(t, "followed for") {
				case 0:
					s.orderBy = m.behind(via, schema.Kind.Scalar)
				case 1:
					s.shown = append(s.shown, m.behind(via, anyKind))
				case 2:
					s.filters = append(s.filters, m.filterBy(w.extended, m.behind(via, anyKind)))
				}
			}
			w.today = dayOf(time.Now())
			want := w.answer(s)
			follows := func(what, field string) {
				if w.extended.Leaf(field) == nil && strings.HasPrefix(field, "custom_fields.") && len(want) > 0 {
					followed[what]++
				}
			}
			follows("order", s.orderBy)
			for _, field := range s.shown {
				follows("answer", field)
			}
			for _, f := range s.filters {
				follows("filter", f.field)
				if l := w.extended.Leaf(f.field); l != nil && l.Find.Indexed && l.Member != "" && len(want) > 0 {
					walked[f.operator]++
				}
			}
			for _, way := range append(append([]answering{}, usual...), others...) {
				way.agrees(t, business, w, s, want)
			}
		}
	})
}
