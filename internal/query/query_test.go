package query

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

func TestCheckGivesTheDefaults(t *testing.T) {
	q := checked(t, `{}`)
	if q.Limit != 25 || !q.Desc || q.Order.Leaf.Path != "created_at" || q.Order.Ref != -1 || q.After != nil || q.Filtered() {
		t.Errorf("an empty search is %+v", q)
	}
	if len(q.Leaves) != len(boat.Leaves)-1 {
		t.Errorf("%d fields are shown, want all but deleted_at", len(q.Leaves))
	}
}

func TestCheckReadsASearch(t *testing.T) {
	q := checked(t, `{"limit":7,"order_by":"mother.name","sort_direction":"asc","search_text":" Zoë zoe  X ","fields":["berth","name"],
		"filters":[{"field":"name","operator":"contains","value":"ÉÉ"},{"field":"mother.masts","operator":"between","values":[1,3]},
		{"field":"owner.name","operator":"is_set"},{"field":"built","operator":"lt","value":"1970-01-02"}]}`)
	if q.Limit != 7 || q.Desc || strings.Join(q.Words, "|") != "zoe|x" || !q.Filtered() {
		t.Errorf("the search is %+v", q)
	}
	if len(q.Refs) != 2 || q.Refs[0].Via.Path != "mother_id" || q.Refs[1].Via.Path != "owner_id" || q.Order.Ref != 0 ||
		q.Filters[1].Ref != 0 || q.Filters[2].Ref != 1 || q.Filters[0].Ref != -1 {
		t.Errorf("the references are %+v, the filters %+v", q.Refs, q.Filters)
	}
	if q.Filters[0].Values[0].S != "ee" || q.Filters[1].Values[1].N != 3 || q.Filters[3].Values[0].N != 1 {
		t.Errorf("the filters are %+v", q.Filters)
	}
	if len(q.Leaves) != 2 || q.Leaves[0].Path != "name" || q.Leaves[1].Path != "berth.pier" {
		t.Errorf("the fields are %+v", q.Leaves)
	}
}

func TestTheLimitsOfASearch(t *testing.T) {
	array := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	filters := func(all ...string) string { return `{"filters":[` + strings.Join(all, ",") + `]}` }
	one := func(operator, value string) string {
		return `{"field":"log","operator":"` + operator + `","value":"` + value + `"}`
	}
	in := func(n int) string {
		return `{"field":"masts","operator":"in","values":` + array(n, "1") + `}`
	}
	for _, text := range []string{
		filters(one("contains", strings.Repeat("ü", MaxPart)), one("starts_with", strings.Repeat("ß", MaxPart))),
		filters(one("eq", strings.Repeat("x", MaxPart+1))),
		filters(in(500), in(500), in(500), in(499), one("eq", "x")),
		`{"fields":` + array(len(boat.Leaves)+MaxReferred, `"name"`) + `}`,
	} {
		checked(t, text)
	}
	for text, want := range map[string]string{
		`{"skip":-1}`:      "skip out_of_range",
		`{"skip":1000001}`: "skip out_of_range",
		`{"skip":1.5}`:     "skip wrong_type",
		`{"skip":"1"}`:     "skip wrong_type",
		filters(one("contains", strings.Repeat("ü", MaxPart+1))):              "filters[0].value too_long",
		filters(one("starts_with", strings.Repeat("x", MaxPart+1))):           "filters[0].value too_long",
		filters(one("contains", strings.Repeat("\ufdfa", MaxPart))):           "filters[0].value too_long",
		`{"search_text":"` + strings.Repeat("\ufdfa", MaxSearchText-1) + `"}`: "search_text too_long",
		filters(in(500), in(500), in(500), in(500), in(1)):                    "filters[4].values too_many",
		filters(in(1), one("eq", strings.Repeat("\ufdfa", 60_000))):           "filters[1].value too_long",
		`{"fields":` + array(len(boat.Leaves)+MaxReferred+1, `"name"`) + `}`:  "fields too_many",
		`{"fields":` + array(body.MaxValues-10, `"no_such_field"`) + `}`:      "fields too_many",
	} {
		_, err := check(text)
		p := problem.As(err)
		if p == nil || len(p.Fields) != 1 || p.Fields[0].Field+" "+p.Fields[0].Code != want {
			t.Errorf("%.80s… is %v, want %s", text, err, want)
		}
	}
}

func TestLess(t *testing.T) {
	for _, pair := range [][2]schema.Value{
		{schema.FloatValue(-1), schema.FloatValue(0.5)},
		{schema.FloatValue(-2), schema.FloatValue(-1)},
		{schema.IntValue(schema.Integer, -1), schema.IntValue(schema.Integer, 0)},
		{schema.TextValue(schema.Text, "a"), schema.TextValue(schema.Text, "b")},
		{schema.BoolValue(false), schema.BoolValue(true)},
	} {
		if !Less(pair[0], pair[1]) || Less(pair[1], pair[0]) || Less(pair[0], pair[0]) {
			t.Errorf("%+v and %+v are in the wrong order", pair[0], pair[1])
		}
	}
}

// forbidding lets nobody read users.
type forbidding struct{ everyone }

var errForbidden = errors.New("forbidden")

func (forbidding) Shaped(res *schema.Resource) *schema.Resource { return res }

func (forbidding) CanRead(res *schema.Resource) (bool, error) {
	if res.Name == "user" {
		return false, errForbidden
	}
	return true, nil
}

func TestCheckAsksForWhatIsReferred(t *testing.T) {
	search := func(text string) (*Query, error) {
		n, err := body.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return Check(*n, boat, false, forbidding{}, cursors, asker)
	}
	if _, err := search(`{"order_by":"owner.name"}`); !errors.Is(err, errForbidden) {
		t.Errorf("a forbidden order is %v", err)
	}
	if _, err := search(`{"filters":[{"field":"owner.name","operator":"is_set"}]}`); !errors.Is(err, errForbidden) {
		t.Errorf("a forbidden filter is %v", err)
	}
	if _, err := search(`{"order_by":"owner.name","limit":0}`); problem.As(err) == nil {
		t.Errorf("a wrong search is %v", err)
	}
	if q, err := search(`{"order_by":"mother.name"}`); err != nil || !q.Refs[0].Own {
		t.Errorf("a reference to one's own is %+v, %v", q, err)
	}
}

// A search body is either checked whole or refused with the names of what is wrong; a checked one keeps every promise that the
// engines rely on.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"limit":100,"order_by":"name","sort_direction":"asc"}`,
		`{"search_text":"a b","fields":["name","berth","mother.name","mother.berth","owner.name","created_by.id"]}`, `{"cursor":"abc"}`,
		`{"filters":[{"field":"name","operator":"in","values":["a","b"]},{"field":"masts","operator":"between","values":[1,2]}]}`,
		`{"filters":[{"field":"mother.seen_at","operator":"gte","value":"2024-02-29"},{"field":"tags","operator":"contains","value":"x"}]}`,
		`{"filters":[{"field":"price","operator":"eq","value":"1e999"}],"limit":1e999}`,
		`{"filters":[{"field":"flags","operator":"nin","values":["red"]},{"field":"crew","operator":"is_set"}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := check(text)
		if err != nil {
			p := problem.As(err)
			if p == nil || q != nil {
				t.Fatalf("%s: %v, %v", text, q, err)
			}
			if p.Code == problem.ValidationFailed && len(p.Fields) == 0 {
				t.Fatalf("%s: nothing is named", text)
			}
			for _, field := range p.Fields {
				if field.Code == "" || field.Message == "" {
					t.Fatalf("%s: %+v does not say what is wrong", text, field)
				}
			}
			return
		}
		if q.Limit < 1 || q.Limit > MaxLimit || len(q.Filters) > MaxFilters || !q.Order.Leaf.Kind.Scalar() || len(q.Kinds()) == 0 {
			t.Fatalf("%s is taken as %+v", text, q)
		}
		for _, w := range q.Words {
			if w == "" || w != Fold(w) || strings.ContainsAny(w, " \t\n\x00") {
				t.Fatalf("%s has the word %q", text, w)
			}
		}
		for _, c := range q.Filters {
			checkCondition(t, text, q, c)
		}
		row := make([]schema.Value, len(q.Kinds()))
		for i, k := range q.Kinds() {
			if row[i] = schema.Absent(k); k == schema.ID {
				row[i] = schema.IDValue(schema.UUID{1})
			}
		}
		if answer := q.AppendRecord(nil, row); !json.Valid(answer) {
			t.Fatalf("%s is answered with %s", text, answer)
		}
		cursor := cursors.Seal(q, asker, Position{Value: schema.Absent(q.Order.Leaf.Kind), ID: schema.UUID{1}, Total: -1})
		again, err := check(text)
		if err != nil {
			t.Fatalf("%s: the second time: %v", text, err)
		}
		if _, err := cursors.open(again, asker, cursor); err != nil {
			t.Fatalf("%s: its own cursor is refused", text)
		}
	})
}

func checkCondition(t *testing.T, text string, q *Query, c Condition) {
	t.Helper()
	if !slices.Contains(Allowed(c.Leaf.Kind), c.Operator) || c.Ref >= len(q.Refs) {
		t.Fatalf("%s has the condition %+v", text, c)
	}
	n := len(c.Values)
	switch c.Operator {
	case IsSet, IsNotSet:
		n++ // they take none
	case Between:
		n--
		if n == 1 && Less(c.Values[1], c.Values[0]) {
			t.Fatalf("%s has a range that is upside down", text)
		}
	case In, Nin:
		n = 1
		if len(c.Values) > MaxValues {
			t.Fatalf("%s has %d values", text, len(c.Values))
		}
	}
	if n != 1 {
		t.Fatalf("%s has %d values for %s", text, len(c.Values), c.Operator)
	}
	for _, v := range c.Values {
		if !v.Set || v.Kind != c.Leaf.Kind || strings.ContainsRune(v.S, 0) && v.Kind != schema.ID || c.Leaf.Key != "" &&
			Key(c.Leaf, v.S) != v.S {
			t.Fatalf("%s has the value %+v", text, v)
		}
	}
}
