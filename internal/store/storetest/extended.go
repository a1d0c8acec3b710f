package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// extended are contacts with a field of every kind that a document can have, and with an index where that is wanted and can be.
func extended(t testing.TB, s *store.Store, indexed bool) *schema.Resource {
	t.Helper()
	res := contacts(s)
	var added []schema.Addition
	for i, k := range []schema.Kind{
		schema.Text, schema.LongText, schema.Choice, schema.Bool, schema.Integer, schema.Number, schema.Money, schema.Quantity,
		schema.Percent, schema.Date, schema.Time, schema.ID, schema.Tags, schema.Choices,
	} {
		field := schema.Field{
			Name: fmt.Sprintf("own_%d", k), Kind: k, Label: fmt.Sprintf("Own %d", k),
			Find: schema.Find{Searchable: k == schema.Text, Indexed: indexed && k.Files()},
		}
		if k == schema.Choice || k == schema.Choices {
			field.Options = []string{"small", "large"}
		}
		if k == schema.ID {
			field.Ref.Prefix = "own"
		}
		added = append(added, schema.Addition{Member: fmt.Sprintf("f%d", i+1), Field: field})
	}
	extended, err := res.Extend(res.Common.CustomFields, nil, added...)
	if err != nil {
		t.Fatal(err)
	}
	return extended
}

// testExtendedRoundTrip writes and reads records with fields that live in a document.
func testExtendedRoundTrip(t *testing.T, s *store.Store) {
	b, res := Business(t, s), extended(t, s, false)
	_, added := res.Document()
	full, bare, foreign := NewRecord(res), NewRecord(res), NewRecord(contacts(s))
	for i, l := range added {
		full.Put(l, Sample(l, i+1))
	}
	insert(t, b, res, full, bare)
	foreign.PutText(foreign.Common.CustomFields, `{"f99":"not ours"}`)
	insert(t, b, contacts(s), foreign)
	for _, rec := range []*schema.Record{full, bare} {
		same(t, get(t, b, res, rec.ID()), rec)
	}

	// One value changes and one goes; the others stay, and so does what the shape knows nothing of.
	for _, id := range []schema.UUID{full.ID(), foreign.ID()} {
		after := update(t, b, res, id, "update", func(rec *schema.Record) {
			rec.Put(added[0], schema.TextValue(added[0].Kind, "Änderung"))
			rec.Put(added[4], schema.Absent(added[4].Kind))
		})
		same(t, get(t, b, res, id), after)
	}
	if document := get(t, b, contacts(s), foreign.ID()).Text(foreign.Common.CustomFields); !strings.Contains(document,
		`"f99":"not ours"`) || !strings.Contains(document, `"f1":"Änderung"`) {
		t.Errorf("the document is %s", document)
	}
	var logged string
	err := b.Changes(ctx, 0, func(c store.Change) error {
		if c.RecordID == full.ID() {
			logged = c.Changes
		}
		return nil
	})
	want := fmt.Sprintf(`{"%s":{"from":"Own 1 1","to":"Änderung"},"%s":{"from":5,"to":null}}`, added[0].Path, added[4].Path)
	if err != nil || logged != want {
		t.Errorf("the log has %s, %v, want %s", logged, err, want)
	}
	if found, _ := all(t, b, res, func(q *query.Query) { q.Words = []string{query.Fold("änder")} }); len(found) != 2 {
		t.Errorf("a word of an added field finds %d records", len(found))
	}
}

// testExtendedSearch filters and sorts by fields that live in a document, and holds each search to the values themselves.
func testExtendedSearch(t *testing.T, s *store.Store) {
	for _, indexed := range []bool{false, true} {
		t.Run(fmt.Sprintf("indexed %v", indexed), func(t *testing.T) { checkExtendedSearch(t, s, extended(t, s, indexed)) })
	}
}

func checkExtendedSearch(t *testing.T, s *store.Store, res *schema.Resource) {
	b := Business(t, s)
	_, added := res.Document()
	var records []*schema.Record
	for n := range 12 {
		rec := NewRecord(res)
		for _, l := range added {
			if n%4 != 3 {
				rec.Put(l, Sample(l, n*7%5))
			}
		}
		records = append(records, rec)
	}
	insert(t, b, res, records...)
	for _, l := range added {
		compared := func(v schema.Value) schema.Value {
			if l.Key != "" && l.Kind != schema.Tags {
				v.S = query.Key(l, v.S)
			}
			return v
		}
		given := compared(Sample(l, 2))
		scalar := l.Kind.Scalar()
		for operator, fits := range map[query.Operator]func(schema.Value) bool{
			query.IsSet:    func(v schema.Value) bool { return v.Set },
			query.IsNotSet: func(v schema.Value) bool { return !v.Set },
			query.Eq:       func(v schema.Value) bool { return v.Set && compareSamples(v, given) == 0 },
			query.Neq:      func(v schema.Value) bool { return !v.Set || compareSamples(v, given) != 0 },
			query.In:       func(v schema.Value) bool { return v.Set && compareSamples(v, given) == 0 },
			query.Gt:       func(v schema.Value) bool { return v.Set && compareSamples(v, given) > 0 },
			query.Lte:      func(v schema.Value) bool { return v.Set && compareSamples(v, given) <= 0 },
		} {
			if !slices.Contains(query.Allowed(l.Kind), operator) || !scalar && operator != query.IsSet && operator != query.IsNotSet {
				continue
			}
			var want []schema.UUID
			for _, rec := range records {
				if fits(compared(rec.Get(l))) {
					want = append(want, rec.ID())
				}
			}
			condition := on(l, operator)
			if operator != query.IsSet && operator != query.IsNotSet {
				condition.Values = []schema.Value{given}
			}
			if found := matching(t, b, res, condition); !slices.Equal(found, want) {
				t.Errorf("%s %s: %d records are found, want %d", l.Path, operator, len(found), len(want))
			}
		}
		if l.Kind == schema.Tags || l.Kind == schema.Choices {
			found := matching(t, b, res, on(l, query.In, schema.TextValue(schema.Text, firstItem(Sample(l, 2)))))
			if len(found) == 0 || len(found) == len(records) {
				t.Errorf("%s has an item in %d records", l.Path, len(found))
			}
			continue
		}
		for _, desc := range []bool{false, true} {
			want := slices.Clone(records)
			slices.SortFunc(want, func(x, y *schema.Record) int {
				v, w := compared(x.Get(l)), compared(y.Get(l))
				order := 0
				switch {
				case v.Set && w.Set && l.Kind == schema.Choice:
					order = cmp.Compare(slices.Index(l.Options, v.S), slices.Index(l.Options, w.S))
				case v.Set && w.Set:
					order = compareSamples(v, w)
				case v.Set:
					return -1
				case w.Set:
					return 1
				}
				idX, idY := x.ID(), y.ID()
				if order = cmp.Or(order, slices.Compare(idX[:], idY[:])); desc {
					return -order
				}
				return order
			})
			var found []schema.UUID
			q := &query.Query{Resource: res, Order: own(l), Desc: desc, Limit: 5, Leaves: append(slices.Clone(res.Visible(false)), l)}
			pages(t, b, q, func(values []schema.Value) {
				id := values[slices.Index(q.Leaves, res.Common.ID)].UUID()
				at := slices.IndexFunc(records, func(rec *schema.Record) bool { return rec.ID() == id })
				if got := values[slices.Index(q.Leaves, l)]; got != records[at].Get(l) {
					t.Errorf("%s is answered as %+v, want %+v", l.Path, got, records[at].Get(l))
				}
				found = append(found, id)
			})
			if !slices.Equal(found, ids(want...)) {
				t.Errorf("in the order of %s, descending %v, the records come otherwise", l.Path, desc)
			}
		}
	}
}

// compareSamples compares two values of a kind as they are compared in columns.
func compareSamples(a, b schema.Value) int {
	if a.Kind == schema.Number {
		return cmp.Compare(a.Float(), b.Float())
	}
	return cmp.Or(cmp.Compare(a.N, b.N), cmp.Compare(a.S, b.S))
}

// firstItem is the first text of a list.
func firstItem(list schema.Value) string {
	_, rest, _ := strings.Cut(list.S, `"`)
	item, _, _ := strings.Cut(rest, `"`)
	return query.Fold(item)
}
