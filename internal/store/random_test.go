package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// fragments are what random texts are made of: few, so that they often meet, and chosen so that engines might disagree about them.
var fragments = []string{
	"jose", "José", "JOSE\u0301", "jo", "se", "Straße", "STRASSE", "\u1e9e", "ﬁn", "fin", "\u0130", "\u0131", "I", "Ångström", "angstrom",
	"Ø", "o", "Łódź", "lodz",
	"100%", "%", "a_b", "axb", `a\b`, `\`, "O'Brien", "o’brien", `"q"`, "*", "日本語", "日本", "語", "\U0001f642", "\U0001f642\U0001f642",
	"z\u200bw", "\u0301", "ς", "Σ", "\U00010400", "\U00010428",
	"\uffff", "\ue000", "\ufffd", "\U0010ffff", "12", "345", "+49", "(0)", "a", "ab", "abc", "abd", "b", " ", "  ", "\u00a0", "\u00b4",
	"-", "_", "@example.com", "Ⅷ", "½", "x²", "\u01c6", "ﷺ",
}

var phones = []string{"+49 (170) 123-456", "0049170123456", "12", "(12) 345", "1-2-3", "ext. 5", "+1 234", "٣٤٥ 1", "１２３"}

var (
	numbers  = []float64{0, 1, -1, 0.1, 0.5, 2.5, 100, 1e15, 1e-7, -1e308, 1e308, 5e-324, 42}
	decimals = []int64{0, 1, -1, 5_000, 10_000, 12_345, -10_000, 1_000_000, schema.DecimalMax, -schema.DecimalMax}
	integers = []int64{0, 1, 2, 3, -1, 100, 1<<53 - 1, -(1<<53 - 1)}
	days     = []int64{-719162, -1, 0, 1, 19_782, 2_932_896}
	instants = []int64{
		-62_135_596_800_000_000, -1, 0, 1, 1_709_164_800_000_000, 1_709_164_800_000_001, 1_709_251_199_999_999,
		1_709_251_200_000_000, 253_402_300_799_999_999,
	}
)

// maker draws random worlds and searches.
type maker struct {
	t *rapid.T
	w *world
	// ids are what references can point to; some of them point nowhere.
	ids map[string][]schema.UUID
	// target is a record that the search is to find, or nil. Without one, most searches would find nothing and so prove little.
	target *schema.Record
}

func pick[V any](t *rapid.T, label string, from []V) V {
	return rapid.SampledFrom(from).Draw(t, label)
}

// oneIn is true once in n times.
func (m *maker) oneIn(n int, label string) bool {
	return rapid.IntRange(1, n).Draw(m.t, label) == n
}

// text draws a text of one line or, for long texts, of several. It is never empty.
func (m *maker) text(k schema.Kind) string {
	parts := rapid.SliceOfN(rapid.SampledFrom(m.w.fragments), 1, 4).Draw(m.t, "text")
	glue := pick(m.t, "glue", []string{"", "", " "})
	if k == schema.LongText && m.oneIn(4, "lines") {
		glue = "\n\t"
	}
	if m.oneIn(20, "any text") {
		return "a" + strings.Map(func(r rune) rune {
			if r == 0 || unicode.IsControl(r) {
				return -1
			}
			return r
		}, rapid.StringN(0, 20, -1).Draw(m.t, "any"))
	}
	return strings.Join(parts, glue)
}

func newUUID(t *rapid.T) schema.UUID {
	var id schema.UUID
	copy(id[:], rapid.SliceOfN(rapid.Byte(), 15, 15).Draw(t, "id"))
	id[15] = 1 // the zero id is none
	return id
}

// value draws a value of a leaf. n numbers the records of a resource, for values that must differ.
func (m *maker) value(l *schema.Leaf, n int) schema.Value {
	switch l.Kind {
	case schema.Text, schema.LongText:
		text := m.text(l.Kind)
		if l.Format == schema.Phone {
			text = pick(m.t, "phone", phones)
		}
		if l.Format == schema.RecordID {
			text = m.end(l)
		}
		if l.Identity.Unique {
			text += " #" + strconv.Itoa(n)
		}
		return schema.TextValue(l.Kind, text)
	case schema.Choice:
		return schema.TextValue(l.Kind, pick(m.t, "choice", l.Options))
	case schema.Bool:
		return schema.BoolValue(rapid.Bool().Draw(m.t, "bool"))
	case schema.Integer:
		return schema.IntValue(l.Kind, pick(m.t, "integer", integers))
	case schema.Number:
		return schema.FloatValue(pick(m.t, "number", numbers))
	case schema.Money, schema.Quantity, schema.Percent:
		return schema.IntValue(l.Kind, pick(m.t, "decimal", decimals))
	case schema.Date:
		return schema.IntValue(l.Kind, pick(m.t, "date", append([]int64{m.w.today - 1, m.w.today}, days...)))
	case schema.Time:
		return schema.IntValue(l.Kind, pick(m.t, "time", instants))
	case schema.ID:
		name := "stage"
		if l.Target != nil {
			name = l.Target.Name
		}
		return schema.IDValue(pick(m.t, "reference", m.ids[name]))
	case schema.Tags:
		var tags []string
		for range rapid.IntRange(1, 3).Draw(m.t, "tags") {
			tags = append(tags, m.text(l.Kind))
		}
		return schema.TextValue(l.Kind, marshal(tags))
	case schema.Choices:
		chosen := []string{pick(m.t, "choice", l.Options)}
		if other := pick(m.t, "choice", l.Options); other != chosen[0] {
			chosen = append(chosen, other)
		}
		return schema.TextValue(l.Kind, marshal(chosen))
	case schema.List:
		if l.Field.Ref.ListItem != "" {
			return schema.TextValue(l.Kind, m.stages(n))
		}
		return schema.TextValue(l.Kind, `[{"name":"x"}]`)
	default:
		return schema.TextValue(l.Kind, `{"x":1}`)
	}
}

// end draws the id of a record that can be linked, most often one that is there.
func (m *maker) end(l *schema.Leaf) string {
	var names []string
	for _, name := range l.Ref.Among {
		if len(m.ids[name]) > 1 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return schema.FormatID(pick(m.t, "of", l.Ref.Among), newUUID(m.t))
	}
	name := pick(m.t, "of", names)
	return schema.FormatID(name, pick(m.t, "end", m.ids[name]))
}

// linkFilter draws a condition on what the records of a resource are linked with.
func (m *maker) linkFilter(res *schema.Resource) filter {
	l := pick(m.t, "linked", res.Links)
	if m.oneIn(2, "present") { // most resources have no records here
		l = res.Link("associations." + pick(m.t, "far", farEnds))
	}
	if m.target != nil && !m.oneIn(4, "of another") {
		if its := slices.DeleteFunc(slices.Clone(res.Links),
			func(l *schema.Leaf) bool { return len(m.w.linkedWith(res, m.target, l.Target.Name)) == 0 }); len(its) > 0 {
			l = pick(m.t, "its own", its)
		}
	}
	f := filter{field: l.Path, operator: pick(m.t, "operator", []string{"contains", "in", "nin", "is_set", "is_not_set"})}
	count := map[string]int{
		"contains": 1, "in": rapid.IntRange(0, 3).Draw(m.t, "values"),
		"nin": rapid.IntRange(0, 3).Draw(m.t, "values"),
	}[f.operator]
	for range count {
		id := newUUID(m.t)
		if m.target != nil && !m.oneIn(4, "foreign") {
			if ids := m.w.linkedWith(res, m.target, l.Target.Name); len(ids) > 0 {
				id = pick(m.t, "linked id", ids)
			}
		}
		f.meant = append(f.meant, schema.IDValue(id))
		f.written = append(f.written, marshal(schema.FormatID(l.Target.Name, id)))
	}
	return f
}

// farEnds are the resources of which a world has records to link others with.
var farEnds = []string{"contact", "deal"}

// stages draws the stages of the n-th pipeline: of the known ones, every second belongs to one of the first two.
func (m *maker) stages(n int) string {
	list := []map[string]any{}
	for i, id := range m.ids["stage"] {
		if n < 2 && i%2 == n {
			list = append(list, map[string]any{
				"id": schema.FormatID("stage", id), "name": "a" + strings.TrimSpace(m.text(schema.Text)) + "b", "position": i + 1,
				"kind": pick(m.t, "kind", []string{"open", "won", "lost"}), "probability": 10 * i,
			})
		}
	}
	if len(list) == 0 {
		list = append(list, map[string]any{"name": "x"})
	}
	return marshal(list)
}

func marshal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// record draws a record of a resource.
func (m *maker) record(res *schema.Resource, n int, id schema.UUID) *schema.Record {
	rec := schema.NewRecord(&res.Shape)
	for i, l := range res.Leaves {
		if l.Required || !l.Writing.BinOnly && !m.oneIn(3, "absent") {
			rec.Values[i] = m.value(l, n)
		}
	}
	rec.Put(rec.Common.ID, schema.IDValue(id))
	rec.Put(rec.Common.Version, schema.IntValue(schema.Integer, 1))
	if len(res.EndLeaves) > 0 {
		for from, to := res.EndLeaves[0], res.EndLeaves[1]; rec.Text(from) == rec.Text(to); {
			rec.PutText(to, schema.FormatID(pick(m.t, "of", to.Ref.Among), newUUID(m.t)))
		}
	}
	if m.oneIn(6, "deleted") {
		rec.Put(rec.Common.DeletedAt, schema.IntValue(schema.Time, pick(m.t, "deleted at", instants)))
	}
	return rec
}

// randomWorld draws records of one resource, and of those that it refers to.
func randomWorld(t *rapid.T, res *schema.Resource) *world {
	return (&world{}).populate(t, res)
}

// populate draws the records of a world.
func (w *world) populate(t *rapid.T, res *schema.Resource) *world {
	w.records, w.own, w.today = map[string][]*schema.Record{}, map[string]bool{}, dayOf(time.Now())
	m := &maker{t: t, w: w, ids: map[string][]schema.UUID{}}
	// A few fragments at a time, so that texts meet; neighbours in the list belong together.
	for range 3 {
		at := rapid.IntRange(0, len(fragments)-4).Draw(t, "fragments")
		m.w.fragments = append(m.w.fragments, fragments[at:at+4]...)
	}
	counts := map[string]int{res.Name: pick(t, "records", []int{0, 1, 6, 12, 18, 24, 30})}
	resources := []*schema.Resource{res}
	m.ids["stage"] = []schema.UUID{newUUID(t), newUUID(t)}
	for _, l := range res.Leaves {
		if l.ListItem != nil || res.Name == "pipeline" {
			counts["stage"] = 4
		}
		if l.Target != nil {
			if _, known := counts[l.Target.Name]; !known {
				counts[l.Target.Name] = rapid.IntRange(0, 4).Draw(t, l.Target.Name)
				resources = append(resources, l.Target)
			}
			for _, far := range l.Target.Leaves { // never followed, but they need something to point to
				if far.Target != nil {
					m.ids[far.Target.Name] = nil
				}
			}
		}
	}
	if len(res.Links) > 0 || len(res.EndLeaves) > 0 {
		for _, name := range append([]string{"association"}, farEnds...) {
			if _, known := counts[name]; !known {
				counts[name] = rapid.IntRange(0, 5).Draw(t, name)
				if name == "association" {
					counts[name] *= 3
				}
				resources = append(resources, record.Registry.Resource(name))
			}
		}
		for _, r := range resources {
			for _, far := range r.Leaves {
				if far.Target != nil {
					m.ids[far.Target.Name] = nil
				}
			}
		}
	}
	ids := map[string][]schema.UUID{}
	seen := map[schema.UUID]bool{}
	for name := range m.ids {
		if _, known := counts[name]; !known {
			counts[name] = 0
		}
	}
	for _, name := range append([]string{"stage"}, schemaNames()...) {
		n, known := counts[name]
		if !known {
			continue
		}
		for range n {
			id := newUUID(t)
			for seen[id] {
				id[14]++
			}
			seen[id] = true
			ids[name] = append(ids[name], id)
		}
		m.ids[name] = append(append([]schema.UUID{}, ids[name]...), schema.UUID{14: 7, 15: 7}) // the last one points nowhere
	}
	for _, r := range resources {
		for n, id := range ids[r.Name] {
			m.w.records[r.Name] = append(m.w.records[r.Name], m.record(r, n, id))
		}
	}
	m.w.user = pick(t, "user", m.ids["user"])
	for _, r := range resources {
		m.w.own[r.Name] = m.oneIn(8, "own "+r.Name)
	}
	return m.w
}

// randomSearch draws a search over a world.
func randomSearch(t *rapid.T, w *world, res *schema.Resource, ids map[string][]schema.UUID) search {
	m := &maker{t: t, w: w, ids: ids}
	s := search{
		resource: res, bin: m.oneIn(6, "bin"), orderBy: "created_at", desc: rapid.Bool().Draw(t, "desc"),
		limit: pick(t, "limit", []int{1, 2, 3, 5, 7, 10, 25, 100}),
	}
	if !m.oneIn(5, "no target") {
		var candidates []*schema.Record
		for _, rec := range w.records[res.Name] {
			if !rec.Live() == s.bin {
				candidates = append(candidates, rec)
			}
		}
		if len(candidates) > 0 {
			m.target = pick(t, "target", candidates)
		}
	}
	for range pick(t, "filters", []int{0, 0, 1, 1, 1, 2, 2, 3, 4}) {
		f := m.filter(res, s.bin)
		for tries := 0; tries < 5 && m.target != nil && !w.holds(res, m.target, f); tries++ {
			f = m.filter(res, s.bin)
		}
		s.filters = append(s.filters, f)
	}
	if m.oneIn(3, "search text") {
		s.text = m.searchText(res)
		for tries := 0; tries < 5 && m.target != nil && !w.hasText(res, m.target, s.text); tries++ {
			s.text = m.searchText(res)
		}
	}
	if !m.oneIn(4, "default order") {
		s.orderBy = m.field(res, s.bin, schema.Kind.Scalar)
	}
	for range pick(t, "shown", []int{0, 0, 0, 1, 2, 3}) {
		if field := m.field(res, false, anyKind); res.Leaf(field) == nil {
			s.shown = append(s.shown, field)
		}
	}
	return s
}

// field draws the name of a field, often one behind a reference.
func (m *maker) field(res *schema.Resource, bin bool, usable func(schema.Kind) bool) string {
	if m.oneIn(3, "follow") {
		var vias []*schema.Leaf
		for _, l := range res.Leaves {
			if (l.Target != nil || l.ListItem != nil) && (!l.Writing.BinOnly || bin) {
				vias = append(vias, l)
			}
		}
		return m.behind(pick(m.t, "via", vias), usable)
	}
	return m.fieldOf(&res.Shape, bin, usable)
}

// behind draws the name of a field behind a reference.
func (m *maker) behind(via *schema.Leaf, usable func(schema.Kind) bool) string {
	_, shape, _ := via.Referred()
	return strings.TrimSuffix(via.Path, "_id") + "." + m.fieldOf(shape, false, usable)
}

// fieldOf draws the name of a shape's own field.
func (m *maker) fieldOf(shape *schema.Shape, bin bool, usable func(schema.Kind) bool) string {
	// The kind comes first, or else most fields would be texts.
	var kinds []schema.Kind
	names := map[schema.Kind][]string{}
	for _, l := range shape.Leaves {
		// the document of added fields has no name
		if usable(l.Kind) && (!l.Writing.BinOnly || bin) && (m.w.extended == nil || l.Kind != schema.Document) {
			if names[l.Kind] == nil {
				kinds = append(kinds, l.Kind)
			}
			names[l.Kind] = append(names[l.Kind], l.Path)
		}
	}
	return pick(m.t, "field", names[pick(m.t, "kind", kinds)])
}

func anyKind(schema.Kind) bool { return true }

func (m *maker) filter(res *schema.Resource, bin bool) filter {
	if len(res.Links) > 0 && m.oneIn(6, "by links") {
		return m.linkFilter(res)
	}
	return m.filterBy(res, m.field(res, bin, anyKind))
}

// filterBy draws a condition on a field.
func (m *maker) filterBy(res *schema.Resource, field string) filter {
	f := filter{field: field}
	leaf, _ := m.w.resolve(res, schema.NewRecord(&res.Shape), f.field)
	f.operator = pick(m.t, "operator", operators(leaf.Kind))
	count := 1
	switch f.operator {
	case "is_set", "is_not_set":
		return f
	case "in", "nin":
		count = rapid.IntRange(0, 5).Draw(m.t, "values")
	case "between":
		count = 2
	}
	for range count {
		f.meant = append(f.meant, m.operand(res, f.field, leaf, f.operator))
	}
	if f.operator == "between" && compare(leaf, f.meant[0], f.meant[1]) > 0 {
		f.meant[0], f.meant[1] = f.meant[1], f.meant[0]
	}
	for i := range f.meant {
		f.written = append(f.written, m.written(leaf, f.meant[i]))
	}
	return f
}

// source is the record that operands are taken from: the target, sometimes another one, or nil where there is none. What is above or
// below something is so compared with another one.
func (m *maker) source(res *schema.Resource, operator string) *schema.Record {
	records := m.w.records[res.Name]
	switch {
	case m.target != nil && operator != "gt" && operator != "lt" && !m.oneIn(4, "from another"):
		return m.target
	case len(records) > 0:
		return pick(m.t, "from", records)
	}
	return nil
}

// operand draws a value to compare with, most often one that some record has.
func (m *maker) operand(res *schema.Resource, field string, leaf *schema.Leaf, operator string) schema.Value {
	v := schema.Absent(leaf.Kind)
	if from := m.source(res, operator); from != nil && !m.oneIn(5, "foreign value") {
		_, v = m.w.resolve(res, from, field)
	}
	if !v.Set {
		v = m.value(leaf, 0)
	}
	if leaf.Kind == schema.Tags || leaf.Kind == schema.Choices {
		v.S = pick(m.t, "item", items(v))
	}
	if !isText(leaf.Kind) && leaf.Kind != schema.Tags {
		return v
	}
	runes := []rune(v.S)
	from, to := 0, len(runes)
	if operator == "contains" && leaf.Kind != schema.Tags {
		from = rapid.IntRange(0, len(runes)-1).Draw(m.t, "begin")
	}
	if operator == "starts_with" || from > 0 {
		to = rapid.IntRange(from+1, len(runes)).Draw(m.t, "end")
	}
	v.S = string(runes[from:to])
	if leaf.Format == schema.Phone && plainly(leaf, v.S) == "" {
		v.S += pick(m.t, "digit", []string{"1", "+4", "(5"})
	}
	if m.oneIn(3, "shout") {
		v.S = strings.ToUpper(v.S)
	}
	return v
}

// written gives a value as JSON, in one of the ways in which a client may write it.
func (m *maker) written(l *schema.Leaf, v schema.Value) string {
	switch l.Kind {
	case schema.Bool:
		return strconv.FormatBool(v.N != 0)
	case schema.Integer:
		return strconv.FormatInt(v.N, 10)
	case schema.Number:
		return pick(m.t, "form", []string{strconv.FormatFloat(v.Float(), 'e', -1, 64), strconv.FormatFloat(v.Float(), 'g', 17, 64)})
	case schema.Money, schema.Quantity, schema.Percent:
		number := fmt.Sprintf("%d.%04d", v.N/10_000, abs(v.N%10_000))
		if v.N < 0 && v.N > -10_000 {
			number = "-" + number
		}
		if l.Kind != schema.Percent && rapid.Bool().Draw(m.t, "quoted") {
			return `"` + number + `"`
		}
		return number
	case schema.Date:
		return marshal(time.Unix(v.N*86400, 0).UTC().Format(time.DateOnly))
	case schema.Time:
		at := time.UnixMicro(v.N).UTC()
		if at.Equal(at.Truncate(24*time.Hour)) && rapid.Bool().Draw(m.t, "as a date") {
			return marshal(at.Format(time.DateOnly))
		}
		if year := at.Year(); year > 1 && year < 9999 && rapid.Bool().Draw(m.t, "elsewhere") {
			at = at.In(time.FixedZone("", 19800))
		}
		return marshal(at.Format(time.RFC3339Nano))
	case schema.ID:
		return marshal(schema.FormatID(l.IDPrefix, v.UUID()))
	default:
		return marshal(v.S)
	}
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// searchText draws words, most often parts of what some record has.
func (m *maker) searchText(res *schema.Resource) string {
	var words []string
	for range pick(m.t, "words", []int{1, 1, 2, 3}) {
		text := m.text(schema.Text)
		if rec := m.source(res, ""); rec != nil && !m.oneIn(8, "foreign word") {
			var texts []string
			for i, l := range res.Leaves {
				if l.Find.Searchable && rec.Values[i].Set {
					texts = append(texts, rec.Values[i].S)
				}
			}
			if len(texts) > 0 {
				text = pick(m.t, "text", texts)
			}
		}
		if m.oneIn(5, "digits") {
			text = strings.Map(func(r rune) rune {
				if r < '0' || r > '9' {
					return -1
				}
				return r
			}, pick(m.t, "phone", phones))
		}
		runes := []rune(strings.ReplaceAll(text, "\x00", ""))
		if len(runes) > 0 {
			from := rapid.IntRange(0, len(runes)-1).Draw(m.t, "begin")
			runes = runes[from:min(len(runes), from+rapid.IntRange(1, 8).Draw(m.t, "length"))]
		}
		words = append(words, string(runes))
	}
	return strings.Join(words, " ")
}
