package storetest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/search"
)

// testExactValues writes the extremes of every kind, reads them back, and finds them by the value that was written.
func testExactValues(t *testing.T, s *store.Store) {
	day := func(year int, month time.Month, d int) schema.Value {
		return schema.DateValue(time.Date(year, month, d, 0, 0, 0, 0, time.UTC))
	}
	instant := func(text string) schema.Value {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return schema.TimeValue(at)
	}
	integers := func(k schema.Kind, numbers ...int64) (values []schema.Value) {
		for _, n := range numbers {
			values = append(values, schema.IntValue(k, n))
		}
		return values
	}
	const safe = 1<<53 - 1
	for _, tt := range []struct {
		resource, field string
		values          []schema.Value // in their order
	}{
		{"deal", "expected_close_date", []schema.Value{
			day(1, 1, 1), day(1, 1, 2), day(1582, 10, 15), day(1969, 12, 31), day(1970, 1, 1),
			day(1999, 12, 31), day(2000, 1, 1), day(2024, 2, 29), day(9999, 12, 31),
		}},
		{"contact", "last_contacted_at", []schema.Value{
			instant("0001-01-01T00:00:00Z"), instant("0001-01-01T00:00:00.000001Z"), instant("1969-12-31T23:59:59.999999Z"),
			instant("1970-01-01T00:00:00Z"), instant("1999-12-31T23:59:59.999999Z"), instant("2000-01-01T00:00:00Z"),
			instant("2026-03-29T01:30:00.123456Z"), instant("2026-03-29T01:30:00.123457Z"), instant("9999-12-31T23:59:59.999999Z"),
		}},
		{"company", "annual_revenue", integers(schema.Money, -schema.DecimalMax, -1, 0, 1, schema.DecimalMax-1, schema.DecimalMax)},
		{"company", "employee_count", integers(schema.Integer, -safe, 0, safe-1, safe)},
		{"deal", "probability", integers(schema.Percent, 0, 1, 100*schema.DecimalOne)},
		{"contact", "lead_score", []schema.Value{
			schema.FloatValue(-math.MaxFloat64), schema.FloatValue(-safe), schema.FloatValue(-0.1),
			schema.FloatValue(-math.SmallestNonzeroFloat64), schema.FloatValue(math.Copysign(0, -1)),
			schema.FloatValue(math.SmallestNonzeroFloat64), schema.FloatValue(0.1), schema.FloatValue(0.30000000000000004),
			schema.FloatValue(1), schema.FloatValue(9007199254740993), schema.FloatValue(math.MaxFloat64),
		}},
		{"contact", "do_not_contact", []schema.Value{schema.BoolValue(false), schema.BoolValue(true)}},
		{"contact", "company_id", []schema.Value{
			schema.IDValue(schema.UUID{15: 1}), schema.IDValue(schema.UUID{0x7f, 0xff}), schema.IDValue(schema.UUID{0x80}),
			{Kind: schema.ID, Set: true, S: strings.Repeat("\xff", 16)},
		}},
	} {
		b, res := Business(t, s), s.Registry().Resource(tt.resource)
		leaf := res.Must(tt.field)
		var inserted []*schema.Record
		for _, v := range tt.values {
			rec := NewRecord(res)
			rec.Put(res.Must(tt.field), v)
			rec.PutText(rec.Common.ExternalID, "")
			inserted = append(inserted, rec)
		}
		// The last comes first, so that order is not by luck.
		backwards := slices.Clone(inserted)
		slices.Reverse(backwards)
		insert(t, b, res, backwards...)
		for i, rec := range inserted {
			if got := get(t, b, res, rec.ID()).Get(res.Must(tt.field)); got != tt.values[i] {
				t.Errorf("%s is %+v, want %+v", tt.field, got, tt.values[i])
			}
			found := matching(t, b, res, store.Equal(leaf, tt.values[i]))
			if !slices.Equal(found, ids(rec)) {
				t.Errorf("%s equal to %+v finds %d records, want the one", tt.field, tt.values[i], len(found))
			}
		}
		here := on(leaf, query.In, tt.values...)
		found, _ := all(t, b, res, func(q *query.Query) { q.Order.Leaf, q.Filters = leaf, []query.Condition{here} })
		if !slices.Equal(found, ids(inserted...)) {
			t.Errorf("%s does not sort as its values do", tt.field)
		}
		for i := range inserted {
			// Page by page the position itself passes through the engine.
			after := &query.Position{Value: tt.values[i], ID: inserted[i].ID()}
			found, _ := all(t, b, res, func(q *query.Query) {
				q.Order.Leaf, q.Filters, q.After = leaf, []query.Condition{here}, after
			})
			if !slices.Equal(found, ids(inserted[i+1:]...)) {
				t.Errorf("%s behind %+v are %d records, want %d", tt.field, tt.values[i], len(found), len(inserted)-i-1)
			}
		}
	}
}

// testLapse starts again if midnight, UTC, passes while it runs.
func testLapse(t *testing.T, s *store.Store) {
	for {
		today := schema.DateValue(time.Now())
		b, res := Business(t, s), s.Registry().Resource("quote")
		shown := map[string]schema.UUID{}
		for name, day := range map[string]schema.Value{
			"expired": schema.IntValue(schema.Date, today.N-1), "sent": today, "open": schema.Absent(schema.Date),
		} {
			rec := NewRecord(res)
			rec.PutText(rec.Must("status"), "sent")
			rec.Put(rec.Must("valid_until"), day)
			insert(t, b, res, rec)
			shown[name] = rec.ID()
		}
		draft := NewRecord(res)
		draft.PutText(draft.Must("status"), "draft")
		draft.Put(draft.Must("valid_until"), schema.IntValue(schema.Date, today.N-1))
		insert(t, b, res, draft)

		status := func(id schema.UUID) string { return get(t, b, res, id).Text(res.Must("status")) }
		got := []string{status(shown["expired"]), status(shown["sent"]), status(shown["open"]), status(draft.ID())}
		expired := matching(t, b, res, store.Equal(res.Must("status"), schema.TextValue(schema.Choice, "expired")))
		sent := matching(t, b, res, store.Equal(res.Must("status"), schema.TextValue(schema.Choice, "sent")))
		// A set without values must not trip over the computed state.
		none, every := matching(t, b, res, on(res.Must("status"), query.In)), matching(t, b, res, on(res.Must("status"), query.Nin))
		if len(none) > 0 || len(every) != 4 {
			t.Errorf("%d are in the empty set and %d are not, want 0 and 4", len(none), len(every))
		}
		if schema.DateValue(time.Now()) != today {
			continue
		}
		if !slices.Equal(got, []string{"expired", "sent", "sent", "draft"}) {
			t.Errorf("the quotes are %v", got)
		}
		if !slices.Equal(expired, []schema.UUID{shown["expired"]}) || len(sent) != 2 {
			t.Errorf("%d are found as expired and %d as sent", len(expired), len(sent))
		}
		return
	}
}

// oddities are texts that some layer might change, refuse or compare in its own way.
var oddities = []string{
	"plain", " leading and trailing ", "tab\tand\nline\r\nbreak",
	`quote " apostrophe ' backslash \ percent % underscore _ question ? dollar $1 colon :a`,
	"\u00e9 as one", "e\u0301 as two", "\u0301 a mark alone", "\u0130stanbul \u0131I", "Stra\u00dfe STRASSE \u1e9e", "\ufb01 ligature",
	"\u01c4 \u01c5 \u01c6", "\u03c2 \u03a3 \u03c3", "\u0390 \u1fd3",
	"日本語テキスト", "\ud55c\uad6d\uc5b4", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165",
	"\u05e2\u05b4\u05d1\u05b0\u05e8\u05b4\u05d9\u05ea", "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u200f", "हिन्दी",
	"\u200bzero\u200d width\ufeff", "\U0001f469\u200d\U0001f469\u200d\U0001f467 family", "\U0001f1e9\U0001f1ea", "\U00010400\U00010428",
	"a\U0010ffffz", "\ufffd", "\ufffe\uffff", "\ue000",
	"\u0001\u001f\u007f", "\u2028\u2029\u0085", "\ufdfa", "\u00a0\u3000wide", "'; DROP TABLE contacts; --", `{"json":[1]}`, "NULL",
	"0x00", "1e400", strings.Repeat("long ", 10_000),
}

func testTexts(t *testing.T, s *store.Store) {
	b, res := Business(t, s), s.Registry().Resource("note")
	for _, text := range oddities {
		rec := NewRecord(res)
		rec.PutText(rec.Must("body"), text)
		if len(text) < 300 {
			rec.PutText(rec.Must("title"), text)
			rec.PutText(rec.Common.ExternalID, text)
		}
		tag := strings.ReplaceAll(text, "\u001f", "") // which stands between the tags of a key; no tag that is given can have it
		list := string(schema.AppendString([]byte("["), tag)) + "]"
		rec.PutText(rec.Common.Tags, list)
		rec.PutText(rec.Common.CustomFields, `{"a" : `+list+` }`) // documents keep their spaces as well
		insert(t, b, res, rec)
		same(t, get(t, b, res, rec.ID()), rec)

		changes := log(t, b)
		if last := changes[len(changes)-1].Changes; !strings.Contains(last,
			`"body":{"from":null,"to":`+string(schema.AppendString(nil, text))+"}") {
			t.Errorf("the log says %.200s", last)
		}
		for _, condition := range []query.Condition{
			store.Equal(res.Must("body"), schema.TextValue(schema.LongText, text)),
			on(res.Must("body"), query.Contains, schema.Value{Kind: schema.LongText, Set: true, S: query.Fold(text)}),
			on(res.Must("body"), query.StartsWith, schema.Value{Kind: schema.LongText, Set: true, S: query.Fold(text)}),
			on(res.Must("tags"), query.Contains, schema.Value{Kind: schema.Tags, Set: true, S: query.Fold(tag)}),
		} {
			if !slices.Contains(matching(t, b, res, condition), rec.ID()) {
				t.Errorf("%s does not find %.60q by %s", condition.Operator, text, condition.Leaf.Path)
			}
		}
		if words := query.Words(query.Fold(text)); len(text) < 300 {
			found, _ := all(t, b, res, func(q *query.Query) { q.Words = words })
			if !slices.Contains(found, rec.ID()) {
				t.Errorf("the words %.60q do not find the text that they are from", words)
			}
		}
	}
}

// testPrefixes has texts right before, inside and right behind each range of a prefix.
func testPrefixes(t *testing.T, s *store.Store) {
	b, res := Business(t, s), contacts(s)
	names := []string{
		"ab", "abc", "abcd", "abc\U0010ffff", "abd", "abe", "a\ud7ff", "a\ud7ffz", "a\ue000", "a\U0010ffff",
		"a\U0010ffff\U0010ffff", "b",
	}
	for _, name := range names {
		insert(t, b, res, person(s, name))
	}
	for _, prefix := range []string{"a", "ab", "abc", "abd", "a\ud7ff", "a\ue000", "a\U0010ffff", "\U0010ffff", "b"} {
		var want, got []string
		for _, name := range names {
			if strings.HasPrefix(name, prefix) {
				want = append(want, name)
			}
		}
		q := &query.Query{
			Resource: res, Order: own(res.Must("created_at")), Limit: 100, Leaves: []*schema.Leaf{res.Must("name")},
			Filters: []query.Condition{on(res.Must("name"), query.StartsWith, schema.Value{Kind: schema.Text, Set: true, S: prefix})},
		}
		pages(t, b, q, func(values []schema.Value) { got = append(got, values[0].S) })
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%+q begins %+q, want %+q", prefix, got, want)
		}
	}
}

// testLargestSearch takes the limits of a search to their ends.
func testLargestSearch(t *testing.T, s *store.Store) {
	b, res := Business(t, s), s.Registry().Resource("note")
	var words []string
	for i := range 9_000 {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	text := strings.Join(words, " ")
	long, short := NewRecord(res), NewRecord(res)
	long.PutText(long.Must("body"), text)
	insert(t, b, res, long, short)
	condition := func(field string, operator query.Operator, texts ...string) query.Condition {
		c := on(res.Must(field), operator)
		for _, text := range texts {
			c.Values = append(c.Values, schema.Value{Kind: c.Leaf.Kind, Set: true, S: text})
		}
		return c
	}
	for name, tt := range map[string]struct {
		condition query.Condition
		times     int
		words     []string
		want      []*schema.Record
	}{
		"sets": {condition: condition("title", query.Nin, words[:query.MaxValues]...), times: 5, want: []*schema.Record{long, short}},
		"lists": {
			condition: condition("tags", query.Nin, words[:query.MaxValues]...), times: query.MaxFilters,
			want: []*schema.Record{long, short},
		},
		"words": {
			condition: condition("body", query.IsSet), times: query.MaxFilters, words: words[:100],
			want: []*schema.Record{long},
		},
		"long needles": {condition: condition("body", query.Contains, text), times: query.MaxFilters, want: []*schema.Record{long}},
	} {
		found, _ := all(t, b, res, func(q *query.Query) {
			q.Filters, q.Words = slices.Repeat([]query.Condition{tt.condition}, tt.times), tt.words
		})
		if !slices.Equal(found, ids(tt.want...)) {
			t.Errorf("%s: it finds %d records, want %d", name, len(found), len(tt.want))
		}
	}
}

// testLongLists holds every field that has in and nin to the same answer, be the values few or, with many that no record has, one argument.
func testLongLists(t *testing.T, s *store.Store) {
	b := Business(t, s)
	for _, res := range s.Registry().Resources {
		recs := make([]*schema.Record, 6)
		for n := range recs {
			recs[n] = NewRecord(res)
			if n == 0 {
				continue // has only what it must
			}
			for i, l := range res.Leaves {
				if l.ReadOnly || l.Writing.BinOnly || l.Path == "id" {
					continue
				}
				recs[n].Values[i] = Sample(l, n+1) // another than all must have
			}
		}
		insert(t, b, res, recs...)
		for _, l := range res.Leaves {
			if !slices.Contains(query.Allowed(l.Kind), query.In) || l.Writing.BinOnly {
				continue
			}
			values := func(numbers ...int) (out []schema.Value) {
				for _, n := range numbers {
					v := Sample(l, n)
					if l.Kind == schema.Tags {
						v = schema.Value{Kind: l.Kind, Set: true, S: fmt.Sprintf("tag %d", n)}
					} else if l.Kind == schema.Choices {
						v = schema.TextValue(l.Kind, l.Options[n%len(l.Options)])
					} else {
						v = store.Equal(l, v).Values[0]
					}
					out = append(out, v)
				}
				return out
			}
			long := []int{3}
			for n := range 200 {
				if l.Kind == schema.Choice || l.Kind == schema.Choices || l.Kind == schema.Bool {
					n = 3
				} else {
					n += 1000
				}
				long = append(long, n)
			}
			for _, operator := range []query.Operator{query.In, query.Nin} {
				search := func(numbers ...int) []schema.UUID {
					return matching(t, b, res, on(l, operator, values(numbers...)...))
				}
				few, many := search(3), search(long...)
				if !slices.Equal(few, many) {
					t.Errorf("%s.%s %s: one value finds %d records, many find %d", res.Name, l.Path, operator, len(few), len(many))
				}
				if operator == query.In && l.Kind != schema.ID && !l.ReadOnly && len(few) == 0 {
					t.Errorf("%s.%s: nothing is found", res.Name, l.Path)
				}
			}
		}
	}
}

func testHeavyPages(t *testing.T, s *store.Store) {
	b, res := Business(t, s), s.Registry().Resource("note")
	// Four of them fill a page: a control character takes six bytes as JSON.
	const records, characters, each = 9, 400_000, 6 * 400_000
	var want []schema.UUID
	for n := range records {
		rec := NewRecord(res)
		rec.PutText(rec.Must("title"), fmt.Sprintf("note %02d", n))
		rec.PutText(rec.Must("body"), fmt.Sprintf("words %d ", n)+strings.Repeat("\x01", characters))
		insert(t, b, res, rec)
		want = append(want, rec.ID())
	}
	for name, edit := range map[string]func(q *query.Query){
		"in the order of creation":  func(*query.Query) {},
		"by a field with an index":  func(q *query.Query) { q.Order.Leaf = res.Must("title") },
		"by a field without one":    func(q *query.Query) { q.Order.Leaf = res.Must("pinned") },
		"with a word":               func(q *query.Query) { q.Words = []string{"words"} },
		"with a word, by the title": func(q *query.Query) { q.Words, q.Order.Leaf = []string{"words"}, res.Must("title") },
	} {
		var found []schema.UUID
		q := &query.Query{Resource: res, Order: own(res.Must("created_at")), Limit: 100, Leaves: res.Leaves}
		edit(q)
		for pages := 1; ; pages++ {
			size, first := 0, len(found)
			page, err := b.Search(ctx, q, func(values []schema.Value) error {
				found = append(found, values[res.Must("id").Index].UUID())
				size += 6 * len(values[res.Must("body").Index].S)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if size > search.MaxPage+each || page.More && size < search.MaxPage-each {
				t.Errorf("%s: page %d has %d bytes in %d records", name, pages, size, len(found)-first)
			}
			if !page.More {
				break
			}
			q.After = &page.Last
		}
		slices.SortFunc(found, func(a, b schema.UUID) int { return slices.Compare(a[:], b[:]) })
		if !slices.Equal(found, want) {
			t.Errorf("%s: %d records were found, want %d", name, len(found), len(want))
		}
	}
}
