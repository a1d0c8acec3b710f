package store_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// question is the body of an aggregate; its records are those of a search.
type question struct {
	search
	groups, metrics []string
}

func (q question) body() []byte {
	var doc map[string]any
	read := json.NewDecoder(bytes.NewReader(q.search.body("", 0)))
	read.UseNumber() // floating point has too few digits for the largest amounts
	if err := read.Decode(&doc); err != nil {
		panic(err)
	}
	delete(doc, "fields")
	delete(doc, "order_by")
	doc["group_by"], doc["metrics"] = q.groups, q.metrics
	if q.orderBy != "" {
		doc["order_by"] = q.orderBy
	}
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return text
}

// The business's time zones: with summer time on both halves of the year, with a day that never was, and with odd minutes.
var zones = []string{"", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kathmandu", "America/Sao_Paulo"}

// Random questions over random records: both engines must answer what adding up the records of all pages of the search gives.
func TestAggregatesAddUp(t *testing.T) {
	var writers []*store.Store
	var ways []answering
	for name, fresh := range engines {
		url := fresh(t)
		s := open(t, url)
		s.SetTextRange(3)
		writers = append(writers, s)
		large := open(t, url)
		large.SetWindow(4)
		ways = append(ways, answering{name, newEngine(t, s)}, answering{name + ", large business", newEngine(t, large)})
		if name == "sqlite" {
			sorting := open(t, url)
			sorting.SetMostGroups(2)
			sorting.SetStatistics(1, 3)
			ways = append(ways, answering{"more groups than fit", newEngine(t, sorting)})
		}
	}
	seen := map[string]int{} // by the words of questions that had more than one row
	missing := func() []string {
		return neverFound(seen, "count", "sum", "avg", "min", "max", "day", "week", "month", "quarter", "year")
	}
	checkUntilFound(t, missing, func(t *rapid.T) {
		res := pick(t, "resource", record.Registry.Resources)
		w := randomWorld(t, res)
		w.zone = pick(t, "zone", zones)
		business := schema.NewID(time.Now())
		for _, s := range writers {
			if err := fill(s, business, w); err != nil {
				t.Fatalf("%s: %v", s.Engine(), err)
			}
		}
		ids := map[string][]schema.UUID{"stage": {{15: 1}}}
		for _, name := range schemaNames() {
			for _, rec := range w.records[name] {
				ids[name] = append(ids[name], rec.ID())
			}
			ids[name] = append(ids[name], schema.UUID{14: 7, 15: 7})
		}
		for range 12 {
			q := randomQuestion(t, w, res, ids)
			w.today = dayOf(time.Now())
			want, more := w.figures(q)
			for _, way := range ways {
				got, err := way.aggregate(business, w, q)
				if dayOf(time.Now()) != w.today {
					break // midnight passed, and quotes may have expired on the way
				}
				if err != nil {
					t.Fatalf("%s: aggregate of %s in %q: %s\ngives %v", way.name, res.Plural, w.zone, q.body(), err)
				}
				if got.Meta.HasMore != more || len(got.Data) != len(want) || len(want) > 0 && !reflect.DeepEqual(got.Data, want) {
					t.Fatalf("%s: aggregate of %s (own: %v) in %q: %s\ngives %s\nwant  %s", way.name, res.Plural, w.own, w.zone, q.body(),
						lines(got.Data), lines(want))
				}
			}
			if len(want) > 1 {
				for _, m := range q.metrics {
					word, _, _ := strings.Cut(m, ":")
					seen[word]++
				}
				for _, g := range q.groups {
					_, unit, _ := strings.Cut(g, ":")
					seen[unit]++
				}
			}
		}
	})
}

func lines(rows []map[string]any) string {
	var s strings.Builder
	for _, r := range rows {
		s.WriteString("\n\t" + marshal(r))
	}
	return s.String()
}

func randomQuestion(t *rapid.T, w *world, res *schema.Resource, ids map[string][]schema.UUID) question {
	m := &maker{t: t, w: w, ids: ids}
	q := question{search: randomSearch(t, w, res, ids)}
	q.bin, q.shown, q.orderBy = false, nil, ""
	q.filters = slices.DeleteFunc(q.filters, func(f filter) bool {
		return f.field == "deleted_at" ||
			strings.HasPrefix(f.field, "merged_into")
	})
	if m.oneIn(3, "all") {
		q.filters, q.text = nil, ""
	}
	leafOf := func(field string) *schema.Leaf {
		leaf, _ := w.resolve(res, schema.NewRecord(&res.Shape), field)
		return leaf
	}
	for range pick(t, "groups", []int{0, 1, 1, 1, 2, 2}) {
		name := m.field(res, false, func(k schema.Kind) bool { return k.Scalar() && k != schema.LongText })
		if k := leafOf(name).Kind; k == schema.Time || k == schema.Date && rapid.Bool().Draw(t, "by unit") {
			name += ":" + pick(t, "unit", []string{"day", "week", "month", "quarter", "year"})
		}
		if !slices.Contains(q.groups, name) {
			q.groups = append(q.groups, name)
		}
	}
	for range pick(t, "metrics", []int{1, 1, 2, 3, 5}) {
		name := "count"
		if !m.oneIn(4, "count") {
			word := pick(t, "measure", []string{"sum", "avg", "min", "max"})
			name = word + ":" + m.field(res, false, func(k schema.Kind) bool {
				return k == schema.Integer || k == schema.Number || k.Decimal() || (word == "min" || word == "max") &&
					(k == schema.Date || k == schema.Time)
			})
		}
		if !slices.Contains(q.metrics, name) {
			q.metrics = append(q.metrics, name)
		}
	}
	if !m.oneIn(3, "default order") {
		q.orderBy = pick(t, "order", slices.Concat(q.groups, q.metrics))
	}
	q.limit = pick(t, "rows", []int{1, 2, 5, 1000, 1000})
	return q
}

// rows is the answer to an aggregate.
type rows struct {
	Data []map[string]any
	Meta struct {
		HasMore bool `json:"has_more"`
	}
}

func (a answering) aggregate(business schema.UUID, w *world, q question) (got rows, err error) {
	who, err := a.principal(business, w)
	if err != nil {
		return got, err
	}
	n, err := body.Parse(q.body())
	if err != nil {
		return got, err
	}
	answer, err := httpapi.AppendAggregate(context.Background(), a.engine, record.Call{Principal: who}, record.KindOf(q.resource.Name), n,
		nil)
	if err != nil {
		return got, err
	}
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	if err := d.Decode(&got); err != nil {
		return got, fmt.Errorf("%s: %w", answer, err)
	}
	return got, nil
}

// naiveRow is a group of records as it is answered, and what it is sorted by.
type naiveRow struct {
	shown   map[string]any
	keys    []sortKey
	records []*schema.Record
}

// sortKey is a value by which rows are sorted, or nil where it is absent.
type sortKey any

func compareSortKeys(a, b sortKey, desc bool) int {
	switch {
	case a == nil && b == nil:
		return 0
	case b == nil:
		return -1
	case a == nil:
		return 1
	}
	c := 0
	switch a := a.(type) {
	case string:
		c = strings.Compare(a, b.(string))
	case *big.Rat:
		c = a.Cmp(b.(*big.Rat))
	}
	if desc {
		return -c
	}
	return c
}

// figures is what an aggregate answers, and whether there is more.
func (w *world) figures(q question) (data []map[string]any, more bool) {
	groups := q.groups
	for _, name := range slices.Concat(q.groups, q.metrics) {
		_, field, isMetric := strings.Cut(name, ":")
		if !isMetric || slices.Contains(q.groups, name) {
			field, _, _ = strings.Cut(name, ":")
		}
		if field == "count" {
			continue
		}
		if leaf, _ := w.resolve(q.resource, schema.NewRecord(&q.resource.Shape), field); leaf.Kind == schema.Money {
			head, _, dotted := strings.Cut(field, ".")
			currency := "currency"
			if dotted {
				currency = head + ".currency"
			}
			if !slices.Contains(groups, currency) {
				groups = append(groups[:len(groups):len(groups)], currency)
			}
		}
	}
	matches := w.matches(q.search)
	byKey := map[string]*naiveRow{}
	var all []*naiveRow
	spellings := map[string]map[string]int{}
	for _, rec := range matches {
		shown, key := map[string]any{}, ""
		var keys []sortKey
		bounds := 0
		for _, g := range groups {
			field, unit, _ := strings.Cut(g, ":")
			leaf, v := w.resolve(q.resource, rec, field)
			k, text := w.groupKey(leaf, v, unit)
			if isText(leaf.Kind) && v.Set {
				if spellings[g+"\x00"+text] == nil {
					spellings[g+"\x00"+text] = map[string]int{}
				}
				spellings[g+"\x00"+text][v.S]++
			}
			keys = append(keys, k)
			key += fmt.Sprintf("%v\x00%s\x00", k == nil, text)
			switch {
			case unit != "":
				prefix := ""
				if bounds++; bounds > 1 {
					prefix = g + ":"
				}
				shown[g], shown[prefix+"from"], shown[prefix+"to"] = nil, nil, nil
				if v.Set {
					shown[g] = text
					shown[prefix+"from"], shown[prefix+"to"] = w.bounds(leaf, v, unit)
				}
			case isText(leaf.Kind):
				shown[g] = nil
				if v.Set {
					shown[g] = text // the spelling comes when all are known
				}
			default:
				shown[g] = decoded(schema.AppendValue(nil, leaf, v))
			}
		}
		r := byKey[key]
		if r == nil {
			r = &naiveRow{shown: shown, keys: keys}
			byKey[key] = r
			all = append(all, r)
		}
		r.records = append(r.records, rec)
	}
	if len(all) == 0 && len(q.groups) == 0 {
		empty := &naiveRow{shown: map[string]any{}, keys: make([]sortKey, len(groups))}
		for _, g := range groups {
			empty.shown[g] = nil
		}
		all = append(all, empty)
	}
	for _, r := range all {
		for _, g := range groups {
			if texts := spellings[g+"\x00"+fmt.Sprint(r.shown[g])]; texts != nil && r.shown[g] != nil && !strings.Contains(g, ":") {
				best := ""
				for text, n := range texts {
					if best == "" || n > texts[best] || n == texts[best] && text < best {
						best = text
					}
				}
				r.shown[g] = best
			}
		}
		for _, m := range q.metrics {
			shown, key := w.metric(q.resource, r.records, m)
			r.shown[m] = shown
			r.keys = append(r.keys, key)
		}
	}
	by := len(groups)
	if q.orderBy != "" {
		by = slices.Index(slices.Concat(groups, q.metrics), q.orderBy)
	}
	slices.SortFunc(all, func(a, b *naiveRow) int {
		c := compareSortKeys(a.keys[by], b.keys[by], q.desc)
		for i := range groups {
			c = cmp.Or(c, compareSortKeys(a.keys[i], b.keys[i], false))
		}
		return c
	})
	for i, r := range all {
		if i == q.limit {
			return data, true
		}
		data = append(data, r.shown)
	}
	return data, false
}

// groupKey is what a value is sorted by among groups, and what it is named by.
func (w *world) groupKey(l *schema.Leaf, v schema.Value, unit string) (sortKey, string) {
	if !v.Set {
		return nil, ""
	}
	switch {
	case unit != "":
		name := w.period(l, v, unit)
		return fmt.Sprintf("%20s", w.localDay(l, w.first(l, v, unit)).Format("2006-01-02")), name
	case l.Format == schema.Currency:
		return v.S, v.S
	case isText(l.Kind):
		return plainly(l, v.S), plainly(l, v.S)
	case l.Kind == schema.Choice:
		return big.NewRat(int64(slices.Index(l.Options, v.S)), 1), v.S
	case l.Kind == schema.ID:
		return v.S, v.S
	case l.Kind == schema.Number:
		return new(big.Rat).SetFloat64(v.Float()), fmt.Sprint(v.Float())
	}
	return big.NewRat(v.N, 1), fmt.Sprint(v.N)
}

// localDay is the day that a calendar in the business's zone shows, or the last one that can be written where that is later.
func (w *world) localDay(l *schema.Leaf, v schema.Value) time.Time {
	if l.Kind == schema.Date {
		return time.Unix(v.N*86400, 0).UTC()
	}
	zone, err := time.LoadLocation(w.zone)
	if err != nil {
		panic(err)
	}
	at := time.UnixMicro(v.N).In(zone)
	if at.Year() > 9999 {
		return time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
	}
	return at
}

// period names the period of a value.
func (w *world) period(l *schema.Leaf, v schema.Value, unit string) string {
	day := w.localDay(l, v)
	switch unit {
	case "day":
		return day.Format("2006-01-02")
	case "week":
		year, week := day.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case "month":
		return day.Format("2006-01")
	case "quarter":
		return fmt.Sprintf("%s-Q%d", day.Format("2006"), (int(day.Month())-1)/3+1)
	}
	return day.Format("2006")
}

// step is a second, or a day for dates: how finely the bounds of periods are looked for.
func step(l *schema.Leaf) int64 {
	if l.Kind == schema.Date {
		return 1
	}
	return 1_000_000
}

// edge looks for the last value in a direction that is in the same period, by halving.
func (w *world) edge(l *schema.Leaf, v schema.Value, unit string, direction int64) int64 {
	name := w.period(l, v, unit)
	in := func(n int64) bool { return w.period(l, schema.IntValue(l.Kind, n), unit) == name }
	start := v.N
	if l.Kind == schema.Time {
		start -= (v.N%1e6 + 1e6) % 1e6
		if !in(start) {
			start = v.N
		}
	}
	near, far := int64(0), int64(370*86400)
	if l.Kind == schema.Date {
		far = 370
	}
	for far-near > 1 {
		if mid := (near + far) / 2; in(start + direction*mid*step(l)) {
			near = mid
		} else {
			far = mid
		}
	}
	return start + direction*near*step(l)
}

// first is the first value of a value's period.
func (w *world) first(l *schema.Leaf, v schema.Value, unit string) schema.Value {
	return schema.IntValue(l.Kind, w.edge(l, v, unit, -1))
}

// bounds are the first value of a value's period and the first one behind it, as far as they can be written.
func (w *world) bounds(l *schema.Leaf, v schema.Value, unit string) (from, to any) {
	low, high := w.first(l, v, unit).N, w.edge(l, v, unit, 1)+step(l)
	least, most := instants[0], instants[len(instants)-1]
	if l.Kind == schema.Date {
		least, most = days[0], days[len(days)-1]
	}
	low, high = max(low, least), min(high, most)
	return decoded(schema.AppendValue(nil, l, schema.IntValue(l.Kind, low))),
		decoded(schema.AppendValue(nil, l, schema.IntValue(l.Kind, high)))
}

// metric is what a metric answers, and what rows are sorted by for it.
func (w *world) metric(res *schema.Resource, records []*schema.Record, name string) (any, sortKey) {
	if name == "count" {
		n := int64(len(records))
		return json.Number(fmt.Sprint(n)), big.NewRat(n, 1)
	}
	word, field, _ := strings.Cut(name, ":")
	var leaf *schema.Leaf
	var values []schema.Value
	sum := new(big.Rat)
	exactly := func(v schema.Value) *big.Rat {
		switch {
		case leaf.Kind == schema.Number:
			return new(big.Rat).SetFloat64(v.Float())
		case leaf.Kind.Decimal():
			return big.NewRat(v.N, 10_000)
		}
		return big.NewRat(v.N, 1)
	}
	for _, rec := range records {
		var v schema.Value
		if leaf, v = w.resolve(res, rec, field); v.Set {
			values = append(values, v)
			sum.Add(sum, exactly(v))
		}
	}
	if len(values) == 0 {
		return nil, nil
	}
	quoted := leaf.Kind == schema.Money || leaf.Kind == schema.Quantity
	written := func(text string) any {
		if quoted {
			return text
		}
		return json.Number(text)
	}
	switch word {
	case "min", "max":
		slices.SortFunc(values, func(a, b schema.Value) int { return compare(leaf, a, b) })
		v := values[0]
		if word == "max" {
			v = values[len(values)-1]
		}
		return decoded(schema.AppendValue(nil, leaf, v)), exactly(v)
	case "avg":
		sum.Quo(sum, big.NewRat(int64(len(values)), 1))
		text := sum.FloatString(4) // which rounds half away from zero
		if strings.Trim(text, "-0.") == "" {
			text = "0.0000"
		}
		rounded, _ := new(big.Rat).SetString(text)
		return written(text), rounded
	}
	switch {
	case leaf.Kind == schema.Integer:
		return json.Number(sum.RatString()), sum
	case leaf.Kind == schema.Number:
		if near, _ := sum.Float64(); !math.IsInf(near, 0) {
			return decoded(schema.AppendValue(nil, leaf, schema.FloatValue(near))), sum
		}
		return json.Number(new(big.Float).SetPrec(3000).SetRat(sum).Text('e', 16)), sum
	}
	text := sum.FloatString(4)
	least := 2
	if !quoted {
		least = 0
	}
	for places := 4; places > least && strings.HasSuffix(text, "0"); places-- {
		text = text[:len(text)-1]
	}
	return written(strings.TrimSuffix(text, ".")), sum
}
